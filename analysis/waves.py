r"""Estimates of a survey that is asked over time: wave by wave, and the change between waves.

The reports of one person in two waves share the noisy answers that the device keeps, and nothing
on a report says that they are one person's. So the change is estimated as the difference of two
shares, and its variance by the sum of theirs, as if other people had answered each time.

That is conservative for a panel. Write :math:`g` for what a report contributes to an estimate.
Given the truths and the noisy answers that a device keeps, its reports are independent. If the
answer stays the same, so does their conditional expectation :math:`m(B)`, hence

.. math:: Cov(g(R_s), g(R_t)) = Var(m(B)) \ge 0, \quad m(b) = E[g(R) | B = b],

and twice that over n, by which the variance of the change is smaller, is left out. If the answer
changes, the two reports are drawn from independent noisy answers, and the covariance over people is
that of the truths alone. It is below 0 only where those who had an answer before tend not to have
it later, more than by chance. `panel_covariance` computes it exactly.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.counts.tally import Tally
from deniable.analysis.findings import Finding, Interval, Results, Verdict, verdict
from deniable.analysis.joint.groups import difference
from deniable.analysis.likelihood import ends_or_why
from deniable.analysis.means import estimate_mean, mean_is_identifiable
from deniable.analysis.numerics.convergence import where_certain
from deniable.analysis.results import number_or_none, numbers, summarise
from deniable.estimator import least_variance
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Answer


@dataclass(frozen=True)
class Change(Finding):
    """By how much a share or a mean differs from one wave to a later one: the later less the other.

    Its standard error is as if other people had answered each time: not below the truth for a panel
    whose answers persist.

    Parameters
    ----------
    since, wave : int
        The earlier wave and the later one.
    answer : Answer or None
        Whose share it is; None for the mean of a number.
    """

    since: int
    wave: int
    item: Item
    answer: Answer | None

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest that is possible."""
        values = [0.0, 1.0] if self.answer else numbers(self.item)
        span = float(np.nanmax(values) - np.nanmin(values))
        return -span, span


@dataclass(frozen=True)
class Waves:
    """Every estimate of a survey, by wave. Made by `summarise_waves`.

    Parameters
    ----------
    method : str
        How the intervals were to be computed, as for `deniable.analysis.results.Results`.
    waves : tuple of int
        Those that have reports, ascending.
    results : tuple of Results
        Of each of these.
    changes : tuple of Change
        From each of these to the next one.
    """

    survey: Survey
    level: float
    method: str
    waves: tuple[int, ...]
    results: tuple[Results, ...]
    changes: tuple[Change, ...]

    @property
    def n(self) -> int:
        """Number of reports, over all waves."""
        return sum(one.n for one in self.results)

    @cached_property
    def verdict(self) -> Verdict:
        """Whether respondents can have followed the design, from all waves together."""
        return verdict(
            item for one in self.results for question in one.questions for item in question.items
        )


def summarise_waves(
    survey: Survey,
    tallies: dict[int, Tally],
    level: float = 0.95,
    method: str = intervals.DEFAULT,
    *,
    least_cell: int = 1,
) -> Waves:
    """Estimate everything in each wave, and the changes from each to the next that has reports.

    Parameters
    ----------
    tallies : dict of (int: Tally)
        From `deniable.analysis.counts.tally.count_waves`.
    method : str
        See `deniable.analysis.results.summarise`. The interval of a change joins those of its two
        shares (Newcombe's way, see `deniable.analysis.joint.groups.Difference.interval`). Always
        valid ones join two of half the error each, as the same people may answer in both waves.
    least_cell : int
        See `deniable.analysis.results.summarise`. A change from or to a share that is hidden is
        hidden as well.
    """
    waves = tuple(tallies)
    results = tuple(
        summarise(survey, tallies[wave], level, method, least_cell=least_cell) for wave in waves
    )
    changes = [
        change
        for place, (since, wave) in enumerate(itertools.pairwise(waves))
        for change in _changes((since, wave), (tallies[since], tallies[wave]), results[place + 1])
    ]
    hidden = {wave: _hidden(each) for wave, each in zip(waves, results, strict=True)}
    changes = [
        Change(one.since, one.wave, one.item, one.answer)
        if (one.item.id, one.answer) in hidden[one.since] | hidden[one.wave]
        else one
        for one in changes
    ]
    return Waves(survey, level, method, waves, results, tuple(changes))


