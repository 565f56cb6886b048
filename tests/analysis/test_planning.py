import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable import designs
from deniable.analysis import half_width
from deniable.analysis.estimator import least_variance
from deniable.channel import Channel, identity
from tests.analysis.channels import channels


@pytest.mark.parametrize(("n", "points"), [(30, 36), (100, 20), (300, 11), (1000, 6), (3000, 4)])
def test_two_coins_in_percentage_points(n: int, points: int) -> None:
    assert (100 * half_width(designs.truth_or_random(), n)).round().tolist() == [points, points]


def test_direct_answers_are_worst_at_one_half() -> None:
    assert half_width(identity(3), 100) == pytest.approx(1.959964 * np.sqrt(0.25 / 100), rel=1e-6)


@settings(derandomize=True)
@given(channels(), st.integers(0, 2**32 - 1))
def test_no_population_is_worse_than_the_worst(channel: Channel, seed: int) -> None:
    G = least_variance(channel)
    C = channel.probabilities
    random = np.random.default_rng(seed)
    # All mixtures of two truths on a grid, where the worst is, and some of all truths.
    edges = [
        share * np.eye(channel.truths)[x] + (1 - share) * np.eye(channel.truths)[y]
        for x in range(channel.truths)
        for y in range(channel.truths)
        for share in np.linspace(0, 1, 101)
    ]
    populations = np.array([*edges, *random.dirichlet(np.ones(channel.truths), size=20)])
    variances = populations @ C @ (G**2).T - populations**2
    worst = 1.959963984540054 * np.sqrt(variances.max(axis=0) / 50)
    found = half_width(channel, 50)
    assert np.all(found >= worst * (1 - 1e-9))
    assert found == pytest.approx(worst, rel=1e-3)


def test_a_higher_level_is_wider() -> None:
    channel = designs.k_ary(4, 1)
    assert np.all(half_width(channel, 100, level=0.99) > half_width(channel, 100))


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 respondent, found 0"):
        half_width(designs.truth_or_random(), 0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        half_width(designs.truth_or_random(), 10, level=95)
