"""The ethics packet and the preregistration say what the survey file says."""

import html
import re
from functools import partial
from pathlib import Path

import pytest

from deniable.analysis.planning.budgets import precision
from deniable.publication import ethics
from deniable.publication.board.blanks import BLANKS, filled
from deniable.publication.board.markdown import markdown, plain
from deniable.publication.board.randomisation import randomisation
from deniable.server.web.words import words
from deniable.survey_file import SurveyFileError, read
from deniable.survey_file.patch import Editable
from deniable.survey_file.schema import PacketFields
from deniable.text.sureness import told
from deniable.text.translation import in_language
from tests.kit import first_of
from tests.kit.surveys import file_of

Submission = partial(ethics.Submission, words=words)

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


def text_of(page: str) -> str:
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.mark.parametrize("path", first_of(EXAMPLES, 3), ids=[path.stem for path in EXAMPLES])
def test_all_that_is_promised_is_in_it(path: Path) -> None:
    survey = read(path.read_text(encoding="utf-8")).survey
    said = text_of(Submission(survey, 2000).page("ethics"))
    assert survey.shown_number in said
    assert "2,000 respondents" in said
    for question in survey.questions:
        assert " ".join(question.text.split()) in said
        assert all(" ".join(item.text.split()) in said for item in survey.items_of(question))
    planned = text_of(Submission(survey, 2000).page("preregistration"))
    for page in (said, planned):
        assert all(" ".join(line.text.split()) in page for line in told(survey))
    for key, text in survey.about.texts:
        shown = survey.about.written(key) if key in {"contact", "help"} else text
        assert " ".join(shown.split()) in said
    page = Submission(survey).page("ethics")
    # Each name stands beside what it names: the lists are grids of two columns.
    for names in re.findall(r"<dl.*?</dl>", page, re.DOTALL):
        assert names.count("<dt") == names.count("<dd")
    # It loads nothing, and runs nothing.
    assert not re.search(r"<script|src=|<link|url\(", page)


WRITTEN = """
version: 1
survey: study
title: "A <study> & more"
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4}
  - {id: role, text: Role, type: single, answers: [Player, Coach], protection: direct}
  - {id: hours, text: Hours, type: number, min: 0, max: 40, step: 1, epsilon: 0.2}
"""


def test_two_coins_and_a_thousand_people_by_hand() -> None:
    page = Submission(read(WRITTEN).survey, 1000).page("ethics")
    said = text_of(page)
    assert "A <study> & more" in said
    assert "<study>" not in page
    # (1.96 √(1/4 / 1000) + 1/2000) / (1 − 2/4) = 6.3 points, and 1,577 people for 5; of a direct
    # answer half.
    assert "±6.3 points; 1,577 people for 5 points" in said
    assert "±3.1 points; 404 people for 5 points" in said
    assert "75 % sure at most (ε = 1.0987)" in said
    assert "Who can read it anyone who sees what is stored" in said
    assert "too wide to be of use" in said
    assert "Sent as they are given, and not protected: “Role”." in said


def test_each_epsilon_stands_as_its_author_wrote_it() -> None:
    text = (
        f"{WRITTEN}  - {{id: most, text: Most, type: many, answers: [A, B, C], epsilon: 1/3}}\n"
        "  - {id: last, text: Last, type: single, answers: [No, Yes]}\n"
    ).replace("title:", "epsilon: 2.19722\ntitle:")
    survey = read(text).survey
    written = text_of(Submission(survey, text=text).page("ethics"))
    assert "reveal at most ε = 2.19722;" in written
    assert "75 % sure at most (flip 1/4, ε = 1.0987)" in written
    # What is left of the survey's ε is computed: 2.19722 − 1.098613 − 0.2 − 0.333333.
    found = re.findall(r"sure at most \(([^)]*ε[^)]*)\)", written)
    assert found == ["flip 1/4, ε = 1.0987", "ε = 0.2", "ε = 1/3", "ε = 0.5653"]
    # Without the file, to four decimals, rounded up.
    bare = text_of(Submission(survey).page("ethics"))
    assert "reveal at most ε = 2.1973;" in bare
    assert "(ε = 0.3334)" in bare
    # A file that says another ε than the survey has is not believed.
    other = text.replace("1/3", "1/4").replace("2.19722", "2")
    assert text_of(Submission(survey, text=other).page("ethics")).count("ε = 0.3334") == 1
    assert "ε = 2.1973;" in text_of(Submission(survey, text=other).page("ethics"))


