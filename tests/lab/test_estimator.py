"""The estimator: a thousand classes against all that can come, with their chances."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from deniable import designs
from deniable.lab.estimator import PAGE, controlled, coverages, ignoring
from deniable.lab.exercises import Pick
from tests.lab.shown import picture, values


def enumerated(n: int, p: float, share: float) -> list[tuple[float, float]]:
    """List each estimate that can come, (ā − p)/(1 − 2p), with its chance."""
    rate = p + (1 - 2 * p) * share
    return [
        ((yes / n - p) / (1 - 2 * p), math.comb(n, yes) * rate**yes * (1 - rate) ** (n - yes))
        for yes in range(n + 1)
    ]


@pytest.mark.parametrize(
    ("n", "p", "share"), [(30, 0.25, 0.3), (10, 0.4, 0), (100, 0.01, 1), (100, 0.49, 0.5)]
)
def test_the_spread_is_that_of_all_classes_that_could_come(n: int, p: float, share: float) -> None:
    ways = enumerated(n, p, share)
    mean = sum(estimate * chance for estimate, chance in ways)
    variance = sum((estimate - mean) ** 2 * chance for estimate, chance in ways)
    assert mean == pytest.approx(share, abs=1e-9)
    found = values(PAGE, n=str(n), flip=str(p), share=str(share))
    assert found["error"] == pytest.approx(math.sqrt(variance), rel=1e-6)
    # A thousand classes: five standard errors, so that one seed in two million fails.
    assert found["average"] == pytest.approx(share, abs=5 * math.sqrt(variance / 1000))
    assert found["spread"] == pytest.approx(math.sqrt(variance), rel=0.15)


def test_the_course_s_numbers() -> None:
    # ± 36 points in a class of 30, with 95 %.
    assert 1.96 * values(PAGE, n="30", share="0.5")["error"] == pytest.approx(0.358, abs=5e-4)
    # The noise of half of the coins costs as much as three of four people.
    at_half = values(PAGE, n="1000", share="0.5", flip="0.25")
    assert at_half["error"] == pytest.approx(2 * at_half["error_direct"])
    # 1/√(cn), where one knows who told the truth, and 1/(c√n), where not.
    c = 0.5
    assert at_half["error_known"] == pytest.approx(0.5 / math.sqrt(c * 1000))
    assert at_half["error"] == pytest.approx(0.5 / (c * math.sqrt(1000)))


@pytest.mark.parametrize(("n", "place"), [(10, 2), (30, 50), (100, 97)])
def test_wald_s_interval_covers_what_an_enumeration_says(n: int, place: int) -> None:
    share, p = place / 100, 0.25
    held = 0.0
    for yes, (estimate, chance) in enumerate(enumerated(n, p, share)):
        # As somebody computes it by hand from a textbook.
        error = math.sqrt(yes / n * (1 - yes / n) / n) / (1 - 2 * p)
        held += chance * (abs(estimate - share) <= 1.959963984540054 * error + 1e-12)
    found = values(PAGE, n=str(n), share=str(share), flip=str(p))
    assert found["wald"] == pytest.approx(held, abs=1e-9)
    assert found["wald"] == coverages(Fraction("0.25"), n, "wald")[place]


def test_the_exercise_names_the_shares_that_wald_s_interval_holds_least_often() -> None:
    found = coverages(Fraction("0.25"), 10, "wald")
    low, high = np.flatnonzero(np.isclose(found, min(found)))
    (told,) = [one for one in PAGE.exercises if "least often" in one.question]
    assert isinstance(told.check, Pick)
    assert told.check.right == f"At {low} % and {high} %"
    assert max(found) < 0.95
    rounded = [round(100 * found[place]) for place in (low, 0)]
    assert all(f"in {one} of 100 classes" in told.answer for one in rounded)
    assert (round(100 * min(found[30:71])), round(100 * max(found[30:71]))) == (87, 95)


@pytest.mark.parametrize("n", ["10", "30", "100"])
def test_the_interval_of_the_results_never_covers_less_than_it_says(n: str) -> None:
    shown = picture(PAGE, "covering", n=n).series[1]
    assert shown.name == "Results pages"
    assert min(shown.y) >= 0.95 - 1e-9


@pytest.mark.parametrize("given", [{}, {"n": "3000"}, {"n": "10", "flip": "0.49"}, {"share": "0"}])
def test_the_heap_holds_each_class_once_and_around_the_truth(given: dict[str, str]) -> None:
    heap, truth = picture(PAGE, "classes", **given).series
    assert sum(heap.y) == 1000
    places = [float(x) for x in heap.x]
    assert all(first < second for first, second in pairwise(places))
    mean = sum(x * y for x, y in zip(places, heap.y, strict=True)) / 1000
    found = values(PAGE, **given)
    assert mean == pytest.approx(found["average"], abs=0.5 * found["error"])
    assert truth.x == (float(given.get("share", "0.3")),)


@pytest.mark.parametrize(("p", "share", "part"), [(0.25, 0.3, 0.2), (0.1, 0.9, 0.5), (0.4, 0, 0.3)])
def test_a_control_item_puts_right_what_those_who_ignore_the_coin_do(
    p: float, share: float, part: float
) -> None:
    channel = designs.warner(flip=str(p))
    # (1 − γ)(p + (1 − 2p)θ) are “yes”, and the rest is (ā − p)/(1 − 2p).
    rate = (1 - part) * (p + (1 - 2 * p) * share)
    assert ignoring(channel, share, part) == pytest.approx((rate - p) / (1 - 2 * p), abs=1e-8)
    found = [controlled(channel, share, part, seed) for seed in range(1, 31)]
    # Six standard errors of the mean of thirty.
    away = float(6 * np.std(found) / math.sqrt(len(found)))
    assert np.mean(found) == pytest.approx(share, abs=away)
    assert away < 0.1
    shown = picture(PAGE, "ignoring", share=str(share), flip=str(p))
    assert shown.series[0].y[round(20 * part)] == pytest.approx(ignoring(channel, share, part))
