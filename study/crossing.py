"""Joint tables of two items: how many people gave each pair of answers.

What few people gave is left out before, by `deniable.analysis.privacy.disclosure`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.estimation import Estimate
from deniable.analysis.findings import Cell, Mean, findings_of
from deniable.analysis.joint.association import ChiSquareTest, independence
from deniable.analysis.joint.correlations import Correlation, correlation
from deniable.analysis.joint.group_means import difference_within, means_within, of_cells, of_pairs
from deniable.analysis.joint.tables import Crosstab, crosstab
from deniable.analysis.joint.together import TableTogether, table_together
from deniable.analysis.numerics.arrays import FloatArray, IndexArray
from deniable.analysis.results import ItemResults, numbers
from deniable.analysis.sampling.debiased import debiased_shares
from deniable.analysis.sampling.design import SamplingDesign
from deniable.analysis.sampling.design_based import mean
from deniable.channel import MAX_REPORTS, ROW_SUM, Channel, identity
from deniable.report import NOT_ASKED
from deniable.results.item import ItemEstimate, Sample
from deniable.results.joint import JointTable
from deniable.results.result import Result
from deniable.results.source import Source
from deniable.study.shares import Compared, Differences
from deniable.survey.items import Item
from deniable.survey.questions import NO_NUMBERS, Protection
from deniable.text.doors import RefusalError
from deniable.text.wording import percent

Pair: TypeAlias = tuple[Item, Item, npt.NDArray[np.int64]]
"""Two items, and how often each pair of their reports came."""

Weighed: TypeAlias = tuple[IndexArray, Sample]
"""Which pair each person sent, -1 for none, and how these people were drawn."""

Shown: TypeAlias = tuple[str, list[npt.NDArray[Any]], dict[str, Any]]
"""The kind of interval; shares, errors and ends of all cells; and effects of the sampling."""


def pair_of(first: Item, second: Item, counts: npt.NDArray[np.int64]) -> Pair:
    """Take the counts of the pairs of reports of the people who were asked both items."""
    if not counts.any():
        raise ValueError(f"expected people who were asked {first.id!r} and {second.id!r}, found 0")
    (first, rows), (second, columns) = (
        _given_answers(item, counts.sum(axis=1 - axis) > 0)
        for axis, item in enumerate((first, second))
    )
    return first, second, counts[np.ix_(rows, columns)]


def _given_answers(item: Item, there: npt.NDArray[np.bool_]) -> tuple[Item, npt.NDArray[np.int64]]:
    """Return an item with the answers that people gave, if it is direct, and where these stand."""
    if item.protection is not Protection.DIRECT:
        return item, np.arange(len(item.reports))
    places = np.flatnonzero(there)
    if len(places) < 2:
        raise ValueError(
            f"expected people who gave different answers to {item.id!r}; all gave the same"
        )
    answers = tuple(item.truths[place] for place in places)
    return (
        replace(item, truths=answers, reports=answers, channel=identity(len(answers))),
        places,
    )


def pairs_sent(
    asked: Pair, items: Sequence[Item], columns: Sequence[npt.NDArray[np.uint8]]
) -> IndexArray:
    """Return which pair of the counted reports each person sent, -1 for none; shape (n,)."""
    of = []
    for counted, item, column in zip(asked[:2], items, columns, strict=True):
        # Of a direct item the answers alone count that people gave.
        place = np.full(256, -1)
        place[[item.reports.index(one) for one in counted.reports]] = range(len(counted.reports))
        of.append(place[column])
    return np.where((of[0] < 0) | (of[1] < 0), -1, of[0] * len(asked[1].reports) + of[1])


def cross(source: Source, asked: Pair, level: float, weighed: Weighed | None = None) -> Result:
    """Estimate the share of each pair of answers, and test whether the items are independent.

    `weighed`: which pair each person sent, and how people were sampled. Unless that is a simple
    random sample, the shares are of the population, and there is no test of independence.
    """
    said = "Share: of all people who were asked both."
    pairs, sample = weighed or (None, None)
    if pairs is None or sample is None or sample.unlike is None:
        found, test = _table(asked)
        shown = _shown(found, level)
        return _result(source, asked, shown, level, said, test, is_of_groups=False, sample=sample)
    shown = _of_population(asked, pairs, sample.unlike, level)
    said = "Share: of all people of the population who would answer both."
    return _result(source, asked, shown, level, said, None, is_of_groups=False, sample=sample)


def _of_population(asked: Pair, pairs: IndexArray, design: SamplingDesign, level: float) -> Shown:
    """Estimate the shares of the cells in a population; `pairs`: as `pairs_sent` returns them."""
    first, second, counts = asked
    shape = len(first.truths), len(second.truths)
    cells = np.argwhere(np.ones(shape))
    if first.group is not None and first.group == second.group:
        some, channel = first.group.marginal(first.question, second.question)
        cells = np.array(some)
        place = np.full(counts.shape, NOT_ASKED)
        place[tuple(cells.T)] = range(len(cells))
        reports = place.ravel()[pairs]
    elif counts.size > MAX_REPORTS:
        raise ValueError(
            f"expected at most {MAX_REPORTS} pairs of reports with weights, found "
            f"{counts.size:,} of {first.id!r} and {second.id!r}"
        )
    else:
        channel = Channel.from_probabilities(
            [
                [Fraction(a * b, ROW_SUM**2) for a in one for b in other]
                for one in first.channel.weights
                for other in second.channel.weights
            ]
        )
        reports = pairs
    reports = np.where(pairs < 0, NOT_ASKED, reports)
    found = mean(debiased_shares(reports, channel), design)

    def spread(values: npt.NDArray[Any]) -> FloatArray:
        # Pairs of truths that are no cell have a share of 0.
        table = np.zeros((*shape, *values.shape[1:]))
        table[tuple(cells.T)] = values
        return table

    told = (found.theta, found.standard_error, found.interval(level, "tail"))
    effects = {"n": found.n, "design_effect": spread(found.design_effect)}
    return "tail", [*map(spread, told)], effects


def within(source: Source, asked: Pair, level: float) -> Result:
    """Estimate the second item's shares among the people of each truth of the first."""
    first = asked[0]
    whole, test = _table(asked)
    said = _groups_said("Share", first, whole.theta.sum(axis=1))
    found = whole.conditional(0) if isinstance(whole, Crosstab) else whole.conditional()
    return _result(source, asked, _shown(found, level), level, said, test, is_of_groups=True)


