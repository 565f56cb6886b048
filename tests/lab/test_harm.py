"""Harm and its price: shares by hand, the worst that ε allows by search, and draws."""

import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.lab.harm import PAGE
from tests.lab.shown import picture, values


def test_the_course_s_numbers() -> None:
    found = values(PAGE, among_fast="0.9", among_slow="0.5")
    # One sprinter in five is under ten seconds: 0.2 × 0.9 + 0.8 × 0.5.
    assert found["before"] == pytest.approx(0.58)
    assert found["her_epsilon"] == pytest.approx(math.log(3), abs=1e-6)


@pytest.mark.parametrize("n", ["100", "3000", "10000"])
@pytest.mark.parametrize("flip", ["0.05", "0.25", "0.45"])
def test_one_report_changes_what_the_formula_says(flip: str, n: str) -> None:
    p, m = Fraction(flip), int(n) // 5
    found = values(PAGE, flip=flip, n=n)
    assert found["her_part"] == pytest.approx(float(1 / ((1 - 2 * p) * (m + 1))), rel=1e-5)
    # The estimate with her, from counts of reports and by Warner's formula.
    yes = round(m * (found["told"] * float(1 - 2 * p) + float(p)))
    for name, more in (("with_no", 0), ("with_yes", 1)):
        rate = Fraction(yes + more, m + 1)
        assert found[name] == pytest.approx(float((rate - p) / (1 - 2 * p)), rel=1e-5, abs=1e-6)


def test_belief_hardly_depends_on_her() -> None:
    found = values(PAGE)
    assert max(abs(found[one] - found["told"]) for one in ("with_no", "with_yes")) < 0.01
    assert found["told"] - found["before"] > 0.25


def test_sizes_are_the_points_of_their_table() -> None:
    sizes = picture(PAGE, "sizes")
    assert sizes.y == "Points"
    for place, row in enumerate(sizes.table.rows):
        for series, cell in zip(sizes.series[:2], row[1:], strict=True):
            assert float(cell.split(" ")[0]) == pytest.approx(float(series.y[place]), abs=0.006)


@pytest.mark.parametrize("epsilon", [0.06, 0.5, 1.0])
@pytest.mark.parametrize("harm", [0.01, 0.25, 0.5])
def test_the_worst_chance_is_epsilon_s_largest(epsilon: float, harm: float) -> None:
    # Harm or no harm is a result of two kinds. All chances of it with the person are tried.
    chances = np.linspace(harm, 1, 400_001)[:-1]
    allowed = (chances <= math.exp(epsilon) * harm) & (
        (1 - harm) <= math.exp(epsilon) * (1 - chances)
    )
    found = values(PAGE, what="price", epsilon=str(epsilon), harm=str(100 * harm))
    assert found["worst"] == pytest.approx(chances[allowed].max(), abs=1e-5)


def test_a_dearer_insurance() -> None:
    found = values(PAGE, what="price", epsilon="0.1", harm="1")
    assert found["price"] == pytest.approx(10.52, abs=0.005)
    # For the payment of 10 dollars: (e^ε - 1) × 100 = 10.
    assert math.expm1(found["affordable"]) * 100 == pytest.approx(10)
    assert values(PAGE, what="price", epsilon="1", harm="50")["worst"] == pytest.approx(
        1 - math.exp(-1) / 2
    )


@pytest.mark.parametrize(("epsilon", "pay"), [(0.1, 10), (0.02, 5), (0.4, 30)])
def test_so_many_come_for_the_payment(epsilon: float, pay: int) -> None:
    found = values(PAGE, what="price", epsilon=str(epsilon), pay=str(pay))
    # Prices are log-normal: the share below the payment by the error function, to a dot of ten.
    z = math.log(pay / (100 * math.expm1(epsilon))) / 0.8
    assert found["joined"] == pytest.approx(500 * math.erfc(-z / math.sqrt(2)), abs=10)
    assert found["paid"] == found["joined"] * pay


@pytest.mark.parametrize(("epsilon", "pay"), [(0.1, 10), (0.08, 10), (0.4, 30)])
def test_a_published_share_is_off_as_said(epsilon: float, pay: int) -> None:
    found = values(PAGE, what="price", epsilon=str(epsilon), pay=str(pay))
    n, error = int(found["joined"]), found["error"]
    chance = np.random.default_rng(31)
    drawn = chance.binomial(n, 0.5, 200_000) / n + chance.laplace(0, 1 / (n * epsilon), 200_000)
    # The standard deviation of 200,000 is known to 0.4 % at most (Laplace): five of these.
    assert drawn.std() == pytest.approx(error, rel=0.02)


def test_the_best_epsilon_has_the_lowest_curve() -> None:
    for pay in ("10", "40"):
        curve = picture(PAGE, "along", what="price", pay=pay).series[0]
        lowest = min(zip(curve.y, curve.x, strict=True))[1]
        assert values(PAGE, what="price", pay=pay)["best"] == lowest
    assert (
        values(PAGE, what="price", pay="40")["best"] > values(PAGE, what="price", pay="10")["best"]
    )
