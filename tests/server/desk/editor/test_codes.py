"""What edits of the form keep of a text: codes, protection, translations, and the rest of it."""

import math
import re
from typing import Any

import pytest

from deniable import designs
from deniable.server.desk.editor.edits import edited
from deniable.server.desk.editor.form import designs_for, form_of
from deniable.server.desk.editor.starters import BLANK, examples
from deniable.server.desk.editor.translations import left_to_translate, table, texts_csv, with_csv
from deniable.server.store import Store
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES
from tests.kit import Browser, first_of, surveys
from tests.server.desk.editor.test_drafts import begin, encoded, only
from tests.server.desk.editor.test_form import TEXT, answered, check, made

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
    german = survey.translations[0].questions["mob"].rows
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
    # A code that the words gave follows them, one of its own stays.
    assert "answers: { y: { en: Often, de: Ja }, never: { en: Never, de: Nein } }" in said
    assert "sick: [never, y] }" in said
    yes = text.replace("    answers: [A cold", "    yes: my_job\n    answers: [A cold")
    yes = yes.replace("type: many", "type: single").replace("why.my_job: yes", "why: my_job")
    place = ["questions", 2, "answers"]
    yes = made(yes, do="lines", place=place, value=[["a_cold", "A cold"], ["my_job", "Work"]])
    assert ("yes: work\n" in yes, "why: work" in yes) == (True, True)


def test_a_mended_typo_leaves_no_code_behind() -> None:
    """Also beside an answer with a code of its own, and in what refers to it."""
    ward = """\
  - id: ward
    text: Ward?
    type: single
    protection: direct
    answers: [Surgry, Medicin, {en: ICU, de: Intensiv}]
  - id: nights
    text: Nights?
    type: number
    min: 0
    max: 5
    ask_if: { ward: [surgry, icu] }
plan: { margins: { ward: { surgry: 50, medicin: 40, icu: 10 } } }
"""
    place = ["questions", 3, "answers"]
    text = made(f"{TEXT}{ward}", do="code", place=place, key="icu", value="i")
    own = {"surgry": "Surgry", "medicin": "Medicin", "i": "ICU"}
    for typo, word in (("surgry", "Surgery"), ("medicin", "Medicine")):
        known = {"base": text, "published": True}
        pairs = [*(own | {typo: word}).items()]
        assert f" {typo}: {word}" in made(text, known, do="lines", place=place, value=pairs)
        text = made(text, do="lines", place=place, value=pairs)
        own = {word.lower() if one == typo else one: said for one, said in pairs}
    assert "{ surgery: Surgery, medicine: Medicine, i: { en: ICU, de: Intensiv } }" in text
    assert "{ ward: [surgery, i] }" in text
    assert "{ surgery: 50, medicine: 40, i: 10 }" in text


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


def test_the_editor_offers_each_collectable_design() -> None:
    made = {name: designs.from_mapping({name: row.example}) for name, row in designs.NAMED.items()}
    del made["custom"]  # a table is no parameter
    can_be = {name for name, one in made.items() if one.truths == 2 and one.epsilon < math.inf}
    assert not can_be - {*designs_for(2)}


def test_a_design_asks_for_its_yes() -> None:
    design = "design: {forced_response: {truth: 2/3, yes: 1/4}}"
    text = surveys.file_of(f"id: q, text: Q, type: single, answers: [Stayed, Took part], {design}")

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
    assert not field(text.replace(design, "flip: 1/4"))


def test_a_slider_leaves_others_what_they_had() -> None:
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
    # Of a mean in the number's own unit.
    own = check(made(do="aim", number=1, value="0.5"), 1000)["cost"]["questions"][1]["width"]
    assert 0.48 < float(own.removeprefix("mean ±").partition(" ")[0]) <= 0.5
    with pytest.raises(ValueError, match=r"±0\.16 or more"):
        made(do="aim", number=1, value="0.1")
    for value in ("0.5", "x", "0"):
        with pytest.raises(ValueError, match="expected"):
            made(do="aim", number=0, value=value)


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


