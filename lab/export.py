"""A page with its answers at some of its settings, in files that need no server.

A browser that opens a page from the disk loads no module and fetches no file: so the page has its
answers in itself, and its modules are one plain script.
"""

import gzip
import json
import math
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from deniable.lab.inputs import Cells, Choice, Input, Slider
from deniable.lab.page import Page
from deniable.lab.pages import PATHS

MOST_BYTES: Final = 200_000
"""The most bytes of a page's file of answers."""

_MOST_ANSWERS: Final = (800, 400, 200, 100, 50, 0)
"""The numbers of settings to try until the file is small enough; each takes up to .15 s."""

_SIZES: Final = (2, 3, 5, 9, 17, 33, 65)
"""The numbers of places to try for a slider besides those of exercises; each size includes the
places of the one before."""

_SEEDS: Final = 3
"""The number of seeds in a file: three are enough to show that chance is at work."""

_BETWEEN: Final = "<!-- part -->"
"""Stands between the parts of an answer: most settings change few of them."""

# As prettier and the bundler write them.
_IMPORT: Final = re.compile(
    r'^import (?:\{([^}]*)\}|\* as (\w+)) from "\./([^"]*)";\n', re.MULTILINE
)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|const) (\w+))", re.MULTILINE)
_EXPORTED: Final = re.compile(r"^(.*)export\{([^}]*)\};\s*\Z", re.DOTALL)

Write: TypeAlias = Callable[[dict[str, Any]], str]
"""Writes what a page shows as HTML."""


class Exported(NamedTuple):
    """A page that needs no server."""

    places: dict[str, list[str]]  # the places of each slider, as in the address
    answers: int
    file: bytes

    @property
    def address(self) -> str:
        """An address that holds the file itself."""
        return f"data:application/gzip;base64,{b64encode(self.file).decode()}"


def in_one_script(folder: Path, name: str) -> str:
    """Return a module, after all that it imports, as a script that is no module."""
    scripts: dict[str, str] = {}
    _collect(folder, name, scripts)
    return '"use strict";\nconst modules = {};\n' + "".join(scripts.values())


def _collect(folder: Path, name: str, scripts: dict[str, str]) -> None:
    text = (folder / name).read_text(encoding="utf-8")
    for *_, other in _IMPORT.findall(text):
        if other not in scripts:
            _collect(folder, other, scripts)
    exports = ", ".join(_EXPORT.findall(text))
    if bundle := _EXPORTED.match(text):
        text = bundle[1]
        renamed = (pair.partition(" as ") for pair in bundle[2].split(","))
        exports = ", ".join(f"{to}: {own}" for own, _, to in renamed)
    body = _EXPORT.sub("", _IMPORT.sub(_as_constant, text))
    scripts[name] = f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();\n'


def _as_constant(found: re.Match[str]) -> str:
    names = found[2] or "{" + found[1].replace(" as ", ": ") + "}"
    return f'const {names} = modules["{found[3]}"];\n'


def exported(page: Page, write: Write) -> Exported:
    """Compute a page's answers at as many settings as its file has room for."""
    known: dict[str, list[str]] = {}
    found = (_at(page, write, most, known) for most in _MOST_ANSWERS)
    return next(one for one in found if len(one.file) <= MOST_BYTES)


def _at(page: Page, write: Write, most: int, known: dict[str, list[str]]) -> Exported:
    """Compute a page's answers at about `most` settings; `known` keeps them for another try."""
    places = _grid(page, most)
    chosen = _settings(page, places)
    for key, given in chosen.items():
        if key not in known:
            known[key] = write(page.answer(page.read(given))).split(_BETWEEN)
    sliders = {one.name: places[one.name] for one in page.inputs if isinstance(one, Slider)}
    return Exported(sliders, len(chosen), _packed({key: known[key] for key in chosen}))


def key_of(inputs: Sequence[Input], given: Mapping[str, str]) -> str:
    """Return the key of settings in a file of answers: without inputs that are hidden."""
    return "&".join(
        f"{one.name}={given[one.name]}"
        for one in inputs
        if one.only is None or given[one.only[0]] == one.only[1]
    )


def _grid(page: Page, most: int) -> dict[str, list[str]]:
    """Return the places of each input, so that they make at most `most` settings if possible."""
    places = {one.name: _places(page, one, 1 if most else 0) for one in page.inputs}
    for size in _SIZES:
        for one in page.inputs:
            wider = places | {one.name: _places(page, one, size)}
            if sum(math.prod(map(len, view.values())) for view in _views(page, wider)) <= most:
                places = wider
    return places


def _settings(page: Page, places: Mapping[str, Sequence[str]]) -> dict[str, dict[str, str]]:
    """Return all settings on the grid, and those of exercises and paths, by their keys."""
    rows = [
        dict(zip(view, row, strict=True))
        for view in _views(page, places)
        for row in product(*view.values())
    ]
    start = {one.name: one.start for one in page.inputs}
    rows += [start | given for given in _wanted(page)]
    return {key_of(page.inputs, row): row for row in rows}


def _views(
    page: Page, places: Mapping[str, Sequence[str]]
) -> Iterator[Mapping[str, Sequence[str]]]:
    """Yield the places of the inputs for each option of a choice that hides other inputs."""
    choices = {one.only[0] for one in page.inputs if one.only}
    if not choices:
        yield places
    for name in choices:
        for option in places[name]:
            hidden = {
                one.name: [one.start]
                for one in page.inputs
                if one.only and one.only != (name, option)
            }
            yield {**places, name: [option], **hidden}


def _wanted(page: Page) -> list[dict[str, str]]:
    """Return the settings of a page's exercises, and of its stops on paths."""
    stops = [dict(stop.settings) for path in PATHS for stop in path.stops if stop.slug == page.slug]
    return [*(dict(exercise.settings) for exercise in page.exercises), *stops]


def _places(page: Page, one: Input, size: int) -> list[str]:
    """Return the places of an input on a grid: every option of a choice, some of a slider."""
    if isinstance(one, Choice):
        return list(one.options)
    if isinstance(one, Cells):
        if size == 0:
            return [one.start]
        changed = (
            f"{one.start[:cell]}{letter}{one.start[cell + 1 :]}"
            for cell in range(len(one.start))
            for letter in one.letters
        )
        return [one.start, *dict.fromkeys(each for each in changed if each != one.start)]
    low, high, step = Decimal(one.low), Decimal(one.high), Decimal(one.step)
    last = int((high - low) / step)
    count = min(_SEEDS if one.name == "seed" else size, size, last + 1)
    values = {low + step * round(last * part / (count - 1)) for part in range(count) if count > 1}
    values |= {Decimal(one.start)}
    values |= {Decimal(given[one.name]) for given in _wanted(page) if one.name in given}
    return [f"{value.normalize():f}" for value in sorted(values)]


def _packed(answers: Mapping[str, Sequence[str]]) -> bytes:
    """Compress answers, with equal parts written once."""
    numbers: dict[str, int] = {}
    rows = {
        key: [numbers.setdefault(part, len(numbers)) for part in parts]
        for key, parts in answers.items()
    }
    written = {"parts": [*numbers], "answers": rows}
    text = json.dumps(written, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)
