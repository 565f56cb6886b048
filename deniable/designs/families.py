"""Families of channels: one channel for every ε.

A question without a design of its own names a family, and its share of the budget picks the
channel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final

from deniable.channel import ROW_SUM, Channel
from deniable.designs.block import best_k_ary
from deniable.designs.categorical import k_ary
from deniable.designs.numeric import best_numeric, laplace, piecewise, square_wave, two_point
from deniable.designs.rounding import coarsened
from deniable.exact import Number

ANSWERS: Final[Mapping[str, Callable[[int, Number], Channel]]] = {
    "k_ary": k_ary,
    "best": best_k_ary,
}
"""Families for one of k answers, by name: functions of k and ε."""

NUMBERS: Final[Mapping[str, Callable[[int, Number], Channel]]] = {
    "best": best_numeric,
    "k_ary": k_ary,
    "laplace": laplace,
    "mean_only": partial(best_numeric, distribution=False),
    "piecewise": piecewise,
    "square_wave": square_wave,
    "two_point": two_point,
}
"""Families for a number, by name: functions of the number of levels and ε."""

DEFAULT_LEVELS: Final = 21
"""The levels of a number with more values: rounding to steps of a twentieth of its range adds
little to the noise."""

BESIDES: Final = "k_ary"
"""The only family for a number that also takes other answers, such as declining: a report tells
such an answer from a number no better than it tells two numbers apart."""


@dataclass(frozen=True)
class Family:
    """The channels of a question's items, one for every ε.

    Parameters
    ----------
    name : str
        A key of `ANSWERS`, or of `NUMBERS` if there are levels.
    answers : int
        Number of answers, or of values of a number, without the `besides`.
    levels : int or None
        Number of levels on which a number is randomised, from 2 to its number of values. None if
        the question is no number.
    besides : int
        Number of other answers: declining, and not applying. For a number, only with the family
        `BESIDES`.

    Examples
    --------
    >>> Family("laplace", answers=101, levels=21).channel(1).truths
    101
    """

    name: str
    answers: int
    levels: int | None = None
    besides: int = 0

    def __post_init__(self) -> None:
        known = ANSWERS if self.levels is None else NUMBERS
        if self.name not in known:
            raise ValueError(f"expected one of {', '.join(known)}, found {self.name!r}")
        if self.levels is not None and not 2 <= self.levels <= self.answers:
            raise ValueError(f"expected 2 to {self.answers} levels, found {self.levels}")
        if self.levels is not None and self.besides and self.name != BESIDES:
            raise ValueError(
                f"{self.name} randomises numbers only, and another answer besides them is not a "
                f"number: expected {BESIDES}"
            )

    @property
    def values(self) -> list[Fraction] | None:
        """The value of each truth of a number, from 0 to 1.

        An answer that is not a number counts as the middle. None if the question is no number.
        """
        if self.levels is None:
            return None
        values = [Fraction(place, self.answers - 1) for place in range(self.answers)]
        return [*values, *[Fraction(1, 2)] * self.besides]

    @property
    def design(self) -> str:
        """The name of the design that makes the channel.

        With more values than levels the shares are not identifiable, whatever the design, so the
        best one is then that for a mean.
        """
        coarse = self.levels is not None and self.levels < self.answers
        return "mean_only" if self.name == "best" and coarse else self.name

    def channel(self, epsilon: Number) -> Channel:
        """Return the channel that makes the most of an ε.

        Truths: the answers or values, with the `besides` last. Its ε is never above `epsilon`.
        """
        if self.levels is None:
            return ANSWERS[self.name](self.answers + self.besides, epsilon)
        on_levels = NUMBERS[self.design](self.levels + self.besides, epsilon)
        if self.levels == self.answers:
            return on_levels
        if not self.besides:
            return coarsened(on_levels, self.answers)
        numbers = coarsened(Channel(on_levels.weights[: self.levels]), self.answers)
        own = range(self.levels, self.levels + self.besides)
        return Channel([*numbers.weights, *(_no_number(numbers, report) for report in own)])


def _no_number(numbers: Channel, own: int) -> list[int]:
    """Return the row of an answer that is not a number, whose own report is `own`."""
    row = [min(column) for column in zip(*numbers.weights, strict=True)]
    row[own] += ROW_SUM - sum(row)
    return row
