"""Every estimate of a survey, in the order of its questions, for pages, files and figures.

`Results` holds the findings of its questions' items, `summarise` makes them of counts, and
`verdict` tells whether they agree with the design.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.analysis import design_test, intervals
from deniable.analysis.control import followed
from deniable.analysis.counts.tally import Tally
from deniable.analysis.estimation import estimate
from deniable.analysis.findings import Followed, Interval, Mean, Share, findings_of
from deniable.analysis.likelihood import ends_or_why
from deniable.analysis.means import (
    applicable_shares,
    ends_of,
    estimate_mean,
    kinds_of,
    mean_is_identifiable,
    share_difference,
    shares_of,
)
from deniable.analysis.numerics.convergence import where_certain
from deniable.analysis.numerics.levels import check_level
from deniable.analysis.privacy.disclosure import Shown, shown_answers
from deniable.analysis.privacy.same_mean import mean_tells_cells
from deniable.channel import identity
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import FIXED, NO_NUMBERS, Answer, Protection, Question


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
    hidden_below : int
        Below how many people shares of direct answers are suppressed; 0 if none are.
    difference : callable or None
        Gives the interval of one answer's share less another's, of the same people; see
        `deniable.analysis.means.share_difference`. None without reports, and over waves.
    """

    item: Item
    n: int
    shares: tuple[Share, ...]
    mean: Mean | None = None
    applicable: tuple[Share, ...] = ()
    no_interval: str | None = None
    hidden_below: int = 0
    difference: Callable[[Answer, Answer], Interval | None] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def direct(self) -> bool:
        """Whether the item was asked directly, so that the shares are ordinary proportions."""
        return self.item.protection is Protection.DIRECT

    @property
    def has_hidden(self) -> bool:
        """Whether some shares of direct answers are suppressed because few people gave them."""
        return self.hidden_below > 0

    @property
    def tells_shares(self) -> bool:
        """Whether reports tell the shares of the answers, not only the mean of a number."""
        return self.item.channel.identifiable

    @property
    def told_first(self) -> tuple[Share, ...]:
        """Its shares as they are told first: of those to whom it applies, if these are known."""
        return self.applicable if self.is_told_of_some else self.shares

    @property
    def is_told_of_some(self) -> bool:
        """Whether `told_first` are the shares among those to whom it applies."""
        return any(one.estimate is not None or one.interval for one in self.applicable)

    @cached_property
    def lead(self) -> Interval | None:
        """By how much the most frequent answer comes before the next; None if it is not known.

        Answers that every question may have, such as “Prefer not to say”, do not count. It is of
        all people: among those to whom the item applies the same answer comes first.
        """
        told = [one for one in self.shares if one.answer.code not in FIXED]
        order = sorted(told, key=lambda one: -math.inf if one.estimate is None else one.estimate)
        if self.difference is None or len(order) < 2 or order[-2].estimate is None:
            return None
        return self.difference(order[-1].answer, order[-2].answer)

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
    def findings(self) -> Iterator[Share | Mean]:
        """Every estimate of the item."""
        yield from (*self.shares, *self.applicable)
        if self.mean is not None:
            yield self.mean

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
    unweighted : str
        Why nothing is weighted although there are margins, in a sentence; else empty.
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
    unweighted: str = ""

    def changed(self, change: Callable[[ItemResults], ItemResults]) -> Results:
        """Return the same with other results of each item."""
        questions = (replace(one, items=tuple(map(change, one.items))) for one in self.questions)
        return replace(self, questions=tuple(questions))

    @property
    def said_of_weights(self) -> Iterator[str]:
        """Sentences on the margins, the people left out, and the unweighted questions."""
        if self.margins:
            yield f"Weighted by {' and '.join(self.margins)} to what the survey's file plans."
        if self.unweighted:
            yield f"Nothing is weighted: {self.unweighted}"
        of = dict[str, list[str]]()
        for question, sentences in self.notes.items():
            for sentence in sentences:
                of.setdefault(sentence, []).append(question)
        yield from (f"{', '.join(questions)}: {sentence}" for sentence, questions in of.items())

    @cached_property
    def verdict(self) -> Verdict:
        """Whether respondents can have followed the design, by the whole survey."""
        return verdict(item for question in self.questions for item in question.items)


@dataclass(frozen=True)
class Doubt:
    """A share or a mean further beyond the possible range than chance explains."""

    item: Item
    found: Share | Mean


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
        (item.item, one, one.p_value)
        for item in items
        if not item.direct
        for one in _tested(item)
        if one.p_value is not None
    ]
    least = min((alone for *_, alone in tests), default=1.0)
    found = Verdict(len(tests), min(1.0, max(len(tests), 1) * least), ())
    doubts = (Doubt(item, one) for item, one, alone in tests if found.rejects(alone))
    return replace(found, doubts=tuple(doubts))


def _tested(item: ItemResults) -> Iterator[Share | Mean]:
    """Yield the tested shares and the mean of an item; of two complementary shares only one."""
    if item.mean is not None:
        yield item.mean
    yield from item.shares[1:] if len(item.shares) == 2 else item.shares


