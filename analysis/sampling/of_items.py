"""Estimates of a survey's item from a sample with weights, strata or clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals, likelihood
from deniable.analysis.estimation import estimate
from deniable.analysis.findings import Mean, Share, findings_of
from deniable.analysis.means import mean_is_identifiable, share_difference, shares_of
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import where_certain
from deniable.analysis.results import ItemResults, Results, numbers, results_of
from deniable.analysis.sampling.debiased import (
    Debiased,
    debiased_applicable,
    debiased_shares,
    debiased_values,
)
from deniable.analysis.sampling.design import SamplingDesign
from deniable.analysis.sampling.design_based import DesignEstimate, mean
from deniable.channel import Channel, identity
from deniable.survey.items import Item
from deniable.survey.questions import Question


@dataclass(frozen=True, eq=False)
class SampledReports:
    """The reports of a sample of people on an item, in one wave.

    `reports`, shape (people,): 255 for "not asked".
    """

    channel: Channel
    reports: npt.NDArray[np.uint8]
    design: SamplingDesign

    @property
    def n(self) -> int:
        """Number of reports from people with a weight above 0."""
        asked = (self.reports < self.channel.reports) & (self.design.weights > 0)
        return self.design.people(asked)

    def shares(self) -> DesignEstimate:
        """Estimate the share of each truth."""
        return mean(debiased_shares(self.reports, self.channel), self.design)

    def mean(self, values: Sequence[float]) -> DesignEstimate:
        """Estimate the mean of the truths' values."""
        return mean(debiased_values(self.reports, self.channel, values), self.design)


NO_VARIANCE = "all of them are in one unit of the sample, which shows no variance"


def weighed_results(
    results: Results, column: Callable[[Item], npt.NDArray[np.uint8]], design: SamplingDesign
) -> Results:
    """Return estimates for a population in place of those for the respondents."""

    def weighed(found: ItemResults) -> ItemResults:
        item, question = found.item, results.survey.question(found.item.question)
        level, method = results.level, results.method
        return sampled_results(question, item, column(item), design, level, method)

    return results.changed(weighed)


def sampled_results(
    question: Question,
    item: Item,
    reports: npt.NDArray[np.uint8],
    design: SamplingDesign,
    level: float = 0.95,
    method: str = intervals.DEFAULT,
    *,
    domain: npt.NDArray[np.bool_] | None = None,
) -> ItemResults:
    """Return an item's estimates for a population: shares, mean, and shares it applies to."""
    part = np.ones(len(reports), dtype=np.bool_) if domain is None else domain
    asked = part & (reports < item.channel.reports) & (design.weights > 0)
    each = design.times[asked]
    counts = np.bincount(reports[asked], each, item.channel.reports).astype(np.int64)
    if not asked.any() or design.is_simple_in(asked):
        return results_of(question, item, counts, level, method)
    weighed = np.bincount(reports[asked], each * design.weights[asked], item.channel.reports)
    came = weighed / weighed.sum()
    observed = came.tolist() if item.reports_name_truths else [None] * len(item.truths)
    shares = tuple(map(Share, item.truths, observed))
    found = ItemResults(item, int(each.sum()), shares)
    values = numbers(item) if question.is_number else None
    likely = None
    if item.channel.identifiable:
        likely = where_certain(lambda: likelihood.maximum_likelihood(came, item.channel))
        everybody = mean(debiased_shares(reports, item.channel), design, domain=asked)
        # The reports show whether the design was followed, whatever their weights.
        alone = estimate(counts, item.channel).p_value_of_design
        shares = shares_of(
            item.truths,
            everybody,
            level,
            method,
            n=found.n,
            maximum_likelihood=likely,
            p_value=np.where(everybody.outside, alone, 1.0),
            observed=observed,
        )
        no_interval = None if everybody.degrees_of_freedom > 0 else NO_VARIANCE
        of_values = partial(_mean_of, reports, item.channel, design, asked)
        difference = partial(share_difference, item, of_values, level, intervals.DEFAULT)
        found = replace(found, shares=shares, no_interval=no_interval, difference=difference)
        if question.ask_if:
            found = replace(
                found,
                applicable=_applicable(question, item, reports, design, asked, level, method),
            )
    if values is not None:
        found = replace(found, mean=_mean(item, reports, values, design, asked, level, likely))
    return found


def _applicable(
    question: Question,
    item: Item,
    reports: npt.NDArray[np.uint8],
    design: SamplingDesign,
    asked: npt.NDArray[np.bool_],
    level: float,
    method: str,
) -> tuple[Share, ...]:
    """Estimate the shares among people to whom a question applies."""
    skipped, n = question.skipped, design.people(asked)
    answers = tuple(one for place, one in enumerate(item.truths) if place != skipped)
    variable: Debiased
    if item.channel == identity(item.channel.truths):
        # It is known who was asked, so these are ordinary proportions.
        asked = asked & (reports != skipped)
        if not asked.any():
            return tuple(Share(answer) for answer in answers)
        among = np.where(asked, reports - (reports > skipped), 255).astype(np.uint8)
        variable = debiased_shares(among, identity(len(answers)))
        kind = method
    else:
        variable = debiased_applicable(reports, item.channel, skipped)
        kind = intervals.DEFAULT
    w = np.where(asked, design.times * design.weights, 0)
    found = mean(variable, design, domain=asked)
    likely = _likely_among(variable, w)
    return shares_of(answers, found, level, kind, n=n, maximum_likelihood=likely)


def _likely_among(variable: Debiased, w: FloatArray) -> FloatArray | None:
    """Return the most likely shares of people with a value; `w`: how many each row stands for."""
    assert variable.item is not None  # noqa: S101  for the type checker: it has reports
    channel, counted = variable.item.channel, variable.item.counted > 0
    some = w > 0
    came = np.bincount(variable.item.reports[some], w[some], channel.reports)
    likely = where_certain(lambda: likelihood.maximum_likelihood(came, channel))
    if likely is None or not likely[counted].sum() > 0:
        return None
    return np.asarray(likely[counted] / likely[counted].sum())


def _mean_of(
    reports: npt.NDArray[np.uint8],
    channel: Channel,
    design: SamplingDesign,
    asked: npt.NDArray[np.bool_],
    values: list[float],
) -> DesignEstimate:
    return mean(debiased_values(reports, channel, values), design, domain=asked)


def _mean(
    item: Item,
    reports: npt.NDArray[np.uint8],
    values: list[float],
    design: SamplingDesign,
    asked: npt.NDArray[np.bool_],
    level: float,
    likely: FloatArray | None,
) -> Mean:
    unknown = Mean(float(np.nanmin(values)), float(np.nanmax(values)))
    if not mean_is_identifiable(item.channel, values):
        return unknown
    found = _mean_of(reports, item.channel, design, asked, values)
    numeric = ~np.isnan(values)
    most_likely = None
    if likely is not None and likely[numeric].any():
        most_likely = float(likely[numeric] @ np.array(values)[numeric] / likely[numeric].sum())
    return findings_of(
        [partial(replace, unknown)],
        found.theta,
        found.standard_error,
        found.interval(level),
        method=found.methods(),
        maximum_likelihood=most_likely,
        n=found.n,
        design_effect=found.design_effect,
    )[0]