def _hidden(results: Results) -> set[tuple[str, Answer | None]]:
    """Return of which items what is hidden: the shares of answers, and the mean as None."""
    hidden: set[tuple[str, Answer | None]] = set()
    for question in results.questions:
        for item in question.items:
            if item.has_hidden:
                shares = (one.answer for one in item.shares if one.estimate is None)
                hidden |= {(item.item.id, answer) for answer in shares}
                if item.mean is not None and item.mean.estimate is None:
                    hidden.add((item.item.id, None))
    return hidden


def panel_covariance(item: Item) -> npt.NDArray[np.float64]:
    """Return the covariance of what two waves' reports of one person contribute, by the truth.

    Parameters
    ----------
    item : Item
        Randomised, identifiable, and remembered from wave to wave by itself; else a ValueError.

    Returns
    -------
    ndarray, shape (truths, shares)
        Entry ``[x, s]``: of what they contribute to the estimate of share ``s``, if ``x`` is true
        in both waves; at least 0. In a panel of n in which nothing changes the variance of the
        change is ``2 (V - mean over the panel of this) / n``, where ``V`` is the mean over the
        panel of the variance of a contribution given the truth.
    """
    if item.memory is None or item.group is not None:
        raise ValueError(f"item {item.id!r}: expected one that is remembered by itself in waves")
    permanent, again = item.memory.permanent.probabilities, item.memory.instantaneous.probabilities
    # Row b: what a report is expected to contribute, given the noisy answer b.
    expected = again @ least_variance(item.channel).T
    return np.asarray(permanent @ expected**2 - (permanent @ expected) ** 2)


def _changes(
    waves: tuple[int, int],
    tallies: tuple[Tally, Tally],
    later: Results,
) -> Iterator[Change]:
    numeric = {
        item.item.id
        for question in later.questions
        for item in question.items
        if item.mean is not None
    }
    for place, item in enumerate(later.survey.items):
        before, after = (tally.counts[place] for tally in tallies)
        if before.any() and after.any():
            if item.id in numeric:
                yield _mean_change(waves, item, before, after, later)
            if item.channel.identifiable:
                yield from _share_changes(waves, item, before, after, later)


def _share_changes(
    waves: tuple[int, int],
    item: Item,
    before: npt.NDArray[np.int64],
    after: npt.NDArray[np.int64],
    later: Results,
) -> Iterator[Change]:
    change = difference(after, before, item.channel)
    if later.method == intervals.ALWAYS_VALID:
        both = (change.second, change.first)
        ends = _apart(*(one.interval(later.level, later.method, comparisons=2) for one in both))
    else:
        ends, _ = ends_or_why(lambda: change.interval(later.level, later.method), len(item.truths))
    method = change.first.end_method(later.method)
    for truth, answer in enumerate(item.truths):
        yield Change(
            *waves,
            item,
            answer,
            estimate=number_or_none(change.difference[truth]),
            standard_error=number_or_none(change.standard_error[truth]),
            interval=Interval.known(*ends[truth]),
            method=method,
        )


def _mean_change(
    waves: tuple[int, int],
    item: Item,
    before: npt.NDArray[np.int64],
    after: npt.NDArray[np.int64],
    later: Results,
) -> Change:
    values = numbers(item)
    if not mean_is_identifiable(item.channel, values):
        return Change(*waves, item, None)
    first, second = (estimate_mean(counts, item.channel, values) for counts in (before, after))
    method = intervals.for_means(later.method)
    always = method == intervals.ALWAYS_VALID
    level = intervals.bonferroni(later.level, 2) if always else later.level
    means, ends = [], []  # of each wave; for the method see `Estimate.end_method`
    for one in (first, second):
        found = where_certain(partial(one.interval, level, method if always else "tail"))
        means.append(np.array([one.mean]))
        ends.append(np.array([[math.nan] * 2 if found is None else found]))
    low, high = (
        _apart(*ends)
        if always
        else intervals.square_and_add((means[1], ends[1]), (means[0], ends[0]))
    )[0]
    return Change(
        *waves,
        item,
        None,
        estimate=number_or_none(second.mean - first.mean),
        standard_error=number_or_none(math.hypot(first.standard_error, second.standard_error)),
        interval=Interval.known(low, high),
        method=method if always else "tail",
    )


def _apart(
    before: npt.NDArray[np.float64], after: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the least and the greatest change between two intervals, one a row."""
    return np.stack([after[:, 0] - before[:, 1], after[:, 1] - before[:, 0]], axis=1)
