"""What a researcher is told about a survey, before anybody answers it."""

import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from deniable import Survey, paper
from deniable.analysis.planning import advice as advising
from deniable.analysis.planning.advice import (
    _RARE,
    TOO_WIDE,
    aims_met,
    is_too_wide,
    redraw_for,
    width_words,
)
from deniable.analysis.planning.budgets import precision
from deniable.analysis.planning.reach import mean_reach
from deniable.publication.ethics import Submission
from deniable.server.web.words import words
from deniable.survey.draws import Draw
from deniable.survey.fair_draws import RAREST, even_chances
from deniable.survey_file import read
from deniable.text.sureness import at_most, sureness, up_to
from deniable.text.wording import LIMIT, reach
from tests.kit.surveys import file_of


def asking(*questions: str, head: str = "") -> Survey:
    return read(file_of(*(f"text: T, {one}" for one in questions), head=head)).survey


def protected(protection: str, id: str = "a") -> str:
    return f"id: {id}, type: single, answers: [No, Yes], {protection}"


def advice(*given: Any) -> tuple[str, ...]:
    return tuple(map(str, advising.advice(*given)))


@pytest.mark.parametrize(
    ("flip", "colours"),
    [("1/4", []), ("249/1000", ["amber"]), ("101/1000", ["amber"]), ("99/1000", ["red"])],
)
def test_what_people_read_in_colour_is_said(flip: str, colours: list[str]) -> None:
    survey = asking(protected(f"flip: {flip}"))
    told = advice(survey, 10**6)
    found = [colour for one in told for colour in ("amber", "red") if f"in {colour}: " in one]
    assert found == colours
    sure = sureness(survey)
    assert sure is not None
    assert all(f"someone can be {at_most(sure.one)}." in one for one in told if "read" in one)


@pytest.mark.parametrize("waves", range(2, 8))
def test_what_helps_a_panel_is_named_and_helps(waves: int) -> None:
    head = "waves: {{count: {}, redraw: {}}}"
    asked = [protected("flip: 2/5", id) for id in "ab"]
    weak = asking(*asked, head=head.format(waves, "1/100"))
    redraw, number = redraw_for(weak)
    (told,) = (one for one in advice(weak, 10**6) if "redraw" in one)
    assert f"With 'redraw: {redraw}' the reports of an answer that changes" in told
    assert up_to(number) in told
    assert "Asked once, without waves" in told
    better = asking(*asked, head=head.format(waves, redraw))
    mended = sureness(better)
    assert mended is not None
    assert mended.changed == number <= 95
    assert all("in red" not in one for one in advice(better))


@pytest.mark.parametrize("wide", [False, True])
def test_a_share_is_too_wide_beyond_a_quarter(wide: bool) -> None:
    survey = asking(protected("flip: 2/5"), protected("protection: direct", "b"))
    # It reaches (1.96 (1/2) / sqrt(n) + 1/2n) / (1 - 2p) at most: a quadratic in 1/sqrt(n).
    half, most = 1.959964 / 2, 0.2 * TOO_WIDE
    edge = 1 / (math.sqrt(half**2 + 2 * most) - half) ** 2
    told = advice(survey, math.floor(edge) if wide else math.ceil(edge))
    assert bool(told) == wide
    if wide:
        assert "Too wide to be of use, with 403 respondents: a (±25 points)." in told[0]


def test_a_mean_is_too_wide_beyond_a_quarter() -> None:
    question = "id: drinks, type: number, min: 0, max: 40, design: {two_point: {epsilon: 1}}"
    survey = asking(question)
    # So few are counted: the interval first reaches no further than a quarter with 80 people.
    widths = [mean_reach(survey.items[0].channel, range(41), n) / 40 for n in (79, 80)]
    assert widths[1] <= TOO_WIDE < widths[0]
    assert advice(survey, 80) == ()
    (told,) = advice(survey, 79)
    assert "drinks (mean ±10 of a range of 40)" in told


def test_no_mean_is_wider_than_its_range() -> None:
    file = file_of("id: n, text: N, type: number, min: 0, max: 10", head="epsilon: 0.01")
    for people in (1, 50, 1000):
        (one,) = precision(read(file).survey, people)
        assert width_words(one) == "mean ±5 or more"
        assert is_too_wide(one)


def test_an_aim_names_the_mean_that_is_widest() -> None:
    asked = "id: n, text: N, type: number, min: 1, max: 30"
    file = read(file_of(asked, head="epsilon: 1\nplan: {within: 8}"))
    (one,) = precision(file.survey, 100)
    said = f"(this survey: n: mean ±{reach(one.widest)})"
    assert aims_met(file.plan, file.survey, 100) == (f"intervals of ±8 points at most {said}",)


def test_what_hardly_decides_by_hand_is_said() -> None:
    survey = asking(protected("flip: 1/26"), protected("flip: 1/13", "b"))
    (told,) = paper.rare_by_hand(survey)
    assert told in advice(survey)


