"""Links, score and information, against derivatives of what is written a second time."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from deniable import designs
from deniable.analysis.regression.design import likelihood_of
from deniable.analysis.regression.likelihood import Likelihood, LikelihoodAt
from deniable.analysis.regression.links import LINKS
from deniable.analysis.regression.truth import BaselineCategory, Binary, TruthModel
from deniable.channel import Channel
from tests.analysis.channels import channels as any_channel
from tests.analysis.regression.data import (
    Array,
    Integers,
    covariates,
    distribution,
    drawn,
    log_likelihood,
)

STEP = 1e-100


@dataclass
class Case:
    link: str
    X: Array
    reports: Integers
    channel: Channel
    beta: Array

    @property
    def likelihood(self) -> Likelihood:
        model: TruthModel = (
            BaselineCategory(self.channel.truths)
            if self.link == "multinomial"
            else Binary(LINKS[self.link])
        )
        return likelihood_of(model, self.reports, self.X, self.channel, None)

    @property
    def at(self) -> LikelihoodAt:
        gamma = np.linalg.solve(self.likelihood.to_coefficients, self.beta)
        return self.likelihood.at(gamma.astype(np.float64))

    def score(self, beta: Array) -> Array:
        """Differentiate the second likelihood by the complex step, exact but for rounding."""
        steps = STEP * 1j * np.eye(len(beta))
        return np.array([self.log_likelihood(beta + step).imag / STEP for step in steps])

    def log_likelihood(self, beta: object) -> complex:
        alike = np.zeros(len(self.X), int)
        return log_likelihood(
            self.link, np.asarray(beta), self.reports, self.X, [self.channel], alike
        )


def case(link: str, channel: Channel, seed: int = 1, n: int = 40) -> Case:
    random = np.random.default_rng(seed)
    X = covariates(random, n)
    size = 3 * (channel.truths - 1)
    beta = random.normal(size=size) / 2
    reports = drawn(random, link, X, beta, [channel], np.zeros(n, int))
    return Case(link, X, reports, channel, beta)


FORCED = designs.forced_response("2/3", "1/2")
CASES = {
    **{link: case(link, FORCED) for link in LINKS},
    "three answers": case("multinomial", designs.k_ary(3, epsilon=2)),
    "four answers": case("multinomial", designs.k_ary(4, epsilon=1)),
}


@pytest.fixture(params=CASES.values(), ids=list(CASES))
def some(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def test_expected_information_is_the_mean_squared_score(
    some: Case,
) -> None:
    """One respondent at a time, every report that could have come is tried."""
    T = some.likelihood.to_coefficients
    total = np.zeros((len(some.beta), len(some.beta)))
    for i in range(len(some.X)):
        for report in range(some.channel.reports):
            one = Case(some.link, some.X[[i]], np.array([report]), some.channel, some.beta)
            probability = np.exp(one.log_likelihood(some.beta).real)
            score = one.score(some.beta)
            total += probability * np.outer(score, score)
    np.testing.assert_allclose(some.at.expected, T.T @ total @ T, rtol=1e-9, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(any_channel(), st.integers(0, 2**32 - 1))
def test_every_channel_has_its_score_and_observed_information(channel: Channel, seed: int) -> None:
    one = case("multinomial", channel, seed, n=12)
    likelihood = one.likelihood
    at = one.at
    expected = likelihood.to_coefficients.T @ one.score(one.beta)
    np.testing.assert_allclose(at.score, expected, rtol=1e-9, atol=1e-8)
    # Louis (1982): the covariance of the truth, less that given the report.
    P = at.truth.probabilities
    r = P * likelihood.own_column / at.P[:, np.newaxis]
    total = np.zeros_like(at.observed)
    for z, prior, posterior in zip(likelihood.bases[0], P[:, 1:], r[:, 1:], strict=True):
        before = np.diag(prior) - np.outer(prior, prior)
        after = np.diag(posterior) - np.outer(posterior, posterior)
        total += np.kron(before - after, np.outer(z, z))
    np.testing.assert_allclose(at.observed, total, rtol=1e-9, atol=1e-9)


ETA = np.array([-3.0, -1.2, -0.1, 0.0, 0.4, 1.7, 2.5])


@pytest.mark.parametrize("name", LINKS)
def test_derivatives_and_quantile_are_those_of_the_distribution(name: str) -> None:
    link = LINKS[name]
    np.testing.assert_allclose(link.cdf(ETA), distribution(name, ETA + 0j).real, rtol=1e-13)
    first = distribution(name, ETA + STEP * 1j).imag / STEP
    np.testing.assert_allclose(link.density(ETA), first, rtol=1e-12)
    h = 1e-5
    second = (link.density(ETA + h) - link.density(ETA - h)) / (2 * h)
    np.testing.assert_allclose(link.slope(ETA), second, atol=1e-9)
    np.testing.assert_allclose(link.quantile(link.cdf(ETA)), ETA, atol=1e-12)
    np.testing.assert_allclose(link.cdf(ETA) + link.survival(ETA), 1, rtol=1e-14)


def test_tails_are_accurate_where_differences_vanish() -> None:
    far = np.array([30.0])
    logistic, normal, cauchy = stats.logistic, stats.norm, stats.cauchy
    for name, law in (("logit", logistic), ("probit", normal), ("cauchit", cauchy)):
        link = LINKS[name]
        np.testing.assert_allclose(link.survival(far), law.sf(far), rtol=1e-12)
        np.testing.assert_allclose(link.cdf(-far), law.cdf(-far), rtol=1e-12)
    very_far = np.array([1e12])
    np.testing.assert_allclose(LINKS["cauchit"].survival(very_far), 1e-12 / np.pi, rtol=1e-12)
    np.testing.assert_allclose(LINKS["cauchit"].cdf(-very_far), 1e-12 / np.pi, rtol=1e-12)
    assert LINKS["cloglog"].survival(np.array([3.0]))[0] == pytest.approx(np.exp(-np.exp(3)))
    assert LINKS["cloglog"].cdf(-far)[0] == pytest.approx(np.exp(-30), rel=1e-12)


def test_nothing_overflows_far_out() -> None:
    far = np.array([-1e100, -1e4, 1e4, 1e100])
    for link in LINKS.values():
        for function in (link.cdf, link.survival, link.density, link.slope):
            assert np.isfinite(function(far)).all()
