"""The privacy label says what the channels say, the implication first."""

import dataclasses
import re

import pytest

from deniable import Survey, designs
from deniable.channel import ROW_SUM, Channel
from deniable.server.respondent.drawing import people
from deniable.server.respondent.label import privacy_label
from deniable.server.store import Store
from deniable.survey.questions import Answer, QuestionType
from deniable.survey_file import read
from deniable.text.sureness import sureness
from tests.kit import Caller, at, panel, surveys
from tests.server.respondent.test_sheet import BY_DISC

pytestmark = pytest.mark.promise("label")

THREE = (Answer("a", "A"), Answer("b", "B"), Answer("c", "C"))


def mixed() -> Survey:
    return surveys.survey(
        surveys.single("age", direct=True),
        surveys.single("coin", channel=designs.truth_or_random()),
        surveys.single("die", channel=designs.forced_response("2/3", "1/4")),
        surveys.single("three", THREE, designs.k_ary(3, 1)),
    )


def test_two_coins_are_a_hint_and_no_more() -> None:
    label = privacy_label(surveys.survey(surveys.single(channel=designs.warner("1/4"))))
    assert [" ".join(one.split()) for one in label.implication] == [
        (
            "Your device sends your real answer 3 times in 4, and the other one 1 time in 4. "
            "Nobody can see which. Someone who thought it was 50:50 can be 75 % sure at most: "
            "a hint, not proof."
        )
    ]
    assert label.sureness is not None
    assert (label.sureness.one, label.sureness.all, label.tier) == (75, 75, "hint")


def test_without_chance_answers_can_be_read() -> None:
    label = privacy_label(surveys.survey(surveys.single(direct=True)))
    assert label.implication[0].endswith("Anyone who sees what is stored can read your answers.")
    assert (label.sureness, label.tier) == (None, None)
    assert label.crowds == ()


def test_the_crowds_are_of_what_chance_protects_least() -> None:
    # Yes is forced 1 of 12 times, no 3 of 12: epsilon is ln(9/12 / (1/12)) = ln 9.
    first, second = privacy_label(mixed()).crowds
    assert (first.item, first.truth, first.report, first.count) == ("die", "No", "Yes", 8)
    assert (second.truth, second.report, second.count) == ("Yes", "Yes", 75)
    assert first.sentence == "Of 100 people whose true answer is “No”, 8 send “Yes”."


def test_a_number_alone_makes_the_crowds() -> None:
    weak, items = surveys.single("hours", channel=designs.warner("1/8"))
    hours = (dataclasses.replace(weak, type=QuestionType.NUMBER), items)
    both = surveys.survey(hours, surveys.single("doped"))
    assert privacy_label(both).crowds[0].item == "doped"
    assert privacy_label(surveys.survey(hours)).crowds[0].item == "hours"


@pytest.mark.parametrize(("weight", "count"), [(0.0051, 1), (0.125, 13), (0.494, 49)])
def test_people_are_counted_as_the_browser_counts_them(weight: float, count: int) -> None:
    yes = round(weight * ROW_SUM)
    channel = Channel([[ROW_SUM - yes, yes], [yes, ROW_SUM - yes]])
    label = privacy_label(surveys.survey(surveys.single(channel=channel)))
    assert label.crowds[0].count == count


def test_codes_are_no_crowd() -> None:
    upside_down = Channel.from_probabilities([["1/4", "3/4"], ["3/4", "1/4"]])
    assert privacy_label(surveys.survey(surveys.single(channel=upside_down))).crowds == ()


def test_what_hands_can_is_said_by_question() -> None:
    said = [question.by_hand for question in privacy_label(mixed()).questions]
    assert said == [
        None,
        (
            "Toss a coin twice. Tails then tails: “No”. Tails then heads: “Yes”. Anything else: "
            "your true answer."
        ),
        (
            "Roll a die twice and read the two results as a number from 11 to 66. 11 to 23: “No”. "
            "64 to 66: “Yes”. Anything else: your true answer."
        ),
        (
            "The printed sheet has a disc with several parts. Spin a paper clip on it. The part "
            "where it stops says what to tick: your true answer, or one that chance chose."
        ),
    ]


def test_the_json_has_all_of_it(respondents: Caller, store: Store) -> None:
    store.register(mixed())
    label = respondents(at("doping", "privacy.json")).json
    assert tuple(label["implication"]) == privacy_label(mixed()).implication
    assert [crowd["count"] for crowd in label["crowds"]] == [8, 75]
    assert label["questions"][1]["by_hand"].startswith("Toss a coin twice.")
    assert label["epsilon"] == pytest.approx(
        sum(question["epsilon"] or 0 for question in label["questions"])
    )
    # 3 to 1, 9 to 1 and e to 1: 73.4 to 1, 98.7 in 100.
    assert label["sureness"] == {
        **{"one": 90, "all": 99, "answers": 3, "guess": 84},
        **{"fact": None, "times": 0, "changed": None, "changing": None, "unlimited": False},
        **{"forgot": 0, "forgot_all": 0},
    }
    assert label["tier"] == "strong hint"
    assert [question["in_hundred"] for question in label["questions"]] == [None, 75, 90, 74]


