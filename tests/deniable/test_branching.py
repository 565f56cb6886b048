"""Questions that are asked after some answers only: what they compile into, and what is refused."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from deniable import Survey, designs
from deniable.channel import ROW_SUM
from deniable.designs.families import Family
from deniable.survey.questions import DOES_NOT_APPLY, Ask, Condition
from deniable.survey_file import read
from tests.deniable.test_survey_file import mistakes
from tests.kit import surveys

pytestmark = pytest.mark.promise("branches")

EXAMS = Path(__file__).parents[1] / "vectors" / "branching.yaml"
DOPED = "id: doped, text: T, type: single, answers: [No, Yes, Unsure]"
MANY = "id: taken, text: T, type: many, answers: [Steroids, EPO]"
AGE = "id: age, text: T, type: number, min: 10, max: 30, protection: direct"
LAST = "id: q, text: T, type: single, answers: [No, Yes]"
NUMBER = "id: q, text: T, type: number, min: 0"

APART = r"expected chance to draw both or neither|each item in one"


def file_of(*questions: str, head: str = "epsilon: 6") -> str:
    """Write a survey file whose questions begin on line 6."""
    return surveys.file_of(*questions, head=head)


def survey_of(*questions: str, head: str = "epsilon: 6") -> Survey:
    return read(file_of(*questions, head=head)).survey


def truths(survey: Survey, id: str) -> list[str]:
    return [truth.code for item in survey.items if item.id == id for truth in item.truths]


def test_who_decides_changes_no_law_and_no_epsilon() -> None:
    exams = EXAMS.read_text()
    shown = read(exams).survey
    hidden = read(exams.replace("survey: exams", "survey: exams\nbranch: hidden")).survey
    assert shown.document["items"] == hidden.document["items"]
    assert {**shown.document, "branch": "hidden"} == hidden.document
    assert Survey.from_document(hidden.document) == hidden
    ids = [question.id for question in shown.questions if shown.is_shown_to_all(question)]
    assert ids == ["help", "assistant", "exams"]
    assert not any(map(hidden.is_shown_to_all, hidden.questions))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (LAST, ["no", "yes", DOES_NOT_APPLY]),
        (f"{LAST}, prefer_not_to_say: true", ["no", "yes", "prefer_not_to_say", DOES_NOT_APPLY]),
        ("id: q, text: T, type: single, answers: [Does not apply, Yes]", [DOES_NOT_APPLY, "yes"]),
        (f"{LAST}, protection: direct", ["no", "yes", DOES_NOT_APPLY]),
    ],
)
def test_a_skippable_question_has_one_answer_more(question: str, expected: list[str]) -> None:
    survey = survey_of(AGE, f"{question}, ask_if: {{age: 20}}")
    assert truths(survey, "q") == expected
    item = survey.items[1]
    assert item.channel.truths == len(expected)
    asked = survey.questions[1]
    assert item.truths[asked.skipped].code == DOES_NOT_APPLY
    if item.epsilon is not None:
        assert item.channel == designs.k_ary(len(expected), 6)


def test_options_and_rows_have_it_too() -> None:
    survey = survey_of(
        DOPED,
        "id: m, text: T, type: many, answers: [Does not apply, B], ask_if: {doped: yes}",
        "id: g, text: T, type: grid, answers: [a, b], rows: [r, s], ask_if: {m.b: yes}",
    )
    for id in ("m.does_not_apply", "m.b"):
        assert truths(survey, id) == ["no", "yes", DOES_NOT_APPLY]
    for id in ("g.r", "g.s"):
        assert truths(survey, id) == ["a", "b", DOES_NOT_APPLY]
    assert [answer.code for answer in survey.questions[1].offered] == ["no", "yes"]


def test_a_number_has_it_beside_its_values() -> None:
    number = "id: q, text: T, type: number, min: 0, max: 4, ask_if: {doped: yes}"
    survey = survey_of(
        DOPED, number, f"{number.replace('id: q', 'id: r')}, prefer_not_to_say: true"
    )
    assert truths(survey, "q") == ["0", "1", "2", "3", "4", DOES_NOT_APPLY]
    assert truths(survey, "r")[-2:] == ["prefer_not_to_say", DOES_NOT_APPLY]
    assert survey.items[1].channel == designs.k_ary(6, 2)
    assert survey.items[2].channel == designs.k_ary(7, 2)


def test_no_number_is_told_from_numbers_best() -> None:
    channel = Family("k_ary", 91, 21, besides=2).channel(1)
    assert (channel.truths, channel.reports) == (93, 23)
    assert {sum(row) for row in channel.weights} == {ROW_SUM}
    assert channel.epsilon <= 1
    numbers = channel.weights[:91]
    for own, other in ((21, 22), (22, 21)):
        row = channel.weights[91 + own - 21]
        assert row[:21] == tuple(min(column) for column in zip(*numbers, strict=True))[:21]
        assert row[own] > 2 * row[other] > 0
    assert Family("k_ary", 5, 3, besides=2).values == [
        *(Fraction(place, 4) for place in range(5)),
        Fraction(1, 2),
        Fraction(1, 2),
    ]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{doped: yes}", [Condition("doped", ("yes",))]),
        ("{doped: [unsure, yes]}", [Condition("doped", ("yes", "unsure"))]),
        ("{taken.epo: yes}", [Condition("taken.epo", ("yes",))]),
        ("{age: [20, 21]}", [Condition("age", ("20", "21"))]),
        ("{age: {min: 28}}", [Condition("age", ("28", "29", "30"))]),
        ("{age: {min: 11.5, max: 27/2}}", [Condition("age", ("12", "13"))]),
        ("{age: {min: 30}, doped: no}", [Condition("age", ("30",)), Condition("doped", ("no",))]),
        (
            "{taken.epo: [yes, prefer_not_to_say]}",
            [Condition("taken.epo", ("yes", "prefer_not_to_say"))],
        ),
    ],
)
def test_what_is_needed_is_read(written: str, expected: list[Condition]) -> None:
    many = f"{MANY}, prefer_not_to_say: true"
    survey = survey_of(DOPED, many, AGE, f"{LAST}, ask_if: {written}")
    assert list(survey.questions[3].ask_if) == expected
    assert Survey.from_document(json.loads(json.dumps(survey.document))) == survey
    document = survey.document["questions"]
    places = {item.id: place for place, item in enumerate(survey.items)}
    assert [one["item"] for one in document[3]["ask_if"]] == [places[one.item] for one in expected]
    assert not any("ask_if" in one for one in document[:3])


def test_a_yes_that_may_not_apply_is_told() -> None:
    asked = file_of(DOPED, f"{LAST}, yes: yes, ask_if: {{doped: yes}}")
    ((line, _, said),) = mistakes(asked)
    assert (line, "'ask_if' adds 'Does not apply': leave it out" in said) == (7, True)


def test_two_languages_compile_without_conditions() -> None:
    text = "text: {en: T, de: U}"
    head = "epsilon: 1\nlanguages: [en, de]"
    first = f"id: a, {text}, type: single, answers: [No, Yes]"
    asked = file_of(first, f"{first.replace('id: a', 'id: b')}, ask_if: {{a: yes}}", head=head)
    without = read(asked.replace("title: T", "title: {en: T, de: U}")).asking_everybody()
    assert without.languages == ("en", "de")
    assert not without.questions[1].ask_if


def test_the_epsilon_is_that_of_everybody_asked() -> None:
    asked = file_of(DOPED, f"{LAST}, ask_if: {{doped: yes}}")
    file = read(asked)
    assert file.survey.spent_millionths == pytest.approx(6_000_000, abs=2)
    without = file.asking_everybody()
    assert [item.epsilon for item in without.items] == [item.epsilon for item in file.survey.items]
    assert [item.channel.truths for item in without.items] == [3, 2]


@pytest.mark.parametrize(
    ("written", "at", "message"),
    [
        ("yes", "yes", "expected earlier questions with the answers that this one needs"),
        ("{dopd: yes}", "dopd", "no earlier question has an answer to 'dopd': did you mean 'dop"),
        ("{zzz: yes}", "zzz", "expected one of doped, taken.steroids, taken.epo, age"),
        ("{taken: yes}", "taken:", "has several answers: expected one of taken.steroids, taken"),
        ("{q: yes}", "q: yes", "'q' cannot depend on its own answer"),
        ("{doped: maybe}", "maybe", "'doped' has no answer 'maybe': expected no, yes, unsure"),
        ("{doped: does_not_apply}", "does", "'doped' has no answer 'does_not_apply'"),
        ("{doped: []}", "[]", "expected an answer that it needs, found none"),
        ("{doped: }", "}", "expected an answer to 'doped', found nothing"),
        ("{doped: {min: 3}}", "{min", "min and max need a number, but 'doped' is of type single"),
        ("{doped: [no, yes, unsure]}", "{doped", "is asked this, because it applies after every"),
        ("{age: {min: 10}}", "{age", "everyone is asked this, because it applies after every"),
        ("{age: {min: 31}}", "{min", "goes from 10 to 30: it has no value from 31 to 30"),
        ("{age: {least: 3}}", "3}", "expected min and max, found 'least'"),
        ("{age: 31}", "31", "'age' has no answer '31': expected 10, 11, … 30"),
    ],
)
def test_every_mistake_is_named_where_it_stands(written: str, at: str, message: str) -> None:
    later = "id: later, text: T, type: single, answers: [a, b], flip: 0.2"
    line = f"{LAST}, flip: 0.2, ask_if: {written}"
    (found,) = mistakes(file_of(DOPED, MANY, AGE, line, later))
    assert found[:2] == (9, len("  - {ask_if: ") + line.index("ask_if: ") + 1 + written.index(at))
    assert message in found[2]


def test_what_nobody_can_be_asked_is_named() -> None:
    middle = "id: m, text: T, type: single, answers: [a, b], ask_if: {doped: [yes, unsure]}"
    (found,) = mistakes(file_of(DOPED, middle, f"{LAST}, ask_if: {{m: a, doped: no}}"))
    assert "depends on need different answers to 'doped'" in found[2]
    # What is asked of all that were asked an earlier question is not asked of everybody.
    survey = survey_of(DOPED, middle, f"{LAST}, ask_if: {{m: [a, b]}}")
    assert survey.questions[2].ask_if == (Condition("m", ("a", "b")),)


def test_an_empty_condition_beside_a_known_share_is_named() -> None:
    (found,) = mistakes(file_of(f"{LAST}, flip: 0.2, known: {{yes: 1/4}}, ask_if: {{}}"))
    assert found[2] == "expected an earlier question with an answer, found nothing"


def test_direct_questions_give_no_randomised_one_away() -> None:
    direct = "id: d, text: T, type: single, answers: [a, b], protection: direct"
    (found,) = mistakes(file_of(DOPED, f"{direct}, ask_if: {{doped: yes}}", AGE))
    assert found[:2] == (7, 82)
    assert "would give the randomised answer to 'doped' away" in found[2]
    # A chain is refused at its first link: the next one needs a direct question.
    chain = f"{direct.replace('id: d', 'id: e')}, ask_if: {{d: a}}"
    assert len(mistakes(file_of(DOPED, f"{direct}, ask_if: {{doped: yes}}", chain))) == 1
    survey_of(AGE, f"{direct}, ask_if: {{age: 20}}", chain, DOPED)


def test_a_random_order_is_refused() -> None:
    asked = f"{LAST}, ask_if: {{doped: yes}}"
    (found,) = mistakes(file_of(DOPED, asked, head="epsilon: 6\norder: random"))
    assert found[:2] == (5, 8)
    assert "a question could come before an answer that it needs" in found[2]
    assert "the 'ask_if' on line 8" in found[2]


def test_what_chance_draws_is_refused_on_either_side() -> None:
    asked = f"{LAST}, flip: 0.2, ask_if: {{doped: yes}}"
    other = LAST.replace("id: q", "id: r")
    (found,) = mistakes(file_of(DOPED, asked, other, head="epsilon: 6\nask: 1"))
    assert "'doped' is drawn together with 'q'" in found[2]
    drawn = f"{DOPED}, flip: 0.2", f"{LAST}, ask_if: {{doped: yes}}"
    others = [LAST.replace("id: q", f"id: {one}") for one in "rst"]
    (found,) = mistakes(file_of(*drawn, *others, head="epsilon: 6\nask: 2"))
    assert "'q' is drawn together with 'doped'" in found[2]
    (found,) = mistakes(file_of(f"{MANY}, ask: 1", f"{LAST}, ask_if: {{taken.epo: yes}}"))
    assert "'ask' draws at random whether 'taken.epo' is asked" in found[2]
    # What everybody is asked can be needed by what everybody is asked.
    survey = survey_of(
        f"{DOPED}, flip: 0.3",
        f"{LAST}, flip: 0.2, ask_if: {{doped: yes}}",
        LAST.replace("id: q", "id: r"),
        LAST.replace("id: q", "id: t"),
        head="epsilon: 6\nask: 1",
    )
    assert survey.ask == Ask(1, ("r", "t"))


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ([LAST], "expected an earlier question, found 'doped': this is the first"),
        (
            [DOPED, "id: q, text: T, type: single, answers: {na: Does not apply, b: B}"],
            "give it the code 'does_not_apply'",
        ),
        ([DOPED, f"{LAST}, design: {{warner: {{flip: 0.2}}}}"], "for 2 answers, but the question"),
        ([DOPED, f"{NUMBER}, max: 9, family: laplace"], "is not one: expected k_ary with ask_if"),
        ([DOPED, f"{NUMBER}, max: 253, prefer_not_to_say: true"], "at most 253 answers besides"),
        ([DOPED, f"{MANY}, ask: 1"], "whether 'taken' is asked, or which part of it"),
    ],
)
def test_what_conflicts_with_a_condition_is_named(questions: list[str], message: str) -> None:
    *before, last = questions
    (found,) = mistakes(file_of(*before, f"{last}, ask_if: {{doped: yes}}"))
    assert message in found[2]


def test_a_byte_holds_255_answers() -> None:
    survey_of(DOPED, f"{NUMBER}, max: 253, ask_if: {{doped: yes}}")
    survey_of(DOPED, f"{NUMBER}, max: 252, ask_if: {{doped: yes}}, prefer_not_to_say: true")


@pytest.fixture
def branching() -> Survey:
    return survey_of(
        DOPED,
        f"{MANY}, ask_if: {{doped: yes}}",
        AGE,
        f"{LAST}, protection: direct, ask_if: {{age: 20}}",
    )


def with_question(survey: Survey, place: int, **changes: Any) -> Survey:
    """Change a question and nothing else, as a server could."""
    questions = list(survey.questions)
    questions[place] = replace(questions[place], **changes)
    return replace(survey, questions=tuple(questions))


def test_a_direct_question_that_tells_is_refused(branching: Survey) -> None:
    with pytest.raises(ValueError, match="would give that answer away"):
        with_question(branching, 3, ask_if=(Condition("doped", ("yes",)),))
    document = json.loads(json.dumps(branching.document))
    document["questions"][3]["ask_if"] = [{"item": 0, "answers": [1]}]
    with pytest.raises(ValueError, match="would give that answer away"):
        Survey.from_document(document)


@pytest.mark.parametrize(
    ("place", "condition", "message"),
    [
        (1, Condition("nobody", ("yes",)), "needs an answer to 'nobody': expected an item of an"),
        (1, Condition("taken.epo", ("yes",)), "an item of an earlier question"),
        (1, Condition("doped", ()), "expected some of no, yes, unsure"),
        (1, Condition("doped", ("maybe",)), "expected some of no, yes, unsure"),
        (3, Condition("taken.epo", (DOES_NOT_APPLY,)), "expected some of no, yes"),
    ],
)
def test_a_condition_that_cannot_be_told_is_refused(
    branching: Survey, place: int, condition: Condition, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        with_question(branching, place, ask_if=(condition,))


def test_a_condition_needs_an_answer_for_not_applying(branching: Survey) -> None:
    survey = survey_of(DOPED, MANY)
    with pytest.raises(ValueError, match="expected a truth for each answer"):
        with_question(survey, 1, ask_if=(Condition("doped", ("yes",)),))
    # Nor is it anywhere but in its place, where the browser looks for it.
    item = branching.items[1]
    turned = replace(item, truths=item.truths[::-1], reports=item.reports[::-1])
    with pytest.raises(ValueError, match="expected a truth for each answer"):
        replace(branching, items=(branching.items[0], turned, *branching.items[2:]))


def test_chance_may_not_come_in_between(branching: Survey) -> None:
    with pytest.raises(ValueError, match="expected a fixed order of questions"):
        replace(branching, shuffled=True)
    with pytest.raises(ValueError, match=APART):
        replace(branching, ask=Ask(1, ("often", "taken")))
    with pytest.raises(ValueError, match=APART):
        with_question(branching, 1, ask=1)
    needs_an_option = survey_of(MANY, f"{LAST}, ask_if: {{taken.epo: yes}}")
    with pytest.raises(ValueError, match=APART):
        with_question(needs_an_option, 0, ask=1)


def test_a_question_or_an_item_twice_is_refused(branching: Survey) -> None:
    """Which of them is meant could differ between what is checked and what is asked."""
    double = (branching.items[2], branching.items[2])
    with pytest.raises(ValueError, match="every question and every item once"):
        replace(branching, items=(branching.items[0], *double, *branching.items[3:]))
    age = replace(branching.questions[3], id="age")
    with pytest.raises(ValueError, match="every question and every item once"):
        replace(branching, questions=(*branching.questions[:3], age), items=branching.items[:-1])


def test_a_condition_of_another_kind_is_no_document(branching: Survey) -> None:
    document = json.loads(json.dumps(branching.document))
    zero = {"item": 0, "answers": [1]}
    bads: list[Any] = [["yes"], 3, [{**zero, "answers": 1}], [{"item": 0}], [{**zero, "item": 9}]]
    bads += [[{**zero, "answers": [9]}], [{**zero, "item": -5}], [{**zero, "answers": [-2]}]]
    for bad in bads:
        document["questions"][1]["ask_if"] = bad
        with pytest.raises(ValueError, match=r"expected|does not agree"):
            Survey.from_document(document)
