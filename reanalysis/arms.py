"""Estimates from several arms: one channel may not identify a share that two do.

See `deniable.reanalysis.designs` for the designs. The respondents are split at random between arms,
each with a channel over the same latent classes; the counts of all arms give the shares of the
classes, or of sums of classes, as far as the arms distinguish them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.counts.labels import Codes, Groups, check_counts, one_a_group
from deniable.analysis.estimated import Estimated
from deniable.analysis.intervals import fieller, quotients, wald
from deniable.analysis.likelihood import Profile
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.mixture import greatest_log_likelihood, maximum_likelihood_mixture
from deniable.analysis.regression.inference import Test
from deniable.reanalysis.designs import Arms
from deniable.text.doors import placed

# Rounding error of an estimate beyond [0, 1], and of an estimator's expectation relative to its
# greatest contribution. A channel's weights are multiples of 2^-32, which alone moves a linear
# dependence by some 1e-10.
_ROUNDING: Final = 1e-7


@dataclass(frozen=True, eq=False)
class ArmsRatio(Estimated):
    """One share of the population relative to another. Made by `ArmsEstimate.ratio`.

    The `interval` is Fieller's: all possible values where the denominator is not significantly
    different from 0. Or 'wald'.

    Parameters
    ----------
    theta : ndarray, shape ()
        nan where the denominator may be 0, see `deniable.analysis.intervals.quotients`.
    standard_error : ndarray, shape ()
        By the delta method; nan where `theta` is.
    possible : tuple of float
        The least and the greatest possible value: 0 and 1, or 0 and infinity if the numerator is
        not a part of the denominator.
    covariance : ndarray, shape (2, 2)
        Of `numerator` and `denominator`.
    """

    kinds = ("fieller", "wald")
    are_ratios = True

    theta: FloatArray
    standard_error: FloatArray
    numerator: float
    denominator: float
    possible: tuple[float, float]
    covariance: FloatArray = field(repr=False)

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest possible value."""
        return np.array(self.possible[0]), np.array(self.possible[1])

    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:
        if kinds[0] == "wald":
            return wald(self.theta, self.standard_error, level)
        return fieller(self.numerator, self.denominator, self.covariance, level)


