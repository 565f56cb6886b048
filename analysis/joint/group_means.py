"""Means of a number in randomised groups, and how they differ.

Nobody knows who is in which group, so a mean is the ratio of two estimates from the same pairs of
reports.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.analysis.estimation import Estimate, estimate_ratios
from deniable.analysis.intervals.inversion import Ratio
from deniable.analysis.joint.groups import Difference, less
from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import Channel
from deniable.estimator import for_values


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of answers to a randomised item and a number. Made by `of_pairs` and `of_cells`.

    `channels`: by which the pairs of reports are drawn. `group`, shape (groups, pairs of reports):
    contribution of a pair to the share of each group. `ratios`: the mean of the number in each
    group, its total over the number of members who have one.
    """

    channels: tuple[Channel, ...]
    group: FloatArray
    ratios: tuple[Ratio, ...]


def means_within(counts: npt.NDArray[np.int64], pairs: Pairs) -> Estimate:
    """Estimate the mean of a number in each group of a randomised item; shape (groups,).

    The estimates of two groups are correlated, as they come from the same reports: see
    `difference_within`.
    """
    groups = (len(pairs.ratios),)
    return estimate_ratios(counts, pairs.channels, pairs.ratios, groups, joint=True)


def difference_within(found: Estimate, first: int, second: int) -> Difference:
    """Compare two groups of a randomised item, whose means come from the same reports."""
    errors = found.standard_error[first] * found.standard_error[second]
    correlation = 0.0
    if errors > 0:
        correlation = float(np.clip(found.covariance[first, second] / errors, -1, 1))
    return less(found.part(first), found.part(second), correlation)


def of_pairs(of: Channel, number: Channel, values: FloatArray) -> Pairs:
    """Return the pairs of a grouping item and a number that are randomised independently."""
    numeric = ~np.isnan(values)
    filled = np.where(numeric, values, 0.0)
    every = np.eye(of.truths)
    G = np.array([for_values(of, row) for row in every])
    true = np.kron(every, filled), np.kron(every, numeric.astype(np.float64))
    reported = np.kron(G, for_values(number, filled)), np.kron(G, for_values(number, numeric))
    return Pairs(
        (of, number),
        np.asarray(np.kron(G, np.ones(number.reports))),
        tuple(itertools.starmap(Ratio, zip(*true, *reported, strict=True))),
    )


def of_cells(channel: Channel, cells: Sequence[tuple[int, ...]], values: FloatArray) -> Pairs:
    """Return the pairs of two items randomised as one answer, from their possible cells."""
    at = np.array(cells)
    inside = np.equal.outer(np.unique(at[:, 0]), at[:, 0]).astype(np.float64)
    own = values[at[:, 1]]
    total, having = inside * np.where(np.isnan(own), 0.0, own), inside * ~np.isnan(own)
    reports = (
        np.array([for_values(channel, row) for row in truths]) for truths in (inside, total, having)
    )
    group, of_total, of_having = reports
    each = zip(total, having, of_total, of_having, strict=True)
    return Pairs((channel,), group, tuple(itertools.starmap(Ratio, each)))
