"""What is found in a survey's reports: shares, means and their intervals, and what they say."""

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
"""The part of an interval that must be possible, for results not to say that it is narrow."""


_ROUNDING: Final = 1e-12
"""What sums of floating-point numbers may leave of a share; no interval tells so little apart."""


class Interval(NamedTuple):
    """A confidence interval; an end may be infinite."""

    low: float
    high: float

    @classmethod
    def known(cls, low: float, high: float) -> Interval | None:
        """Make an interval of Python numbers, or None of nan."""
        return None if math.isnan(low) or math.isnan(high) else cls(_end(low), _end(high))

    def reaching(self, estimate: float | None) -> Interval:
        """Return it as far as an estimate: of a ratio it may lie outside."""
        if estimate is None or math.isnan(estimate):
            return self
        return Interval(min(self.low, estimate), max(self.high, estimate))

    def misleads(self, least: float, greatest: float, method: str | None = None) -> bool:
        """Tell whether what of it is possible is narrow only because the rest is not possible.

        `method`: its kind. Feldman and Cousins's looks at what is possible, and does not mislead.
        """
        if method == intervals.OF_PROPORTION:
            return False
        low, high = max(self.low, least), min(self.high, greatest)
        whole = low == least and high == greatest
        return not whole and high - low < NARROW * (self.high - self.low)


def _end(value: float) -> float:
    """Return an end of an interval, without what rounding left of 0 or 1."""
    whole = round(value) if math.isfinite(value) else math.inf
    return float(whole) if whole in (0, 1) and abs(value - whole) < _ROUNDING else float(value)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """An estimate with its error and interval; each is None where it is not known.

    `estimate`: unbiased; may leave what is possible. `standard_error`: None with a single report.
    `interval`: may leave what is possible; that of a ratio does not. `method`: the kind of it.
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
        """The least and the greatest that is possible: those of a share."""
        return 0.0, 1.0

    @property
    def narrow(self) -> bool:
        """Whether its interval, as far as the estimate, misleads; see `Interval.misleads`."""
        if self.interval is None:
            return False
        return self.interval.reaching(self.estimate).misleads(*self.limits, self.method)

    @property
    def is_divided_by_nothing(self) -> bool:
        """Whether it is a ratio to what may be nothing; see `analysis.intervals.quotients`."""
        return self.estimate is None and self.interval is not None


@dataclass(frozen=True, kw_only=True)
class Bounded(Finding):
    """What is known of a share or a mean, which can only be between two numbers.

    There may be too few reports to know it, or the design may not tell it.

    `maximum_likelihood`: the same under the most likely distribution, always possible. None as well
    where the shares of the answers are not identifiable, or could not be found for certain.
    `outside`: whether `estimate` is below `least` or above `greatest`. `p_value`: of the test that
    it is between these, by itself, if the design was followed; see `analysis.design_test`. It is no
    verdict: a survey has many shares (`verdict`). None where nothing is tested. `design_effect`:
    the variance over that of as many people who count alike, each drawn by themselves; None where
    they are, and over waves.
    """

    maximum_likelihood: float | None = None
    outside: bool = False
    p_value: float | None = None
    design_effect: float | None = None


@dataclass(frozen=True)
class Share(Bounded):
    """What is known of one answer's share.

    Parameters
    ----------
    observed : float or None
        Share of the reports that name this answer, noise and all. None as well where the item's
        reports are not named after its answers.
    """

    answer: Answer
    observed: float | None = None

    least: ClassVar[float] = 0.0
    greatest: ClassVar[float] = 1.0


@dataclass(frozen=True)
class Mean(Bounded):
    """What is known of the mean of a number, in its own units.

    It is that of the people who gave a number: who preferred not to say, or was not asked, is left
    out.

    Parameters
    ----------
    least, greatest : float
        Of the answers that are numbers.
    wide : bool
        Whether the interval is more than `deniable.analysis.intervals.WIDE` times as wide as
        Wald's. A sample of this size may have missed a few people whose numbers are far off.
    """

    least: float
    greatest: float
    wide: bool = False

    @property
    def span(self) -> float:
        """How far the answers reach, which says how many digits of a mean are worth reading."""
        return self.greatest - self.least

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest that is possible."""
        return self.least, self.greatest