def test_the_day_of_deletion_is_said() -> None:
    bare = Submission(read(WRITTEN).survey).page("ethics")
    told = Submission(
        read(f"{WRITTEN}results: On our board\ndelete_reports: 2028-01-31\n").survey
    ).page("ethics")
    assert "deletes no report by itself" in bare
    assert bare.count('class="blank"') - told.count('class="blank"') == 1
    for fact in ("Reports are kept until 2028-01-31", "Where results will stand On our board"):
        assert fact in text_of(told)
    assert "It cannot reach copies elsewhere: exports, downloads, and backups" in text_of(told)


def test_what_no_file_knows_is_left_blank() -> None:
    bare = Submission(read(WRITTEN).survey).page("ethics")
    full = Submission(
        read(
            WRITTEN.replace(
                "questions:",
                "organisation: A university\ncontact: An office\nminutes: 2\npurpose: To know\n"
                "help: A friend\nconsent: I agree to this\nquestions:",
            )
        ).survey
    ).page("ethics")
    # Who is asked, the server, its readers, retention and backups are blank in both, and 11 more
    # of data protection and of the plan for the data.
    assert (bare.count('class="blank"'), full.count('class="blank"')) == (22, 16)
    assert "They have to agree to this" in full


def test_a_survey_of_direct_questions_promises_nothing() -> None:
    head, _, rest = WRITTEN.partition("questions:\n")
    direct = rest.splitlines()[1]
    said = text_of(Submission(read(f"{head}questions:\n{direct}\n").survey).page("ethics"))
    assert "Nothing in this survey is randomised." in said
    assert "Kasiviswanathan" in said


def test_drawn_shares_are_written_as_spoken() -> None:
    text = file_of(
        "id: doped, text: Gedopt, type: single, answers: [Nein, Ja]",
        "id: coach, text: Gewusst, type: single, answers: [Nein, Ja]",
        head="languages: [de]\nepsilon: 2\nask: 1\nchances: {doped: 2}",
    )
    said = text_of(Submission(read(text).survey, 500, text, "de").page("ethics"))
    assert "doped 66,7 %, coach 33,3 %" in said


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


def test_each_randomisation_is_told_with_its_numbers() -> None:
    survey = read(TEXT).survey
    said = {one.id: " ".join(randomisation(survey, one)) for one in survey.questions}
    assert "“No” is true, about so many send “No”: 75; “Yes”: 25." in said["doped"]
    assert "“Yes” is true, about so many send “Yes”: 75; “No”: 25." in said["doped"]
    assert "send “Good”: 60; each of the 2 other answers: 20." in said["mood"]
    # e / (1 + e) of those at an end send its code.
    assert "“0” is true, about so many send code 1: 73.1; code 2: 26.9." in said["pay"]
    assert "“4” is true, about so many send code 2: 73.1" in said["pay"]
    assert said["role"] == "Nothing is drawn: the device sends the answer that is given."
    assert "one of the two statements" in said["once"]
    assert "Yes: “I have” is true, about so many send “Yes”: 75" in said["once"]


def test_joint_draws_and_waves_say_so() -> None:
    head, _, rest = TEXT.partition("questions:\n")
    pair = rest.replace("flip: 1/4,\n", "\n").replace(" flip: 2/5,", "").split("  - {id: pay")[0]
    text = f"{head}epsilon: 2\ntogether: [doped, mood]\nquestions:\n{pair}"
    survey = read(text).survey
    told = " ".join(randomisation(survey, survey.questions[1]))
    # Six cells at ε = 2: e² / (e² + 5) = 59.6 of 100, and 8.1 each of the others.
    assert "about 59.6 send these, and 8.1 each of the 5 other combinations" in told
    survey = read(text.replace("epsilon: 2", "epsilon: 2\nwaves: {count: 2, redraw: 1/5}")).survey
    told = " ".join(randomisation(survey, survey.questions[0]))
    assert "It draws once which answer it keeps" in told


