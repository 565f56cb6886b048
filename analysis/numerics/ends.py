"""Intervals with named ends."""

from __future__ import annotations

import math
from typing import NamedTuple


class Interval(NamedTuple):
    """A confidence interval; an end may be infinite.

    `low`, `high`.
    """

    low: float
    high: float

    @classmethod
    def known(cls, low: float, high: float) -> Interval | None:
        """Make an interval of Python numbers, or None of nan."""
        return None if math.isnan(low) or math.isnan(high) else cls(float(low), float(high))


class WithInterval:
    """A finding that has an interval, or None in its place."""

    interval: Interval | None

    @property
    def low(self) -> float | None:
        """The lower end."""
        return None if self.interval is None else self.interval.low

    @property
    def high(self) -> float | None:
        """The upper end."""
        return None if self.interval is None else self.interval.high