@dataclass(frozen=True, eq=False)
class ArmsEstimate(Estimated):
    """The estimated shares of a design with several arms. Made by `estimate_arms`.

    The `interval` is 'wald', or 'likelihood': the shares that a likelihood-ratio test does not
    reject, with all other shares at their most likely values (the profile likelihood); inside
    [0, 1].

    Parameters
    ----------
    counts : tuple of ndarray of int, each of shape (reports,)
        How often each report came, for each arm.
    n : tuple of int
        Number of reports in each arm.
    theta : ndarray, shape (shares,)
        Unbiased estimate of each share, in the order of ``arms.shares``.
    standard_error : ndarray, shape (shares,)
    covariance : ndarray, shape (shares, shares)
        Unbiased estimate of their covariance; nan if an arm has only one report.

    References
    ----------
    Venzon, D. J. and Moolgavkar, S. H. (1988). A method for computing profile-likelihood-based
    confidence intervals. Applied Statistics 37, 87-94.
    """

    kinds = ("wald", "likelihood")

    counts: tuple[npt.NDArray[np.int64], ...]
    arms: Arms = field(repr=False)
    n: tuple[int, ...]
    theta: FloatArray
    standard_error: FloatArray
    covariance: FloatArray = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the shares, in the order of `theta`."""
        return tuple(share.name for share in self.arms.shares)

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether each entry of `theta` is below 0 or above 1; shape (shares,)."""
        return (self.theta < -_ROUNDING) | (self.theta > 1 + _ROUNDING)

    @property
    def degrees_of_freedom(self) -> int:
        """Number of independent shares of reports beyond the parameters of the model."""
        C = _stack(self.arms)
        rank = np.linalg.matrix_rank(C, rtol=self.arms.channels[0].rank_tolerance)
        return int(C.any(axis=0).sum()) - len(self.n) - (int(rank) - 1)

    @cached_property
    def maximum_likelihood(self) -> FloatArray:
        """The most likely shares that some population can have; shape (shares,).

        Certified as in `deniable.analysis.numerics.mixture`. Equals `theta` if some population has
        these shares and `degrees_of_freedom` is 0.
        """
        return _class_shares(self.arms) @ self._likely

    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:
        if kinds[0] == "wald":
            return wald(self.theta, self.standard_error, level)
        profile = Profile(np.concatenate(self.counts), self._rows, self._likely, level)
        return np.array([profile.ends(inside) for inside in _class_shares(self.arms) == 1])

    def ratio(self, numerator: str, denominator: str) -> ArmsRatio:
        """Return one share relative to another, such as the truthful among the carriers.

        Notes
        -----
        With r the ratio of a to b, its variance is about
        ``(V_aa - 2 r V_ab + r^2 V_bb) / b^2`` (delta method).
        """
        chosen = [self.names.index(self.arms.share(name).name) for name in (numerator, denominator)]
        a, b = (float(value) for value in self.theta[chosen])
        covariance = self.covariance[np.ix_(chosen, chosen)]
        part, whole = (np.array(self.arms.shares[one].classes) for one in chosen)
        possible = 0.0, 1.0 if (part <= whole).all() else math.inf
        low, _ = wald(b, math.sqrt(covariance[1, 1]), quotients.LEVEL)
        if quotients.may_be_nothing(low):
            nothing = np.array(math.nan)
            return ArmsRatio(nothing, nothing, a, b, possible, covariance)
        gradient = np.array([1, -a / b]) / b
        # The form is at least 0 but for rounding, which matters where a equals b.
        variance = max(float(gradient @ covariance @ gradient), 0.0)
        return ArmsRatio(np.array(a / b), np.array(math.sqrt(variance)), a, b, possible, covariance)

    def test_absent(self, name: str) -> Test:
        """Test that a share is 0, such as that there are no cheaters.

        Returns
        -------
        Test
            Its p-value is that of the 50:50 mixture of 0 and a chi-square with one degree of
            freedom, since a share cannot be below 0 (in half of all samples from a population
            without cheaters the statistic is 0).

        Notes
        -----
        The mixture is the asymptotic distribution if no other class is on its boundary. If the
        hypothesis makes the reports impossible the statistic is infinite.

        References
        ----------
        Self, S. G. and Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood estimators
        and likelihood ratio tests under nonstandard conditions. Journal of the American Statistical
        Association 82, 605-610, case 5.
        """
        others = np.array(self.arms.share(name).classes) == 0
        if not others.any():
            raise ValueError(f"expected a share that may be 0, found {name!r}: everybody's")
        statistic = self._statistic(greatest_log_likelihood(self._rows[others], self._w))
        p_value = float(scipy.special.chdtrc(1, statistic)) / 2 if statistic > 0 else 1.0
        return Test(statistic, 1, p_value)

    def goodness_of_fit(self) -> Test:
        """Test the fit of the model to the reports.

        Returns
        -------
        Test
            The deviance ``G^2``, with `degrees_of_freedom`. Where the most likely population is on
            the boundary, the p-value is too small rather than too large.
        """
        df = self.degrees_of_freedom
        if df == 0:
            raise ValueError(
                "expected arms that say more than the model needs, found just as much as it needs "
                "(0 degrees of freedom): add an arm, such as arms.with_direct_question()"
            )
        within = np.concatenate([counts / n for counts, n in zip(self.counts, self.n, strict=True)])
        saturated = float(scipy.special.xlogy(self._w, within).sum())
        statistic = max(2 * sum(self.n) * (saturated - self._log_likelihood), 0.0)
        return Test(statistic, df, float(scipy.special.chdtrc(df, statistic)))

    @cached_property
    def _w(self) -> FloatArray:
        # Share of each report of each arm among all reports.
        return np.concatenate(self.counts) / sum(self.n)

    @cached_property
    def _rows(self) -> FloatArray:
        # P(report | class, arm), the arms side by side: the likelihood is that of one mixture.
        return _stack(self.arms)

    @cached_property
    def _likely(self) -> FloatArray:
        # The most likely shares of the classes.
        return maximum_likelihood_mixture(self._rows, self._w)

    @cached_property
    def _log_likelihood(self) -> float:
        # The greatest log-likelihood of the model, per report.
        return greatest_log_likelihood(self._rows, self._w)

    def _statistic(self, restricted: float) -> float:
        """Return twice the log-likelihood ratio, 0 if it is only rounding."""
        n = sum(self.n)
        statistic = 2 * n * (self._log_likelihood - restricted)
        return statistic if statistic > 1e-9 + 1e-13 * n else 0.0