def test_a_new_question_gets_protection_beside_others() -> None:
    own = BLANK.replace("answers: [No, Yes]", "answers: [No, Yes]\n    epsilon: 1")
    added = made(own, do="add", kind="yes_no", number=1, at=1)
    found = read(added).survey
    assert [found.epsilon_of(one) for one in found.questions] == [1, 1]
    # Where one shares already, the bound of all stays.
    assert read(made(added, do="add", kind="yes_no", number=2, at=2)).survey.epsilon == 2


def test_another_text_s_translation_is_out_of_date() -> None:
    rows = table(made(do="set", place=["questions", 0, "text"], value="Were you ill?"), TEXT)
    marks = {row["where"]: row["cells"][1]["mark"] for row in rows}
    assert marks["ill.text"] == "out of date"
    assert marks["title"] == ""
    assert marks["why.answers.1"] == "missing"
    assert [len(those) for those in left_to_translate(rows).values()] == [5]


def test_a_text_that_is_empty_is_not_missing() -> None:
    text = TEXT.replace("title:", 'introduction: ""\nhelp: { link: "https://us.org" }\ntitle:')
    marks = {row["where"]: row["cells"][1]["mark"] for row in table(text, text)}
    assert marks["introduction"] == marks["help.text"] == ""


@pytest.mark.parametrize("name", first_of(["", *examples()], 3))
def test_the_note_counts_the_languages_missing_texts(name: str) -> None:
    text = {"": f"{BLANK}organisation: Us\nresults: https://us.org\nhelp: Call\n", **examples()}[
        name
    ]
    for new in [one for one in LANGUAGES if one not in read(text).survey.languages][:1]:
        text = made(text, do="language", value=new)
    said = " ".join(one["message"] for one in check(text, 10)["notes"])
    counted = re.search(r"(\d+) texts are missing", said)
    left = map(len, left_to_translate(table(text, text)).values())
    assert int(counted[1] if counted else 0) == max(left, default=0)


def test_a_translation_that_is_the_same_is_one() -> None:
    before = table(TEXT, TEXT)
    missing = next(row for row in before if row["cells"][1]["mark"] == "missing")
    place, main = missing["place"], missing["cells"][0]["text"]
    text = made(do="translate", place=place, language="de", value=main)
    cells = [row["cells"][1] for row in table(text, TEXT) if row["place"] == place]
    assert [(one["text"], one["mark"]) for one in cells] == [(main, "the same")]
    left, now = (left_to_translate(rows)["de"] for rows in (before, table(text, TEXT)))
    assert len(now) == len(left) - 1
    assert made(text, do="translate", place=place, language="de", value=main) == text


def test_a_right_translation_is_said_to_be(researcher: Browser) -> None:
    new = TEXT.replace("en: Sick", "en: Sik")
    edit = {"do": "right", "place": ["questions", 0, "text"], "value": "de"}
    path = begin(researcher)
    for sent, count in ((None, 1), (edit, 0), (None, 0)):
        page = answered(researcher, path, new, sent, base=TEXT)
        assert page.count('data-do="right"') == count
        assert new in page


def test_an_outdated_translation_stays_one_after_saving(researcher: Browser) -> None:
    path = begin(researcher)
    for text, count in ((TEXT, 0), (TEXT.replace("en: Sick", "en: Sik"), 1), (TEXT, 0)):
        assert researcher.post(path, **encoded(text=text)).status == 303
        assert researcher(path).text.count('data-do="right"') == count


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
        ("A cold,", "A cold,Erk\u00e4ltung", "1 text changed."),
        ("title,", "titel,", "Nothing was changed. Line 2: this survey has no text"),
    ):
        there = researcher.upload(f"{path}/texts.csv", sheet.replace(old, new).encode())
        assert there.headers["Location"] == f"{path}#languages"
        researcher.cookie = there.set_cookies[-1].split(";")[0]
        assert told in researcher(path).text
        assert only(store).text == TEXT.replace("[A cold,", "[{ en: A cold, de: Erk\u00e4ltung },")
    assert researcher.upload(f"{path}/texts.csv", b"\xff").status == 303
    assert only(store).text.count("Erk\u00e4ltung") == 1


