"""Texts that are safe to show, in each language, and numbers as people write them."""

import dataclasses
import json
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from unicodedata import category

import pytest

from deniable.exact import percent
from deniable.survey import Survey
from deniable.survey_file import SurveyFileError, json_schema, read
from deniable.text.languages import LANGUAGES, Texts, in_english
from deniable.text.safety import check_plain, printable
from deniable.text.translation import in_language
from tests.deniable.test_survey_file import mistakes

HARMLESS = ["", "ε ≥ 1/3 – “ja”", "\u200fنعم\u061c 50\u00a0%", "\u0645\u06cc\u200c\u062e"]
HARMLESS += ["👩\u200d👧", "e\u0301"]
HARMFUL = ["\x00", "\x1b[2J", "\t", "\r", "\x7f", "\x9b8m", *"\u2028\u2029\u202e\u2066\ud800"]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_people_write_is_plain(text: str) -> None:
    check_plain(text)
    assert printable(text) == text


@pytest.mark.parametrize("text", HARMFUL)
def test_active_characters_are_refused_and_marked(text: str) -> None:
    for lines in (False, True):
        with pytest.raises(ValueError, match=rf"character U\+{ord(text[0]):04X}$"):
            check_plain(f"a{text}b", lines=lines)
    assert printable(f"a{text}b") == f"a\N{REPLACEMENT CHARACTER}{text[1:]}b"


def test_controls_and_turns_of_unicode_are_refused() -> None:
    turning = {*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}
    for character in map(chr, range(sys.maxunicode + 1)):
        active = category(character) in {"Cc", "Cs", "Zl", "Zp"} or character in turning
        assert (printable(character, lines=False) != character) == active, ascii(character)


def test_lines_are_plain_where_there_may_be_some() -> None:
    check_plain("One\nTwo", lines=True)
    assert printable("One\nTwo") == "One\nTwo"
    with pytest.raises(ValueError, match=r"control character U\+000A"):
        check_plain("One\nTwo")


FILE = """\
version: 1
survey: s
title: {title}
introduction: {introduction}
languages: [en, de]
questions:
  - id: a
    text: {{en: A, de: {german}}}
    type: single
    answers: [No, {answer}]
    flip: 1/4
purpose: {purpose}
contact: {{text: {contact}, link: "tel:1"}}
"""


def written(**texts: str) -> str:
    plain = {"title": "T", "introduction": "I", "german": "B", "answer": "Yes"}
    return FILE.format(**{**plain, "purpose": "P", "contact": "C", **texts})


@pytest.mark.parametrize(
    ("key", "at"),
    [
        *(("title", (3, 8)), ("introduction", (4, 15)), ("german", (8, 23)), ("answer", (10, 19))),
        *(("purpose", (12, 10)), ("contact", (13, 17))),
    ],
)
@pytest.mark.parametrize(("text", "kind"), [("\\e[8m", "control"), ("\\u202e", "direction")])
def test_a_survey_file_says_where(key: str, at: tuple[int, int], text: str, kind: str) -> None:
    with pytest.raises(SurveyFileError) as refused:
        read(written(**{key: f'"x{text}"'}))
    (mistake,) = refused.value.mistakes
    assert (mistake.line, mistake.column) == at
    assert mistake.message.startswith(f"expected plain text, found the {kind} character")


