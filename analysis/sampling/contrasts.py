"""Differences between the means of two parts of a population, by a complex sample."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deniable.analysis.joint.groups import Difference, less
from deniable.analysis.sampling.debiased import Debiased
from deniable.analysis.sampling.design import SamplingDesign
from deniable.analysis.sampling.design_based import mean


def difference(
    variable: Debiased,
    design: SamplingDesign,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
) -> Difference:
    """Estimate how much the means of two parts of the population differ.

    Parameters
    ----------
    first, second : array_like of bool, shape (n,)
        Who belongs to each part; no respondent is in both.

    Returns
    -------
    Difference
        The first part's means less the second's. Its intervals use no correlation above 0, but for
        'wald': where people of both parts are in the same few clusters, its estimate is too
        imprecise to rely on.

    References
    ----------
    Zou, G. Y. (2008). On the estimation of additive interaction by use of the four-by-two table and
    beyond. American Journal of Epidemiology 168, 212-224: for correlated estimates.

    Examples
    --------
    >>> from deniable import designs
    >>> from deniable.analysis.sampling import debiased_shares, sampling_design
    >>> doped = debiased_shares([0, 1, 1, 0, 0, 1, 0, 0], designs.warner(flip="1/4"))
    >>> women = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    >>> found = difference(doped, sampling_design([1, 2] * 4), women, 1 - women)
    >>> found.theta.round(3), found.standard_error.round(3)
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
    return less(one, other, correlation, reliable=False)
