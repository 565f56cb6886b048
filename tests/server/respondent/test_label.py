"""The privacy label says what the channels say, the implication first."""

import dataclasses
import json
import re
from math import exp

import pytest

from deniable import designs
from deniable.channel import ROW_SUM, Channel
from deniable.questions import Answer
from deniable.server.respondent.drawing import people
from deniable.server.respondent.label import privacy_label
from deniable.server.respondent.program import BROWSER_FOLDER
from deniable.server.store import Store
from deniable.survey import Survey
from deniable.wording import WEAK, large_factor
from tests import surveys
from tests.server.calling import Caller

THREE = (Answer("a", "A"), Answer("b", "B"), Answer("c", "C"))


def mixed() -> Survey:
    return surveys.survey(
        surveys.single("age", direct=True),
        surveys.single("coin", channel=designs.truth_or_random()),
        surveys.single("die", channel=designs.forced_response("2/3", "1/4")),
        surveys.single("three", THREE, designs.k_ary(3, 1)),
    )


def test_the_implication_is_in_plain_odds() -> None:
    survey = surveys.survey(surveys.single(channel=designs.warner("1/4")))
    assert privacy_label(survey).implication == (
        "Someone might see everything that is stored and know which report is yours. Even then, "
        "they cannot be sure of your true answer to a randomised question. At most, an even chance "
        "becomes odds of 3 to 1."
    )
    twice = surveys.survey(surveys.many("q", ["A", "B"]))
    # Two items of ln 3, each rounded up to a millionth, and the factor rounded up again.
    assert "an even chance becomes odds of 9.1 to 1." in privacy_label(twice).implication


def test_the_device_warns_of_the_same_epsilon() -> None:
    words = (BROWSER_FOLDER / "page" / "words.js").read_text()
    assert f"export const WEAK = {WEAK:g};" in words
    assert f'"{large_factor()}"' in words


def test_weak_protection_is_not_said_to_be_more() -> None:
    five = surveys.survey(surveys.many("q", ["A", "B", "C", "D", "E"]))
    implication = privacy_label(five).implication
    assert privacy_label(five).warning == large_factor()
    assert privacy_label(surveys.survey()).warning is None
    assert "guess a lot about your true answers" in implication
    assert "cannot be sure" not in implication
    assert "At most, an even chance becomes odds of 244 to 1." in implication


def test_a_survey_without_chance_says_that_answers_can_be_read() -> None:
    label = privacy_label(surveys.survey(surveys.single(direct=True)))
    assert label.implication.endswith("Anyone who sees what is stored can read your answers.")
    assert label.crowds == ()


def test_the_crowds_are_of_what_chance_protects_least() -> None:
    # Yes is forced 1 of 12 times, no 3 of 12: epsilon is ln(9/12 / (1/12)) = ln 9.
    first, second = privacy_label(mixed()).crowds
    assert (first.item, first.truth, first.report, first.count) == ("die", "No", "Yes", 8)
    assert (second.truth, second.report, second.count) == ("Yes", "Yes", 75)
    assert first.sentence == "Of 100 people whose true answer is “No”, 8 send “Yes”."


@pytest.mark.parametrize(("weight", "count"), [(0.0051, 1), (0.125, 13), (0.494, 49)])
def test_people_are_counted_as_the_browser_counts_them(weight: float, count: int) -> None:
    yes = round(weight * ROW_SUM)
    channel = Channel([[ROW_SUM - yes, yes], [yes, ROW_SUM - yes]])
    label = privacy_label(surveys.survey(surveys.single(channel=channel)))
    assert label.crowds[0].count == count


def test_codes_are_no_crowd() -> None:
    upside_down = Channel.from_probabilities([["1/4", "3/4"], ["3/4", "1/4"]])
    assert privacy_label(surveys.survey(surveys.single(channel=upside_down))).crowds == ()


def test_what_hands_can_do_is_said_question_by_question() -> None:
    said = [question.by_hand for question in privacy_label(mixed()).questions]
    assert said == [
        None,
        (
            "Toss a coin twice. Heads twice: “No”. Tails twice: “Yes”. Anything else: your true "
            "answer."
        ),
        (
            "Roll a die twice and read the two results as a number from 11 to 66. 11 to 23: “No”. "
            "64 to 66: “Yes”. Anything else: your true answer."
        ),
        None,
    ]


def test_the_json_has_all_of_it(call: Caller, store: Store) -> None:
    store.register(mixed())
    label = json.loads(call("/s/doping/privacy.json").body)
    assert label["implication"] == privacy_label(mixed()).implication
    assert [crowd["count"] for crowd in label["crowds"]] == [8, 75]
    assert label["questions"][1]["by_hand"].startswith("Toss a coin twice.")
    assert label["epsilon"] == pytest.approx(
        sum(question["epsilon"] or 0 for question in label["questions"])
    )
    assert float(label["odds_factor"]) == pytest.approx(exp(label["epsilon"]), rel=0.02)


def test_the_page_says_the_implication_first_and_draws_the_rest(call: Caller, store: Store) -> None:
    store.register(mixed())
    page = call("/s/doping/privacy").text
    parts = [
        privacy_label(mixed()).implication,
        "Local differential privacy",
        "If you come back",
        "who could break the protection",
        'aria-label="Of 100 people whose true answer is “No”, 8 send “Yes”."',
        'aria-label="Of 100 people whose true answer is “Yes”, 75 send “Yes”."',
        'aria-label="Your answer stays on your device.',
        "Toss a coin twice. Heads twice",
        "Question by question",
    ]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert f'class="filled" d="{people(0, 8)}"/><path d="{people(8, 100)}"' in page
    assert "style=" not in page  # the policy would refuse it


def test_without_chance_nothing_is_drawn(call: Caller, store: Store) -> None:
    store.register(surveys.survey(surveys.single(direct=True)))
    page = call("/s/doping/privacy").text
    assert "<svg" not in page
    assert "own coins" not in page
    assert "factor of" not in page


def test_a_sheet_is_offered_only_where_hands_can_do_something(call: Caller, store: Store) -> None:
    assert "own coins" not in call("/s/doping/privacy").text
    store.register(mixed())
    assert re.search(
        r'own coins.*href="/s/doping/sheet"', call("/s/doping/privacy").text, re.DOTALL
    )


def test_a_hundred_people_are_a_hundred() -> None:
    assert people(0, 100).count("z") == 100
    assert people(99, 100) == "M93 111a2 2 0 1 1 4 0a2 2 0 1 1-4 0M92 118v-1a3 3 0 0 1 6 0v1z"


def test_questions_of_comprehension_are_announced() -> None:
    without = surveys.survey(surveys.single())
    asking = dataclasses.replace(without, comprehension=True)
    said = privacy_label(asking).asked
    assert said.startswith(
        f"{privacy_label(without).asked} Before the survey starts, two questions"
    )
    assert "Your answers to these two stay on the page" in said


def test_it_says_whether_the_results_page_tells_when_a_report_came() -> None:
    held, single = (
        privacy_label(surveys.survey(surveys.single(), slug="s", batch=batch)).seen
        for batch in (25, 1)
    )
    assert "in groups of 25 or more" in held
    assert "nobody when your report arrived" in held
    assert "as soon as it arrives" in single