def commented(text: str) -> str:
    """Give each key of a survey and of its questions a comment that says where it belongs."""
    made, at = [], ""
    for line in text.split("\n"):
        bare = line.split(" #")[0].rstrip()
        if line.startswith("  - "):
            at = bare.partition("id: ")[2].strip(" ,}").partition(",")[0]
            made.append(f"  # above {at}")
        key = re.fullmatch(r"(?:    |  - )(\w+): [\w./]+", bare)
        if re.match(r"\w+:", line):
            at = ""
            made.append(f"# {bare.partition(':')[0]}")
        made.append(f"{bare}  # {at}.{key[1]}" if key and at else line)
    return "\n".join(made)


@pytest.mark.parametrize("name", first_of(sorted(examples()), 3))
def test_what_the_form_shows_is_what_it_writes(name: str) -> None:
    """Each field, sent as it is drawn, changes nothing."""
    text = commented(examples()[name])
    checked = check(text, 1000) | {"base": text, "published": False}
    form = form_of(text, checked)
    fields = [*form["first"], *form["plan"], *form["whole"]]
    for card in form["cards"]:
        fields += [*card["fields"], *card["more"]]
    count = 0
    for one in fields:
        for edit in sent_of(one):
            count += 1
            assert edited(text, edit, checked) == text, edit
    assert count > len(form["cards"]) * 4
    assert read(text).survey == read(examples()[name]).survey


def sent_of(field: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the edits that a field sends if what it shows is pressed or typed once more."""
    place, kind, value = field["place"], field["kind"], field["value"]
    number = place[1] if place[0] == "questions" else -1
    whole = {"do": "set", "place": place, "value": value}
    if kind == "codes":
        return [{"do": "code", "place": place, "key": one, "value": one} for one in value]
    if kind in ("chances", "margins"):
        return [{**whole, "place": [*place, one], "value": it} for one, it in value.items()]
    if kind == "design":
        given = field["parameters"].items()
        return [{"do": "parameter", "number": number, "key": k, "value": v} for k, v in given]
    if kind == "needs":
        needs = {"do": "needs", "number": number}
        return [{**needs, "item": it, "to": it, "needed": said} for it, said in value if it]
    if kind == "lines":
        whole |= {"do": "lines", "value": [*value.items()]}
    if kind == "together":
        whole = {"do": "together", "value": [ids for ids in value if ids]}
    # A choice is sent when another one is made: what is usual may be written, and is drawn as none.
    return [] if kind == "unsaid" or (kind == "choice" and not value) else [whole]


@pytest.mark.parametrize("typed", ["[Nevr, Once, Once]", "{nevr: Nevr, x: Once, once_2: Once}"])
def test_a_code_follows_its_mended_text_until_written(typed: str) -> None:
    head = "survey: s\nversion: 1\ntitle: T\nepsilon: 1\nquestions:\n"
    text = f"{head}  - id: q\n    text: Q\n    type: single\n    answers: {typed}\n"
    second = "x" if "x:" in typed else "once"
    place = ["questions", 0, "answers"]
    lines = {"nevr": "Never", second: "Once", "once_2": "Once"}
    text = made(text, do="lines", place=place, value=[*lines.items()])
    lines = {"never": "Never", second: "Twice", "once_2": "Often"}
    text = made(text, do="lines", place=place, value=[*lines.items()])
    codes = [one.code for one in read(text).survey.questions[0].answers]
    assert codes == ["never", "x" if second == "x" else "twice", "often"]
