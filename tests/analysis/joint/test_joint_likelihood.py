import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg

from deniable import Channel, designs
from deniable.analysis import joint_likelihood
from deniable.analysis.joint_likelihood import (
    joint_maximum_likelihood,
    second_moments,
)
from deniable.analysis.likelihood import maximum_likelihood
from deniable.analysis.numerics.convergence import ConvergenceError
from tests.analysis.channels import channels

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
    counts = np.array(numbers).reshape(8, 8)[: first.reports, : second.reports]
    counts[~first.probabilities.any(axis=0)] = 0
    counts[:, ~second.probabilities.any(axis=0)] = 0
    if not counts.any():
        return
    theta = joint_maximum_likelihood(counts, [first.probabilities, second.probabilities])
    assert theta.shape == (first.truths, second.truths)
    assert theta.min() >= 0
    assert theta.sum() == pytest.approx(1, abs=1e-12)
    C = np.kron(first.probabilities, second.probabilities)[:, counts.ravel() > 0]
    w = counts.ravel()[counts.ravel() > 0] / counts.sum()
    assert (C @ (w / (theta.ravel() @ C))).max() - 1 <= 1.01e-10


@settings(derandomize=True, max_examples=30, deadline=None)
@given(channels(), st.lists(st.sampled_from([0, 1, 2, 30, 10**7]), min_size=8, max_size=8))
def test_one_item_is_what_the_other_algorithm_finds(channel: Channel, numbers: list[int]) -> None:
    counts = np.where(channel.probabilities.any(axis=0), numbers[: channel.reports], 0)
    if not counts.any():
        return
    theta = joint_maximum_likelihood(counts, [channel.probabilities])
    assert theta == pytest.approx(maximum_likelihood(counts, channel), abs=1e-7)


def test_an_impossible_certificate_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_likelihood, "GAP", -1.0)
    C = designs.warner(flip="1/4").probabilities
    with pytest.raises(ConvergenceError, match="expected a duality gap"):
        joint_maximum_likelihood(np.array([[5, 5], [1, 9]]), [C, C])


def test_equations_that_cannot_be_solved_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise linalg.LinAlgError

    monkeypatch.setattr(linalg, "cho_factor", fails)
    C = designs.warner(flip="1/4").probabilities
    with pytest.raises(ConvergenceError, match="stayed at"):
        joint_maximum_likelihood(np.array([[5, 5], [1, 9]]), [C, C])
