"""The parts of a page, and what it shows for given settings."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from types import SimpleNamespace
from typing import Any, TypeAlias

from deniable.lab.code import Code, code_of, set_lines
from deniable.lab.exercises import Exercise, Guess
from deniable.lab.inputs import Input, Setting, read_all
from deniable.lab.pictures import Picture, Records
from deniable.lab.said import unbroken

Settings: TypeAlias = Mapping[str, Setting]

Found: TypeAlias = Any
"""The results of a page's lines: an attribute for each of their names."""


@dataclass(frozen=True)
class Value:
    """A number that the page shows."""

    name: str  # in the Python lines
    label: str  # on the page
    number: float
    text: str  # the number as the page writes it


def values(found: Found, *rows: tuple[Any, ...]) -> tuple[Value, ...]:
    """Return the values that a page shows, from the results of its lines.

    A row has the name in the lines, the label on the page, a function that writes the number, and
    further arguments of that function.
    """
    return tuple(
        Value(name, label, float(number), write(number, *given))
        for name, label, write, *given in rows
        for number in [getattr(found, name)]
    )


@dataclass(frozen=True)
class Shown:
    """What a page shows for given settings."""

    # Sentences on what can be seen: screen readers read them at each change. Some may be empty.
    said: tuple[str, ...]
    values: tuple[Value, ...]
    pictures: tuple[Picture, ...]
    records: tuple[Records, ...] = ()
    code: str = ""  # the Python lines that assign the settings


@dataclass(frozen=True)
class Page:
    """A page of the lab."""

    slug: str
    title: str
    summary: str  # a sentence for the map
    idea: str  # two short paragraphs: one above what readers try, one below
    why: str
    sources: tuple[str, ...]
    inputs: tuple[Input, ...]
    # Computes the page's numbers. Its arguments are the settings by name, and it ends in
    # `return locals()`. The page shows its source.
    lines: Callable[..., dict[str, Any]]
    # Says and draws the numbers; several do, by the choice `what`.
    show: Callable[[Found], Shown] | Mapping[str, Callable[[Found], Shown]]
    exercises: tuple[Exercise, ...]
    guess: Guess

    def read(self, given: Mapping[str, str]) -> dict[str, Setting]:
        """Read settings from an address; see `read_all`."""
        return read_all(self.inputs, given)

    def shown(self, settings: Settings) -> Shown:
        """Return what the page shows."""
        found = SimpleNamespace(**self.lines(**settings))
        show = self.show[found.what] if isinstance(self.show, Mapping) else self.show
        return replace(show(found), code=set_lines(settings))

    def answer(self, settings: Settings) -> dict[str, Any]:
        """Return what the page shows, ready for JSON."""
        shown = asdict(self.shown(settings))
        shown["said"] = [*filter(None, shown["said"])]
        for value in shown["values"]:
            del value["number"]  # the text says it, and JSON has no infinity
        found: dict[str, Any] = json.loads(unbroken(json.dumps(shown, allow_nan=False)))
        return found

    @property
    def code(self) -> Code:
        """The Python lines that compute its numbers, above and below the lines of settings."""
        return code_of(self.lines)