def _groups_said(what: str, of: Item, sizes: FloatArray) -> str:
    groups = "; ".join(
        f"{truth.text} {percent(float(share))}"
        for truth, share in zip(of.truths, sizes, strict=True)
    )
    return (
        f"{what}: among the people with that answer to “{of.text}”. It was randomised too, so "
        f"the groups are estimated as well: {groups}."
    )


def means(source: Source, asked: Pair, level: float) -> Result:
    """Estimate a number's mean among the people of each truth of the first item, and compare."""
    first, second, counts = asked
    values = np.array(numbers(second))
    contributions = of_pairs(first.channel, second.channel, values)
    if first.group is not None and first.group == second.group:
        cells, channel = first.group.marginal(first.question, second.question)
        contributions = of_cells(channel, cells, values)
        counts = counts[tuple(np.array(cells).T)]
    flat, n = counts.ravel(), int(counts.sum())
    found = means_within(flat, contributions)
    places = range(len(first.truths))
    pairs = tuple(difference_within(found, *two) for two in itertools.combinations(places, 2))
    compared = Compared([Differences(pairs)], (None,), level, intervals.DEFAULT)
    span = float(np.ptp(found.possible[0]))
    return ItemEstimate(
        source,
        second,
        first,
        level,
        intervals.DEFAULT,
        tuple(
            ItemResults(replace(second, id=truth.text, text=truth.text), n, (), _mean(one, level))
            for truth, one in zip(first.truths, map(found.part, places), strict=True)
        ),
        first.truths,
        {1: n},
        0,
        comparisons=(compared.between(first.truths, span),),
        said=_groups_said("Mean", first, contributions.group @ flat / n),
    ).result


