"""What a survey's reports show: shares, means, their intervals and the verdict on the design."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Final, NamedTuple

from deniable.analysis import design_test, intervals
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Answer, Protection, Question

NARROW: Final = 1 / 3
"""Least possible part of an interval; with less, results call the interval misleadingly narrow."""


_ROUNDING: Final = 1e-12
"""Rounding error of a share as a floating-point sum; far below the precision of any interval."""


class Interval(NamedTuple):
    """A confidence interval; an end may be infinite."""

    low: float
    high: float

    @classmethod
    def known(cls, low: float, high: float) -> Interval | None:
        """Return an interval of Python floats, or None if an end is nan."""
        return None if math.isnan(low) or math.isnan(high) else cls(_end(low), _end(high))

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


def _end(value: float) -> float:
    """Return an end of an interval, rounded to 0 or 1 if only rounding separates them."""
    whole = round(value) if math.isfinite(value) else math.inf
    return float(whole) if whole in (0, 1) and abs(value - whole) < _ROUNDING else float(value)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """An estimate with its error and interval; each is None if unknown.

    `estimate`: unbiased; may leave the possible range. `standard_error`: None for a single report.
    `interval`: may leave the possible range, except for a ratio. `method`: the kind of interval.
    """

    estimate: float | None = None
    standard_error: float | None = None
    interval: Interval | None = None
    method: str | None = None

    @property
    def low(self) -> float | None:
        """The lower end."""
        return None if self.interval is None else self.interval.low

    @property
    def high(self) -> float | None:
        """The upper end."""
        return None if self.interval is None else self.interval.high

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest possible value: 0 and 1 for a share."""
        return 0.0, 1.0

    @property
    def narrow(self) -> bool:
        """Whether the interval, extended to the estimate, misleads; see `Interval.misleads`."""
        if self.interval is None:
            return False
        return self.interval.reaching(self.estimate).misleads(*self.limits, self.method)

    @property
    def is_divided_by_nothing(self) -> bool:
        """Whether it is a ratio whose divisor may be 0; see `analysis.intervals.quotients`."""
        return self.estimate is None and self.interval is not None


@dataclass(frozen=True, kw_only=True)
class Bounded(Finding):
    """An estimated share or mean, which can only be between two numbers.

    It may be unknown: too few reports, or a design that does not tell it.

    `maximum_likelihood`: its value under the most likely distribution, always possible. None also
    where the shares of the answers are not identifiable, or no certified maximum was found.
    `outside`: whether `estimate` is below `least` or above `greatest`. `p_value`: of the single
    test that it is between these if respondents followed the design; see `analysis.design_test`. It
    is no verdict: a survey has many shares (`verdict`). None if not tested. `design_effect`: the
    variance relative to a simple random sample of as many people with equal weights; None in such a
    sample, and over waves.
    """

    maximum_likelihood: float | None = None
    outside: bool = False
    p_value: float | None = None
    design_effect: float | None = None


@dataclass(frozen=True)
class Share(Bounded):
    """The estimated share of one answer.

    Parameters
    ----------
    observed : float or None
        Share of the reports that name this answer, with the noise. None also where the item's
        reports are not named after its answers.
    """

    answer: Answer
    observed: float | None = None

    least: ClassVar[float] = 0.0
    greatest: ClassVar[float] = 1.0


