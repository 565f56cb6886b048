"""The editor's form: what it shows of a text, and what each of its edits writes there."""

import json
import math
import re
import time
from html import unescape
from typing import Any

import pytest

from deniable import designs
from deniable.server.desk.editor.edits import edited
from deniable.server.desk.editor.form import designs_for, form_of
from deniable.server.desk.editor.lint import check
from deniable.server.desk.editor.starters import BLANK, examples
from deniable.server.desk.editor.translations import missing, table, texts_csv, with_csv
from deniable.server.store import Store
from deniable.survey_file import SurveyFileError, read
from deniable.text.languages import LANGUAGES
from tests.server.desk.editor.test_drafts import begin, encoded, only, save
from tests.server.desk.test_pages import Browser

pytestmark = pytest.mark.promise("drafts")


def test_the_editor_offers_each_design_that_can_be_collected() -> None:
    made = {name: designs.from_mapping({name: row.example}) for name, row in designs.NAMED.items()}
    del made["custom"]  # a table is no parameter
    can_be = {name for name, one in made.items() if one.truths == 2 and one.epsilon < math.inf}
    assert not can_be - {*designs_for(2)}


def test_a_design_asks_for_its_yes() -> None:
    text = """\
version: 1
survey: s
title: S
questions:
  - id: q
    text: Q
    type: single
    answers: [Stayed, Took part]
    design: {forced_response: {truth: 2/3, yes: 1/4}}
"""

    def field(text: str) -> dict[str, Any]:
        (card,) = form_of(text, check(text, 1000))["cards"]
        named = {str(one["place"][-1]): one for one in card["more"]}
        found: dict[str, Any] = named.get("yes", {})
        return found

    asked = field(text)
    assert asked["choices"] == {
        "": "as the words say",
        "stayed": "Stayed",
        "took_part": "Took part",
    }
    told = edited(
        text,
        {"do": "set", "place": ["questions", 0, "yes"], "value": "took_part"},
        check(text, 1000),
    )
    assert field(told)["value"] == "took_part"
    assert not check(told, 1000)["mistakes"]
    assert not field(text.replace("[Stayed, Took part]", "[Ja, Nein]"))
    assert not field(text.replace("design: {forced_response: {truth: 2/3, yes: 1/4}}", "flip: 1/4"))


TEXT = """\
version: 1
survey: s  # its name
languages: [en, de]
title: { en: Lab, de: Labor }
epsilon: 3
questions:
  # the first
  - id: sick
    text: { en: Sick, de: Krank }
    type: single
    answers: { n: { en: "No", de: Nein }, y: { en: "Yes", de: Ja } }
  - id: days   # how long
    text: How long?
    type: number
    min: 0
    max: 5
    ask_if: { sick: y }
  - id: why
    text: Why?
    type: many
    answers: [A cold, Work]
"""


def answered(browser: Browser, path: str, text: str, edit: Any = None, **more: str) -> str:
    """Make an edit of a text in the editor of a draft, and return the page of the answer."""
    asked = {} if edit is None else {"edit": json.dumps(edit)}
    answer = browser.post(f"{path}/form", **encoded(text=text, **asked, **more))
    assert answer.status == 200
    return unescape(answer.text)


def drawn(browser: Browser, path: str, text: str, edit: Any) -> str:
    """Make an edit of a text in the editor of a draft, and return the text."""
    page = answered(browser, path, text, edit)
    return page.partition('<textarea id="made">\n')[2].partition("</textarea>")[0]


def made(text: str = TEXT, known: dict[str, Any] | None = None, **edit: Any) -> str:
    return edited(text, edit, check(text, 1000) | (known or {}))


def put(place: str, value: str) -> dict[str, Any]:
    """Set what is at a place, such as ``questions.1.max``."""
    steps = [int(step) if step.isdigit() else step for step in place.split(".")]
    return {"do": "set", "place": steps, "value": value}


def lines(number: int, *pairs: tuple[str, str]) -> dict[str, Any]:
    """Write the answers of a question, by their codes."""
    return {"do": "lines", "place": ["questions", number, "answers"], "value": pairs}


def needs(number: int, item: str, to: str, needed: list[str] | None) -> dict[str, Any]:
    return {"do": "needs", "number": number, "item": item, "to": to, "needed": needed}


def together(*groups: list[str]) -> dict[str, Any]:
    return {"do": "together", "value": groups}


