"""The inputs of a page, with their ranges: other values are rejected before any computation."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

Setting: TypeAlias = int | float | str
"""The place of a slider, the code of an option, or the letters of a table."""

_LONGEST: Final = 12


@dataclass(frozen=True)
class Slider:
    """A number between two ends, in steps."""

    name: str  # as in the address
    label: str  # on the page
    low: str  # the ends, the step and the first place, as decimals
    high: str
    step: str
    start: str
    # The name of a choice, and which option of it the slider belongs to.
    only: tuple[str, str] | None = None
    percent: bool = False  # whether it is a share, which the page writes in percent
    below: bool = False  # whether it moves nothing in the first picture, only numbers below it

    def read(self, text: str) -> int | float:
        """Return the slider's value as typed, an int if all are whole; `ValueError` for others."""
        if len(text) <= _LONGEST and text.replace(".", "", 1).isdecimal() and text.isascii():
            found = Fraction(text)
            low, high, step = Fraction(self.low), Fraction(self.high), Fraction(self.step)
            if low <= found <= high and (found - low) % step == 0:
                return float(found) if "." in self.low + self.step else int(found)
        raise ValueError(
            f"{self.name}: expected a number from {self.low} to {self.high} in steps of {self.step}"
        )


@dataclass(frozen=True)
class Choice:
    """One of several options."""

    name: str
    label: str
    # From the option in the address to its text on the page. The first one is chosen at first.
    options: Mapping[str, str]
    # The name of another choice, and which option of it this one belongs to.
    only: tuple[str, str] | None = None
    below: bool = False  # as for a slider

    @property
    def kind(self) -> type[int | float | str]:
        """Its Python type: a number if all options are numbers, else a text."""
        for kind in (int, float):
            with suppress(ValueError):
                for one in self.options:
                    kind(one)
                return kind
        return str

    @property
    def start(self) -> str:
        """The option that is chosen at first."""
        return next(iter(self.options))

    def read(self, text: str) -> Setting:
        """Return the chosen option; `ValueError` if there is no such option."""
        if text in self.options:
            return self.kind(text)
        raise ValueError(f"{self.name}: expected one of {', '.join(self.options)}")


@dataclass(frozen=True)
class Cells:
    """A small table that readers edit: each cell is one of several letters."""

    name: str
    label: str
    rows: tuple[str, ...]  # the names of rows, and then of columns; a single column may have none
    columns: tuple[str, ...]
    letters: Mapping[str, str]  # the letters of a cell, with their texts on the page
    start: str  # the letters at first, row by row
    # The name of a choice, and which option of it the table belongs to.
    only: tuple[str, str] | None = None
    below: bool = False  # as for a slider

    def read(self, text: str) -> str:
        """Return the letters, row by row; `ValueError` if they do not fit the table."""
        most = len(self.rows) * len(self.columns)
        if len(text) == most and set(text) <= self.letters.keys():
            return text
        raise ValueError(f"{self.name}: expected {most} letters of {''.join(self.letters)}")


Input: TypeAlias = Slider | Choice | Cells


def read_all(inputs: Sequence[Input], given: Mapping[str, str]) -> dict[str, Setting]:
    """Read the settings of all inputs of a page; a hidden input has its first setting."""
    found = {one.name: one.read(given.get(one.name, one.start)) for one in inputs}
    hidden = [one for one in inputs if one.only and found[one.only[0]] != one.only[1]]
    return found | {one.name: one.read(one.start) for one in hidden}
