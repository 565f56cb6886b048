"""The board's packet: laws in words, blanks, languages, and the same as Markdown."""

import re

import pytest

from deniable.analysis.planning.budgets import precision
from deniable.publication.board.blanks import BLANKS, filled
from deniable.publication.board.laws import law
from deniable.publication.board.markdown import markdown, plain
from deniable.publication.ethics import Submission
from deniable.server.web.words import words
from deniable.survey_file import SurveyFileError, read
from deniable.survey_file.patch import Editable
from deniable.survey_file.schema import PacketFields
from deniable.text.sureness import told
from deniable.text.translation import in_language

TEXT = """\
version: 1
survey: study
languages: [en, ar]
title: {en: Study, ar: دراسة}
plan: {people: 800, within: 5}
questions:
  - {id: doped, text: {en: Doped, ar: منشطات}, type: single, flip: 1/4,
     answers: {no: {en: No, ar: لا}, yes: {en: Yes, ar: نعم}}}
  - {id: mood, text: {en: Mood, ar: مزاج}, type: single, flip: 2/5, prefer_not_to_say: true,
     answers: {a: {en: Bad, ar: سيئ}, b: {en: Good, ar: جيد}}}
  - {id: pay, text: {en: Pay, ar: أجر}, type: number, min: 0, max: 4, epsilon: 1, family: two_point}
  - {id: role, text: {en: Role, ar: دور}, type: single, protection: direct,
     answers: {x: {en: One, ar: واحد}, y: {en: Two, ar: اثنان}}}
  - {id: once, text: {en: Once, ar: مرة}, type: single, style: statement, flip: 1/4,
     answers: {no: {en: No, ar: لا}, yes: {en: Yes, ar: نعم}},
     statements: {no: {en: I have not, ar: لم أفعل}, yes: {en: I have, ar: فعلت}}}
"""

ARABIC = re.compile("[\u0600-\u06ff]")


def test_each_law_is_told_with_its_numbers() -> None:
    survey = read(TEXT).survey
    said = {question.id: " ".join(law(survey, question)) for question in survey.questions}
    assert "“No” is true, about so many send “No”: 75; “Yes”: 25." in said["doped"]
    assert "“Yes” is true, about so many send “Yes”: 75; “No”: 25." in said["doped"]
    assert "send “Good”: 60; each of the 2 other answers: 20." in said["mood"]
    # e / (1 + e) of those at an end send its code.
    assert "“0” is true, about so many send code 1: 73.1; code 2: 26.9." in said["pay"]
    assert "“4” is true, about so many send code 2: 73.1" in said["pay"]
    assert said["role"] == "Nothing is drawn: the device sends the answer that is given."
    assert "one of the two statements" in said["once"]
    assert "Yes: “I have” is true, about so many send “Yes”: 75" in said["once"]


def test_what_is_drawn_together_or_in_waves_says_so() -> None:
    head, _, rest = TEXT.partition("questions:\n")
    pair = rest.replace("flip: 1/4,\n", "\n").replace(" flip: 2/5,", "").split("  - {id: pay")[0]
    text = f"{head}epsilon: 2\ntogether: [doped, mood]\nquestions:\n{pair}"
    survey = read(text).survey
    told = " ".join(law(survey, survey.questions[1]))
    # Six cells at ε = 2: e² / (e² + 5) = 59.6 of 100, and 8.1 each of the others.
    assert "about 59.6 send these, and 8.1 each of the 5 other combinations" in told
    survey = read(text.replace("epsilon: 2", "epsilon: 2\nwaves: {count: 2, redraw: 1/5}")).survey
    assert "It draws once which answer it keeps" in " ".join(law(survey, survey.questions[0]))


def test_texts_are_in_the_chosen_language_and_side_by_side() -> None:
    survey = read(TEXT).survey
    page = Submission(survey, text=TEXT, language="ar", words=words).page("ethics")
    arabic = in_language(survey, "ar", words("ar").say)
    for line in told(arabic, words("ar").say):
        assert line.text in page
    assert not any(line.text in page for line in told(survey))
    assert '<html lang="ar" dir="rtl">' in page
    assert "<h3>1. منشطات</h3>" in page
    cells = r'<td lang="en" dir="ltr">Doped</td><td lang="ar" dir="rtl">منشطات</td>'
    assert re.search(f'<th scope="row">doped</th>{cells}', page)
    # No sentence of its own is left in English.
    (own,) = re.findall("<main>(.*)<h2>9", page, re.S)
    english = {one for one in re.findall(">([^<>]*[a-z]{3}[^<>]*)<", own) if not ARABIC.search(one)}
    assert english == {"deniable verify, deniable audit"}


