"""What a step shows: sentences, and a picture of one of four kinds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias

from deniable.classroom.arithmetic import Found
from deniable.lab.said import percent

Tone: TypeAlias = Literal["noisy", "found", "made-up", "direct"]
"""What a bar shows: reports, estimates, simulated people or direct answers."""

TRACE: Final = 1e-6
"""The most by which a chance, a multiple of 2^-32, can miss a simple fraction."""

NOBODY: Final = "Nobody has answered yet."


def believed(chance: float) -> str:
    """Write a belief in percent, but never as certain.

    >>> believed(0.25), believed(0.99999), believed(0.0001)
    ('25 %', 'over 99.9 %', 'under 0.1 %')
    """
    if chance > 0.999:
        return "over 99.9 %"
    return "under 0.1 %" if chance < 0.001 else percent(chance)


def of_all(count: int, n: int) -> str:
    """Write a part of some people: first in people, then in percent.

    >>> of_all(12, 40)
    '12 of 40 (30 %)'
    """
    return f"{count:,} of {n:,} ({percent(count / n)})"


def between(low: float, high: float) -> str:
    """Write the ends of an interval.

    >>> between(-0.03, 0.69)
    '−3 % and 69 %'
    """
    return f"{percent(low, 0)} and {percent(high, 0)}"


def nearest(value: float) -> int:
    """Round half up, also if a chance is by `TRACE` too small.

    >>> nearest(2.5), nearest(2.4), nearest(2.4999999)
    (3, 2, 3)
    """
    return math.floor(value + 0.5 + TRACE)


@dataclass(frozen=True)
class Row:
    """A bar, and perhaps an interval around its end."""

    id: str  # a bar with the same id moves from its old place to its new one
    name: str  # the label before the bar
    text: str  # the label behind the bar
    value: float  # the end of the bar, which begins at 0
    low: float | None = None  # the interval
    high: float | None = None
    tone: Tone = "found"
    before: float | None = None  # its earlier end, which an outline shows
    # The part of `before` that chance makes: it leaves, and the rest is stretched to `value`.
    noise: float | None = None
    guesses: tuple[float, ...] = ()  # what people guessed, in order of size
    reports: tuple[bool, ...] = ()  # of one person: whether each names the answer in focus
    copies: bool = False  # whether all of them but the first are copies of it
    ends: str = ""  # the interval in words, for a screen reader
    crossed: bool = True  # whether the line that the picture marks is drawn on this bar

    @classmethod
    def part(cls, id: str, name: str, count: int, n: int, tone: Tone = "noisy") -> Row:
        """Make the bar of a part of some people."""
        return cls(id, name, of_all(count, n), count / n, tone=tone)

    @classmethod
    def of(cls, id: str, name: str, found: Found, truth: int, tone: Tone = "found") -> Row:
        """Make the bar of an estimated share."""
        interval, share = found.ends[truth], found.shares[truth]
        low, high = interval or (None, None)
        ends = between(*interval) if interval else ""
        said = f"between {ends}" if ends else ""
        return cls(id, name, percent(share), share, low, high, tone, ends=said)


@dataclass(frozen=True)
class Rows:
    """Bars along one axis."""

    low: float  # the ends of the axis
    high: float
    rows: tuple[Row, ...]
    mark: float | None = None  # the place of a line across bars
    mark_text: str = ""  # the meaning of that line
    outline: str = ""  # the meaning of the dashed outlines
    people: int = 0  # if above 0, bars show people, of whom the share 1 is so many
    reports: int = 0  # how many reports of one person stand beside each other, below its bar
    kind: Literal["rows"] = "rows"

    @classmethod
    def around(cls, rows: Iterable[Row], **more: Any) -> Rows:
        """Make an axis that holds these bars, 0 and 1."""
        drawn = tuple(rows)
        every = (end for row in drawn for end in (row.value, row.low, row.high, row.before))
        ends = [0.0, 1.0, *(end for end in every if end is not None)]
        return cls(min(ends), max(ends), drawn, **more)


@dataclass(frozen=True)
class Way:
    """One way in which the coins can fall."""

    coins: tuple[str, ...]  # the side of each that counts
    sends: str


@dataclass(frozen=True)
class Coins:
    """The rule of the coins, and how often it sends each report."""

    ways: tuple[Way, ...]
    bars: Rows
    kind: Literal["coins"] = "coins"


@dataclass(frozen=True)
class Crowd:
    """A phone for each that has joined: with a tick once its answer has come."""

    came: int
    joined: int
    kind: Literal["crowd"] = "crowd"


@dataclass(frozen=True)
class Told:
    """What one report tells about its sender."""

    legend: str  # the report
    said: str  # the new belief, in a sentence
    bars: Rows  # how likely each answer is, before and after the report


@dataclass(frozen=True)
class Dots:
    """A dot for each report."""

    # The report of each dot. The order is random, so that no place reveals a sender.
    reports: tuple[int, ...]
    told: tuple[Told, ...]  # by report
    chosen: int | None  # the dot that the presenter points at
    label: str = "One dot a report"
    nobody: str = "Point at a dot."  # the sentence while no dot is chosen
    kind: Literal["dots"] = "dots"


@dataclass(frozen=True)
class Shown:
    """What a step shows."""

    said: tuple[str, ...]  # sentences for the projector, each to be read aloud
    notes: tuple[str, ...]  # sentences for the presenter alone, with the numbers of this class
    picture: Rows | Coins | Dots | Crowd | None = None
    formula: str = ""  # the arithmetic in a line; empty for none

    def document(self) -> dict[str, Any]:
        """Return the projector's part, ready for JSON."""
        return {
            "said": self.said,
            "formula": self.formula,
            "picture": asdict(self.picture) if self.picture else None,
        }
