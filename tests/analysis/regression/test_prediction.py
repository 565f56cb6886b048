"""Predictions, marginal effects and posteriors against closed forms and numerical derivatives."""

import numpy as np
import pytest
from scipy import special, stats

from deniable import designs
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.links import LINKS
from deniable.analysis.regression.multinomial import regress_multinomial
from tests.analysis.regression.data import Array, Integers, covariates, drawn, shares, two_groups

FORCED = designs.forced_response("2/3", "1/2")
THREE = designs.k_ary(3, epsilon=2)
BETA = np.array([-0.5, 0.8, -0.7])
MANY = np.array([-0.5, 1.0, 0.3, 0.4, -0.6, -1.0])
Z = stats.norm.ppf(0.975)


def survey(link: str, n: int = 400) -> tuple[Integers, Array]:
    random = np.random.default_rng(1)
    X = covariates(random, n)
    beta, channel = (MANY, THREE) if link == "multinomial" else (BETA, FORCED)
    return drawn(random, link, X, beta, [channel], np.zeros(n, int)), X


def numerical_gradient(function: object, beta: Array) -> Array:
    assert callable(function)
    steps = 1e-100j * np.eye(len(beta))
    return np.array([np.imag(function(beta + h)) / 1e-100 for h in steps])


@pytest.mark.parametrize("link", LINKS)
def test_predictions_are_mapped_from_the_linear_predictor(link: str) -> None:
    reports, X = survey(link)
    fit = regress(reports, X, FORCED, link=link)
    new = np.array([[1, 0, 0], [1, 2.0, 1]])
    found = fit.predict(new, kind="observed")
    eta = new @ fit.coefficients
    error = np.sqrt(np.diag(new @ fit.covariance("observed") @ new.T))
    F = LINKS[link].cdf
    np.testing.assert_allclose(found.theta, F(eta))
    np.testing.assert_allclose(found.standard_error, LINKS[link].density(eta) * error)
    np.testing.assert_allclose(
        found.interval(), np.stack([F(eta - Z * error), F(eta + Z * error)], axis=1)
    )
    assert fit.predict().theta.shape == (400,)


def test_predictions_of_several_answers_follow_their_logits() -> None:
    reports, X = survey("multinomial")
    fit = regress_multinomial(reports, X, THREE)
    new = np.array([[1, 0, 0], [1, 2.0, 1]])
    found = fit.predict(new)
    beta, V = fit.coefficients.ravel(), fit.covariance()
    pi = shares("multinomial", new, beta.astype(complex), 3).real
    np.testing.assert_allclose(found.theta, pi)
    np.testing.assert_allclose(found.theta.sum(axis=1), 1)
    for row in range(2):
        for truth in range(3):
            G = numerical_gradient(
                lambda b, row=row, truth=truth: shares("multinomial", new, b, 3)[row, truth], beta
            )
            error = np.sqrt(G @ V @ G)
            assert found.standard_error[row, truth] == pytest.approx(error)
            p = pi[row, truth]
            ends = special.expit(special.logit(p) + np.array([-Z, Z]) * error / p / (1 - p))
            np.testing.assert_allclose(found.interval()[row, truth], ends)


def test_an_untold_probability_has_the_whole_interval() -> None:
    found = regress(*two_groups([[120, 80], [180, 20]]), FORCED).predict([[1, 0], [1, 1]])
    assert found.theta[1] == pytest.approx(0, abs=1e-9)
    assert found.interval()[1].tolist() == [0, 1]
    assert found.theta[0] == pytest.approx((0.4 - 1 / 6) * 1.5)
    assert 0 < found.interval()[0, 0] < found.theta[0] < found.interval()[0, 1] < 1
    assert np.isinf(found.standard_error).tolist() == [False, True]


def test_predictions_need_the_columns_of_the_fit() -> None:
    reports, X = survey("logit")
    fit = regress(reports, X, FORCED)
    with pytest.raises(ValueError, match=r"expected covariates of shape \(rows, 3\)"):
        fit.predict([[1, 2]])
    with pytest.raises(ValueError, match="expected finite covariates"):
        fit.predict([[1, np.nan, 0]])


@pytest.mark.parametrize("link", [*LINKS, "multinomial"])
def test_marginal_effects_and_their_errors(link: str) -> None:
    """A number's is the mean derivative, a yes or no's the mean difference; both by brute force."""
    reports, X = survey(link)
    fit = (
        regress_multinomial(reports, X, THREE)
        if link == "multinomial"
        else regress(reports, X, FORCED, link=link)
    )
    truths = 3 if link == "multinomial" else 2
    found = fit.marginal_effects()
    assert found.names == ("x1", "x2")
    beta, V = fit.coefficients.ravel(), fit.covariance()

    def probability(b: Array, x: Array, truth: int) -> complex:
        return complex(shares(link, x, np.asarray(b, dtype=complex), truths)[:, truth].mean())

    def number(b: Array, truth: int) -> complex:
        h = 1e-4
        up, down = X + np.array([0, h, 0]), X - np.array([0, h, 0])
        return (probability(b, up, truth) - probability(b, down, truth)) / (2 * h)

    def binary(b: Array, truth: int) -> complex:
        no = X * np.array([1.0, 1, 0])
        yes = no + np.array([0.0, 0, 1])
        return probability(b, yes, truth) - probability(b, no, truth)

    effects = np.atleast_2d(found.theta)
    errors = np.atleast_2d(found.standard_error)
    for row, truth in enumerate(range(3) if truths == 3 else [1]):
        for column, function in enumerate((number, binary)):
            assert effects[row, column] == pytest.approx(
                function(beta, truth).real, rel=1e-6, abs=1e-8
            )
            G = numerical_gradient(lambda b, f=function, t=truth: f(b, t), beta)
            assert errors[row, column] == pytest.approx(np.sqrt(G @ V @ G), rel=1e-5)
    z = found.theta / found.standard_error
    np.testing.assert_allclose(found.p_value(), 2 * stats.norm.sf(np.abs(z)))
    np.testing.assert_allclose(
        found.interval()[..., 1] - found.interval()[..., 0], 2 * Z * found.standard_error
    )
    if truths == 3:
        np.testing.assert_allclose(found.theta.sum(axis=0), 0, atol=1e-12)


def test_the_posterior_is_bayes_rule() -> None:
    """Half are guilty and one reports yes: 5/6 of the guilty do so, and 1/6 of the innocent."""
    reports = np.repeat([0, 1], [100, 100])
    posterior = regress(reports, np.ones((200, 1)), FORCED).posterior()
    np.testing.assert_allclose(posterior[0], [5 / 6, 1 / 6], rtol=1e-7)
    np.testing.assert_allclose(posterior[-1], [1 / 6, 5 / 6], rtol=1e-7)
    many, X = survey("multinomial")
    fit = regress_multinomial(many, X, THREE)
    by_hand = fit.predict().theta * THREE.probabilities[:, many].T
    np.testing.assert_allclose(
        fit.posterior(), by_hand / by_hand.sum(axis=1, keepdims=True), rtol=1e-9
    )