GERMAN = {"do": "translate", "place": ["questions", 1, "text"], "language": "de"}
NEEDED = TEXT[TEXT.index("{ sick: y }") : TEXT.index("  - id: why")]
SICK = TEXT[TEXT.index("  - id: sick") : TEXT.index("  - id: days")]
DAYS = TEXT[TEXT.index("  - id: days") : TEXT.index("  - id: why")]


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (put("title", "Labs"), "en: Lab,", "en: Labs,"),
        (put("purpose", "Why"), "epsilon", "purpose: Why\nepsilon"),
        (put("plan.people", "800"), "questions:\n", "plan: { people: 800 }\nquestions:\n"),
        (put("questions.1.max", "7"), "max: 5", "max: 7"),
        (
            lines(2, ("work", "Work"), ("a_cold", "A cold"), ("", "B"), ("", "")),
            "[A cold, Work]",
            "[Work, A cold, B]",
        ),
        (lines(0, ("n", "Never"), ("y", "Yes")), 'en: "No"', "en: Never"),
        ({"do": "name", "number": 0, "value": "ill"}, "id: sick", "id: ill"),
        (needs(1, "sick", "sick", ["n", "y"]), "{ sick: y }", "{ sick: [n, y] }"),
        (needs(1, "sick", "other", ["y"]), "{ sick: y }", "{ other: y }"),
        (needs(1, "sick", "", None), "    ask_if: { sick: y }\n", ""),
        (needs(2, "", "days", None), "Work]\n", "Work]\n    ask_if: { days: { min: 1 } }\n"),
        (needs(2, "", "sick", None), "Work]\n", "Work]\n    ask_if: { sick: [] }\n"),
        (needs(1, "sick", "sick", []), "{ sick: y }", "{ sick: [] }"),
        (put("waves.count", "3"), "questions:", "waves: { count: 3, redraw: 1/10 }\nquestions:"),
        (put("waves.redraw", "1/5"), "questions:", "waves: { redraw: 1/5, count: 2 }\nquestions:"),
        (together(["sick", "days"]), "questions:\n", "together: [sick, days]\nquestions:\n"),
        (together(), "", ""),
        (
            together(["sick", "days"], ["why", "x"]),
            "questions:\n",
            "together: [[sick, days], [why, x]]\nquestions:\n",
        ),
        (put("chances.days", "3"), "questions:\n", "chances: { days: 3 }\nquestions:\n"),
        (
            GERMAN | {"value": "Wie lange?"},
            "text: How long?",
            'text: { en: "How long?", de: "Wie lange?" }',
        ),
        (
            {"do": "protect", "number": 2, "value": "direct"},
            "Work]\n",
            "Work]\n    protection: direct\n",
        ),
        ({"do": "remove", "number": 0}, SICK, ""),
        (
            {"do": "copy", "number": 1},
            "{ sick: y }\n",
            NEEDED + DAYS.replace("days   # how long", "q4"),
        ),
    ],
)
def test_an_edit_writes_what_it_says_alone(edit: dict[str, Any], old: str, new: str) -> None:
    assert old in TEXT
    meant = TEXT.replace(old, new, 1)
    if edit["do"] == "name":
        meant = meant.replace("{ sick: y }", "{ ill: y }")
    assert made(**edit) == meant


def test_what_names_a_question_follows_its_name() -> None:
    text = "together: [sick, else]\nsame_fact: [[sick, else], [other, sick]]\n" + TEXT
    named = made(text, do="name", number=0, value="ill")
    assert named.startswith("together: [ill, else]\nsame_fact: [[ill, else], [other, ill]]\n")


GRID = """\
  - id: mob
    text: Who?
    type: grid
    answers: [Never, Once]
    rows:
      # the worst
      - {en: By a superviser, de: Chef}  # or two
      - en: By nobody else
        de: Sonst
      - A student
"""


def rows_of(text: str) -> dict[str, tuple[str, str]]:
    survey = read(text).survey
    german = dict(dict(survey.translations[0].questions)["mob"].rows)
    return {one.code: (one.text, german[one.code]) for one in survey.questions[3].rows}


ROWS = {
    "by_a_superviser": "By a superviser",
    "by_nobody_else": "By nobody else",
    "a_student": "A student",
}
MENDED = ROWS | {"by_a_superviser": "By a supervisor"}
KEPT = {
    "by_a_superviser": ("By a supervisor", "Chef"),
    "by_nobody_else": ("By nobody else", "Sonst"),
    "a_student": ("A student", "A student"),
}


