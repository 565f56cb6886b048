"""The sentence above a question's estimates: of what it asks for, whatever is most frequent."""

import re

import numpy as np
import pytest

from deniable.analysis import Tally, summarise
from deniable.analysis.intervals import ALWAYS_VALID
from deniable.results.figures.question import question_figure
from deniable.results.headlines import headlines, in_a_sentence
from deniable.survey_file import read

SURVEY = """\
version: 1
survey: bus
title: On the bus
questions:
"""


def sentence(question: str, *counts: list[int], place: int = 0) -> str:
    """Return what is told of a question, by how often its reports came."""
    survey = read(SURVEY + question).survey
    tally = Tally(survey.revision, sum(counts[0]), tuple(map(np.array, counts)))
    return in_a_sentence(summarise(survey, tally).questions[place])


@pytest.mark.parametrize(
    ("answers", "counts", "subject"),
    [
        ("[No, Yes]", [650, 350], "Yes"),
        ("[Yes, No]", [350, 650], "Yes"),
        ("{never: Never, often: Often}, yes: never", [350, 650], "Never"),
        ("[No, Yes], prefer_not_to_say: true", [600, 300, 100], "Yes"),
        ("{f: Female, m: Male}", [650, 350], "Most often “Female”"),
        ("[Bus, Tram, Train]", [500, 300, 200], "Most often “Bus”"),
        ("[Bus, Tram], prefer_not_to_say: true", [400, 150, 450], "Most often “Bus”"),
    ],
)
def test_the_sentence_is_about_what_was_asked_for(
    answers: str, counts: list[int], subject: str
) -> None:
    question = f"  - {{id: rode, text: Rode?, type: single, flip: 1/4, answers: {answers}}}\n"
    assert sentence(question, counts).startswith(f"{subject}: about ")


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([350, 340, 310], r"“Bus” and “Tram” may be equally frequent: about \d+ and \d+ in 100\."),
        ([110, 440, 450], r"“Train” and “Tram” may be equally frequent: .*"),
        ([700, 200, 100], r"Most often “Bus”: about \d+ in 100, between \d+ and \d+\."),
    ],
)
def test_only_an_answer_beyond_chance_leads(counts: list[int], said: str) -> None:
    assert re.fullmatch(said, sentence(RIDE, counts))


def test_answers_lead_by_difference_though_intervals_overlap() -> None:
    """Two shares of the same people go against each other, so the difference tells less or more."""
    counts = [300, 250, 200, 200]
    question = RIDE.replace("Train]", "Train, Car]")
    survey = read(SURVEY + question).survey
    tally = Tally(survey.revision, sum(counts), (np.array(counts),))
    (found,) = summarise(survey, tally, method="tail").questions
    first, second, *_ = found.items[0].shares
    assert (first.low or 1) < (second.high or 0)
    assert in_a_sentence(found).startswith("Most often “Bus”: ")
    (always_valid,) = summarise(survey, tally, method=ALWAYS_VALID).questions
    assert in_a_sentence(always_valid).startswith("“Bus” and “Tram” may be equally frequent: ")


@pytest.mark.parametrize("counts", [[[500, 500]] * 2, [[500, 500], [490, 510]]])
def test_the_most_frequent_of_several_ticks_is_named(counts: list[list[int]]) -> None:
    """Nobody has to choose one of them, so two may well be as frequent."""
    question = "  - {id: q, text: Q?, type: many, flip: 1/4, answers: {a: A, b: B}}\n"
    most = "AB"[counts[1][1] > 500]
    assert sentence(question, *counts).startswith(f"Most often “{most}”: about 5")


def test_a_follow_up_s_lines_are_of_those_concerned() -> None:
    asked = "id: why, text: Why?, type: single, flip: 1/4, answers: [A, B, C]"
    why = f"  - {{{asked}, ask_if: {{rode: yes}}}}\n"
    survey = read(SURVEY + RODE + why).survey
    counts = np.array([900, 600, 500, 2000])
    tally = Tally(survey.revision, 4000, (np.array([2000, 2000]), counts))
    question = summarise(survey, tally).questions[1]
    (item,) = question.items
    assert [line.told for line in headlines(question)] == [*item.applicable]
    caption = question_figure(question, 0.95, "txt").decode()
    assert "estimates of those to whom it applies" in caption
    svg = question_figure(question, 0.95, "svg").decode()
    assert "share of those to whom it applies (n = 4,000)" in svg
    assert "Does not apply" not in svg


RIDE = "  - {id: rode, text: R?, type: single, flip: 1/4, answers: [Bus, Tram, Train]}\n"
RODE = "  - {id: rode, text: Rode?, type: single, flip: 1/4, answers: [No, Yes]}\n"


@pytest.mark.parametrize(
    ("asked", "counts", "said"),
    [
        ("single, answers: [No, Yes]", [[600, 900, 2500]], r"Yes: about \d\d in 100 of those .*"),
        (
            "single, answers: {a: A, b: B, c: C}",
            [[600, 1200, 700, 2500]],
            r"Most often “B”.* of those .*",
        ),
        ("many, answers: {a: A, b: B}", [[600, 900, 2500], [900, 600, 2500]], r"Most often “A”.*"),
    ],
)
def test_a_follow_up_is_told_of_those_concerned(
    asked: str, counts: list[list[int]], said: str
) -> None:
    question = f"  - {{id: why, text: Why?, type: {asked}, flip: 1/4, ask_if: {{rode: yes}}}}\n"
    n = sum(counts[0])
    told = sentence(RODE + question, [n // 2, n // 2], *counts, place=1)
    assert re.fullmatch(said, told), told


def test_an_impossible_end_is_not_told() -> None:
    for counts, ends in (([3, 2], "between 0 and 100 in 100 is possible."), ([38, 14], "at most ")):
        assert ends in sentence(RODE, counts)


def test_of_an_impossible_estimate_what_is_possible_leads() -> None:
    survey = read(SURVEY + RODE).survey
    for counts, said in (
        ([770, 230], r"Yes: 0 to \d in 100\."),
        ([230, 770], r".*: 9\d to 100 .*"),
    ):
        tally = Tally(survey.revision, 1000, (np.array(counts),))
        (found,) = summarise(survey, tally).questions
        (line,) = headlines(found)
        assert line.told.outside
        assert re.fullmatch(said, in_a_sentence(found))
        assert line.possible in ((0, line.told.high), (line.told.low, 1))
