"""Choosing ε: the worst that it allows is found by searching all channels of two results."""

import math

import numpy as np
import pytest

from deniable.lab.price import PAGE, worst_chance
from tests.lab.shown import picture, values


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 3.0])
@pytest.mark.parametrize("harm", [0.01, 0.25, 0.5])
def test_the_worst_chance_is_the_largest_that_epsilon_allows(epsilon: float, harm: float) -> None:
    # Harm or no harm is a result of two kinds. All chances of it with the person are tried.
    chances = np.linspace(harm, 1, 400_001)[:-1]
    allowed = (chances <= math.exp(epsilon) * harm) & (
        (1 - harm) <= math.exp(epsilon) * (1 - chances)
    )
    assert worst_chance(epsilon, harm) == pytest.approx(chances[allowed].max(), abs=1e-5)


def test_a_dearer_insurance() -> None:
    found = values(PAGE, epsilon="0.1", harm="1", cost="10000")
    assert found["without"] == pytest.approx(100)
    assert found["simple"] == pytest.approx(100 * math.exp(0.1))
    assert found["extra"] == pytest.approx(10.52, abs=0.005)
    # For the payment of 10 dollars: (e^ε - 1) × 100 = 10.
    assert math.expm1(found["affordable"]) * 100 == pytest.approx(10)
    half = values(PAGE, epsilon="1", harm="50")
    assert half["chance"] == pytest.approx(1 - math.exp(-1) / 2)
    assert half["simple"] > half["most"]


def test_delta_adds_to_the_chance_and_names_people() -> None:
    plain, failing = values(PAGE), values(PAGE, delta="1e-3", n="10000")
    assert failing["chance"] - plain["chance"] == pytest.approx(1e-3)
    assert failing["named"] == pytest.approx(10)
    for series in picture(PAGE, "named").series:
        ratio = np.array(series.y) / np.array(series.x, dtype=float)
        assert ratio == pytest.approx(ratio[0])


def test_a_published_share_is_within_its_error_19_times_of_20() -> None:
    # Laplace noise of the scale 1/(nε) is above 3 scales with e^-3, just below .05.
    found = values(PAGE, epsilon="0.5", n="1000")
    assert math.exp(-found["error"] * 1000 * 0.5) == pytest.approx(0.0498, abs=1e-4)
