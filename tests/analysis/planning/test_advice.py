"""What a researcher is told before anybody answers, and that people are whole."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deniable import Survey, designs, paper
from deniable.analysis.intervals.coverage import exact_coverage, least_coverage
from deniable.analysis.planning.advice import _RARE, TOO_WIDE, advice, redraw_for
from deniable.analysis.planning.budgets import precision
from deniable.analysis.planning.power import power_one_share, power_two_groups
from deniable.analysis.planning.reach import mean_reach
from deniable.analysis.planning.widths import expected_half_width, half_width, mean_half_width
from deniable.analysis.privacy.adversary import averaging, people_sending
from deniable.analysis.privacy.composition import compose
from deniable.analysis.privacy.poisoning import poisoning
from deniable.publication.ethics import Submission
from deniable.survey.draws import Draw
from deniable.survey.fair_draws import RAREST, even_chances
from deniable.survey_file import read
from deniable.text.sureness import implication, sureness, up_to
from deniable.text.wording import LIMIT
from tests.analysis.surveys import EVERY_KIND

HEAD = "version: 1\nsurvey: s\ntitle: T\nquestions:\n"


def asking(*questions: str) -> Survey:
    return read(HEAD + "".join(f"  - {{text: T, {question}}}\n" for question in questions)).survey


def yes_or_no(protection: str, id: str = "a") -> str:
    return f"id: {id}, type: single, answers: [No, Yes], {protection}"


def test_an_ordinary_survey_needs_no_advice() -> None:
    assert advice(asking(yes_or_no("flip: 1/4"))) == ()


@pytest.mark.parametrize(
    ("flip", "colours"),
    [("1/4", []), ("249/1000", ["amber"]), ("101/1000", ["amber"]), ("99/1000", ["red"])],
)
def test_what_people_read_in_colour_is_said(flip: str, colours: list[str]) -> None:
    survey = asking(yes_or_no(f"flip: {flip}"))
    told = advice(survey, 10**6)
    read_by_people = f"“{implication(survey)[0]}”"
    found = [colour for one in told for colour in ("amber", "red") if f"in {colour}: " in one]
    assert found == colours
    assert [one for one in told if "People will read" in one and read_by_people not in one] == []


@pytest.mark.parametrize("waves", range(2, 8))
def test_what_helps_a_panel_is_named_and_helps(waves: int) -> None:
    head = "version: 1\nsurvey: s\ntitle: T\nwaves: {{count: {}, redraw: {}}}\nquestions:\n"
    asked = "".join(f"  - {{{yes_or_no('flip: 2/5', id)}, text: T}}\n" for id in "ab")
    weak = read(head.format(waves, "1/100") + asked).survey
    redraw, number = redraw_for(weak)
    (told,) = (one for one in advice(weak, 10**6) if "redraw" in one)
    assert f"With 'redraw: {redraw}' the reports of an answer that changes" in told
    assert up_to(number) in told
    assert "Asked once, without waves" in told
    mended = sureness(read(head.format(waves, redraw) + asked).survey)
    assert mended is not None
    assert mended.changed == number <= 95
    assert all(
        "in red" not in one for one in advice(read(head.format(waves, redraw) + asked).survey)
    )


@pytest.mark.parametrize("wide", [False, True])
def test_a_share_is_too_wide_beyond_a_quarter(wide: bool) -> None:
    survey = asking(yes_or_no("flip: 2/5"), yes_or_no("protection: direct", "b"))
    # It reaches (1.96 (1/2) / sqrt(n) + 1/2n) / (1 - 2p) at most: a quadratic in 1/sqrt(n).
    half, most = 1.959964 / 2, 0.2 * TOO_WIDE
    edge = 1 / (math.sqrt(half**2 + 2 * most) - half) ** 2
    told = advice(survey, math.floor(edge) if wide else math.ceil(edge))
    assert bool(told) == wide
    if wide:
        assert "Too wide to be of use, with 403 respondents: a (±25.0 points)." in told[0]


def test_a_mean_is_too_wide_beyond_a_quarter() -> None:
    question = "id: drinks, type: number, min: 0, max: 40, design: {two_point: {epsilon: 1}}"
    survey = asking(question)
    # So few are counted: the interval first reaches no further than a quarter with 80 people.
    widths = [mean_reach(survey.items[0].channel, range(41), n) / 40 for n in (79, 80)]
    assert widths[1] <= TOO_WIDE < widths[0]
    assert advice(survey, 80) == ()
    (told,) = advice(survey, 79)
    assert "drinks (mean ±10." in told
    assert "of a range of 40)" in told


def test_what_hardly_decides_by_hand_is_said() -> None:
    survey = asking(yes_or_no("flip: 1/26"), yes_or_no("flip: 1/13", "b"))
    (told,) = paper.rare_by_hand(survey)
    assert told in advice(survey)


@pytest.mark.parametrize(
    ("chances", "said"),
    [("", ""), ("chances: {a: 98}\n", "ask only about 5.1 of 1,000 respondents b and c.")],
)
def test_chances_that_make_a_set_rare_are_named(chances: str, said: str) -> None:
    """Those that are fitted for one of 20 answers stop at the floor."""
    many = f"id: a, type: single, answers: [{', '.join(map(str, range(20)))}]"
    asked = [f"id: {id}, type: single, answers: [No, Yes]" for id in "bc"]
    direct = yes_or_no("protection: direct", "d")
    body = "".join(f"  - {{text: T, {one}}}\n" for one in (many, *asked, direct))
    head = HEAD.replace("questions", f"epsilon: 2\nask: 2\n{chances}questions")
    told = [one for one in advice(read(head + body).survey) if "chances" in one]
    assert [said in one for one in told] == [True] * bool(said)


def test_a_redraw_that_does_not_help_is_not_named() -> None:
    head = "version: 1\nsurvey: s\ntitle: T\nwaves: {count: 2, redraw: 1/10}\nquestions:\n"
    weak = read(f"{head}  - {{{yes_or_no('epsilon: 6')}, text: T}}\n").survey
    assert redraw_for(weak)[1] > 95
    (told,) = (one for one in advice(weak, 10**6) if "in red" in one)
    assert "'redraw:" not in told
    assert "Asked once, without waves" in told


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
        survey = asking(*(yes_or_no("flip: 2/5", id) for id in names))
        (told,) = (one for one in advice(survey, 10, names) if "Too wide" in one)
        named = r": question 0 \(±[\d.]+ points\), question 1 \(±.*\) and "
        assert re.search(named + more + r"\.", told)


def test_a_survey_above_browsers_limit_is_told() -> None:
    for epsilon in (LIMIT, LIMIT + 0.01):
        survey = asking(yes_or_no(f"epsilon: {epsilon}"))
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


@pytest.mark.parametrize(("answers", "cost"), [(197, None), (219, "1.3"), (254, "1.8")])
def test_more_answers_than_fit_a_byte_cost_more(answers: int, cost: str | None) -> None:
    named = ", ".join(f"a{each}" for each in range(answers))
    survey = asking(f"id: country, type: single, answers: [{named}], family: best, epsilon: 2")
    said = [one for one in advice(survey, 10**6) if "times as many people" in one]
    assert [f"takes {cost} times as many" in one for one in said] == [True] * bool(cost)


def test_a_panel_s_link_is_named_with_its_price() -> None:
    text = f"panel: https://a.example/done\n{HEAD}  - {{text: T, {yes_or_no('flip: 1/4')}}}\n"
    (told,) = advice(read(text).survey)
    assert "https://a.example/done" in told
    assert "learns who took part" in told
    assert told in Submission(read(text).survey).page("ethics")


COINS = designs.warner(flip="1/4")

COUNTED: dict[str, Callable[[Any], object]] = {
    "power_one_share": lambda n: power_one_share(COINS, n, share=0.2, null=0),
    "power_two_groups": lambda n: power_two_groups(COINS, (n, 100), shares=(0.1, 0.2)),
    "power_two_groups, second": lambda n: power_two_groups(COINS, (100, n), shares=(0.1, 0.2)),
    "half_width": lambda n: half_width(COINS, n),
    "mean_half_width": lambda n: mean_half_width(COINS, [0, 1], n),
    "expected_half_width": lambda n: expected_half_width(COINS, n, 0.5),
    "precision": lambda n: precision(EVERY_KIND, n),
    "exact_coverage": lambda n: exact_coverage(COINS, n, [0.1]),
    "least_coverage": lambda n: least_coverage(COINS, n),
    "poisoning": lambda n: poisoning(COINS, n),
    "poisoning, liars": lambda n: poisoning(COINS, 1000).shift(n),
    "people_sending": lambda n: people_sending(COINS, n),
    "averaging": lambda n: averaging(COINS, [0.5, 0.5], n),
    "compose": lambda n: compose([COINS], waves=n),
}


@pytest.mark.parametrize("function", COUNTED.values(), ids=COUNTED)
def test_a_fraction_of_one_is_refused(function: Callable[[Any], object]) -> None:
    for fraction in (20.5, np.float64(20.5), float("nan")):
        with pytest.raises(ValueError, match=r"whole number of|colluding respondents, found"):
            function(fraction)
    function(20)
    function(np.int64(20))
