"""How far dishonest respondents can move an estimate: a bound to print beside it.

Dishonest respondents can do more than lie: they can send any report, without the noise. No survey
can prevent that. But each report has a bounded weight, which gives the bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.labels import whole
from deniable.channel import Channel
from deniable.estimator import for_values, least_variance


@dataclass(frozen=True, eq=False)
class Poisoning:
    """What dishonest respondents can do to an estimate. Made by `poisoning`.

    Parameters
    ----------
    n : int
        Number of reports, the dishonest ones included.
    amplification : ndarray, shape (truths,)
        For each truth's share, how far one replaced report can move it, in respondents: the range
        of a report's contributions. For a mean it is one number, in the mean's own unit; shape
        (1,).
    unrandomised : float
        The amplification without noise: 1 for shares, the range of the values for a mean.
    """

    n: int
    amplification: npt.NDArray[np.float64]
    unrandomised: float

    def shift(self, colluding: int) -> npt.NDArray[np.float64]:
        """Bound how far `colluding` respondents can move each estimate.

        Parameters
        ----------
        colluding : int
            Number of replaced reports, 0 to n.

        Returns
        -------
        ndarray, shape (truths,)
            The bound is attained by replacing reports of least contribution by reports of greatest.
        """
        return self._respondents(colluding) * self.amplification / self.n

    def shift_by_lies(self, colluding: int) -> float:
        """Bound how far `colluding` respondents can move the expected estimates if they only lie.

        Their answers still pass through the noise, and a lie changes only the truth.
        """
        return self._respondents(colluding) * self.unrandomised / self.n

    def as_much_as(self, half_width: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return how many respondents can move each estimate by as much as its noise does.

        Parameters
        ----------
        half_width : array_like of float, shape (truths,) or ()
            Half the width of each estimate's confidence interval, at least 0.
        """
        half = np.broadcast_to(np.asarray(half_width, dtype=np.float64), self.amplification.shape)
        if not (np.isfinite(half) & (half >= 0)).all():
            raise ValueError(f"expected finite half-widths of at least 0, found {half}")
        return np.ceil(half * self.n / self.amplification).astype(np.int64)

    def sentence(self, colluding: int, half_width: float, truth: int = 0) -> str:
        """Return a sentence on the bound, to print beside an estimate.

        Parameters
        ----------
        colluding : int
            Number of respondents in the sentence.
        half_width : float
            Half the width of the estimate's 95 % confidence interval.
        """
        return (
            f"{colluding:,} of {self.n:,} colluding respondents can move this by at most "
            f"{self.shift(colluding)[truth]:.3g}, against {self.shift_by_lies(colluding):.3g} if "
            f"they only lied; {self.as_much_as(half_width)[truth]:,} of them move it by as much as "
            f"the noise (95 % half-width {half_width:.3g})."
        )

    def _respondents(self, colluding: int) -> int:
        if not 0 <= colluding <= self.n or colluding != int(colluding):
            raise ValueError(f"expected 0 to {self.n} colluding respondents, found {colluding}")
        return colluding


def poisoning(channel: Channel, n: int, *, values: npt.ArrayLike | None = None) -> Poisoning:
    r"""Bound the effect of dishonest respondents on the estimates of an item.

    Parameters
    ----------
    values : array_like of float, shape (truths,), optional
        The value of each truth, if the estimate is a mean. By default the estimates are the shares
        of the truths.

    Notes
    -----
    The estimate is the mean of ``g(report)``, so replacing one report moves it by at most
    :math:`A / n` with the amplification :math:`A = \max g - \min g` over the reports that can be
    sent. For k-ary randomised response :math:`A = (e^\epsilon + k - 1) / (e^\epsilon - 1)`. The
    estimate itself rejects a report that no truth can send.

    References
    ----------
    Cheu, A., Smith, A. and Ullman, J. (2021). Manipulation attacks in local differential privacy.
    IEEE Symposium on Security and Privacy, section 1.1. Cao, X., Jia, J. and Gong, N. Z. (2021).
    Data poisoning attacks to local differential privacy protocols. USENIX Security, section 4.

    Examples
    --------
    >>> from deniable import designs
    >>> bound = poisoning(designs.warner(flip="1/4"), n=1000)
    >>> bound.amplification
    array([2., 2.])
    >>> bound.sentence(10, half_width=0.062, truth=1)  # doctest: +NORMALIZE_WHITESPACE
    '10 of 1,000 colluding respondents can move this by at most 0.02, against 0.01 if they only
    lied; 31 of them move it by as much as the noise (95 % half-width 0.062).'
    """
    whole(n, "report")
    if values is None:
        G, unrandomised = least_variance(channel), 1.0
    else:
        G, unrandomised = for_values(channel, values)[np.newaxis], float(np.ptp(values))
    sendable = G[:, channel.probabilities.any(axis=0)]
    if not unrandomised:
        raise ValueError(f"expected values that differ between truths, found {values!r}")
    return Poisoning(n, np.ptp(sendable, axis=1), unrandomised)
