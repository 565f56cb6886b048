"""Choosing ε: the worst that it allows by search, who comes and what is learned by drawing it."""

import math

import numpy as np
import pytest

from deniable.lab.price import PAGE, learned, worst_chance
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
    found = values(PAGE, epsilon="0.1", harm="1")
    assert found["price"] == pytest.approx(10.52, abs=0.005)
    # For the payment of 10 dollars: (e^ε - 1) × 100 = 10.
    assert math.expm1(found["affordable"]) * 100 == pytest.approx(10)
    assert values(PAGE, epsilon="1", harm="50")["chance"] == pytest.approx(1 - math.exp(-1) / 2)


@pytest.mark.parametrize(("epsilon", "pay"), [(0.1, 10), (0.02, 5), (0.4, 30)])
def test_so_many_come_as_have_a_price_below_the_payment(epsilon: float, pay: int) -> None:
    found = values(PAGE, epsilon=str(epsilon), pay=str(pay))
    # Prices are log-normal: the share below the payment by the error function, to a dot of ten.
    z = math.log(pay / (100 * math.expm1(epsilon))) / 0.8
    assert found["joined"] == pytest.approx(500 * math.erfc(-z / math.sqrt(2)), abs=10)
    assert found["paid"] == found["joined"] * pay


@pytest.mark.parametrize(("epsilon", "pay"), [(0.1, 10), (0.08, 10), (0.4, 30)])
def test_a_published_share_is_as_far_off_as_the_page_says(epsilon: float, pay: int) -> None:
    n, error = learned(epsilon, pay)
    chance = np.random.default_rng(31)
    drawn = chance.binomial(n, 0.5, 200_000) / n + chance.laplace(0, 1 / (n * epsilon), 200_000)
    # The standard deviation of 200,000 is known to 0.4 % at most (Laplace): five of these.
    assert 1.96 * drawn.std() == pytest.approx(error, rel=0.02)


def test_the_best_epsilon_is_where_the_curve_is_lowest() -> None:
    for pay in ("10", "40"):
        curve = picture(PAGE, "along", pay=pay).series[0]
        lowest = min(zip(curve.y, curve.x, strict=True))[1]
        assert values(PAGE, pay=pay)["best"] == lowest
    assert values(PAGE, pay="40")["best"] > values(PAGE, pay="10")["best"]


def test_who_stands_left_of_the_payment_takes_part() -> None:
    for pay in (2, 9, 10, 23):
        people = picture(PAGE, "people", pay=str(pay), epsilon="0.1").series
        for one in people:
            if one.mark == "dots":
                assert all((x < pay) == (one.name == "take part") for x in map(float, one.x))
        came = sum(len(one.x) for one in people if one.name == "take part")
        assert 10 * came == learned(0.1, pay)[0]
