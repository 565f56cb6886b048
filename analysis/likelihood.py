"""Maximum likelihood and profile likelihood of the truths' shares, on the simplex, certified."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.numerics.mixture import maximum_likelihood_mixture
from deniable.channel import Channel
from deniable.estimator import least_variance

MOST_TRUTHS: Final = 3
"""The most truths for which a profile likelihood keeps its level; see `check_profile`."""

# Above this correlation two estimates rise together, not only by rounding of the weights.
_TOGETHER: Final = 1e-6


class ProfileRefused(ValueError):
    """A profile likelihood that would undercover; the message says what to use instead."""


def ends_or_why(
    interval: Callable[[], npt.NDArray[np.float64]], truths: int
) -> tuple[npt.NDArray[np.float64], str | None]:
    """Return the ends of some intervals, shape (truths, 2), or nan and the reason.

    If one item has no intervals, all other items keep theirs.
    """
    try:
        return interval(), None
    except (ConvergenceError, ProfileRefused) as reason:
        return np.full((truths, 2), math.nan), str(reason)


def maximum_likelihood(
    counts: npt.NDArray[np.int64] | npt.NDArray[np.float64], channel: Channel
) -> npt.NDArray[np.float64]:
    """Maximise the likelihood of the counts over all distributions of the truth.

    `counts`, shape (reports,): how often each report came, or the total weight of its senders; 0
    where no truth can send it, and not all 0. Result, shape (truths,): at least 0, summing to 1.
    Its log-likelihood per report is provably within `deniable.analysis.numerics.convergence.GAP` of
    the greatest one.

    See `deniable.analysis.numerics.mixture.maximum_likelihood_mixture`, which starts here from the
    unbiased estimate.
    """
    seen = counts > 0
    w = counts[seen] / counts.sum()
    C = channel.probabilities[:, seen]
    theta = _normalise(np.clip(least_variance(channel)[:, seen] @ w, 0, None))
    return maximum_likelihood_mixture(C, w, theta)


def check_profile(channel: Channel) -> None:
    r"""Reject a profile likelihood that would cover shares too rarely.

    Where shares are 0, the likelihood ratio is not chi-square with one degree of freedom, at any
    number of reports. If all respondents have one truth, the likelihood ratio of the hypothesis
    that its share is 1 has as many degrees of freedom as other shares come out above 0 (Self and
    Liang 1987, case 7, for two of them). With two others, whose estimates have the correlation
    :math:`\rho`, both come out above 0 with chance :math:`1/4 + \arcsin(\rho) / 2 \pi`, and one of
    them with chance 1/2. An interval of 95 % then covers that share in 93.8 % of large surveys if
    :math:`\rho = 0`, nearly as in k-ary randomised response at large ε; in more if
    :math:`\rho < 0`; and in 90.2 to 93.8 % if :math:`\rho > 0`, as in discrete Laplace noise on
    three levels. With one share of 0 among three it covers in at least 93.8 %. Each further truth
    lowers this: in 1,000 surveys of 200 people at ε = 3 with only one true answer, it covered in 90
    of 100 with four answers and in 62 of 100 with ten.

    Self, S. G. and Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood estimators and
    likelihood ratio tests under nonstandard conditions. Journal of the American Statistical
    Association 82, 605-610.
    """
    C = channel.probabilities
    if ((C > 0).sum(axis=0) <= 1).all() or channel.truths < MOST_TRUTHS:
        return
    if channel.truths > MOST_TRUTHS:
        raise ProfileRefused(
            f"expected at most {MOST_TRUTHS} answers for intervals by profile likelihood, found "
            f"{channel.truths}: where several shares are 0 they hold too rarely, however many "
            "people answer; ask for 'auto' instead"
        )
    together = max(_correlation(C, truth) for truth in range(channel.truths))
    if together > _TOGETHER:
        raise ProfileRefused(
            "expected a design under which no two of three shares are estimated too high together "
            f"for intervals by profile likelihood, found a correlation of {together:.2f}: where "
            "these shares are 0 they hold too rarely, however many people answer; ask for 'auto' "
            "instead"
        )


def _correlation(C: npt.NDArray[np.float64], truth: int) -> float:
    """Return the correlation of the estimates of the two other shares if this truth has share 1."""
    here = C[truth]
    others = np.delete(C, truth, axis=0)
    if others[:, here == 0].any():
        return -1.0  # a single report would show that someone has another truth
    steps = (others - here)[:, here > 0]
    (a, b), (_, d) = steps / here[here > 0] @ steps.T  # the information on the two shares
    return float(-b / math.sqrt(a * d))


def profile_interval(
    counts: npt.NDArray[np.int64], channel: Channel, level: float
) -> npt.NDArray[np.float64]:
    """Return the shares of each truth that a likelihood-ratio test does not reject.

    The profile of a truth's share is the greatest log-likelihood over the distributions of the
    truth that give it this share; all others are free, inside the simplex. It is concave, so the
    shares at which twice its distance from the maximum is at most a quantile of the chi-square
    distribution with one degree of freedom form an interval.

    With truth t at the share v, a report is drawn from one of the mixtures
    ``v C[t] + (1 - v) C[x]`` for x other than t, and the profile is the maximum likelihood of their
    weights: the problem of `maximum_likelihood`, with its certificate. So twice the log-likelihood
    is certain to ``2 n GAP``, which is 0.0002 of the quantile's 3.84 for a million reports.

    The quantile is that of a large survey without constraints. `check_profile` explains how shares
    of 0 reduce coverage in large surveys, and rejects channels where they reduce it much; in small
    surveys coverage is lower still, as for one proportion.

    Murphy, S. A. and van der Vaart, A. W. (2000). On profile likelihood. Journal of the American
    Statistical Association 95, 449-465.
    Batlle, P., Patil, P., Stanley, M., Owhadi, H. and Kuusela, M. (2023). Optimization-based
    frequentist confidence intervals for functionals in constrained inverse problems: resolving the
    Burrus conjecture. arXiv:2310.02461: the coverage under constraints.
    """
    check_profile(channel)
    return profile_ends(counts, channel, level)


def profile_ends(
    counts: npt.NDArray[np.int64], channel: Channel, level: float
) -> npt.NDArray[np.float64]:
    """Return the ends of `profile_interval`, also where it is rejected."""
    profile = Profile(counts, channel.probabilities, maximum_likelihood(counts, channel), level)
    return np.array([profile.ends(own) for own in np.eye(channel.truths, dtype=np.bool_)])


@dataclass(frozen=True, eq=False)
class Profile:
    """The profile likelihoods of the shares of some classes together.

    `counts`, shape (reports,): how often each report came. `rows`, shape (classes, reports): chance
    of each report given the class, perhaps in several arms beside each other. `highest`, shape
    (classes,): the most likely shares. `level`: of the intervals.
    """

    counts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.float64]
    highest: npt.NDArray[np.float64]
    level: float

    def ends(self, inside: npt.NDArray[np.bool_]) -> tuple[float, float]:
        """Return the interval of the share of the classes that are `inside`, shape (classes,)."""
        quantile = float(scipy.special.chdtri(1, 1 - self.level))

        def excess(share: float) -> float:
            # From -1 at the maximum to 1 where the deviance is infinite. The root of the deviance
            # is nearly linear.
            return 1 - 2 / (1 + math.sqrt(self._deviance(inside, share) / quantile))

        peak = float(self.highest[inside].sum())
        low, high = (
            end
            if inside.all() or excess(limit) <= 0
            else float(scipy.optimize.brentq(excess, limit, peak, xtol=1e-12, rtol=1e-12))
            for limit, end in ((0.0, float(inside.all())), (1.0, 1.0))
        )
        return low, high

    def _deviance(self, inside: npt.NDArray[np.bool_], share: float) -> float:
        """Return twice the distance of the profile at a share from the maximum.

        The populations with this share are the mixtures of populations of two classes, one inside
        the share and one outside.
        """
        seen = self.counts > 0
        counts, rows = self.counts[seen], self.rows[:, seen]
        pairs = share * rows[inside][:, np.newaxis] + (1 - share) * rows[~inside]
        mixtures = pairs.reshape(-1, len(counts))
        if not mixtures.any(axis=0).all():
            return math.inf  # a report that came is impossible at this share
        start = np.outer(_normalise(self.highest[inside]), _normalise(self.highest[~inside]))
        theta = maximum_likelihood_mixture(mixtures, counts / counts.sum(), start.ravel())
        ratio = (theta @ mixtures) / (self.highest @ rows)
        return max(0.0, -2 * float(counts @ np.log(ratio)))


def _normalise(theta: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return theta / float(theta.sum()) if theta.any() else np.full(len(theta), 1 / len(theta))
