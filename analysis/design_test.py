r"""Whether respondents can have followed the design: a separate test, valid at every n.

An unbiased share may come out below 0, and a mean beyond all answers. The question is how far
beyond the possible range chance can take an estimate. Write :math:`g` for what a report contributes
to a share or a mean. If everybody follows the design, the reports' distribution is a mixture of the
channel's rows, whatever the truths are. So the chance that the mean of :math:`g(report)` is
:math:`t` or less is bounded over all mixtures:

- Where :math:`g` takes two values, the number of reports with the greater value is binomial. The
  chance of so few is greatest at the row that sends them least often; it is computed exactly.
- Otherwise, by Markov's inequality for :math:`\exp(-s \sum g)` (Chernoff 1952), it is at most

  .. math:: \min_{s \ge 0} \Bigl(e^{s t} \max_x \sum_a C_{xa} e^{-s g(a)}\Bigr)^n

  The sum is linear in the mixture, so its greatest value is attained at one of the rows.

Both bounds hold for every truth of every respondent, drawn at random or not: given the truths the
reports are independent, the product of their means of :math:`\exp(-s g)` is at most the greatest
mean to the power n, and a sum of independent 0s and 1s is smallest where each of them is 1 most
rarely. Neither bound depends on an interval, or on the estimator's tables being free of rounding.

One share by itself is no verdict: a survey estimates many. Results adjust each p-value for the
number of shares and means tested (Bonferroni), which is valid under any dependence between them.

References
----------
Chernoff, H. (1952). A measure of asymptotic efficiency for tests of a hypothesis based on the sum
of observations. Annals of Mathematical Statistics 23, 493-507, theorem 1.
Hoeffding, W. (1956). On the distribution of the number of successes in independent trials. Annals
of Mathematical Statistics 27, 713-721.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import Channel

LEVEL: Final = 0.95
"""Least share of honest surveys that are not doubted."""

# Two values of g that differ by less than this part of its range are one value but for rounding.
# Merging them is always valid: the test is then of the number of such reports.
_SAME: Final = 1e-9

# Trial values of s, for g from 0 to 1. Every s gives a bound, so a coarse grid loses power, never
# validity: between neighbours, less than a thousandth of the bound's logarithm.
_STEPS: Final = np.geomspace(1e-6, 1e4, 500)


@dataclass(frozen=True)
class Contradiction:
    """An estimate further beyond the possible range than chance explains.

    Parameters
    ----------
    truth : int or None
        The truth whose share it is; None for a mean.
    estimate : float
        The estimate, below `least` or above `greatest`.
    least, greatest : float
        Bounds of the possible range: 0 and 1 for a share, the least and the greatest value for a
        mean.
    p_value : float
        If everybody follows the design, at most this part of surveys has any share (or mean) so
        unlikely.

    Examples
    --------
    >>> print(Contradiction(truth=1, estimate=-0.38, least=0, greatest=1, p_value=0.000996))
    ... # doctest: +NORMALIZE_WHITESPACE
    The estimated share of truth 1, -0.380, is further below 0 than chance explains. If everybody
    follows the design, at most 0.1 % of surveys come out like this. Perhaps some respondents did
    not follow the design, or the counts belong to another design.
    """

    truth: int | None
    estimate: float
    least: float
    greatest: float
    p_value: float

    def __str__(self) -> str:
        what = "mean" if self.truth is None else f"share of truth {self.truth}"
        below = self.estimate < self.least
        beyond = f"below {self.least:g}" if below else f"above {self.greatest:g}"
        rarely = f"at most {100 * self.p_value:.1g}" if self.p_value > 1e-4 else "fewer than 0.01"
        return (
            f"The estimated {what}, {self.estimate:.3f}, is further {beyond} than chance explains. "
            f"If everybody follows the design, {rarely} % of surveys come out like this. Perhaps "
            "some respondents did not follow the design, or the counts belong to another design."
        )


def p_value(
    counts: npt.ArrayLike,
    channel: Channel,
    g: npt.ArrayLike,
    least: float = 0,
    greatest: float = 1,
    *,
    of: npt.ArrayLike | None = None,
) -> FloatArray:
    """Test whether a mean over the reports can be between two bounds under the design.

    `counts`, shape (..., reports): how often each report came, with at least one report in all, in
    one survey or in several. `g`, shape (reports,): what a report contributes, such as a row of
    `deniable.estimator.least_variance`. `least`, `greatest`: bounds of the mean of `g` for all
    truths. `of`, shape (reports,): for the mean of a subgroup, what a report contributes to the
    subgroup's share; the test is then of ``g - least * of`` and ``g - greatest * of``. 1 by
    default. Result, shape (...): the two-sided p-value: twice the smaller of the chances of a mean
    so small and of a mean so great, at most 1. If respondents follow the design it is at most p
    with a chance of at most p, for every p.
    """
    sendable = channel.probabilities.any(axis=0)
    C = channel.probabilities[:, sendable]
    counted = np.asarray(counts)[..., sendable]
    whole = np.ones(channel.reports) if of is None else np.asarray(of, dtype=np.float64)
    contributed = np.asarray(g, dtype=np.float64)
    below, above = (
        sign * (contributed - bound * whole)[sendable]
        for sign, bound in ((1, least), (-1, greatest))
    )
    chances = [_chance_of_so_little(counted, C, one) for one in (below, above)]
    return np.asarray(np.minimum(1, 2 * np.minimum(*chances)))


def _chance_of_so_little(counts: npt.NDArray[np.int64], C: FloatArray, g: FloatArray) -> FloatArray:
    """Bound the chance of a mean of `g` at most the observed mean, over all truths; shape (...)."""
    n = counts.sum(axis=-1)
    spread = np.ptp(g)
    if spread == 0:
        return np.ones(n.shape)
    u = (g - g.min()) / spread
    if np.abs(u - u.round()).max() < _SAME:
        great = u > 0.5
        return _at_most(counts[..., great].sum(axis=-1), n, float(C[:, great].sum(axis=1).min()))
    # Logarithms per report. A row that never sends the smallest g plays no part where s is large.
    greatest = np.log((C @ np.exp(-np.outer(u, _STEPS))).max(axis=0))
    mean = counts @ u / n
    exponent = (mean[..., np.newaxis] * _STEPS + greatest).min(axis=-1)
    return np.asarray(np.exp(n * np.minimum(exponent, 0)))


def _at_most(successes: npt.NDArray[np.int64], n: npt.NDArray[np.int64], rate: float) -> FloatArray:
    failures = n - successes
    tail = scipy.special.betaincc(successes + 1, np.maximum(failures, 1), rate)
    return np.where(failures == 0, 1.0, tail)
