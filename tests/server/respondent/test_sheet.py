"""The sheet: the whole survey on paper, for people who make chance by hand."""

import math
import re
from html import unescape

import pytest

from deniable import designs
from deniable.server.respondent.drawing import sector
from deniable.server.respondent.label import privacy_label
from deniable.server.respondent.sheet import lay_out, sheet_page
from deniable.survey_file import read
from tests import vectors
from tests.deniable.test_paper import DRAWN
from tests.kit import surveys

PAPER = """\
version: 1
survey: paper
title: A <b>title</b>
questions:
  - {id: doped, text: "Doped?", hint: "This year.", type: single, answers: [No, Yes], flip: 1/4}
  - {id: offered, text: "Offered?", type: many, answers: [EPO, Steroids], flip: 1/6}
  - {id: drug, text: "Drug?", type: number, min: 0, max: 9, epsilon: 1}
  - {id: sold, text: "Sold?", type: single, answers: [No, Yes], epsilon: 4}
  - {id: years, text: "Years?", type: number, min: 0, max: 60, protection: direct}
  - {id: group, text: "Group?", type: single, answers: [Young, Old], protection: direct}
"""


def text_of(page: str) -> str:
    """Return what is read on a page, in one line."""
    said = unescape(re.sub("<[^>]*>", " ", page[page.index("<body>") :]))
    return re.sub(r"\s+", " ", said).replace(" ,", ",").replace(" .", ".")


def question(page: str, text: str) -> str:
    """Return what is read of one question."""
    (found,) = [part for part in page.split('<li class="question">')[1:] if f">{text}<" in part]
    return text_of(f"<body>{found.split('</ol>')[0]}")


@pytest.fixture
def page() -> str:
    return sheet_page(read(PAPER).survey)


def test_each_question_says_what_to_do(page: str) -> None:
    assert question(page, "Doped?") == (
        " Doped? This year. with chance Toss a coin twice. Do not let anyone see the result. "
        "tails then tails: tick No tails then heads: tick Yes anything else: tick your true answer "
        "No Yes "
    )
    offered = question(page, "Offered?")
    assert (
        "Do this again for each line: Roll a die. Do not let anyone see the result. "
        "1: tick No 6: tick Yes"
    ) in offered
    assert offered.endswith("true answer No Yes EPO Steroids ")
    assert "as it is Write a number from 0 to 60." in question(page, "Years?")
    assert "as it is Tick one box. Young Old" in question(page, "Group?")


def test_there_is_a_box_for_every_answer(page: str) -> None:
    # Two of doped, two for each of two options, two of the group; the number has a line.
    assert page.count('class="box"') == 2 + 4 + 2
    assert page.count('class="blank"') == 1


def test_needs_and_revelations_come_first(page: str) -> None:
    said = text_of(page)
    # 3 to 1 by the coin, and 5 to 1 twice by the die, for the two options: 25 of 26, and 75 of 76.
    (told,) = re.findall(r"Chance decides some of the answers .* You need", said)
    told = " ".join(told.split())
    assert "can be 84 % sure at most: a strong hint, not proof." in told
    assert "If all 3 answers point to the same thing, " in told
    assert "someone up to 99 % sure." in told
    assert page.count('class="implication" data-colour="amber"') == 2
    assert said.index("84") < said.index("Doped?")
    assert "cards" not in said
    coins = sheet_page(surveys.survey(surveys.many("q", ["A"])))
    assert 'data-colour="calm"' in coins


def test_what_hands_cannot_is_left_out(page: str) -> None:
    said = text_of(page)
    assert (
        "Not asked on paper, because no coin, die or disc gives the right chances: “Drug?”, "
        "“Sold?”" in said
    )
    assert not re.search(r"<h2>(Drug|Sold)", page)
    asking = text_of(sheet_page(read(vectors.asking_file()).survey))
    assert "chosen at random" in asking


def test_a_survey_that_hands_cannot_do_says_so() -> None:
    said = text_of(sheet_page(surveys.survey(surveys.single(channel=designs.warner(epsilon=4)))))
    assert "No question of this survey can be answered on this sheet." in said
    assert "How to answer" not in said


def test_a_sheet_of_direct_questions_needs_no_coin() -> None:
    sheet = lay_out(surveys.survey(surveys.single(direct=True)))
    assert (sheet.tools, len(sheet.questions)) == ((), 1)
    assert "You need" not in sheet_page(sheet.survey)