@pytest.mark.parametrize("indented", [True, False])
def test_a_published_row_keeps_its_code_and_its_translations(*, indented: bool) -> None:
    text = TEXT + (GRID if indented else GRID.replace("      ", "    "))
    known = {"base": text, "published": True}
    place = ["questions", 3, "rows"]

    def lines(text: str, *pairs: tuple[str, str], **known: Any) -> str:
        return made(text, known, do="lines", place=place, value=pairs)

    assert lines(text, *ROWS.items(), **known) == text
    renamed = lines(text, *MENDED.items(), **known)
    assert renamed == made(text, known, do="set", place=[*place, 0], value="By a supervisor")
    meant = text.replace("- {en: By a superviser", "by_a_superviser: {en: By a supervisor")
    meant = meant.replace("- en: By n", "by_nobody_else:\n        en: By n")
    assert renamed == meant.replace("- A student", "a_student: A student") or not indented
    assert rows_of(renamed) == KEPT
    # Emptied, which is a mistake at its line, and written again.
    empty = lines(text, *(MENDED | {"by_a_superviser": ""}).items(), **known)
    fields = form_of(empty, check(empty, 10) | known)["cards"][3]["fields"]
    (field,) = (one for one in fields if one["place"][-1] == "rows")
    assert [one for one, part in field["parts"].items() if part["mistakes"]] == ["by_a_superviser"]
    assert rows_of(lines(empty, *MENDED.items(), **known)) == KEPT
    # Moved, with a new one between them, and one less: each keeps what it has.
    last, first, _ = [*ROWS.items()][::-1]
    for before in (text, renamed):
        after = lines(before, last, ("", "A guest"), first, **known)
        assert rows_of(after) == {
            "a_student": ("A student", "A student"),
            "a_guest": ("A guest", "A guest"),
            "by_nobody_else": ("By nobody else", "Sonst"),
        }
        assert [*rows_of(after)] == ["a_student", "a_guest", "by_nobody_else"]
    added = lines(text, *ROWS.items(), ("", "A guest"), **known)
    assert added == f"{text}{' ' * (6 if indented else 4)}- A guest\n"
    with pytest.raises(KeyError, match="of_nobody"):
        lines(text, ("of_nobody", "A student"))


def test_unpublished_codes_follow_their_words() -> None:
    text = CODED.replace("answers: { n:", "answers: { no:").replace("sick: [n, y]", "sick: [no, y]")
    place = ["questions", 2, "answers"]
    text = made(text, do="lines", place=place, value=[["a_cold", "A cold"], ["work", "My job"]])
    assert "answers: [A cold, My job]" in text
    assert "ask_if: { why.my_job: yes, sick: [no, y] }" in text
    # A new answer before it would take its code; one with a code of its own has it already.
    twice = made(text, do="lines", place=place, value=[["", "my job!"], ["my_job", "My job"]])
    assert "answers: { my_job_2: my job!, my_job: My job }" in twice
    place = ["questions", 0, "answers"]
    said = made(text, do="lines", place=place, value=[["y", "Often"], ["no", "Never"]])
    assert "answers: { y: { en: Often, de: Ja }, no: { en: Never, de: Nein } }" in said
    yes = text.replace("    answers: [A cold", "    yes: my_job\n    answers: [A cold")
    yes = yes.replace("type: many", "type: single").replace("why.my_job: yes", "why: my_job")
    place = ["questions", 2, "answers"]
    yes = made(yes, do="lines", place=place, value=[["a_cold", "A cold"], ["my_job", "Work"]])
    assert ("yes: work\n" in yes, "why: work" in yes) == (True, True)


def test_a_renamed_row_is_a_correction(store: Store, researcher: Browser) -> None:
    text = TEXT + GRID
    store.register(read(text).survey, text)
    path = researcher.send("editor.edit", slug="s").headers["Location"]
    edit = {"do": "lines", "place": ["questions", 3, "rows"], "value": [*MENDED.items()]}
    save(researcher, path, drawn(researcher, path, text, edit))
    assert "Only words change" in researcher(f"{path}/publish").text


def test_who_moves_a_slider_leaves_the_others_what_they_had() -> None:
    text = made(do="protect", number=2, value="2")
    before, after = (read(one).survey for one in (TEXT, text))
    assert after.epsilon_of(after.question("why")) == pytest.approx(2, abs=1e-3)
    for id in ("sick", "days"):
        old, new = before.epsilon_of(before.question(id)), after.epsilon_of(after.question(id))
        assert new == pytest.approx(old, abs=2e-3)
    assert made(text, do="protect", number=2, value="direct").count("epsilon") == 1


