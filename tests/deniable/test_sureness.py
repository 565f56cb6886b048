"""How sure somebody can get: the numbers, exactly at their bounds, and the words for them."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from deniable import Channel, Survey
from deniable.channel import ROW_SUM
from deniable.designs import warner
from deniable.survey.questions import Answer, Ask
from deniable.survey.waves import Memory
from deniable.survey_file import read
from deniable.text.sureness import (
    Colour,
    Tier,
    _by_loss,
    implication,
    in_hundred,
    sureness,
    sureness_on_sheet,
    tier_of,
    told,
)
from tests import vectors
from tests.deniable.test_paper import mixed
from tests.kit import surveys
from tests.kit.readability import grade
from tests.kit.surveys import EXAMPLES, TOGETHER

CASES = vectors.surenesses()


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_numbers_and_words_are_the_browser_s(case: dict[str, Any]) -> None:
    survey = Survey.from_document(case["document"])
    found = sureness(survey)
    assert found is not None
    names = ["one", "all", "guess", "answers", "fact", "times", "changed", "changing"]
    names += ["forgot", "forgot_all"]
    assert [getattr(found, name) for name in names] == [case[name] for name in names]
    assert found.tier is Tier(case["tier"])
    assert [line.colour.value for line in told(survey)] == case["colours"]
    assert list(implication(survey)) == case["sentences"]
    assert grade(" ".join(case["sentences"])) <= 6  # it stands on the first screen


def test_what_is_forgotten_is_counted_at_the_worst_times() -> None:
    """By the joint law of what is kept and of all reports, see `tests.vectors.bounds.forgetful`."""
    cases = vectors.forgetful()
    assert len(cases) == 40
    for case in cases:
        memory = Memory(Channel(case["table"]), case["redraw"])
        assert _by_loss(memory.forgotten(case["waves"])) == case["number"]
    # Many waves take no time, and no bound is one.
    assert Memory(warner(flip="1/4"), 2**30).forgotten(254) == pytest.approx(254 * math.log(5 / 3))
    assert _by_loss(math.inf) == _by_loss(1e4) == 100


def test_a_season_s_promise_holds_for_who_keeps_the_noise() -> None:
    """By Bayes, three times "yes": 73.1 % are promised, and not of devices that forgot."""
    survey = read((EXAMPLES / "season.yaml").read_text()).survey
    memory = survey.items[0].memory
    assert memory is not None
    no, yes = ([one / ROW_SUM for one in row] for row in memory.permanent.weights)
    same = 1 - memory.redraw / ROW_SUM

    def said(row: list[float], times: int) -> float:
        return row[1] * same**times + row[0] * (1 - same) ** times

    kept, forgot = ((said(no, times), said(yes, times)) for times in (3, 1))
    shares = (yes[1], kept[1] / sum(kept), forgot[1] ** 3 / (forgot[0] ** 3 + forgot[1] ** 3))
    assert [f"{share:.1%}" for share in shares] == ["73.1%", "72.4%", "84.7%"]
    assert _by_loss(memory.forgotten(3)) == 85
    found = sureness(survey)
    assert found is not None
    # The other question has three answers, and says more.
    assert (found.one, found.forgot) == (74, 90)


def test_200_surveys_bounds_are_those_of_all_reports() -> None:
    """By Bayes, see `tests.vectors.bounds.enumerated`."""
    cases = vectors.enumerated()
    assert len(cases) == 200
    for case in cases:
        asked = [
            surveys.single(
                f"q{at}", [Answer(f"c{x}", f"C{x}") for x in range(len(table))], Channel(table)
            )
            for at, table in enumerate(case["tables"])
        ]
        made = surveys.survey(*asked)
        units = tuple(question.id for question in made.questions)
        found = sureness(replace(made, ask=Ask(case["ask"], units)) if case["ask"] else made)
        assert found is not None
        assert [found.one, found.all, found.guess] == case["numbers"], case


@pytest.mark.parametrize(("ratio", "number"), [(3, 75), (9, 90), (19, 95), (99, 99)])
def test_a_number_is_rounded_up_almost_always(ratio: int, number: int) -> None:
    rounding = ratio * Fraction(1, 1_000_000)
    assert in_hundred(Fraction(ratio)) == number
    assert in_hundred(ratio + rounding) == number
    assert in_hundred(ratio + 2 * rounding) == number + 1
    assert in_hundred(ratio - rounding) == number
    assert in_hundred(None) == 100


@pytest.mark.parametrize("flip", [Fraction(1, one) for one in range(3, 101)], ids=str)
def test_a_number_is_that_of_its_flip(flip: Fraction) -> None:
    """Integers of 2^32 hold 1/5 as a little less, which must not make 80 an 81."""
    ratio = warner(flip=flip).ratio
    assert in_hundred(ratio) == math.ceil(100 * (1 - flip))


def test_tiers_end_at_75_and_90() -> None:
    found = [tier_of(number).value for number in (50, 75, 76, 90, 91, 100)]
    assert found == [*["hint"] * 2, *["strong hint"] * 2, *["close to proof"] * 2]


def test_red_are_single_and_changing_answers_alone() -> None:
    """Two answers of 1 in 100 together are 10,000 to 1: amber, as each is red by itself."""
    twice = sureness(
        surveys.survey(*(surveys.single(q, channel=warner(flip="1/100")) for q in "ab"))
    )
    assert twice is not None
    assert [line.colour for line in twice.lines()] == [Colour.RED, Colour.AMBER]
    assert twice.colour is Colour.RED


def test_a_document_names_questions_of_one_fact() -> None:
    many, direct = surveys.many("m", ["A", "B"]), surveys.single("d", direct=True)
    survey = surveys.survey(surveys.single("a"), surveys.single("b"), many, direct)
    named = {**survey.document, "same_fact": ["a", "b"]}
    assert Survey.from_document(named).same_fact == ("a", "b")
    for wrong in (None, 0, "", "ab", [], ["a"], ["a", "a"], ["a", "m"], ["a", "d"], ["a", [1]]):
        with pytest.raises(ValueError, match=r"expected|agree with itself"):
            Survey.from_document({**survey.document, "same_fact": wrong})


def test_a_group_s_fact_has_its_whole_law() -> None:
    """Three questions share ε = 3, the group two parts of it: its law and that of the third."""
    group = read(TOGETHER).survey
    found = sureness(replace(group, same_fact=("knew", "slept")))
    assert found is not None
    assert (found.times, found.fact) == (2, found.all)
    # Both in the group: one draw decides on both, so that nothing is asked with fresh chance.
    within = sureness(replace(group, same_fact=("knew", "doped")))
    assert within is not None
    assert (within.times, within.fact) == (0, None)


def test_a_sheet_tells_of_facts_asked_again() -> None:
    again = surveys.survey(surveys.single("a"), surveys.single("b"))
    found = sureness_on_sheet(replace(again, same_fact=("a", "b")))
    assert found is not None
    assert (found.times, found.fact) == (2, found.all)


def test_a_sheet_is_judged_by_its_own() -> None:
    # Two options of two coins; what no hand can make is not asked.
    found = sureness_on_sheet(mixed())
    assert found is not None
    assert (found.one, found.all, found.answers, found.guess) == (75, 90, 2, 75)
    assert sureness_on_sheet(surveys.survey(surveys.single(direct=True))) is None


@pytest.mark.parametrize(
    ("flip", "said"),
    [
        (Fraction(1, 400), "reverses each answer less than 1 time in 100."),
        (Fraction(1, 100), "reverses each answer 1 time in 100."),
        (Fraction(1, 50), "reverses each answer 2 times in 100."),
    ],
)
def test_one_time_in_100_is_one_time(flip: Fraction, said: str) -> None:
    first, *_ = implication(surveys.survey(surveys.single(channel=warner(flip=flip))))
    assert said in first
