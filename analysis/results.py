"""Every estimate of a survey, in the order of its questions: what pages, files and figures show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.analysis import design_test, intervals
from deniable.analysis.control import Followed, followed
from deniable.analysis.counts.tally import Tally
from deniable.analysis.domain_shares import METHODS, applicable_shares
from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.likelihood import ProfileRefused
from deniable.analysis.means import estimate_mean, mean_is_identifiable
from deniable.analysis.numerics.convergence import ConvergenceError, where_certain
from deniable.analysis.numerics.levels import check_level
from deniable.analysis.privacy.disclosure import hidden_cells, mean_tells_cells
from deniable.channel import identity
from deniable.items import Item
from deniable.questions import NO_NUMBERS, Answer, Protection, Question
from deniable.survey import Survey


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
    method : str or None
        The kind of interval.
    maximum_likelihood : float or None
        The answer's share in the most likely distribution; inside [0, 1]. None as well where that
        could not be found for certain.
    outside : bool
        Whether `estimate` is outside [0, 1].
    p_value : float or None
        Of the test that the share is in [0, 1], by itself, if the design was followed; see
        `analysis.design_test`. It is no verdict: a survey has many shares (`verdict`). None
        where nothing is tested.
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
    p_value: float | None = None

    least: ClassVar[float] = 0.0
    greatest: ClassVar[float] = 1.0


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
        not identifiable, or could not be found for certain.
    outside : bool
        Whether `estimate` is below `least` or above `greatest`.
    p_value : float or None
        Of the test that it is between these, by itself, as for `Share`.
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
    p_value: float | None = None

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
    survey : Survey
    n : int
        Number of respondents.
    level : float
        Of every interval by itself, between 0 and 1.
    method : str
        How the shares' intervals were to be computed, one of `deniable.analysis.intervals.NAMES`.
    questions : tuple of QuestionResults
        In the order of the survey.
    followed : tuple of Followed
        What each control question says of how many followed the instructions.
    n_by_wave : mapping of int to int
        Respondents in each wave, if these are means over waves
        (`deniable.analysis.mean_of_waves`). Then `n` is the most of them.
    """

    survey: Survey
    n: int
    level: float
    method: str
    questions: tuple[QuestionResults, ...]
    followed: tuple[Followed, ...] = ()
    n_by_wave: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def verdict(self) -> Verdict:
        """Whether respondents can have followed the design, from the whole survey."""
        return verdict(item for question in self.questions for item in question.items)


@dataclass(frozen=True)
class Doubt:
    """A share or a mean that is further beyond what is possible than chance explains.

    Parameters
    ----------
    item : Item
    answer : Answer or None
        Whose share it is; None for the mean of a number.
    estimate : float
    least, greatest : float
        What is possible: 0 and 1 for a share.
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

    Returns
    -------
    Verdict

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


def summarise(
    survey: Survey,
    tally: Tally,
    level: float = 0.95,
    method: str = intervals.DEFAULT,
    *,
    least_cell: int = 1,
    only: str | None = None,
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
    least_cell : int
        People that a direct answer needs for its share to be shown; see
        `deniable.analysis.privacy.disclosure`. By default each is shown.
    only : str, optional
        The id of a question, if nothing else is wanted.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        If the tally is of another survey, or the level or the method is not valid.
    """
    check_level(level)
    intervals.check_method(method)
    if tally.revision != survey.revision:
        raise ValueError(
            f"expected a tally of revision {survey.revision}, found one of {tally.revision}"
        )
    items = [
        _without_small_cells(
            results_of(survey.question(item.question), item, counts, level, method),
            counts,
            least_cell,
        )
        for item, counts in zip(survey.items, tally.counts, strict=True)
        if only in (None, item.question)
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
            if only in (None, question.id)
        ),
        followed=tuple(
            followed(survey.question(item.question), item, counts, level, method, ends_or_why)
            for item, counts in zip(survey.items, tally.counts, strict=True)
            if survey.question(item.question).known and only in (None, item.question)
        ),
    )


