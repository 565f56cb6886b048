"""What a test does again costs little: the tests make some thousand of each program."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule


class _Compiled(BytecodeCache):
    """Templates that an earlier application of this process has compiled."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


def hasten() -> None:
    """Keep what depends on the source alone: compiled templates, and how addresses are built."""
    Flask.jinja_options = {"bytecode_cache": _Compiled()}
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
