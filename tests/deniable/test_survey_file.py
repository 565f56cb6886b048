"""Survey files: what they compile into, and every mistake at its line and column."""

import json
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable import designs
from deniable.channel import Channel
from deniable.survey import Survey
from deniable.survey_file import SurveyFileError, json_schema, read
from tests import vectors


def survey_of(*questions: str, head: str = "") -> Survey:
    """Read a survey of these questions, each in YAML's flow style."""
    return read(file_of(*questions, head=head)).survey


def file_of(*questions: str, head: str = "") -> str:
    """Write a survey file whose questions begin on line 5, or later by the lines of the head."""
    lines = ["version: 1", "survey: s", "title: T", *filter(None, [head]), "questions:"]
    return "\n".join([*lines, *(f"  - {{{question}}}" for question in questions)])


def mistakes(text: str) -> list[tuple[int, int, str]]:
    """Return the mistakes of a file that has some."""
    with pytest.raises(SurveyFileError) as error:
        read(text, "s.yaml")
    return [(found.line, found.column, found.message) for found in error.value.mistakes]


def test_the_example_of_the_design_loads_as_it_stands() -> None:
    file = read(vectors.survey_file())
    survey = file.survey
    assert [item.id for item in survey.items] == [
        "doped",
        "substances.steroids",
        "substances.epo",
        "substances.stimulants",
        "coach_knew",
        "age",
    ]
    # flip 1/2 over four answers costs ln 3; the other two questions share the rest equally.
    rest = 3_000_000 - 1_098_613
    assert [item.epsilon_millionths for item in survey.items] == [
        rest // 2,
        *[rest // 6] * 3,
        1_098_613,
        0,
    ]
    assert [answer.text for answer in survey.items[0].truths] == ["No", "Yes"]
    assert survey.items[4].channel == designs.k_ary(4, keep=Fraction(1, 2))
    assert survey.items[5].epsilon is None
    assert [(note.line, note.column) for note in file.notes] == [(16, 13)]


def test_a_file_with_six_mistakes_gets_six_located_errors_in_one_run() -> None:
    text = """\
version: 1
survey: six
title: Six mistakes
splt: equal
epsilon: 1
questions:
  - id: a
    text: Did you?
    type: single
    answers: [No]
  - id: a
    text: Have you?
    type: single
    answers: [No, Yes]
    flip: 3/4
  - id: c
    text: Tell us about it
    type: text
  - id: d
    text: Which?
    type: single
    answers: [No, Yes]
    epsilon: 2
"""
    found = mistakes(text)
    assert [(line, column) for line, column, _ in found] == [
        (4, 1),
        (5, 10),
        (10, 14),
        (11, 9),
        (15, 11),
        (18, 11),
    ]
    messages = [message for *_, message in found]
    assert "unknown key 'splt': did you mean 'split'?" in messages[0]
    assert "overspent" in messages[1]
    assert "found 1" in messages[2]
    assert "'a' is taken by the question on line 7" in messages[3]
    assert "up to but not including 1/2" in messages[4]
    assert "free text cannot be protected" in messages[5]


def test_the_error_names_file_line_and_column() -> None:
    with pytest.raises(
        SurveyFileError, match=r"^s\.yaml:1:10: expected 1, found '2'\ns\.yaml:2:9:"
    ):
        read("version: 2\nsurvey: Big\ntitle: T\nquestions: []", "s.yaml")


SINGLE = "id: q, text: T, type: single, answers: [No, Yes]"
NUMBER = "id: q, text: T, type: number"


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("id: q, text: T", "expected the key 'type', found none"),
        ("text: T, type: single, answers: [a, b]", "expected the key 'id', found none"),
        ("id: Q, text: T, type: single, answers: [a, b]", "a lower-case letter, then"),
        ("id: q, text: '', type: single, answers: [a, b]", "expected a text, found nothing"),
        ("id: q, text: T, type: singel, answers: [a, b]", "single, many, number or grid, found"),
        ("id: q, text: T, type: single", "expected the key 'answers', found none"),
        ("id: q, text: T, type: single, answers: x", "expected a list of texts, or texts by code"),
        ("id: q, text: T, type: single, answers: [a, [b]]", "expected a text, found a list"),
        ("id: q, text: T, type: single, answers: [a, a]", "every text once, found 'a' 2 times"),
        ("id: q, text: T, type: single, answers: {a b: A, c: C}", "expected a code of letters"),
        ("id: q, text: T, type: many, answers: [a]", "expected 2 to 254 answers, found 1"),
        (f"{SINGLE}, rows: [a]", "'rows' is for grid, not for single"),
        (f"{SINGLE}, min: 1", "'min' is for number, not for single"),
        ("id: q, text: T, type: grid, answers: [a, b]", "expected the key 'rows', found none"),
        (f"{SINGLE}, flip: 0.1, epsilon: 1", "one of flip, epsilon and design, found 'epsilon'"),
        (f"{SINGLE}, flip: 1/2", "from 0 up to but not including 1/2"),
        (f"{SINGLE}, flip: -0.1", "from 0 up to but not including 1/2"),
        (f"{SINGLE}, flip: 0", "would give its sender away"),
        (f"{SINGLE}, flip: some", "expected a number such as 0.25 or 1/4, found 'some'"),
        (f"{SINGLE}, epsilon: 0", "expected a number above 0"),
        (f"{SINGLE}, epsilon: 1e-7", "at least 0.000001"),
        (f"{SINGLE}, weight: 0", "expected a number above 0"),
        (f"{SINGLE}, flip: 0.1, weight: 2", "takes no share: leave weight out"),
        (f"{SINGLE}, protection: none", "expected randomised or direct"),
        (f"{SINGLE}, protection: direct, flip: 0.1", "sent as it is given: leave 'flip' out"),
        (f"{SINGLE}, prefer_not_to_say: maybe", "expected true or false, found 'maybe'"),
        (f"{SINGLE}, design: warner", "expected a design by name with its parameters"),
        (f"{SINGLE}, design: {{wanner: {{flip: 0.1}}}}", "expected one of warner"),
        (f"{SINGLE}, design: {{warner: {{p: 0.1}}}}", "warner has no parameter 'p'"),
        (f"{SINGLE}, design: {{warner: {{}}, k_ary: {{}}}}", "expected one design, found 2"),
        (f"{SINGLE}, design: {{}}", "expected one design, found 0"),
        (
            f"{SINGLE}, design: {{forced_response: {{truth: 1/2, yes: 1}}}}",
            "the report 'No' would give its sender away",
        ),
        (
            f"{SINGLE}, design: {{custom: {{table: [[.5, .5], [.5, .5]]}}}}",
            "nothing could be learned",
        ),
        ("id: q_noisy, text: T, type: single, answers: [a, b], flip: .1", "'_noisy' at the end"),
        (f"{NUMBER}", "a number needs the key 'min'"),
        (f"{NUMBER}, min: 3, max: 3", "expected max above min = 3"),
        (f"{NUMBER}, min: 0, max: 1, step: 0.3", "whole number of steps from min to max"),
        (f"{NUMBER}, min: 0, max: 254", "at most 254 levels from min to max, found 255"),
        (f"{NUMBER}, min: 0, max: 5, answers: [a, b]", "'answers' is for grid and many and single"),
        (SINGLE, "no flip, epsilon or design, and the survey has no epsilon to share"),
        (f"{SINGLE}, anwsers: [a, b]", "unknown key 'anwsers': did you mean 'answers'?"),
        (f"{SINGLE}, text: again", "the key 'text' stands here again"),
    ],
)
def test_a_mistake_in_a_question_is_named_where_it_stands(question: str, message: str) -> None:
    found = mistakes(file_of(question))
    assert any(message in said for *_, said in found), found
    assert {line for line, *_ in found} == {5}