def test_marks_upon_marks_paint_over_what_stands_above() -> None:
    read(written(answer='"Ye\u0301\u0323\u0301\u0323s"'))
    for marks in (5 * "\\u0333", 4 * "\\u0333" + "\\u200d\\u0333"):
        with pytest.raises(SurveyFileError, match="more than 4 combining marks"):
            read(written(answer=f'"Ye{marks}s"'))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("Yes", "Yes\\u200b"), ("Yes", "\\u2060Yes"), ("Caf\\u00e9", "Cafe\\u0301")),
        *(("A", "\\u0410"), ("Yes", "yes"), ("1", "\\uff11"), ("a b", "a\\u00a0b")),
    ],
)
@pytest.mark.parametrize("key", ["answers", "rows"])
def test_answers_that_look_alike_are_found(key: str, one: str, other: str) -> None:
    two = {"answers": "[No, Yes]", "rows": "[Day, Night]", key: f'["{one}", "{other}"]'}
    text = ALIKE.format(**two)
    with pytest.raises(SurveyFileError, match="people can tell apart") as refused:
        read(text)
    (mistake,) = refused.value.mistakes
    assert text.splitlines()[mistake.line - 1][mistake.column - 1 :].startswith(f'"{other}"')


def test_questions_differ_by_what_can_be_seen() -> None:
    again = "  - {id: r, text: ASKED, type: single, answers: [No, Yes]}\n"
    once = "version: 1\nsurvey: x\ntitle: T\nepsilon: 2\nquestions:\n" + again.replace("r", "q", 1)
    read(once + again)
    with pytest.raises(SurveyFileError, match=r"which is 'ASK\\u200bED'"):
        read(once + again.replace("ASKED", '"ASK\\u200bED"'))


ALIKE = """\
version: 1
survey: s
title: T
epsilon: 2
questions:
  - {{id: q, text: Asked, type: grid, rows: {rows}, answers: {answers}}}
"""


def test_a_code_s_characters_are_told_too() -> None:
    text = written().replace("[No, Yes]", '{no: No, "y\\e[8m": Yes}')
    with pytest.raises(SurveyFileError, match=r"survey:10:23: expected plain text, found the co"):
        read(text)


def test_several_lines_become_one_where_needed() -> None:
    survey = read(
        written(title='"One\\nTwo"', introduction='"One\\nTwo"', answer='"Yes\\nno"')
    ).survey
    assert survey.title == "One Two"
    assert survey.introduction == "One\nTwo"
    assert survey.questions[0].answers[1].text == "Yes no"


SPOILS: dict[str, Callable[[dict[str, Any], str], object]] = {
    "the title": lambda found, text: found.update(title=text),
    "the introduction": lambda found, text: found.update(introduction=text),
    "a question": lambda found, text: found["questions"][0].update(text=text),
    "a hint": lambda found, text: found["questions"][0].update(hint=text),
    "an answer": lambda found, text: found["questions"][0]["answers"][0].update(text=text),
    "a code": lambda found, text: [
        found[place][0][kind][0].update(code=text)
        for place, kind in (("items", "truths"), ("questions", "answers"))
    ],
    "a report": lambda found, text: found["items"][0]["reports"][0].update(text=text),
    "an id": lambda found, text: found["items"][0].update(id=text),
    "a translation": lambda found, text: found["translations"]["de"].update(title=text),
}


@pytest.mark.parametrize("place", SPOILS)
def test_a_document_that_holds_them_is_refused(place: str) -> None:
    document = json.loads(json.dumps(read(written()).survey.document))
    Survey.from_document(document)
    SPOILS[place](document, "x\x1b[8m")
    with pytest.raises(ValueError, match=r"expected (plain text|an id or a code)"):
        Survey.from_document(document)


@pytest.mark.parametrize(
    ("written", "part"),
    [
        ("20", "1/5"),
        ("20%", "1/5"),
        (" 2.5 % ", "1/40"),
        ("200/3%", "2/3"),
        ("100", "1"),
    ],
)
def test_it_is_read_exactly(written: str, part: str) -> None:
    assert percent(written) == Fraction(part)


