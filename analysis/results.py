"""Every estimate of a survey, in the order of its questions: what pages, files and figures show."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.analysis import intervals
from deniable.analysis.applicable import METHOD, applicable_shares
from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.estimator import least_variance
from deniable.analysis.likelihood import ProfileRefused
from deniable.analysis.means import estimate_mean, mean_is_identifiable
from deniable.analysis.numerics.convergence import ConvergenceError, where_certain
from deniable.analysis.tally import Tally
from deniable.channel import Channel, identity
from deniable.survey import (
    NO_NUMBERS,
    Answer,
    Item,
    Protection,
    Question,
    QuestionType,
    Survey,
)

MEAN_METHOD: Final = "wald"
"""The interval of a mean, whichever is asked for: those of a share are for proportions."""


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
        Ends of the interval; may leave [0, 1]. None as well where `ItemResults.no_interval`.
    maximum_likelihood : float or None
        The answer's share in the most likely distribution; inside [0, 1]. None as well where that
        could not be found for certain.
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
        Ends of the interval, of the kind `MEAN_METHOD`; may lie beyond the answers.
    maximum_likelihood : float or None
        The mean of the most likely distribution. None as well where the shares of the answers are
        not identifiable, or could not be found for certain.
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
    method : str
        Of the shares' intervals.
    mean : Mean or None
        None if the question is not of type `number`.
    applicable : tuple of Share
        The shares among those to whom the question applies, in the same order and without that of
        not applying; empty if it is asked of everybody, or the reports do not tell shares.
    applicable_method : str
        Of their intervals: `deniable.analysis.applicable.METHOD`, or `method` where it is asked
        directly.
    no_interval : str or None
        Why the shares have estimates and no intervals; None where they have, or there are neither.
    """

    item: Item
    n: int
    shares: tuple[Share, ...]
    method: str
    mean: Mean | None = None
    applicable: tuple[Share, ...] = ()
    applicable_method: str = METHOD
    no_interval: str | None = None

    @property
    def direct(self) -> bool:
        """Whether it was asked directly, so that the shares are ordinary proportions."""
        return self.item.protection is Protection.DIRECT

    @property
    def tells_shares(self) -> bool:
        """Whether reports tell the shares of the answers, and not only the mean of a number."""
        return self.item.channel.identifiable

    @property
    def lacks_likeliest(self) -> bool:
        """Whether the shares have estimates, but the most likely ones could not be found."""
        return any(
            share.estimate is not None and share.maximum_likelihood is None for share in self.shares
        )


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
        How the shares' intervals were to be computed, one of `deniable.analysis.intervals.NAMES`;
        see `item_results` for where they were computed otherwise.
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
        `deniable.analysis.estimation.Estimate.interval`. Those of means are of `MEAN_METHOD`.

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
    return _among_applicable(question, result, counts, level) if question.ask_if else result


