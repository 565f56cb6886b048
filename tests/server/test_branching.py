"""What people read of questions that are asked after some answers only: sheet, label and desk."""

import json

import pytest

from deniable.analysis.counts.reports_csv import columns, read_reports
from deniable.paper import places_on_sheet
from deniable.server.respondent.label import privacy_label
from deniable.server.respondent.sheet import sheet_page
from deniable.server.web.words import words
from deniable.survey import Survey
from deniable.survey_file import read
from deniable.text.translation import in_language
from deniable.text.wording import asked_if_codes, needs
from tests import vectors
from tests.server.respondent.test_sheet import question

PAPER = """\
version: 1
survey: paper
title: T
questions:
  - {id: age, text: "Age?", type: number, min: 10, max: 90, protection: direct}
  - {id: drives, text: "Drives?", type: single, answers: [No, Yes], protection: direct,
     ask_if: {age: {min: 18}}}
  - {id: cars, text: "Cars?", type: number, min: 1, max: 3, protection: direct,
     ask_if: {drives: yes}}
  - {id: owns, text: "Owns?", type: many, answers: [Car, Van], protection: direct,
     ask_if: {drives: yes}}
  - {id: offered, text: "Offered?", type: many, answers: [EPO, Steroids], flip: 1/4}
  - {id: taken, text: "Taken?", type: single, answers: [Does not apply, No, Yes], flip: 1/2,
     ask_if: {offered.epo: yes}}
  - {id: sold, text: "Sold?", type: single, answers: [Does not apply, Yes], flip: 1/4,
     ask_if: {offered.epo: yes, age: [30, 31]}}
"""


@pytest.fixture
def survey() -> Survey:
    return read(PAPER).survey


def test_to_whom_it_applies_is_said(survey: Survey) -> None:
    drives, cars, _, _, _, sold = survey.questions[1:]
    assert needs(survey, drives) == ("“Age?”: 18–90",)
    assert needs(survey, cars) == ("“Drives?”: Yes",)
    assert needs(survey, sold) == ("“Offered? – EPO”: Yes", "“Age?”: 30 / 31")
    assert needs(survey, survey.questions[0]) == ()
    assert needs(survey, cars, words("de").say) == ("„Drives?“: Yes",)
    assert asked_if_codes(survey, drives) == "if age is 18 to 90"
    assert asked_if_codes(survey, sold) == "if offered.epo is yes and age is 30 or 31"


def test_a_sheet_says_what_does_not_apply(survey: Survey) -> None:
    page = sheet_page(survey)
    assert (
        "Answer this only if these were your true answers to earlier questions: “Age?”: 18–90 "
        "Otherwise tick “Does not apply”."
    ) in question(page, "Drives?")
    assert "Otherwise write “Does not apply”." in question(page, "Cars?")
    assert "Otherwise tick “Does not apply” in each line." in question(page, "Owns?")
    assert "Answer this only" not in question(page, "Age?")
    # What a coin can make is randomised by those who skip it too.
    sold = question(page, "Sold?")
    assert "Toss a coin twice" in sold
    # Three answers take more than a coin.
    assert "Put the paper clip" in question(page, "Taken?")


def test_a_sheet_of_nobody_concerned_is_read(survey: Survey) -> None:
    on_sheet = sorted(places_on_sheet(survey))
    head = ",".join(columns(survey)[place] for place in on_sheet)
    ticks = "12,Does not apply,Does not apply,Does not apply,Does not apply,No,Yes,No,Yes"
    (sheet,) = read_reports(f"{head}\n{ticks}\n".splitlines(keepends=True), survey)
    assert survey.items[1].truths[sheet[1]].code == "does_not_apply"
    assert [survey.items[at].reports[sheet[at]].code for at in (-2, -1)] == ["no", "yes"]
    with pytest.raises(ValueError, match="line 2"):
        list(read_reports(f"{head}\n{ticks.replace('12,Does', '12,Dose')}\n".splitlines(), survey))


def test_the_label_says_what_reports_hide(survey: Survey) -> None:
    asked = privacy_label(survey).asked
    assert asked.startswith("A question that follows from a protected answer is shown to everybody")
    asked = privacy_label(read(PAPER.replace("title: T", "title: T\nbranch: hidden")).survey).asked
    assert "shown to everybody" not in asked
    assert "guesses it right up to 67 times in 100" in asked
    assert privacy_label(read(vectors.survey_file()).survey).asked == (
        "Everyone is asked every question."
    )
    drawn = PAPER.replace("title: T", "title: T\nepsilon: 9\nask: 1") + "".join(
        f"  - {{id: {id}, text: T, type: single, answers: [No, Yes]}}\n" for id in ("x", "y")
    )
    asked = privacy_label(read(drawn).survey).asked
    assert "You are asked 1 of 2 of the randomised questions." in asked
    assert "ask_if" not in json.dumps(privacy_label(survey).document())


def test_not_applying_is_said_in_each_language(survey: Survey) -> None:
    told = in_language(survey, "en", loudly)
    assert told.items[1].truths[-1].text == "DOES NOT APPLY"
    # Unless the researcher has called it something.
    assert told.items[-1].truths[0].text == "Does not apply"


def loudly(sentence: str, /, **_values: object) -> str:
    """Say a sentence as if in another language."""
    return sentence.upper()