THREE = """\
version: 1
survey: s
languages: [en, de, ar]
title: {en: Title, de: Titel, ar: عنوان}
introduction: {en: Hello, de: Hallo, ar: مرحبا}
questions:
  - id: q
    text: {en: Did you, de: Haben Sie, ar: هل فعلت}
    hint: {en: Ever, de: Jemals, ar: يومًا}
    type: single
    answers: [{en: No, de: Nein, ar: لا}, {en: Yes, de: Ja, ar: نعم}]
    prefer_not_to_say: true
    flip: 1/4
  - id: g
    text: {en: How often, de: Wie oft, ar: كم مرة}
    type: grid
    answers: {no: {en: Never, de: Nie, ar: أبدا}, yes: {en: Once, de: Einmal, ar: مرة}}
    rows: [{en: Here, de: Hier, ar: هنا}, {en: There, de: Dort, ar: هناك}]
    flip: 1/4
  - id: m
    text: {en: Which, de: Welche, ar: ما}
    type: many
    answers: [{en: Beer, de: Bier, ar: بيرة}, {en: Wine, de: Wein, ar: نبيذ}]
    design: {custom: {table: [[1/2, 1/4, 1/4], [1/4, 1/4, 1/2]]}}
  - id: n
    text: {en: How many, de: Wie viele, ar: كم}
    type: number
    min: 0
    max: 7
    epsilon: 1
purpose: {en: Why, de: Wozu, ar: لماذا}
help: {text: {en: Talk, de: Reden, ar: تحدث}, link: "tel:+1"}
"""


def german(sentence: str, /, **values: object) -> str:
    words = {"No": "Nein", "Yes": "Ja", "Skipped": "Keine Angabe"}
    return in_english(words.get(sentence, f"de {sentence}"), **values)


@pytest.fixture
def survey() -> Survey:
    return read(THREE).survey


def test_own_texts_are_the_first_language_s(survey: Survey) -> None:
    assert survey.languages == ("en", "de", "ar")
    assert (survey.title, survey.introduction) == ("Title", "Hello")
    assert survey.questions[0].text == "Did you"
    assert {one.code: one.text for one in survey.questions[0].answers} == {"no": "No", "yes": "Yes"}
    assert [one.code for one in survey.questions[1].rows] == ["here", "there"]
    other = read(THREE.replace("[en, de, ar]", "[de, en, ar]")).survey
    assert other.title == "Titel"
    assert [one.code for one in other.questions[0].answers] == ["nein", "ja"]


def test_it_reads_in_each_language(survey: Survey) -> None:
    view = in_language(survey, "de", german)
    assert (view.title, view.introduction) == ("Titel", "Hallo")
    assert (view.about.purpose, view.about.help) == ("Wozu", "Reden")
    assert view.about.help_link == "tel:+1"
    single, grid = view.questions[:2]
    assert (single.text, single.hint) == ("Haben Sie", "Jemals")
    assert [row.text for row in grid.rows] == ["Hier", "Dort"]
    truths = {item.id: [truth.text for truth in item.truths] for item in view.items}
    assert truths["q"] == ["Nein", "Ja", "Keine Angabe"]
    assert truths["g.here"] == ["Nie", "Einmal"]
    assert truths["m.beer"] == ["Nein", "Ja"]
    assert truths["n"] == [str(value) for value in range(8)]
    assert [item.text for item in view.items] == [
        *["Haben Sie", "Hier", "Dort", "Bier", "Wein", "Wie viele"]
    ]
    assert view.items[0].reports == view.items[0].truths
    assert [one.text for one in view.items[3].reports] == [f"de Report {n}" for n in (1, 2, 3)]
    assert in_language(survey, "ar", german).title == "عنوان"


def test_numbers_keep_their_direction(survey: Survey) -> None:
    """What nobody else may write, the pages' own words need."""

    def arabic(sentence: str, /, **values: object) -> str:
        return in_english(sentence, **{key: f"\u2068{one}\u2069" for key, one in values.items()})

    sent = in_language(survey, "ar", arabic).items[3].reports
    assert [report.text for report in sent] == [f"Report \u2068{one}\u2069" for one in (1, 2, 3)]


