"""A question becomes one of another type, or one with its follow-up; what goes is said before."""

from typing import Any

import pytest

from deniable.designs import BY_NAME
from deniable.server.desk.editor.edits import edited
from deniable.server.desk.editor.fields import design_named
from deniable.server.desk.editor.form import form_of
from deniable.server.desk.editor.lint import failure
from deniable.survey_file import read
from deniable.text.sureness import STAY
from tests.kit import Browser
from tests.server.desk.editor.test_drafts import begin, save
from tests.server.desk.editor.test_form import answered, check, drawn

pytestmark = pytest.mark.promise("drafts")

TEXT = """\
version: 1
survey: s
languages: [en, de]
title: { en: Sport, de: Sport }
epsilon: 3
plan: { applies: { own: 30 }, within_of: { own: 9 } }
questions:
  - id: doped # the first
    text: { en: Doped?, de: Gedopt? }
    hint: { en: Ever, de: Je }
    type: single
    answers: [{ en: "No", de: Nein }, { en: "Yes", de: Ja }]
    order: random
  - id: own
    text: { en: Your idea?, de: Ihre Idee? }
    type: single
    answers: [{ en: "No", de: Nein }, { en: "Yes", de: Ja }]
    ask_if: { doped: "yes" }
  - id: days
    text: How long?
    type: number
    min: 0
    max: 5
    ask_if: { doped: "yes" }
"""


def edit(text: str, **asked: Any) -> str:
    return edited(text, asked, failure(""))


KINDS = ["yes_no", "single", "many", "number", "grid", "statement"]


def types(text: str = TEXT, number: int = 0) -> dict[str, str]:
    found: dict[str, str] = form_of(text, failure(""))["cards"][number]["types"]
    return found


