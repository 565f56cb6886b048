"""What the presenter reads: with the numbers of this class, at every step."""

import json
import math
import re
from pathlib import Path

import pytest

from deniable import designs
from deniable.analysis.planning.reach import greatest_reach
from deniable.classroom.class_state import Class
from deniable.classroom.steps import STEPS, beside, step_of
from deniable.server.desk.live.state import texts_of
from deniable.server.store.meetings import FIRST_STEP
from deniable.server.web.words import words
from deniable.text.languages import LANGUAGES
from tests.classroom.classes import FOUR, a_class, notes, scene

CLASSES = [
    a_class(0, 0),
    a_class(18, 12),
    a_class(*range(1, 5), law="epsilon: 1", answers=FOUR),
]


def test_a_class_is_asked_before_its_phones_ask_and_told_of_a_bar_that_is_left_out() -> None:
    assert "Ask the class now whether it wants this" in said("again")
    assert "a direct bar is left out" in said("direct")


def said(step: str, prior: float = 0.5) -> str:
    return " ".join(notes(a_class(18, 12, prior=prior), step))


def test_the_arithmetic_of_a_class_of_thirty_is_said() -> None:
    assert "at most ± 37 points with 30" in said("waiting")
    assert "± 37 points with 30 · ± 12 points with 300 · ± 4 points with 3,000" in said("sure")
    assert "4,335 people with these coins, and 1,101 without: 3.9 times" in said("sure")
    # 12 reports stand for 9 people; the oracle of the count is in test_rooms.
    assert "If it is true of 9 of 30, the un-mixed bar lies nearer" in said("direct")
    # Of 30 people a quarter send something else.
    assert "about 8 phones" in said("coins")
    # One report of 30, times 1 / (1 − 2p).
    assert "6.7 points" in said("people")
    # 12 of 30 less 7.5 by chance, stretched: the room's own numbers.
    assert "12 of 30 reports say “Yes”" in said("bars")
    assert "(12 − 7.5) / 15 = 30 %" in said("people")
    # Odds of 1 to 9, times 3.
    assert "10 % becomes 25 %" in said("point", prior=0.1)
    # 50 ln 3, and three of four after one report.
    assert "54.9" in said("again")
    assert "75 %" in said("again")


def test_the_steps_lead_from_the_first_to_the_last_and_back() -> None:
    way = [FIRST_STEP]
    while (following := beside(way[-1], 1)) is not None:
        assert beside(following.slug, -1) == step_of(way[-1])
        way.append(following.slug)
    assert way == [step.slug for step in STEPS]
    assert beside(FIRST_STEP, -1) is None
    assert sum(step.minutes for step in STEPS) == 40


PLAN = (Path(__file__).parents[2] / "docs" / "instructors.md").read_text()
LESSON = PLAN.partition("## A lesson")[2].partition("\n## ")[0]


def test_the_lesson_plan_has_these_steps_and_their_minutes() -> None:
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", LESSON, re.MULTILINE)
    assert rows == [(str(step.minutes), step.title) for step in STEPS]
    assert LESSON.startswith(f" of {sum(step.minutes for step in STEPS)} minutes")


def test_the_german_plan_has_the_same_minutes_and_what_the_wall_calls_the_steps() -> None:
    german = words("de").sentences
    plan = (Path(__file__).parents[2] / "docs" / "lesson.de.md").read_text()
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", plan, re.MULTILINE)
    assert rows == [(str(step.minutes), german[step.title]) for step in STEPS]


def test_the_lesson_plan_has_the_reach_of_intervals_in_it() -> None:
    people, points = re.findall(r"^\| (?:People|± points) \| (.*) \|$", LESSON, re.MULTILINE)
    sizes = [int(size.replace(",", "")) for size in people.split(" | ")]
    reaches = [float(greatest_reach(designs.truth_or_random(), n)[1]) for n in sizes]
    assert [int(one) for one in points.split(" | ")] == [round(100 * reach) for reach in reaches]
    # Fewer than a quarter of 30 reports, where nobody says yes: a sum over all that can be.
    below = sum(math.comb(30, yes) * 3 ** (30 - yes) for yes in range(8)) / 4**30
    assert below == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
@pytest.mark.parametrize("shown", CLASSES, ids=["nobody", "class", "four"])
def test_no_english_is_left_in_what_another_language_says(language: str, shown: Class) -> None:
    told = [of(shown, step.slug) for step in STEPS for of in (notes, scene)]
    english = re.compile(r"\b(the|with|and|is|at|from)\b", re.IGNORECASE)
    said = json.dumps(words(language).rendered_all(told, texts_of(shown)), ensure_ascii=False)
    assert english.search(json.dumps(told))
    assert not english.findall(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_and_its_sign_of_percent_stay_on_one_line(language: str) -> None:
    shown = a_class(18, 12)
    told = [of(shown, step.slug) for step in STEPS for of in (notes, scene)]
    said = json.dumps(words(language).rendered_all(told, texts_of(shown)), ensure_ascii=False)
    assert not re.search(r"\d [%٪]", said)
    assert re.search(r"\d\u00a0[%٪]", said)


def test_no_number_has_more_digits_than_a_class_can_use() -> None:
    """Of ε = ln 3 it reads 1.099 or 54.9, and nowhere 1.098612."""
    for shown in (
        a_class(18, 12, direct=(20, 9)),
        a_class(19, 12, 8, 1, law="epsilon: 1", answers=FOUR),
    ):
        for step in STEPS:
            picture = step.scene(shown).pop("picture")  # its values are for the script that draws
            told = [step.scene(shown) | {"picture": None}, notes(shown, step.slug)]
            texts = [row["text"] for row in (picture or {}).get("rows", ())]
            assert not re.findall(r"\d\.\d{4,}", json.dumps([told, texts])), step.slug


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_each_sentence_is_translated_however_many_have_answered(language: str) -> None:
    # Of one digit, of several, and of some on paper.
    for shown in (a_class(6, 0), a_class(900, 300), a_class(20, 10, paper=(900, 110))):
        for step in STEPS:
            told = [*notes(shown, step.slug), *scene(shown, step.slug)["said"]]
            said = words(language).rendered_all(told, texts_of(shown))
            # Written from right to left, what has no translation has marks around it.
            kept = [one for one, now in zip(told, said, strict=True) if one in now]
            assert kept == [], step.slug
            assert "them on paper" not in " ".join(said)