def test_a_code_that_declining_needs_is_refused() -> None:
    question = "id: q, text: T, type: single, answers: {prefer_not_to_say: x, b: y}"
    found = mistakes(file_of(f"{question}, flip: 0.1, prefer_not_to_say: true"))
    assert [message for *_, message in found] == [
        "the code 'prefer_not_to_say' belongs to 'prefer_not_to_say: true'"
    ]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (1, 1), "found an empty file"),
        ("- a", (1, 1), "expected keys and values, found a list"),
        ("a: [", (1, 5), "not YAML"),
        ("a: b: c", (1, 5), "not YAML"),
        ("\tx", (1, 1), "not YAML"),
        ("a: \x07", (1, 1), "not YAML"),
        ("a: &a [*a]", (1, 1), "at most 50,000 values"),
        (file_of() + " []", (4, 12), "expected at least one question"),
        (file_of() + " 7", (4, 12), "expected a list of questions, found '7'"),
        (file_of(SINGLE, head="epsilon: 1\nepsilon: 2"), (5, 1), "stands here again"),
        (file_of(SINGLE, head="epsilon: 1\nsplit: optimal"), (5, 8), "expected equal or weight"),
        (file_of(SINGLE, head="epsilon: 1\n? [a]\n: b"), (5, 3), "expected a plain word as key"),
        (file_of(f"{SINGLE}, epsilon: 2", head="epsilon: 1"), (4, 10), "overspent"),
        (
            file_of(f"{SINGLE}, epsilon: 1", f"{SINGLE.replace('q', 'r')}", head="epsilon: 1"),
            (7, 5),
            "too little to ask it",
        ),
    ],
)
def test_a_mistake_in_the_file_is_named_where_it_stands(
    text: str, place: tuple[int, int], message: str
) -> None:
    found = mistakes(text)
    assert any(said[:2] == place and message in said[2] for said in found), found


def test_aliases_that_stand_for_billions_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert mistakes("\n".join(lines)) == [
        (1, 1, "expected at most 50,000 values, aliases written out")
    ]
    assert "at most 1,000,000 characters" in mistakes("#" * 1_000_001)[0][2]


def test_aliases_serve_for_scales_that_repeat() -> None:
    survey = survey_of(
        "id: a, text: A, type: single, answers: &scale [Never, Often]",
        "id: b, text: B, type: single, answers: *scale",
        head="epsilon: 2",
    )
    assert survey.questions[0].answers == survey.questions[1].answers


