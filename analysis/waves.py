r"""Estimates of a survey with waves: wave by wave, and the changes between waves.

The reports of one person in two waves share the noisy answers that the device keeps, and nothing on
a report links them. So the change is estimated as the difference of two shares, and its variance by
the sum of their variances, as if different people had answered in each wave.

That is conservative for a panel. Write :math:`g` for what a report contributes to an estimate.
Given the truths and the noisy answers that a device keeps, its reports are independent. If the
answer stays the same, so does their conditional expectation :math:`m(B)`, hence

.. math:: Cov(g(R_s), g(R_t)) = Var(m(B)) \ge 0, \quad m(b) = E[g(R) | B = b],

and ignoring it overestimates the variance of the change by twice that over n. If the answer
changes, the two reports are drawn from independent noisy answers, and the covariance over people is
that of the truths alone. It is below 0 only where people who gave an answer before tend not to give
it later, more than by chance. The same holds to the first order for a ratio, such as a share among
those to whom a question applies: there g is the ratio's linear contribution.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.counts.tally import Tally
from deniable.analysis.estimated import Group
from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.findings import Change, findings_of
from deniable.analysis.joint.groups import Difference, held_together, less
from deniable.analysis.likelihood import ends_or_why
from deniable.analysis.means import estimate_mean, mean_is_identifiable
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.results import Results, Verdict, numbers, summarise, verdict
from deniable.channel import Channel
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Answer, Question

if TYPE_CHECKING:
    from deniable.analysis.sampling.of_items import SampledReports


@dataclass(frozen=True)
class Waves:
    """Every estimate of a survey, by wave. Made by `summarise_waves`.

    Parameters
    ----------
    method : str
        The requested kind of intervals, as for `deniable.analysis.results.Results`.
    waves : tuple of int
        The waves with reports, ascending.
    results : tuple of Results
        Results of each of these waves.
    changes : tuple of Change
        Changes from each of these waves to the next.
    comparisons : tuple of int
        How many of these hold together, as `told_together` counts them.
    """

    survey: Survey
    level: float
    method: str
    waves: tuple[int, ...]
    results: tuple[Results, ...]
    changes: tuple[Change, ...]
    comparisons: tuple[int, int]

    @property
    def n_by_wave(self) -> dict[int, int]:
        """Number of reports in each wave."""
        return {wave: one.n for wave, one in zip(self.waves, self.results, strict=True)}

    def of(self, wave: int) -> Results | None:
        """Return the estimates of a wave; None if it has no reports."""
        return dict(zip(self.waves, self.results, strict=True)).get(wave)

    @property
    def n(self) -> int:
        """Number of reports, over all waves."""
        return sum(one.n for one in self.results)

    @property
    def fixed(self) -> list[Item]:
        """Items that have no change, because weights set all of their shares in each wave."""
        always = set.intersection(*map(_fixed, self.results))
        items = (one.item for each in self.results[0].questions for one in each.items)
        return [one for one in items if all((one.id, truth) in always for truth in one.truths)]

    @cached_property
    def verdict(self) -> Verdict:
        """Whether respondents can have followed the design, by all waves together."""
        return verdict(
            item for one in self.results for question in one.questions for item in question.items
        )


@dataclass(frozen=True, eq=False)
class CountedReports:
    """Reports of people with equal weights: the count of each of the channel's reports."""

    channel: Channel
    counts: npt.NDArray[np.int64]

    @property
    def n(self) -> int:
        """Number of reports."""
        return int(self.counts.sum())

    def shares(self) -> Group:
        """Estimate the share of each truth."""
        return estimate(self.counts, self.channel)

    def mean(self, values: Sequence[float]) -> Group:
        """Estimate the mean of the truths' values."""
        return estimate_mean(self.counts, self.channel, values).part(0)


ItemReports: TypeAlias = "CountedReports | SampledReports"
"""The reports of a wave on an item."""


def no_reports(item: Item) -> ItemReports:
    """Return the reports on an item before anybody sent one."""
    return CountedReports(item.channel, np.zeros(item.channel.reports, dtype=np.int64))


def summarise_waves(
    survey: Survey,
    tallies: dict[int, Tally],
    level: float = 0.95,
    method: str = intervals.DEFAULT,
    *,
    min_cell_size: int = 1,
    only: str | None = None,
) -> Waves:
    """Estimate everything in each wave, and the changes to the next wave with reports.

    Parameters
    ----------
    tallies : dict of (int: Tally)
        From `deniable.analysis.counts.tally.count_waves`.
    method : str
        One of `deniable.analysis.intervals.NAMES`: changes have no always-valid intervals. The
        interval of a change combines those of its two shares (Newcombe's method, see
        `deniable.analysis.joint.groups.Difference.interval`).
    min_cell_size, only
        See `deniable.analysis.results.summarise`. A change from or to a suppressed share is
        suppressed too.
    """
    results = {
        wave: summarise(survey, tally, level, method, min_cell_size=min_cell_size, only=only)
        for wave, tally in tallies.items()
    }
    return waves_of(survey, results, partial(reports_in, survey, tallies), level, method)


def reports_in(
    survey: Survey, tallies: Mapping[int, Tally], wave: int, item: Item
) -> CountedReports:
    """Return the reports of a wave on an item."""
    return CountedReports(item.channel, tallies[wave].counts[survey.items.index(item)])