def test_the_protection_follows_a_design_s_chances() -> None:
    text = made(do="design", number=0, value="forced_response")
    assert "design: { forced_response: { truth: 2/3, yes: 1/2 } }" in text
    survey = read(text).survey
    assert survey.epsilon_of(survey.question("sick")) == pytest.approx(1.609438, abs=1e-5)
    days = survey.epsilon_of(survey.question("days"))
    before = read(TEXT).survey
    assert days == pytest.approx(before.epsilon_of(before.question("days")), abs=2e-3)
    text = made(text, do="parameter", number=0, key="truth", value="1/2")
    assert "{ truth: 1/2, yes: 1/2 }" in text
    (card, *_) = form_of(text, check(text, 10))["cards"]
    (field,) = (one for one in card["more"] if one["kind"] == "design")
    assert field["parameters"] == {"truth": "1/2", "yes": "1/2"}
    assert {"warner", "kuk"} <= {*field["designs"]}
    assert "k_ary" not in field["designs"]
    assert "design" not in made(text, do="design", number=0, value="")
    two = [("", "A"), ("", "B")]
    three = made(text, do="lines", place=["questions", 2, "answers"], value=two)
    assert "forced: [1/2, 1/2]" in made(three, do="design", number=2, value="forced_response_k")


def test_a_precision_is_aimed_at_one_question_alone() -> None:
    before = check(TEXT, 800)["cost"]["questions"]
    text = made(do="aim", number=0, value="±10")
    after = check(text, 1000)["cost"]["questions"]
    assert 9.6 < float(after[0]["width"][1:].partition(" ")[0]) <= 10
    for old, new in zip(before[1:], after[1:], strict=True):
        assert float(new["epsilon"]) == pytest.approx(float(old["epsilon"]), abs=2e-3)
    for value in ("0.5", "x", "0"):
        with pytest.raises(ValueError, match="expected"):
            made(do="aim", number=0, value=value)


CODED = f"""\
{TEXT}  - id: kind
    text: Kind?
    type: grid
    rows: [At home, At work]
    answers: [Never, Once]
    ask_if: {{ why.work: yes, sick: [n, y] }}
"""


def test_a_code_is_set_until_it_is_published() -> None:
    place = ["questions", 0, "answers"]
    text = made(CODED, do="code", place=place, key="y", value=" 1 ")
    assert text == CODED.replace(" y: {", " 1: {").replace("sick: y", "sick: 1").replace(
        "n, y", "n, 1"
    )
    text = made(CODED, do="code", place=["questions", 2, "answers"], key="work", value="job")
    assert "answers: { a_cold: A cold, job: Work }" in text
    assert "why.job: yes" in text
    text = made(CODED, do="code", place=["questions", 3, "rows"], key="at_home", value="h")
    assert "rows: { h: At home, at_work: At work }" in text
    assert check(text, 10)["mistakes"] == []
    with pytest.raises(ValueError, match="twice"):
        made(CODED, do="code", place=place, key="y", value="n")
    known = {"published": True, "base": CODED}
    with pytest.raises(ValueError, match="to stay"):
        made(CODED, known, do="code", place=place, key="y", value="1")
    cards = form_of(CODED, check(CODED, 10) | {"published": True, "base": TEXT})["cards"]
    codes = [one for card in cards for one in card["more"] if one["kind"] == "codes"]
    assert [[*one["kept"]] for one in codes] == [["n", "y"], ["a_cold", "work"], [], []]
    assert codes[3]["value"] == {"at_home": "At home", "at_work": "At work"}


@pytest.mark.parametrize(
    "kind", ["single", "yes_no", "many", "number", "grid", "statement", "direct"]
)
@pytest.mark.parametrize("text", [BLANK, TEXT])
def test_every_kind_of_question_is_added_without_a_mistake(kind: str, text: str) -> None:
    count = len(read(text).survey.questions)
    added = made(text, do="add", kind=kind, number=count)
    assert added.startswith(text.rstrip("\n"))
    assert len(read(added).survey.questions) == count + 1
    french = made(added, do="language", value="fr")
    assert read(french).survey.languages[-1] == "fr"
    assert (
        check(made(french, do="move", number=count, to=0), 10)["mistakes"] == [] or "ask_if" in text
    )


