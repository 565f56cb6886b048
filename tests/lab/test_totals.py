"""Totals: subtraction by hand, tables rebuilt against every table, and members by the formula."""

import math
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest

from deniable.lab.totals import PAGE, lines, rebuilt
from tests.lab.shown import values


@pytest.mark.parametrize("seed", ["1", "7", "20"])
def test_two_large_counts_tell_of_one_person(seed: str) -> None:
    chance = np.random.default_rng(int(seed))
    chance.integers(20, 65, 64)
    smokes = (chance.random(64) < 0.4).tolist()
    found = values(PAGE, seed=seed)
    assert found["with_dot"] == sum(smokes[1::2])
    assert found["dot"] == found["with_dot"] - found["without_dot"] == smokes[5]
    (records,) = PAGE.shown(PAGE.read({"seed": seed})).records
    answers = [row[2] for row in records.table.rows]
    # One person, all of them, and all but one: too few are left or too many are asked for.
    assert answers[:3] == ["no answer"] * 3
    assert [int(one) for one in answers[3:]] == [
        found[one] for one in ("with_dot", "without_dot", "dot")
    ]
    assert [row[1] for row in records.table.rows] == ["1", "64", "63", "32", "31", "1"]


@pytest.mark.parametrize("width", ["1", "3", "10"])
def test_who_is_alone_in_an_age_group(width: str) -> None:
    ages = np.random.default_rng(7).integers(20, 65, 64).tolist()
    lonely = [
        age for age in ages if sum(age // int(width) == each // int(width) for each in ages) == 1
    ]
    assert values(PAGE, width=width)["alone"] == len(lonely)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_small_table_is_rebuilt(seed: int) -> None:
    chance = np.random.default_rng(seed)
    truth, sets = (chance.integers(0, 2, size).astype(float) for size in (9, (20, 9)))
    fits = [table for table in product([0, 1], repeat=9) if (sets @ table == sets @ truth).all()]
    assert fits == [tuple(truth.tolist())]
    assert tuple(rebuilt(sets, sets @ truth).tolist()) == fits[0]


@pytest.mark.parametrize("off", [0, 3])
def test_errors_are_whole_numbers_within_bounds(off: int) -> None:
    found = lines(96, off, 3, 10, 0, 1, 1)
    assert set(found["errors"].tolist()) == set(range(-off, off + 1))


def test_small_errors_let_most_of_it_out() -> None:
    assert values(PAGE, counts="64", off="0")["recovered"] == 1
    assert values(PAGE, counts="800", off="8")["recovered"] > 0.85


@pytest.mark.parametrize("seed", ["1", "7"])
@pytest.mark.parametrize("traits", ["100", "400", "2000"])
def test_the_guess_is_right_as_often_as_said(traits: str, seed: str) -> None:
    formula = NormalDist().cdf(math.sqrt(int(traits) / 100) / 2)
    found = values(PAGE, traits=traits, seed=seed)["guessed_right"]
    # Six standard errors of 200 people, and what a normal curve is off for few traits.
    assert found == pytest.approx(formula, abs=6 * math.sqrt(0.25 / 200) + 0.01)


def test_noise_for_one_epsilon_leaves_a_guess() -> None:
    found = values(PAGE, traits="400", noise="1")["guessed_right"]
    assert found == pytest.approx(0.5, abs=6 * math.sqrt(0.25 / 200))


@pytest.mark.parametrize("near", [1, 3, 20])
def test_the_model_s_errors_by_sorting(near: int) -> None:
    found = lines(96, 0, 3, 10, 0, near, 1)
    hours, pulse = found["hours"].tolist(), found["pulse"]
    for place, errors in enumerate((found["wrong"], found["wrong_others"])):
        for who in range(0, 200, 17):
            at = hours[place][who]
            away = {each: abs(hours[0][each] - at) for each in range(200)}
            nearest = sorted(away, key=away.__getitem__)
            mean = sum(pulse[0][each] for each in nearest[:near]) / near
            assert errors[who] == pytest.approx(abs(pulse[place][who] - mean))
