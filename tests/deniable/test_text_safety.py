"""Texts that are safe to show, and numbers as people write them."""

import json
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from unicodedata import category

import pytest

from deniable.exact import percent
from deniable.survey import Survey
from deniable.survey_file import SurveyFileError, read
from deniable.text.safety import check_plain, printable

HARMLESS = [
    "",
    "ε ≥ 1/3 – “ja”",
    "\u200fنعم\u061c 50\u00a0%",
    "\u0645\u06cc\u200c\u062e",
    "👩\u200d👧",
    "e\u0301",
]
HARMFUL = [
    "\x00",
    "\x1b[2J",
    "\t",
    "\r",
    "\x7f",
    "\x9b8m",
    "\u2028",
    "\u2029",
    "\u202e",
    "\u2066",
    "\ud800",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_people_write_is_plain(text: str) -> None:
    check_plain(text)
    assert printable(text) == text


@pytest.mark.parametrize("text", HARMFUL)
def test_what_does_something_is_refused_and_shown_as_a_mark(text: str) -> None:
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
"""


def written(**texts: str) -> str:
    plain = {"title": "T", "introduction": "I", "german": "B", "answer": "Yes"}
    return FILE.format(**{**plain, **texts})


@pytest.mark.parametrize(
    ("key", "at"),
    [("title", (3, 8)), ("introduction", (4, 15)), ("german", (8, 23)), ("answer", (10, 19))],
)
@pytest.mark.parametrize(("text", "kind"), [("\\e[8m", "control"), ("\\u202e", "direction")])
def test_a_survey_file_says_where(key: str, at: tuple[int, int], text: str, kind: str) -> None:
    with pytest.raises(SurveyFileError) as refused:
        read(written(**{key: f'"x{text}"'}))
    (mistake,) = refused.value.mistakes
    assert (mistake.line, mistake.column) == at
    assert mistake.message.startswith(f"expected plain text, found the {kind} character")


def test_a_code_of_a_survey_file_is_told_as_well() -> None:
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
    with pytest.raises(ValueError, match="expected plain text"):
        Survey.from_document(document)


@pytest.mark.parametrize(
    ("written", "part"),
    [
        ("20", "1/5"),
        ("20%", "1/5"),
        (" 2.5 % ", "1/40"),
        ("0", "0"),
        ("0%", "0"),
        ("1%", "1/100"),
        ("0.5%", "1/200"),
        ("1.5", "3/200"),
        ("200/3%", "2/3"),
        ("100", "1"),
    ],
)
def test_it_is_read_exactly(written: str, part: str) -> None:
    assert percent(written) == Fraction(part)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("0.2", "20%"), ("1", "100%"), (".05", "5%"), ("2/3", "66.67%"), ("0.001", "0.1%")],
)
def test_what_may_be_a_part_of_1_is_asked_back(written: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"found '{written}': did you mean {meant}\\?"):
        percent(written)


@pytest.mark.parametrize("written", ["", "%", "x", "nan", "20%%", "1e99999"])
def test_what_is_no_number_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="expected percent such as 20 or 20%, found"):
        percent(written)


@pytest.mark.parametrize("written", ["-1", "101", "150%", "-0.5"])
def test_what_is_beyond_the_whole_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=f"from 0 to 100, found '{written}'"):
        percent(written)