def correlate(asked: Pair, are_numbers: Sequence[object]) -> Correlation:
    """Estimate the correlation of two items, with the channel of both if they are one answer."""
    for item, of_number in zip(asked[:2], are_numbers, strict=True):
        check_correlates(item, is_number=of_number is not None)
    first, second, counts = _with_numbers(asked, are_numbers)
    values = [
        [0.0, 1.0] if is_number is None else numbers(item)
        for item, is_number in zip((first, second), are_numbers, strict=True)
    ]
    together = None
    if first.group is not None and first.group == second.group:
        cells, together = first.group.marginal(first.question, second.question)
        if len(cells) < counts.size:
            raise _without_correlation(
                f"expected answers of which all pairs can be true: {first.id!r} and {second.id!r} "
                "have others"
            )
    return correlation(counts, [first.channel, second.channel], values, together=together)


def _with_numbers(asked: Pair, are_numbers: Sequence[object]) -> Pair:
    """Return the pair among those who gave a number, where that was asked directly."""
    first, second, counts = asked
    gave = [
        np.array([of_number is None or one.code not in NO_NUMBERS for one in item.truths])
        for item, of_number in zip((first, second), are_numbers, strict=True)
    ]
    if all(each.all() for each in gave):
        return asked
    # Reports of a randomised item may be others than its truths, but all of its truths are numbers.
    rows, columns = (each if not each.all() else np.ones(1, dtype=np.bool_) for each in gave)
    return pair_of(first, second, counts * np.outer(rows, columns))


def check_correlates(item: Item, *, is_number: bool) -> None:
    """Refuse an item that has no correlation."""
    gaps = [one.text for one in item.truths if is_number and one.code in NO_NUMBERS]
    if gaps and item.protection is not Protection.DIRECT:
        raise RefusalError(
            f"expected a number of each person, and {item.id!r} has “{gaps[0]}”",
            python="by() compares its mean in groups, and cross() takes all of its answers",
            command="--by compares its mean in groups, and --cross takes all of its answers",
            desk="groups compare its mean, and a table of both takes all of its answers",
        )
    if not is_number and len(item.truths) != 2:
        raise _without_correlation(
            f"expected a number or two answers, found {len(item.truths)} of {item.id!r}"
        )


def _without_correlation(said: str) -> RefusalError:
    return RefusalError(
        said,
        python="cross() tells how such answers go together",
        command="--cross tells how such answers go together",
        desk="a table of both tells how such answers go together",
    )


def _mean(found: Estimate, level: float) -> Mean:
    return findings_of(
        [partial(Mean, *found.possible[0].tolist())],
        found.theta,
        found.standard_error,
        found.interval(level),
        method=found.methods(),
    )[0]


def _table(asked: Pair) -> tuple[Crosstab | TableTogether, ChiSquareTest | None]:
    """Estimate the table, and test independence; None where the items cannot be independent."""
    first, second, counts = asked
    if first.group is None or first.group != second.group:
        channels = [first.channel, second.channel]
        return crosstab(counts, channels), independence(counts, channels)
    found = table_together(counts, *first.group.marginal(first.question, second.question))
    return found, found.independence()


def _shown(found: Estimate, level: float) -> Shown:
    method = found.methods()[0]
    return method, [found.theta, found.standard_error, found.interval(level, method)], {}


def _result(  # noqa: PLR0913  each says something else of the table
    source: Source,
    asked: Pair,
    shown: Shown,
    level: float,
    said: str,
    test: ChiSquareTest | None,
    *,
    is_of_groups: bool,
    sample: Sample | None = None,
) -> Result:
    first, second, counts = asked
    method, told, effects = shown
    pairs = itertools.product(first.truths, second.truths)
    named = (partial(Cell, answer=other, first=one) for one, other in pairs)
    cells = findings_of(named, *told, method=method, **effects)
    return JointTable(
        source.name,
        first,
        second,
        counts,
        cells,
        level,
        method,
        said,
        test,
        is_of_groups=is_of_groups,
        sample=sample,
    ).result
