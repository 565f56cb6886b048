"""What a budget buys, against closed forms."""

import math

import numpy as np
import pytest

from deniable.analysis.planning.budgets import precision
from deniable.analysis.planning.widths import half_width, mean_half_width
from deniable.estimator import for_values
from deniable.survey import Survey
from deniable.survey_file import read
from tests import vectors

Z = 1.959963984540054


def five(budget: str) -> Survey:
    """Read a survey of five yes-or-no questions at ε = 1."""
    questions = "".join(
        f"  - {{id: q{number}, text: T, type: single, answers: [No, Yes]}}\n" for number in range(5)
    )
    head = f"version: 1\nsurvey: s\ntitle: T\nepsilon: 1\n{budget}\nquestions:\n"
    return read(head + questions).survey


def variance(epsilon: float) -> float:
    """Return the variance of one report at worst: (e + 1)^2 / (4 (e - 1)^2), Warner (1965)."""
    e = math.exp(epsilon)
    return ((e + 1) / (e - 1)) ** 2 / 4


def test_asking_one_of_five_has_about_a_fifth_of_the_variance() -> None:
    n = 10_000
    equal = precision(five("split: equal"), n)
    one = precision(five("ask: 1"), n)
    for found, epsilon, asked in ((equal, 1 / 5, n), (one, 1, n / 5)):
        for item in found:
            assert item.respondents == asked
            assert item.widest == pytest.approx(Z * math.sqrt(variance(epsilon) / asked), rel=1e-5)
    ratio = (one[0].widest / equal[0].widest) ** 2
    assert ratio == pytest.approx(variance(1) * 5 / variance(1 / 5), rel=1e-4)
    assert 0.19 < ratio < 0.24


def test_asking_some_lies_between() -> None:
    widths = [precision(five(f"ask: {asked}"), 1000)[0].widest for asked in (1, 2, 3, 4)]
    assert widths == sorted(widths)
    assert precision(five("split: equal"), 1000)[0].widest > widths[-1]


def test_optimal_shares_of_like_questions_are_equal() -> None:
    equal, best = (precision(five(f"split: {split}"), 1000) for split in ("equal", "optimal"))
    assert [item.widest for item in best] == pytest.approx([item.widest for item in equal])


def test_shares_and_means_are_those_of_the_planner() -> None:
    survey = read(vectors.asking_file()).survey
    found = precision(survey, 600, 0.9)
    assert [item.respondents for item in found] == pytest.approx(
        [300, *[150] * 4, *[100] * 3, 300, *[200] * 3, 600]
    )
    doped, coach, years, age = (found[place] for place in (0, 5, 8, 12))
    assert doped.shares == pytest.approx(half_width(doped.item.channel, 300, 0.9))
    assert coach.shares == pytest.approx(half_width(coach.item.channel, 100, 0.9))
    assert age.shares == pytest.approx(half_width(age.item.channel, 600, 0.9))
    assert (years.shares, years.span) == (None, 40)
    channel = years.item.channel
    assert years.mean == pytest.approx(mean_half_width(channel, range(41), 300, 0.9))
    # At the worst population no mean is known better: half of it at either end is one that is not.
    g = for_values(channel, range(41))
    ends = channel.probabilities[[0, 40]].mean(axis=0)
    assert years.widest >= 1.6448 * math.sqrt((ends @ g**2 - 20**2) / 300)
    assert doped.mean is None
    assert coach.widest == pytest.approx(max(half_width(coach.item.channel, 100, 0.9)))


def test_those_who_decline_count_for_the_middle() -> None:
    question = "id: q, text: T, type: number, min: 10, max: 12, epsilon: 1, prefer_not_to_say: true"
    head = "version: 1\nsurvey: s\ntitle: T\nquestions:\n"
    (item,) = precision(read(f"{head}  - {{{question}}}\n").survey, 100)
    assert item.mean == pytest.approx(mean_half_width(item.item.channel, [10, 11, 12, 11], 100))
    assert item.span == 2
    assert item.shares is not None
    assert item.shares.shape == (4,)
    assert np.isfinite(item.widest)


def test_nobody_tells_nothing() -> None:
    with pytest.raises(ValueError, match="at least 1 respondent, found 0"):
        precision(five(""), 0)
