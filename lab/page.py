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
    """A number that the page says.

    Parameters
    ----------
    name : str
        What the Python lines call it.
    label : str
        What the page calls it.
    number : float
    text : str
        The number as the page says it.
    """

    name: str
    label: str
    number: float
    text: str


@dataclass(frozen=True)
class Series:
    """One thing that a picture shows.

    Parameters
    ----------
    name : str
        As in the legend; empty if it is not in the legend.
    mark : str
        `line`; `dots`; `bars`, one for each category of `x`; `steps`, a histogram; `upright`, a
        line from bottom to top at each `x`.
    x : tuple
        Numbers, or the names of categories.
    y : tuple of float
    tone : int
        Its colour, 0 to 3; it also decides how a line is dashed.
    """

    name: str
    mark: Mark
    x: tuple[float | str, ...]
    y: tuple[float, ...]
    tone: int


@dataclass(frozen=True)
class Table:
    """The numbers of a picture, to be read."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A picture, and its numbers.

    Parameters
    ----------
    id : str
    caption : str
        What can be seen in it, in a sentence.
    x, y : str
        What the axes show.
    series : tuple of Series
    table : Table
    x_range, y_range : tuple of float, optional
        Where the axes end; by default where the numbers do.
    logarithmic : bool
        Whether each step along an axis multiplies.
    """

    id: str
    caption: str
    x: str
    y: str
    series: tuple[Series, ...]
    table: Table
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    logarithmic: bool = False


@dataclass(frozen=True)
class Records:
    """A table that is looked at itself, such as one of made-up people.

    Parameters
    ----------
    id, caption : str
    table : Table
    marked : tuple of int
        The rows that stand out, from 0. What they say must tell it too.
    """

    id: str
    caption: str
    table: Table
    marked: tuple[int, ...] = ()


@dataclass(frozen=True)
class Crowd:
    """Made-up people, whose reports the browser draws with the sampler that respondents run.

    Parameters
    ----------
    weights : tuple of tuple of int
        The channel.
    people : tuple of int
        How many people have each truth.
    contributions : tuple of float
        What each report adds to the estimated share of the truth that is looked at.
    truth : int
        That truth.
    names : tuple of str
        What each report is called.
    """

    weights: tuple[tuple[int, ...], ...]
    people: tuple[int, ...]
    contributions: tuple[float, ...]
    truth: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class Shown:
    """What a page shows for given settings.

    Parameters
    ----------
    said : tuple of str
        What is to be seen, in sentences: screen readers hear them at each change.
    values : tuple of Value
    pictures : tuple of Picture
    crowd : Crowd, optional
    records : tuple of Records
    """

    said: tuple[str, ...]
    values: tuple[Value, ...]
    pictures: tuple[Picture, ...]
    crowd: Crowd | None = None
    records: tuple[Records, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """Something to find out on the page.

    Parameters
    ----------
    question, answer : str
    settings : dict of (str: str)
        Where the page shows the answer.
    """

    question: str
    answer: str
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A page of the lab.

    Parameters
    ----------
    slug, title : str
    summary : str
        What one finds out on it, in a sentence, for the map.
    paragraphs : tuple of str
        What it is about, in two short paragraphs.
    sources : tuple of str
    inputs : tuple of Slider, Choice, Cells or Trail
    compute : callable
        Returns what it shows.
    code : callable
        Returns the Python lines that compute the same values.
    exercises : tuple of Exercise
    topics : tuple of str
        The ideas of usual courses that it shows.
    """

    slug: str
    title: str
    summary: str
    paragraphs: tuple[str, str]
    sources: tuple[str, ...]
    inputs: tuple[Input, ...]
    compute: Callable[[Settings], Shown]
    code: Callable[[Settings], str]
    exercises: tuple[Exercise, ...]
    topics: tuple[str, ...]

    def read(self, given: Mapping[str, str]) -> dict[str, Setting]:
        """Read settings as an address has them; see `read_all`."""
        return read_all(self.inputs, given)

    def answer(self, settings: Settings) -> dict[str, Any]:
        """Return what it shows and its Python lines, ready for JSON."""
        shown = asdict(self.compute(settings))
        for value in shown["values"]:
            del value["number"]  # the text says it, and JSON has no infinity
        return {**shown, "code": self.code(settings)}