@pytest.mark.parametrize("name", ["", *examples()])
def test_the_form_shows_every_key_of_every_example(name: str) -> None:
    text = {"": BLANK, **examples()}[name]
    form = form_of(text, check(text, 1000))
    assert form["others"] == []
    shown = {tuple(one["place"]) for one in form["first"] + form["plan"] + form["whole"]}
    for card in form["cards"]:
        shown |= {tuple(one["place"]) for one in card["fields"] + card["more"]}
    for line in text.split("\n"):
        key = re.match(r"(\w+):", line)
        if key and key[1] not in ("version", "languages", "questions"):
            assert any(key[1] == place[0] for place in shown), key[1]
    assert len(form["cards"]) == len(read(text).survey.questions)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("max: 5", "max: -5", ["questions", 1, "max"]),
        ("title: { en: Lab, de: Labor }", "title: { en: Lab }", ["title"]),
        ("ask_if: { sick: y }", "ask_if: { sick: z }", ["questions", 1, "ask_if"]),
        ("epsilon: 3", "epsilon: 0", ["epsilon"]),
        ("epsilon: 3", "epsilon: 3\nfoo: 4", ["foo"]),
        ("    max: 5\n", "", ["questions", 1, "max"]),
        ("max: 5", "max: 5000", ["questions", 1, "step"]),
        ("max: 5", "max: 5000\n    step: 7", ["questions", 1, "step"]),
        ("epsilon: 3", "epsilon: 3\nwaves: { count: 3 }", ["waves", "redraw"]),
        ("epsilon: 3", "epsilon: 3\nplan: { all: 40 }", ["plan", "all"]),
        ("text: { en: Sick, de: Krank }", "text: ''", ["questions", 0, "text"]),
        (
            'answers: { n: { en: "No", de: Nein }, y: { en: "Yes", de: Ja } }',
            "answers: []",
            ["questions", 0, "answers"],
        ),
        (
            "    type: single\n",
            "    type: single\n    protection: dirct\n",
            ["questions", 0, "epsilon"],
        ),
        ("text: Why?", "text: Why?\n    ask: 3", ["questions", 2, "ask"]),
        ("epsilon: 3\n", "", ["questions", 0, "epsilon"]),
    ],
)
def test_a_mistake_stands_at_its_field(old: str, new: str, place: list[Any]) -> None:
    text = TEXT.replace(old, new, 1)
    form = form_of(text, check(text, 1000))
    fields = form["first"] + form["plan"] + form["whole"]
    for card in form["cards"]:
        fields += [*card["fields"], *card["more"], card["protection"]]
    wrong = [one["place"] for one in fields if one["mistakes"]]
    assert wrong[:1] == [place]
    assert len(wrong) == 1 or place == ["questions", 0, "epsilon"]
    assert form["others"] == [one for card in form["cards"] for one in card["mistakes"]] == []


@pytest.mark.parametrize("listed", ["[Not me, Me]", "{ n: Not me, y: Me }", "[Not me]", None])
def test_each_answer_has_a_field_for_its_statement(listed: str | None) -> None:
    stated = "    style: statement\n" + (f"    statements: {listed}\n" if listed else "")
    text = TEXT.replace("    type: single\n", f"    type: single\n{stated}", 1)
    fields = form_of(text, check(text, 10))["cards"][0]["fields"]
    own = [one for one in fields if "statements" in one["place"]]
    assert [one["label"] for one in own] == [
        f"Statement if the answer is “{a}”" for a in ("No", "Yes")
    ]
    assert [one["place"][-1] for one in own] == (
        ["n", "y"] if listed and "n:" in listed else [0, 1]
    )
    for one, said in reversed([*zip(own, ("I never did.", "I did."), strict=True)]):
        text = made(text, do="set", place=one["place"], value=said)
    question = read(text).survey.questions[0]
    assert [(one.code, one.text) for one in question.statements] == [
        ("n", "I never did."),
        ("y", "I did."),
    ]
    empty = made(text, do="set", place=own[1]["place"], value="")
    fields = form_of(empty, check(empty, 10))["cards"][0]["fields"]
    assert [one["place"] for one in fields if one["mistakes"]] == [own[1]["place"]]


def test_a_step_that_fits_is_offered_at_its_field() -> None:
    text = made(do="set", place=["questions", 1, "max"], value="5000")
    fields = form_of(text, check(text, 10))["cards"][1]["fields"]
    (step,) = (one for one in fields if one["place"][-1] == "step")
    assert (step["call"], step["free"]) == ("Take", "20")
    text = made(text, do="set", place=step["place"], value=step["free"])
    assert check(text, 10)["mistakes"] == []


@pytest.mark.parametrize(
    ("ask", "key", "shut"),
    [("", "", []), ("ask: 1\n", "", [0]), ("ask: 1\n", "direct", []), ("", "together", [0, 3])],
)
def test_a_design_that_cannot_be_is_not_offered(ask: str, key: str, shut: list[int]) -> None:
    """What can be chosen makes no mistake, and what cannot would make one."""
    last = "  - {id: else, text: T, type: single, answers: [A, B]}\n"
    text = ask + "together: [sick, else]\n" * (key == "together") + TEXT + last
    if key == "direct":
        text = text.replace("    type: single\n", "    type: single\n    protection: direct\n", 1)
    cards = form_of(text, check(text, 10))["cards"]
    fields = {card["number"]: one for card in cards for one in card["more"] if "designs" in one}
    assert [number for number, one in fields.items() if one["shut"]] == shut
    for number, one in fields.items():
        chosen = made(text, do="design", number=number, value="forced_response")
        found = check(chosen, 10)["mistakes"] if "forced_response" in one["designs"] else []
        assert bool(found) == one["shut"], found


