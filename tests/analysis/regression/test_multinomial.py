"""Regression of a truth of k answers."""

import numpy as np
import pytest
from scipy import optimize

from deniable import designs
from deniable.analysis.likelihood import maximum_likelihood
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.multinomial import regress_multinomial
from tests.analysis.regression.data import Array, covariates, drawn, log_likelihood

THREE = designs.k_ary(3, epsilon=2)


def test_an_intercept_alone_gives_the_most_likely_shares() -> None:
    counts = np.array([50, 30, 45, 75])
    channel = designs.k_ary(4, epsilon=2)
    fit = regress_multinomial(np.repeat(range(4), counts), np.ones((200, 1)), channel)
    theta = maximum_likelihood(counts, channel)
    np.testing.assert_allclose(fit.coefficients[:, 0], np.log(theta[1:] / theta[0]), rtol=1e-7)


def test_it_is_the_maximum_of_a_likelihood_written_down_a_second_time() -> None:
    random = np.random.default_rng(2)
    channels, arm = [THREE], np.zeros(600, int)
    X = covariates(random, 600)
    truth = np.array([-0.5, 1.0, 0.3, 0.4, -0.6, -1.0])
    reports = drawn(random, "multinomial", X, truth, channels, arm)
    fit = regress_multinomial(reports, X, THREE)

    def loss(beta: Array) -> tuple[float, Array]:
        steps = 1e-100j * np.eye(6)
        arguments = (reports, X, channels, arm)
        gradient = [log_likelihood("multinomial", beta + h, *arguments).imag for h in steps]
        value = log_likelihood("multinomial", beta, *arguments).real
        return -value / 600, -np.array(gradient) / 600e-100

    best = optimize.minimize(loss, np.zeros(6), jac=True, method="BFGS", options={"gtol": 1e-9})
    assert fit.log_likelihood == pytest.approx(-600 * best.fun, abs=1e-9)
    np.testing.assert_allclose(fit.coefficients.ravel(), best.x, atol=1e-6)


def test_an_answer_that_nobody_gives_runs_to_minus_infinity() -> None:
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


def test_answers_are_one_for_each_truth() -> None:
    with pytest.raises(ValueError, match="expected 3 answers, one for each truth, found 2"):
        regress_multinomial([0, 1, 2], np.ones((3, 1)), THREE, answers=["no", "yes"])


def test_a_binary_regression_of_three_truths_is_referred_here() -> None:
    with pytest.raises(ValueError, match="see regress_multinomial"):
        regress([0, 1, 2], np.ones((3, 1)), THREE)
