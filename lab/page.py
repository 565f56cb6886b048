"""What a page consists of, and what it shows for given settings."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from types import SimpleNamespace
from typing import Any, TypeAlias

from deniable.lab.code import Code, code_of, set_lines
from deniable.lab.exercises import Exercise, Guess
from deniable.lab.inputs import Input, Setting, arguments, read_all
from deniable.lab.pictures import Picture, Records
from deniable.lab.said import unbroken

Settings: TypeAlias = Mapping[str, Setting]

Found: TypeAlias = Any
"""What a page's lines found: an attribute for each of their names."""


@dataclass(frozen=True)
class Value:
    """A number that the page says."""

    name: str  # what the Python lines call it
    label: str  # what the page calls it
    number: float
    text: str  # the number as the page says it


def values(found: Found, *rows: tuple[Any, ...]) -> tuple[Value, ...]:
    """Return what a page says of numbers by their names.

    A row has the name in the lines, what the page calls it, and how it is written: a function, and
    what else that is given.
    """
    return tuple(
        Value(name, label, float(number), write(number, *given))
        for name, label, write, *given in rows
        for number in [getattr(found, name)]
    )


@dataclass(frozen=True)
class Shown:
    """What a page shows for given settings."""

    # What is to be seen, in sentences: screen readers hear them at each change. Some may be empty.
    said: tuple[str, ...]
    values: tuple[Value, ...]
    pictures: tuple[Picture, ...]
    records: tuple[Records, ...] = ()
    code: str = ""  # the Python lines that give the settings their names


@dataclass(frozen=True)
class Page:
    """A page of the lab."""

    slug: str
    title: str
    summary: str  # what one finds out on it, in a sentence, for the map
    paragraphs: tuple[str, str]  # what it is about, in two short paragraphs
    sources: tuple[str, ...]
    inputs: tuple[Input, ...]
    # Computes the page's numbers. It is given where each input stands, by name, and ends in
    # `return locals()`. The page shows its lines.
    lines: Callable[..., dict[str, Any]]
    show: Callable[[Found], Shown]  # says and draws them
    exercises: tuple[Exercise, ...]
    guess: Guess

    def read(self, given: Mapping[str, str]) -> dict[str, Setting]:
        """Read settings as an address has them; see `read_all`."""
        return read_all(self.inputs, given)

    def shown(self, settings: Settings) -> Shown:
        """Return what it shows."""
        given = arguments(self.inputs, settings)
        shown = self.show(SimpleNamespace(**self.lines(**given)))
        return replace(shown, code=set_lines(given))

    def answer(self, settings: Settings) -> dict[str, Any]:
        """Return what it shows, ready for JSON."""
        shown = asdict(self.shown(settings))
        shown["said"] = [*filter(None, shown["said"])]
        for value in shown["values"]:
            del value["number"]  # the text says it, and JSON has no infinity
        found: dict[str, Any] = json.loads(unbroken(json.dumps(shown, allow_nan=False)))
        return found

    @property
    def code(self) -> Code:
        """The Python lines that compute its numbers, above and below those of the settings."""
        return code_of(self.lines)
