"""Score and information against derivatives of a likelihood written down a second time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable import designs
from deniable.analysis.regression.design import checked_channels, likelihood_of
from deniable.analysis.regression.likelihood import Likelihood, LikelihoodAt
from deniable.analysis.regression.links import LINKS
from deniable.analysis.regression.truth import BaselineCategory, Binary, TruthModel
from deniable.channel import Channel, identity
from tests.analysis.channels import channels as any_channel
from tests.analysis.regression.data import Array, Integers, covariates, drawn, log_likelihood

STEP = 1e-100


@dataclass
class Case:
    link: str
    X: Array
    reports: Integers
    channels: Sequence[Channel]
    arm: Integers
    beta: Array

    @property
    def likelihood(self) -> Likelihood:
        model: TruthModel = (
            BaselineCategory(self.channels[0].truths)
            if self.link == "multinomial"
            else Binary(LINKS[self.link])
        )
        return likelihood_of(
            model, self.reports, self.X, checked_channels(self.channels), self.arm, None
        )

    @property
    def at(self) -> LikelihoodAt:
        """Evaluate the likelihood at the coefficients `beta`."""
        gamma = np.linalg.solve(self.likelihood.to_coefficients, self.beta)
        return self.likelihood.at(gamma.astype(np.float64))

    def score(self, beta: Array) -> Array:
        """Differentiate the second likelihood by the complex step, exact but for rounding."""
        steps = STEP * 1j * np.eye(len(beta))
        return np.array([self.log_likelihood(beta + step).imag / STEP for step in steps])

    def log_likelihood(self, beta: object) -> complex:
        return log_likelihood(
            self.link, np.asarray(beta), self.reports, self.X, self.channels, self.arm
        )


def case(link: str, channels: Sequence[Channel], seed: int = 1, n: int = 40) -> Case:
    random = np.random.default_rng(seed)
    X = covariates(random, n)
    size = 3 * (channels[0].truths - 1)
    beta = random.normal(size=size) / 2
    arm = random.integers(len(channels), size=n)
    return Case(link, X, drawn(random, link, X, beta, channels, arm), channels, arm, beta)


FORCED = designs.forced_response("2/3", "1/2")
CASES = {
    **{link: case(link, [FORCED]) for link in LINKS},
    "with a direct arm": case("logit", [FORCED, identity(2)]),
    "probit with a direct arm": case("probit", [designs.warner(flip="1/5"), identity(2)]),
    "three answers": case("multinomial", [designs.k_ary(3, epsilon=2)]),
    "four answers, two arms": case("multinomial", [designs.k_ary(4, epsilon=1), identity(4)]),
}


@pytest.fixture(params=CASES.values(), ids=list(CASES))
def some(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def test_the_expected_information_is_the_mean_of_squared_scores_over_all_reports(
    some: Case,
) -> None:
    """One respondent at a time, every report that could have come is tried."""
    T = some.likelihood.to_coefficients
    total = np.zeros((len(some.beta), len(some.beta)))
    for i in range(len(some.X)):
        channel = some.channels[int(some.arm[i])]
        for report in range(channel.reports):
            one = Case(
                some.link, some.X[[i]], np.array([report]), [channel], np.array([0]), some.beta
            )
            probability = np.exp(one.log_likelihood(some.beta).real)
            score = one.score(some.beta)
            total += probability * np.outer(score, score)
    np.testing.assert_allclose(some.at.expected, T.T @ total @ T, rtol=1e-9, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(any_channel(), st.integers(0, 2**32 - 1))
def test_every_channel_has_its_score_and_observed_information(channel: Channel, seed: int) -> None:
    one = case("multinomial", [channel], seed, n=12)
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
