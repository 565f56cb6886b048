"""Spending a budget: what is left, who gets no answer, and what stays as it was."""

import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.lab.budget import PAGE, answered
from deniable.lab.inputs import Trail
from tests.lab.shown import picture, values

(TRAIL,) = (one for one in PAGE.inputs if isinstance(one, Trail))


def test_each_answer_is_paid_for_until_the_budget_is_gone() -> None:
    words = "smokers:0.5 age:0.3 bikes:0.3 salary:0.2 age:0.05"
    asked = answered(words, Fraction(1), 1)
    assert [one.left for one in asked] == [Fraction(left, 10) for left in (5, 2, 2, 0, 0)]
    assert [one.answer is None for one in asked] == [False, False, True, False, True]
    found = values(PAGE, asked=words)
    assert found["remaining"] == 0
    assert found["spent"] == 1
    assert found.keys() == {"remaining", "spent", "answer_1", "answer_2", "answer_4"}
    left, _, refused = picture(PAGE, "left", asked=words).series
    assert left.y == pytest.approx((1, 0.5, 0.2, 0.2, 0, 0))
    assert refused.x == (3, 5)


def test_tenths_add_up_exactly() -> None:
    # As floating-point numbers three tenths are more than 0.3, and the last would get no answer.
    asked = answered("age:0.1 age:0.1 age:0.1", Fraction("0.3"), 1)
    assert all(one.answer is not None for one in asked)


def test_later_questions_leave_earlier_answers_as_they_were() -> None:
    first = values(PAGE, asked="smokers:0.2")
    later = values(PAGE, asked="smokers:0.2 smokers:0.2 age:0.1", question="age", each="0.1")
    assert later["answer_1"] == first["answer_1"]
    assert later["answer_2"] != later["answer_1"]  # the same question: noise anew


@pytest.mark.parametrize(
    ("question", "scale"), [("smokers", 5), ("others", 5), ("age", 0.5), ("salary", 1)]
)
def test_the_noise_has_the_scale_of_the_step_that_one_person_makes(
    question: str, scale: float
) -> None:
    noise = []
    for seed in range(1, 101):
        for one in answered(" ".join([f"{question}:0.2"] * 5), Fraction(1), seed):
            assert one.answer is not None
            noise.append(one.answer - one.truth)
    # Mean absolute noise is the scale, known to 1/√500 of it; five of these.
    assert np.abs(noise).mean() == pytest.approx(scale, rel=5 / math.sqrt(500))
    one = answered(f"{question}:0.2", Fraction(1), 1)[0]
    assert math.exp(-one.within / scale) == pytest.approx(0.05)


def test_a_trail_is_what_can_be_asked() -> None:
    assert TRAIL.read("") == ""
    assert TRAIL.read("  age:0.2   bikes:1 ") == "age:0.2 bikes:1"
    for wrong in ("age", "age:", "age:0.3.1", "age:0.22", "name:0.2", "age:0.2,bikes:0.2"):
        with pytest.raises(ValueError, match="expected"):
            TRAIL.read(wrong)
    with pytest.raises(ValueError, match="20 questions at most"):
        TRAIL.read("age:0.2 " * 21)


def test_nothing_may_have_been_asked() -> None:
    found = values(PAGE, asked="", budget="2")
    assert found == {"remaining": 2, "spent": 0}
