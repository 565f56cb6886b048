"""Regression of a yes-or-no truth against closed forms and an independent maximisation."""

import numpy as np
import pytest
from scipy import special, stats

from deniable import designs
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.regression import inference
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.fit import Fit
from deniable.analysis.regression.links import LINKS
from deniable.analysis.regression.maximise import Maximum
from deniable.channel import Channel, identity
from tests.analysis.regression.data import Array, Integers, covariates, drawn, maximised

FORCED = designs.forced_response("2/3", "1/2")
WARNER = designs.warner(flip="1/4")


def two_groups(counts: list[list[int]]) -> tuple[Integers, Array]:
    """Return reports and [1, group] covariates of counts of (no, yes) in two groups."""
    reports = np.concatenate([np.repeat([0, 1], group) for group in counts])
    group = np.repeat([0.0, 1.0], [sum(group) for group in counts])
    return reports, np.column_stack([np.ones(len(group)), group])


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


@pytest.mark.parametrize("link", LINKS)
def test_it_is_the_maximum_of_a_likelihood_written_down_a_second_time(link: str) -> None:
    random = np.random.default_rng(4)
    channels, arm = [FORCED], np.zeros(600, int)
    X = covariates(random, 600)
    beta = np.array([-0.7, 0.6, 0.8])
    reports = drawn(random, link, X, beta, channels, arm)
    fit = regress(reports, X, FORCED, link=link)
    height, best = maximised(link, beta, reports, X, channels, arm)
    assert fit.log_likelihood == pytest.approx(height, abs=1e-9)
    np.testing.assert_allclose(fit.coefficients, best, atol=1e-6)
    assert fit.maximum.decrement < 1e-10
    assert fit.message.startswith("converged")


def test_the_null_model_is_the_mean_of_all_reports() -> None:
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


def test_weights_of_whole_numbers_give_the_estimate_of_repeated_rows() -> None:
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


# ------------------------------------------------------------------------- no maximum
def test_a_group_whose_share_is_impossible_runs_to_minus_infinity_and_leaves_the_rest() -> None:
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


def test_an_impossible_share_of_all_is_said_to_be_one() -> None:
    fit = regress(np.repeat([0, 1], [180, 20]), np.ones((200, 1)), FORCED)
    assert fit.at_boundary
    assert fit.coefficients.tolist() == [-np.inf]
    assert fit.log_likelihood == pytest.approx(180 * np.log(5 / 6) + 20 * np.log(1 / 6), abs=1e-6)
    assert "share of report 1 is 0.1" in fit.message
    assert "it allows 0.1667 to 0.8333" in fit.message
    many = regress(np.repeat([0, 1], [20, 180]), np.ones((200, 1)), FORCED)
    assert many.coefficients.tolist() == [np.inf]


def test_two_impossible_groups_are_both_named() -> None:
    g = np.repeat([0, 1, 2], 100)
    X = np.column_stack([np.ones(300), g == 1, g == 2])
    reports = np.concatenate([np.repeat([0, 1], each) for each in ([60, 40], [95, 5], [10, 90])])
    fit = regress(reports, X, FORCED, names=["all", "few", "many"])
    assert fit.separated == ("few", "many")
    assert fit.coefficients[1:].tolist() == [-np.inf, np.inf]
    assert fit.maximum.flat.shape == (3, 2)
    posterior = fit.posterior()
    assert posterior[150].tolist() == [1, 0]
    assert posterior[250].tolist() == [0, 1]


def test_a_covariate_that_nearly_separates_leaves_the_others_to_the_rest() -> None:
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


def test_the_first_of_several_limits_decides() -> None:
    """The group's direction would lift those whom the first direction has sunk."""
    X = np.column_stack([np.ones(4), [0.0, 0, 1, 1], [0.0, 1, 0, 1]])
    likelihood = regress([0, 1, 0, 1], X, identity(2)).likelihood
    to_gamma = np.linalg.inv(likelihood.to_coefficients)
    first, second = to_gamma @ [0, -1, 0], to_gamma @ [0, 0, 1]
    limit = Maximum(
        likelihood=likelihood,
        gamma=np.zeros(3),
        start=np.zeros(3),
        at=likelihood.at(np.zeros(3)),
        decrement=0,
        flat=np.zeros((3, 0)),
        directions=(first, second),
    )
    eta = limit.linear_predictors(likelihood.bases)[:, 0]
    assert np.sign(eta).tolist() == [0, 1, -1, -1]
    assert np.abs(eta[1:]).min() > 1e10
    assert inference.direction_of_separation(limit).round(12).tolist() == [0, -1, 1]


def test_a_supremum_keeps_the_finite_point_where_its_limit_began() -> None:
    fit = regress(np.repeat([0, 1], [180, 20]), np.ones((200, 1)), FORCED)
    start = fit.likelihood.at(fit.maximum.start)
    assert fit.log_likelihood - 1e-2 < start.log_likelihood < fit.log_likelihood
    assert -100 < fit.maximum.start[0] < -5


def test_a_likelihood_that_cannot_be_maximised_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.analysis.regression.maximise._STEPS", 2)
    random, channel = np.random.default_rng(1), designs.warner(flip="1/4")
    X = covariates(random, 600)
    beta = np.array([-0.5, 1, 0.5])
    reports = drawn(random, "cauchit", X, beta, [channel], np.zeros(600, int))
    with pytest.raises(ConvergenceError, match="expected a Newton decrement of 1e-10 at most"):
        regress(reports, X, channel, link="cauchit")


# -------------------------------------------------------------------------- simulation
def simulated(random: np.random.Generator, link: str, n: int, beta: Array, channel: Channel) -> Fit:
    X = covariates(random, n)
    return regress(drawn(random, link, X, beta, [channel], np.zeros(n, int)), X, channel, link=link)


@pytest.mark.slow
@pytest.mark.parametrize("link", LINKS)
def test_intervals_of_every_kind_cover_as_often_as_they_say(link: str) -> None:
    """200 surveys of 1200 people.

    A count of covering intervals outside the binomial quantiles of 1e-8 and 1 - 1e-8 would be
    chance alone less than once in 10^6 runs, over the 48 counts of the four links together. The
    level is .95 +- .01, as the intervals are exact only for infinitely many respondents.
    """
    random = np.random.default_rng(8)
    beta = np.array([-0.6, 0.5, 0.7])
    kinds, runs = ("expected", "observed", "opg", "sandwich"), 200
    covered = np.zeros((len(kinds), 3))
    for _ in range(runs):
        fit = simulated(random, link, 1200, beta, FORCED)
        for row, kind in enumerate(kinds):
            low, high = fit.interval(kind=kind).T
            covered[row] += (low <= beta) & (beta <= high)
    assert covered.min() >= stats.binom.ppf(1e-8, runs, 0.94)
    assert covered.max() <= stats.binom.isf(1e-8, runs, 0.96)
