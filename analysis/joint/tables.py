"""Joint tables: the shares of every combination of truths of several items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.analysis.counts.labels import Codes, Counts
from deniable.analysis.estimation import Estimate, product
from deniable.analysis.intervals import quotients
from deniable.analysis.intervals.inversion import Ratio
from deniable.analysis.joint.counting import check_joint_counts
from deniable.analysis.joint_likelihood import along_axes
from deniable.analysis.numerics.arrays import BoolArray, FloatArray
from deniable.analysis.numerics.convergence import where_certain
from deniable.channel import Channel
from deniable.estimator import least_variance


@dataclass(frozen=True, eq=False)
class Crosstab(Estimate):
    """The estimated joint distribution of the truths of d items. Made by `crosstab`.

    `theta` has the shape (truths_1, ..., truths_d), and its entries sum to 1. The `interval` of a
    cell is 'tail' by default, and 'wald' in a table of more than
    `deniable.analysis.estimation.MAX_TAIL_CELLS` cells: right for many people in every cell, as it
    covers the share of an empty cell too rarely.
    """

    @property
    def may_be_empty(self) -> BoolArray:
        """Whether the 95 % interval of each cell holds 0; of the shape of `theta`."""
        ends = where_certain(lambda: self.interval(quotients.LEVEL))
        low = np.full(self.theta.shape, math.nan) if ends is None else ends[..., 0]
        return quotients.may_be_nothing(low)

    def margin(self, *items: int) -> Crosstab:
        """Return the table of some of the items, summed over the others.

        Parameters
        ----------
        *items : int
            Positions of the items to keep, each at most once, in the order of the result.

        Returns
        -------
        Crosstab
            Its `theta` is the sum of this table's `theta` over the other items: the unbiased
            estimates of a table and of its margins never disagree.
        """
        d = len(self.channels)
        if not items or len(set(items)) < len(items) or not set(items) <= set(range(d)):
            raise ValueError(f"expected different items from 0 to {d - 1}, found {items}")
        others = tuple(set(range(d)) - set(items))
        kept = sorted(items)
        counts = self.counts.sum(axis=others).transpose([kept.index(item) for item in items])
        return crosstab(counts, [self.channels[item] for item in items])

    def conditional(self, *given: int) -> Estimate:
        """Return the shares within the groups that some of the items define.

        Parameters
        ----------
        *given : int
            Positions of the items that define the groups: 0 for the shares within each row of a
            two-way table, 1 for those within each column.

        Returns
        -------
        Estimate
            Each cell's share of its group, of the shape of `theta`: sums to 1 over the items that
            are not given, and is nan where the group may be empty.

        Notes
        -----
        A cell over its group is a ratio of two means, ``r = mean(u) / mean(v)``, with the standard
        error of the mean of ``(u - r v) / mean(v)``: the delta method. Both are nan where the group
        may be empty; see `deniable.analysis.intervals.quotients`.

        References
        ----------
        Cochran, W. G. (1977). Sampling techniques, third edition. Wiley, section 2.11.
        """
        d = len(self.channels)
        margin = self.margin(*sorted(given))
        groups = margin.theta
        if len(given) == d:
            raise ValueError(
                f"expected at least one of the {d} items to be left, found all of them given"
            )
        others = tuple(set(range(d)) - set(given))
        mean_u = self.theta
        mean_v = np.broadcast_to(np.expand_dims(groups, others), mean_u.shape)
        empty = np.expand_dims(margin.may_be_empty, others)
        with np.errstate(divide="ignore", invalid="ignore"):
            share, _ = quotients.known(mean_u / mean_v, math.nan, empty)
        # Second moments of u, the product of all items' contributions, and v, of the given items'.
        G = [least_variance(channel) for channel in self.channels]
        uu = [table**2 for table in G]
        uv = [table if item in others else table**2 for item, table in enumerate(G)]
        vv = [table**0 if item in others else table**2 for item, table in enumerate(G)]
        m_uu, m_uv, m_vv = (along_axes(self.counts, tables) / self.n for tables in (uu, uv, vv))
        freedom = self.n - 1 if self.n > 1 else math.nan
        variance = (m_uu - 2 * share * m_uv + share**2 * m_vv) * self.n / freedom
        variance = np.maximum(variance, _least_noise(self.channels, given, share))
        with np.errstate(divide="ignore", invalid="ignore"):
            standard_error = np.sqrt(variance / self.n) / np.abs(mean_v)
        return Estimate(
            counts=self.counts,
            channels=self.channels,
            ratios=Cells(self.channels, given),
            theta=share,
            standard_error=standard_error,
            possible=self.possible,
            one_proportion=self.one_proportion,
            joint=True,
        )


@dataclass(frozen=True)
class Cells(Sequence[Ratio]):
    """The cells of a joint table, each made when it is needed: they are as many as they are long.

    `given`: the items that define groups; each cell is a share of its group, or of all if empty.
    """

    channels: tuple[Channel, ...]
    given: tuple[int, ...] = ()

    def __len__(self) -> int:
        return math.prod(channel.truths for channel in self.channels)

    def __getitem__(self, place: Any) -> Any:
        if not 0 <= place < len(self):
            raise IndexError(place)
        cell = np.unravel_index(place, [channel.truths for channel in self.channels])
        own = [np.eye(one.truths)[at] for one, at in zip(self.channels, cell, strict=True)]
        to = [least_variance(one)[at] for one, at in zip(self.channels, cell, strict=True)]
        return Ratio(product(own), self._of_group(own), product(to), self._of_group(to))

    def _of_group(self, rows: Sequence[FloatArray]) -> FloatArray:
        return product(
            [row if item in self.given else np.ones_like(row) for item, row in enumerate(rows)]
        )


def crosstab(
    counts: Counts, channels: Sequence[Channel], *, codes: Sequence[Codes | None] | None = None
) -> Crosstab:
    """Estimate the joint distribution of the truths of several items.

    Parameters
    ----------
    counts : array_like of int, shape (reports_1, ..., reports_d), or mapping, or pandas.DataFrame
        How often each combination of reports came; see `joint_counts`. Labelled counts are sorted
        by label: a table's rows are the first item's reports and its columns the second's, as in
        ``pandas.crosstab(first, second)``; other labels are tuples.
    channels : sequence of Channel
        Of the d items; `deniable.channel.identity` for an item asked directly.
    codes : sequence of (sequence or None), optional
        What the reports of each item are called, in the order of its channel's columns; None where
        the labels are report numbers, or no and yes. See `analysis.counts.labels.in_order`.

    Notes
    -----
    The noises of different items are independent, so a respondent's contribution to the share of a
    combination of truths is the product of the items' contributions, and unbiased. The estimate
    multiplies each axis of the counts by its item's estimator; the standard error is that of the
    mean of these products (n - 1 in the denominator). The noise is known: the variance is raised to
    the least variance that a product can have given the truths.

    References
    ----------
    van den Hout, A. and van der Heijden, P. G. M. (2002). Randomized response, statistical
    disclosure control and misclassification: a review. International Statistical Review 70,
    269-288, section 3: several variables and the Kronecker product.

    Examples
    --------
    >>> from deniable import designs
    >>> channel = designs.warner(flip="1/4")
    >>> table = crosstab([[40, 20], [20, 20]], [channel, channel])
    >>> table.theta.round(3)
    array([[0.65, 0.05],
           [0.05, 0.25]])
    >>> table.standard_error.round(3)
    array([[0.136, 0.117],
           [0.117, 0.11 ]])
    >>> table.conditional(0).theta.round(3)
    array([[0.929, 0.071],
           [0.167, 0.833]])
    """
    counted = check_joint_counts(counts, channels, codes)
    n = int(counted.sum())
    tables = [least_variance(channel) for channel in channels]
    theta = along_axes(counted, tables) / n
    second = along_axes(counted, [table**2 for table in tables]) / n
    freedom = n - 1 if n > 1 else math.nan
    variance = np.maximum((second - theta**2) * n / freedom, _least_noise(channels, (), theta))
    return Crosstab(
        counts=counted,
        channels=tuple(channels),
        ratios=Cells(tuple(channels)),
        theta=theta,
        standard_error=np.sqrt(variance / n),
        possible=np.tile([0.0, 1.0], (theta.size, 1)),
        one_proportion=np.zeros(theta.size, dtype=np.bool_),
        joint=len(channels) > 1,
    )


def _least_noise(
    channels: Sequence[Channel], given: tuple[int, ...], share: FloatArray
) -> FloatArray:
    """Return the least variance that the noise gives ``u - r v`` in each cell; at least 0.

    It equals `deniable.analysis.errors.least_noise` for the joint channel of all items, without a
    table of every cell by every other cell. E[(u - r v)^2 | x] is E[a | x] times E[b | x] - 2 r +
    r^2 if x has the cell's own truths of the other items, times E[b | x] + r^2 elsewhere; a and b
    are the squared contributions of the given items and of the others.
    """
    own, least = [np.ones(share.shape)] * 2, [np.ones(share.shape)] * 2
    for item, channel in enumerate(channels):
        moment = least_variance(channel) ** 2 @ channel.probabilities.T
        axes = [one for one in range(len(channels)) if one != item]
        part = 0 if item in given else 1
        own[part] = own[part] * np.expand_dims(np.diag(moment), axes)
        least[part] = least[part] * np.expand_dims(moment.min(axis=1), axes)
    of_own, of_others = own[1] - 2 * share + share**2, least[1] + share**2
    found = [
        own[0] * of_own - (1 - share) ** 2,
        own[0] * of_others - share**2,
        least[0] * np.minimum(of_own, of_others),
    ]
    return np.asarray(np.maximum(np.minimum.reduce(found), 0))