def waves_of(
    survey: Survey,
    results: Mapping[int, Results],
    reports: Callable[[int, Item], ItemReports],
    level: float,
    method: str,
) -> Waves:
    """Return the estimates of each wave with the changes to the next."""
    waves = tuple(results)
    hidden = {wave: _hidden(each) for wave, each in results.items()}
    # Weights fix these in both waves, so their change is no finding.
    fixed = {wave: _fixed(each) for wave, each in results.items()}
    always = set.intersection(*fixed.values()) if fixed else ()
    comparisons = told_together(survey, len(waves) - 1, always)
    changes = [
        Change(since, wave, item, one.answer, one.if_applies)
        if (item.id, one.answer, one.if_applies) in hidden[since] | hidden[wave]
        else one
        for since, wave in itertools.pairwise(waves)
        for each in results[wave].questions
        for item in (found.item for found in each.items)
        for one in changes_of(
            (since, wave),
            item,
            (reports(since, item), reports(wave, item)),
            level,
            method,
            question=each.question,
            comparisons=comparisons,
        )
        if (item.id, one.answer) not in fixed[since] & fixed[wave]
    ]
    return Waves(survey, level, method, waves, tuple(results.values()), tuple(changes), comparisons)


def told_together(
    survey: Survey, steps: int, fixed: Collection[tuple[str, Answer | None]] = ()
) -> tuple[int, int]:
    """Return how many changes hold together: of what questions are told by first, and all others.

    A number is told by its mean first, and a follow-up by its shares among those to whom it
    applies. Two shares that add up to 1 count once. `steps`: from how many waves to the next.
    `fixed`: items with answers whose shares weights set in each wave, which have no change.
    """
    first = rest = 0
    for item in survey.items:
        if all((item.id, truth) in fixed for truth in item.truths):
            continue
        question, truths = survey.question(item.question), len(item.truths)
        sizes = (truths, truths - 1) if question.ask_if else (truths,)
        counts = [1 if size == 2 else size for size in sizes] if item.channel.identifiable else []
        first += 1 if question.is_number else sum(counts[-1:])
        rest += sum(counts) if question.is_number else sum(counts[:-1])
    return steps * first, steps * rest


def _hidden(results: Results) -> set[tuple[str, Answer | None, bool]]:
    """Return item, answer, and whether it is of those it applies to; None is the item's mean."""
    hidden: set[tuple[str, Answer | None, bool]] = set()
    for question in results.questions:
        for item in question.items:
            if item.has_hidden:
                shares = (one.answer for one in item.shares if one.estimate is None)
                hidden |= {(item.item.id, answer, False) for answer in shares}
                hidden |= {(item.item.id, one.answer, True) for one in item.applicable}
                if item.mean is not None and item.mean.estimate is None:
                    hidden.add((item.item.id, None, False))
    return hidden


def _fixed(results: Results) -> set[tuple[str, Answer | None]]:
    return {
        (item.item.id, one.answer)
        for question in results.questions
        for item in question.items
        for one in item.shares
        if one.is_set
    }


def changes_of(
    waves: tuple[int, int],
    item: Item,
    reports: tuple[ItemReports, ItemReports],
    level: float = 0.95,
    method: str = intervals.DEFAULT,
    *,
    question: Question | None = None,
    comparisons: tuple[int, int] = (1, 1),
) -> Iterator[Change]:
    """Yield the changes of an item to a later wave; `comparisons`: those of `told_together`."""
    before, after = reports
    if not (before.n and after.n):
        return
    first, rest = comparisons
    of, kind = partial(Change, *waves, item), intervals.for_means(method)
    values = numbers(item) if question and question.is_number else None
    skipped = question.skipped if question and question.ask_if else None
    if values is not None:
        if mean_is_identifiable(item.channel, values):
            change = less(after.mean(values), before.mean(values))
            yield from _changes([partial(of, None)], change, level, kind, first)
        else:
            yield of(None)
    if not item.channel.identifiable:
        return
    change = less(after.shares(), before.shares())
    among_all = first if values is None and skipped is None else rest
    yield from _changes([partial(of, one) for one in item.truths], change, level, method, among_all)
    for place, answer in enumerate(item.truths):
        if skipped not in (None, place):
            # The mean of who gave the answer, among those to whom it applies.
            gave = [float(truth == place) for truth in range(len(item.truths))]
            gave[skipped] = math.nan
            change = less(after.mean(gave), before.mean(gave))
            told = [partial(of, answer, if_applies=True)]
            yield from _changes(told, change, level, kind, first if values is None else rest)


def _changes(
    named: Sequence[Callable[..., Change]],
    change: Difference,
    level: float,
    method: str,
    comparisons: int,
) -> Iterator[Change]:
    def together() -> FloatArray:
        # Of weighted people there is no test but that of the intervals.
        alone = change.p_value(method) if isinstance(change.first, Estimate) else None
        interval = partial(change.interval, method=method)
        return np.column_stack(held_together(interval, change.theta, level, comparisons, alone))

    told, why_not = ends_or_why(together, len(named))
    yield from findings_of(
        named,
        change.theta,
        change.standard_error,
        told[:, :2],
        p_value=None if why_not else told[:, 2],
        comparisons=comparisons,
        method=change.methods(method),
        least=change.least,
        greatest=change.greatest,
        n=None if change.alike else change.n,
        design_effect=None if change.alike else change.design_effect,
    )