def test_the_page_is_for_people_first(respondents: Caller, store: Store) -> None:
    store.register(mixed())
    page = respondents(at("doping", "privacy")).text
    parts = [
        '<p class="implication" data-colour="amber">',
        *privacy_label(mixed()).implication,
        "Others can see that you took part",
        'aria-label="Of 100 people whose true answer is “No”, 8 send “Yes”."',
        'aria-label="Of 100 people whose true answer is “Yes”, 75 send “Yes”."',
        'class="amber" x="150" y="26" width="120"',
        'class="amber" x="150" y="26" width="147"',
        "Toss a coin twice. Tails then tails",
        '<details class="experts">',
        'aria-label="On your device, chance turns',
        "Local differential privacy",
        "If you come back",
        "who could break the protection",
        "Question by question",
    ]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert f'class="filled" d="{people(0, 8)}"/><path d="{people(8, 100)}"' in page
    assert "style=" not in page  # the policy would refuse it
    for_people = page[page.index("<h1") : page.index('class="experts"')]
    for_people = re.sub(r"<svg.*?</svg>|<[^>]*>", " ", for_people)
    hard = r"report|byte|model|mechanism|randomi[sz]|epsilon|ε|odds|factor|unit\b"
    assert re.findall(hard, for_people, re.IGNORECASE) == []


def test_each_bar_names_its_bound(respondents: Caller, store: Store) -> None:
    """Of a survey in waves: of one answer, of all while they stay, and whatever changes."""
    store.register(panel())
    found = sureness(panel())
    assert found is not None
    page = respondents(at("panel", "privacy")).text
    bar = r"<figcaption>([^<]+)</figcaption>\s*<svg[^>]*→ \D*(\d+)\s% sure"
    bars = re.findall(bar, page)
    assert [(caption, int(number)) for caption, number in bars] == [
        ("From one answer by itself", found.one),
        ("If all answers point to the same thing", found.all),
        ("If you change your answer next time", 99),  # "more than 99 % sure"
    ]
    assert found.all < (found.changing or 0) == 100


def test_without_chance_nothing_is_drawn(respondents: Caller, store: Store) -> None:
    store.register(surveys.survey(surveys.single(direct=True)))
    page = respondents(at("doping", "privacy")).text
    assert "<svg" not in page
    assert "own coins" not in page
    assert "How sure could anyone be?" not in page


def test_a_sheet_is_offered_where_hands_can(respondents: Caller, store: Store) -> None:
    store.register(surveys.survey(surveys.single(channel=designs.warner("1/100"))))
    assert "own coins" not in respondents(at("doping", "privacy")).text
    store.register(mixed())
    assert re.search(
        rf'own coins.*href="{at("doping", "sheet")}"',
        respondents(at("doping", "privacy")).text,
        re.DOTALL,
    )


def test_spinners_and_others_say_their_chance(respondents: Caller, store: Store) -> None:
    spinner, others = "chance picks a statement", "your true answer or another one"
    both = BY_DISC + "  - {id: doped, text: D, type: single, answers: [No, Yes], flip: 1/4}\n"
    for text, said in ((BY_DISC, [True, False]), (both, [True, True])):
        store.register(read(text).survey)
        for_people = respondents(at("disc", "privacy")).text.split('class="experts"')[0]
        assert [words in for_people for words in (spinner, others)] == said
        assert "Spin a paper clip" in re.sub(r"\s+", " ", for_people)
    assert spinner not in respondents(at("doping", "privacy")).text


def test_a_hundred_people_are_a_hundred() -> None:
    assert people(0, 100).count("z") == 100


def test_questions_of_comprehension_are_announced() -> None:
    without = surveys.survey(surveys.single())
    asking = dataclasses.replace(without, comprehension=True)
    said = privacy_label(asking).asked
    assert said.startswith(
        f"{privacy_label(without).asked} Before the survey starts, two questions"
    )
    assert "Your answers to these two stay on the page" in said


@pytest.mark.promise("batches")
def test_it_says_whether_results_tell_times() -> None:
    held, single = (
        privacy_label(surveys.survey(surveys.single(), slug="s", batch=batch)).seen
        for batch in (25, 1)
    )
    assert "in groups of 25 or more" in held
    assert "nobody when your report arrived" in held
    assert "as soon as it arrives" in single
