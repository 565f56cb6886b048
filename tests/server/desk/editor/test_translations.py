"""Translations in the editor: what is missing or out of date, and sheets that travel."""

import re

import pytest

from deniable.server.desk.editor.lint import check
from deniable.server.desk.editor.starters import BLANK, examples
from deniable.server.desk.editor.translations import missing, table, texts_csv, with_csv
from deniable.server.store import Store
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES
from tests.kit import Browser
from tests.server.desk.editor.test_drafts import begin, encoded, only
from tests.server.desk.editor.test_form import TEXT, answered, made

pytestmark = pytest.mark.promise("drafts")


def test_another_text_s_translation_is_out_of_date() -> None:
    rows = table(made(do="set", place=["questions", 0, "text"], value="Were you ill?"), TEXT)
    marks = {row["where"]: row["cells"][1]["mark"] for row in rows}
    assert marks["sick.text"] == "out of date"
    assert marks["title"] == ""
    assert marks["why.answers.1"] == "missing"
    assert missing(rows) == {"de": 5}


@pytest.mark.parametrize("name", ["", *examples()])
def test_the_note_counts_the_languages_missing_texts(name: str) -> None:
    text = {"": f"{BLANK}organisation: Us\nresults: https://us.org\nhelp: Call\n", **examples()}[
        name
    ]
    for new in [one for one in LANGUAGES if one not in read(text).survey.languages][:1]:
        text = made(text, do="language", value=new)
    said = " ".join(one["message"] for one in check(text, 10)["notes"])
    counted = re.search(r"(\d+) texts are missing", said)
    left = missing(table(text, text)).values()
    assert int(counted[1] if counted else 0) == max(left, default=0)


def test_a_right_translation_is_said_to_be(researcher: Browser) -> None:
    new = TEXT.replace("en: Sick", "en: Sik")
    edit = {"do": "right", "place": ["questions", 0, "text"], "value": "de"}
    path = begin(researcher)
    for sent, count in ((None, 1), (edit, 0), (None, 0)):
        page = answered(researcher, path, new, sent, base=TEXT)
        assert page.count('data-do="right"') == count
        assert new in page


def test_a_far_right_statement_is_translated() -> None:
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
def test_a_bad_row_writes_nothing(sheet: str, said: str) -> None:
    assert with_csv(TEXT, sheet) == (TEXT, 0, [said])


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
