"""Chi-square tests of homogeneity, between groups, and of independence, between two items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.counts.labels import Codes, Counts, Groups
from deniable.analysis.estimation import Estimate
from deniable.analysis.joint.groups import estimates
from deniable.analysis.joint.tables import crosstab
from deniable.analysis.joint_likelihood import along_axes, joint_maximum_likelihood
from deniable.analysis.likelihood import maximum_likelihood
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import check_choice
from deniable.channel import Channel
from deniable.estimator import least_variance

METHODS: Final = ("pearson", "score", "wald", "likelihood-ratio")
"""The names of the test statistics."""

# A fitted share below this is on the boundary of the simplex.
_BOUNDARY: Final = 1e-6

# Directions with less variance than this, relative to the greatest, have none.
_NO_VARIANCE: Final = 1e-10


@dataclass(frozen=True)
class ChiSquareTest:
    """A test whose statistic follows a chi-square distribution in large samples.

    Made by `homogeneity` and `independence`.

    Parameters
    ----------
    statistic : float
        nan where the estimates differ but show no variance to judge by.
    degrees_of_freedom : int
        0 where the data cannot show any difference; the statistic is then 0.
    boundary : bool
        Whether a likelihood ratio was found with a fitted share of 0. Then its distribution is not
        chi-square but a mixture of chi-squares with fewer degrees of freedom, and the p-value is a
        rough guide, mostly too large. Other methods need no share above 0.
    """

    statistic: float
    degrees_of_freedom: int
    method: str
    boundary: bool = False

    @property
    def p_value(self) -> float:
        """Chance of so large a statistic if the hypothesis is true; nan where the statistic is."""
        if self.degrees_of_freedom == 0:
            return math.nan if math.isnan(self.statistic) else 1.0
        return float(scipy.special.chdtrc(self.degrees_of_freedom, self.statistic))


def homogeneity(
    counts: Groups,
    channels: Channel | Sequence[Channel],
    method: str = "pearson",
    *,
    codes: Codes | None = None,
) -> ChiSquareTest:
    """Test whether several groups have the same distribution of the truth.

    Parameters
    ----------
    counts, channels, codes
        As for `deniable.analysis.joint.groups.pairwise`.
    method : {"pearson", "score", "wald", "likelihood-ratio"}
        Which statistic; see the notes. 'pearson' and 'score' require one channel for all groups.

        - 'pearson' : the ordinary test on the reports (default)
        - 'score' : the shares of the truths, with their variance under the hypothesis
        - 'wald' : the shares of the truths, with each group's own variance
        - 'likelihood-ratio' : the most likely common distribution against each group's own

    Notes
    -----
    Where all groups share a channel, their truths have the same distribution exactly if their
    reports have. `pearson` is the ordinary test on the reports, which needs no estimate of the
    truth, with ``(groups - 1)(reports - 1)`` degrees of freedom. It keeps its level as well as it
    does for direct answers. The other methods compare the shares of the truths, with
    ``(groups - 1)(truths - 1)`` degrees of freedom, fewer where a channel has more reports than
    truths: `score` with the variance under the hypothesis (it is Pearson's if there are as many
    reports as truths), `wald` with each group's own variance, `likelihood-ratio` between the most
    likely common distribution and the most likely one of each group.

    All keep their level only in large samples. `wald` fails first in small samples; for
    `likelihood-ratio` see `ChiSquareTest.boundary`.

    References
    ----------
    Pearson, K. (1900). On the criterion that a given system of deviations … Philosophical Magazine
    50, 157-175.
    Rao, C. R. (1973). Linear statistical inference and its applications, second edition. Wiley,
    section 6e: score, Wald and likelihood-ratio tests.
    Self, S. G. and Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood estimators and
    likelihood ratio tests under nonstandard conditions. JASA 82, 605-610: the boundary.

    Examples
    --------
    >>> from deniable import designs
    >>> groups = [[60, 140], [110, 90], [100, 100]]
    >>> test = homogeneity(groups, designs.warner(flip="1/4"))
    >>> round(test.statistic, 3), test.degrees_of_freedom, test.p_value < 1e-4
    (28.283, 2, True)
    """
    groups = estimates(counts, channels, codes=codes)
    shared = all(group.channel == groups[0].channel for group in groups)
    check_choice(method, METHODS, "a method")
    if method in ("pearson", "score") and not shared:
        raise ValueError(
            f"expected one channel for all groups, found different ones: with them, {method!r} "
            "would test the channels; use 'wald' or 'likelihood-ratio'"
        )
    if method == "pearson":
        return _pearson(np.array([group.counts for group in groups]))
    if method == "likelihood-ratio":
        return _homogeneity_by_likelihood(groups)
    pooled = np.sum([group.counts for group in groups], axis=0) if method == "score" else None
    covariances = [
        _covariance(group.counts if pooled is None else pooled, group.channel) / group.n
        for group in groups
    ]
    # The first group against each other one; the last truth is the complement of the others.
    thetas = np.array([group.theta[:-1] for group in groups])
    contrasts = (thetas[1:] - thetas[0]).ravel()
    others = len(groups) - 1
    covariance = np.tile(covariances[0], (others, others))
    for group in range(others):
        block = slice(group * thetas.shape[1], (group + 1) * thetas.shape[1])
        covariance[block, block] += covariances[group + 1]
    return quadratic_form(contrasts, covariance, method)


def independence(
    counts: Counts,
    channels: Sequence[Channel],
    method: str = "pearson",
    *,
    codes: Sequence[Codes | None] | None = None,
) -> ChiSquareTest:
    """Test whether the truths of two items are independent.

    Parameters
    ----------
    counts, channels, codes
        Of two items, as for `deniable.analysis.joint.tables.crosstab`.
    method : {"pearson", "score", "wald", "likelihood-ratio"}
        Which statistic; see the notes.

        - 'pearson' : the ordinary test on the table of reports (default)
        - 'score' : the departures from independence, with their variance under it
        - 'wald' : the departures, with the variance of the reports' contributions to them
        - 'likelihood-ratio' : the most likely joint distribution against the product of the
          marginal ones

    Notes
    -----
    Independent truths send independent reports; if both channels are identifiable, only they do.
    `pearson` is therefore the ordinary test on the table of reports, with
    ``(reports_1 - 1)(reports_2 - 1)`` degrees of freedom. The other methods test the departures
    ``theta_ij - theta_i. theta_.j``, with ``(truths_1 - 1)(truths_2 - 1)``: `score` with their
    variance under independence (it is Pearson's where no channel has more reports than truths),
    `wald` with the variance of the mean of ``(g_i - theta_i.)(h_j - theta_.j)``, `likelihood-ratio`
    between the most likely joint distribution and the product of the most likely marginal ones,
    which is the most likely one under independence.

    All keep their level only in large samples, as the tests of `homogeneity` do.

    References
    ----------
    Rao, J. N. K. and Scott, A. J. (1981). The analysis of categorical data from complex sample
    surveys. JASA 76, 221-230, section 2: Wald's test from any estimate of a table.
    van den Hout, A. and van der Heijden, P. G. M. (2002). Randomized response, statistical
    disclosure control and misclassification: a review. International Statistical Review 70,
    269-288, section 4: the likelihood-ratio test.

    Examples
    --------
    >>> from deniable import designs
    >>> channel = designs.warner(flip="1/4")
    >>> test = independence([[130, 70], [80, 120]], [channel, channel])
    >>> round(test.statistic, 3), test.degrees_of_freedom, test.p_value < 1e-5
    (25.063, 1, True)
    """
    if len(channels) != 2:
        raise ValueError(f"expected the channels of 2 items, found {len(channels)}")
    check_choice(method, METHODS, "a method")
    table = crosstab(counts, channels, codes=codes)
    if method == "pearson":
        return _pearson(table.counts)
    margins = [table.counts.sum(axis=1), table.counts.sum(axis=0)]
    if method == "likelihood-ratio":
        rows, columns = (
            maximum_likelihood(margin, channel)
            for margin, channel in zip(margins, channels, strict=True)
        )
        fitted = table.maximum_likelihood
        tables = [channel.probabilities for channel in channels]
        return _likelihood_ratio(
            table.counts,
            along_axes(fitted, [C.T for C in tables]),
            along_axes(np.outer(rows, columns), [C.T for C in tables]),
            degrees_of_freedom=(len(rows) - 1) * (len(columns) - 1),
            boundary=fitted.min() < _BOUNDARY,
        )
    # Centred contributions of the reports to the shares of all truths but the last.
    first, second = (
        (least_variance(channel) - (least_variance(channel) @ margin / table.n)[:, np.newaxis])[:-1]
        for margin, channel in zip(margins, channels, strict=True)
    )
    departures = along_axes(table.counts, [first, second]).ravel() / table.n
    if method == "score":
        rows, columns = map(_covariance, margins, channels)
        covariance = np.asarray(np.kron(rows, columns) / table.n, dtype=np.float64)
    else:
        products = np.einsum("ia,jb->ijab", first, second).reshape(len(departures), -1)
        moments = products * table.counts.ravel() @ products.T / table.n
        covariance = (moments - np.outer(departures, departures)) / table.n
    return quadratic_form(departures, covariance, method)


def _covariance(counts: npt.NDArray[np.int64], channel: Channel) -> FloatArray:
    """Return the covariance of one report's contributions to all truths but the last."""
    G = least_variance(channel)[:-1]
    w = counts / counts.sum()
    centred = G - (G @ w)[:, np.newaxis]
    return np.asarray(centred * w @ centred.T)


def quadratic_form(departures: FloatArray, covariance: FloatArray, method: str) -> ChiSquareTest:
    """Test departures from a hypothesis by their quadratic form in the inverse covariance."""
    # A truth that nobody reports makes the covariance singular: such directions are left out, with
    # their degrees of freedom. But no chi-square can judge a departure without a variance.
    values, vectors = np.linalg.eigh(covariance)
    seen = values > _NO_VARIANCE * max(values[-1], 0)
    along = vectors.T @ departures
    unexplained = np.abs(along[~seen]).max(initial=0)
    freedom = int(seen.sum())
    if unexplained > math.sqrt(_NO_VARIANCE) * max(float(np.abs(departures).max()), 1.0):
        return ChiSquareTest(math.nan, freedom, method)
    return ChiSquareTest(float((along[seen] ** 2 / values[seen]).sum()), freedom, method)


def _pearson(observed: npt.NDArray[np.int64]) -> ChiSquareTest:
    """Return Pearson's test of a two-way table, without empty rows and columns."""
    seen = observed[observed.any(axis=1)][:, observed.any(axis=0)]
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / seen.sum()
    return ChiSquareTest(
        statistic=float(((seen - expected) ** 2 / expected).sum()),
        degrees_of_freedom=(seen.shape[0] - 1) * (seen.shape[1] - 1),
        method="pearson",
    )


def _homogeneity_by_likelihood(groups: tuple[Estimate, ...]) -> ChiSquareTest:
    """Compare a common most likely distribution with each group's own."""
    counts = np.concatenate([group.counts for group in groups])
    n = sum(group.n for group in groups)
    # One channel whose reports are pairs of group, at its share of the sample, and report.
    stacked = np.hstack([group.channel.probabilities * (group.n / n) for group in groups])
    own = [group.maximum_likelihood for group in groups]
    fitted = [
        theta @ group.channel.probabilities * (group.n / n)
        for theta, group in zip(own, groups, strict=True)
    ]
    common = joint_maximum_likelihood(counts, [stacked])
    return _likelihood_ratio(
        counts,
        np.concatenate(fitted),
        common @ stacked,
        degrees_of_freedom=(len(groups) - 1) * (len(common) - 1),
        boundary=min(float(theta.min()) for theta in own) < _BOUNDARY,
    )


def _likelihood_ratio(
    counts: npt.NDArray[np.int64],
    saturated: FloatArray,
    restricted: FloatArray,
    *,
    degrees_of_freedom: int,
    boundary: bool,
) -> ChiSquareTest:
    seen = counts > 0
    log_ratio = float(counts[seen] @ np.log(saturated[seen] / restricted[seen]))
    # Below 0 by rounding only, as the restricted fit is one of the saturated ones.
    return ChiSquareTest(
        statistic=max(2 * log_ratio, 0.0),
        degrees_of_freedom=degrees_of_freedom,
        method="likelihood-ratio",
        boundary=bool(boundary),
    )
