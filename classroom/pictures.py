"""What a step shows: sentences, and a picture of one of two kinds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias

from deniable.classroom.arithmetic import Found
from deniable.lab.said import percent

Tone: TypeAlias = Literal["noisy", "found", "made-up", "direct"]
"""Whose a bar is."""

TRACE: Final = 1e-6
"""By so much chances miss a simple fraction, as they are multiples of 2^-32; at most."""

NOBODY: Final = "Nobody has answered yet."


def believed(chance: float) -> str:
    """Write how likely something is, without ever calling it sure.

    >>> believed(0.25), believed(0.99999), believed(0.0001)
    ('25 %', 'over 99.9 %', 'under 0.1 %')
    """
    if chance > 0.999:
        return "over 99.9 %"
    return "under 0.1 %" if chance < 0.001 else percent(chance)


def between(low: float, high: float) -> str:
    """Write the ends of an interval.

    >>> between(-0.03, 0.69)
    '−3 % and 69 %'
    """
    return f"{percent(low, 0)} and {percent(high, 0)}"


def nearest(value: float) -> int:
    """Round as people do: a half goes up, also where a chance of coins is a trace too small.

    >>> nearest(2.5), nearest(2.4), nearest(2.4999999)
    (3, 2, 3)
    """
    return math.floor(value + 0.5 + TRACE)


def outside(share: float, name: str) -> tuple[str, ...]:
    """Say what an estimate below 0 or above 1 means; nothing of any other.

    >>> outside(-1e-10, "Yes"), len(outside(-0.05, "Yes"))
    ((), 1)
    """
    if -TRACE <= share <= 1 + TRACE:
        return ()
    few = (
        f"A figure below 0 % says: chance made even fewer reports of “{name}” than it makes where "
        "that is true of nobody. The interval says how many it can be true of."
    )
    many = (
        f"A figure above 100 % says: chance made even more reports of “{name}” than it makes where "
        "that is true of everybody. The interval says how many it can be true of."
    )
    return (few if share < 0 else many,)


@dataclass(frozen=True)
class Row:
    """A bar, and perhaps an interval around its end."""

    id: str  # the bar that was here before moves to where it is now
    name: str  # what stands before it, and behind it
    text: str
    value: float  # where it ends. It begins at 0
    low: float | None = None  # the interval
    high: float | None = None
    tone: Tone = "found"
    before: float | None = None  # where it ended before, which an outline shows
    ends: str = ""  # the interval in words, for who does not see it

    @classmethod
    def at(
        cls, id: str, name: str, share: float, tone: Tone = "found", before: float | None = None
    ) -> Row:
        """Make the bar of a share without an interval."""
        return cls(id, name, percent(share), share, tone=tone, before=before)

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

    low: float  # where the axis ends; it always holds 0 and 1
    high: float
    rows: tuple[Row, ...]
    mark: float | None = None  # where a line goes through all bars
    mark_text: str = ""  # what that line is
    kind: Literal["rows"] = "rows"

    @classmethod
    def around(cls, rows: Iterable[Row], **more: Any) -> Rows:
        """Make an axis that holds these bars."""
        drawn = tuple(rows)
        every = (end for row in drawn for end in (row.value, row.low, row.high, row.before))
        ends = [0.0, 1.0, *(end for end in every if end is not None)]
        return cls(min(ends), max(ends), drawn, **more)


@dataclass(frozen=True)
class Told:
    """What one report tells of its sender."""

    name: str  # what the report is called
    legend: str
    said: str  # what one believes now, in a sentence
    bars: Rows  # how likely each answer is, before it and after it


@dataclass(frozen=True)
class Dots:
    """One dot a report."""

    # Of each dot, its report. Their places were drawn by chance: they tell of nobody.
    reports: tuple[int, ...]
    told: tuple[Told, ...]  # by report
    chosen: int | None  # the dot that the presenter points at
    label: str = "One dot a report. Arrow keys go from dot to dot."
    nobody: str = "Point at a dot."  # what is said until then
    kind: Literal["dots"] = "dots"


@dataclass(frozen=True)
class Shown:
    """What a step shows."""

    said: tuple[str, ...]  # in sentences, each to be read aloud
    notes: tuple[str, ...]  # what the presenter alone reads, with the numbers of this class
    picture: Rows | Dots | None = None
    formula: str = ""  # the arithmetic in a line, or nothing

    def document(self) -> dict[str, Any]:
        """Return what the projector shows, ready for JSON."""
        return {
            "said": self.said,
            "formula": self.formula,
            "picture": asdict(self.picture) if self.picture else None,
        }