@dataclass(frozen=True)
class Mean(Bounded):
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

    @property
    def span(self) -> float:
        """The range of the answers, which tells how many digits of a mean are worth reading."""
        return self.greatest - self.least

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest possible value."""
        return self.least, self.greatest


@dataclass(frozen=True)
class Followed(Finding):
    """How many followed the instructions, by one control question; see `analysis.control`.

    `item`: of the control question. `known`: the known share of each of its truths. `n`: its
    reports.
    """

    item: Item
    known: tuple[float, ...]
    n: int

    @property
    def outside(self) -> bool:
        """Whether the estimate is below 0 or above 1."""
        return self.estimate is not None and not 0 <= self.estimate <= 1


@dataclass(frozen=True)
class ItemResults:
    """The shares of an item's answers, and its mean if it is a number.

    Parameters
    ----------
    shares : tuple of Share
        In the order of the item's truths.
    mean : Mean or None
        None if the question is not of type `number`.
    applicable : tuple of Share
        The shares among people to whom the question applies, in the same order without the truth of
        not applying; empty if it applies to everybody, or the reports do not tell shares.
    no_interval : str or None
        Why the shares have estimates but no intervals; None if they have both or neither.
    has_hidden : bool
        Whether some shares of direct answers are suppressed because few people gave them.
    """

    item: Item
    n: int
    shares: tuple[Share, ...]
    mean: Mean | None = None
    applicable: tuple[Share, ...] = ()
    no_interval: str | None = None
    has_hidden: bool = False

    @property
    def direct(self) -> bool:
        """Whether the item was asked directly, so that the shares are ordinary proportions."""
        return self.item.protection is Protection.DIRECT

    @property
    def tells_shares(self) -> bool:
        """Whether reports tell the shares of the answers, not only the mean of a number."""
        return self.item.channel.identifiable

    @property
    def unknown(self) -> str:
        """Why an estimate is missing, if one is."""
        if self.has_hidden:
            return "hidden, to protect few people"
        return "not told by these reports" if self.n else "no reports yet"

    @property
    def methods(self) -> tuple[str, ...]:
        """The kinds of interval of its shares, each once; empty without reports."""
        return _methods(self.shares)

    @property
    def applicable_methods(self) -> tuple[str, ...]:
        """The kinds of interval of the shares among people to whom the question applies."""
        return _methods(self.applicable)

    @property
    def lacks_maximum_likelihood(self) -> bool:
        """Whether the shares have estimates, but no certified maximum-likelihood estimates."""
        return any(
            share.estimate is not None and share.maximum_likelihood is None for share in self.shares
        )


def _methods(shares: tuple[Share, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(share.method for share in shares if share.method is not None))


@dataclass(frozen=True)
class QuestionResults:
    """A question and the results of its items, in order."""

    question: Question
    items: tuple[ItemResults, ...]


@dataclass(frozen=True)
class Results:
    """Every estimate of a survey. Made by `summarise`.

    Parameters
    ----------
    method : str
        The requested kind of the shares' intervals, one of `deniable.analysis.intervals.NAMES`.
    followed : tuple of Followed
        The estimate from each control question.
    n_by_wave : mapping of int to int
        Respondents in each wave, if these are means over waves (`deniable.analysis.mean_of_waves`).
        Then `n` is the largest of these.
    margins : mapping of str to mapping of str to float
        Margins of the weights: for each question, the part of the population with each answer.
    notes : mapping of str to sequence of str
        For each question, who was left out, or why it is not weighted.
    """

    survey: Survey
    n: int
    level: float
    method: str
    questions: tuple[QuestionResults, ...]
    followed: tuple[Followed, ...] = ()
    n_by_wave: Mapping[int, int] = field(default_factory=dict)
    margins: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def said_of_weights(self) -> Iterator[str]:
        """Sentences on the margins, the people left out, and the unweighted questions."""
        if self.margins:
            yield f"Weighted by {' and '.join(self.margins)} to what the survey's file plans."
        for question, sentences in self.notes.items():
            yield from (f"{question}: {sentence}" for sentence in sentences)

    @cached_property
    def verdict(self) -> Verdict:
        """Whether respondents can have followed the design, by the whole survey."""
        return verdict(item for question in self.questions for item in question.items)


@dataclass(frozen=True)
class Doubt:
    """A share or a mean further beyond the possible range than chance explains.

    Parameters
    ----------
    answer : Answer or None
        The answer whose share it is; None for the mean of a number.
    """

    item: Item
    answer: Answer | None
    estimate: float
    least: float
    greatest: float


@dataclass(frozen=True)
class Verdict:
    """Whether respondents can have followed the design. Made by `verdict`.

    Parameters
    ----------
    tested : int
        Number of shares and means in the joint test.
    p_value : float
        If everybody follows the design, at most this part of surveys has any share or mean so
        unlikely: `tested` times the least p-value, at most 1.
    doubts : tuple of Doubt
        The shares and means that chance does not explain, at `deniable.analysis.design_test.LEVEL`
        for the joint test: empty in at least 95 % of surveys in which everybody follows the design.
    """

    tested: int
    p_value: float
    doubts: tuple[Doubt, ...]

    def rejects(self, p_value: float | None) -> bool:
        """Return whether chance fails to explain a share or a mean with this p-value."""
        return p_value is not None and max(self.tested, 1) * p_value <= 1 - design_test.LEVEL


def verdict(items: Iterable[ItemResults]) -> Verdict:
    """Test whether respondents can have followed the design, by all estimates together.

    Parameters
    ----------
    items : iterable of ItemResults
        All items of the survey: an omitted item is not tested, and the items of several waves are
        one family.

    Notes
    -----
    With two answers one share is tested, as the other is its complement. Direct items are not
    tested: their shares are always in [0, 1]. Nor are the shares among people to whom a question
    applies: they leave [0, 1] where one of the shares among all does.
    """
    tests = [
        (item.item, answer, one, one.p_value)
        for item in items
        if not item.direct
        for answer, one in _told(item)
        if one.p_value is not None
    ]
    least = min((alone for *_, alone in tests), default=1.0)
    found = Verdict(len(tests), min(1.0, max(len(tests), 1) * least), ())
    return replace(
        found,
        doubts=tuple(
            Doubt(item, answer, one.estimate, one.least, one.greatest)
            for item, answer, one, alone in tests
            if one.estimate is not None and found.rejects(alone)
        ),
    )


def _told(item: ItemResults) -> Iterator[tuple[Answer | None, Share | Mean]]:
    """Yield the tested shares and the mean of an item; of two complementary shares only one."""
    if item.mean is not None:
        yield None, item.mean
    for share in item.shares[1:] if len(item.shares) == 2 else item.shares:
        yield share.answer, share
