"""A finding: an estimate with its error and interval, and what it can be of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.survey.items import Item
from deniable.survey.questions import Answer

NARROW: Final = 1 / 3
"""Least possible part of an interval; with less, results call the interval misleadingly narrow."""

_ROUNDING: Final = 1e-12
"""Rounding error of a share as a floating-point sum; far below the precision of any interval."""

_NONE: Final = 1e-9
"""Shares below this are of nobody, with the rounding errors of weights."""

SET: Final = "set by the weights"
"""The method, and the interval in words, of a share that weights fix: nothing is estimated."""


class Interval(NamedTuple):
    """A confidence interval; an end may be infinite."""

    low: float
    high: float

    @classmethod
    def known(cls, low: float, high: float) -> Interval | None:
        """Return an interval of Python floats, or None if an end is nan."""
        return None if math.isnan(low) or math.isnan(high) else cls(float(low), float(high))

    def reaching(self, estimate: float | None) -> Interval:
        """Return the interval extended to an estimate: a ratio's estimate may lie outside."""
        if estimate is None or math.isnan(estimate):
            return self
        return Interval(min(self.low, estimate), max(self.high, estimate))

    def misleads(self, least: float, greatest: float, method: str | None = None) -> bool:
        """Return whether the possible part is narrow only because the rest is impossible.

        `method`: the kind of interval. Feldman and Cousins's uses the possible range, and never
        misleads.
        """
        if method == intervals.OF_PROPORTION:
            return False
        low, high = max(self.low, least), min(self.high, greatest)
        whole = low == least and high == greatest
        return not whole and high - low < NARROW * (self.high - self.low)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """An estimate with its error and interval; each is None if unknown.

    Every estimate that is shown or written is one: its subclasses add what it is of.

    Parameters
    ----------
    estimate : float or None
        Unbiased, unless it is a ratio; it may leave the possible range.
    standard_error : float or None
        None also for a single report.
    interval : Interval or None
        It may leave the possible range, except for a ratio.
    method : str or None
        The kind of interval.
    least, greatest : float
        The least and the greatest possible value: 0 and 1 for a share.
    p_value : float or None
        Of a share or a mean: of the single test that it is possible if respondents followed the
        design; see `deniable.analysis.design_test`. It is no verdict: a survey has many shares
        (`deniable.analysis.results.verdict`). Of others: of the test that it is 0. None if not
        tested.
    maximum_likelihood : float or None
        Its value under the most likely distribution, always possible. None also where the shares of
        the answers are not identifiable, or no certified maximum was found.
    n : int or None
        Number of people that it is estimated from; None if a container of findings has it.
    design_effect : float or None
        The variance relative to a simple random sample of as many people with equal weights; None
        in such a sample, and over waves.
    """

    estimate: float | None = None
    standard_error: float | None = None
    interval: Interval | None = None
    method: str | None = None
    least: float = 0.0
    greatest: float = 1.0
    p_value: float | None = None
    maximum_likelihood: float | None = None
    n: int | None = None
    design_effect: float | None = None

    @property
    def is_set(self) -> bool:
        """Whether it is known, and not estimated."""
        return False

    @property
    def low(self) -> float | None:
        """The lower end."""
        return None if self.interval is None else self.interval.low

    @property
    def high(self) -> float | None:
        """The upper end."""
        return None if self.interval is None else self.interval.high

    @property
    def span(self) -> float:
        """The width of the possible range, which tells how many digits are worth reading."""
        return self.greatest - self.least

    @property
    def outside(self) -> bool:
        """Whether the estimate is below `least` or above `greatest`."""
        return bool(intervals.outside(self.estimate, self.least, self.greatest))

    @property
    def clipped(self) -> float | None:
        """The nearest possible number to the estimate, which is biased."""
        if self.estimate is None:
            return None
        return min(max(self.estimate, self.least), self.greatest)

    @property
    def narrow(self) -> bool:
        """Whether the interval, extended to the estimate, misleads; see `Interval.misleads`."""
        if self.interval is None:
            return False
        held = self.interval.reaching(self.estimate)
        return held.misleads(self.least, self.greatest, self.method)

    @property
    def is_divided_by_nothing(self) -> bool:
        """Whether it is a ratio whose divisor may be 0; see `analysis.intervals.quotients`."""
        return self.estimate is None and self.interval is not None

    @property
    def effective_n(self) -> float | None:
        """How many people, each drawn alone and counting alike, would tell as much."""
        return self.n / self.design_effect if self.n and self.design_effect else None


@dataclass(frozen=True)
class Share(Finding):
    """The estimated share of one answer.

    Parameters
    ----------
    observed : float or None
        Share of the reports that name this answer, with the noise. None also where the item's
        reports are not named after its answers.
    """

    answer: Answer
    observed: float | None = None

    @property
    def is_set(self) -> bool:
        """Whether weights fix it: they are made so that everybody together has this share."""
        # Of a sample of people, only a share of none or all has no error.
        if self.estimate is None or self.standard_error is None:
            return False
        return self.standard_error < _ROUNDING and _NONE < self.estimate < 1 - _NONE