def test_a_translation_of_another_text_is_out_of_date() -> None:
    rows = table(made(do="set", place=["questions", 0, "text"], value="Were you ill?"), TEXT)
    marks = {row["where"]: row["cells"][1]["mark"] for row in rows}
    assert marks["sick.text"] == "out of date"
    assert marks["title"] == ""
    assert marks["why.answers.1"] == "missing"
    assert missing(rows) == {"de": 5}


@pytest.mark.parametrize("name", ["", *examples()])
def test_the_note_counts_as_many_missing_texts_as_the_languages(name: str) -> None:
    text = {"": f"{BLANK}organisation: Us\nresults: https://us.org\nhelp: Call\n", **examples()}[
        name
    ]
    for new in [one for one in LANGUAGES if one not in read(text).survey.languages][:1]:
        text = made(text, do="language", value=new)
    said = " ".join(one["message"] for one in check(text, 10)["notes"])
    counted = re.search(r"(\d+) texts are missing", said)
    left = missing(table(text, text)).values()
    assert int(counted[1] if counted else 0) == max(left, default=0)


def test_a_translation_that_is_still_right_is_said_to_be(researcher: Browser) -> None:
    new = TEXT.replace("en: Sick", "en: Sik")
    edit = {"do": "right", "place": ["questions", 0, "text"], "value": "de"}
    path = begin(researcher)
    for sent, count in ((None, 1), (edit, 0), (None, 0)):
        page = answered(researcher, path, new, sent, base=TEXT)
        assert page.count('data-do="right"') == count
        assert new in page


def test_a_new_question_gets_protection_beside_others() -> None:
    own = BLANK.replace("answers: [No, Yes]", "answers: [No, Yes]\n    epsilon: 1")
    added = made(own, do="add", kind="yes_no", number=1, at=1)
    found = read(added).survey
    assert [found.epsilon_of(one) for one in found.questions] == [1, 1]
    # Where one shares already, the bound of all stays.
    assert read(made(added, do="add", kind="yes_no", number=2, at=2)).survey.epsilon == 2


def test_a_long_statement_far_to_the_right_is_translated() -> None:
    """What stands between brackets begins beyond the column at which texts are folded."""
    far = "I have never lied to a patient or to anybody else about what happened on the ward"
    stated = f"style: statement\n    statements: [{far}, I have]\n"
    text = TEXT.replace("type: single\n", f"type: single\n    {stated}", 1)
    last = "Doch. " * 20
    for step, said in ((0, "Nie, und auch sonst niemand."), (1, "Doch."), (1, last)):
        place = ["questions", 0, "statements", step]
        text = made(text, do="translate", place=place, language="de", value=said)
    cells = [row["cells"][1]["text"] for row in table(text, TEXT) if "statements" in row["place"]]
    assert cells == ["Nie, und auch sonst niemand.", last.strip()]


def test_a_sheet_goes_out_and_comes_back_translated() -> None:
    sheet = texts_csv(TEXT)
    assert sheet.startswith("\ufeffplace,en,de\r\ntitle,Lab,Labor\r\n")
    assert with_csv(TEXT, sheet) == (TEXT, 0, [])
    back = sheet.replace("A cold,", "A cold,=Erkältung").replace(",", ";")
    text, count, wrong = with_csv(TEXT, back)
    assert (count, wrong) == (1, [])
    assert text == TEXT.replace("[A cold,", "[{ en: A cold, de: =Erkältung },")
    assert "'=Erk" in texts_csv(text)
    text = text.replace(
        "epsilon: 3", "epsilon: 3\nconsent: |\n  I agree\n  - to both\n  - 'to' all"
    )
    assert "\n'- to both" in texts_csv(text)
    assert with_csv(text, texts_csv(text)) == (text, 0, [])


