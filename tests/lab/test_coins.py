"""Coins: each story's table, ε and estimate against what courses derive by hand."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest

from deniable import designs
from deniable.analysis.estimation import estimate
from deniable.lab.coins import PAGE
from tests.lab.shown import found as computed
from tests.lab.shown import picture, values


def enumerated(n: int, p: float, share: float) -> list[tuple[float, float]]:
    """List each estimate that can come, (ā − p)/(1 − 2p), with its chance."""
    rate = p + (1 - 2 * p) * share
    return [
        ((yes / n - p) / (1 - 2 * p), math.comb(n, yes) * rate**yes * (1 - rate) ** (n - yes))
        for yes in range(n + 1)
    ]


def test_two_coins_are_the_course_s() -> None:
    found = values(PAGE, story="random", truth="0.5")
    # P(yes | yes) = 3/4, P(yes | no) = 1/4, and the estimate is 2 E(yes) - 1/2.
    assert (found["if_true"], found["if_false"]) == (0.75, 0.25)
    assert (found["slope"], found["offset"]) == (2, -0.5)
    assert found["epsilon"] == pytest.approx(math.log(3), abs=1e-6)


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
    found = values(PAGE, story=story, truth=truth, yes="0.3", k="5")
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


def test_stories_that_the_product_knows_have_its_tables() -> None:
    for truth in ("0.55", "0.75", "0.98"):
        channel = computed(PAGE, story="lie", truth=truth)["channel"]
        assert channel.weights == designs.truth_or_lie(truth).weights
        assert channel.weights == designs.warner(flip=1 - Fraction(truth)).weights


def test_a_sure_answer_has_no_epsilon() -> None:
    assert math.isinf(values(PAGE, story="forced", truth="0.5", yes="0")["epsilon"])


@pytest.mark.parametrize(
    ("n", "p", "share"), [(30, 0.25, 0.3), (10, 0.4, 0), (100, 0.02, 1), (100, 0.49, 0.5)]
)
def test_the_spread_is_over_all_classes(n: int, p: float, share: float) -> None:
    ways = enumerated(n, p, share)
    mean = sum(estimate * chance for estimate, chance in ways)
    variance = sum((estimate - mean) ** 2 * chance for estimate, chance in ways)
    assert mean == pytest.approx(share, abs=1e-9)
    found = values(PAGE, story="lie", n=str(n), truth=f"{1 - p:g}", share=str(share))
    assert found["error"] == pytest.approx(math.sqrt(variance), rel=1e-6)
    # A thousand classes: five standard errors, so that one seed in two million fails.
    assert found["average"] == pytest.approx(share, abs=5 * math.sqrt(variance / 1000))
    assert found["spread"] == pytest.approx(math.sqrt(variance), rel=0.15)


def test_the_course_s_numbers() -> None:
    # The noise of half of the coins costs as much as three of four people.
    at_half = values(PAGE, n="1000", share="0.5", truth="0.5")
    assert at_half["error"] == pytest.approx(2 * at_half["error_direct"])
    # 1/√(cn), where one knows who told the truth, and 1/(c√n), where not.
    c = 0.5
    assert at_half["error_known"] == pytest.approx(0.5 / math.sqrt(c * 1000))
    assert at_half["error"] == pytest.approx(0.5 / (c * math.sqrt(1000)))


@pytest.mark.parametrize("n", [10, 30])
def test_no_interval_reaches_further_than_said(n: int) -> None:
    reaches = []
    for yes in range(n + 1):
        share = min(max((yes / n - 0.25) / 0.5, 0), 1)
        low, high = estimate([n - yes, yes], designs.truth_or_random()).possible_interval()[1]
        reaches += [share - low, high - share]
    assert values(PAGE, n=str(n))["reach"] == pytest.approx(max(reaches), abs=1e-6)


@pytest.mark.parametrize(("n", "share"), [(10, "0.02"), (30, "0.5"), (100, "0.97")])
def test_wald_s_interval_covers_what_an_enumeration_says(n: int, share: str) -> None:
    held = 0.0
    for yes, (found, chance) in enumerate(enumerated(n, 0.25, float(share))):
        # As somebody computes it by hand from a textbook.
        error = math.sqrt(yes / n * (1 - yes / n) / n) / 0.5
        held += chance * (abs(found - float(share)) <= 1.959963984540054 * error + 1e-12)
    covering = values(PAGE, n=str(n), share=share)
    assert covering["wald"] == pytest.approx(held, abs=1e-9)
    assert covering["default"] >= 0.95


@pytest.mark.parametrize(
    "given",
    [{}, {"n": "3000"}, {"story": "lie", "truth": "0.49"}, {"story": "lie", "truth": "0.2"}],
)
def test_the_heap_holds_each_class_once(given: dict[str, str]) -> None:
    heap, truth = picture(PAGE, "classes", **given).series
    assert sum(heap.y) == 1000
    places = [float(x) for x in heap.x]
    assert all(first < second for first, second in pairwise(places))
    mean = sum(x * y for x, y in zip(places, heap.y, strict=True)) / 1000
    found = values(PAGE, **given)
    assert mean == pytest.approx(found["average"], abs=0.5 * found["error"])
    assert truth.x == (0.2,)
