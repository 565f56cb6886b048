"""Goodness of fit against tables computed by hand, and its distribution when the model holds."""

import numpy as np
import pytest
from scipy import stats

from deniable import designs
from deniable.analysis.regression.binary import regress
from tests.analysis.regression.data import covariates, drawn

FORCED = designs.forced_response("2/3", "1/2")


def test_a_saturated_model_leaves_nothing_to_explain() -> None:
    reports = np.repeat([0, 1, 0, 1], [120, 80, 110, 190])
    X = np.column_stack([np.ones(500), np.repeat([0, 1], [200, 300])])
    found = regress(reports, X, FORCED).goodness_of_fit()
    assert found.patterns == 2
    assert not found.sparse
    assert found.pearson.degrees_of_freedom == 0
    assert found.pearson.statistic == pytest.approx(0, abs=1e-12)
    assert found.deviance.statistic == pytest.approx(0, abs=1e-10)
    assert np.isnan(found.pearson.p_value)


def test_hosmer_and_lemeshows_groups_are_tenths_of_the_report_probability() -> None:
    random = np.random.default_rng(1)
    X = covariates(random, 500)
    reports = drawn(random, "logit", X, np.array([-0.5, 0.8, -0.7]), [FORCED], np.zeros(500, int))
    fit = regress(reports, X, FORCED)
    P = 1 / 6 + 2 / 3 / (1 + np.exp(-X @ fit.coefficients))
    statistic = 0.0
    for tenth in np.array_split(np.argsort(P), 10):
        observed, expected = reports[tenth].sum(), P[tenth].sum()
        statistic += (observed - expected) ** 2 / (expected * (1 - expected / len(tenth)))
    found = fit.goodness_of_fit()
    assert found.groups == 10
    assert found.sparse
    assert found.hosmer_lemeshow.statistic == pytest.approx(statistic)
    assert found.hosmer_lemeshow.degrees_of_freedom == 8
    assert found.hosmer_lemeshow.p_value == pytest.approx(stats.chi2.sf(statistic, 8))
    assert fit.goodness_of_fit(groups=5).hosmer_lemeshow.degrees_of_freedom == 3
    with pytest.raises(ValueError, match="expected at least 3 groups, found 2"):
        fit.goodness_of_fit(groups=2)


@pytest.mark.slow
def test_the_p_values_are_uniform_if_the_model_holds() -> None:
    """Kolmogorov's test of 300 p-values each, at a false alarm of 1e-7."""
    random = np.random.default_rng(4)
    p_values = []
    for _ in range(300):
        x = random.integers(0, 6, size=600).astype(float)
        X = np.column_stack([np.ones(600), x])
        reports = drawn(random, "logit", X, np.array([-1.0, 0.3]), [FORCED], np.zeros(600, int))
        found = regress(reports, X, FORCED).goodness_of_fit()
        p_values.append((found.pearson.p_value, found.deviance.p_value))
    for column in np.array(p_values).T:
        assert stats.kstest(column, "uniform").pvalue > 1e-7


def test_a_model_that_is_wrong_is_found_out() -> None:
    """The truth depends on x squared: the p-value is below 1e-6 with near certainty."""
    random = np.random.default_rng(5)
    x = random.integers(-2, 3, size=4000).astype(float)
    square = np.column_stack([np.ones(4000), x, x**2])
    beta = np.array([-2.0, 0.2, 1.0])
    reports = drawn(random, "logit", square, beta, [FORCED], np.zeros(4000, int))
    found = regress(reports, square[:, :2], FORCED).goodness_of_fit(groups=5)
    assert found.pearson.p_value < 1e-6
    assert found.deviance.p_value < 1e-6
    assert found.hosmer_lemeshow.p_value < 1e-6
    assert regress(reports, square, FORCED).goodness_of_fit().pearson.p_value > 1e-6
