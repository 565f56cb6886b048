"""Names of questions follow their texts, until somebody writes or publishes another one."""

import re
from typing import Any

import pytest

from deniable.server.desk.editor.form import form_of
from deniable.server.desk.editor.starters import BLANK
from deniable.survey_file import read
from tests.server.desk.editor.test_form import GERMAN, check, made, put

pytestmark = pytest.mark.promise("drafts")

FOLLOWED = """\
version: 1
survey: s
title: S
epsilon: 3
together: [q1, q2]
same_fact: [[q1, q2]]
chances: { q1: 2 }
plan: { within_of: { q1: 5 }, applies: { q1: 50 }, margins: { q1: { no: 60, yes: 40 } } }
questions:
  - { id: q1, text: "Have you ever …?", type: single, answers: [No, Yes] }
  - { id: q2, text: "Your question …?", type: single, answers: [No, Yes], ask_if: { q1: yes } }
"""


def asked(text: str, said: str, **known: Any) -> str:
    """Write the text of the first question."""
    return made(text, known, **put("questions.0.text", said))


def named(text: str) -> list[str]:
    return re.findall(r"id: (\w+)", text)


def test_a_question_s_name_follows_its_text() -> None:
    text = asked(FOLLOWED, "Did you sign for something undone?")
    # To a word's end; with the name goes all that refers to it.
    assert text.count("sign_for_something") == FOLLOWED.count("q1")
    assert "q1" not in text
    assert re.search(r"ask_if: \{ sign_for_something: yes", text)
    again = asked(text, "Did you sign?")
    assert again.replace("sign?", "").count("sign") == FOLLOWED.count("q1")
    # In German it follows the first language.
    german = made(again, do="language", value="de")
    wirklich: dict[str, Any] = {**GERMAN, "place": ["questions", 0, "text"], "value": "Wirklich?"}
    german = made(german, **wirklich)
    assert named(german)[0] == "sign"
    assert named(asked(german, "Never?"))[0] == "never"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("3D drinks, or more?", "q_3d_drinks_or_more"),
        ("In the last 12 months, have you signed?", "signed"),
        ("Have you ever?", "ever"),
        ("Worked in the last 12 months?", "worked_in_the_last_12"),
        ("How many people work in your salon?", "people_work"),
        ("How many hours a week do you work?", "hours_a_week"),
        ("This term, have you copied a text?", "copied_a_text"),
        ("How far do you agree?", "agree"),
        ("To what extent do you agree?", "agree"),
        ("Which of these have you done in your ward?", "done_in_your_ward"),
        ("Which of the following apply to you?", "apply"),
        ("How old are you?", "old"),
        ("Which is true of you?", "q_true"),
        ("How satisfied are you with your job?", "satisfied"),
        ("How likely is it that you leave?", "likely"),
        ("How far is your home from work?", "home_from_work"),
        ("Did you do it?", "q1"),
        ("Wave", "wave_2"),
        ("Is your ward noisy?", "ward"),
        ("Größe über Ängste: là-bas", "grosse_uber_angste_la"),
        ("Donaudampfschifffahrtsgesellschaft", "donaudampfschifffahrtsge"),
        ("هل وقعت؟", "q1"),
        ("Why …?", "q1"),
    ],
)
def test_every_name_of_a_text_is_valid(said: str, name: str) -> None:
    text = asked(BLANK, said)
    assert named(text) == [name]
    read(text + "waves: { count: 2, redraw: 1/10 }\n")  # or a mistake
    twice = made(text, do="copy", number=0)
    assert len({*named(twice)}) == 2
    read(twice)


def test_a_name_of_one_s_own_stays_until_it_is_emptied() -> None:
    own = made(BLANK, do="name", number=0, value="signed")
    assert named(asked(own, "Did you sign?")) == ["signed"]
    # Written in the text, also one that looks like the form's.
    by_hand = BLANK.replace("Have you ever …?", "Did you sign?")
    assert named(asked(by_hand, "Have you signed?")) == ["q1"]
    follows = made(by_hand, do="name", number=0, value=" ")
    assert named(follows) == ["sign"]
    assert named(asked(follows, "Sing?")) == ["sing"]
    # Nobody knows which of two a condition means.
    twice = FOLLOWED.replace("id: q2", "id: q1")
    assert "together: [q1, q2]" in asked(twice, "Did you sign?")


def test_a_published_name_stays() -> None:
    text = asked(FOLLOWED, "Did you sign?")
    published = {"published": True, "base": made(text, do="remove", number=1)}
    assert named(asked(text, "Did you sing?", **published)) == ["sign", "q2"]
    # A question that is new beside it is no part of the survey yet.
    assert named(made(text, published, **put("questions.1.text", "Who knew?")))[1] == "knew"
    with pytest.raises(ValueError, match="to stay"):
        made(text, published, do="name", number=0, value="own")
    cards = form_of(text, check(text, 10) | published)["cards"]
    names = [one for card in cards for one in card["more"] if one["place"][-1] == "id"]
    assert [one["kept"] for one in names] == [True, False]
