"""The form names each mistake at the field of its part, and says what an edit costs."""

import json
import re
import time
from typing import Any

import pytest

from deniable.server.desk.editor.form import form_of
from deniable.server.desk.editor.starters import BLANK
from deniable.survey_file import SurveyFileError
from tests.kit import Browser
from tests.server.desk.editor.test_drafts import begin
from tests.server.desk.editor.test_form import TEXT, answered, check, made

pytestmark = pytest.mark.promise("drafts")


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


def test_a_mistake_stands_at_its_member(researcher: Browser) -> None:
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


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("questions:\n" + "- {id: a, type: single}\n" * 300, 20_000),
        ("".join(f"key{n}: 1\n" for n in range(4000)), 0),
        ("questions:\n" + "- {id: a}\n" * 317, 0),
        ("questions:\n- {type: many, answers: [" + "a, " * 8000 + "b]}", 0),
    ],
)
def test_a_large_form_is_soon_made_or_refused(text: str, wrong: int) -> None:
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


@pytest.mark.parametrize("contact", ["Dr. A", "{ en: Dr. A, de: Frau A }"])
def test_a_contact_gets_its_address_in_any_language(contact: str) -> None:
    text = TEXT.replace("epsilon: 3\n", f"epsilon: 3\ncontact: {contact}\n")
    linked = made(text, do="set", place=["contact", "link"], value="a@example.org")
    assert f"contact: {{ text: {contact}, link: a@example.org }}\n" in linked
    assert made(linked, do="set", place=["contact", "link"], value="b@example.org") != linked


def test_more_is_open_for_a_mistake_alone(researcher: Browser) -> None:
    path = begin(researcher, example="")
    assert 'id="first-more" open' not in answered(researcher, path, BLANK)
    assert 'id="first-more" open' in answered(researcher, path, f"{BLANK}minutes: many\n")


def test_a_second_question_says_that_people_can_skip(researcher: Browser) -> None:
    """With what it costs, and a button that turns it off."""
    path = begin(researcher)
    assert 'id="skips"' not in answered(researcher, path, BLANK)
    edit: dict[str, Any] = {"do": "add", "kind": "yes_no", "number": 1, "at": 1}
    page = answered(researcher, path, BLANK, edit)
    assert "People can now skip a question." in page.partition('id="refused"')[2][:100]
    (said,) = re.findall(r'<div class="hint" id="skips" data-place="(.*?)">(.*?)</div>', page)
    assert re.search(r"1,000 people without it, you need [\d,]+ with it", said[1])
    (value,) = re.findall(r'data-do="set" value="(.*?)"', said[1])
    # One name for it: no card offers “Skip this question” beside it.
    box = "Offer “Skip this question” here"
    assert box not in page
    off = {"do": "set", "place": json.loads(said[0]), "value": value}
    page = answered(researcher, path, made(BLANK, **edit), off)
    assert box in page
    assert 'id="skips"' not in page
    assert "skip: true" not in page


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"do": "design", "value": "forced_response"}, "its design has no room"),
        ({"do": "protect", "value": "direct"}, "it is sent as it is given."),
        ({"do": "remove"}, ""),
    ],
)
def test_an_edit_says_which_question_can_no_longer_be_skipped(
    researcher: Browser, edit: dict[str, Any], said: str
) -> None:
    text = made(BLANK, do="add", kind="yes_no", number=1)
    sent = {**edit, "number": 1, "place": ["questions", 1, "epsilon"]}
    page = answered(researcher, begin(researcher), text, sent)
    told = re.findall(r'id="refused">.*(People can no longer .*?)<', page)
    assert [said in one for one in told] == [True] * bool(said)


def test_another_chance_of_drawing_anew_says_its_price(researcher: Browser) -> None:
    """Beside its field, and once it is taken."""
    waves = "waves: {count: 2, redraw: 1/10}\n"
    path = begin(researcher)
    page = answered(researcher, path, BLANK + waves)
    (named,) = re.findall(r'id="whole-waves-redraw"[^>]* aria-describedby="([^"]*)"', page)
    (beside,) = re.findall(f'<p class="warning" id="{named}">(.*?)</p>', page)
    assert beside.startswith("People will read, in red: from an answer that changes")
    assert re.search(r"The widest interval is then that of question 1: ±.*, now ±.*\.$", beside)
    (take,) = re.findall(r'value="([^"]*)" id="whole-waves-redraw-free"', page)
    edit = {"do": "set", "place": ["waves", "redraw"], "value": take}
    page = answered(researcher, path, BLANK + waves, edit)
    told = page.partition('id="refused">')[2].partition("<")[0]
    assert re.fullmatch(r"With this chance, question 1: ±.* became ±.*\. Undo goes back\.", told)
    assert 'id="whole-waves-redraw-wrong' not in page


def test_waves_say_their_price(researcher: Browser) -> None:
    edit = {"do": "set", "place": ["waves", "count"], "value": "2"}
    page = answered(researcher, begin(researcher), BLANK, edit)
    assert re.search(r'id="refused">[^<]*With waves, question 1: ±.* became ±.*\. Undo', page)
