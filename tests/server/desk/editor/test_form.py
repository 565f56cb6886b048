"""The editor's form: what it shows of a text, and what each of its edits writes there."""

import json
import re
from fractions import Fraction
from functools import cache
from html import unescape
from typing import Any

import pytest

from deniable.server.desk.editor import lint
from deniable.server.desk.editor.edits import edited
from deniable.server.desk.editor.form import form_of
from deniable.server.desk.editor.starters import BLANK, examples
from deniable.server.desk.editor.starters import consent as consent_of
from deniable.server.store import Store
from deniable.server.web.words import words
from deniable.survey_file import plan_of, read
from tests.kit import Browser, first_of, surveys
from tests.server.desk.editor.test_drafts import begin, encoded, save

pytestmark = pytest.mark.promise("drafts")

check = cache(lint.check)
"""Kept for the next edit of the same text, as the desk keeps it."""

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


def test_protections_of_each_question_overspend_nothing() -> None:
    text = surveys.file_of(*surveys.yes_or_no(*[""] * 4), head="epsilon: 4\nskip: true")
    for number, epsilon in (
        (0, "0.7998"),
        (1, "0.7389"),
        (2, "0.6826"),
        (3, "0.6307"),
        (3, "0.7389"),
    ):
        text = made(text, do="protect", number=number, value=epsilon)
        assert check(text, 1000)["mistakes"] == []


def test_an_emptied_text_goes_in_every_language() -> None:
    approved = "approval: { en: Board 1, de: Kommission 1 }\nquestions:"
    assert made(TEXT.replace("questions:", approved, 1), **put("approval", "")) == TEXT


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
        (
            put("plan.margins.sick.n", "60 %"),
            "questions:\n",
            "plan: { margins: { sick: { n: 60 } } }\nquestions:\n",
        ),
        (put("questions.1.max", "7"), "max: 5", "max: 7"),
        (
            lines(2, ("", "B"), ("work", "Work"), ("", "C"), ("a_cold", "A cold"), ("", "")),
            "[A cold, Work]",
            "[B, Work, C, A cold]",
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
        ({"do": "move", "number": 0, "to": 1}, SICK + DAYS, DAYS + SICK),
        (
            {"do": "copy", "number": 1},
            "{ sick: y }\n",
            NEEDED + DAYS.replace("days   # how long", "long"),
        ),
    ],
)
def test_an_edit_writes_what_it_says_alone(edit: dict[str, Any], old: str, new: str) -> None:
    assert old in TEXT
    meant = TEXT.replace(old, new, 1)
    if edit["do"] == "name":
        meant = meant.replace("{ sick: y }", "{ ill: y }")
    assert made(**edit) == meant


def test_other_people_need_no_chance_of_drawing_anew() -> None:
    same, asked = "waves: { count: 3, redraw: 1/10 }\n", "waves: { count: 3, people: others }\n"
    text = TEXT.replace("questions:", f"{same}questions:", 1)
    said = put("waves.people", "others")
    assert made(text, **said) == text.replace(same, asked)
    assert made(made(text, **said), **put("waves.people", "")) == text
    assert made(made(text, **said), **put("waves.count", "2")) == text.replace(
        same, asked.replace("3", "2")
    )


def test_what_names_a_question_follows_its_name() -> None:
    text = "together: [sick, else]\nsame_fact: [[sick, else], [other, sick]]\n" + TEXT
    named = made(text, do="name", number=0, value="ill")
    assert named.startswith("together: [ill, else]\nsame_fact: [[ill, else], [other, ill]]\n")


@pytest.mark.parametrize(
    "kind", ["single", "yes_no", "many", "number", "grid", "statement", "direct"]
)
@pytest.mark.parametrize("text", first_of([BLANK, TEXT]))
def test_every_kind_of_question_is_added_well(kind: str, text: str) -> None:
    count = len(read(text).survey.questions)
    added = made(text, do="add", kind=kind, number=count)
    assert added.startswith(text.rstrip("\n"))
    assert len(read(added).survey.questions) == count + 1
    french = made(added, do="language", value="fr")
    assert read(french).survey.languages[-1] == "fr"
    assert (
        check(made(french, do="move", number=count, to=0), 10)["mistakes"] == [] or "ask_if" in text
    )


