"""No pattern takes long, whatever a stranger sends.

The interpreter holds its lock while a pattern is matched, so one request for an address of hyphens
once stopped a server for seconds. Each pattern of the server and of what it loads is pumped: up to
each of its repeats it gets a text that matches, then 64 KB of what the repeat takes, then a
character that no pattern takes.
"""

import ast
import importlib
import pkgutil
import re
import re._constants as ops  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from deniable.server.respondent import app
from deniable.server.web.gateway import MOST_OF_A_PATH
from deniable.survey.address import LENGTH, LETTERS
from tests.kit import Caller

LONGEST = 2**16
SECONDS = 0.3  # of the processor; a pattern that is linear needs a few milliseconds
KILLERS = ("\0a", "\n")
_CLASSES = {
    ops.CATEGORY_DIGIT: "7",
    ops.CATEGORY_NOT_DIGIT: "-",
    ops.CATEGORY_SPACE: " ",
    ops.CATEGORY_NOT_SPACE: "a",
    ops.CATEGORY_WORD: "a7_",
    ops.CATEGORY_NOT_WORD: "- ",
}
OWN = {
    "deniable.server.respondent.joining._COMMENT": "reads our own scripts, at the start",
    "deniable.server.store.sqlite.examining._TOLD": "reads what this machine's `mount` prints",
    "deniable.server.desk.editor.edits._CUT_OFF": "reads a name of 24 letters at most",
}
"""Patterns that no stranger's text reaches, or none that is long."""

_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)


def _texts(op: Any, value: Any) -> list[str]:  # noqa: PLR0911  one for each kind of node
    """Return short texts that one node of a parsed pattern matches, differing in kind."""
    if op is ops.LITERAL:
        return [chr(value)]
    if op in (ops.NOT_LITERAL, ops.ANY):
        return [one for one in "a-7 " if op is ops.ANY or ord(one) != value]
    if op is ops.IN:
        return _of_class(value)
    if op is ops.BRANCH:
        return [text for branch in value[1] for text in _sequences(branch)]
    if op is ops.SUBPATTERN:
        return _sequences(value[3])
    if op is ops.ATOMIC_GROUP:
        return _sequences(value)
    if op in _REPEATS:
        least, _, body = value
        return [text * max(least, 1) for text in _sequences(body)] + [""] * (least == 0)
    return [""]  # an anchor, or a look around


def _of_class(parts: Iterable[tuple[Any, Any]]) -> list[str]:
    parts = list(parts)
    if parts[0][0] is ops.NEGATE:
        refused = "".join(_of_class(parts[1:])) if parts[1:] else ""
        return [one for one in 'a-7 _/"' if one not in refused][:4]
    found = []
    for op, value in parts:
        if op is ops.LITERAL:
            found.append(chr(value))
        elif op is ops.RANGE:
            found.append(chr(value[0]))
        else:
            found.extend(_CLASSES[value])
    return found


def _sequences(parsed: Any) -> list[str]:
    """Return a few texts that a sequence of nodes matches."""
    texts = [""]
    for op, value in parsed:
        texts = [text + more for more in _texts(op, value)[:3] for text in texts][:6]
    return texts


