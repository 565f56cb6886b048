"""Mixtures and roots: certificates, and scipy's word for them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from deniable.analysis.numerics import mixture
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.numerics.mixture import greatest_log_likelihood, maximum_likelihood_mixture
from deniable.analysis.numerics.roots import bracketed_root


@settings(derandomize=True, max_examples=200)
@given(st.integers(1, 12), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_dependent_classes_have_no_likelier_mixture(classes: int, reports: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.dirichlet(np.full(reports, 0.3), size=classes)
    w = random.multinomial(int(random.integers(1, 10**6)), random.dirichlet(np.ones(reports)))
    w = w / w.sum()
    theta = maximum_likelihood_mixture(rows, w)
    assert theta.min() >= 0
    assert theta.sum() == pytest.approx(1, abs=1e-12)
    # The certificate of Lindsay, computed again: every vertex is a descent direction.
    seen = w > 0
    P = theta @ rows[:, seen]
    assert (rows[:, seen] / P @ w[seen]).max() - 1 <= 1.01e-10


def _rare_reports(random: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    reports = int(random.integers(3, 20))
    rows = random.dirichlet(np.full(reports, 0.1), size=30)
    counts = random.multinomial(10**9, random.dirichlet(np.full(30, 0.05)) @ rows)
    return rows, counts / 10**9


def _gap(theta: FloatArray, rows: FloatArray, w: FloatArray) -> float:
    """Return the certificate of Lindsay."""
    assert theta.min() >= 0
    assert theta.sum() == pytest.approx(1, abs=1e-12)
    seen = w > 0
    return float((rows[:, seen] / (theta @ rows[:, seen]) @ w[seen]).max() - 1)


@pytest.mark.parametrize("classes", ["none", "the first", "all", "any"])
def test_scipy_s_least_squares_do_not_matter(classes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)

    def wrong(A: FloatArray, b: FloatArray) -> tuple[FloatArray, float]:
        x = np.zeros(A.shape[1])
        if classes == "the first":
            x[0] = 1
        elif classes == "all":
            x[:] = 1
        elif classes == "any":
            x[:] = random.random(len(x)) < 0.5
        return x, 0.0

    monkeypatch.setattr(optimize, "nnls", wrong)
    for _ in range(20):
        rows, w = _rare_reports(random)
        assert _gap(maximum_likelihood_mixture(rows, w), rows, w) <= 1e-12


def test_reports_that_no_class_sends() -> None:
    rows = np.array([[1.0, 0.0], [1.0, 0.0]])
    w = np.array([0.5, 0.5])
    assert greatest_log_likelihood(rows, w) == -math.inf
    assert greatest_log_likelihood(rows, np.array([1.0, 0.0])) == 0
    with pytest.raises(ValueError, match="found one that none can"):
        maximum_likelihood_mixture(rows, w)


def test_what_is_no_number_is_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "_newton_target", lambda *_: np.full(2, math.nan))
    with pytest.raises(ConvergenceError):
        maximum_likelihood_mixture(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0.5, 0.5]))


def test_an_unreached_certificate_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "_STEPS", 1)
    with pytest.raises(ConvergenceError, match="duality gap of 1e-10 at most, stayed at"):
        maximum_likelihood_mixture(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0.5, 0.5]))


def test_many_roots_at_once_are_found_to_rounding() -> None:
    powers = np.arange(1.0, 60.0)
    found = bracketed_root(lambda x: x**powers - 0.3, np.zeros(59), np.ones(59))
    assert found == pytest.approx(0.3 ** (1 / powers), rel=1e-13)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_where_all_of_the_bracket_is_on_one_side_its_end_is_the_root(sign: float) -> None:
    found = bracketed_root(lambda x: np.full_like(x, sign), np.array([0.25]), np.array([0.5]))
    assert found == pytest.approx([0.25 if sign > 0 else 0.5], abs=1e-13)


def test_no_function_takes_longer_than_bisection() -> None:
    steps = 0

    def flat_then_steep(x: FloatArray) -> FloatArray:
        nonlocal steps
        steps += 1
        return np.where(x < 0.7, -1e-300, (x - 0.7) * 1e300)

    bracketed_root(flat_then_steep, np.zeros(1), np.ones(1))
    assert steps <= 2 + np.ceil(np.log2(1e14)) + 2


def test_no_number_makes_a_function_hang() -> None:
    assert np.isnan(bracketed_root(lambda x: x * np.nan, np.zeros(1), np.ones(1))).all()
