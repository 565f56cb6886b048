"""Adding up ε: each total against its formula, and the exact one against all reports."""

import math
from itertools import product

import numpy as np
import pytest

from deniable.lab.composition import PAGE
from tests.lab.shown import picture, values


def test_a_hundred_answers_of_a_tenth() -> None:
    found = values(PAGE, epsilon="0.1", k="100", delta="1e-6")
    chance = math.log(1e6)
    assert found["basic"] == pytest.approx(10)
    assert found["advanced"] == pytest.approx(
        0.1 * math.sqrt(200 * chance) + 10 * (math.exp(0.1) - 1)
    )
    assert found["course"] == pytest.approx(0.1 * math.sqrt(600 * chance))
    assert found["concentrated"] == pytest.approx(0.5 + 2 * math.sqrt(0.5 * chance))
    assert found["exact"] < found["by_renyi"] < found["concentrated"] < found["advanced"]
    assert [round(found[name], 2) for name in ("advanced", "concentrated")] == [6.31, 5.76]
    assert [round(found[name], 2) for name in ("by_renyi", "exact")] == [5.07, 4.77]


@pytest.mark.parametrize(("epsilon", "k"), [("0.5", 2), ("0.3", 8), ("1", 10)])
@pytest.mark.parametrize("delta", ["1e-3", "1e-5"])
def test_the_exact_total_is_that_of_all_reports(epsilon: str, k: int, delta: str) -> None:
    keep = 1 / (1 + math.exp(-float(epsilon)))
    total = values(PAGE, epsilon=epsilon, k=str(k), delta=delta)["exact"]
    failing = 0.0
    for report in product([0, 1], repeat=k):
        yes = sum(report)
        one, other = keep**yes * (1 - keep) ** (k - yes), (1 - keep) ** yes * keep ** (k - yes)
        failing += max(0.0, one - math.exp(total) * other)
    # At the total δ fails just as often as allowed, or never (then the total is the sum).
    assert failing <= float(delta) * (1 + 1e-5) + 1e-9
    assert failing == pytest.approx(float(delta), rel=1e-3) or total == pytest.approx(
        k * float(epsilon)
    )


def test_the_average_loss_of_two_answers_is_twice_that_of_one() -> None:
    for epsilon in ("0.1", "0.5", "1"):
        e = float(epsilon)
        found = values(PAGE, epsilon=epsilon, k="50")
        assert found["kl_one"] == pytest.approx(e * math.tanh(e / 2), rel=1e-5)
        assert found["kl_two"] == pytest.approx(2 * found["kl_one"], rel=1e-9)
        assert found["kl_all"] == pytest.approx(50 * found["kl_one"], rel=1e-9)


def test_renyi_divergences_add_up_at_each_order() -> None:
    one, two, ten = picture(PAGE, "orders", epsilon="0.5").series
    keep = 1 / (1 + math.exp(-0.5))
    p, q = np.array([keep, 1 - keep]), np.array([1 - keep, keep])
    pair = np.kron(p, p), np.kron(q, q)
    for order, first, both, all_ten in zip(one.x, one.y, two.y, ten.y, strict=True):
        if (order := float(order)) > 1:
            assert first == pytest.approx(
                math.log(p**order @ q ** (1 - order)) / (order - 1), rel=1e-5
            )
            assert both == pytest.approx(
                math.log(pair[0] ** order @ pair[1] ** (1 - order)) / (order - 1), rel=1e-5
            )
        assert all_ten == pytest.approx(10 * first)
        assert first <= 0.5


def test_the_losses_in_the_picture_are_a_binomial_law() -> None:
    dots = picture(PAGE, "loss", epsilon="0.5", k="10").series[0]
    keep = 1 / (1 + math.exp(-0.5))
    law = {
        round(0.5 * (2 * yes - 10), 6): math.comb(10, yes) * keep**yes * (1 - keep) ** (10 - yes)
        for yes in range(11)
    }
    for loss, chance in zip(dots.x, dots.y, strict=True):
        assert chance == pytest.approx(law[round(float(loss), 6)], rel=1e-5)
