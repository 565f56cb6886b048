r"""The mean over several waves, of other people each or perhaps of the same.

Where a survey asks other people each time (``people: others``), the waves are independent samples:
variances add, and the ends combine by MOVER (Zou and Donner 2008), as those of a difference do in
`deniable.analysis.intervals.square_and_add`. Waves that share clusters are no such samples.

Otherwise the same people may answer in every wave, and no report tells whose it is. So the
dependence between the estimates of two waves is unknown, and the error must not rely on it. The
standard error of the mean over T waves is at most the mean of their standard errors under any
dependence (Minkowski's inequality):

.. math:: sd\Big(\frac1T \sum_t \hat\theta_t\Big) \le \frac1T \sum_t sd(\hat\theta_t).

The bound is exact where the waves' estimates are perfectly correlated, as in a panel whose answers
do not change and whose devices keep their noisy answers. The ends of the interval are the means of
the waves' ends: MOVER (Zou 2008) with a correlation of 1, its greatest value. If the waves'
estimates are nearly jointly normal, as means over independent people are, the interval covers at
least as often as theirs. For few people that is no proof, so coverage is enumerated: for two waves
of yes or no, of 3 to 25 people, any two shares and any dependence of one person's two reports, it
covers in at least 95.0 of 100 surveys (``docs/evidence.md``). There is no always-valid interval of
this mean.

References
----------
Zou, G. Y. (2008). On the estimation of additive interaction by use of the four-by-two table and
beyond. American Journal of Epidemiology 168, 212-224. Zou, G. Y. and Donner, A. (2008).
Construction of confidence limits about effect measures: a general approach. Statistics in Medicine
27, 1693-1702.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from deniable.analysis import intervals
from deniable.analysis.findings import Finding, Interval, Share
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.results import ItemResults, QuestionResults, Results
from deniable.text.safety import counted


def method_of_each(method: str, waves: int) -> str:
    """Return the kind of interval that each wave needs; `method` itself for a single wave."""
    several = {intervals.DEFAULT: intervals.UNCUT, intervals.OF_PROPORTION: "exact"}
    return several.get(method, method) if waves > 1 else method


def over_waves(by_wave: Collection[int], text: str) -> str:
    """Return a text about several waves; empty for a single one."""
    return text if len(by_wave) > 1 else ""


def people_said(n_by_wave: Mapping[int, int], noun: str = "respondent") -> str:
    """Return in words how many people answered; over waves in each, as overlaps are unknown.

    `noun`: what is counted if there is a single wave.
    """
    least, most = min(n_by_wave.values()), max(n_by_wave.values())
    people = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    waves = list(n_by_wave)
    if len(waves) == 1:
        return counted(most, noun)
    if waves == [*range(1, len(waves) + 1)]:
        return f"{people} people in each of {len(waves)} waves"
    return f"{people} people in each of the waves {waves_named(waves)}"


def waves_named(waves: Sequence[int]) -> str:
    """Return the numbers of waves in words, such as "1, 2 and 4"."""
    *others, last = map(str, waves)
    return f"{', '.join(others)} and {last}" if others else last


def error_of_mean(errors: FloatArray, *, independent: bool) -> FloatArray:
    """Return how far the mean over waves is off, from how far each wave is; waves on axis 0.

    `independent`: whether the waves are known to be independent samples.
    """
    if independent:
        return np.asarray(np.sqrt((errors**2).sum(axis=0)) / len(errors))
    return np.asarray(errors.mean(axis=0))


def ends_of_mean(estimates: FloatArray, ends: FloatArray, *, independent: bool) -> FloatArray:
    """Return the ends of the mean over waves.

    `estimates`, shape (waves, …): nan where a wave has none. `ends`, shape (waves, …, 2).
    `independent`: as for `error_of_mean`. Result, shape (…, 2): the means of the ends where the
    waves may depend on each other, or one has no estimate.
    """
    middle = ends.mean(axis=0)
    if not independent:
        return np.asarray(middle)
    # As in `intervals.square_and_add`, an end beyond its estimate adds nothing.
    below, above = (
        error_of_mean(np.maximum(sign * (ends[..., side] - estimates), 0), independent=True)
        for side, sign in enumerate((-1, 1))
    )
    estimate = estimates.mean(axis=0)
    joined = np.stack([estimate - below, estimate + above], axis=-1)
    return np.where(np.isnan(estimate)[..., np.newaxis], middle, joined)


def mean_of_results(
    of_each: Mapping[int, Results], level: float, method: str, *, independent: bool = False
) -> Results:
    """Return the means over one or more waves of the estimates of each wave.

    `independent`: whether the waves are known to be independent samples.
    """
    waves = list(of_each.values())
    return replace(
        waves[0],
        level=level,
        method=method,
        n=max(one.n for one in waves),
        n_by_wave={wave: one.n for wave, one in of_each.items()},
        notes={
            id: [*dict.fromkeys(said for one in waves for said in one.notes.get(id, ()))]
            for id in waves[0].notes
        },
        questions=tuple(
            QuestionResults(
                questions[0].question,
                tuple(
                    mean_of_items(items, independent=independent)
                    for items in zip(*(one.items for one in questions), strict=True)
                ),
            )
            for questions in zip(*(one.questions for one in waves), strict=True)
        ),
        followed=tuple(
            _mean_finding([one for one in each if one.n] or each[:1], independent)
            for each in zip(*(one.followed for one in waves), strict=True)
        ),
    )


def mean_of_items(waves: Sequence[ItemResults], *, independent: bool = False) -> ItemResults:
    """Return the means over waves of an item's shares and mean; see this module's notes.

    `independent`: whether the waves are known to be independent samples. Waves without
    reports are left out. The result's n is that of the largest wave.
    """
    some = [one for one in waves if one.n] or waves[:1]
    first = some[0]
    if len(some) == 1:
        return first
    means = [one.mean for one in some if one.mean is not None]
    mean = None
    if means:
        mean = replace(_mean_finding(means, independent), wide=any(one.wide for one in means))
    return replace(
        first,
        n=max(one.n for one in some),
        shares=_mean_shares([one.shares for one in some], independent),
        mean=mean,
        applicable=_mean_shares([one.applicable for one in some], independent),
        no_interval=next((one.no_interval for one in some if one.no_interval), None),
        hidden_below=max(one.hidden_below for one in some),
        difference=None,
    )


def _mean_shares(waves: Sequence[tuple[Share, ...]], independent: bool) -> tuple[Share, ...]:
    return tuple(
        replace(_mean_finding(each, independent), observed=_over(each, "observed"))
        for each in zip(*waves, strict=True)
    )


Told = TypeVar("Told", bound=Finding)


def _mean_finding(waves: Sequence[Told], independent: bool) -> Told:
    error = partial(error_of_mean, independent=independent)
    estimate, ends = _over(waves, "estimate"), [one.interval for one in waves]
    interval = None
    if None not in ends:
        estimates = np.array([one.estimate for one in waves], dtype=np.float64)
        interval = Interval(
            *ends_of_mean(estimates, np.array(ends), independent=independent).tolist()
        )
    found = replace(
        waves[0],
        estimate=estimate,
        standard_error=_over(waves, "standard_error", error),
        interval=interval,
        maximum_likelihood=_over(waves, "maximum_likelihood"),
        design_effect=None,
    )
    people = [one.n for one in waves if one.n is not None]
    p_values = [one.p_value for one in waves if one.p_value is not None]
    # Joint test of the waves (Bonferroni); a mean in the possible range is never doubted.
    joined = min(1.0, len(p_values) * min(p_values, default=1.0)) if found.outside else 1.0
    p_value = joined if p_values else None
    return replace(found, n=max(people, default=None), p_value=p_value)


def _over(
    waves: Sequence[Finding], name: str, of: Callable[[FloatArray], Any] = np.mean
) -> float | None:
    """Return the mean of an attribute over waves, or another function; None if a wave has none."""
    found = [getattr(one, name) for one in waves]
    return None if None in found else float(of(np.array(found)))
