"""The most likely mixture: its certificate, and scipy's word for it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from deniable.analysis.likelihood import maximum_likelihood
from deniable.analysis.numerics import mixture
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.numerics.mixture import (
    FloatArray,
    greatest_log_likelihood,
    most_likely_mixture,
)
from deniable.channel import Channel
from tests.analysis.channels import channels


@settings(derandomize=True, max_examples=200)
@given(st.integers(1, 12), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_no_mixture_is_more_likely_though_the_classes_are_dependent(
    classes: int, reports: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    rows = random.dirichlet(np.full(reports, 0.3), size=classes)
    w = random.multinomial(int(random.integers(1, 10**6)), random.dirichlet(np.ones(reports)))
    w = w / w.sum()
    theta = most_likely_mixture(rows, w)
    assert theta.min() >= 0
    assert theta.sum() == pytest.approx(1, abs=1e-12)
    # The certificate of Lindsay, computed again: every vertex is a descent direction.
    seen = w > 0
    P = theta @ rows[:, seen]
    assert (rows[:, seen] / P @ w[seen]).max() - 1 <= 1.01e-10


def test_scipy_finds_nothing_more_likely() -> None:
    random = np.random.default_rng(5)
    for _ in range(10):
        rows = random.dirichlet(np.ones(4), size=5)
        w = random.dirichlet(np.ones(4))
        most, theta = _by_scipy(rows, w)
        assert greatest_log_likelihood(rows, w) == pytest.approx(most, abs=1e-6)
        assert greatest_log_likelihood(rows, w) >= most - 1e-10
        assert most_likely_mixture(rows, w) @ rows == pytest.approx(theta @ rows, abs=1e-3)


def _by_scipy(rows: FloatArray, w: FloatArray) -> tuple[float, FloatArray]:
    def minus_log_likelihood(theta: FloatArray) -> float:
        return -float(w @ np.log(theta @ rows))

    def gradient(theta: FloatArray) -> FloatArray:
        return -(rows @ (w / (theta @ rows)))

    found = optimize.minimize(
        minus_log_likelihood,
        np.full(len(rows), 1 / len(rows)),
        jac=gradient,
        method="SLSQP",
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(np.ones(len(rows)), 1, 1),
        options={"ftol": 1e-13, "maxiter": 500},
    )
    return -float(found.fun), found.x


@settings(derandomize=True, max_examples=50)
@given(channels(), st.integers(0, 2**32 - 1))
def test_one_channel_is_a_mixture_too(channel: Channel, seed: int) -> None:
    C = channel.probabilities
    counts = np.random.default_rng(seed).multinomial(500, C.mean(axis=0) / C.mean(axis=0).sum())
    expected = maximum_likelihood(counts, channel)
    assert most_likely_mixture(C, counts / 500) == pytest.approx(expected, abs=1e-6)


def test_reports_that_no_class_sends() -> None:
    rows = np.array([[1.0, 0.0], [1.0, 0.0]])
    w = np.array([0.5, 0.5])
    assert greatest_log_likelihood(rows, w) == -math.inf
    assert greatest_log_likelihood(rows, np.array([1.0, 0.0])) == 0
    with pytest.raises(ValueError, match="found one that none can"):
        most_likely_mixture(rows, w)


def test_it_says_so_when_the_certificate_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "_STEPS", 1)
    with pytest.raises(ConvergenceError, match="duality gap of 1e-10 at most, stayed at"):
        most_likely_mixture(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0.5, 0.5]))