@pytest.mark.parametrize(
    ("chances", "people", "said"),
    [
        ("", 10_000, ""),
        ("chances: {a: 98}\n", 10_000, "ask only about 51 of 10,000 respondents b and c."),
        # Of the two groups of a direct question, one may have fewer than five of them.
        ("", 1000, "ask only about 17 of 1,000 respondents b and c."),
    ],
)
def test_chances_that_make_a_set_rare_are_named(chances: str, people: int, said: str) -> None:
    """Those that are fitted for one of 20 answers stop at the floor."""
    many = f"id: a, type: single, answers: [{', '.join(map(str, range(20)))}]"
    asked = [f"id: {id}, type: single, answers: [No, Yes]" for id in "bc"]
    direct = protected("protection: direct", "d")
    survey = asking(many, *asked, direct, head=f"epsilon: 2\nask: 2\n{chances}")
    told = [f"{one}" for one in advising.advice(survey, people) if one.place == ("chances",)]
    assert [said in one for one in told] == [True] * bool(said)


def test_where_no_redraw_helps_what_does_is_named() -> None:
    head = "waves: {count: 2, redraw: 1/10}"
    weak = asking(protected("epsilon: 6"), head=head)
    assert redraw_for(weak)[1] > 95
    told, less = (
        next(one for one in advising.advice(survey, 10**6) if "that changes" in str(one))
        for survey in (weak, asking(protected("epsilon: 2.944"), head=head))
    )
    assert "in red" in told.said
    assert told.helps == "No 'redraw' helps before each answer has an ε of 2.944 or less."
    assert told.place == ("epsilon",)
    assert less.helps.startswith("With 'redraw: ")
    assert less.place == ("waves", "redraw")


def test_a_redraw_is_not_enough_beside_many_answers() -> None:
    of_many = f"id: b, type: single, answers: [{', '.join(map(str, range(16)))}], epsilon: 1"
    survey = asking(protected("flip: 2/5"), of_many, head="waves: {count: 2, redraw: 1/10}")
    redraw, number = redraw_for(survey)
    told = next(
        one for one in advising.advice(survey, 10**6, {"b": "question 2"}) if "changes" in str(one)
    )
    assert f"Even with 'redraw: {redraw}' the reports" in told.helps
    assert f"of an answer that changes make someone {up_to(number)}." in told.helps
    assert "Fewer possible answers to question 2 help. Asked once, without waves" in told.helps
    assert told.place == ("waves", "count")


@pytest.mark.parametrize("waves", [2, 3, 5])
def test_an_advised_redraw_is_allowed_beside_other_questions(waves: int) -> None:
    """The question with the fewest reports bounds it, and others have more."""
    head = "waves: {{count: {}, redraw: {}}}"
    of_six = "id: b, type: single, answers: [a, b, c, d, e, f], epsilon: 1"
    asked = (protected("flip: 2/5"), of_six)
    redraw, _ = redraw_for(asking(*asked, head=head.format(waves, "1/100")))
    assert redraw < Fraction(1, 2)
    assert asking(*asked, head=head.format(waves, redraw)).waves == waves


def test_no_fitted_chances_are_called_too_rare() -> None:
    """Here rounding makes the rarest set rarer than any of 1,500 random surveys had it."""
    chances = even_chances([2.644, 1.088, 1.836, 2.258, 1.679, 15.257, 1.172, 1.912], 2)
    draw = Draw(2, ("",) * 8, tuple((place,) for place in range(8)), chances)
    rarest = sorted(range(8), key=chances.__getitem__)[:2]
    share = float(draw.share(rarest)) * len(draw.sets)
    assert _RARE < share < 0.9 * RAREST


def test_of_many_too_wide_two_are_named() -> None:
    for count, more in ((3, "1 more question"), (4, "2 more questions")):
        names = {f"q{n}": f"question {n}" for n in range(count)}
        survey = asking(*(protected("flip: 2/5", id) for id in names))
        (told,) = (one for one in advice(survey, 10, names) if "Too wide" in one)
        named = r": question 0 \(±50 points or more\), question 1 \(±.*\) and "
        assert re.search(named + more + r"\.", told)


def test_a_survey_above_browsers_limit_is_told() -> None:
    for epsilon in (LIMIT, LIMIT + 0.01):
        survey = asking(protected(f"epsilon: {epsilon}"))
        told = any("Nobody is asked at first" in said for said in advice(survey))
        assert told == (survey.epsilon > LIMIT)


def test_the_limit_is_that_of_the_browser() -> None:
    memory = (Path(__file__).parents[3] / "client/browser/core/memory.js").read_text()
    assert f"const LIMIT = {LIMIT:g}e6;" in memory


def test_a_number_of_means_says_what_it_loses() -> None:
    for family, told in (("mean_only", True), ("best", False)):
        survey = asking(f"id: drinks, type: number, min: 0, max: 9, family: {family}, epsilon: 1")
        said = [one for one in advice(survey, 10**6) if "no tables and no regressions" in one]
        assert bool(said) == told
        assert not told or said[0].startswith("The reports of drinks tell the mean")


@pytest.mark.slow
@pytest.mark.parametrize(("answers", "cost"), [(197, None), (219, "1.3"), (254, "1.8")])
def test_more_answers_than_fit_a_byte_cost_more(answers: int, cost: str | None) -> None:
    named = ", ".join(f"a{each}" for each in range(answers))
    survey = asking(f"id: country, type: single, answers: [{named}], family: best, epsilon: 2")
    said = [one for one in advice(survey, 10**6) if "times as many people" in one]
    assert [f"takes {cost} times as many" in one for one in said] == [True] * bool(cost)


def test_a_panel_s_link_is_named_with_its_price() -> None:
    survey = asking(protected("flip: 1/4"), head="panel: https://a.example/done")
    (told,) = advice(survey)
    assert "https://a.example/done" in told
    assert "learns who took part" in told
    assert told in Submission(survey, words=words).page("ethics")