def test_only_what_is_read_differs(survey: Survey) -> None:
    view = in_language(survey, "de", german)
    assert view.revision == survey.revision
    for ours, theirs in zip(view.items, survey.items, strict=True):
        assert (ours.id, ours.channel) == (theirs.id, theirs.channel)
        for one, other in ((ours.truths, theirs.truths), (ours.reports, theirs.reports)):
            assert [answer.code for answer in one] == [answer.code for answer in other]


def test_unwritten_words_use_the_only_language() -> None:
    only = read(file_in("de")).survey
    assert only.items[0].truths[2].text == "Skipped"
    view = in_language(only, "de", german)
    assert view.items[0].truths[2].text == "Keine Angabe"


def file_in(language: str) -> str:
    return (
        f"version: 1\nsurvey: s\ntitle: T\nlanguages: [{language}]\nquestions:\n"
        "  - {id: q, text: T, type: single, answers: [a, b], prefer_not_to_say: true, flip: .1}\n"
    )


def test_a_survey_in_english_alone_keeps_its_revision() -> None:
    plain = read(file_in("en")).survey
    assert plain.revision == read(file_in("en").replace("languages: [en]\n", "")).survey.revision
    assert not {"languages", "translations"} & plain.document.keys()
    assert read(file_in("de")).survey.document["languages"] == ["de"]
    assert read(file_in("de")).survey.check_numbers != plain.check_numbers


def test_the_document_has_the_other_languages_by_code(survey: Survey) -> None:
    document = json.loads(json.dumps(survey.document))
    assert Survey.from_document(document) == survey
    assert document["languages"] == ["en", "de", "ar"]
    assert list(document["translations"]) == ["de", "ar"]
    assert document["translations"]["de"]["questions"]["q"] == {
        "text": "Haben Sie",
        "hint": "Jemals",
        "answers": {"no": "Nein", "yes": "Ja"},
        "rows": {},
    }
    assert document["translations"]["de"]["questions"]["n"]["answers"] == {}
    assert read(THREE.replace("Titel", "Titelei")).survey.check_numbers != survey.check_numbers


def test_a_document_that_lacks_a_text_is_refused(survey: Survey) -> None:
    document = json.loads(json.dumps(survey.document))
    del document["translations"]["de"]["questions"]["q"]["answers"]["no"]
    with pytest.raises(ValueError, match="expected in 'de' a text for each that there is to read"):
        Survey.from_document(document)
    with pytest.raises(ValueError, match="in every language but the first"):
        dataclasses.replace(survey, translations=())
    with pytest.raises(ValueError, match="expected languages of en, de, fr, es, ar, each once"):
        dataclasses.replace(survey, languages=("en", "it", "ar"))
    with pytest.raises(ValueError, match="each once"):
        dataclasses.replace(survey, languages=("en", "de", "de"))
    texts = Texts("Titel", "Hallo", {})
    with pytest.raises(ValueError, match="expected in 'ar' a text"):
        dataclasses.replace(survey, translations=(survey.translations[0], texts))


@pytest.mark.parametrize(
    ("written", "instead", "line", "column", "message"),
    [
        (", de: Titel", "", 4, 8, "a text in each of en, de, ar, found none in de"),
        (", de: Titel, ar: عنوان", "", 4, 8, "found none in de, ar"),
        ("de: Hier", "it: Qui", 18, 27, "in en, de, ar, found one in 'it'"),
        ("de: Nie", "de: ''", 17, 35, "expected a text, found nothing"),
        ("de: Nein", "de: [Nein]", 11, 28, "expected a text, found a list"),
        ("de: Ja", "de: Nein", 11, 57, "can tell apart, found 'Nein' and 'Nein'"),
        ("[en, de, ar]", "[en, de, it]", 3, 21, "of en, de, fr, es, ar, found 'it'"),
        ("[en, de, ar]", "[en, de, ar, de]", 3, 25, "each language once, found 'de' again"),
        ("[en, de, ar]", "en", 3, 12, "of en, de, fr, es, ar in a list, found 'en'"),
        ("languages: [en, de, ar]\n", "", 3, 8, "need the key 'languages' of the survey"),
        (
            "[{en: No, de: Nein, ar: لا}, {en: Yes, de: Ja, ar: نعم}]",
            "{en: No, de: Nein}",
            11,
            14,
            "texts under en and de, which would be the codes of 2 answers",
        ),
        ("purpose: {en: Why,", "purpose: {en: true,", 31, 15, "people read, found true"),
        ("purpose:", "consent: true\npurpose:", 31, 10, "leave it out"),
        ("max: 7", "max: 7.000", 29, 10, "expected 7000 or 7, found 7.000"),
    ],
)
def test_mistakes_are_located(
    written: str, instead: str, line: int, column: int, message: str
) -> None:
    text = THREE.replace(written, instead, 1)
    assert text != THREE
    assert any(found[:2] == (line, column) and message in found[2] for found in mistakes(text))


