"""Joint tables: the shares of every combination of truths of several items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.counts.labels import Codes, Counts
from deniable.analysis.intervals import inversion, quotients
from deniable.analysis.joint.counting import check_joint_counts
from deniable.analysis.joint.joint_likelihood import (
    MAX_CELLS,
    along_axes,
    joint_maximum_likelihood,
    second_moments,
)
from deniable.analysis.numerics.arrays import BoolArray, FloatArray
from deniable.analysis.numerics.convergence import where_certain
from deniable.analysis.numerics.levels import check_level
from deniable.channel import Channel
from deniable.estimator import least_variance

MAX_TAIL_CELLS: Final = 64
"""Most cells of a joint table for the interval `tail`, which takes seconds."""

METHODS: Final = ("tail", "wald")
"""The names of the intervals of a cell's share."""


@dataclass(frozen=True, eq=False)
class Crosstab:
    """The estimated joint distribution of the truths of d items. Made by `crosstab`.

    Parameters
    ----------
    counts : ndarray of int, shape (reports_1, ..., reports_d)
        How often each combination of reports came.
    channels : tuple of Channel
        Of the d items, whose noises are independent.
    theta : ndarray, shape (truths_1, ..., truths_d)
        Unbiased estimate of each cell's share. The entries sum to 1, but each may leave [0, 1]:
        then it is shown unclipped and `outside` is True.
    standard_error : ndarray, shape (truths_1, ..., truths_d)
        Of `theta`; nan if there is only one respondent.
    """

    counts: npt.NDArray[np.int64] = field(repr=False)
    channels: tuple[Channel, ...] = field(repr=False)
    n: int
    theta: FloatArray
    standard_error: FloatArray

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether each cell's estimate is below 0 or above 1; of the shape of `theta`."""
        return intervals.outside(self.theta)

    @cached_property
    def maximum_likelihood(self) -> FloatArray:
        """The most likely joint distribution, inside the simplex; of the shape of `theta`.

        Unlike `theta` it is biased where cells are near 0. Raises ValueError beyond
        `deniable.analysis.joint.joint_likelihood.MAX_CELLS` cells.
        """
        return joint_maximum_likelihood(
            self.counts, [channel.probabilities for channel in self.channels]
        )

    @property
    def may_be_empty(self) -> BoolArray:
        """Whether the 95 % interval of each cell holds 0; of the shape of `theta`."""
        method = "tail" if self.theta.size <= MAX_TAIL_CELLS else "wald"
        ends = where_certain(lambda: self.interval(quotients.LEVEL, method))
        low = np.full(self.theta.shape, math.nan) if ends is None else ends[..., 0]
        return quotients.may_be_nothing(low)

    @cached_property
    def covariance(self) -> FloatArray:
        """The estimated covariance of all cells; shape (cells, cells), nan for one respondent.

        The cells are in the order of ``theta.ravel()``. Raises ValueError beyond
        `deniable.analysis.joint.joint_likelihood.MAX_CELLS` of them.
        """
        if self.theta.size > MAX_CELLS:
            raise ValueError(
                f"expected a joint table of at most {MAX_CELLS} cells, found {self.theta.size}"
            )
        if self.n == 1:
            return np.full((self.theta.size, self.theta.size), math.nan)
        tables = [least_variance(channel) for channel in self.channels]
        flat = self.theta.ravel()
        moments = second_moments(self.counts / self.n, tables)
        return np.asarray((moments - np.outer(flat, flat)) / (self.n - 1))

    def interval(
        self,
        level: float = 0.95,
        method: str = "tail",
        *,
        simultaneous: bool = False,
        comparisons: int = 1,
    ) -> FloatArray:
        """Confidence interval of each cell's share.

        Parameters
        ----------
        method : {"tail", "wald"}
            How it is computed.

            - 'tail' : inverts the tails of a test, see
              `deniable.analysis.intervals.inversion.tail_interval` (default)
            - 'wald' : the estimate and standard errors to either side; for many people in every
              cell, as it covers the share of an empty cell too rarely
        simultaneous : bool
            Whether the intervals of all cells hold together (Bonferroni).
        comparisons : int
            In how many such tables the intervals hold together.

        Returns
        -------
        ndarray, shape (truths_1, ..., truths_d, 2)
            Lower and upper ends, not clipped to [0, 1].
        """
        cells = self.theta.size if simultaneous else 1
        return _interval(self, self, (), level, method, cells * comparisons)

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

    def conditional(self, *given: int) -> Conditional:
        """Return the shares within the groups that some of the items define.

        Parameters
        ----------
        *given : int
            Positions of the items that define the groups: 0 for the shares within each row of a
            two-way table, 1 for those within each column.

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
        scatter = np.maximum(m_uu - 2 * share * m_uv + share**2 * m_vv, 0)
        freedom = self.n - 1 if self.n > 1 else math.nan
        with np.errstate(divide="ignore", invalid="ignore"):
            standard_error = np.sqrt(scatter / freedom) / np.abs(mean_v)
        return Conditional(
            given=tuple(sorted(given)),
            theta=share,
            standard_error=standard_error,
            groups=groups,
            table=self,
        )


@dataclass(frozen=True, eq=False)
class Conditional:
    """Shares within groups. Made by `Crosstab.conditional`.

    Parameters
    ----------
    given : tuple of int
        The items that define the groups.
    theta : ndarray, shape (truths_1, ..., truths_d)
        Each cell's share of its group: sums to 1 over the items that are not given. It may leave
        [0, 1], and is nan where the group may be empty.
    standard_error : ndarray, shape (truths_1, ..., truths_d)
        By the delta method.
    groups : ndarray
        The estimated share of each group; of the shape of the given items' truths.
    table : Crosstab
        The table whose shares these are.
    """

    given: tuple[int, ...]
    theta: FloatArray
    standard_error: FloatArray
    groups: FloatArray
    table: Crosstab = field(repr=False)

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether each share is below 0 or above 1; of the shape of `theta`."""
        return intervals.outside(self.theta)

    def interval(
        self, level: float = 0.95, method: str = "tail", *, comparisons: int = 1
    ) -> FloatArray:
        """Confidence interval of each share.

        Parameters
        ----------
        method : {"tail", "wald"}
            As for `Crosstab.interval`.
        comparisons : int
            How many intervals hold together (Bonferroni).

        Returns
        -------
        ndarray, shape (truths_1, ..., truths_d, 2)
            Lower and upper ends, inside [0, 1]: 0 and 1 where the group may be empty, and where no
            distribution agrees with the reports at this level.
        """
        return quotients.left(_interval(self, self.table, self.given, level, method, comparisons))


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
    if n == 1:
        standard_error = np.full_like(theta, math.nan)
    else:
        second = along_axes(counted, [table**2 for table in tables]) / n
        variance = np.maximum((second - theta**2) * n / (n - 1), _least_noise(channels, tables))
        standard_error = np.sqrt(variance / n)
    return Crosstab(
        counts=counted,
        channels=tuple(channels),
        n=n,
        theta=theta,
        standard_error=standard_error,
    )