@pytest.mark.parametrize(
    ("sheet", "said"),
    [
        ("place,en,xx\n", "Line 1: expected the columns place, en, de, found place, en, xx"),
        ("place,en,de\ntitle,Lab\n", "Line 2: expected 3 cells, found 2"),
        ("place,en,de\ntitle,Lab,L\nnot,a,b\n", "Line 3: this survey has no text called 'not'"),
        ("place,en,de\ntitle,Lob,L\n", "Line 2: the text in en is now 'Lab', found 'Lob'"),
        ("", "Line 1: expected the columns place, en, de, found nothing"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_written(sheet: str, said: str) -> None:
    assert with_csv(TEXT, sheet) == (TEXT, 0, [said])


def test_the_desk_makes_one_edit_and_draws_the_form(store: Store, researcher: Browser) -> None:
    address = begin(researcher, example="") + "/form"
    edit = json.dumps({"do": "set", "place": ["title"], "value": "<b>"})
    answer = researcher.post(address, **encoded(text=BLANK, edit=edit))
    assert answer.status == 200
    assert "title: &lt;b&gt;\n" in answer.text
    assert "<b>" not in answer.text
    wild = BLANK.replace("title: My", "title: &t My").replace(
        "Say in a few words who asks, and what for.", "*t"
    )
    edit = json.dumps({"do": "set", "place": ["introduction"], "value": "x"})
    assert (
        "Nothing was changed: this part"
        in researcher.post(address, **encoded(text=wild, edit=edit)).text
    )
    assert "not YAML" in researcher.post(address, **encoded(text="a: [", edit=edit)).text
    for bad in ('{"do": "no"}', "[]", '{"do": "move", "number": 7, "to": 0}', "{"):
        status = researcher.post(address, **encoded(text=BLANK, edit=bad)).status
        assert status == 400 or bad == "{", bad


def test_comments_that_go_are_told_until_that_is_saved(researcher: Browser) -> None:
    path = begin(researcher)
    save(researcher, path, TEXT)

    def lost(text: str, edit: Any = None) -> list[str]:
        page = answered(researcher, path, text, edit).partition('id="lost"')[2]
        return re.findall(r"<li><code>(.*?)</code></li>", page)

    assert lost(TEXT) == lost(TEXT, {"do": "move", "number": 1, "to": 0}) == []
    edit = {"do": "remove", "number": 1}
    assert lost(TEXT, edit) == ["# how long"]
    without = drawn(researcher, path, TEXT, edit)
    assert lost(without) == ["# how long"]
    save(researcher, path, without)
    assert lost(without) == []


def test_names_follow_titles_until_written(store: Store, researcher: Browser) -> None:
    path = begin(researcher, example="")

    def titled(text: str, title: str, key: str = "title") -> str:
        return drawn(researcher, path, text, {"do": "set", "place": [key], "value": title})

    text = titled(BLANK, "Nurses’ errors: Übel?")
    assert "survey: nurses-errors-ubel  # its name in addresses\n" in text
    store.register(read(text).survey)
    assert "survey: nurses-errors-ubel " in titled(text, "What nurses do")  # it is published
    text = titled(BLANK, "Nurses’ errors: Übel")
    assert "survey: nurses-errors-ubel-2 " in text
    assert "survey: nurses-errors-ubel-2 " in titled(text, "أطباء")
    assert "survey: ward " in titled(titled(text, "ward", "survey"), "Something else")


def test_what_chance_draws_is_said_and_what_a_question_takes(researcher: Browser) -> None:
    text = TEXT.replace("    ask_if: { sick: y }\n", "")

    def said(text: str) -> list[str]:
        fields = form_of(text, check(text, 800))["whole"]
        return next(one["notes"] for one in fields if one["place"] == ["ask"])

    told = (
        "Chance draws from 4: question 1, question 2, each of the 2 options or rows of question 3."
    )
    assert said(text) == [told]
    none = "“Questions that chance draws for each person” has no effect: everybody is asked all 4"
    assert said(f"ask: 4\n{text}") == [told, f"{none} that share the ε"]
    assert "questions 1 and 2 at once" in said(TEXT)[0]
    edit = {"do": "add", "kind": "single", "number": 3}
    page = answered(researcher, begin(researcher), text, edit)
    assert page.count("It shares ε 3.000 of the whole survey with 3 others") == 3
    (took,) = re.findall(r'takes">With this question, (question 1: .*?) The', page)
    found = [one.group(1, 2) for one in re.finditer(r"±([\d.]+)[ a-z]* became \D*([\d.]+\d)", took)]
    assert len(found) > 1, took
    assert all(float(before) < float(now) for before, now in found)


def test_a_mistake_stands_at_its_part(researcher: Browser) -> None:
    """At its own chance, its own answers; and a day that has passed is told."""
    text = TEXT.replace("version: 1\n", "version: 1\nask: 2\ndelete_reports: 2020-01-31\n", 1)
    text = made(text, do="set", place=["chances", "why.work"], value="150")
    form = form_of(text, check(text, 800))
    chances = next(one for one in form["whole"] if one["place"] == ["chances"])
    assert [one["said"] for one in chances["parts"]["why.work"]["mistakes"]] == [
        "expected a chance of 1 to 99, found 150"
    ]
    assert chances["wrong"]
    assert not chances["mistakes"]
    day = next(one for one in form["first"] if one["place"] == ["delete_reports"])
    assert day["notes"] == ["This day has passed."]
    other = f"{TEXT}ask: 2\nchances: 3\n"
    # The fields of the others stay while there is a mistake.
    edit = {"do": "set", "place": ["chances", "why.work"], "value": "150"}
    page = answered(researcher, begin(researcher), f"{TEXT}ask: 2\n", edit)
    assert len(re.findall(r'id="whole-chances-[\w.]+" data-do', page)) > 2
    assert form_of(other, check(other, 800))["whole"]


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("design: { forced_response: { truth: 2, yes: 1/2 } }", ["forced_response", "truth"]),
        ("design: { forced_response: { truth: 1/2 } }", ["forced_response", "yes"]),
        ("design: { warner: { flip: 1/2 } }", ["warner", "flip"]),
        ("design: { warner: { flip: 1/4 } }\n    flip: 1/4", None),
    ],
)
def test_mistakes_stand_at_their_parameter(written: str, place: list[str] | None) -> None:
    text = TEXT.replace("    type: single\n", f"    type: single\n    {written}\n", 1)
    (card, *_) = form_of(text, check(text, 10))["cards"]
    (field,) = (one for one in card["more"] if one["kind"] == "design")
    parts = [part["place"][3:] for part in field["parts"].values() if part["mistakes"]]
    assert (parts, len(field["mistakes"])) == (([place], 0) if place else ([], 1))
    assert card["wrong"] == 1


def test_a_mistake_stands_at_the_member_of_a_group(researcher: Browser) -> None:
    direct = TEXT.replace("    type: many\n", "    type: many\n    protection: direct\n")
    text = f"{direct}together: [[sick, gone], [days, why]]\n"
    edit = {"do": "set", "place": ["purpose"], "value": "P"}
    page = answered(researcher, begin(researcher), text, edit)
    face = page.partition('id="whole-together-field"')[2].partition('id="whole-pages-field"')[0]
    ticks = face.split('type="checkbox"')[1:]
    wrong = {
        said[1]: one.partition('value="')[2].partition('"')[0]
        for one in ticks
        if (said := re.search(r'class="wrong"[^>]*>(.*?)<', one)) and 'aria-invalid="true"' in one
    }
    assert [*wrong.values()] == ["gone", "why"]
    assert [*wrong][1] == "question 3 is direct: nothing is randomised of it"


def test_a_translator_s_sheet_is_written_into_the_draft(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    assert researcher.post(path, **encoded(text=TEXT)).status == 303
    sheet = researcher(f"{path}/texts.csv").text
    for old, new, told in (
        ("A cold,", "A cold,Erk\u00e4ltung", "1 texts changed."),
        ("title,", "titel,", "Nothing was changed. Line 2: this survey has no text"),
    ):
        there = researcher.upload(f"{path}/texts.csv", sheet.replace(old, new).encode())
        assert there.headers["Location"] == f"{path}#languages"
        researcher.cookie = there.set_cookies[-1].split(";")[0]
        assert told in researcher(path).text
        assert only(store).text == TEXT.replace("[A cold,", "[{ en: A cold, de: Erk\u00e4ltung },")
    assert researcher.upload(f"{path}/texts.csv", b"\xff").status == 303
    assert only(store).text.count("Erk\u00e4ltung") == 1


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("questions:\n" + "- {id: a, type: single}\n" * 300, 20_000),
        ("".join(f"key{n}: 1\n" for n in range(4000)), 0),
        ("questions:\n" + "- {id: a}\n" * 317, 0),
        ("questions:\n- {type: many, answers: [" + "a, " * 8000 + "b]}", 0),
    ],
)
def test_a_form_of_much_is_made_soon_or_refused(text: str, wrong: int) -> None:
    mistakes = [{"place": ["questions", 299, "type"], "message": ""}] * wrong
    begun, said = time.process_time(), ""
    try:
        form_of(text, {"cost": None, "mistakes": mistakes, "notes": []})
    except SurveyFileError as error:
        (said,) = (one.message for one in error.mistakes)
    assert time.process_time() - begun < 1.5
    found = re.search(r"found ([\d,]+): write in the text", said)
    assert (found is not None) is ("- {id: a}" in text)
    assert found is None or found[1] == "100,489"
