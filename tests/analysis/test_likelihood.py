"""The most likely shares, and profiles of them."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from deniable import Channel, designs, identity, least_variance
from deniable.analysis import ConvergenceError, estimate
from deniable.analysis.intervals import proportion
from deniable.analysis.likelihood import (
    ProfileRefused,
    check_profile,
    maximum_likelihood,
    profile_ends,
)
from deniable.analysis.numerics import mixture
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.mixture import greatest_log_likelihood, maximum_likelihood_mixture
from deniable.analysis.numerics.roots import bracketed_root
from tests.analysis.channels import channels, gap
from tests.analysis.surveys import THREE_REPORTS


def test_an_impossible_start_is_left() -> None:
    channel = designs.custom([["1/10", "8/10", "1/10"], ["0", "1/2", "1/2"]])
    counts = np.array([1, 300, 700])
    # Clipped, the unbiased estimate is (0, 1): nobody who could have sent report 0.
    assert least_variance(channel)[0] @ counts < 0
    theta = maximum_likelihood(counts, channel)
    assert gap(theta, channel.probabilities, counts / counts.sum()) <= 1.01e-12


def test_a_certificate_out_of_reach_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "GAP", -1.0)
    with pytest.raises(ConvergenceError, match="expected a duality gap"):
        maximum_likelihood(np.array([5, 5]), designs.warner(flip="1/4"))


@pytest.mark.parametrize(
    ("channel", "counts"),
    [
        (designs.k_ary(3, 1), [30, 50, 20]),
        (designs.k_ary(4, 2), [50, 2, 3, 45]),
        (
            designs.custom(
                [
                    ["0.5", "0.2", "0.1", "0.1", "0.1"],
                    ["0.1", "0.5", "0.2", "0.1", "0.1"],
                    ["0.1", "0.1", "0.2", "0.3", "0.3"],
                ]
            ),
            [10, 90, 20, 11, 2],
        ),
        (designs.custom([["1/2", "1/2", 0], ["1/4", "0", "3/4"], [0, "1/2", "1/2"]]), [5, 9, 4]),
    ],
)
def test_profile_intervals_end_as_an_optimiser_says(channel: Channel, counts: list[int]) -> None:
    low, high = profile_ends(np.array(counts), channel, 0.9).T
    highest = _log_likelihood(counts, maximum_likelihood(np.array(counts), channel), channel)
    for truth in range(channel.truths):
        for end, limit in ((low[truth], 0), (high[truth], 1)):
            deviance = 2 * (highest - _profile(counts, channel, truth, end))
            if end == limit:
                assert deviance <= stats.chi2.ppf(0.9, 1) + 1e-6
            else:
                assert deviance == pytest.approx(stats.chi2.ppf(0.9, 1), abs=2e-5)


@pytest.mark.parametrize(
    ("channel", "counts", "tolerance"),
    [
        (designs.k_ary(4, 2), [3000, 2500, 2600, 1900], 1e-7),
        (designs.k_ary(3, 1), [30_000_000, 45_000_000, 25_000_000], 3e-6),  # half as wide as 3e-4
    ],
)
def test_inner_profiles_are_the_proportion_s_own(
    channel: Channel, counts: list[int], tolerance: float
) -> None:
    # k-ary: the others' shares are those reported, scaled, and no constraint binds.
    keep, other = channel.probabilities[0, :2]
    ends = np.array(proportion.likelihood(np.array(counts, dtype=float), sum(counts), 0.99)).T
    expected = (ends - other) / (keep - other)
    found = profile_ends(np.array(counts), channel, 0.99)
    assert found == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize(
    "channel",
    [
        designs.warner(epsilon=1),
        THREE_REPORTS,
        designs.kuk("0.6", "0.4", draws=5),
        *[designs.k_ary(3, epsilon) for epsilon in ("0.1", 1, 8)],
        designs.piecewise(3, "0.1"),
        designs.custom([["1", "0", "0"], ["1/2", "1/2", "0"], ["1/2", "0", "1/2"]]),
        identity(4),
    ],
)
def test_a_profile_likelihood_that_holds_is_given(channel: Channel) -> None:
    counts = np.where(channel.probabilities.any(axis=0), 20, 0)
    found = estimate(counts, channel).interval(method="likelihood")
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("channel", "why"),
    [
        (designs.k_ary(4, "0.3"), "at most 3 answers for intervals by profile likelihood, found 4"),
        (designs.best_k_ary(20, 1), "at most 3 answers for .*, found 20"),
        (designs.laplace(3, 1), "too high together for .*, found a correlation of 0.61"),
    ],
)
def test_a_profile_that_does_not_hold_is_refused(channel: Channel, why: str) -> None:
    for at in range(channel.reports):  # of no data whatever
        counts = np.eye(channel.reports, dtype=np.int64)[at] * 10_000
        with pytest.raises(ProfileRefused, match=why) as refused:
            estimate(counts, channel).interval(method="likelihood")
        assert "ask for 'auto' instead" in str(refused.value)


@settings(derandomize=True, max_examples=200)
@given(channels())
def test_three_truths_that_rise_together_are_refused(channel: Channel) -> None:
    if channel.truths != 3 or channel.reports != 3:
        return
    # As many reports as truths have one unbiased estimator, whose covariance is easily had.
    found = []
    for here, others in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1))):
        P, G = channel.probabilities[here], least_variance(channel)[list(others)]
        (var_one, both), (_, var_other) = (G * P) @ G.T - np.outer(G @ P, G @ P)
        if (channel.probabilities[list(others)][:, P == 0] == 0).all():
            found.append(both / math.sqrt(var_one * var_other))
    if max(found, default=-1) > 1e-4:
        with pytest.raises(ProfileRefused, match=f"a correlation of {max(found):.2f}"):
            check_profile(channel)
    elif max(found, default=-1) < -1e-4:
        check_profile(channel)


def _profile(counts: Sequence[int], channel: Channel, truth: int, share: float) -> float:
    """Maximise the log-likelihood with one share fixed, by a general optimiser."""
    others = [x for x in range(channel.truths) if x != truth]

    def theta(rest: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        whole = np.empty(channel.truths)
        whole[truth], whole[others] = share, np.maximum(rest, 1e-12)
        return whole

    def loss(rest: npt.NDArray[np.float64]) -> float:
        return -_log_likelihood(counts, theta(rest), channel)

    searched = optimize.minimize(
        loss,
        x0=np.full(len(others), (1 - share) / len(others)),
        method="SLSQP",
        bounds=[(0, 1)] * len(others),
        constraints=optimize.LinearConstraint(np.ones((1, len(others))), 1 - share, 1 - share),
        options={"ftol": 1e-14},
    )
    return _log_likelihood(counts, theta(searched.x), channel)


def _log_likelihood(counts: Sequence[int], theta: npt.ArrayLike, channel: Channel) -> float:
    P = np.asarray(theta) @ channel.probabilities
    return math.fsum(count * math.log(p) for count, p in zip(counts, P, strict=True) if count)


@settings(derandomize=True, max_examples=200)
@given(st.integers(1, 12), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_dependent_classes_have_no_likelier_mixture(classes: int, reports: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.dirichlet(np.full(reports, 0.3), size=classes)
    w = random.multinomial(int(random.integers(1, 10**6)), random.dirichlet(np.ones(reports)))
    w = w / w.sum()
    theta = maximum_likelihood_mixture(rows, w)
    assert gap(theta, rows, w) <= 1.01e-10


@pytest.mark.parametrize("chosen", [0, 0.5, 1])
def test_scipy_s_least_squares_do_not_matter(
    chosen: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(3)

    def wrong(A: FloatArray, b: FloatArray) -> tuple[FloatArray, float]:
        return np.where(random.random(A.shape[1]) < chosen, 1.0, 0.0), 0.0

    monkeypatch.setattr(optimize, "nnls", wrong)
    for _ in range(20):
        rows = random.dirichlet(np.full(int(random.integers(3, 20)), 0.1), size=30)
        w = random.multinomial(10**9, random.dirichlet(np.full(30, 0.05)) @ rows) / 10**9
        assert gap(maximum_likelihood_mixture(rows, w), rows, w) <= 1e-12


def test_reports_that_no_class_sends() -> None:
    rows = np.array([[1.0, 0.0], [1.0, 0.0]])
    w = np.array([0.5, 0.5])
    assert greatest_log_likelihood(rows, w) == -math.inf
    assert greatest_log_likelihood(rows, np.array([1.0, 0.0])) == 0
    with pytest.raises(ValueError, match="found one that none can"):
        maximum_likelihood_mixture(rows, w)


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
