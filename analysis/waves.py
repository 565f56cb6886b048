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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.counts.tally import Tally
from deniable.analysis.findings import Finding, Interval, Results, Verdict, verdict
from deniable.analysis.joint.group_means import MeanDifference, group_mean
from deniable.analysis.joint.groups import Difference, difference
from deniable.analysis.likelihood import ends_or_why
from deniable.analysis.means import estimate_mean, mean_is_identifiable
from deniable.analysis.results import number_or_none, numbers, summarise
from deniable.analysis.sampling.contrasts import DesignDifference
from deniable.channel import Channel
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
    n, design_effect
        As of `deniable.results.findings.Difference`.
    """

    since: int
    wave: int
    item: Item
    answer: Answer | None
    n: int | None = None
    design_effect: float | None = None

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
    def once(self) -> Results | None:
        """The estimates of a survey that is asked once; None of one with waves."""
        return self.results[0] if self.survey.waves is None else None

    def of(self, wave: int) -> Results | None:
        """Return the estimates of a wave; None if it has no reports."""
        return dict(zip(self.waves, self.results, strict=True)).get(wave)

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


class Told(Protocol):
    """What the reports of a wave tell of an item."""

    @property
    def n(self) -> int:
        """How many there are."""

    def shares_since(self, before: Self) -> Difference | DesignDifference:
        """Return by how much the shares differ from those of an earlier wave."""

    def mean_since(self, before: Self, values: list[float]) -> MeanDifference | DesignDifference:
        """Return the same of the mean of what the truths count for."""


@dataclass(frozen=True, eq=False)
class Counted:
    """The reports of people who count alike: how often each of the channel's came."""

    channel: Channel
    counts: npt.NDArray[np.int64]

    @property
    def n(self) -> int:
        """How many there are."""
        return int(self.counts.sum())

    def shares_since(self, before: Self) -> Difference:
        """Return by how much the shares differ from those of an earlier wave."""
        return difference(self.counts, before.counts, self.channel)

    def mean_since(self, before: Self, values: list[float]) -> MeanDifference:
        """Return the same of the mean of what the truths count for."""
        after, earlier = (
            group_mean(estimate_mean(one.counts, self.channel, values)) for one in (self, before)
        )
        return MeanDifference(after, earlier)


def nothing_told(item: Item) -> Told:
    """Return what no reports tell of an item."""
    return Counted(item.channel, np.zeros(item.channel.reports, dtype=np.int64))


def summarise_waves(
    survey: Survey,
    tallies: dict[int, Tally],
    level: float = 0.95,
    method: str = intervals.DEFAULT,
    *,
    least_cell: int = 1,
    only: str | None = None,
) -> Waves:
    """Estimate everything in each wave, and the changes from each to the next that has reports.

    Parameters
    ----------
    tallies : dict of (int: Tally)
        From `deniable.analysis.counts.tally.count_waves`; of a survey that is asked once, under 0.
    method : str
        See `deniable.analysis.results.summarise`. The interval of a change joins those of its two
        shares (Newcombe's way, see `deniable.analysis.joint.groups.Difference.interval`). Always
        valid ones join two of half the error each, as the same people may answer in both waves.
    least_cell, only
        See `deniable.analysis.results.summarise`. A change from or to a share that is hidden is
        hidden as well.
    """
    results = {
        wave: summarise(survey, tally, level, method, least_cell=least_cell, only=only)
        for wave, tally in tallies.items()
    }
    return waves_of(survey, results, told_by(survey, tallies), level, method)


def told_by(survey: Survey, tallies: Mapping[int, Tally]) -> Callable[[int, Item], Told]:
    """Return a function that tells of an item what a wave's tally does."""
    places = {item.id: place for place, item in enumerate(survey.items)}

    def told(wave: int, item: Item) -> Counted:
        return Counted(item.channel, tallies[wave].counts[places[item.id]])

    return told


def waves_of(
    survey: Survey,
    results: Mapping[int, Results],
    told: Callable[[int, Item], Told],
    level: float,
    method: str,
) -> Waves:
    """Take the estimates of each wave, and add the changes from each to the next."""
    waves = tuple(results)
    hidden = {wave: _hidden(each) for wave, each in results.items()}
    changes = [
        Change(since, wave, item, one.answer)
        if (item.id, one.answer) in hidden[since] | hidden[wave]
        else one
        for since, wave in itertools.pairwise(waves)
        for each in results[wave].questions
        for item in (found.item for found in each.items)
        for one in changes_of(
            (since, wave),
            item,
            (told(since, item), told(wave, item)),
            level,
            method,
            values=numbers(item) if each.question.is_number else None,
        )
    ]
    return Waves(survey, level, method, waves, tuple(results.values()), tuple(changes))


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


def changes_of(
    waves: tuple[int, int],
    item: Item,
    told: tuple[Told, Told],
    level: float = 0.95,
    method: str = intervals.DEFAULT,
    *,
    values: list[float] | None = None,
) -> Iterator[Change]:
    """Estimate how an item differs from one wave to a later one."""
    before, after = told
    if not (before.n and after.n):
        return
    if values is not None:
        kind = intervals.for_means(method)
        if mean_is_identifiable(item.channel, values):
            yield from _changes(waves, item, [None], after.mean_since(before, values), level, kind)
        else:
            yield Change(*waves, item, None)
    if item.channel.identifiable:
        yield from _changes(waves, item, item.truths, after.shares_since(before), level, method)


def _changes(
    waves: tuple[int, int],
    item: Item,
    answers: Sequence[Answer | None],
    change: Difference | MeanDifference | DesignDifference,
    level: float,
    method: str,
) -> Iterator[Change]:
    ends, _ = ends_or_why(lambda: change.interval(level, method), len(answers))
    kind = change.first.end_method(method)
    weighed = change if isinstance(change, DesignDifference) and not change.alike else None
    for place, answer in enumerate(answers):
        yield Change(
            *waves,
            item,
            answer,
            None if weighed is None else weighed.n,
            None if weighed is None else number_or_none(weighed.design_effect[place]),
            estimate=number_or_none(change.difference[place]),
            standard_error=number_or_none(change.standard_error[place]),
            interval=Interval.known(*ends[place]),
            method=kind,
        )
