"""What a test does again costs little: the tests make some thousand of each program."""

import gc
import itertools
from collections.abc import Callable
from types import CodeType
from typing import Any

from jinja2 import Environment
from werkzeug.routing import Rule

from deniable.crypto.blind import BITS
from deniable.server.store import keys
from tests.blind_keys import KEYS


def hasten() -> None:
    """Keep what depends on the source alone: how addresses are built, and pages written.

    Private keys are those that were drawn before: to find primes for a new one takes up to some
    seconds. `tests/server/intake/test_invitations.py` draws a real one.
    """
    _keep_builders()
    _keep_templates()
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


def _keep_templates() -> None:
    """Each program that a test composes has templates of its own, and would compile them anew."""
    compiled: Callable[..., str | CodeType] = Environment.compile
    kept: dict[tuple[Any, ...], str | CodeType] = {}

    def compile_once(self: Environment, source: Any, *how: Any, **named: Any) -> str | CodeType:
        if not isinstance(source, str):
            return compiled(self, source, *how, **named)
        # What the compiler asks of an environment, which ours differ in.
        settings = (self.trim_blocks, self.lstrip_blocks, repr(self.extensions.keys()))
        tools = (*self.filters.items(), *self.tests.items())
        key = (type(self), settings, _escaping(self), tools, source, how, *sorted(named.items()))
        if key not in kept:
            kept[key] = compiled(self, source, *how, **named)
        return kept[key]

    Environment.compile = compile_once  # type: ignore[assignment, method-assign]


def _escaping(environment: Environment) -> object:
    """Return whether an environment escapes, or the function that says for which template."""
    return getattr(environment.autoescape, "__func__", environment.autoescape)


def look_for_garbage_seldom() -> None:
    """Go through what is kept every million new objects or so, and not several times a second.

    Thousands of tests and all that they import are a million objects, of which none is garbage.
    """
    gc.set_threshold(10_000, 20, 20)


def forget_what_stays() -> None:
    """Never go through what is there by now: it stays to the end."""
    gc.collect()
    gc.freeze()
