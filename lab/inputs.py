"""What can be turned on a page, and how far: everything else is refused before it is computed."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

Setting: TypeAlias = Fraction | str
"""Where a slider stands, exactly, or what was chosen."""

_LONGEST: Final = 12


@dataclass(frozen=True)
class Slider:
    """A number between two ends, in steps."""

    name: str  # as the address has it
    label: str  # what the page calls it
    low: str  # the ends, the distance of two places and the place at first, as decimals
    high: str
    step: str
    start: str
    # The name of a choice, and which option of it the slider belongs to.
    only: tuple[str, str] | None = None

    @property
    def kind(self) -> type[int | float]:
        """What it is to Python: a whole number if all of its places are."""
        return float if "." in self.low + self.step else int

    def read(self, text: str) -> Fraction:
        """Return where the slider stands."""
        if len(text) <= _LONGEST and text.replace(".", "", 1).isdecimal() and text.isascii():
            found = Fraction(text)
            low, high, step = Fraction(self.low), Fraction(self.high), Fraction(self.step)
            if low <= found <= high and (found - low) % step == 0:
                return found
        raise ValueError(
            f"{self.name}: expected a number from {self.low} to {self.high} in steps of {self.step}"
        )


@dataclass(frozen=True)
class Choice:
    """One of several."""

    name: str
    label: str
    # What can be chosen, as the address has it, and what the page calls it. The first one is
    # chosen at first.
    options: Mapping[str, str]
    # The name of another choice, and which option of it this one belongs to.
    only: tuple[str, str] | None = None

    @property
    def kind(self) -> type[int | float | str]:
        """What it is to Python: a number if all options are numbers, and a text otherwise."""
        for kind in (int, float):
            with suppress(ValueError):
                for one in self.options:
                    kind(one)
                return kind
        return str

    @property
    def start(self) -> str:
        """What is chosen at first."""
        return next(iter(self.options))

    def read(self, text: str) -> str:
        """Return what was chosen."""
        if text in self.options:
            return text
        raise ValueError(f"{self.name}: expected one of {', '.join(self.options)}")


@dataclass(frozen=True)
class Cells:
    """A small table that can be edited: each cell is one of several."""

    name: str
    label: str
    rows: tuple[str, ...]  # what they are called. A single column may have no name
    columns: tuple[str, ...]
    letters: Mapping[str, str]  # what a cell can be: a letter, and what the page calls it
    start: str  # the letters at first, row by row
    # The name of a choice, and which option of it the table belongs to.
    only: tuple[str, str] | None = None

    def read(self, text: str) -> str:
        """Return the letters, row by row."""
        most = len(self.rows) * len(self.columns)
        if len(text) == most and set(text) <= self.letters.keys():
            return text
        raise ValueError(f"{self.name}: expected {most} letters of {''.join(self.letters)}")


Input: TypeAlias = Slider | Choice | Cells


def read_all(inputs: Sequence[Input], given: Mapping[str, str]) -> dict[str, Setting]:
    """Read where everything on a page stands; what is not shown stands where it does at first."""
    found = {one.name: one.read(given.get(one.name, one.start)) for one in inputs}
    hidden = [one for one in inputs if one.only and found[one.only[0]] != one.only[1]]
    return found | {one.name: one.read(one.start) for one in hidden}


def arguments(inputs: Sequence[Input], settings: Mapping[str, Setting]) -> dict[str, Any]:
    """Return where everything stands, as a page's Python lines have it."""
    kinds = {one.name: one.kind for one in inputs if isinstance(one, Slider | Choice)}
    return {name: kinds.get(name, str)(one) for name, one in settings.items()}
