"""Warner's own form: which questions can be asked by statements, and that the channel stays."""

import itertools
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable import Survey, designs, paper
from deniable.channel import ROW_SUM, Channel
from deniable.client.respondent import draw_report
from deniable.survey.items import Item, compile_items
from deniable.survey.questions import Answer, Question
from deniable.survey_file import read
from deniable.text.languages import in_english
from deniable.text.translation import in_language
from tests.deniable.test_survey_file import mistakes, survey_of
from tests.kit import surveys
from tests.kit.surveys import file_of

TOOK = "id: took, text: T, type: single, answers: [No, Yes]"
BY_STATEMENT = "style: statement, statements: [I never did, I did], flip: 1/4"
SHOPS = (Path(__file__).parents[2] / "examples" / "shops.yaml").read_text()


def spun(channel: Channel) -> tuple[Question, tuple[Item, ...]]:
    question, _ = surveys.single("took")
    asked = replace(question, statements=(Answer("no", "Never"), Answer("yes", "Once")))
    return asked, compile_items(asked, [channel])


@given(st.integers(1, ROW_SUM - 1))
def test_the_reply_is_a_report_for_both_truths(flip: int) -> None:
    """The words between two thresholds are alike: so the law is counted and not estimated."""
    rows = [[ROW_SUM - flip, flip], [flip, ROW_SUM - flip]]
    _, (item,) = spun(Channel(rows))
    ends = sorted({0, flip, ROW_SUM - flip, ROW_SUM})
    for truth in (0, 1):
        law = [0, 0]
        for first, last in itertools.pairwise(ends):
            points_to = 0 if first < flip else 1
            reply = int(truth == points_to)
            assert item.sample(truth, first) == item.sample(truth, last - 1) == reply
            law[reply] += last - first
        assert law == rows[truth]


def test_only_symmetric_channels_have_a_spinner() -> None:
    for channel in (
        designs.forced_response("2/3", "1/4"),
        designs.k_ary(3, 1),
        Channel([[3, 1, ROW_SUM - 4], [1, 3, ROW_SUM - 4]]),
    ):
        question, _ = spun(designs.warner("1/4"))
        answers = tuple(Answer(str(one), str(one)) for one in range(channel.truths))
        with pytest.raises(ValueError, match="statements where two answers are flipped alike"):
            compile_items(replace(question, answers=answers), [channel])


def test_statements_are_by_answer_or_in_order() -> None:
    listed = survey_of(f"{TOOK}, {BY_STATEMENT}")
    named = survey_of(
        f"{TOOK}, style: statement, statements: {{yes: I did, no: I never did}}, flip: 1/4"
    )
    assert listed.to_json() == named.to_json()
    (question,) = listed.questions
    assert question.statements == (Answer("no", "I never did"), Answer("yes", "I did"))
    assert [report.text for report in listed.items[0].reports] == ["Not true of me", "True of me"]
    assert listed.items[0].flips == (0.25, 0.25)
    assert listed.epsilon == 1.098613
    plain = survey_of(f"{TOOK}, flip: 1/4")
    assert plain.items[0].channel == listed.items[0].channel
    assert "statements" not in plain.to_json().decode()


TWO = "style: statement, statements: [A, B]"


@pytest.mark.parametrize(
    ("keys", "at", "message"),
    [
        ("style: statement, flip: 1/4", "{id", "the key 'statements', found none"),
        ("statements: [A, B], flip: 1/4", "[A", "no effect without 'style: statement'"),
        ("style: spinner, statements: [A, B], flip: 1/4", "spinner", "or no 'style'"),
        ("style: statement, statements: [A], flip: 1/4", "[A", "each of no and yes, found 1"),
        ("style: statement, statements: [A, A], flip: 1/4", "[A", "two different statements"),
        (f"{TWO}, protection: direct", "statement,", "sent as it is given: leave 'style' out"),
        (f"{TWO}, flip: 1/4, prefer_not_to_say: true", "prefer", "would be a third answer"),
        (f"{TWO}, flip: 1/4, order: random", "order", "which of the two statements is shown"),
        (f"{TWO}, design: {{forced_response: {{truth: 2/3, yes: 1/4}}}}", "{for", "both answers"),
    ],
)
def test_what_no_spinner_asks_is_refused_there(keys: str, at: str, message: str) -> None:
    text = file_of(f"{TOOK}, {keys}")
    ((line, column, said),) = mistakes(text)
    assert message in said
    assert line == 5
    assert text.splitlines()[4][column - 1 :].startswith(at)


