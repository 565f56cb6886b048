"""Joint tables of two items that are randomised as one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.intervals import inversion, quotients
from deniable.analysis.joint.association import ChiSquareTest, quadratic_form
from deniable.analysis.joint.tables import Crosstab, check_method, crosstab
from deniable.analysis.numerics.arrays import BoolArray, FloatArray
from deniable.analysis.numerics.levels import check_level
from deniable.channel import Channel
from deniable.estimator import least_variance


@dataclass(frozen=True, eq=False)
class TableTogether:
    """The estimated shares of the cells of two items. Made by `table_together`.

    Parameters
    ----------
    cells : ndarray of int, shape (cells, 2)
        The truth of each item in each cell. All other pairs of truths are impossible.
    whole : Crosstab
        Table of the cells as the truths of one item.
    shape : tuple of int
        Number of truths of each item.
    within : bool
        Whether the shares are within each truth of the first item, not of all people.

    Notes
    -----
    A share of all people is the estimated share of its cell. A share within a truth of the first
    item is a ratio of two means, with the standard error of ``(u - r v) / mean(v)``: the delta
    method, as in `Crosstab.conditional`.
    """

    cells: npt.NDArray[np.intp] = field(repr=False)
    whole: Crosstab = field(repr=False)
    shape: tuple[int, int]
    within: bool = False

    @cached_property
    def _rows(self) -> FloatArray:
        """For each cell, the cells of its group (equal first truth); shape (cells, cells)."""
        first = self.cells[:, 0]
        return np.asarray(first[:, np.newaxis] == first, dtype=np.float64)

    @property
    def theta(self) -> FloatArray:
        """The shares; 0 for impossible pairs, nan within a group that may be empty."""
        found = self.whole.theta
        if self.within:
            with np.errstate(divide="ignore", invalid="ignore"):
                found, _ = quotients.known(found / (self._rows @ found), np.nan, self._empty)
        return self._spread(found)

    @cached_property
    def _empty(self) -> BoolArray:
        """For each cell, whether its group may be empty."""
        C, counts = self.whole.channels[0].probabilities, self.whole.counts
        cells = range(len(self.cells))
        return np.array([inversion.may_be_nothing(counts, C, self._ratio(one)) for one in cells])

    def _ratio(self, cell: int) -> inversion.Ratio:
        """Return the share of a cell among its group or all people, as a `Ratio`."""
        G, own = least_variance(self.whole.channels[0]), np.eye(len(self.cells))
        among = self._rows if self.within else np.ones_like(own)
        of = among @ G if self.within else np.ones_like(G)
        return inversion.Ratio(own[cell], among[cell], G[cell], of[cell])

    @property
    def standard_error(self) -> FloatArray:
        """Standard error of `theta`."""
        if not self.within or self.whole.n < 2:
            return self._spread(self.whole.standard_error)
        w = self.whole.counts / self.whole.n
        u = least_variance(self.whole.channels[0])
        v, share = self._rows @ u, self.theta[tuple(self.cells.T)][:, np.newaxis]
        groups = np.abs(self._rows @ self.whole.theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.sqrt((u - share * v) ** 2 @ w / (self.whole.n - 1)) / groups
        return self._spread(found)

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether each share is below 0 or above 1."""
        return intervals.outside(self.theta)

    def conditional(self) -> TableTogether:
        """Return the shares within each truth of the first item."""
        return TableTogether(self.cells, self.whole, self.shape, within=True)

    @property
    def default(self) -> str:
        """The kind of `interval` by default."""
        return "tail" if self.within else intervals.OF_PROPORTION

    def interval(self, level: float = 0.95, method: str = intervals.DEFAULT) -> FloatArray:
        """Confidence interval of each share; shape (truths_1, truths_2, 2).

        Parameters
        ----------
        level : float
            As for `deniable.analysis.joint.tables.Crosstab.interval`.
        method : {"auto", "feldman-cousins", "tail", "wald"}
            By default Feldman and Cousins's: how often a cell is reported depends only on its own
            share. For shares within a truth, which are ratios, inverted tails.
        """
        check_level(level)
        method = self.default if method == intervals.DEFAULT else method
        (channel,) = self.whole.channels
        if method == intervals.OF_PROPORTION and not self.within:
            counts = self.whole.counts.astype(np.float64)
            G = least_variance(channel)
            found = intervals.through_channel(counts, G, method, level)
            return np.stack([self._spread(end) for end in found.T], axis=2)
        check_method(method, len(self.cells))
        if method == "wald":
            found = intervals.wald(self.theta, self.standard_error, level)
            return quotients.left(found) if self.within else found
        ends = [
            inversion.tail_interval(
                self.whole.counts, channel.probabilities, self._ratio(cell), level
            )
            for cell in range(len(self.cells))
        ]
        return np.stack([self._spread(end) for end in np.asarray(ends).T], axis=2)

    def independence(self) -> ChiSquareTest | None:
        """Test whether the truths are independent: Wald's test of ``theta_ij - theta_i. theta_.j``.

        Returns
        -------
        ChiSquareTest or None
            None where some pairs of truths are impossible: then the truths are dependent.
        """
        if len(self.cells) < self.shape[0] * self.shape[1]:
            return None
        n, w = self.whole.n, self.whole.counts / self.whole.n
        g = least_variance(self.whole.channels[0]).reshape(*self.shape, -1)
        theta, rows, columns = g @ w, g.sum(axis=1), g.sum(axis=0)
        rows, columns = (one - (one @ w)[:, np.newaxis] for one in (rows, columns))
        first, second = theta.sum(axis=1)[:, np.newaxis], theta.sum(axis=0)
        effects = (
            g
            - theta[:, :, np.newaxis]
            - rows[:, np.newaxis] * second[:, np.newaxis]
            - first[:, :, np.newaxis] * columns
        )
        departures = (theta - first * second)[:-1, :-1].ravel()
        kept = effects[:-1, :-1].reshape(len(departures), -1)
        return quadratic_form(departures, kept * w @ kept.T / n, "wald")

    def _spread(self, values: FloatArray) -> FloatArray:
        """Return a table of all pairs of truths with the value of each cell, 0 elsewhere."""
        found = np.zeros(self.shape)
        found[tuple(self.cells.T)] = values
        return found


def table_together(
    counts: npt.NDArray[np.int64], cells: Sequence[tuple[int, ...]], channel: Channel
) -> TableTogether:
    """Estimate the shares of the cells of two items that are randomised as one answer.

    Parameters
    ----------
    counts : ndarray of int, shape (reports_1, reports_2)
        How often each pair of reports came.
    cells : sequence of tuple of two int
        The possible pairs of truths, and of reports.
    channel : Channel
        Channel from a true cell to the reported cell.
    """
    places = np.array(cells, dtype=np.intp)
    came = counts[tuple(places.T)]
    if came.sum() < counts.sum():
        raise ValueError(
            f"expected pairs of reports that can be true, found {int(counts.sum() - came.sum())} "
            "others: no device sends them"
        )
    return TableTogether(places, crosstab(came, [channel]), (counts.shape[0], counts.shape[1]))