BY_DISC = """\
version: 1
survey: disc
title: Disc
questions:
  - {id: took, text: "Took?", type: single, answers: [No, Yes], flip: 0.3,
     style: statement, statements: [I never did, I did]}
"""


def test_each_statement_has_its_part_of_the_disc() -> None:
    survey = read(BY_DISC).survey
    sheet = lay_out(survey)
    assert sheet.tools == ("a pencil and a paper clip",)
    page = sheet_page(survey)
    asked = question(page, "Took?")
    assert "grey part: “I never did” It stops on the white part: “I did”" in asked
    assert asked.rstrip().endswith("Not true of me True of me")
    # Nothing is forced here, and nobody is told so.
    assert "tick what it tells you to tick" not in text_of(page)
    assert "style=" not in page


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.75, 0.9])
def test_the_disc_s_parts_are_their_chances(share: float) -> None:
    """By the area between its straight edges and its arc."""
    outline = sector(share)
    found = re.fullmatch(r"M50 50L50.00 2.00A48 48 0 ([01]) 1 ([\d.]+) ([\d.]+)z", outline)
    assert found is not None
    x, y = float(found[2]) - 50, 50 - float(found[3])
    assert math.hypot(x, y) == pytest.approx(48, abs=0.01)
    assert math.atan2(x, y) % math.tau == pytest.approx(math.tau * share, abs=0.001)
    assert (found[1] == "1") is (share > 0.5)


def test_both_ways_of_chance_are_told() -> None:
    both = BY_DISC + "  - {id: doped, text: D, type: single, answers: [No, Yes], flip: 1/4}\n"
    sheet = lay_out(read(both).survey)
    assert sheet.tools == ("a coin", "a pencil and a paper clip")
    said = text_of(sheet_page(sheet.survey))
    assert "tick what it tells you to tick" in said
    assert "chance chooses a statement" in said


def test_nothing_on_a_sheet_says_whose_it_is(page: str) -> None:
    assert sheet_page(read(PAPER).survey) == page
    assert not re.search(r"<(input|form|img)", page)
    # What it runs is "Leave quickly", which is not printed.
    assert page.count("<script") == 1
    assert "<script" not in sheet_page(read(PAPER).survey, standalone=True)
    assert read(PAPER).survey.shown_number in page


def test_a_file_looks_right_by_itself() -> None:
    alone = sheet_page(read(PAPER).survey, standalone=True)
    assert "size: A4" in alone
    assert "@media print" in alone
    assert not re.search(r"(href|src)=", alone)


def test_drawn_sheets_ask_their_own() -> None:
    survey = read(DRAWN).survey
    everybody = sheet_page(survey)
    assert "Age" in question(everybody, "Age")
    assert "chosen at random: “A”, “B”, “C”, “D” . On paper, chance draws what each sheet asks" in (
        text_of(everybody).replace("”.", "” .")
    )
    assert "On paper, chance draws" in privacy_label(survey).asked
    asked = [frozenset({0, 1, 5, 8}), frozenset({2, 3, 7, 8})]
    first, second = sheet_page(survey, standalone=True, drawn=asked).split("<main>")[1:]
    assert re.findall("<h2>([A-Z])</h2>", first) == ["A", "B", "D"]
    assert re.findall('<th scope="row">(.)', first) == ["x", "u"]
    assert re.findall("<h2>([A-Z])</h2>", second) == ["B", "C", "D"]
    assert "1: tick Never 2: tick Once 3: tick More anything else: tick your true" in question(
        second, "C"
    )
    outlines = re.findall(r"<path d=", second.split("<h2>C<")[1].split("</svg>")[0])
    assert len(outlines) == 3
    assert "Chance chose what this sheet asks." in text_of(f"<body>{first}")


def test_numbers_and_groups_have_a_disc() -> None:
    survey = read((surveys.EXAMPLES / "exams.yaml").read_text()).survey
    asked = [frozenset({0, 1, 4}), frozenset({0, 1, 2, 3})]
    number, group = sheet_page(survey, standalone=True, drawn=asked).split("<main>")[1:]
    said = text_of(f"<body>{number}")
    assert "1: tick B 2: tick A 3: tick B if your true number is 1 or more, otherwise" in said
    assert "7: tick B if your true number is 5 or more" in said
    assert "true answer" not in said.split("In how many exams")[1]
    said = text_of(f"<body>{group}")
    assert "1: tick No – Does not apply 2: tick Yes – Notes of my own" in said
    assert said.count("What was it, the last time?") == 1
