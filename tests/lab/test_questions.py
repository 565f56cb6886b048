"""Many questions: intervals by their closed form, and ε by the table of all of them."""

import math
from fractions import Fraction
from itertools import product

import pytest

from deniable.lab.questions import PAGE, channels_of
from tests.lab.shown import picture, values


def half_width(epsilon: float, n: int) -> float:
    """Return 1.96 / (2 √n) times (e^ε + 1)/(e^ε - 1): the ± where it is widest."""
    return 1.959963984540054 / (2 * math.sqrt(n)) / math.tanh(epsilon / 2)


@pytest.mark.parametrize("epsilon", ["0.2", "2", "6"])
@pytest.mark.parametrize(("k", "r"), [(2, 1), (5, 2), (20, 20)])
@pytest.mark.parametrize("weight", ["1", "2.5"])
def test_precision_follows_from_the_share_of_epsilon(
    epsilon: str, k: int, r: int, weight: str
) -> None:
    found = values(PAGE, epsilon=epsilon, k=str(k), r=str(r), weight=weight, n="3000")
    e, w = float(epsilon), float(weight)
    each = e / (w + k - 1)
    assert found["error"] == pytest.approx(half_width(each, 3000), rel=2e-5)
    assert found["error_first"] == pytest.approx(half_width(w * each, 3000), rel=2e-5)
    assert found["error_some"] == pytest.approx(half_width(e / r, 3000 * r // k), rel=2e-5)
    assert found["total"] == pytest.approx(e, abs=k * 1e-6)
    assert found["epsilon_pair"] == pytest.approx((1 + w) * each, abs=1e-6)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_epsilon_of_all_questions_is_that_of_their_one_big_table(k: int) -> None:
    channels = channels_of(Fraction(2), k, Fraction(2))
    worst = 0.0
    for report, truth, other in product(product([0, 1], repeat=k), repeat=3):
        ratio = math.prod(
            channel.weights[one][sent] / channel.weights[two][sent]
            for channel, sent, one, two in zip(channels, report, truth, other, strict=True)
        )
        worst = max(worst, ratio)
    assert math.log(worst) == pytest.approx(2, abs=1e-6)


def test_nobody_answers_more_questions_than_there_are() -> None:
    assert values(PAGE, k="3", r="20") == values(PAGE, k="3", r="3")


def test_two_questions_are_the_product_of_their_tables() -> None:
    no, yes = picture(PAGE, "pair", k="2", weight="1", epsilon="2").series
    keep = math.e / (1 + math.e)
    chances = [keep * keep, keep * (1 - keep), keep * (1 - keep), (1 - keep) ** 2]
    assert no.y == pytest.approx(chances, abs=1e-6)
    assert yes.y == pytest.approx(chances[::-1], abs=1e-6)
