"""Differences between the means of two parts of a population, by a complex sample."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.intervals import quotients
from deniable.analysis.joint.groups import each_group
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.sampling.debiased import Debiased
from deniable.analysis.sampling.design import SamplingDesign
from deniable.analysis.sampling.design_based import DesignEstimate, mean


@dataclass(frozen=True, eq=False)
class DesignDifference:
    """The means of one part of the population less those of another. Made by `difference`.

    Parameters
    ----------
    difference, standard_error : ndarray, shape (variables,)
    correlation : ndarray, shape (variables,)
        Of the two estimates.
    """

    first: DesignEstimate = field(repr=False)
    second: DesignEstimate = field(repr=False)
    difference: FloatArray
    standard_error: FloatArray
    correlation: FloatArray

    @property
    def n(self) -> int:
        """Number of people in both parts."""
        return self.first.n + self.second.n

    @property
    def alike(self) -> bool:
        """Whether people in each part have equal weights and were drawn one by one."""
        both = (self.first.effective, self.second.effective)
        return all(one is not None and one.alike for one in both)

    @property
    def design_effect(self) -> FloatArray:
        """The variance relative to simple random samples of as many people in each part."""
        both = ((one.standard_error, one.design_effect) for one in (self.first, self.second))
        return intervals.effect_of_both(self.standard_error, *both)

    def interval(
        self, level: float = 0.95, method: str = intervals.DEFAULT, *, comparisons: int = 1
    ) -> FloatArray:
        """Confidence interval of each difference: the two intervals, squared and added.

        Parameters
        ----------
        level, method, comparisons
            As for `DesignEstimate.interval`; for "auto" each end keeps its level, see
            `DesignEstimate.end_method`.

        Returns
        -------
        ndarray, shape (variables, 2)
            Lower and upper ends, not clipped; for ratios cut by
            `deniable.analysis.intervals.quotients`. "wald" uses the correlation. The other methods
            use none above 0: where people of both parts are in the same few clusters, its estimate
            is too imprecise to rely on.

        References
        ----------
        Zou, G. Y. (2008). On the estimation of additive interaction by use of the four-by-two table
        and beyond. American Journal of Epidemiology 168, 212-224: for correlated estimates.
        """
        first, second = each_group(self.first, self.second, level, method, comparisons)
        known = self.correlation if method == "wald" else np.minimum(self.correlation, 0)
        ends = intervals.square_and_add(first, second, known)
        if self.first.effective is None or not self.first.effective.of_ratios:
            return ends
        span = self.first.high - self.first.low
        return quotients.left(ends, -span, span)


def difference(
    variable: Debiased,
    design: SamplingDesign,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
) -> DesignDifference:
    """Estimate how much the means of two parts of the population differ.

    Parameters
    ----------
    first, second : array_like of bool, shape (n,)
        Who belongs to each part; no respondent is in both.

    Returns
    -------
    DesignDifference
        The first part's means less the second's.

    Examples
    --------
    >>> from deniable import designs
    >>> from deniable.analysis.sampling import debiased_shares, sampling_design
    >>> doped = debiased_shares([0, 1, 1, 0, 0, 1, 0, 0], designs.warner(flip="1/4"))
    >>> women = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    >>> found = difference(doped, sampling_design([1, 2] * 4), women, 1 - women)
    >>> found.difference.round(3), found.standard_error.round(3)
    (array([-0.333,  0.333]), array([0.792, 0.792]))
    """
    if (np.asarray(first, dtype=np.bool_) & np.asarray(second, dtype=np.bool_)).any():
        raise ValueError("expected two parts of a population, found somebody who is in both")
    one, other = (mean(variable, design, domain=each) for each in (first, second))
    k = len(one.theta)
    both = np.hstack([one.linearised, other.linearised])
    covariance = np.diag(design.covariance(both)[:k, k:])
    errors = one.standard_error * other.standard_error
    with np.errstate(divide="ignore", invalid="ignore"):
        # Without an error, as for a ratio whose divisor may be 0, the correlation is 0.
        correlation = np.clip(np.where(errors > 0, covariance / errors, 0), -1, 1)
    return apart(one, other, correlation)


def apart(
    first: DesignEstimate, second: DesignEstimate, correlation: FloatArray | float = 0.0
) -> DesignDifference:
    """Return the difference of the means of two parts, or of two samples of different people."""
    return DesignDifference(
        first=first,
        second=second,
        difference=first.theta - second.theta,
        standard_error=intervals.added(first.standard_error, second.standard_error, correlation),
        correlation=np.zeros(len(first.theta)) + correlation,
    )