def _pumps(parsed: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """Yield, for each repeat, a text that leads to it and each short text that it repeats."""
    for op, value in parsed:
        if op in _REPEATS:
            if value[1] >= 32:
                texts = _sequences(value[2])
                yield from ((before, text) for text in texts if text)
                yield from ((before, "".join(texts[:2])),)
            yield from _pumps(value[2], before)
        elif op is ops.SUBPATTERN:
            yield from _pumps(value[3], before)
        elif op is ops.ATOMIC_GROUP:
            yield from _pumps(value, before)
        elif op is ops.BRANCH:
            for branch in value[1]:
                yield from _pumps(branch, before)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            yield from _pumps(value[1], before)
        before += min(_texts(op, value), key=len, default="")


def _slowest(pattern: re.Pattern[Any], methods: Iterable[str]) -> tuple[float, str]:
    """Return the most seconds of one match, and the text's beginning; stop at the first above."""
    text_of = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode()
    worst = 0.0, ""
    for before, pump in sorted(set(_pumps(parser.parse(text_of, pattern.flags & ~re.DEBUG)))):
        for killer in KILLERS:
            length = 2**12
            while length <= LONGEST:  # by doubling, so that a quadratic one is found in a second
                text: Any = before + pump * (length // len(pump)) + killer
                if isinstance(pattern.pattern, bytes):
                    text = text.encode()
                for method in methods:
                    start = time.process_time()
                    _try(pattern, method, text)
                    worst = max(worst, (time.process_time() - start, repr(text[:20])))
                if worst[0] > SECONDS:
                    return worst
                length *= 4
    return worst


def _try(pattern: re.Pattern[Any], method: str, text: Any) -> None:
    if method == "sub":
        pattern.sub(text[:0], text)
    elif method in ("finditer", "findall"):
        pattern.findall(text)
    else:
        getattr(pattern, method)(text)


_METHODS = ("fullmatch", "match", "search", "sub", "split", "findall", "finditer")


@cache
def _sources() -> dict[str, str]:
    """Return the source of each module that the server loads."""
    names = [
        one.name
        for package in ("survey", "survey_file", "text", "crypto", "server")
        for one in pkgutil.walk_packages(
            importlib.import_module(f"deniable.{package}").__path__, f"deniable.{package}."
        )
    ]
    found = {}
    for name in [*names, "deniable.report", "deniable.exact", "deniable.roles"]:
        module = importlib.import_module(name)
        assert module.__file__ is not None
        found[name] = Path(module.__file__).read_text(encoding="utf-8")
    return found


def patterns() -> dict[str, tuple[re.Pattern[Any], set[str]]]:
    """Return all patterns by where they are, each with the methods by which it is used."""
    everything = "\n".join(_sources().values())
    found = {}
    for name, source in _sources().items():
        for key, value in vars(importlib.import_module(name)).items():
            if isinstance(value, re.Pattern) and re.search(rf"^{key}\b", source, re.MULTILINE):
                within = source if key.startswith("_") else everything
                used = set(re.findall(rf"\b{key}\.(\w+)\b", within)) & {*_METHODS}
                found[f"{name}.{key}"] = value, used or {"fullmatch"}
        for call in ast.walk(ast.parse(source)):
            match call:
                case ast.Call(
                    ast.Attribute(ast.Name("re"), str(method)), [ast.Constant(str(text)), *_]
                ) if method in _METHODS:
                    found[f"{name}:{call.lineno}"] = re.compile(text), {method}
    found["converter"] = re.compile(f"/{vars(app)['_Address'].regex}/"), {"match"}
    for name in ("werkzeug.http", "werkzeug.sansio.http", "werkzeug.sansio.multipart"):
        for key, value in vars(importlib.import_module(name)).items():
            if isinstance(value, re.Pattern):
                found[f"{name}.{key}"] = value, {"fullmatch", "match"}
    return found


@pytest.mark.promise("odd-requests")
def test_no_pattern_is_slow_on_64_kb_of_its_own_characters() -> None:
    known = patterns()
    assert {*OWN, "deniable.survey.address._MEANT"} <= {*known}
    slow = {}
    for name in known.keys() - OWN.keys():
        pattern, methods = known[name]
        seconds, text = _slowest(pattern, methods)
        if seconds > SECONDS:
            slow[name] = (round(seconds, 2), text, methods)
    assert slow == {}


def test_a_quadratic_pattern_would_be_found() -> None:
    before = rf"/+(?:([{LETTERS}]{{{LENGTH}}})|s/(\w[\w-]*))[\W_]*(?:[#?&].*)?"
    for text, method in ((before, "fullmatch"), (r"\d+x", "search")):
        assert _slowest(re.compile(text), [method])[0] > SECONDS


@pytest.mark.promise("odd-requests")
def test_a_long_address_is_refused_before_any_pattern_reads_it(
    respondents: Caller, desk: Caller
) -> None:
    for call in (respondents, desk):
        for path in ("/s/a" + "-" * 60_000 + "/b", "/KVYTHNR/" + "-" * MOST_OF_A_PATH):
            start = time.process_time()
            answer = call(path)
            assert answer.status == 414
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert time.process_time() - start < SECONDS
        assert call("/" + "-" * (MOST_OF_A_PATH - 1)).status == 404
