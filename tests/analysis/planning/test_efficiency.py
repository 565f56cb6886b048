"""The design effect: closed forms, and simulation-free comparisons with asking directly."""

import math

import numpy as np
import pytest

from deniable import designs, identity
from deniable.analysis.planning import design_effect, price_of_privacy, sample_size


@pytest.mark.parametrize(("flip", "share"), [(0.25, 0.1), (0.1, 0.5), (0.45, 0.99)])
def test_warner_s_design_effect(flip: float, share: float) -> None:
    noise = flip * (1 - flip) / (1 - 2 * flip) ** 2
    expected = 1 + noise / (share * (1 - share))
    found = design_effect(designs.warner(flip=flip), [1 - share, share])
    assert found == pytest.approx([expected] * 2)


def test_k_ary_s_design_effect() -> None:
    # Var = P (1 - P) / (keep - other)^2 with P = other + (keep - other) θ.
    channel, theta = designs.k_ary(4, 1), np.array([0.1, 0.2, 0.3, 0.4])
    keep, other = channel.probabilities[0, :2]
    P = other + (keep - other) * theta
    expected = P * (1 - P) / (keep - other) ** 2 / (theta * (1 - theta))
    assert design_effect(channel, theta) == pytest.approx(expected)


def test_it_is_how_many_more_respondents_are_needed() -> None:
    channel, theta = designs.truth_or_random(), [0.8, 0.2]
    ratio = sample_size(channel, 0.001, theta=theta) / sample_size(identity(2), 0.001, theta=theta)
    assert design_effect(channel, theta) == pytest.approx(ratio, rel=1e-5)


def test_asking_directly_costs_nothing() -> None:
    assert design_effect(identity(3), [0.2, 0.3, 0.5]) == pytest.approx([1, 1, 1])


def test_a_share_of_nobody_is_infinitely_dearer() -> None:
    assert design_effect(designs.truth_or_random(), [1, 0]).tolist() == [math.inf, math.inf]
    direct = design_effect(identity(3), [1, 0, 0])
    assert np.isnan(direct).all()


def test_the_table_over_epsilon() -> None:
    epsilons, theta = [0.5, 1, 2, 8], [0.2, 0.3, 0.5]
    table = price_of_privacy(lambda e: designs.k_ary(3, e), epsilons, theta, truth=2)
    assert [row.epsilon for row in table] == pytest.approx(epsilons, abs=2e-6)
    assert all(row.epsilon <= e for row, e in zip(table, epsilons, strict=True))
    for row, epsilon in zip(table, epsilons, strict=True):
        assert row.design_effect == design_effect(designs.k_ary(3, epsilon), theta)[2]
        assert row.standard_error_ratio == math.sqrt(row.design_effect)
    effects = [row.design_effect for row in table]
    assert effects == sorted(effects, reverse=True)
    assert 1 < effects[-1] < 1.01


def test_the_price_per_epsilon_near_0() -> None:
    # The noise of binary randomised response is 1 / (e^ε + e^-ε - 2), about 1 / ε².
    (row,) = price_of_privacy(lambda e: designs.warner(epsilon=e), [0.01], [0.5, 0.5])
    assert row.design_effect == pytest.approx(1 + 4 / 0.01**2, rel=1e-4)
