"""Totals: subtraction by hand, and tables rebuilt against every table that there could be."""

from itertools import product

import numpy as np
import pytest

from deniable.lab.totals import PAGE, PEOPLE, compute, made_up, rebuilt
from tests.lab.shown import values


@pytest.mark.parametrize("seed", ["1", "7", "20"])
@pytest.mark.parametrize("person", ["5", "12", "40"])
def test_two_large_counts_tell_of_one_person(person: str, seed: str) -> None:
    smokes = made_up(int(seed)).smokes.tolist()
    found = values(PAGE, person=person, seed=seed)
    alike = [each for each in range(PEOPLE) if each % 2 == int(person) % 2]
    assert found["with_person"] == sum(smokes[each] for each in alike)
    assert found["found"] == smokes[int(person)]
    assert found["smallest_set"] == 31


def test_a_least_number_of_people_refuses_the_one_and_not_the_two() -> None:
    for least in (2, 5, 20, 31, 32, 40):
        (records,) = compute(PAGE.read({"least": str(least)})).records
        answers = [row[2] for row in records.table.rows]
        # One person, all of them, and all but one: too few are left or too many are asked for.
        assert answers[:3] == ["no answer"] * 3
        # All but 31 are 33 people, so a rule of 31 allows both counts.
        assert ("no answer" in answers[3:5]) == (least > 31)
        assert records.marked == (() if least > 31 else (5,))
    (lax,) = compute(PAGE.read({"least": "1"})).records
    smokers = int(made_up(7).smokes.sum())
    assert [row[2] for row in lax.table.rows[:3]] == ["1", "no answer", str(smokers - 1)]


@pytest.mark.parametrize("person", ["5", "12", "40"])
@pytest.mark.parametrize("least", range(1, 41))
def test_what_is_said_is_what_the_tracker_found(least: int, person: str) -> None:
    shown = compute(PAGE.read({"least": str(least), "person": person}))
    answers = [row[2] for row in shown.records[0].table.rows[3:]]
    found = {value.name: value.text for value in shown.values}
    said = shown.said[0]
    assert ("is found" in said) == ("found" in found) == ("no answer" not in answers)
    if "found" in found:
        assert (found["with_person"], found["without_person"]) == tuple(answers[:2])
        assert {"yes": "1", "no": "0"}[found["found"]] == answers[2]
    else:
        assert "refuses the count of 31" in said
        assert ("every other count" in said) == (answers[:2] == ["no answer"] * 2)


@pytest.mark.parametrize("width", ["1", "3", "10"])
def test_who_is_alone_in_an_age_group(width: str) -> None:
    ages = made_up(7).ages.tolist()
    lonely = [
        age for age in ages if sum(age // int(width) == each // int(width) for each in ages) == 1
    ]
    assert values(PAGE, width=width)["alone"] == len(lonely)
    shown = compute(PAGE.read({"width": width})).pictures[0]
    given_away = [row for row in shown.table.rows if row[3]]
    assert len(given_away) == len(lonely)
    assert sum(shown.series[0].y) == PEOPLE
    assert sum(shown.series[1].y) == made_up(7).smokes.sum()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_small_table_is_rebuilt_as_the_only_one_that_fits(seed: int) -> None:
    chance = np.random.default_rng(seed)
    truth, sets = chance.integers(0, 2, 9), chance.integers(0, 2, (20, 9))
    fits = [table for table in product([0, 1], repeat=9) if (sets @ table == sets @ truth).all()]
    assert fits == [tuple(truth.tolist())]
    assert tuple(rebuilt(sets, sets @ truth).tolist()) == fits[0]


def test_errors_are_whole_numbers_within_bounds_and_laplace_noise_has_its_law() -> None:
    staff = made_up(1)
    assert set(staff.errors(0).tolist()) == {0}
    assert set(staff.errors(3).tolist()) == set(range(-3, 4))
    noise = staff.laplace(2.0)
    below = np.where(noise < 0, np.exp(noise / 2) / 2, 1 - np.exp(-noise / 2) / 2)
    assert below == pytest.approx(staff.chances)


def test_counts_with_small_errors_let_most_of_the_table_out() -> None:
    assert values(PAGE, counts="64", off="0")["recovered"] == 1
    assert values(PAGE, counts="800", off="8")["recovered"] > 0.85