def estimate_arms(counts: Groups, arms: Arms, *, codes: Codes | None = None) -> ArmsEstimate:
    """Estimate the shares of a design with several arms.

    Parameters
    ----------
    counts : sequence of array_like of int, each of shape (reports,), or with labels, or a column
        One for each arm, in the order of its channel's reports: no before yes; or with labels, see
        `deniable.analysis.counts.labels.in_order`. A pandas DataFrame has one row per arm.
    codes : sequence, optional
        What each report is called, in all arms, if the counts have labels.

    Notes
    -----
    The estimate of a share f is the sum over the arms of the means of ``g_i(report)``, where
    ``sum_i C_i @ g_i = f``. If there are many solutions, because there are more arms than needed,
    it is the solution of least variance when all classes are equally likely, given the sizes of the
    arms: like the estimator of one channel it does not depend on the reports, and is unbiased at
    every n. Its variance is the sum of ``s_i^2 / n_i`` with the sample variances of ``g_i``. A
    share may be identifiable even if the shares of its classes are not.

    With two arms these are the estimators of the papers: with λ the shares of yes and p the
    chances of the sensitive question, ``((1 - p_2) λ_1 - (1 - p_1) λ_2) / (p_1 - p_2)`` for the
    unrelated question (Greenberg and others 1969, section 3).

    References
    ----------
    Greenberg, B. G., Abul-Ela, A.-L. A., Simmons, W. R. and Horvitz, D. G. (1969). The unrelated
    question randomized response model: theoretical framework. Journal of the American Statistical
    Association 64, 520-539.
    Clark, S. J. and Desharnais, R. A. (1998). Honest answers to embarrassing questions: detecting
    cheating in the randomized response model. Psychological Methods 3, 160-168.

    Examples
    --------
    >>> from deniable.reanalysis.designs import cheating_detection
    >>> result = estimate_arms([[700, 300], [400, 600]], cheating_detection(["1/4", "3/4"]))
    >>> dict(zip(result.names, result.theta.round(3).tolist()))
    {'honest no': 0.6, 'honest yes': 0.15, 'cheater': 0.25}
    >>> result.standard_error.round(3)
    array([0.042, 0.023, 0.024])
    >>> result.test_absent("cheater").p_value < 0.001
    True
    """
    counted = _check_counts(counts, arms, codes)
    n = tuple(int(arm.sum()) for arm in counted)
    values = _class_shares(arms)
    estimators = least_variance_in_arms(arms, n)
    theta = np.zeros(len(values))
    covariance = np.zeros((len(values), len(values)))
    for G, arm, size in zip(estimators, counted, n, strict=True):
        mean = G @ arm / size
        theta += mean
        if size == 1:
            covariance += math.nan
            continue
        deviations = G - mean[:, np.newaxis]
        covariance += (deviations * arm) @ deviations.T / (size - 1) / size
    error = np.sqrt(covariance.diagonal())
    return ArmsEstimate(counted, arms, n, theta, error, covariance)


def _class_shares(arms: Arms) -> FloatArray:
    return np.array([share.classes for share in arms.shares], dtype=np.float64)


def _stack(arms: Arms) -> FloatArray:
    return np.hstack([channel.probabilities for channel in arms.channels])


def least_variance_in_arms(arms: Arms, n: Sequence[int]) -> list[FloatArray]:
    r"""Return the contribution of each report of each arm to the estimated shares.

    Parameters
    ----------
    n : sequence of int
        Respondents of each arm, at least 1.

    Returns
    -------
    list of ndarray, each of shape (shares, reports of the arm)
        Tables for which the sum over the arms of the mean of ``G[s, report]`` over the arm's
        respondents is an unbiased estimate of share ``s``, of least variance when all classes are
        equally likely.

    Notes
    -----
    With :math:`D_i` the shares of the reports of arm i at equally likely classes, the tables
    minimise :math:`\sum_i g_i^T D_i g_i / n_i` subject to :math:`\sum_i C_i g_i = f - \bar f`. That
    solution has mean 0 in every arm (multiply the normal equations by the equal shares), so this
    form is its variance. The share's own mean is then added to every report's contribution, in
    proportion to the arms' sizes. With one arm it is `deniable.least_variance`.
    """
    table = _stack(arms)
    reports = [channel.reports for channel in arms.channels]
    sizes = np.repeat(np.array(n, dtype=np.float64), reports)
    sent = np.asarray(table.any(axis=0))
    # The pseudo-inverse of the root, because the product would square its condition number.
    root = np.sqrt(table.mean(axis=0)[sent] / sizes[sent])
    scaled = table[:, sent] / root
    inverse = np.linalg.pinv(scaled, rcond=arms.channels[0].rank_tolerance)
    centre = _class_shares(arms).mean(axis=1, keepdims=True)
    wanted = _class_shares(arms) - centre
    G = np.zeros((len(wanted), len(sent)))
    G[:, sent] = wanted @ inverse.T / root
    wrong = np.abs(table @ G.T - wanted.T).max(axis=0)
    failed = np.flatnonzero(wrong > _ROUNDING * np.maximum(1.0, np.abs(G).max(axis=1)))
    if failed.size:
        row = int(failed[0])
        unseen = wanted[row] - scaled @ (inverse @ wanted[row])
        raise ValueError(_cannot_tell(arms.shares[row].name, arms.classes, unseen))
    G[:, sent] += (centre * sizes / sum(n))[:, sent]
    return np.split(G, np.cumsum(reports)[:-1], axis=1)


def _cannot_tell(share: str, classes: Sequence[str], unseen: FloatArray) -> str:
    threshold = np.abs(unseen).max() * 1e-6
    more = [repr(name) for name, part in zip(classes, unseen, strict=True) if part > threshold]
    fewer = [repr(name) for name, part in zip(classes, unseen, strict=True) if part < -threshold]
    return (
        f"the share {share!r} is not identifiable: expected arms that tell {' and '.join(more)} "
        f"from {' and '.join(fewer)}, found that these mixtures send the same reports in every arm"
    )


def _check_counts(
    counts: Groups, arms: Arms, codes: Codes | None
) -> tuple[npt.NDArray[np.int64], ...]:
    given = one_a_group(counts)
    if len(given) != len(arms.channels):
        raise ValueError(
            f"expected counts of {len(arms.channels)} arms, found those of {len(given)}"
        )
    checked = []
    for arm, (each, channel) in enumerate(zip(given, arms.channels, strict=True)):
        with placed(f"arm {arm}"):
            checked.append(check_counts(each, channel, codes))
    return tuple(checked)
