"""What a page consists of, and what it shows for given settings."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.inputs import Input, Setting, read_all
from deniable.lab.said import decimal

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
class Columns:
    """Columns of numbers over one axis, which a picture draws and its table says."""

    x: Sequence[float] | Sequence[str] | FloatArray
    columns: Mapping[str, Sequence[float] | FloatArray]  # by what the legend calls them
    tones: tuple[int, ...] = (0, 1, 2, 3)
    mark: Mark = "line"

    @property
    def series(self) -> tuple[Series, ...]:
        """The columns, as a picture draws them."""
        x = tuple(np.asarray(self.x).tolist())
        return tuple(
            Series(name, self.mark, x, tuple(float(each) for each in column), tone)
            for (name, column), tone in zip(self.columns.items(), self.tones, strict=False)
        )

    def table(
        self,
        heads: str | tuple[str, ...],  # of all columns; or of the first, if the legend has the rest
        write: Callable[..., str],
        digits: int | None = None,  # for `write`, if it takes any
        at: Iterable[int] | None = None,  # the places whose numbers are shown: all by default
        x: Callable[[Any], str] = str,
    ) -> Table:
        """Return the columns, to be read."""
        given = () if digits is None else (digits,)
        return Table(
            (heads, *self.columns) if isinstance(heads, str) else heads,
            tuple(
                (x(self.x[at]), *(write(each[at], *given) for each in self.columns.values()))
                for at in (range(len(self.x)) if at is None else at)
            ),
        )


class Drag(NamedTuple):
    """The slider that the axis across a picture shows, so that it can be moved in the picture."""

    slider: str
    scale: float = 1  # how much of the axis one of the slider's units is
    power: Literal[1, -1] = 1  # -1: the axis shows the scale divided by the slider's number


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
    drag: Drag | None = None
    # Whether both axes have one scale, so that a circle is round, and lines end at the frame.
    equal: bool = False


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

    # What is to be seen, in sentences: screen readers hear them at each change. Some may be empty.
    said: tuple[str, ...]
    values: tuple[Value, ...]
    code: str  # the Python lines that compute the same values
    pictures: tuple[Picture, ...]
    crowd: Crowd | None = None
    records: tuple[Records, ...] = ()


class Guess(NamedTuple):
    """What readers say before the page shows them anything."""

    question: str
    value: str  # which of the page's values answers it
    low: float  # the ends of what can be guessed, in the unit
    high: float
    unit: str = "%"
    scale: float = 100  # how many of the unit the value's number counts for each 1
    step: float = 1


class Number(NamedTuple):
    """The right answer to an exercise, as a number."""

    right: float
    within: float = 0  # how far off an answer may be
    unit: str = ""


class Pick(NamedTuple):
    """The right answer to an exercise, among wrong ones."""

    right: str
    wrong: tuple[str, ...]

    @property
    def options(self) -> list[str]:
        """All of them, in an order that does not tell."""
        return sorted((self.right, *self.wrong))


@dataclass(frozen=True)
class Exercise:
    """Something to find out on the page."""

    question: str
    answer: str
    settings: Mapping[str, str] = field(default_factory=dict)  # where the page shows the answer
    check: Number | Pick | None = None


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
    exercises: tuple[Exercise, ...]
    topics: tuple[str, ...]  # the ideas of usual courses that it shows
    guess: Guess

    def read(self, given: Mapping[str, str]) -> dict[str, Setting]:
        """Read settings as an address has them; see `read_all`."""
        return read_all(self.inputs, given)

    def answer(self, settings: Settings) -> dict[str, Any]:
        """Return what it shows, ready for JSON."""
        shown = asdict(self.compute(settings))
        shown["said"] = [*filter(None, shown["said"])]
        for value in shown["values"]:
            del value["number"]  # the text says it, and JSON has no infinity
        return shown


def fill(code: str, settings: Settings, **more: object) -> str:
    """Fill Python lines in with settings, and with what follows from them."""
    given = {
        name: one if isinstance(one, str) else decimal(float(one)) for name, one in settings.items()
    }
    return code.format(**(given | more))


def typed(settings: Settings, **kinds: Any) -> Any:
    """Return settings as a named tuple, each of its type; what is no type stands as it is.

    >>> typed({"n": "30", "flip": Fraction(1, 4)}, n=int, flip=float, most=7)
    Read(n=30, flip=0.25, most=7)
    """
    found = {
        name: kind
        if not callable(kind)
        else settings[name]
        if kind is str
        else kind(Fraction(settings[name]))
        for name, kind in kinds.items()
    }
    return namedtuple("Read", found)(**found)