def test_one_mistake_makes_one_complaint() -> None:
    for written, instead in (("en: Title, ", ""), ("de: Titel, ", ""), ("en, de", "en, it")):
        assert len(mistakes(THREE.replace(written, instead, 1))) == 1


def test_equal_texts_everywhere_are_one_note() -> None:
    once = THREE.replace("{en: Beer, de: Bier, ar: بيرة}", "EPO")
    file = read(once)
    (note,) = file.notes
    assert (note.line, note.column) == (23, 15)
    assert note.message == "this text is missing in de and ar: people read it in en"
    assert in_language(file.survey, "de", german).questions[2].answers[0].text == "EPO"
    missing = "texts are missing in de and ar; people read them in en:"
    (note,) = read(once.replace("{en: Why, de: Wozu, ar: لماذا}", "EPO")).notes
    assert note.message == f"2 {missing} lines 23, 31"
    (note,) = read(THREE.replace("[{en: Beer,", f"[{', '.join('ABCDEFGHIJKL')}, {{en: Beer,")).notes
    assert note.message == f"12 {missing} line 23"
    assert read(THREE).notes == ()
    assert read(THREE.replace("{en: Beer, de: Bier, ar: بيرة}", "12 +")).notes == ()
    assert read(file_in("de")).notes == ()


def test_languages_may_be_answers_with_texts() -> None:
    spoken = (
        "{en: {en: English, de: Englisch, ar: إنجليزي}, de: {en: German, de: Deutsch, ar: ألماني}}"
    )
    survey = read(THREE.replace("[{en: No, de: Nein, ar: لا}, {en: Yes, de: Ja, ar: نعم}]", spoken))
    assert [answer.code for answer in survey.survey.questions[0].answers] == ["en", "de"]
    alone = "version: 1\nsurvey: s\ntitle: T\nquestions: [{id: q, text: Q, type: single, "
    assert read(f"{alone}flip: 1/4, answers: {{en: English, de: German}}}}]").notes == ()


@pytest.mark.parametrize("number", ["0.250", "1.5", "2.125", "10", "1/4", "12.50"])
def test_a_number_with_one_reading_is_read(number: str) -> None:
    read(THREE.replace("epsilon: 1", f"epsilon: {number}"))


def test_the_schema_knows_texts_in_several_languages() -> None:
    schema = json_schema()
    languages = schema["properties"]["languages"]["anyOf"][0]
    assert languages["items"]["enum"] == list(LANGUAGES)
    title = schema["properties"]["title"]
    assert title["anyOf"][1]["propertyNames"]["enum"] == list(LANGUAGES)
    answers = schema["properties"]["questions"]["items"]["properties"]["answers"]["anyOf"][0]
    assert answers["oneOf"][0]["items"]["anyOf"] == title["anyOf"][:2]
    # A packet is in one language, so a translation there is a mistake.
    assert "object" not in str(schema["properties"]["packet"]["properties"])
    with pytest.raises(SurveyFileError, match="expected a text, found keys"):
        read(f"{THREE}packet: {{consent: {{en: By mail}}}}\n")