def _least_noise(channels: Sequence[Channel], tables: Sequence[FloatArray]) -> FloatArray:
    """Return the least variance that the noise gives a contribution to each cell; at least 0.

    It equals `deniable.analysis.estimation.least_noise` for the joint channel of all items, without
    a table of every cell by every other cell: E[g^2 | x] less 1 for the cell's own truths x, and
    E[g^2 | x], a product over the items, for all others. If the least of these products is at the
    cell's own truths, subtracting 1 makes it smaller still.
    """
    moments = [g**2 @ channel.probabilities.T for channel, g in zip(channels, tables, strict=True)]
    own = _product([np.diag(moment) for moment in moments])
    any_ = _product([moment.min(axis=1) for moment in moments])
    least = np.maximum(np.minimum(own - 1, any_), 0)
    return np.asarray(least.reshape([channel.truths for channel in channels]))


def _interval(
    shares: Crosstab | Conditional,
    table: Crosstab,
    given: tuple[int, ...],
    level: float,
    method: str,
    comparisons: int,
) -> FloatArray:
    """Return the intervals of a table's cells, as shares of all people or of the given groups."""
    check_level(level)
    each = intervals.bonferroni(level, comparisons)
    check_method(method, table.theta.size)
    if method == "wald":
        return intervals.wald(shares.theta, shares.standard_error, each)
    C = _product([channel.probabilities for channel in table.channels])
    G = [least_variance(channel) for channel in table.channels]
    ends = np.empty((*table.theta.shape, 2))
    for cell in np.ndindex(table.theta.shape):
        one = [np.eye(len(g))[truth] for g, truth in zip(G, cell, strict=True)]
        own = [g[truth] for g, truth in zip(G, cell, strict=True)]
        ratio = inversion.Ratio(
            numerator=_product(one),
            denominator=_product(
                [x if item in given else np.ones_like(x) for item, x in enumerate(one)]
            ),
            to_numerator=_product(own),
            to_denominator=_product(
                [x if item in given else np.ones_like(x) for item, x in enumerate(own)]
            ),
        )
        ends[cell] = inversion.tail_interval(table.counts.ravel(), C, ratio, each)
    return ends


def check_method(method: str, cells: int) -> None:
    """Reject an unknown kind of interval, or one that would take too long."""
    if method not in METHODS:
        raise ValueError(f"expected an interval of {', '.join(METHODS)}, found {method!r}")
    if method == "tail" and cells > MAX_TAIL_CELLS:
        raise ValueError(
            f"expected a table of at most {MAX_TAIL_CELLS} cells for the interval 'tail', found "
            f"{cells}: ask for a margin of fewer items, or for 'wald'"
        )


def _product(tables: Sequence[FloatArray]) -> FloatArray:
    """Return the Kronecker product of the tables or rows of several items."""
    product = tables[0]
    for table in tables[1:]:
        product = np.asarray(np.kron(product, table), dtype=np.float64)
    return product
