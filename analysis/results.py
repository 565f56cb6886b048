"""Every estimate of a survey, in the order of its questions: what pages, files and figures show."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.analysis import intervals
from deniable.analysis.applicable import METHOD, applicable_shares
from deniable.analysis.estimation import estimate
from deniable.analysis.means import estimate_mean, mean_is_identifiable
from deniable.analysis.tally import Tally
from deniable.channel import identity
from deniable.survey import (
    NO_NUMBERS,
    Answer,
    Item,
    Protection,
    Question,
    QuestionType,
    Survey,
)


@dataclass(frozen=True)
class Share:
    """What is known of one answer's share; None where it is not known.

    There may be too few reports to know it, or the design may not tell it.

    Parameters
    ----------
    answer : Answer
    observed : float or None
        Share of the reports that name this answer, noise and all. None as well where the item's
        reports are not named after its answers.
    estimate : float or None
        Unbiased; may leave [0, 1].
    standard_error : float or None
        None with a single report.
    low, high : float or None
        Ends of the interval; may leave [0, 1].
    method : str or None
        The kind of interval.
    maximum_likelihood : float or None
        The answer's share in the most likely distribution; inside [0, 1].
    outside : bool
        Whether `estimate` is outside [0, 1].
    misses_range : bool
        Whether the whole interval is: evidence that the design was not followed.
    """

    answer: Answer
    observed: float | None = None
    estimate: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = None
    maximum_likelihood: float | None = None
    outside: bool = False
    misses_range: bool = False


@dataclass(frozen=True)
class Mean:
    """What is known of the mean of a number, in its own units; None where it is not known.

    It is that of the people who gave a number: who preferred not to say, or was not asked, is left
    out.

    Parameters
    ----------
    least, greatest : float
        Of the answers that are numbers.
    estimate : float or None
        May lie beyond these.
    standard_error : float or None
        None with a single report.
    low, high : float or None
        Ends of the interval; may lie beyond the answers.
    method : str or None
        The kind of interval.
    wide : bool
        Whether the interval is more than `deniable.analysis.intervals.WIDE` times as wide as
        Wald's. A sample of this size may have missed a few people whose numbers are far off.
    maximum_likelihood : float or None
        The mean of the most likely distribution. None as well where the shares of the answers are
        not identifiable.
    outside : bool
        Whether `estimate` is below `least` or above `greatest`.
    misses_range : bool
        Whether the whole interval is: evidence that the design was not followed.
    """

    least: float
    greatest: float
    estimate: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = None
    wide: bool = False
    maximum_likelihood: float | None = None
    outside: bool = False
    misses_range: bool = False

    @property
    def span(self) -> float:
        """How far the answers reach, which says how many digits of a mean are worth reading."""
        return self.greatest - self.least


@dataclass(frozen=True)
class ItemResults:
    """The shares of an item's answers, and the mean of a number.

    Parameters
    ----------
    item : Item
    n : int
        Number of respondents who were asked it.
    shares : tuple of Share
        In the order of the item's truths.
    mean : Mean or None
        None if the question is not of type `number`.
    applicable : tuple of Share
        The shares among those to whom the question applies, in the same order and without that of
        not applying; empty if it is asked of everybody, or the reports do not tell shares.
    """

    item: Item
    n: int
    shares: tuple[Share, ...]
    mean: Mean | None = None
    applicable: tuple[Share, ...] = ()

    @property
    def direct(self) -> bool:
        """Whether it was asked directly, so that the shares are ordinary proportions."""
        return self.item.protection is Protection.DIRECT

    @property
    def tells_shares(self) -> bool:
        """Whether reports tell the shares of the answers, and not only the mean of a number."""
        return self.item.channel.identifiable

    @property
    def methods(self) -> tuple[str, ...]:
        """The kinds of interval that its shares have, each once; empty without reports."""
        return _methods(self.shares)

    @property
    def applicable_methods(self) -> tuple[str, ...]:
        """The same of the shares among those to whom the question applies."""
        return _methods(self.applicable)


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
    survey : Survey
    n : int
        Number of respondents.
    level : float
        Of every interval by itself, between 0 and 1.
    method : str
        How the shares' intervals were to be computed, one of `deniable.analysis.intervals.NAMES`.
    questions : tuple of QuestionResults
        In the order of the survey.
    """

    survey: Survey
    n: int
    level: float
    method: str
    questions: tuple[QuestionResults, ...]


def summarise(
    survey: Survey, tally: Tally, level: float = 0.95, method: str = intervals.DEFAULT
) -> Results:
    """Estimate the share of every answer to every question, and the mean of every number.

    Parameters
    ----------
    survey : Survey
    tally : Tally
        Of this revision of the survey.
    level : float
        Of the intervals, between 0 and 1.
    method : str
        Of the shares' intervals, one of `deniable.analysis.intervals.NAMES`; see
        `deniable.analysis.estimation.Estimate.interval`. See
        `deniable.analysis.intervals.for_means` for those of means.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        If the tally is of another survey, or the level or the method is none.
    """
    intervals.check_level(level)
    intervals.check_method(method)
    if tally.revision != survey.revision:
        raise ValueError(
            f"expected a tally of revision {survey.revision}, found one of {tally.revision}"
        )
    items = [
        _item_results(survey.question(item.question), item, counts, level, method)
        for item, counts in zip(survey.items, tally.counts, strict=True)
    ]
    return Results(
        survey=survey,
        n=tally.n,
        level=level,
        method=method,
        questions=tuple(
            QuestionResults(
                question, tuple(result for result in items if result.item.question == question.id)
            )
            for question in survey.questions
        ),
    )