@dataclass(frozen=True)
class Followed(Finding):
    """How many followed the instructions, by one control question; see `analysis.control`.

    `item`: of the control question. `known`: the known share of each of its truths. `n`: reports to
    it.
    """

    item: Item
    known: tuple[float, ...]
    n: int

    @property
    def outside(self) -> bool:
        """Whether the estimate is not a share."""
        return self.estimate is not None and not 0 <= self.estimate <= 1


@dataclass(frozen=True)
class ItemResults:
    """The shares of an item's answers, and the mean of a number.

    Parameters
    ----------
    shares : tuple of Share
        In the order of the item's truths.
    mean : Mean or None
        None if the question is not of type `number`.
    applicable : tuple of Share
        The shares among those to whom the question applies, in the same order and without that of
        not applying; empty if it is asked of everybody, or the reports do not tell shares.
    no_interval : str or None
        Why the shares have estimates and no intervals; None where they have, or there are neither.
    has_hidden : bool
        Whether some shares of direct answers are not known because few people gave them.
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
        """Whether it was asked directly, so that the shares are ordinary proportions."""
        return self.item.protection is Protection.DIRECT

    @property
    def tells_shares(self) -> bool:
        """Whether reports tell the shares of the answers, and not only the mean of a number."""
        return self.item.channel.identifiable

    @property
    def unknown(self) -> str:
        """Why an estimate is not known, where one is not."""
        if self.has_hidden:
            return "hidden, to protect few people"
        return "not told by these reports" if self.n else "no reports yet"

    @property
    def methods(self) -> tuple[str, ...]:
        """The kinds of interval that its shares have, each once; empty without reports."""
        return _methods(self.shares)

    @property
    def applicable_methods(self) -> tuple[str, ...]:
        """The same of the shares among those to whom the question applies."""
        return _methods(self.applicable)

    @property
    def lacks_maximum_likelihood(self) -> bool:
        """Whether the shares have estimates, but the most likely ones could not be found."""
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
        How the shares' intervals were to be computed, one of `deniable.analysis.intervals.NAMES`.
    followed : tuple of Followed
        What each control question says of how many followed the instructions.
    n_by_wave : mapping of int to int
        Respondents in each wave, if these are means over waves
        (`deniable.analysis.mean_of_waves`). Then `n` is the most of them.
    margins : mapping of str to mapping of str to float
        What it is weighted to: of each question the part of the population with each answer.
    notes : mapping of str to sequence of str
        Of each question who was left out, or why it is not weighted.
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
        """Say what it is weighted to, who was left out, and what is not weighted."""
        if self.margins:
            yield f"Weighted by {' and '.join(self.margins)} to what the survey's file plans."
        for question, sentences in self.notes.items():
            yield from (f"{question}: {sentence}" for sentence in sentences)

    @cached_property
    def verdict(self) -> Verdict:
        """Whether respondents can have followed the design, from the whole survey."""
        return verdict(item for question in self.questions for item in question.items)


@dataclass(frozen=True)
class Doubt:
    """A share or a mean that is further beyond what is possible than chance explains.

    Parameters
    ----------
    answer : Answer or None
        Whose share it is; None for the mean of a number.
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
        How many shares and means were tested together.
    p_value : float
        If everybody follows the design, no more surveys than this part of them have any share or
        mean that is so unlikely: `tested` times the least p-value, at most 1.
    doubts : tuple of Doubt
        Those that chance does not explain, at `deniable.analysis.design_test.LEVEL` for all that
        were tested together: empty in at least 95 % of surveys in which everybody follows the
        design.
    """

    tested: int
    p_value: float
    doubts: tuple[Doubt, ...]

    def rejects(self, p_value: float | None) -> bool:
        """Say whether chance does not explain a share or a mean, from its own p-value."""
        return p_value is not None and max(self.tested, 1) * p_value <= 1 - design_test.LEVEL


def verdict(items: Iterable[ItemResults]) -> Verdict:
    """Test all that was estimated together, if respondents can have followed the design.

    Parameters
    ----------
    items : iterable of ItemResults
        All that belong to the survey: one that is left out is not tested, and those of several
        waves are one family.

    Notes
    -----
    Of two answers one share is tested, as the other is its complement. Direct items are not, whose
    shares are in [0, 1] whatever was answered, nor are the shares among those to whom a question
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
    """Yield what an item tells, each thing once."""
    if item.mean is not None:
        yield None, item.mean
    for share in item.shares[1:] if len(item.shares) == 2 else item.shares:
        yield share.answer, share
