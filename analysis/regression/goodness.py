"""Goodness of fit of a regression with randomised responses, judged by the reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray, IndexArray
from deniable.analysis.regression.inference import Test, chi_square
from deniable.analysis.regression.likelihood import Likelihood, LikelihoodAt

# Cochran's rule: the chi-square approximation is trusted while at most a fifth of the cells expect
# fewer than five.
_FEW: Final = 5
_SPARSE: Final = 0.2


@dataclass(frozen=True)
class GoodnessOfFit:
    """How well the fitted model explains the reports. Made by `Fit.goodness_of_fit`.

    `pearson`: of the counts of reports in each pattern of covariates against a model in which every
    pattern has a distribution of its own. `sparse`: whether more than a fifth of the cells expect
    fewer than five reports. The p-value of `pearson` then means nothing, which is so for every
    continuous covariate. `hosmer_lemeshow`: of the counts of reports in groups of similar fitted
    probability; meant for that case.
    """

    pearson: Test
    sparse: bool
    hosmer_lemeshow: Test


def goodness_of_fit(at: LikelihoodAt, coefficients: int, groups: int) -> GoodnessOfFit:
    """Compare the counts of reports with what the fit expects.

    What came are reports, so reports are what is compared: with O the observed and E the expected
    count of a cell, Pearson's statistic is the sum of ``(O - E)^2 / E``. Its degrees of freedom are
    the patterns times the reports that can come less one, less the coefficients.

    Hosmer and Lemeshow's groups are cut at quantiles of the fitted probability of a report other
    than 0, respondents of equal probability staying together. With c reports and g groups there
    are ``(g - 2)(c - 1)`` degrees of freedom.

    Hosmer, D. W. and Lemeshow, S. (1980). Goodness of fit tests for the multiple logistic
    regression model. Communications in Statistics A9, 1043-1069.
    Fagerland, M. W., Hosmer, D. W. and Bofin, A. M. (2008). Multinomial goodness-of-fit tests for
    logistic regression models. Statistics in Medicine 27, 4238-4253, section 2.
    """
    if groups < 3:
        raise ValueError(f"expected at least 3 groups, found {groups}")
    likelihood = at.likelihood
    P = likelihood.report_probabilities(at.truth)
    _, pattern = np.unique(likelihood.X, axis=0, return_inverse=True)
    observed, expected = _cells(likelihood, P, pattern.ravel())
    possible = expected > 0
    df = int((possible.sum(axis=1) - 1).sum()) - coefficients
    other = 1 - P[:, 0]
    cuts = np.quantile(
        np.repeat(other, likelihood.each.astype(np.intp)), np.arange(1, groups) / groups
    )
    group = np.searchsorted(np.unique(cuts), other)
    _, group = np.unique(group, return_inverse=True)
    in_groups, expected_in_groups = _cells(likelihood, P, group)
    made, reports = len(in_groups), int(P.any(axis=0).sum())
    return GoodnessOfFit(
        pearson=chi_square(_pearson(observed, expected), df),
        sparse=bool((expected[possible] < _FEW).mean() > _SPARSE),
        hosmer_lemeshow=chi_square(
            _pearson(in_groups, expected_in_groups), (made - 2) * (reports - 1)
        ),
    )


def _cells(likelihood: Likelihood, P: FloatArray, group: IndexArray) -> tuple[FloatArray, ...]:
    """Return the observed and expected counts of each report in each group."""
    groups, columns, each = int(group.max()) + 1, P.shape[1], likelihood.each
    observed = np.bincount(group * columns + likelihood.reports, each, groups * columns)
    expected: FloatArray = np.stack(
        [np.bincount(group, weights=each * column).astype(np.float64) for column in P.T], axis=1
    )
    return observed.reshape(groups, columns).astype(np.float64), expected


def _pearson(observed: FloatArray, expected: FloatArray) -> float:
    possible = expected > 0
    return float(np.sum((observed - expected)[possible] ** 2 / expected[possible]))
