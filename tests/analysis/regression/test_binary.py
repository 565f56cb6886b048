"""Regressions of a randomised truth: closed forms, an independent maximisation, refusals."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from deniable import designs
from deniable.analysis.likelihood import maximum_likelihood
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.design import covariates_of, variance_inflation
from deniable.analysis.regression.fit import Fit, MultinomialFit
from deniable.analysis.regression.links import LINKS
from deniable.analysis.regression.multinomial import regress_multinomial
from deniable.channel import Channel, identity
from tests.analysis.regression.data import covariates, drawn, maximised, two_groups

FORCED = designs.forced_response("2/3", "1/2")
WARNER = designs.warner(flip="1/4")
THREE = designs.k_ary(3, epsilon=2)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(
    "channel", [FORCED, WARNER, identity(2)], ids=["forced", "warner", "direct"]
)
def test_a_saturated_model_maps_the_two_unbiased_estimates(link: str, channel: Channel) -> None:
    reports, X = two_groups([[120, 80], [110, 190]])
    fit = regress(reports, X, channel, link=link)
    c, d = channel.probabilities[0, 1], np.diff(channel.probabilities[:, 1])[0]
    theta = (np.array([80 / 200, 190 / 300]) - c) / d
    eta = LINKS[link].quantile(theta)
    np.testing.assert_allclose(fit.coefficients, [eta[0], eta[1] - eta[0]], rtol=1e-9)
    # The variance of each group's share, and of its linear predictor by the delta method.
    share = c + d * theta
    variance = share * (1 - share) / [200, 300] / d**2 / LINKS[link].density(eta) ** 2
    expected = [[variance[0], -variance[0]], [-variance[0], variance.sum()]]
    for kind in ("expected", "observed", "opg", "sandwich"):
        np.testing.assert_allclose(fit.covariance(kind), expected, rtol=1e-8)
    # Nothing is left to explain.
    fits = fit.goodness_of_fit()
    assert (fits.sparse, fits.pearson.degrees_of_freedom) == (False, 0)
    assert fits.pearson.statistic == pytest.approx(0, abs=1e-10)
    assert np.isnan(fits.pearson.p_value)


@pytest.mark.parametrize("link", [*LINKS, "multinomial"])
def test_it_maximises_a_likelihood_written_anew(link: str) -> None:
    random, arm, is_several = np.random.default_rng(4), np.zeros(600, int), link == "multinomial"
    channel, X = THREE if is_several else FORCED, covariates(random, 600)
    beta = np.array([-0.5, 1.0, 0.3, 0.4, -0.6, -1.0] if is_several else [-0.7, 0.6, 0.8])
    reports = drawn(random, link, X, beta, [channel], arm)
    fit: Fit | MultinomialFit = (
        regress_multinomial(reports, X, channel)
        if is_several
        else regress(reports, X, channel, link=link)
    )
    height, best = maximised(link, beta, reports, X, [channel], arm)
    assert fit.log_likelihood == pytest.approx(height, abs=1e-9)
    np.testing.assert_allclose(fit.coefficients.ravel(), best, atol=1e-6)
    assert fit.maximum.decrement < 1e-10
    assert fit.message.startswith("converged")


def test_the_null_model_is_the_mean_report() -> None:
    reports, X = two_groups([[120, 80], [110, 190]])
    fit = regress(reports, X, FORCED)
    share = 270 / 500
    expected = 270 * np.log(share) + 230 * np.log(1 - share)
    assert fit.null_log_likelihood == pytest.approx(expected)
    full = sum(
        stats.binom.logpmf(y, n, y / n) - np.log(special.comb(n, y))
        for y, n in ((80, 200), (190, 300))
    )
    assert fit.log_likelihood == pytest.approx(full)
    assert fit.aic == pytest.approx(4 - 2 * full)
    assert fit.bic == pytest.approx(2 * np.log(500) - 2 * full)
    assert (fit.n, fit.df, fit.dropped) == (500, 2, 0)


def test_whole_weights_are_repeated_rows() -> None:
    random = np.random.default_rng(7)
    X = covariates(random, 200)
    reports = drawn(random, "logit", X, np.array([0.2, 0.7, -1.0]), [WARNER], np.zeros(200, int))
    weights = random.integers(1, 4, size=200)
    fit = regress(reports, X, WARNER, weights=weights)
    repeated = regress(np.repeat(reports, weights), np.repeat(X, weights, axis=0), WARNER)
    np.testing.assert_allclose(fit.coefficients, repeated.coefficients, rtol=1e-9)
    # One person of weight 3 is not three people: in the sandwich her score is squared whole.
    clustered = repeated.covariance("sandwich", clusters=np.repeat(np.arange(200), weights))
    np.testing.assert_allclose(fit.covariance() * 200 / 199, clustered, rtol=1e-8)
    for ask in (
        lambda: fit.aic,
        lambda: fit.interval(method="profile"),
        lambda: fit.covariance("expected"),
        fit.goodness_of_fit,
        lambda: fit.likelihood_ratio_of("x1"),
    ):
        with pytest.raises(ValueError, match="found sampling weights"):
            ask()


def test_an_impossible_group_runs_to_minus_infinity_alone() -> None:
    """The forced yeses alone are a sixth; here a tenth of the second group says yes."""
    reports, X = two_groups([[120, 80], [180, 20]])
    share = np.array([80 / 200, 1 / 6])
    supremum = 80 * np.log(share[0]) + 120 * np.log(1 - share[0]) + 20 * np.log(1 / 6)
    supremum += 180 * np.log(5 / 6)
    for link in LINKS:
        fit = regress(reports, X, FORCED, link=link, names=["all", "second"])
        assert fit.at_boundary
        assert fit.separated == ("second",)
        assert fit.log_likelihood == pytest.approx(supremum, abs=1e-6)
        assert fit.coefficients[1] == -np.inf
        alone = regress(reports[:200], np.ones((200, 1)), FORCED, link=link)
        assert fit.coefficients[0] == pytest.approx(alone.coefficients[0], rel=1e-7)
        assert fit.standard_error()[0] == pytest.approx(alone.standard_error()[0], rel=1e-6)
        assert fit.standard_error()[1] == np.inf
        assert np.isnan(fit.p_value()[1])
        assert fit.interval()[1].tolist() == [-np.inf, np.inf]
        assert "second run to infinity" in fit.message
        assert "probability 0 for 200 of 400" in fit.message


def test_an_impossible_share_of_all_is_said() -> None:
    fit = regress(np.repeat([0, 1], [180, 20]), np.ones((200, 1)), FORCED)
    assert fit.at_boundary
    assert fit.coefficients.tolist() == [-np.inf]
    assert fit.log_likelihood == pytest.approx(180 * np.log(5 / 6) + 20 * np.log(1 / 6), abs=1e-6)
    assert "share of report 1 is 0.1" in fit.message
    assert "it allows 0.1667 to 0.8333" in fit.message
    many = regress(np.repeat([0, 1], [20, 180]), np.ones((200, 1)), FORCED)
    assert many.coefficients.tolist() == [np.inf]


def test_a_separating_covariate_leaves_the_others_alone() -> None:
    """All of group 1 say yes, so that its reports tell nothing of the slope of z."""
    y = np.tile([0, 0, 1, 0, 1, 1, 1, 1], 5)
    group, z = np.tile([0.0, 0, 0, 0, 1, 1, 1, 1], 5), np.arange(40) % 7
    fit = regress(y, np.column_stack([np.ones(40), group, z]), identity(2), names=["one", "g", "z"])
    rest = group == 0
    alone = regress(y[rest], np.column_stack([np.ones(20), z[rest]]), identity(2))
    assert fit.separated == ("g",)
    np.testing.assert_allclose(fit.coefficients[[0, 2]], alone.coefficients, rtol=1e-6)
    np.testing.assert_allclose(fit.standard_error()[[0, 2]], alone.standard_error(), rtol=1e-6)
    assert fit.log_likelihood == pytest.approx(alone.log_likelihood, abs=1e-7)


def test_an_unreached_maximum_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.analysis.regression.maximise._STEPS", 2)
    random, channel = np.random.default_rng(1), designs.warner(flip="1/4")
    X = covariates(random, 600)
    beta = np.array([-0.5, 1, 0.5])
    reports = drawn(random, "cauchit", X, beta, [channel], np.zeros(600, int))
    with pytest.raises(ConvergenceError, match="expected a Newton decrement of 1e-10 at most"):
        regress(reports, X, channel, link="cauchit")


def test_an_intercept_alone_gives_the_most_likely_shares() -> None:
    counts = np.array([50, 30, 45, 75])
    channel = designs.k_ary(4, epsilon=2)
    fit = regress_multinomial(np.repeat(range(4), counts), np.ones((200, 1)), channel)
    theta = maximum_likelihood(counts, channel)
    np.testing.assert_allclose(fit.coefficients[:, 0], np.log(theta[1:] / theta[0]), rtol=1e-7)


@pytest.mark.slow
def test_an_answer_of_nobody_runs_to_minus_infinity() -> None:
    """Truth 2 is reported less often than the noise alone reports it."""
    fit = regress_multinomial(np.repeat(range(3), [60, 35, 5]), np.ones((100, 1)), THREE)
    assert fit.at_boundary
    assert fit.coefficients[1, 0] == -np.inf
    theta = maximum_likelihood(np.array([60, 35, 5]), THREE)
    assert theta[2] == 0
    assert fit.coefficients[0, 0] == pytest.approx(np.log(theta[1] / theta[0]), rel=1e-6)
    P = theta @ THREE.probabilities
    assert fit.log_likelihood == pytest.approx(float(np.array([60, 35, 5]) @ np.log(P)), abs=1e-6)
    assert fit.interval(method="profile")[1, 0, 0] == -np.inf
    assert "truth 2 gets probability 0 for 100 of 100" in fit.message


X = np.column_stack([np.ones(6), [0.0, 1, 2, 3, 4, 5]])
REPORTS = [0, 1, 0, 1, 1, 0]
SILENT = Channel.from_probabilities([["1/2", "1/2"], ["1/2", "1/2"]])
NARROW = Channel.from_probabilities([["3/4", "1/4", 0], ["1/4", "3/4", 0]])
DEPENDENT = np.column_stack([X, 3 * X[:, 1] - 2, X[:, 1] ** 2])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reports": [0, 1, 2, 1, 1, 0]}, "a report from 0 to 1, found 2 in row 2"),
        ({"reports": [0.5] * 6}, "reports that are integers, found float64"),
        ({"X": X[:5]}, r"covariates of shape \(6, p\)"),
        ({"X": np.where(X == 3, np.nan, X)}, "found nan in row 3, column 1"),
        ({"X": DEPENDENT}, "found x2 to be a linear combination of intercept, x1"),
        ({"X": np.column_stack([X, np.zeros(6)])}, "found x2 to be 0"),
        ({"X": np.eye(6)[:3], "reports": [0, 1, 1]}, "at least 6 respondents, .* found 3"),
        ({"names": ["a"]}, "expected 2 names, one for each column, found 1"),
        ({"link": "log"}, "expected a link of"),
        ({"channel": SILENT}, "the coefficients are not identifiable"),
        ({"channel": NARROW, "reports": [0, 1, 0, 1, 2, 0]}, "no truth can send.* in row 4"),
        ({"channel": THREE}, "see regress_multinomial"),
        ({"weights": [1, 2, 0, 1, 1, 1]}, "weights above 0, found 0.0 in row 2"),
    ],
)
def test_mistakes_are_named(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"reports": REPORTS, "X": X, "channel": FORCED} | change
    with pytest.raises(ValueError, match=message):
        regress(**arguments)


def test_covariates_that_are_nearly_dependent_are_warned_of() -> None:
    """Variances are inflated by the diagonal of the inverse of the correlations."""
    random = np.random.default_rng(1)
    a, b, rest = random.normal(size=(3, 40))
    columns = np.stack([a, b, a + b + rest / 30])
    X = np.column_stack([np.ones(40), *columns])
    inflated = np.diag(np.linalg.inv(np.corrcoef(columns)))
    np.testing.assert_allclose(variance_inflation(X), [0, *inflated], rtol=1e-8)
    greatest = inflated.max()
    said = rf"c is nearly a linear combination of .* {math.sqrt(greatest):.0f} times as wide"
    with pytest.warns(UserWarning, match=rf"{said}.*inflation {greatest:,.0f}\)"):
        covariates_of(X, np.zeros(40), ["Intercept", "a", "b", "c"])
    years = np.arange(18.0, 70.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        covariates_of(np.column_stack([np.ones(52), years, years**2]), np.zeros(52), None)


def test_hosmer_and_lemeshow_s_groups_are_tenths() -> None:
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
    assert found.sparse
    assert found.hosmer_lemeshow.statistic == pytest.approx(statistic)
    assert found.hosmer_lemeshow.degrees_of_freedom == 8
    assert found.hosmer_lemeshow.p_value == pytest.approx(stats.chi2.sf(statistic, 8))
    assert fit.goodness_of_fit(groups=5).hosmer_lemeshow.degrees_of_freedom == 3
    with pytest.raises(ValueError, match="expected at least 3 groups, found 2"):
        fit.goodness_of_fit(groups=2)
