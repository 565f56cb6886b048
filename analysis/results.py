"""Every estimate of a survey, in the order of its questions: what pages, files and figures show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.estimation import estimate
from deniable.analysis.tally import Tally
from deniable.survey import Answer, Item, Protection, Question, Survey


@dataclass(frozen=True)
class Share:
    """What is known of one answer's share; None where there are too few reports to know it.

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
    maximum_likelihood : float or None
        The answer's share in the most likely distribution; inside [0, 1].
    outside : bool
        Whether `estimate` is outside [0, 1].
    """

    answer: Answer
    observed: float | None = None
    estimate: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    maximum_likelihood: float | None = None
    outside: bool = False


@dataclass(frozen=True)
class ItemResults:
    """The shares of an item's answers.

    Parameters
    ----------
    item : Item
    n : int
        Number of respondents who were asked it.
    shares : tuple of Share
        In the order of the item's truths.
    """

    item: Item
    n: int
    shares: tuple[Share, ...]

    @property
    def direct(self) -> bool:
        """Whether it was asked directly, so that the shares are ordinary proportions."""
        return self.item.protection is Protection.DIRECT


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
        How the intervals were computed, one of `deniable.analysis.intervals.NAMES`.
    questions : tuple of QuestionResults
        In the order of the survey.
    """

    survey: Survey
    n: int
    level: float
    method: str
    questions: tuple[QuestionResults, ...]


def summarise(survey: Survey, tally: Tally, level: float = 0.95, method: str = "wilson") -> Results:
    """Estimate the share of every answer to every question.

    Parameters
    ----------
    survey : Survey
    tally : Tally
        Of this revision of the survey.
    level : float
        Of the intervals, between 0 and 1.
    method : {"wilson", "exact", "wald"}
        See `deniable.analysis.estimation.Estimate.interval`.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        If the tally is of another survey, the level or the method is none, or the shares of an
        item are not identifiable.
    """
    intervals.check_level(level)
    intervals.check_method(method)
    if tally.revision != survey.revision:
        raise ValueError(
            f"expected a tally of revision {survey.revision}, found one of {tally.revision}"
        )
    items = [
        ItemResults(item, int(counts.sum()), _shares(item, counts, level, method))
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


def _shares(
    item: Item, counts: npt.NDArray[np.int64], level: float, method: str
) -> tuple[Share, ...]:
    if not counts.any():
        return tuple(Share(answer) for answer in item.truths)
    result = estimate(counts, item.channel)
    observed = result.observed if item.reports == item.truths else None
    low, high = result.interval(level, method).T
    return tuple(
        Share(
            answer,
            observed=None if observed is None else _number(observed[truth]),
            estimate=_number(result.theta[truth]),
            standard_error=_number(result.standard_error[truth]),
            low=_number(low[truth]),
            high=_number(high[truth]),
            maximum_likelihood=_number(result.maximum_likelihood[truth]),
            outside=bool(result.outside[truth]),
        )
        for truth, answer in enumerate(item.truths)
    )


def _number(value: np.float64) -> float | None:
    """Return a Python number, which every template and file format knows, or None for nan."""
    return None if np.isnan(value) else float(value)