def test_three_answers_conditions_and_waves_have_no_spinner() -> None:
    three = "id: a, text: T, type: single, answers: [A, B, C], style: statement, statements: [X, Y]"
    many = "id: b, text: T, type: many, answers: [A, B], style: statement, statements: [X, Y]"
    found = mistakes(file_of(f"{three}, flip: 1/4", f"{many}, flip: 1/4"))
    assert [line for line, _, _ in found] == [5, 6, 6]
    assert "found 3 answers" in found[0][2]
    assert "'style' is for single, not for many" in found[1][2]
    needing = TOOK.replace("took", "again")
    (skipped,) = mistakes(
        file_of(f"{TOOK}, flip: 1/4", f"{needing}, {BY_STATEMENT}, ask_if: {{took: yes}}")
    )
    assert skipped[0] == 6
    assert "where it is skipped would be a third answer" in skipped[2]
    head = "waves: {count: 2, redraw: 1/8}"
    (asked_again,) = mistakes(file_of(f"{TOOK}, {BY_STATEMENT}", head=head))
    assert asked_again[0] == 6
    assert (
        "a spinner is for a survey that is asked once: leave 'style' or 'waves' out"
        in asked_again[2]
    )


def test_other_questions_may_need_its_truth() -> None:
    then = (
        "id: often, text: O, type: single, answers: [Once, Often], flip: 1/4, ask_if: {took: yes}"
    )
    survey = survey_of(f"{TOOK}, {BY_STATEMENT}", then)
    assert survey.questions[1].ask_if[0].answers == ("yes",)


def test_a_document_is_read_as_written() -> None:
    survey = read(SHOPS).survey
    assert Survey.from_json(survey.to_json()) == survey
    document = survey.document
    statements = document["questions"][0]["statements"]
    wrong = {
        "in another order": {"statements": statements[::-1]},
        "one": {"statements": statements[:1]},
        "three": {"statements": [*statements, statements[0]]},
        "shuffled": {"order": "random"},
        "several": {"type": "many"},
    }
    for change in wrong.values():
        question = {**document["questions"][0], **change}
        with pytest.raises(ValueError, match=r"statement for each|truth for each"):
            Survey.from_document({**document, "questions": [question]})
    unseen = [{"code": "no", "text": "\u202eA"}, statements[1]]
    question = {**document["questions"][0], "statements": unseen}
    with pytest.raises(ValueError, match="character"):
        Survey.from_document({**document, "questions": [question]})


def test_in_every_language_there_are_its_own_statements() -> None:
    survey = read(SHOPS).survey
    german = in_language(survey, "de", in_english)
    assert german.questions[0].statements[0].text.startswith("Ich habe noch nie")
    assert german.revision == survey.revision
    without = SHOPS.replace("        de: Ich habe noch nie etwas", "        it: Ich habe nie etwas")
    assert any("expected a text in each of" in message for _, _, message in mistakes(without))


def test_a_device_hides_the_spinner_by_another_word() -> None:
    survey = read(SHOPS).survey
    assert survey.kept_words == 1
    asked: list[int] = []

    def words(count: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        asked.append(count)
        return np.full(count, 2**30 - 1, dtype=np.uint32)

    # The last word of the first part: it points to the statement of No, which is true of No.
    assert draw_report(survey, [0], words).answers == b"\x01"
    assert draw_report(survey, [1], words).answers == b"\x00"
    assert asked == [4 + 1 + 1] * 2


def test_a_sheet_asks_it_by_a_disc() -> None:
    """No coin, die or card makes this flip, and only a disc of two statements has narrow parts."""
    how = BY_STATEMENT.replace("1/4", "0.0234")
    survey = survey_of(
        f"{TOOK}, {how}", "id: b, text: T, type: single, answers: [A, B], flip: 0.0234"
    )
    assert [paper.asking(survey, question) for question in survey.questions] == [
        paper.Asking.BY_HAND,
        paper.Asking.NOT_MAKEABLE,
    ]
    rare = survey_of(f"{TOOK}, {BY_STATEMENT.replace('1/4', str(Fraction(1, 21)))}")
    assert "took" in paper.rare_by_hand(rare)[0]