def test_too_many_items_are_refused() -> None:
    rows = "[" + ", ".join(f"r{n}" for n in range(254)) + "]"
    questions = [
        f"id: q{n}, text: T, type: grid, answers: [a, b], rows: {rows}, flip: 0.4" for n in range(4)
    ]
    assert "at most 1000 items" in mistakes(file_of(*questions))[0][2]


@pytest.mark.parametrize(
    ("cost", "channel"),
    [
        ("flip: 0.3", designs.warner("3/10")),
        ("flip: 1/3", designs.warner("1/3")),
        ("epsilon: 0.7", designs.k_ary(2, "0.7")),
        ("design: {warner: {flip: 0.2}}", designs.warner("0.2")),
        ("design: {truth_or_random: {}}", designs.truth_or_random()),
        ("design: {truth_or_lie: {truth: 2/3}}", designs.truth_or_lie("2/3")),
        ("design: {forced_response: {truth: 2/3, yes: 1/2}}", designs.forced_response("2/3", 0.5)),
        ("design: {k_ary: {keep: 3/4}}", designs.k_ary(2, keep="3/4")),
        (
            "design: {custom: {table: [[1/2, 1/4, 1/4], [1/4, 1/4, 1/2]]}}",
            designs.custom([["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]]),
        ),
    ],
)
def test_each_way_to_say_what_a_question_costs(cost: str, channel: Channel) -> None:
    survey = survey_of(f"{SINGLE}, {cost}")
    assert survey.items[0].channel == channel
    assert survey.epsilon_millionths == channel.epsilon_millionths


def test_a_many_question_splits_its_epsilon_over_its_options() -> None:
    survey = survey_of("id: q, text: T, type: many, answers: [a, b, c], epsilon: 1")
    assert [item.epsilon_millionths for item in survey.items] == [333_333] * 3


def test_a_flip_probability_is_each_options_own() -> None:
    survey = survey_of("id: q, text: T, type: many, answers: [a, b, c], flip: 1/4")
    assert [item.epsilon for item in survey.items] == [1.098613] * 3
    assert survey.epsilon_millionths == 3 * 1_098_613


def test_weights_share_what_is_left() -> None:
    survey = survey_of(
        f"{SINGLE}, weight: 3",
        "id: r, text: T, type: single, answers: [a, b]",
        "id: s, text: T, type: single, answers: [a, b], epsilon: 1",
        head="epsilon: 3\nsplit: weight",
    )
    assert [item.epsilon_millionths for item in survey.items] == [1_500_000, 500_000, 1_000_000]


def test_the_levels_of_a_number_are_its_answers() -> None:
    survey = survey_of(f"{NUMBER}, min: 0, max: 2, step: 0.5, flip: 0.1, prefer_not_to_say: true")
    assert [answer.text for answer in survey.items[0].truths] == [
        "0",
        "0.5",
        "1",
        "1.5",
        "2",
        "Prefer not to say",
    ]


def test_codes_are_made_or_chosen() -> None:
    survey = survey_of(
        "id: a, text: A, type: single, answers: {n: No, y: Yes}",
        "id: b, text: B, type: many, answers: [Does not apply, '-1', C, C++, ø, '!']",
        head="epsilon: 2",
    )
    assert [answer.code for answer in survey.items[0].reports] == ["n", "y"]
    assert [item.id for item in survey.items[1:]] == [
        "b.does_not_apply",
        "b.-1",
        "b.c",
        "b.c_2",
        "b.ø",
        "b.answer_6",
    ]


@given(
    st.integers(10_000, 30_000_000),
    st.lists(st.sampled_from(["single", "many", "grid", "own"]), min_size=1, max_size=6),
)
def test_the_items_never_cost_more_than_the_survey_promises(total: int, kinds: list[str]) -> None:
    shapes = {
        "single": "type: single, answers: [a, b, c]",
        "many": "type: many, answers: [a, b, c, d]",
        "grid": "type: grid, answers: [a, b, c], rows: [r, s]",
        "own": f"type: single, answers: [a, b], epsilon: {total / 10**6 / 20}",
    }
    questions = [f"id: q{n}, text: T, {shapes[kind]}" for n, kind in enumerate(kinds)]
    survey = survey_of(*questions, head=f"epsilon: {total / 10**6:.6f}")
    assert survey.epsilon_millionths == total
    assert sum(item.epsilon_millionths for item in survey.items) <= total


def test_text_stays_text() -> None:
    markup = "<img src=x onerror=alert(1)> & {{ 7 * 7 }}"
    survey = survey_of(
        f"id: q, text: {json.dumps(markup)}, type: single, answers: [a, b], flip: .1"
    )
    assert survey.questions[0].text == markup


def test_the_schema_lists_every_key() -> None:
    schema = json_schema()
    question = schema["properties"]["questions"]["items"]
    assert {"version", "survey", "title", "questions"} == set(schema["required"])
    assert {"flip", "epsilon", "design", "prefer_not_to_say"} <= set(question["properties"])
    assert schema["additionalProperties"] is False
    assert re.search(r"forced_response", json.dumps(question["properties"]["design"]))
