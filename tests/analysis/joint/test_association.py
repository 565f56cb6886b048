"""Tests of association, and the joint law that is most likely."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from deniable import Channel, designs, identity
from deniable.analysis import joint_likelihood
from deniable.analysis.joint.association import ChiSquareTest, homogeneity, independence
from deniable.analysis.joint_likelihood import joint_maximum_likelihood, second_moments
from deniable.analysis.numerics.convergence import ConvergenceError
from tests.analysis.channels import channels, gap
from tests.analysis.surveys import THREE_REPORTS

WARNER = designs.warner(flip="1/4")
MILD = designs.warner(flip="1/10")
FORCED = designs.forced_response("2/3", "1/2")
TABLE = np.array([[60, 40, 25], [110, 90, 11], [20, 55, 30]])


@pytest.mark.parametrize("method", ["pearson", "score", "likelihood-ratio"])
def test_direct_answers_give_the_textbook_s_statistic(method: str) -> None:
    expected = stats.chi2_contingency(
        TABLE,
        correction=False,
        lambda_="log-likelihood" if method == "likelihood-ratio" else "pearson",
    )
    for test in (
        homogeneity(list(TABLE), identity(3), method),
        independence(TABLE, [identity(3), identity(3)], method),
    ):
        assert test.statistic == pytest.approx(expected.statistic)
        assert test.degrees_of_freedom == expected.dof
        assert test.p_value == pytest.approx(expected.pvalue)
        assert (test.method, test.boundary) == (method, False)


def test_score_is_pearson_s_for_as_many_reports() -> None:
    k_ary = designs.k_ary(3, 1)
    assert homogeneity(list(TABLE), k_ary, "score").statistic == pytest.approx(
        homogeneity(list(TABLE), k_ary, "pearson").statistic
    )
    assert independence(TABLE[:2], [FORCED, k_ary], "score").statistic == pytest.approx(
        stats.chi2_contingency(TABLE[:2], correction=False).statistic
    )


def test_more_reports_cost_pearson_degrees_of_freedom() -> None:
    for method, freedom in [("pearson", 4), ("score", 2), ("wald", 2), ("likelihood-ratio", 2)]:
        assert homogeneity(list(TABLE), THREE_REPORTS, method).degrees_of_freedom == freedom
    for method, freedom in [("pearson", 4), ("score", 1), ("wald", 1), ("likelihood-ratio", 1)]:
        test = independence(TABLE, [THREE_REPORTS, THREE_REPORTS], method)
        assert test.degrees_of_freedom == freedom


def test_three_groups_by_wald_are_weighted_distances() -> None:
    groups, channels = [[60, 140], [110, 90], [100, 100]], [WARNER, FORCED, MILD]
    theta, variance = [], []
    for (no, yes), channel in zip(groups, channels, strict=True):
        c, other = channel.probabilities[0, 1], channel.probabilities[1, 1]
        theta.append((yes / 200 - c) / (other - c))
        variance.append(no * yes / 200**3 / (other - c) ** 2)
    mean = np.average(theta, weights=1 / np.array(variance))
    expected = np.sum((np.array(theta) - mean) ** 2 / variance)
    test = homogeneity(groups, channels, "wald")
    assert test.statistic == pytest.approx(expected)
    assert test.degrees_of_freedom == 2


def test_a_fit_on_the_boundary_is_said() -> None:
    assert homogeneity([[95, 5], [40, 60]], WARNER, "likelihood-ratio").boundary
    assert independence([[90, 0], [0, 10]], [WARNER, WARNER], "likelihood-ratio").boundary


def test_an_answer_that_nobody_gave_is_left_out() -> None:
    counts = [[9, 0, 8], [5, 0, 12]]
    expected = stats.chi2_contingency(np.delete(counts, 1, axis=1), correction=False)
    for method in ("pearson", "score"):
        test = homogeneity(counts, identity(3), method)
        assert test.statistic == pytest.approx(expected.statistic)
        assert test.degrees_of_freedom == 1


def test_a_departure_without_a_variance_is_not_judged() -> None:
    test = homogeneity([[9, 0], [0, 5]], identity(2), "wald")
    assert math.isnan(test.statistic)
    assert math.isnan(test.p_value)
    assert homogeneity([[9, 0], [0, 5]], identity(2), "pearson").p_value < 0.001
    assert math.isnan(ChiSquareTest(math.nan, 1, "wald").p_value)


RANDOM = np.random.default_rng(5)
TABLES = [RANDOM.normal(size=(2, 3)), RANDOM.normal(size=(4, 2)), RANDOM.normal(size=(3, 3))]
KRONECKER = np.kron(np.kron(TABLES[0], TABLES[1]), TABLES[2])


def test_second_moments_are_those_of_the_kronecker_product() -> None:
    array = RANDOM.random(size=(3, 2, 3))
    expected = KRONECKER * array.ravel() @ KRONECKER.T
    assert second_moments(array, TABLES) == pytest.approx(expected)
    one = TABLES[0] * array[:, 0, 0] @ TABLES[0].T
    assert second_moments(array[:, 0, 0], TABLES[:1]) == pytest.approx(one)


@settings(derandomize=True, max_examples=30, deadline=None)
@given(
    channels(),
    channels(),
    st.lists(st.sampled_from([0, 0, 1, 2, 30, 1000, 10**7]), min_size=64, max_size=64),
)
def test_no_joint_law_is_more_likely(first: Channel, second: Channel, numbers: list[int]) -> None:
    counts = np.array(numbers, dtype=float).reshape(8, 8)[: first.reports, : second.reports]
    counts[~first.probabilities.any(axis=0)] = 0
    counts[:, ~second.probabilities.any(axis=0)] = 0
    if not counts.any():
        return
    theta = joint_maximum_likelihood(counts, [first.probabilities, second.probabilities])
    assert theta.shape == (first.truths, second.truths)
    C = np.kron(first.probabilities, second.probabilities).astype(np.float64)
    assert gap(theta.ravel(), C, counts.ravel() / counts.sum()) <= 1.01e-10


def test_an_impossible_certificate_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_likelihood, "GAP", -1.0)
    C = designs.warner(flip="1/4").probabilities
    with pytest.raises(ConvergenceError, match="expected a duality gap"):
        joint_maximum_likelihood(np.array([[5, 5], [1, 9]]), [C, C])