def test_a_new_surveys_consent_comes_in_a_second_language() -> None:
    german = read(made(BLANK, do="language", value="de")).survey.translations[0]
    consent = dict(german.about)["consent"].split("\n")
    assert consent == consent_of(words("de").say) != consent_of()
    note = "check the age"
    for text, is_noted in ((BLANK, True), (BLANK.replace("18 or", "16 or"), False)):
        (field,) = (
            one for one in form_of(text, check(text, 9))["first"] if "consent" in one["place"]
        )
        assert (note in " ".join(field["notes"])) is is_noted
    # What somebody has written stays as it is, until it is translated.
    own = BLANK.replace("I am 18 or older.", "I am 16 or older.")
    theirs = read(made(own, do="language", value="de")).survey.translations[0]
    assert dict(theirs.about)["consent"].startswith("I am 16 or older.")


@pytest.mark.parametrize("name", first_of(["", *examples()], 4))
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


DIRECT = TEXT.replace("    type: single\n", "    type: single  # asked\n    protection: direct\n")
KNOWN = "plan: { margins: { sick: { n: 60, y: 40 } } }\n"
PLANNED = DIRECT.replace("questions:\n", f"{KNOWN}questions:\n")


@pytest.mark.parametrize(
    ("edit", "kept"),
    [
        (put("plan.margins.sick.n", ""), KNOWN.replace("n: 60, ", "")),
        ({"do": "name", "number": 0, "value": "ill"}, KNOWN.replace("sick", "ill")),
        (
            {"do": "code", "place": ["questions", 0, "answers"], "key": "n", "value": "0"},
            KNOWN.replace(" n:", " 0:"),
        ),
        (lines(0, ("n", "No"), ("", "Perhaps")), KNOWN.replace(", y: 40", "")),
        ({"do": "protect", "number": 0, "value": "randomised"}, ""),
        ({"do": "remove", "number": 0}, ""),
    ],
)
def test_the_population_follows_its_question(edit: dict[str, Any], kept: str) -> None:
    found = made(PLANNED, **edit)
    assert found.partition("epsilon: 3\n")[2].partition("questions:\n")[0] == kept
    if edit["do"] == "set":
        assert made(found, **put("plan.margins.sick.y", "")) == DIRECT


@pytest.mark.parametrize(
    ("shares", "place"),
    [
        ("sick: { n: 60 }", ["sick", "y"]),
        ("sick: { n: 60, y: 60 }", ["sick"]),
        ("sick: { n: 60, y: 140 }", ["sick", "y"]),
        ("sick: { n: 60, x: 40 }", ["sick", "x"]),
        ("sick: { n: 60, y: 40 }", None),
        ("why: { yes: 60, no: 40 }", []),
    ],
)
def test_the_population_has_its_mistake(shares: str, place: list[str] | None) -> None:
    """On the card of its question; of a question without these fields, with the plan's."""
    text = DIRECT.replace("questions:\n", f"plan: {{ margins: {{ {shares} }} }}\nquestions:\n")
    form = form_of(text, check(text, 10))
    (own,) = (one for card in form["cards"] for one in card["fields"] if one["kind"] == "margins")
    assert own["titles"] == {"n": "No", "y": "Yes"}
    hosts = [
        one for field in [own, *form["plan"]] for one in (field, *field.get("parts", {}).values())
    ]
    wrong = [one["place"] for one in hosts if one["mistakes"]]
    assert wrong == ([] if place is None else [["plan", "margins", *place]])
    assert form["others"] == []


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


@pytest.mark.slow
def test_a_fitting_step_is_offered() -> None:
    text = made(do="set", place=["questions", 1, "max"], value="5000")
    fields = form_of(text, check(text, 10))["cards"][1]["fields"]
    (step,) = (one for one in fields if one["place"][-1] == "step")
    assert (step["call"], step["free"]) == ("Take", "20")
    text = made(text, do="set", place=step["place"], value=step["free"])
    assert check(text, 10)["mistakes"] == []


def test_the_desk_edits_and_draws_the_form(store: Store, researcher: Browser) -> None:
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


def test_lost_comments_are_told_until_saved(researcher: Browser) -> None:
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


def test_a_blank_draft_s_own_comments_are_not_lost(researcher: Browser) -> None:
    path = begin(researcher, example="")
    save(researcher, path, f"{BLANK}# mine\n")
    edit = {"do": "set", "place": ["skip"], "value": ""}
    page = answered(researcher, path, BLANK, edit)
    assert "skip:" not in page.partition('id="made"')[2].partition("</textarea>")[0]
    assert re.findall(r"<li><code>(.*?)</code></li>", page) == ["# mine"]


