"""Whom to trust: the course's formulas."""

import math

import pytest

from deniable import designs
from deniable.estimator import for_values
from deniable.lab.central import PAGE, clones
from tests.lab.shown import values


def test_the_course_s_numbers() -> None:
    found = values(PAGE, n="100", most="100", epsilon="1")
    # 2B²/(ε²n) = 200, and 2(B/(εn))² = 2.
    assert found["local_error"] ** 2 == pytest.approx(200)
    assert found["central_error"] ** 2 == pytest.approx(2)
    assert found["people"] == 10_000
    more = values(PAGE, n="10000", most="50", epsilon="0.5")
    assert more["local_error"] ** 2 == pytest.approx(2 * 50**2 / (0.5**2 * 10_000))
    assert more["central_error"] ** 2 == pytest.approx(2 * (50 / (0.5 * 10_000)) ** 2)


@pytest.mark.parametrize("n", ["30", "100", "1000"])
def test_so_many_people_have_the_central_noise_locally(n: str) -> None:
    found = values(PAGE, n=n)
    variance = 2 * 100**2 / found["people"]
    assert math.sqrt(variance) == pytest.approx(found["central_error"])
    assert found["local_error"] / found["central_error"] == pytest.approx(math.sqrt(int(n)))


@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_our_design_is_as_noisy_as_shown(epsilon: str) -> None:
    channel = designs.best_numeric(21, epsilon)
    g = for_values(channel, range(21))
    worst = max(float(row @ g**2 - (row @ g) ** 2) for row in channel.probabilities)
    found = values(PAGE, epsilon=epsilon)
    assert found["best_error"] == pytest.approx(5 * math.sqrt(worst / 1000))
    # Each person sends one of 21 levels, and nobody a number beyond the ends: less noise.
    assert found["best_error"] < found["local_error"]


def test_the_theorem_is_the_paper_s() -> None:
    # By hand, of the theorem's formula: ln(1 + (e − 1)/(e + 1) · (8 √(e ln(4·10⁶)/n) + 8e/n)).
    assert values(PAGE, epsilon="1", n="10000")["shuffled"] == pytest.approx(0.214026, abs=1e-6)
    assert values(PAGE, epsilon="1", n="100")["shuffled"] == 1
    assert clones(2, 100_000, 1e-6) < 0.2