def _among_applicable(
    question: Question, result: ItemResults, counts: npt.NDArray[np.int64], level: float
) -> ItemResults:
    """Add the shares among those to whom a question applies."""
    item, skipped = result.item, question.skipped
    if not result.tells_shares:
        return result
    answers = tuple(one for place, one in enumerate(item.truths) if place != skipped)
    if result.direct:
        # Who was asked is known, so that these are ordinary proportions among them.
        asked = replace(item, truths=answers, reports=answers, channel=identity(len(answers)))
        shares, _ = _shares(asked, np.delete(counts, skipped), level, result.method, None)
        return replace(result, applicable=shares, applicable_method=result.method)
    if not counts.any():
        return replace(result, applicable=tuple(Share(answer) for answer in answers))
    found = applicable_shares(counts, item.channel, skipped, level)
    return replace(
        result,
        applicable=tuple(
            Share(
                answer,
                estimate=_number(found.share[truth]),
                standard_error=_number(found.standard_error[truth]),
                low=_number(found.low[truth]),
                high=_number(found.high[truth]),
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
        Of the shares' intervals, one of `deniable.analysis.intervals.NAMES`. The default is for
        shares that are a matter of one proportion each; for others it is replaced by Wald's
        interval, as theirs by Blaker's method are much wider than they must be.
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
    if method == intervals.DEFAULT and not _is_by_proportions(item.channel):
        method = "wald"
    shares, no_interval = _shares(item, counts, level, method, population)
    return ItemResults(
        item,
        int(counts.sum()),
        shares,
        method,
        None if values is None else _mean(item, counts, level, values, population),
        no_interval=no_interval,
    )


@lru_cache(maxsize=1024)
def _is_by_proportions(channel: Channel) -> bool:
    if not channel.identifiable:
        return True
    return intervals.is_by_proportions(
        least_variance(channel)[:, channel.probabilities.any(axis=0)]
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
) -> tuple[tuple[Share, ...], str | None]:
    """Estimate the shares; say as well why they have no intervals, where they have none."""
    if not counts.any():
        return tuple(Share(answer) for answer in item.truths), None
    observed: list[float | None] = [None] * len(item.truths)
    if item.reports == item.truths:
        observed = (counts / counts.sum()).tolist()
    if not item.channel.identifiable:
        unknown = zip(item.truths, observed, strict=True)
        return tuple(Share(answer, observed=seen) for answer, seen in unknown), None
    result = estimate(counts, item.channel, population=population)
    ends, no_interval = ends_or_why(lambda: result.interval(level, method), len(item.truths))
    low, high = ends.T
    likeliest = _likeliest(result)
    misses = intervals.missed(ends)
    shares = tuple(
        Share(
            answer,
            observed=observed[truth],
            estimate=_number(result.theta[truth]),
            standard_error=_number(result.standard_error[truth]),
            low=_number(low[truth]),
            high=_number(high[truth]),
            maximum_likelihood=_number(likeliest[truth]),
            outside=bool(result.outside[truth]),
            misses_range=bool(misses[truth]),
        )
        for truth, answer in enumerate(item.truths)
    )
    return shares, no_interval


def ends_or_why(
    interval: Callable[[], npt.NDArray[np.float64]], truths: int
) -> tuple[npt.NDArray[np.float64], str | None]:
    """Return the ends of some intervals, or nan and why there are none.

    Parameters
    ----------
    interval : callable
        Computes the ends, shape (truths, 2).
    truths : int

    Returns
    -------
    ends : ndarray, shape (truths, 2)
    why : str or None
        None where there are intervals. One item's lack of them is no reason to lose those of all
        others.
    """
    try:
        return interval(), None
    except (ConvergenceError, ProfileRefused) as reason:
        return np.full((truths, 2), math.nan), str(reason)


def _likeliest(result: Estimate) -> npt.NDArray[np.float64]:
    """Return the most likely shares, nan where they are not certain."""
    found = where_certain(lambda: result.maximum_likelihood)
    return np.full(len(result.theta), math.nan) if found is None else found


def _mean(
    item: Item,
    counts: npt.NDArray[np.int64],
    level: float,
    values: npt.ArrayLike,
    population: int | None,
) -> Mean:
    unknown = Mean(float(np.nanmin(values)), float(np.nanmax(values)))
    if not counts.any() or not mean_is_identifiable(item.channel, values):
        return unknown
    result = estimate_mean(counts, item.channel, values, population=population)
    interval = result.interval(level, MEAN_METHOD)
    return replace(
        unknown,
        estimate=_number(result.mean),
        standard_error=_number(result.standard_error),
        low=_number(interval.low),
        high=_number(interval.high),
        maximum_likelihood=_number(where_certain(lambda: result.most_likely)),
        outside=result.outside,
        misses_range=interval.misses_range,
    )


def _number(value: float | None) -> float | None:
    """Return a Python number, which every template and file format knows, or None for nan."""
    return None if value is None or math.isnan(value) else float(value)
