"""Codes of answers and rows in the form: what they follow, and until when."""

from typing import Any

import pytest

from deniable.server.desk.editor.form import form_of
from deniable.server.desk.editor.lint import check
from deniable.server.store import Store
from deniable.survey_file import read
from tests.kit import Browser
from tests.server.desk.editor.test_drafts import save
from tests.server.desk.editor.test_form import TEXT, drawn, made

pytestmark = pytest.mark.promise("drafts")

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
def test_a_published_row_keeps_code_and_translations(*, indented: bool) -> None:
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