def _without_small_cells(
    result: ItemResults, counts: npt.NDArray[np.int64], least: int
) -> ItemResults:
    """Take out the shares of direct answers that few people gave, and what would tell them."""
    if not result.direct:
        return result
    hidden = hidden_cells(counts, least)
    if not hidden.any():
        return result
    if result.mean is not None:
        # A mean with its standard error would tell two hidden cells, so it stands alone.
        hidden[:] = True
        if result.n < least or mean_tells_cells(numbers(result.item)):
            unknown = Mean(result.mean.least, result.mean.greatest)
            result = replace(result, mean=unknown)
    return replace(
        result,
        shares=tuple(
            Share(share.answer) if hide else share
            for share, hide in zip(result.shares, hidden, strict=True)
        ),
        applicable=tuple(Share(share.answer) for share in result.applicable),
        has_hidden=True,
    )


def results_of(
    question: Question,
    item: Item,
    counts: npt.NDArray[np.int64],
    level: float = 0.95,
    method: str = intervals.DEFAULT,
) -> ItemResults:
    """Estimate all that a question's item tells: of all respondents, and of those it applies to.

    Parameters
    ----------
    question : Question
    item : Item
        One of its.
    counts, level, method
        As for `item_results`.

    Returns
    -------
    ItemResults

    Raises
    ------
    ValueError
        As `item_results`.
    """
    values = numbers(item) if question.is_number else None
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
        shares, _ = _shares(asked, np.delete(counts, skipped), level, method, None)
        return replace(result, applicable=shares)
    if not counts.any():
        return replace(result, applicable=tuple(Share(answer) for answer in answers))
    kind = method if method in METHODS else METHODS[0]
    among = applicable_shares(counts, item.channel, skipped)
    ends = among.interval(level, kind)
    return replace(
        result,
        applicable=tuple(
            Share(
                answer,
                estimate=number_or_none(among.share[truth]),
                standard_error=number_or_none(among.standard_error[truth]),
                low=number_or_none(ends[truth, 0]),
                high=number_or_none(ends[truth, 1]),
                method=kind,
                maximum_likelihood=number_or_none(among.maximum_likelihood[truth]),
                outside=bool(among.outside[truth]),
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
        If the level, the method, the values or the population is not valid.
    """
    shares, no_interval = _shares(item, counts, level, method, population)
    return ItemResults(
        item,
        int(counts.sum()),
        shares,
        None if values is None else _mean(item, counts, level, method, values, population),
        no_interval=no_interval,
    )


def numbers(item: Item) -> list[float]:
    """Return what each truth of a number counts for; nan for an answer that is not a number."""
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
    if item.reports_name_truths:
        observed = (counts / counts.sum()).tolist()
    if not item.channel.identifiable:
        unknown = zip(item.truths, observed, strict=True)
        return tuple(Share(answer, observed=seen) for answer, seen in unknown), None
    result = estimate(counts, item.channel, population=population)
    methods = result.methods(method)
    ends, no_interval = ends_or_why(lambda: result.interval(level, method), len(item.truths))
    low, high = ends.T
    most_likely = _maximum_likelihood(result)
    alone = design_test.p_values_of_shares(counts, item.channel)
    shares = tuple(
        Share(
            answer,
            observed=observed[truth],
            estimate=number_or_none(result.theta[truth]),
            standard_error=number_or_none(result.standard_error[truth]),
            low=number_or_none(low[truth]),
            high=number_or_none(high[truth]),
            method=methods[truth],
            maximum_likelihood=number_or_none(most_likely[truth]),
            outside=bool(result.outside[truth]),
            p_value=float(alone[truth]),
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


def _maximum_likelihood(result: Estimate) -> npt.NDArray[np.float64]:
    """Return the most likely shares, nan where they are not certain."""
    found = where_certain(lambda: result.maximum_likelihood)
    return np.full(len(result.theta), math.nan) if found is None else found


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
    ends = where_certain(lambda: result.interval(level, kind))
    low, high = (math.nan, math.nan) if ends is None else ends
    return replace(
        unknown,
        estimate=number_or_none(result.mean),
        standard_error=number_or_none(result.standard_error),
        low=number_or_none(low),
        high=number_or_none(high),
        method=result.method if kind == intervals.DEFAULT else kind,
        wide=bool(
            kind == intervals.DEFAULT
            and high - low > intervals.WIDE * np.ptp(result.interval(level, "wald"))
        ),
        maximum_likelihood=number_or_none(where_certain(lambda: result.maximum_likelihood)),
        outside=result.outside,
        p_value=result.p_value,
    )


def number_or_none(value: float | None) -> float | None:
    """Return a Python number, which every template and file format knows, or None for nan."""
    return None if value is None or math.isnan(value) else float(value)