def summarise(
    survey: Survey,
    tally: Tally,
    level: float = 0.95,
    method: str = intervals.DEFAULT,
    *,
    min_cell_size: int = 1,
    only: str | None = None,
) -> Results:
    """Estimate the share of every answer to every question, and the mean of every number.

    Parameters
    ----------
    tally : Tally
        Counts of this revision of the survey.
    method : str
        Kind of the shares' intervals, one of `deniable.analysis.intervals.NAMES`; see
        `deniable.analysis.estimation.Estimate.interval`. `deniable.analysis.intervals.for_means`
        gives that of means. Or `deniable.analysis.intervals.ALWAYS_VALID`, for a running survey.
    min_cell_size : int
        Least number of people with a direct answer for its share to be published; see
        `deniable.analysis.privacy.disclosure`. By default all are published.
    only : str, optional
        The id of the only question to estimate.
    """
    check_level(level)
    if method != intervals.ALWAYS_VALID:
        intervals.check_method(method)
    if tally.revision != survey.revision:
        raise ValueError(
            f"expected a tally of revision {survey.revision}, found one of {tally.revision}"
        )
    told = shown_answers(survey, tally.counts, min_cell_size)
    items = [
        _without_small_cells(
            results_of(survey.question(item.question), item, shown.counts, level, method), shown
        )
        for item, shown in zip(survey.items, told, strict=True)
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
            followed(survey.question(item.question), item, counts, level, method)
            for item, counts in zip(survey.items, tally.counts, strict=True)
            if survey.question(item.question).known and only in (None, item.question)
        ),
    )


def _without_small_cells(result: ItemResults, shown: Shown) -> ItemResults:
    """Remove the shares of suppressed direct answers, and every estimate that would reveal them."""
    hidden = shown.hidden
    if not hidden.any():
        return result
    if result.mean is not None and (
        # Beside shares, the mean and its standard error would reveal suppressed cells.
        shown.untold
        or result.n < shown.least
        or mean_tells_cells(numbers(result.item), shown.counts, shown.least, shown.told)
    ):
        result = replace(result, mean=Mean(result.mean.least, result.mean.greatest))
    return replace(
        result,
        shares=tuple(
            Share(share.answer) if hide else share
            for share, hide in zip(result.shares, hidden, strict=True)
        ),
        applicable=tuple(Share(share.answer) for share in result.applicable),
        hidden_below=shown.least,
    )


def results_of(
    question: Question,
    item: Item,
    counts: npt.NDArray[np.int64],
    level: float = 0.95,
    method: str = intervals.DEFAULT,
) -> ItemResults:
    """Return all estimates of an item, over all respondents and over those it applies to."""
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
    """Return results with the shares among people to whom a question applies."""
    item, skipped = result.item, question.skipped
    if not result.tells_shares:
        return result
    answers = tuple(one for place, one in enumerate(item.truths) if place != skipped)
    if result.direct:
        # It is known who was asked, so these are ordinary proportions.
        asked = replace(item, truths=answers, reports=answers, channel=identity(len(answers)))
        shares, _ = _estimate_shares(asked, np.delete(counts, skipped), level, method)
        return replace(result, applicable=shares)
    if not counts.any():
        return replace(result, applicable=tuple(Share(answer) for answer in answers))
    among = applicable_shares(counts, item.channel, skipped)
    likely = where_certain(lambda: among.maximum_likelihood)
    kind = intervals.for_means(method)
    shares = shares_of(answers, among, level, kind, n=result.n, maximum_likelihood=likely)
    return replace(result, applicable=shares)


def item_results(
    item: Item,
    counts: npt.NDArray[np.int64],
    level: float = 0.95,
    method: str = intervals.DEFAULT,
    *,
    values: npt.ArrayLike | None = None,
) -> ItemResults:
    """Return the estimated shares of an item's answers, and the mean of their values."""
    shares, no_interval = _estimate_shares(item, counts, level, method)
    return ItemResults(
        item,
        int(counts.sum()),
        shares,
        None if values is None else _mean(item, counts, level, method, values),
        no_interval=no_interval,
        difference=partial(
            share_difference, item, partial(estimate_mean, counts, item.channel), level, method
        )
        if counts.any()
        else None,
    )


def numbers(item: Item) -> list[float]:
    """Return the value of each truth of a number; nan for an answer that is not a number."""
    return [
        math.nan if answer.code in NO_NUMBERS else float(exact.fraction(answer.code))
        for answer in item.truths
    ]


def _estimate_shares(
    item: Item,
    counts: npt.NDArray[np.int64],
    level: float,
    method: str,
) -> tuple[tuple[Share, ...], str | None]:
    """Return the estimated shares, and why they have no intervals, if there are estimates."""
    if not counts.any():
        return tuple(Share(answer) for answer in item.truths), None
    observed: list[float | None] = [None] * len(item.truths)
    if item.reports_name_truths:
        observed = (counts / counts.sum()).tolist()
    if not item.channel.identifiable:
        return tuple(map(Share, item.truths, observed)), None
    result = estimate(counts, item.channel)
    ends, no_interval = ends_or_why(lambda: ends_of(result, level, method), len(item.truths))
    shares = shares_of(
        item.truths,
        result,
        level,
        method,
        ends,
        maximum_likelihood=where_certain(lambda: result.maximum_likelihood),
        p_value=result.p_value_of_design,
        observed=observed,
        n=result.n,
    )
    return shares, no_interval


def _mean(
    item: Item,
    counts: npt.NDArray[np.int64],
    level: float,
    method: str,
    values: npt.ArrayLike,
) -> Mean:
    unknown = Mean(float(np.nanmin(values)), float(np.nanmax(values)))
    if not counts.any() or not mean_is_identifiable(item.channel, values):
        return unknown
    result = estimate_mean(counts, item.channel, values)
    kind = intervals.for_means(method)
    ends = where_certain(lambda: ends_of(result, level, kind))
    low, high = (math.nan, math.nan) if ends is None else ends
    return findings_of(
        [partial(replace, unknown)],
        result.theta,
        result.standard_error,
        (low, high),
        method=kinds_of(result, kind),
        wide=bool(
            kind != intervals.ALWAYS_VALID
            and high - low > intervals.WIDE * np.ptp(result.interval(level, "wald"))
        ),
        maximum_likelihood=where_certain(lambda: result.maximum_likelihood),
        p_value=result.p_value_of_design,
        n=result.n,
    )[0]
