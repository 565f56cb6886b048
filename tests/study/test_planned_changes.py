"""How precise a change between two waves will be, against other ways to find it."""

import math
from statistics import NormalDist

import numpy as np
import pytest

import deniable
from deniable.analysis.estimation import estimate
from deniable.analysis.intervals import bonferroni
from deniable.analysis.waves import told_together
from deniable.estimator import mean_variance
from deniable.survey_file import read
from tests.kit.surveys import file_of, yes_or_no

WAVES = "epsilon: 4\nwaves: {count: 2, redraw: 1/10}"
NUMBER = "id: hours, text: H, type: number, min: 0, max: 4"


def planned(text: str, n: int) -> list[float]:
    """Return the planned reach of the change of each question."""
    rows = deniable.open(read(text).survey).plan(n).export.rows
    return [float(row["change"] or 0) for row in rows]


@pytest.mark.parametrize("n", [25, 100, 130, 1000])
def test_no_pair_of_counts_reaches_further(n: int) -> None:
    """The interval of a difference of two shares, of all counts in both waves."""
    text = file_of(*yes_or_no(""), head=WAVES)
    channel = read(text).survey.items[0].channel
    found = [estimate([n - yes, yes], channel) for yes in range(n + 1)]
    # Newcombe's ends are hypotenuses, so that the greatest is that of the greatest legs.
    ends = np.array([one.interval(0.95, one.end_method())[1] - one.theta[1] for one in found])
    furthest = math.hypot(ends[:, 0].min(), ends[:, 1].max())
    (reach,) = planned(text, n)
    assert furthest <= reach <= 1.05 * furthest


def test_it_is_of_all_changes_in_questions_units() -> None:
    """By the formula of a mean's variance, at the level that Bonferroni gives each change."""
    text = file_of(*yes_or_no("", ""), NUMBER, head=WAVES)
    survey = read(text).survey
    assert told_together(survey, 1) == (3, 5)
    z = NormalDist().inv_cdf(1 - 0.05 / 3 / 2)
    variance = mean_variance(survey.items[2].channel, range(5))
    *_, hours = planned(text, 900)
    assert hours == pytest.approx(z * math.sqrt(2 * variance / 900))
    three = text.replace("count: 2", "count: 3")
    z_of_three = NormalDist().inv_cdf(1 - 0.05 / 6 / 2)
    assert planned(three, 900)[2] == pytest.approx(hours * z_of_three / z)


def test_a_survey_asked_once_has_no_change() -> None:
    study = deniable.open(read(file_of(*yes_or_no(""), head="epsilon: 1")).survey)
    assert "change" not in study.plan(1000).export.rows[0]
    assert "Change" not in repr(study.plan(1000))


def test_a_follow_up_s_is_among_those_concerned() -> None:
    why = "id: why, text: W, type: single, answers: [A, B, C], ask_if: {q0: yes}"
    survey = read(file_of(*yes_or_no(""), why, head=WAVES)).survey
    row = deniable.open(survey).plan(2000, applies=0.5, level=0.9).export.rows[1]
    level = bonferroni(0.9, told_together(survey, 1)[0])
    single = deniable.open(survey).plan(2000, applies=0.5, level=level).export.rows[1]
    assert row["change"] == pytest.approx(math.sqrt(2) * float(single["reach"] or 0))
    assert "among the 1,000 it applies to" in repr(deniable.open(survey).plan(2000, applies=0.5))