@pytest.mark.parametrize(
    ("document", "own", "english"),
    [
        ("ethics", "<main>(.*)<h2>9", {"deniable verify, deniable audit"}),
        ("preregistration", "<main>(.*)</main>", {"doped", "mood", "pay", "role", "once"}),
    ],
)
def test_no_sentence_is_left_in_english(document: str, own: str, english: set[str]) -> None:
    text = TEXT.replace("within: 5", "one: 75, groups: [10, 25]")
    survey = read(text).survey
    page = Submission(survey, 800, text=text, language="ar").page(document)
    assert '<html lang="ar" dir="rtl">' in page
    (found,) = re.findall(own, page, re.S)
    said = {one for one in re.findall(">([^<>]*[a-z]{3}[^<>]*)<", found) if not ARABIC.search(one)}
    assert said - {survey.revision} == english


def test_texts_stand_in_languages_side_by_side() -> None:
    survey = read(TEXT).survey
    page = Submission(survey, text=TEXT, language="ar").page("ethics")
    arabic = in_language(survey, "ar", words("ar").say)
    assert all(line.text in page for line in told(arabic, words("ar").say))
    assert not any(line.text in page for line in told(survey))
    assert "<h3>1. منشطات</h3>" in page
    cells = r'<td lang="en" dir="ltr">Doped</td><td lang="ar" dir="rtl">منشطات</td>'
    assert re.search(f'<th scope="row">doped</th>{cells}', page)
    text = TEXT.replace("within: 5", "one: 75, groups: [10, 25]")
    packet = Submission(read(text).survey, text=text).page("ethics")
    assert "nobody surer than 75 in 100 of one answer" in packet
    assert "two groups told apart in which 10 % and 25 % say yes" in packet


@pytest.mark.parametrize("document", ["ethics", "preregistration"])
def test_numbers_are_in_the_language_s_form(document: str) -> None:
    text = TEXT.replace(" ar", " de").replace("within: 5", "within: 2.5, one: 75.5")
    survey = read(text).survey
    page = Submission(survey, 800, text, "de").page(document)
    body = page.partition("<main>")[2].partition('<p class="small"')[0]
    body = re.sub(r"Survey revision.*|Fassung der Umfrage.*", "", body)
    assert re.findall(r"\d\.\d{1,2}\b", re.sub(r"<li>[A-Z][a-z]+, .*", "", body)) == []
    at_worst = {float(one.replace(",", ".")) for one in re.findall(r"±([\d,]+) Prozentp", body)}
    (reached,) = re.findall(r"±2,5 Prozentpunkten \(diese Umfrage: ±([\d,]+) Prozentpunkte", body)
    shares = precision(survey, 800)
    widest = 100 * max(one.widest / (one.span or 1) for one in shares)
    assert float(reached.replace(",", ".")) == round(widest, 1)
    assert {round(100 * shares[0].widest, 1), round(widest, 1)} < at_worst
    certain = "niemand kann sich einer Antwort zu mehr als 75,5 % sicher sein (diese Um"
    assert certain in body.replace("\N{NO-BREAK SPACE}", " ")
    assert ("Personen für 2,5 Prozentpunkte" in body) == (document == "ethics")
    english = Submission(survey, 800, text).page(document)
    assert "intervals of ±2.5 points at most (this survey: ±" in english


def test_only_blanks_are_filled_from_the_file() -> None:
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
    page = Submission(read(TEXT).survey, text=TEXT).page("ethics")
    body = re.sub(r"<(style|head).*?</\1>", "", page, flags=re.S)
    written = re.sub(r"[\\*`>|#_-]|\s", "", markdown(page))
    for part in re.findall(r">([^<>]+)<", body):
        plain = part.replace("&amp;", "&").replace("&#39;", "'").replace("&#34;", '"')
        assert re.sub(r"[\\*`>|#_-]|\s", "", plain) in written
    assert "| Text | English | العربية |\n|---|---|---|\n" in markdown(page)


def test_typed_text_is_no_markup_there() -> None:
    typed = "![p](http://evil) <script>|`x`\n# y"
    assert plain(typed) == r"!\[p\](http://evil) \<script\>\|\`x\` \# y"
