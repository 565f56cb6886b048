"""The ethics packet says what the survey file says, and what its chances mean."""

import html
import re
from pathlib import Path

import pytest

from deniable.publication.ethics import Submission
from deniable.server.web.words import words
from deniable.survey_file import read
from deniable.text.sureness import told

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


def text_of(page: str) -> str:
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_all_that_is_asked_and_promised_is_in_it(path: Path) -> None:
    survey = read(path.read_text(encoding="utf-8")).survey
    said = text_of(Submission(survey, 2000).page("ethics"))
    assert survey.fingerprint in said
    assert "2,000 respondents" in said
    for question in survey.questions:
        assert " ".join(question.text.split()) in said
        assert all(" ".join(item.text.split()) in said for item in survey.items_of(question))
    assert all(" ".join(line.text.split()) in said for line in told(survey))
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


def test_shares_that_are_drawn_stand_as_the_language_writes_them() -> None:
    text = """
version: 1
survey: study
title: Studie
languages: [de]
epsilon: 2
ask: 1
chances: { doped: 2 }
questions:
  - {id: doped, text: Gedopt, type: single, answers: [Nein, Ja]}
  - {id: coach, text: Gewusst, type: single, answers: [Nein, Ja]}
"""
    said = text_of(Submission(read(text).survey, 500, text, "de", words).page("ethics"))
    assert "doped 66,7 %, coach 33,3 %" in said
