"""What a page consists of, and what it shows for given settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from deniable.lab.inputs import Input, Setting, read_all

Settings: TypeAlias = Mapping[str, Setting]
Mark: TypeAlias = Literal["line", "dots", "bars", "steps", "upright"]


@dataclass(frozen=True)
class Value:
    """A number that the page says."""

    name: str  # what the Python lines call it
    label: str  # what the page calls it
    number: float
    text: str  # the number as the page says it


@dataclass(frozen=True)
class Series:
    """One thing that a picture shows."""

    name: str  # as in the legend; empty if it is not in the legend
    # `line`; `dots`; `bars`, one for each category of `x`; `steps`, a histogram; `upright`, a line
    # from bottom to top at each `x`.
    mark: Mark
    x: tuple[float | str, ...]  # numbers, or the names of categories
    y: tuple[float, ...]
    tone: int  # its colour, 0 to 3; it also decides how a line is dashed


@dataclass(frozen=True)
class Table:
    """The numbers of a picture, to be read."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A picture, and its numbers."""

    id: str
    caption: str  # what can be seen in it, in a sentence
    x: str  # what the axes show
    y: str
    series: tuple[Series, ...]
    table: Table
    # Where the axes end; by default where the numbers do.
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    logarithmic: bool = False  # whether each step along an axis multiplies


@dataclass(frozen=True)
class Records:
    """A table that is looked at itself, such as one of made-up people."""

    id: str
    caption: str
    table: Table
    marked: tuple[int, ...] = ()  # the rows that stand out, from 0. What they say must tell it too


@dataclass(frozen=True)
class Crowd:
    """Made-up people, whose reports the browser draws with the sampler that respondents run."""

    weights: tuple[tuple[int, ...], ...]  # the channel
    people: tuple[int, ...]  # how many people have each truth
    # What each report adds to the estimated share of the truth that is looked at.
    contributions: tuple[float, ...]
    truth: int  # that truth
    names: tuple[str, ...]  # what each report is called


@dataclass(frozen=True)
class Shown:
    """What a page shows for given settings."""

    # What is to be seen, in sentences: screen readers hear them at each change.
    said: tuple[str, ...]
    values: tuple[Value, ...]
    pictures: tuple[Picture, ...]
    crowd: Crowd | None = None
    records: tuple[Records, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """Something to find out on the page."""

    question: str
    answer: str
    settings: Mapping[str, str] = field(default_factory=dict)  # where the page shows the answer


@dataclass(frozen=True)
class Page:
    """A page of the lab."""

    slug: str
    title: str
    summary: str  # what one finds out on it, in a sentence, for the map
    paragraphs: tuple[str, str]  # what it is about, in two short paragraphs
    sources: tuple[str, ...]
    inputs: tuple[Input, ...]
    compute: Callable[[Settings], Shown]  # returns what it shows
    code: Callable[[Settings], str]  # returns the Python lines that compute the same values
    exercises: tuple[Exercise, ...]
    topics: tuple[str, ...]  # the ideas of usual courses that it shows

    def read(self, given: Mapping[str, str]) -> dict[str, Setting]:
        """Read settings as an address has them; see `read_all`."""
        return read_all(self.inputs, given)

    def answer(self, settings: Settings) -> dict[str, Any]:
        """Return what it shows and its Python lines, ready for JSON."""
        shown = asdict(self.compute(settings))
        for value in shown["values"]:
            del value["number"]  # the text says it, and JSON has no infinity
        return {**shown, "code": self.code(settings)}
