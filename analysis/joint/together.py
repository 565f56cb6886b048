"""Joint tables of two items that are randomised as one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from deniable.analysis.estimation import Estimate, estimate_ratios
from deniable.analysis.intervals.inversion import Ratio
from deniable.analysis.joint.association import ChiSquareTest, quadratic_form
from deniable.channel import Channel
from deniable.estimator import least_variance


@dataclass(frozen=True, eq=False)
class TableTogether(Estimate):
    """The estimated shares of the pairs of truths of two items. Made by `table_together`.

    `theta` has the shape (truths_1, truths_2); it is 0 for impossible pairs. How often a possible
    pair is reported depends only on its own share: so 'auto' is Feldman and Cousins's interval.

    Parameters
    ----------
    cells : ndarray of int, shape (cells, 2)
        The truth of each item in each possible pair.
    """

    cells: npt.NDArray[np.intp] = field(kw_only=True, repr=False)

    def conditional(self) -> Estimate:
        """Return the shares within each truth of the first item."""
        ratios = _pairs(self.cells, self.theta.shape, self.channel, within=True)
        return estimate_ratios(self.counts, [self.channel], ratios, self.theta.shape, joint=True)

    def independence(self) -> ChiSquareTest | None:
        """Test whether the truths are independent: Wald's test of ``theta_ij - theta_i. theta_.j``.

        Returns
        -------
        ChiSquareTest or None
            None where some pairs of truths are impossible: then the truths are dependent.
        """
        if len(self.cells) < self.theta.size:
            return None
        n, w = self.n, self.counts / self.n
        g = least_variance(self.channel).reshape(*self.theta.shape, -1)
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


def _pairs(
    cells: npt.NDArray[np.intp], shape: tuple[int, ...], channel: Channel, *, within: bool = False
) -> list[Ratio]:
    """Return the share of each pair of truths, among all people or `within` its first truth."""
    G, place = least_variance(channel), {tuple(cell): at for at, cell in enumerate(cells.tolist())}
    own, to = (np.vstack([one, np.zeros(one.shape[1])]) for one in (np.eye(len(cells)), G))
    found = []
    for pair in np.ndindex(*shape):
        group = (cells[:, 0] == pair[0]).astype(np.float64)
        among = (group, group @ G) if within else (np.ones(len(cells)), np.ones(G.shape[1]))
        at = place.get(pair, -1)
        found.append(Ratio(own[at], among[0], to[at], among[1]))
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
    ratios = _pairs(places, counts.shape, channel)
    found = estimate_ratios(came, [channel], ratios, counts.shape, joint=True)
    return TableTogether(**vars(found), cells=places)
