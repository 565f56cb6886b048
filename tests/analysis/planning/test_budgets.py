"""What a budget buys, and how it is spent otherwise."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deniable import Survey, designs
from deniable.analysis.intervals.coverage import exact_coverage, least_coverage
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.planning.advice import width_words
from deniable.analysis.planning.alternatives import Spend, coin_questions, redesign
from deniable.analysis.planning.budgets import Measure, Precision, precision, respondents_for
from deniable.analysis.planning.power import power_two_groups
from deniable.analysis.planning.reach import greatest_reach, mean_reach
from deniable.analysis.privacy.adversary import averaging
from deniable.analysis.privacy.composition import compose
from deniable.analysis.privacy.poisoning import poisoning
from deniable.estimator import for_values, least_variance
from deniable.survey_file import SurveyFile, read
from deniable.survey_file.located import parse
from deniable.text.sureness import sureness
from tests import vectors
from tests.analysis.surveys import EVERY_KIND
from tests.kit import first_of
from tests.kit.surveys import EXAMPLES, TOGETHER, file_of, yes_or_no

Z = 1.959963984540054


def five(budget: str) -> Survey:
    """Read a survey of five yes-or-no questions at ε = 1."""
    return read(file_of(*yes_or_no(*[""] * 5), head=f"epsilon: 1\n{budget}")).survey


def variance(epsilon: float) -> float:
    """Return the variance of one report at worst: (e + 1)^2 / (4 (e - 1)^2), Warner (1965)."""
    e = math.exp(epsilon)
    return ((e + 1) / (e - 1)) ** 2 / 4


def test_one_of_five_has_about_its_variance() -> None:
    n = 10_000
    equal = precision(five("split: equal"), n)
    one = precision(five("ask: 1"), n)
    for found, epsilon, asked in ((equal, 1 / 5, n), (one, 1, n / 5)):
        for item in found:
            assert item.respondents == asked
            kept = math.tanh(epsilon / 2)
            expected = Z * math.sqrt(variance(epsilon) / asked) + 0.5 / asked / kept
            assert item.widest == pytest.approx(expected, rel=1e-5)
            assert item.is_most
    ratio = (one[0].widest / equal[0].widest) ** 2
    assert ratio == pytest.approx(variance(1) * 5 / variance(1 / 5), rel=0.02)
    assert 0.19 < ratio < 0.24


def test_shares_and_means_are_those_of_the_planner() -> None:
    survey = read(vectors.asking_file()).survey
    found = precision(survey, 600, Measure(0.9))
    assert [item.respondents for item in found] == pytest.approx(
        [300, *[150] * 4, *[100] * 3, 300, *[200] * 3, 600]
    )
    doped, coach, years, age = (found[place] for place in (0, 5, 8, 12))
    assert doped.shares == pytest.approx(greatest_reach(doped.item.channel, 300, 0.9))
    assert coach.shares == pytest.approx(greatest_reach(coach.item.channel, 100, 0.9))
    assert age.shares == pytest.approx(greatest_reach(age.item.channel, 600, 0.9))
    assert (years.shares, years.span) == (None, 40)
    channel = years.item.channel
    assert years.mean == pytest.approx(mean_reach(channel, range(41), 300, 0.9))
    # At the worst population no mean is known better: half of it at either end is one that is not.
    g = for_values(channel, range(41))
    ends = channel.probabilities[[0, 40]].mean(axis=0)
    assert years.widest >= 1.6448 * math.sqrt((ends @ g**2 - 20**2) / 300)
    assert doped.mean is None
    assert coach.widest == pytest.approx(max(greatest_reach(coach.item.channel, 100, 0.9)))


def half_width_at(theta: FloatArray, item: Precision) -> float:
    """Return the half-width of a mean of those who gave a number, at these shares of the truths.

    Of 800 people; by the delta method for the ratio of two means.
    """
    v = np.asarray(item.values)
    given = ~np.isnan(v)
    G, channel = least_variance(item.item.channel), item.item.channel
    share = theta[given].sum()
    mean = theta[given] @ v[given] / share
    contributions = (np.where(given, v - mean, 0) @ G) / share
    return Z * math.sqrt(theta @ channel.probabilities @ contributions**2 / 800)


DECLINED = "id: q, text: T, type: number, min: 0, max: 8, epsilon: 2, prefer_not_to_say: true"


@pytest.mark.parametrize(
    ("applies", "at_worst", "delivered"),
    [(1, 0.559, 0.554), (0.8, 0.654, 0.649), (0.5, 0.982, 0.943), (0.2, 2.454, 2.20)],
)
def test_means_of_some_assume_the_worst(applies: float, at_worst: float, delivered: float) -> None:
    """Delivered: the mean half-width of simulated surveys with half the people at either end."""
    (item,) = precision(read(file_of(DECLINED)).survey, 800, Measure(applies=applies))
    assert item.mean == pytest.approx(at_worst, abs=5e-4)
    assert item.span == 8
    ends = np.array([applies / 2, *[0] * 7, applies / 2, 1 - applies])
    planned = half_width_at(ends, item)
    assert delivered == pytest.approx(planned, rel=0.12)
    assert item.mean is not None
    assert max(planned, delivered) <= item.mean * (1 + 1e-9)
    # And no people of two numbers do worse.
    random = np.random.default_rng(1)
    for shares in random.dirichlet([0.3] * 9, size=300):
        theta = np.append(applies * shares, 1 - applies)
        assert half_width_at(theta, item) <= item.mean * (1 + 1e-9)


def test_shares_of_whom_it_concerns_have_their_width() -> None:
    took = "id: took, text: T, type: single, answers: [No, Yes], flip: 1/4"
    who = "id: who, text: W, type: single, answers: [A, B], epsilon: 2, ask_if: {took: 'yes'}"
    survey = read(file_of(took, who)).survey
    (_, all_), (_, few) = (
        precision(survey, 500, Measure(applies=applies)) for applies in (1, 0.25)
    )
    assert all_.among is not None
    assert few.among is not None
    assert few.among > 2.5 * all_.among
    # One ± for a question, which is that of results: it is of those to whom it applies.
    assert few.widest == few.among
    assert width_words(few) == f"±{100 * few.among:.1f} points among the 125 it applies to"
    assert width_words(all_) == f"±{100 * all_.among:.1f} points if it applied to all 500"
    assert not few.is_most
    # The worst of two answers among all: the difference of their reports, with what is skipped.
    G = least_variance(few.item.channel)
    for half in np.linspace(0, 1, 21):
        theta = np.array([half / 4, (1 - half) / 4, 0.75])
        g = (G[0] - half * (G[0] + G[1])) / 0.25
        sd = math.sqrt(theta @ few.item.channel.probabilities @ g**2 / 500)
        assert Z * sd <= few.among * (1 + 1e-9)


def test_so_many_people_are_enough() -> None:
    survey, measure = five("ask: 2"), Measure(0.9, design_effect=1.5)
    n = respondents_for(survey, 3, 0.08, measure)
    assert (
        precision(survey, n, measure)[3].widest
        <= 0.08
        < precision(survey, n - 1, measure)[3].widest
    )
    # Two of five are asked, and 1.5 people tell as much as one.
    assert n == pytest.approx((1.6448 / 0.08) ** 2 * variance(1 / 2) * 2.5 * 1.5, rel=0.05)
    assert not precision(survey, n, measure)[3].is_most
    with pytest.raises(ValueError, match="a half-width above 0, such as"):
        respondents_for(survey, 3, 0)


MIXED = """\
version: 1
survey: mixed
title: Mixed
epsilon: 4
questions:
  - {id: a, text: A, type: single, answers: [No, Yes]}
  - {id: b, text: B, type: single, answers: [1, 2, 3, 4, 5]}
  - {id: c, text: C, type: many, answers: [One, Two, Three], prefer_not_to_say: true}
  - {id: d, text: D, type: number, min: 0, max: 100}
  - {id: e, text: E, type: number, min: 0, max: 9, prefer_not_to_say: true}
  - {id: own, text: F, type: single, answers: [No, Yes],
     design: {forced_response: {truth: 3/4, yes: 2/3}}}
  - {id: plain, text: G, type: single, answers: [No, Yes], protection: direct}
