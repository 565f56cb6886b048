"""What a test does again costs little: the tests make some thousand of each program."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from werkzeug.routing import Rule


def hasten() -> None:
    """Keep what depends on the source alone: how addresses are built."""
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