def follows(text: str) -> list[int | None]:
    return [card["follows"] for card in form_of(text, failure(""))["cards"]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", range(3))
def test_every_type_becomes_every_other(kind: str, number: int) -> None:
    text = edit(do="retype", number=number, value=kind, text=TEXT)
    read(text)
    card = form_of(text, failure(""))["cards"][number]
    assert card["kind"] == kind
    assert kind not in card["types"]
    (old, new) = (read(one).survey.questions[number] for one in (TEXT, text))
    assert (old.id, old.text, old.hint) == (new.id, new.text, new.hint)
    # And with what it got, it becomes every other one.
    for other in card["types"]:
        again = edit(do="retype", number=number, value=other, text=text)
        read(again), other


def test_what_another_type_loses_is_said_before_and_no_more() -> None:
    number, spun, many = (types()[one] for one in ("number", "statement", "many"))
    others = "the condition of question 2, “People to whom it applies”, the condition of question 3"
    assert number == f"Loses “Answers”, “Order”, {others}"
    assert spun == "Loses “Order”"
    assert many == f"Loses {others}"
    assert types()["single"] == "Loses nothing"
    text = edit(do="retype", number=0, value="single", text=TEXT)
    assert 'ask_if: { doped: "yes" }' in text
    assert "Another answer" in text
    assert "- id: doped # the first" in text
    text = edit(do="retype", number=0, value="number", text=TEXT)
    assert "ask_if" not in text
    assert "applies" not in text


def test_what_names_a_question_goes_with_its_type() -> None:
    more = "together: [a, b, c]\nplan: { margins: { m: { x: 60, y: 40 } } }\n"
    asked = "".join(
        f"  - {{id: {id}, text: Q?, type: single, flip: 1/4, answers: [No, Yes]}}\n" for id in "abc"
    )
    asked += "  - {id: m, text: M?, type: single, protection: direct, answers: {x: X, y: Y}}\n"
    text = f"version: 1\nsurvey: s\ntitle: T\n{more}questions:\n{asked}".replace(" flip: 1/4,", "")
    text = text.replace("together", "epsilon: 3\ntogether", 1)
    read(text)
    # A group is of single answers and numbers.
    assert {*types(text)} == {"single", "number"}
    assert "Population" not in types(text, 3)["many"]
    assert "In the population" in types(text, 3)["yes_no"]
    assert "margins" not in edit(do="retype", number=3, value="yes_no", text=text)


def test_a_follow_up_becomes_one_question_in_all_languages() -> None:
    assert follows(TEXT) == [None, 0, None]
    text = edit(do="merge", number=1, text=TEXT)
    read(text)
    said = {"yes_no": ("Yes. Your idea? – No", "Ja. Ihre Idee? – Nein")}
    said["yes_yes"] = ("Yes. Your idea? – Yes", "Ja. Ihre Idee? – Ja")
    for code, (english, german) in said.items():
        assert f'{code}: {{ en: "{english}"' in text or f"{code}: {{ en: {english}" in text
        assert german in text
    assert "ask_if: { doped: [yes_no, yes_yes] }" in text.replace('"', "")
    assert "plan" not in text
    assert [one.id for one in read(text).survey.questions] == ["doped", "days"]


def test_a_text_without_a_translation_stays_to_be_translated(
    researcher: Browser,
) -> None:
    text = TEXT.replace("{ en: Your idea?, de: Ihre Idee? }", "Your idea?")
    path = begin(researcher, example="")
    merged = drawn(researcher, path, text, {"do": "merge", "number": 1})
    assert "yes_yes: Yes. Your idea? – Yes" in merged.replace('"', "")
    read(merged)
    page = answered(researcher, path, merged)
    assert "Question 1, answer yes_yes" in page[page.index('id="languages"') :]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('ask_if: { doped: "yes" }\n  - id: days', 'ask_if: { doped: "no" }\n  - id: days'),
        ("text: { en: Your", "design: { warner: { flip: 1/4 } }\n    text: { en: Your"),
        ("text: { en: Your", "protection: direct\n    text: { en: Your"),
        ("text: How long?\n    type: number\n    min: 0\n    max: 5\n    ask_if: { doped",
         "text: How long?\n    type: number\n    min: 0\n    max: 5\n    ask_if: { own"),
        ("plan:", "together: [doped, own]\nplan:"),
    ],
)  # fmt: skip
def test_only_a_plain_yes_or_no_is_merged(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    assert text != TEXT
    assert follows(text)[1] is None
    with pytest.raises(ValueError, match="that can be one question with it"):
        edit(do="merge", number=1, text=text)


def test_the_card_says_what_one_question_wins(researcher: Browser) -> None:
    path = begin(researcher, example="")
    page = answered(researcher, path, TEXT)
    assert "Make it one with question 1" in page
    was, now = (
        check(one, 1000)["cost"]["questions"][0]["width"]
        for one in (TEXT, edit(do="merge", number=1, text=TEXT))
    )
    assert f"question 1: {now} instead of {was}" in page
    page = answered(researcher, path, TEXT, {"do": "merge", "number": 1})
    assert f"Question 1: {was} became {now}" in page


def test_who_chooses_a_tier_reads_the_advice_there(researcher: Browser) -> None:
    path = begin(researcher, example="")
    page = answered(researcher, path, TEXT)
    # At each protected question, at the slider of all, and at the limit that is wanted.
    assert page.count(STAY) == 3 + 1 + 1
    save(researcher, path, TEXT)
    assert STAY in researcher(f"{path.partition('?')[0]}/plan").text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("soberanis_cruz", "Soberanis Cruz"),
        ("mangat_singh_singh", "Mangat, Singh and Singh"),
        ("k_ary", "k-ary"),
        ("forced_response", "Forced response"),
    ],
)
def test_designs_are_named_as_their_authors_are(name: str, said: str) -> None:
    assert design_named(name) == said
    assert name in BY_NAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('ask_if: { doped: "yes" }', "ask_if: { doped: }"),
        ('ask_if: { doped: "yes" }', "ask_if: { doped: [{ a: b }] }"),
        ('ask_if: { doped: "yes" }', "ask_if: doped"),
        ("plan: { applies: { own: 30 }, ", "plan: { margins: [{ a: 1 }], "),
        ("type: number", "type: [number]"),
        ('answers: [{ en: "No", de: Nein }, { en: "Yes", de: Ja }]', "answers: [[No], 3]"),
    ],
)
def test_a_file_with_mistakes_still_has_its_menus(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    assert text != TEXT
    for number in range(3):
        assert types(text, number)
    follows(text)