def test_a_preregistration_is_in_the_languages_of_its_survey() -> None:
    text = TEXT.replace("within: 5", "one: 75, groups: [10, 25]")
    page = Submission(read(text).survey, 800, text=text, language="ar", words=words).page(
        "preregistration"
    )
    assert '<html lang="ar" dir="rtl">' in page
    (own,) = re.findall("<main>(.*)</main>", page, re.S)
    english = {one for one in re.findall(">([^<>]*[a-z]{3}[^<>]*)<", own) if not ARABIC.search(one)}
    ids = {question.id for question in read(text).survey.questions}
    assert english == {*ids, read(text).survey.number}
    packet = Submission(read(text).survey, text=text).page("ethics")
    assert "nobody surer than 75 in 100 of one answer" in packet
    assert "two groups told apart in which 10 % and 25 % say yes" in packet


@pytest.mark.parametrize("document", ["ethics", "preregistration"])
def test_numbers_are_in_the_language_s_form(document: str) -> None:
    text = TEXT.replace(" ar", " de").replace("within: 5", "within: 2.5, one: 75.5")
    survey = read(text).survey
    page = Submission(survey, 800, text, "de", words).page(document)
    body = page.partition("<main>")[2].partition('<p class="small"')[0]
    body = re.sub(r"Survey revision.*|Fassung der Umfrage.*", "", body)
    assert re.findall(r"\d\.\d{1,2}\b", re.sub(r"<li>[A-Z][a-z]+, .*", "", body)) == []
    at_worst = {float(one.replace(",", ".")) for one in re.findall(r"±([\d,]+) Prozentp", body)}
    (reached,) = re.findall(r"±2,5 Prozentpunkten \(diese Umfrage: ±([\d,]+) Prozentpunkte", body)
    shares = precision(survey, 800)
    widest = 100 * max(one.widest / (one.span or 1) for one in shares)
    assert float(reached.replace(",", ".")) == round(widest, 1)
    assert {round(100 * shares[0].widest, 1), round(widest, 1)} < at_worst
    assert "niemand kann sich einer Antwort sicherer sein als 75,5 von 100 (diese Um" in body
    assert ("Personen für 2,5 Prozentpunkte" in body) == (document == "ethics")
    english = Submission(survey, 800, text).page(document)
    assert "intervals of ±2.5 points at most (this survey: ±" in english


def test_blanks_are_filled_from_the_file_and_nothing_else_is() -> None:
    assert [blank.key for blank in BLANKS] == list(PacketFields.model_fields)
    survey, typed = read(TEXT).survey, {"server": 'Basel: "3"\n# & <b>', "hypotheses": "H1 | x"}
    text = Editable(TEXT).put(("packet",), typed).text
    assert read(text).survey.revision == survey.revision
    assert {key: one for key, one in filled(text).items() if one} == typed
    page, plan = (
        Submission(survey, text=text).page("ethics"),
        Submission(survey, 800, text=text).page("preregistration"),
    )
    assert "# &amp; &lt;b&gt;" in page
    assert "H1 | x" in plan
    assert "<dd>800 respondents planned</dd>" in plan
    assert "intervals of ±5 points at most" in plan
    assert "H1 \\| x" in markdown(plan)
    assert "\\# & \\<b\\>" in markdown(page)
    with pytest.raises(SurveyFileError, match="serve"):
        read(Editable(TEXT).put(("packet",), {"server": "x"}).text.replace("server:", "serve:"))


def test_markdown_says_all_that_the_page_says() -> None:
    page = Submission(read(TEXT).survey, text=TEXT, words=words).page("ethics")
    body = re.sub(r"<(style|head).*?</\1>", "", page, flags=re.S)
    written = re.sub(r"[\\*`>|#_-]|\s", "", markdown(page))
    for part in re.findall(r">([^<>]+)<", body):
        plain = part.replace("&amp;", "&").replace("&#39;", "'").replace("&#34;", '"')
        assert re.sub(r"[\\*`>|#_-]|\s", "", plain) in written
    assert "| Text | English | العربية |\n|---|---|---|\n" in markdown(page)


def test_what_somebody_typed_is_no_markup_in_the_zip() -> None:
    typed = "![p](http://evil) <script>|`x`\n# y"
    assert plain(typed) == r"!\[p\](http://evil) \<script\>\|\`x\` \# y"
