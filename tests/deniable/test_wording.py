"""How sure somebody can get: the numbers, exactly at their bounds, and the words for them."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from deniable.channel import ROW_SUM
from deniable.designs import warner
from deniable.survey import Survey
from deniable.text.wording import (
    Tier,
    implication,
    in_hundred,
    sureness,
    sureness_of,
    sureness_on_sheet,
    tier_of,
)
from tests import surveys, vectors
from tests.deniable.test_paper import mixed
from tests.readability import grade

CASES = vectors.surenesses()


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_numbers_and_the_words_are_those_of_the_browser(case: dict[str, Any]) -> None:
    survey = Survey.from_document(case["document"])
    found = sureness(survey)
    assert found is not None
    assert (found.one, found.all, found.changing) == (case["one"], case["all"], case["changing"])
    assert found.tier is Tier(case["tier"])
    assert list(implication(survey)) == case["sentences"]
    assert grade(" ".join(case["sentences"])) <= 6  # it stands on the first screen


@pytest.mark.parametrize("case", CASES[:15], ids=[case["name"] for case in CASES[:15]])
def test_nobody_gets_further_by_any_report(case: dict[str, Any]) -> None:
    """By Bayes, of every report and every two truths of all questions together."""
    survey = Survey.from_document(case["document"])
    tables = [item.channel.weights for item in survey.items]
    chances = [
        [
            math.prod(
                Fraction(table[truth][report], ROW_SUM)
                for table, truth, report in zip(tables, truths, reports, strict=True)
            )
            for truths in product(*(range(len(table)) for table in tables))
        ]
        for reports in product(*(range(len(table[0])) for table in tables))
    ]
    furthest = max(Fraction(max(column), max(column) + min(column)) for column in chances)
    assert case["all"] - 1 < 100 * furthest <= case["all"] + Fraction(1, 10_000)


@pytest.mark.parametrize(("ratio", "number"), [(3, 75), (9, 90), (19, 95), (99, 99)])
def test_a_number_is_rounded_up_but_for_a_millionth(ratio: int, number: int) -> None:
    rounding = ratio * Fraction(1, 1_000_000)
    assert in_hundred(Fraction(ratio)) == number
    assert in_hundred(ratio + rounding) == number
    assert in_hundred(ratio + 2 * rounding) == number + 1
    assert in_hundred(ratio - rounding) == number
    assert in_hundred(None) == 100


@pytest.mark.parametrize("flip", [Fraction(1, one) for one in range(3, 101)], ids=str)
def test_a_number_is_that_of_the_flip_as_it_is_written(flip: Fraction) -> None:
    """Integers of 2^32 hold 1/5 as a little less, which must not make 80 an 81."""
    ratio = warner(flip=flip).ratio
    assert in_hundred(ratio) == math.ceil(100 * (1 - flip))


def test_tiers_end_at_75_90_and_95() -> None:
    found = [tier_of(number).value for number in (50, 75, 76, 90, 91, 95, 96, 100)]
    assert found == [*["unsure"] * 2, *["hint"] * 2, *["often"] * 2, *["always"] * 2]


def test_a_sheet_is_judged_by_what_is_on_it() -> None:
    # Two options of two coins; what no hand can make is not asked.
    found = sureness_on_sheet(mixed())
    assert found is not None
    assert (found.one, found.all) == (90, 90)
    assert sureness_on_sheet(surveys.survey(surveys.single(direct=True))) is None


def test_a_direct_question_has_no_number() -> None:
    survey = surveys.survey(surveys.single("age", direct=True), surveys.many("q", ["A", "B"]))
    assert [sureness_of(survey, question) for question in survey.questions] == [None, 90]
    direct = surveys.survey(surveys.single(direct=True))
    assert sureness(direct) is None
    assert len(implication(direct)) == 1
