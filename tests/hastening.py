"""What a test does again costs little: the tests make some thousand of each program."""

import gc
import itertools
from collections.abc import Callable
from typing import Any

from werkzeug.routing import Rule

from deniable.crypto.blind import BITS
from deniable.server.store import keys
from tests.blind_keys import KEYS


def hasten() -> None:
    """Keep what depends on the source alone: how addresses are built.

    Private keys are those that were drawn before: to find primes for a new one takes up to some
    seconds. `tests/server/intake/test_invitations.py` draws a real one.
    """
    _keep_builders()
    drawn = itertools.cycle(KEYS)
    keys.new_key = lambda bits=BITS: next(drawn)  # type: ignore[attr-defined]


def _keep_builders() -> None:
    compiled = Rule._compile_builder
    kept: dict[tuple[Any, ...], Callable[..., tuple[str, str]]] = {}

    def compile_once(self: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        # It reads the rule alone, and finds the converters by way of the rule that it is bound to.
        key = (self.rule, repr(self.defaults), tuple(self._trace), append_unknown)
        if key not in kept:
            kept[key] = compiled(self, append_unknown)
        return kept[key]

    Rule._compile_builder = compile_once  # type: ignore[method-assign]


def look_for_garbage_seldom() -> None:
    """Go through what is kept every million new objects or so, and not several times a second.

    Thousands of tests and all that they import are a million objects, of which none is garbage.
    """
    gc.set_threshold(10_000, 20, 20)


def forget_what_stays() -> None:
    """Never go through what is there by now: it stays to the end."""
    gc.collect()
    gc.freeze()