@dataclass(frozen=True)
class Mean(Finding):
    """The estimated mean of a number, in its own units.

    It is the mean over people with a number: people who preferred not to say, or were not asked,
    are left out.

    Parameters
    ----------
    least, greatest : float
        The least and the greatest of the answers that are numbers.
    wide : bool
        Whether the interval is more than `deniable.analysis.intervals.WIDE` times as wide as
        Wald's. A sample of this size may have missed a few people with extreme numbers.
    """

    least: float
    greatest: float
    wide: bool = False

    answer: ClassVar[None] = None
    observed: ClassVar[None] = None


@dataclass(frozen=True, kw_only=True)
class Followed(Finding):
    """How many followed the instructions, by one control question; see `analysis.control`.

    `item`: of the control question. `known`: the known share of each of its truths. `n`: its
    reports.
    """

    item: Item
    known: tuple[float, ...]
    n: int


@dataclass(frozen=True, kw_only=True)
class Cell(Share):
    """The share of a pair of answers, among all people or among those with the first answer.

    `first`: the first answer; `answer` is the second.
    """

    first: Answer


@dataclass(frozen=True)
class Change(Finding):
    """The difference of a share or a mean between two waves: the later less the earlier.

    Its standard error is as if different people had answered in each wave: not too small for a
    panel whose answers persist.

    Parameters
    ----------
    since, wave : int
        The earlier wave and the later one.
    answer : Answer or None
        The answer whose share it is; None for the mean of a number.
    if_applies : bool
        Whether the share is among those to whom the question applies, and not among all people.
    comparisons : int
        How many changes hold together (Bonferroni), with this one, by interval and p-value.
    """

    since: int
    wave: int
    item: Item
    answer: Answer | None
    if_applies: bool = False
    comparisons: int = 1

    @property
    def waves(self) -> str:
        """The two waves, in words."""
        return f"{self.since} to {self.wave}"


@dataclass(frozen=True)
class Contrast(Finding):
    """The share of an answer in one group minus that in another; of means if `answer` is None."""

    first: Answer
    second: Answer
    answer: Answer | None


@dataclass(frozen=True, kw_only=True)
class Association(Finding):
    """A correlation of two items, or how many times as great a share is in a group as in another.

    `outside`: whether what it is computed from is impossible, or the correlation itself. `narrow`:
    whether a group's own interval misleads.
    """

    outside: bool = False
    narrow: bool = False


@dataclass(frozen=True, kw_only=True)
class GroupRatio(Association):
    """The share of an answer in one group over that in another, or the odds.

    `standard_error`: of its logarithm.
    """

    first: Answer
    second: Answer
    answer: Answer

    @property
    def groups(self) -> str:
        """The two groups, in words."""
        return f"{self.first.text} / {self.second.text}"


@dataclass(frozen=True, kw_only=True)
class Coefficient(Finding):
    """A coefficient of a regression.

    `answer`: "mean" for a number. `z`: the coefficient in standard errors. `is_log_odds`: whether
    its exponential is an odds ratio.
    """

    response: str
    answer: str
    term: str
    z: float | None
    is_log_odds: bool
    least: float = -math.inf
    greatest: float = math.inf

    @property
    def name(self) -> str:
        """The term, after the answer unless that is yes or a mean."""
        return self.term if self.answer in ("yes", "mean") else f"{self.answer}: {self.term}"

    @property
    def odds_ratio(self) -> float | None:
        """The odds ratio; None if the coefficient is no log odds."""
        if not self.is_log_odds or self.estimate is None:
            return None
        return _exp(self.estimate)

    @property
    def odds_interval(self) -> Interval | None:
        """The interval of the odds ratio; None if the coefficient is no log odds."""
        if not self.is_log_odds or self.interval is None:
            return None
        return Interval(*map(_exp, self.interval))


def _exp(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(value))


Found = TypeVar("Found", bound=Finding)


def findings_of(
    named: Iterable[Callable[..., Found]],
    estimate: npt.ArrayLike,
    standard_error: npt.ArrayLike,
    ends: npt.ArrayLike,
    **of_each: Any,
) -> tuple[Found, ...]:
    """Return the findings of arrays of estimates, in their order; what is nan is unknown.

    Parameters
    ----------
    named : iterable of callable
        Makes each finding from its numbers, such as ``partial(Share, answer)``.
    estimate, standard_error : array_like
    ends : array_like, shape (..., 2)
        Lower and upper ends of their intervals.
    **of_each
        Further numbers of the findings: an array, or one value for all of them.
    """
    made = [*named]
    names = ("estimate", "standard_error", *of_each)
    columns = (_spread(of, len(made)) for of in (estimate, standard_error, *of_each.values()))
    rows = zip(made, np.reshape(ends, (-1, 2)), zip(*columns, strict=True), strict=True)
    return tuple(
        make(interval=Interval.known(*both), **dict(zip(names, values, strict=True)))
        for make, both, values in rows
    )


def _spread(of: npt.ArrayLike | None, count: int) -> list[Any]:
    """Return the values of an array, or one value as often as there are findings; None for nan."""
    values: list[Any] = np.ravel(np.asarray(of)).tolist()
    known = [None if isinstance(one, float) and math.isnan(one) else one for one in values]
    return known * count if np.ndim(np.asarray(of)) == 0 else known