def _item_results(
    question: Question, item: Item, counts: npt.NDArray[np.int64], level: float, method: str
) -> ItemResults:
    """Estimate all that a question's item tells: of all respondents, and of those it applies to."""
    values = numbers(item) if question.type is QuestionType.NUMBER else None
    result = item_results(item, counts, level, method, values=values)
    return _among_applicable(question, result, counts, level, method) if question.ask_if else result


def _among_applicable(
    question: Question,
    result: ItemResults,
    counts: npt.NDArray[np.int64],
    level: float,
    method: str,
) -> ItemResults:
    """Add the shares among those to whom a question applies."""
    item, skipped = result.item, question.skipped
    if not result.tells_shares:
        return result
    answers = tuple(one for place, one in enumerate(item.truths) if place != skipped)
    if result.direct:
        # Who was asked is known, so that these are ordinary proportions among them.
        asked = replace(item, truths=answers, reports=answers, channel=identity(len(answers)))
        return replace(
            result, applicable=_shares(asked, np.delete(counts, skipped), level, method, None)
        )
    if not counts.any():
        return replace(result, applicable=tuple(Share(answer) for answer in answers))
    kind = method if method == intervals.ALWAYS_VALID else METHOD
    found = applicable_shares(counts, item.channel, skipped, level, kind)
    return replace(
        result,
        applicable=tuple(
            Share(
                answer,
                estimate=_number(found.share[truth]),
                standard_error=_number(found.standard_error[truth]),
                low=_number(found.low[truth]),
                high=_number(found.high[truth]),
                method=kind,
                maximum_likelihood=_number(found.maximum_likelihood[truth]),
                outside=bool(found.outside[truth]),
                misses_range=bool(found.misses_range[truth]),
            )
            for truth, answer in enumerate(item.truths)
            if truth != skipped
        ),
    )


def item_results(
    item: Item,
    counts: npt.NDArray[np.int64],
    level: float = 0.95,
    method: str = intervals.DEFAULT,
    *,
    values: npt.ArrayLike | None = None,
    population: int | None = None,
) -> ItemResults:
    """Estimate the shares of an item's answers, and the mean of their values.

    Parameters
    ----------
    item : Item
    counts : ndarray of int64, shape (reports,)
        How often each report came; all 0 if the item was never asked.
    level : float
        Of the intervals, between 0 and 1.
    method : str
        Of the shares' intervals, one of `deniable.analysis.intervals.NAMES`.
    values : array_like of float, shape (truths,), optional
        What each truth counts for, nan for one that is no number. Without them there is no mean.
    population : int, optional
        See `deniable.analysis.estimation.estimate`.

    Returns
    -------
    ItemResults

    Raises
    ------
    ValueError
        If the level, the method, the values or the population are none.
    """
    return ItemResults(
        item,
        int(counts.sum()),
        _shares(item, counts, level, method, population),
        None if values is None else _mean(item, counts, level, method, values, population),
    )


def numbers(item: Item) -> list[float]:
    """Return what each truth of a number counts for; nan for what is none."""
    return [
        math.nan if answer.code in NO_NUMBERS else float(exact.fraction(answer.code))
        for answer in item.truths
    ]


def _shares(
    item: Item,
    counts: npt.NDArray[np.int64],
    level: float,
    method: str,
    population: int | None,
) -> tuple[Share, ...]:
    if not counts.any():
        return tuple(Share(answer) for answer in item.truths)
    observed: list[float | None] = [None] * len(item.truths)
    if item.reports == item.truths:
        observed = (counts / counts.sum()).tolist()
    if not item.channel.identifiable:
        return tuple(
            Share(answer, observed=seen) for answer, seen in zip(item.truths, observed, strict=True)
        )
    result = estimate(counts, item.channel, population=population)
    ends = result.interval(level, method)
    methods = result.methods(method)
    low, high = ends.T
    misses = intervals.missed(ends)
    return tuple(
        Share(
            answer,
            observed=observed[truth],
            estimate=_number(result.theta[truth]),
            standard_error=_number(result.standard_error[truth]),
            low=_number(low[truth]),
            high=_number(high[truth]),
            method=methods[truth],
            maximum_likelihood=_number(result.maximum_likelihood[truth]),
            outside=bool(result.outside[truth]),
            misses_range=bool(misses[truth]),
        )
        for truth, answer in enumerate(item.truths)
    )


def _mean(
    item: Item,
    counts: npt.NDArray[np.int64],
    level: float,
    method: str,
    values: npt.ArrayLike,
    population: int | None,
) -> Mean:
    unknown = Mean(float(np.nanmin(values)), float(np.nanmax(values)))
    if not counts.any() or not mean_is_identifiable(item.channel, values):
        return unknown
    result = estimate_mean(counts, item.channel, values, population=population)
    kind = intervals.for_means(method)
    interval, wald = result.interval(level, kind), result.interval(level, "wald")
    return replace(
        unknown,
        estimate=_number(result.mean),
        standard_error=_number(result.standard_error),
        low=_number(interval.low),
        high=_number(interval.high),
        method=result.method if kind == intervals.DEFAULT else kind,
        wide=kind == intervals.DEFAULT
        and interval.high - interval.low > intervals.WIDE * (wald.high - wald.low),
        maximum_likelihood=_number(result.most_likely),
        outside=result.outside,
        misses_range=interval.misses_range,
    )


def _number(value: float | None) -> float | None:
    """Return a Python number, which every template and file format knows, or None for nan."""
    return None if value is None or math.isnan(value) else float(value)
