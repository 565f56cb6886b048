"""Bootstrap and jackknife from counts: their cost does not depend on the number of respondents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis import likelihood
from deniable.analysis.counts.labels import check_whole, plain, whole
from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.numerics.levels import check_level
from deniable.channel import Channel
from deniable.estimator import least_variance

Statistic: TypeAlias = Callable[..., npt.NDArray[Any]]
"""One array of counts a group in, each of shape (tables, *shape of the group's counts); the
statistic of each table out, of shape (tables,) or (tables, values)."""

NAMES: Final = ("bca", "percentile")
"""The intervals that a bootstrap can be asked for."""

# Replicates that differ by less than this, relative to the estimate, differ by rounding.
_NO_SPREAD: Final = 1e-12


@dataclass(frozen=True, eq=False)
class Jackknife:
    """A statistic recomputed without one respondent at a time. Made by `jackknife`.

    Parameters
    ----------
    estimate : ndarray, shape () or (values,)
        The statistic of all respondents.
    standard_error : ndarray, of the shape of `estimate`
    bias : ndarray, of the shape of `estimate`
        Of `estimate`: what is to be subtracted from it.
    acceleration : ndarray, of the shape of `estimate`
        How fast the standard error changes with the statistic, as the BCa interval needs it; 0
        where no respondent has an influence.
    """

    estimate: FloatArray
    standard_error: FloatArray
    bias: FloatArray
    acceleration: FloatArray


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """A statistic of resampled respondents. Made by `bootstrap`.

    Parameters
    ----------
    estimate : ndarray, shape () or (values,)
        The statistic of the counts themselves.
    replicates : ndarray, shape (replicates,) or (replicates, values)
        The statistic of each resample.
    acceleration : ndarray, of the shape of `estimate`
        From the jackknife.
    """

    estimate: FloatArray
    replicates: FloatArray
    acceleration: FloatArray

    @property
    def standard_error(self) -> FloatArray:
        """Standard deviation of the replicates; of the shape of `estimate`.

        nan where all of them are the same: see `interval`.
        """
        return np.where(self._alike, np.nan, self.replicates.std(axis=0, ddof=1))

    @property
    def _alike(self) -> npt.NDArray[np.bool_]:
        spread = np.ptp(self.replicates, axis=0)
        return np.asarray(spread <= _NO_SPREAD * np.abs(self.estimate))

    @property
    def bias(self) -> FloatArray:
        """Mean of the replicates less the estimate; of the shape of `estimate`."""
        return np.asarray(self.replicates.mean(axis=0) - self.estimate)

    def interval(self, level: float = 0.95, method: str = "bca") -> FloatArray:
        """Confidence interval of the statistic.

        Parameters
        ----------
        level : float
            Between 0 and 1.
        method : {"bca", "percentile"}
            How it is computed.

            - 'bca' : bias-corrected and accelerated: the quantiles are moved for the replicates'
              median bias and for a standard error that changes with the statistic (default)
            - 'percentile' : between two quantiles of the replicates

        Returns
        -------
        ndarray, shape (2,) or (values, 2)
            Lower and upper ends. They are nan where all replicates are the same, as of reports that
            are all alike: resampling them shows nothing of what other people would have sent. They
            are also nan where replicates are, and for `bca` where all lie on one side of the
            estimate.

        Raises
        ------
        ValueError
            If the level or the method is not valid.

        Notes
        -----
        With ``z0`` the normal quantile of the share of replicates below the estimate (those equal
        to it count half) and a the acceleration, the end for the normal quantile z is the quantile
        of the replicates at ``Phi(z0 + (z0 + z) / (1 - a (z0 + z)))``.

        References
        ----------
        Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American Statistical
        Association 82, 171-185.
        Efron, B. and Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman and Hall,
        sections 13.3 and 14.3.
        """
        check_level(level)
        if method not in NAMES:
            raise ValueError(f"expected an interval of {', '.join(NAMES)}, found {method!r}")
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        estimates = np.atleast_1d(self.estimate)
        columns = self.replicates.reshape(len(self.replicates), len(estimates))
        ends = np.empty((len(estimates), 2))
        for index, (estimate, acceleration) in enumerate(
            zip(estimates, np.atleast_1d(self.acceleration), strict=True)
        ):
            of_one = columns[:, index]
            at = tails if method == "percentile" else _bca(of_one, estimate, acceleration, tails)
            ends[index] = np.quantile(of_one, at) if np.isfinite(at).all() else np.nan
        ends[np.atleast_1d(self._alike)] = np.nan
        return ends.reshape(*self.estimate.shape, 2)


def bootstrap(
    groups: Sequence[npt.ArrayLike],
    statistic: Statistic,
    *,
    replicates: int = 10_000,
    rng: np.random.Generator | int | None = None,
) -> Bootstrap:
    """Resample the respondents behind counts, and compute a statistic of every resample.

    Parameters
    ----------
    groups : sequence of array_like of int
        The counts of each group of respondents, in any shape: of one item's reports, or the joint
        counts of several. The groups are resampled independently, each to its own size.
    statistic : callable
        Takes one array a group, of shape ``(tables, *shape of its counts)``, and returns the
        statistic of each table: shape (tables,) or (tables, values).
    replicates : int
        Number of resamples, at least 2.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or its seed.

    Returns
    -------
    Bootstrap

    Raises
    ------
    ValueError
        If there is no group, counts are not such counts, a group has fewer than 2 respondents, or
        the statistic returns another number of values.

    Notes
    -----
    Drawing n respondents with replacement and counting their reports is one draw from the
    multinomial distribution of the shares that were observed: 10,000 resamples of a million
    respondents take as long as those of a hundred.

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics 7,
    1-26.

    Examples
    --------
    The difference between the shares of yes in two groups:

    >>> from deniable import designs
    >>> share = shares(designs.warner(flip="1/4"))
    >>> result = bootstrap(
    ...     [[600, 400], [650, 350]], lambda a, b: share(a)[:, 1] - share(b)[:, 1], rng=1
    ... )
    >>> result.estimate.round(3).item(), result.standard_error.round(3).item()
    (0.1, 0.043)
    >>> result.interval().round(2)
    array([0.02, 0.18])
    """
    counts = _check_groups(groups)
    whole(replicates, "replicate", least=2)
    generator = np.random.default_rng(rng)
    resamples = [_resample(group, replicates, generator) for group in counts]
    left_out = jackknife(counts, statistic)
    return Bootstrap(
        estimate=left_out.estimate,
        replicates=_values(statistic, resamples),
        acceleration=left_out.acceleration,
    )


def jackknife(groups: Sequence[npt.ArrayLike], statistic: Statistic) -> Jackknife:
    """Compute a statistic without one respondent at a time: once for each distinct report.

    Parameters
    ----------
    groups : sequence of array_like of int
        The counts of each group of respondents, as for `bootstrap`.
    statistic : callable
        As for `bootstrap`.

    Returns
    -------
    Jackknife

    Raises
    ------
    ValueError
        As `bootstrap` does.

    Notes
    -----
    Respondents of the same report are left out with the same result, which is computed once and
    weighted by their number. With ``t(i)`` the statistic without respondent i of a group of n, and
    ``t(.)`` their mean, the variance is the sum over groups of ``(n - 1) / n sum (t(i) - t(.))^2``
    and the bias that of ``(n - 1) (t(.) - t)``. The acceleration, with
    ``u(i) = (n - 1) (t(.) - t(i))``, is a sixth of the sum over groups of ``sum u^3 / n^3``,
    divided by that of ``sum u^2 / n^2`` to the power 3/2.

    References
    ----------
    Efron, B. and Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman and Hall,
    chapter 11 and section 14.3.

    Examples
    --------
    The standard error of a mean is the usual one, with n - 1:

    >>> from deniable import designs
    >>> jackknife([[65, 60]], shares(designs.warner(flip="3/10"))).standard_error.round(10)
    array([0.11216348, 0.11216348])
    """
    counts = _check_groups(groups)
    estimate = _values(statistic, [group[np.newaxis] for group in counts])[0]
    variance, bias, squares, cubes = (np.zeros(estimate.shape) for _ in range(4))
    for index, group in enumerate(counts):
        n = int(group.sum())
        cells = np.flatnonzero(group)
        weight = group.ravel()[cells]
        without_one = np.repeat(group[np.newaxis], len(cells), axis=0)
        without_one.reshape(len(cells), -1)[range(len(cells)), cells] -= 1
        tables = [
            without_one if other == index else np.repeat(counts[other][np.newaxis], len(cells), 0)
            for other in range(len(counts))
        ]
        t = _values(statistic, tables)
        mean = weight @ t / n
        u = (n - 1) * (mean - t)
        variance += weight @ u**2 / (n * (n - 1))
        bias += (n - 1) * (mean - estimate)
        squares += weight @ u**2 / n**2
        cubes += weight @ u**3 / n**3
    moved = squares > 0
    return Jackknife(
        estimate=estimate,
        standard_error=np.sqrt(variance),
        bias=bias,
        acceleration=np.where(moved, cubes / np.where(moved, squares, 1) ** 1.5 / 6, 0.0),
    )


def shares(channel: Channel) -> Statistic:
    """Return the statistic of one group that is the unbiased shares of the truths.

    Parameters
    ----------
    channel : Channel

    Returns
    -------
    callable
        From counts of shape (tables, reports) to shares of shape (tables, truths).

    Raises
    ------
    ValueError
        If the shares are not identifiable.

    Examples
    --------
    >>> from deniable import designs
    >>> shares(designs.warner(flip="1/4"))(np.array([[50, 50], [60, 40]]))
    array([[0.5, 0.5],
           [0.7, 0.3]])
    """
    G = least_variance(channel)

    def statistic(counts: IntArray) -> FloatArray:
        found: FloatArray = counts @ G.T / counts.sum(axis=1, keepdims=True)
        return found

    return statistic


def maximum_likelihood_shares(channel: Channel) -> Statistic:
    """Return the statistic of one group that is the maximum-likelihood shares of the truths.

    It is computed once for each distinct table: some 0.2 ms for two truths, 1 ms for 16.

    Parameters
    ----------
    channel : Channel

    Returns
    -------
    callable
        From counts of shape (tables, reports) to shares of shape (tables, truths). It raises
        `deniable.analysis.numerics.convergence.ConvergenceError` if a maximum cannot be certified.

    Examples
    --------
    >>> from deniable import designs
    >>> shares_of = maximum_likelihood_shares(designs.warner(flip="1/4"))
    >>> shares_of(np.array([[50, 50], [90, 10]])).round(6)
    array([[0.5, 0.5],
           [1. , 0. ]])
    """

    def statistic(counts: IntArray) -> FloatArray:
        distinct, which = np.unique(counts, axis=0, return_inverse=True)
        found = np.array([likelihood.maximum_likelihood(table, channel) for table in distinct])
        return found[which]

    return statistic


def _resample(counts: IntArray, replicates: int, rng: np.random.Generator) -> IntArray:
    # Over the reports that came only: rounding could otherwise give the last one a chance.
    seen = np.flatnonzero(counts)
    n = counts.sum()
    drawn = np.zeros((replicates, counts.size), dtype=np.int64)
    drawn[:, seen] = rng.multinomial(n, counts.ravel()[seen] / n, size=replicates)
    return drawn.reshape(replicates, *counts.shape)


def _bca(
    replicates: FloatArray, estimate: float, acceleration: float, tails: FloatArray
) -> FloatArray:
    """Return at which quantiles of the replicates the ends are."""
    below = (np.mean(replicates < estimate) + np.mean(replicates <= estimate)) / 2
    if not 0 < below < 1:
        return np.full(2, np.nan)
    z0 = scipy.special.ndtri(below)
    moved = z0 + scipy.special.ndtri(tails)
    at: FloatArray = scipy.special.ndtr(z0 + moved / (1 - acceleration * moved))
    return at


def _values(statistic: Statistic, tables: Sequence[IntArray]) -> FloatArray:
    """Compute the statistic, and see to it that there is one for each table."""
    found = np.asarray(statistic(*tables), dtype=np.float64)
    if found.ndim not in {1, 2} or len(found) != len(tables[0]):
        raise ValueError(
            f"expected a statistic of shape ({len(tables[0])},) or ({len(tables[0])}, values), "
            f"one for each table, found {found.shape}"
        )
    return found


def _check_groups(groups: Sequence[npt.ArrayLike]) -> list[IntArray]:
    if len(groups) == 0:
        raise ValueError("expected the counts of at least one group, found none")
    counts = []
    for index, group in enumerate(groups):
        try:
            given = plain(group)
        except ValueError as mistake:
            raise ValueError(f"group {index}: {mistake}") from None
        if given.dtype.kind not in "iu" or given.ndim == 0:
            raise ValueError(
                f"group {index}: expected an array of counts that are integers, found {group!r}; "
                "a single group is given as a sequence of one"
            )
        if given.min(initial=0) < 0:
            raise ValueError(f"group {index}: expected counts of at least 0, found {given.min()}")
        if (n := given.sum(dtype=np.float64)) < 2:
            raise ValueError(f"group {index}: expected at least 2 respondents, found {n:.0f}")
        counts.append(check_whole(given))
    return counts
