"""Coins, harm and its price: closed forms, hand counts and draws."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from deniable.lab import coins, harm
from tests.lab.shown import picture, values


def enumerated(n: int, p: float, share: float) -> list[tuple[float, float]]:
    """List each estimate that can come, (ā − p)/(1 − 2p), with its chance."""
    rate = p + (1 - 2 * p) * share
    return [
        ((yes / n - p) / (1 - 2 * p), math.comb(n, yes) * rate**yes * (1 - rate) ** (n - yes))
        for yes in range(n + 1)
    ]


@pytest.mark.parametrize("truth", ["0.02", "0.3", "0.5", "0.77", "0.98"])
@pytest.mark.parametrize("story", ["random", "lie", "spinner", "forced", "answers"])
def test_every_story_has_its_coins_chances(story: str, truth: str) -> None:
    t, forced, k = Fraction(truth), Fraction(3, 10), 5
    if_true, if_false = {
        "random": (t + (1 - t) / 2, (1 - t) / 2),
        "lie": (t, 1 - t),
        "spinner": (t, 1 - t),
        "forced": (t + (1 - t) * forced, (1 - t) * forced),
        "answers": (t + (1 - t) / k, (1 - t) / k),
    }[story]
    found = values(coins.PAGE, story=story, truth=truth, yes="0.3", k="5")
    assert found["if_true"] == pytest.approx(float(if_true), abs=1e-9)
    assert found["if_false"] == pytest.approx(float(if_false), abs=1e-9)
    ratios = [if_true / if_false, if_false / if_true]
    if story == "forced":
        ratios += [(1 - if_false) / (1 - if_true)]
    assert found["epsilon"] == pytest.approx(math.log(max(ratios)), abs=2e-6)
    if if_true == if_false:
        assert "slope" not in found
    else:
        # Unbiased: the estimate of what is expected of a share is that share.
        for share in (Fraction(0), Fraction(1, 3), Fraction(1)):
            expected = share * if_true + (1 - share) * if_false
            estimate = found["offset"] + found["slope"] * float(expected)
            assert estimate == pytest.approx(float(share), abs=1e-7)


def test_a_sure_answer_has_no_epsilon() -> None:
    assert math.isinf(values(coins.PAGE, story="forced", truth="0.5", yes="0")["epsilon"])


@pytest.mark.parametrize(
    ("n", "p", "share"), [(30, 0.25, 0.3), (10, 0.4, 0), (100, 0.02, 1), (100, 0.49, 0.5)]
)
def test_the_spread_is_over_all_classes(n: int, p: float, share: float) -> None:
    ways = enumerated(n, p, share)
    mean = sum(estimate * chance for estimate, chance in ways)
    variance = sum((estimate - mean) ** 2 * chance for estimate, chance in ways)
    assert mean == pytest.approx(share, abs=1e-9)
    found = values(coins.PAGE, story="lie", n=str(n), truth=f"{1 - p:g}", share=str(share))
    assert found["error"] == pytest.approx(math.sqrt(variance), rel=1e-6)
    # A thousand classes: five standard errors, so that one seed in two million fails.
    assert found["average"] == pytest.approx(share, abs=5 * math.sqrt(variance / 1000))
    assert found["spread"] == pytest.approx(math.sqrt(variance), rel=0.15)


def test_the_course_s_numbers() -> None:
    # The noise of half of the coins costs as much as three of four people.
    at_half = values(coins.PAGE, n="1000", share="0.5", truth="0.5")
    assert at_half["error"] == pytest.approx(2 * at_half["error_direct"])
    # 1/√(cn), where one knows who told the truth, and 1/(c√n), where not.
    c = 0.5
    assert at_half["error_known"] == pytest.approx(0.5 / math.sqrt(c * 1000))
    assert at_half["error"] == pytest.approx(0.5 / (c * math.sqrt(1000)))


@pytest.mark.parametrize(("n", "share"), [(10, "0.02"), (30, "0.5"), (100, "0.97")])
def test_wald_s_interval_covers_what_an_enumeration_says(n: int, share: str) -> None:
    held = 0.0
    for yes, (found, chance) in enumerate(enumerated(n, 0.25, float(share))):
        # As somebody computes it by hand from a textbook.
        error = math.sqrt(yes / n * (1 - yes / n) / n) / 0.5
        held += chance * (abs(found - float(share)) <= 1.959963984540054 * error + 1e-12)
    covering = values(coins.PAGE, n=str(n), share=share)
    assert covering["wald"] == pytest.approx(held, abs=1e-9)
    assert covering["default"] >= 0.95


@pytest.mark.parametrize(
    "given",
    [{}, {"n": "3000"}, {"story": "lie", "truth": "0.49"}, {"story": "lie", "truth": "0.2"}],
)
def test_the_heap_holds_each_class_once(given: dict[str, str]) -> None:
    heap, truth = picture(coins.PAGE, "classes", **given).series
    assert sum(heap.y) == 1000
    places = [float(x) for x in heap.x]
    assert all(first < second for first, second in pairwise(places))
    mean = sum(x * y for x, y in zip(places, heap.y, strict=True)) / 1000
    found = values(coins.PAGE, **given)
    assert mean == pytest.approx(found["average"], abs=0.5 * found["error"])
    assert truth.x == (0.2,)


def test_harm_has_the_course_s_numbers() -> None:
    found = values(harm.PAGE, among_fast="0.9", among_slow="0.5")
    # One sprinter in five is under ten seconds: 0.2 × 0.9 + 0.8 × 0.5.
    assert found["before"] == pytest.approx(0.58)
    assert found["her_epsilon"] == pytest.approx(math.log(3), abs=1e-6)


@pytest.mark.parametrize("n", ["100", "3000", "10000"])
@pytest.mark.parametrize("flip", ["0.05", "0.25", "0.45"])
def test_one_report_changes_what_the_formula_says(flip: str, n: str) -> None:
    p, m = Fraction(flip), int(n) // 5
    found = values(harm.PAGE, flip=flip, n=n)
    assert found["her_part"] == pytest.approx(float(1 / ((1 - 2 * p) * (m + 1))), rel=1e-5)
    # The estimate with her, from counts of reports and by Warner's formula.
    yes = round(m * (found["told"] * float(1 - 2 * p) + float(p)))
    for name, more in (("with_no", 0), ("with_yes", 1)):
        rate = Fraction(yes + more, m + 1)
        assert found[name] == pytest.approx(float((rate - p) / (1 - 2 * p)), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.06, 0.5, 1.0])
@pytest.mark.parametrize("part", [0.01, 0.25, 0.5])
def test_the_worst_chance_is_epsilon_s_largest(epsilon: float, part: float) -> None:
    # Harm or no harm is a result of two kinds. All chances of it with the person are tried.
    chances = np.linspace(part, 1, 400_001)[:-1]
    allowed = (chances <= math.exp(epsilon) * part) & (
        (1 - part) <= math.exp(epsilon) * (1 - chances)
    )
    found = values(harm.PAGE, what="price", epsilon=str(epsilon), harm=str(100 * part))
    assert found["worst"] == pytest.approx(chances[allowed].max(), abs=1e-5)


def test_a_dearer_insurance() -> None:
    found = values(harm.PAGE, what="price", epsilon="0.1", harm="1")
    assert found["price"] == pytest.approx(10.52, abs=0.005)
    # For the payment of 10 dollars: (e^ε - 1) × 100 = 10.
    assert math.expm1(found["affordable"]) * 100 == pytest.approx(10)
    assert values(harm.PAGE, what="price", epsilon="1", harm="50")["worst"] == pytest.approx(
        1 - math.exp(-1) / 2
    )


@pytest.mark.parametrize(("epsilon", "pay"), [(0.1, 10), (0.02, 5), (0.4, 30)])
def test_so_many_come_for_the_payment(epsilon: float, pay: int) -> None:
    found = values(harm.PAGE, what="price", epsilon=str(epsilon), pay=str(pay))
    # Prices are log-normal: the share below the payment by the error function, to a dot of ten.
    z = math.log(pay / (100 * math.expm1(epsilon))) / 0.8
    assert found["joined"] == pytest.approx(500 * math.erfc(-z / math.sqrt(2)), abs=10)
    assert found["paid"] == found["joined"] * pay


@pytest.mark.parametrize(("epsilon", "pay"), [(0.1, 10), (0.08, 10), (0.4, 30)])
def test_a_published_share_is_off_as_said(epsilon: float, pay: int) -> None:
    found = values(harm.PAGE, what="price", epsilon=str(epsilon), pay=str(pay))
    n, error = int(found["joined"]), found["error"]
    chance = np.random.default_rng(31)
    drawn = chance.binomial(n, 0.5, 200_000) / n + chance.laplace(0, 1 / (n * epsilon), 200_000)
    # The standard deviation of 200,000 is known to 0.4 % at most (Laplace): five of these.
    assert drawn.std() == pytest.approx(error, rel=0.02)


def test_the_best_epsilon_has_the_lowest_curve() -> None:
    for pay in ("10", "40"):
        curve = picture(harm.PAGE, "along", what="price", pay=pay).series[0]
        lowest = min(zip(curve.y, curve.x, strict=True))[1]
        assert values(harm.PAGE, what="price", pay=pay)["best"] == lowest
    few, many = (values(harm.PAGE, what="price", pay=pay)["best"] for pay in ("10", "40"))
    assert many > few


@pytest.mark.parametrize("given", [{}, {"story": "lie", "truth": "0.02"}, {"story": "spinner"}])
def test_each_of_two_hundred_people_is_drawn_once(given: dict[str, str]) -> None:
    full, hollow = picture(coins.PAGE, "people", **given).series
    assert len({*zip(full.x, full.y, strict=True), *zip(hollow.x, hollow.y, strict=True)}) == 200
    left = sum(float(x) < 10 for x in full.x)
    assert left == round(100 * values(coins.PAGE, **given)["if_true"])
    assert len(full.x) - left == round(100 * values(coins.PAGE, **given)["if_false"])