"""


@cache
def mixed(budget: str = "") -> SurveyFile:
    return read(MIXED.replace("questions:", f"{budget}\nquestions:"))


@pytest.mark.parametrize("split", first_of(["optimal", "equal", "even"]))
def test_a_split_is_that_of_the_survey_file(split: str) -> None:
    other = mixed(f"split: {split}").survey
    assert redesign(mixed(), Spend(split=split)).survey == other
    # From another split as well: nothing of the former one is left.
    assert redesign(mixed("split: even"), Spend(split=split)).survey == other


def test_questions_and_epsilon_are_the_survey_file_s() -> None:
    assert redesign(mixed(), Spend(ask=2)).survey == mixed("ask: 2").survey
    assert redesign(mixed("ask: 2"), Spend(split="equal")).survey == mixed().survey
    six = read(MIXED.replace("epsilon: 4", "epsilon: 6\nsplit: even"))
    assert redesign(mixed(), Spend(Fraction(6), "even")).survey == six.survey


@pytest.mark.parametrize("design", ["k_ary", "best"])
def test_a_design_is_of_all_it_fits(design: str) -> None:
    """Not of a number that can be declined, of one answer to two questions, or beside a flip."""
    doping = read((EXAMPLES / "doping.yaml").read_text())
    for file, takes in ((mixed(), [*"abcd"]), (read(TOGETHER), ["slept"]), (doping, [])):
        written = parse(redesign(file, Spend(design=design)).text, "").value["questions"]
        assert [one["id"] for one in written if one.get("family") == design] == takes
    assert [*coin_questions(mixed().survey)] == [*"abc"]
    assert [*coin_questions(read(TOGETHER).survey)] == ["slept"]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_nothing_asked_for_changes_nothing(path: Path) -> None:
    file = read(path.read_text())
    assert redesign(file, Spend()) is file
    # A promise in round numbers must not become another one by a rounding.
    if len(file.survey.questions) == 1:
        for spend in (Spend(split="even"), Spend(design="best")):
            assert sureness(redesign(file, spend).survey) == sureness(file.survey)


@pytest.mark.parametrize("budget", ["", "ask: 2", "split: optimal"])
def test_another_epsilon_is_of_all_that_share_it(budget: str) -> None:
    before, after = mixed(budget).survey, redesign(mixed(budget), Spend(Fraction(5))).survey
    assert after.epsilon == 5
    assert 5_000_000 - 20 < after.spent_millionths <= 5_000_000
    own = before.question("own")
    assert after.items_of(own) == before.items_of(own)


def test_a_flip_is_the_file_s_and_pays_itself() -> None:
    file = read((EXAMPLES / "doping.yaml").read_text())
    assert coin_questions(file.survey) == {"doped": 0.25}
    after = redesign(file, Spend(flips=(("doped", Fraction(1, 10)),))).survey
    assert after.items[0].flips == pytest.approx((0.1, 0.1))
    assert after.epsilon == pytest.approx(2.197225, abs=1e-6)
    # An ε of the whole survey is the only question's.
    assert redesign(file, Spend(Fraction(2))).survey.epsilon_of(after.questions[0]) == 2


@pytest.mark.parametrize(
    ("spend", "said"),
    [
        (Spend(split="best"), "equal, even, optimal"),
        (Spend(design="warner"), "k_ary, best"),
        (Spend(Fraction(0)), "an ε above 0"),
        (Spend(Fraction(1, 2)), "their own cost"),
        (Spend(Fraction("2.302588")), "'a'"),
        (Spend(ask=9), "at most 7"),
        (Spend(flips=(("plain", Fraction(1, 4)),)), r"\(a, b, c\), found 'plain'"),
        (Spend(flips=(("a", Fraction(3, 4)),)), "1/2"),
    ],
)
def test_what_cannot_be_is_refused(spend: Spend, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        redesign(mixed(), spend)


COINS = designs.warner(flip="1/4")

COUNTED: dict[str, Callable[[Any], object]] = {
    "power_two_groups": lambda n: power_two_groups(COINS, (n, 100), shares=(0.1, 0.2)),
    "power_two_groups, second": lambda n: power_two_groups(COINS, (100, n), shares=(0.1, 0.2)),
    "precision": lambda n: precision(EVERY_KIND, n),
    "exact_coverage": lambda n: exact_coverage(COINS, n, [0.1]),
    "least_coverage": lambda n: least_coverage(COINS, n),
    "poisoning": lambda n: poisoning(COINS, n),
    "poisoning, liars": lambda n: poisoning(COINS, 1000).shift(n - 1),
    "averaging": lambda n: averaging(COINS, [0.5, 0.5], n),
    "compose": lambda n: compose([COINS], waves=n),
}


@pytest.mark.parametrize("function", COUNTED.values(), ids=COUNTED)
def test_people_and_waves_are_whole_numbers(function: Callable[[Any], object]) -> None:
    for wrong in (20.5, np.float64(20.5), float("nan"), 0):
        with pytest.raises(ValueError, match=r"whole number of|colluding respondents|at least 1 "):
            function(wrong)
    function(20)
    function(np.int64(20))