@pytest.mark.parametrize(("ticked", "begun"), [(None, 1), ([], 1), (["y"], 0)])
def test_a_condition_without_answers_is_begun(
    researcher: Browser, ticked: list[str] | None, begun: int
) -> None:
    edit = {"do": "needs", "number": 1, "item": "", "to": "sick", "needed": ticked}
    text = TEXT.replace("    ask_if: { sick: y }\n", "")
    page = answered(researcher, begin(researcher), text, edit)
    assert page.count(" data-begun") == begun


def test_only_a_randomised_answer_has_its_odds_said(researcher: Browser) -> None:
    path = begin(researcher)
    assert answered(researcher, path, TEXT).count("From this answer by itself, someone") == 3
    edit = {"do": "protect", "number": 2, "value": "direct"}
    assert answered(researcher, path, TEXT, edit).count("From this answer by itself, someone") == 2


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


def test_draws_and_what_questions_take_are_said(researcher: Browser) -> None:
    text = TEXT.replace("    ask_if: { sick: y }\n", "")

    def said(text: str) -> list[str]:
        fields = form_of(text, check(text, 800))["whole"]
        return next(one["notes"] for one in fields if one["place"] == ["ask"])

    told = (
        "Chance draws from 4: question 1, question 2, each of the 2 options or rows of question 3. "
        "Question 2 is asked of 58 in 100 people, question 1 of 47."
    )
    assert said(text) == []
    assert said(f"ask: 2\n{text}") == [told]
    none = "“Questions that chance draws for each person” has no effect: everybody is asked all 4"
    assert said(f"ask: 4\n{text}") == [f"{none} that share the ε"]
    assert "questions 1 and 2 at once" in said(f"ask: 1\n{TEXT}")[0]
    edit = {"do": "add", "kind": "single", "number": 3}
    page = answered(researcher, begin(researcher), text, edit)
    assert page.count("It shares ε 3.00 of the whole survey with 3 others") == 3
    (took,) = re.findall(r'takes">With this question, (question 1: .*?) The', page)
    found = [one.group(1, 2) for one in re.finditer(r"±([\d.]+)[ a-z]* became \D*([\d.]+\d)", took)]
    assert len(found) > 1, took
    assert all(float(before) < float(now) for before, now in found)


def test_a_follow_up_says_what_others_see() -> None:
    """Beside its condition; after a direct question nobody else sees it."""
    said = []
    for text in (TEXT, made(**put("branch", "hidden")), DIRECT):
        own = form_of(text, check(text, 10))["cards"][1]["fields"]
        places = [one["place"][-1] for one in own]
        said.append([one["notes"] for one in own if one["place"] == ["branch"]])
        assert "branch" not in places or places[places.index("branch") - 1] == "ask_if"
    (shown,), (hidden,), none = said
    assert "“Does not apply to me”" in shown[0]
    assert "the time that somebody takes" in hidden[0]
    assert none == []


def test_a_question_has_a_plan_of_its_own() -> None:
    """A ± in its own unit, and to whom it applies; both follow its name, and go with it."""
    text = made(**put("plan.within_of.days", "±0.5"))
    text = made(text, **put("plan.applies.days", "40 %"))
    assert plan_of(text).within_of == {"days": Fraction(1, 2)}
    found = check(text, 1000)
    assert found["mistakes"] == []
    assert found["cost"]["questions"][1]["width_met"] == "±0.5 wanted: missed"
    assert found["cost"]["width_met"] == "each its own wanted: missed by question 2"
    fields_of = {
        (n, one["place"][1]): one["value"]
        for n, card in enumerate(form_of(text, found)["cards"])
        for one in card["fields"] + card["more"]
        if one["place"][0] == "plan"
    }
    assert fields_of == {
        (0, "within_of"): "",
        (1, "within_of"): "0.5",
        (1, "applies"): "40",
        (2, "within_of"): "",
    }
    named = plan_of(made(text, do="name", number=1, value="long"))
    assert (named.within_of, named.applied) == ({"long": Fraction(1, 2)}, {"long": 0.4})
    assert "plan" not in made(text, do="remove", number=1)
    asked = plan_of(made(text, **needs(1, "sick", "", None)))
    assert (asked.within_of, asked.applied) == ({"days": Fraction(1, 2)}, {})
