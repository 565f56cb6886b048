"""Coins: each story's table, ε and estimator, against what courses derive by hand."""

import math
from fractions import Fraction

import pytest

from deniable import designs
from deniable.lab.coins import PAGE, compute
from deniable.lab.page import Shown
from tests.lab.shown import values


def shown(**given: str) -> Shown:
    return compute(PAGE.read(given))


def test_two_coins_of_truth_or_random_are_the_course_s() -> None:
    found = values(PAGE, story="random", truth="0.5")
    # P(yes | yes) = 3/4, P(yes | no) = 1/4, and the estimate is 2 E(yes) - 1/2.
    assert (found["if_true"], found["if_false"]) == (0.75, 0.25)
    assert (found["slope"], found["offset"]) == (2, -0.5)
    assert found["epsilon"] == pytest.approx(math.log(3), abs=1e-6)
    # ± 1.96 times the root of 1/4 over n, twice: the share where it is widest.
    assert found["error"] == pytest.approx(1.959964 * 2 * math.sqrt(0.25 / 1000), rel=1e-6)


@pytest.mark.parametrize("truth", ["0.02", "0.3", "0.5", "0.77", "0.98"])
@pytest.mark.parametrize("story", ["random", "lie", "spinner", "forced", "answers"])
def test_every_story_comes_to_the_chances_of_its_coins(story: str, truth: str) -> None:
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
        crowd = shown(story="lie", truth=truth).crowd
        assert crowd is not None
        assert crowd.weights == designs.truth_or_lie(truth).weights
        assert crowd.weights == designs.warner(flip=1 - Fraction(truth)).weights


@pytest.mark.parametrize("share", ["0", "0.2", "0.35", "1"])
@pytest.mark.parametrize("k", ["2", "3", "8"])
def test_the_crowd_has_a_hundred_people_and_the_channel_s_estimator(share: str, k: str) -> None:
    crowd = shown(story="answers", share=share, k=k).crowd
    assert crowd is not None
    assert sum(crowd.people) == 100
    assert crowd.people[1] == 100 * float(share)
    others = [people for truth, people in enumerate(crowd.people) if truth != 1]
    assert max(others) - min(others) <= 1
    # The expected mean of the contributions is 1 for that truth, and 0 for the others.
    for truth, row in enumerate(crowd.weights):
        expected = sum(weight * each for weight, each in zip(row, crowd.contributions, strict=True))
        assert expected / 2**32 == pytest.approx(float(truth == 1), abs=1e-7)


def test_where_one_answer_is_sure_epsilon_has_no_end() -> None:
    assert math.isinf(values(PAGE, story="forced", truth="0.5", yes="0")["epsilon"])
