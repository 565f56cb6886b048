"""Linkage, totals and the reusable holdout: who is known, rebuilt or misled."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from deniable.lab import holdout, names, totals
from deniable.lab.holdout import PEOPLE, SIZES, Thresholdout, accuracy, keep
from deniable.lab.names import FIVE, STEPS, Classes, certain, in_steps, known_within
from deniable.lab.totals import rebuilt
from tests.lab.shown import found, values

AREAS: Mapping[str, Callable[[int], int]] = {
    "five": lambda code: code,
    "three": lambda code: code // 4,
    "none": lambda _: 0,
}
DAYS: Mapping[str, Callable[[int], int]] = {
    "date": lambda day: day,
    "month": lambda day: 12 * (day // 365) + 12 * (day % 365) // 365,
    "year": lambda day: day // 365,
    "decade": lambda day: day // 3650,
    "none": lambda _: 0,
}


def looks(made: dict[str, Any], postcode: str, born: str, sex: str) -> list[tuple[int, int, int]]:
    """Return what the tables tell of each person, written down in another way."""
    area, when = AREAS[postcode], DAYS[born]
    people = zip(made["code"].tolist(), made["day"].tolist(), made["woman"].tolist(), strict=True)
    return [(area(code), when(day), woman if sex == "told" else 0) for code, day, woman in people]


@pytest.mark.parametrize(
    "told", [("five", "date", "told"), ("three", "month", "told"), ("none", "decade", "none")]
)
def test_people_alike_are_counted_one_by_one(told: tuple[str, str, str]) -> None:
    given = dict(zip(("postcode", "born", "sex"), told, strict=True))
    made, said = found(names.PAGE, **given), values(names.PAGE, **given)
    shown = looks(made, *told)
    counts = Counter(shown)
    assert made["same"].tolist() == [counts[each] for each in shown]
    lonely = [counts[each] == 1 for each in shown]
    assert said["unique"] == pytest.approx(sum(lonely) / len(lonely))
    assert said["named"] == sum(lonely[person] for person in made["patients"].tolist())
    assert said["mayor"] == counts[shown[0]]


def test_the_formula_is_exact_and_towns_near() -> None:
    few = found(names.PAGE, postcode="none", born="none")
    assert (few["kinds"], few["expected"]) == (2, pytest.approx(0, abs=1e-9))
    for seed in ("1", "2", "3"):
        assert found(names.PAGE, seed=seed)["kinds"] == 58_400
        said = values(names.PAGE, postcode="five", born="date", sex="told", seed=seed)
        # 87 % of Americans. Six standard errors of 64,000 people.
        assert said["expected"] == pytest.approx(math.exp(-7999 / 58_400), abs=1e-5)
        assert round(said["expected"], 2) == 0.87
        assert said["unique"] == pytest.approx(said["expected"], abs=6 * math.sqrt(0.25 / 64_000))


def test_small_facts_add_up() -> None:
    # Six films that one in twenty has seen: the others who match are 0.0078 on average.
    assert values(names.PAGE, facts="6", one_in="20")["alone"] == pytest.approx(
        math.exp(-0.0078125), abs=1e-6
    )
    for facts in range(34):
        share = Fraction(1, 2) ** facts
        exact = math.exp(499_999 * math.log1p(-share)) if share < 1 else 0
        given = {"facts": str(facts), "one_in": "2"}
        assert values(names.PAGE, **given)["alone"] == pytest.approx(exact, abs=1e-9)


def test_patients_are_named_exactly_where_they_are_alone() -> None:
    for given in ({}, {"born": "month"}, {"postcode": "none", "sex": "none"}):
        shown = names.PAGE.shown(names.PAGE.read(given))
        (records,) = shown.records
        for place, row in enumerate(records.table.rows):
            assert (place in records.marked) == (row[5] == "1") == (row[0] != "cannot tell")
    hidden = names.PAGE.shown(names.PAGE.read({"postcode": "three", "born": "year"}))
    assert values(names.PAGE, postcode="three", born="year")["named"] == 0
    assert hidden.records[0].marked == ()
    # About 200 people have each year and sex: 32,000 / (80 × 2).
    assert 100 < values(names.PAGE, postcode="three", born="year")["mayor"] < 300


ALL = range(4)


def named(classes: Classes) -> set[frozenset[str]]:
    return {frozenset(FIVE.names[each] for each in group) for group in classes}


TWO = {frozenset({"Ada", "Ben"}), frozenset({"Cem", "Dot", "Eli"})}


def test_the_textbook_s_steps_make_five_2_anonymous() -> None:
    assert named(in_steps(FIVE, "ten", ALL)) == TWO
    found = values(names.PAGE, what="groups", steps="ten")
    assert (found["groups"], found["smallest"], found["lonely"]) == (2, 2, 0)
    assert values(names.PAGE, what="groups", steps="five")["smallest"] == 1
    # Heights of 10 cm, weights of 20 kg and the first digit are all that Ada and Ben show.
    (records,) = names.PAGE.shown(names.PAGE.read({"what": "groups", "steps": "ten"})).records
    assert records.table.rows[0][4:] == ("170 to 179", "60 to 79", "20 to 39", "1****")
    assert records.table.rows[0][4:] == records.table.rows[1][4:]


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("fields", ["tttt", "tnnn", "nnnt", "nntn", "nnnn"])
def test_who_is_known_by_asking_every_pair(steps: str, fields: str) -> None:
    classes = in_steps(FIVE, steps, [at for at, one in enumerate(fields) if one == "t"])
    within, known = set(), set()
    for group in classes:
        for person in group:
            if {FIVE.jobs[each] for each in group} == {FIVE.jobs[person]}:
                known.add(person)
            for asking in group:
                left = {FIVE.jobs[each] for each in group if each != asking}
                if asking != person and left == {FIVE.jobs[person]}:
                    within.add(person)
    assert set(known_within(FIVE, classes)) == within
    assert set(certain(FIVE, classes)) == known
    found = values(names.PAGE, what="groups", steps=steps, fields=fields)
    assert (found["given_away"], found["by_neighbours"]) == (len(known), len(within))


@pytest.mark.parametrize("seed", ["1", "7", "20"])
def test_two_large_counts_tell_of_one_person(seed: str) -> None:
    chance = np.random.default_rng(int(seed))
    chance.integers(20, 65, 64)
    smokes = (chance.random(64) < 0.4).tolist()
    found = values(totals.PAGE, seed=seed)
    assert found["with_dot"] == sum(smokes[1::2])
    assert found["dot"] == found["with_dot"] - found["without_dot"] == smokes[5]
    (records,) = totals.PAGE.shown(totals.PAGE.read({"seed": seed})).records
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
    assert values(totals.PAGE, width=width)["alone"] == len(lonely)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_small_table_is_rebuilt(seed: int) -> None:
    chance = np.random.default_rng(seed)
    truth, sets = (chance.integers(0, 2, size).astype(float) for size in (9, (20, 9)))
    fits = [table for table in product([0, 1], repeat=9) if (sets @ table == sets @ truth).all()]
    assert fits == [tuple(truth.tolist())]
    assert tuple(rebuilt(sets, sets @ truth).tolist()) == fits[0]


@pytest.mark.parametrize("off", [0, 3])
def test_errors_are_whole_numbers_within_bounds(off: int) -> None:
    found = totals.lines(96, off, 3, 10, 0, 1)
    assert set(found["errors"].tolist()) == set(range(-off, off + 1))


def test_small_errors_let_most_of_it_out() -> None:
    assert values(totals.PAGE, counts="64", off="0")["recovered"] == 1
    assert values(totals.PAGE, counts="800", off="8")["recovered"] > 0.85


@pytest.mark.parametrize("seed", ["1", "7"])
@pytest.mark.parametrize("traits", ["100", "400", "2000"])
def test_the_guess_is_right_as_often_as_said(traits: str, seed: str) -> None:
    formula = NormalDist().cdf(math.sqrt(int(traits) / 100) / 2)
    found = values(totals.PAGE, traits=traits, seed=seed)["guessed_right"]
    # Six standard errors of 200 people, and what a normal curve is off for few traits.
    assert found == pytest.approx(formula, abs=6 * math.sqrt(0.25 / 200) + 0.01)


def test_noise_for_one_epsilon_leaves_a_guess() -> None:
    found = values(totals.PAGE, traits="400", noise="1")["guessed_right"]
    assert found == pytest.approx(0.5, abs=6 * math.sqrt(0.25 / 200))


CHANCE = 6 * math.sqrt(0.25 / PEOPLE)
"""Six standard errors of a share of a thousand people: two in a billion runs are further off."""


def test_without_noise_the_threshold_answers() -> None:
    guard = Thresholdout(0.1, 0, 2, seed=1)
    asked = [(0.5, 0.55), (0.5, 0.7), (0.2, 0.3), (0.9, 0.1), (0.5, 0.5)]
    answers = [guard.ask(*both) for both in asked]
    assert answers[:4] == [0.5, 0.7, 0.2, 0.1]
    assert math.isnan(answers[4])
    assert guard.used == 2


def test_noise_has_the_size_that_is_said() -> None:
    guard = Thresholdout(0.1, 0.05, 4000, seed=1)
    noise = np.array([guard.ask(0, 1) - 1 for _ in range(4000)])
    assert noise.std() == pytest.approx(0.05, rel=6 / math.sqrt(8000))
    # At the threshold itself one of two answers comes from the holdout.
    edge = Thresholdout(0.1, 0.05, 4000, seed=2)
    for _ in range(4000):
        edge.ask(0, 0.1)
    assert edge.used / 4000 == pytest.approx(0.5, abs=6 * math.sqrt(0.25 / 4000))


def test_correlations_features_and_votes_by_hand() -> None:
    train, held, _ = holdout.made_up("some", 8)
    for part in (train, held):
        for feature in (0, 5, 500):
            agree = sum(
                int(one) == int(label)
                for one, label in zip(part.features[:, feature], part.labels, strict=True)
            )
            assert part.correlations[feature] == pytest.approx(2 * agree / PEOPLE - 1, abs=1e-6)
        # The first twenty tell something, the others nothing.
        assert part.correlations[:20].mean() == pytest.approx(0.15, abs=6 / math.sqrt(20_000))
        assert part.correlations[20:].mean() == pytest.approx(0, abs=6 / math.sqrt(980_000))
    kept = keep(train.correlations, held.correlations)
    for feature in range(1000):
        one, other = train.correlations[feature], held.correlations[feature]
        agrees = one * other > 0 and min(abs(one), abs(other)) > 1 / math.sqrt(PEOPLE)
        assert (feature in kept) == agrees
    sizes = np.abs(train.correlations[kept]).tolist()
    assert sizes == sorted(sizes, reverse=True)
    right = 0.0
    for features, label in zip(held.features, held.labels, strict=True):
        votes = sum(
            int(features[each]) * (1 if train.correlations[each] > 0 else -1) for each in kept[:10]
        )
        right += 0.5 if votes == 0 else (votes > 0) == (label > 0)
    assert accuracy(train, held, kept)[0] == pytest.approx(right / PEOPLE)


@pytest.mark.parametrize("seed", [1, 3, 8])
def test_the_open_holdout_misleads_and_thresholdout_does_not(seed: int) -> None:
    both = holdout.lines("none", 50, 0.12, 0.03, 100, seed)
    for fresh in (both["true_plain"], both["true_guarded"]):
        assert fresh == pytest.approx([0.5] * len(SIZES), abs=CHANCE)
    # One in twenty features agrees by chance: of 1,000 about 50, within six standard errors.
    agree = 2 * 0.15866**2
    assert both["kept_plain"] == pytest.approx(1000 * agree, abs=6 * math.sqrt(1000 * agree))
    # They agree by 1.525/√n on average, so a vote of 50 is right by Φ(1.525 × √(50/1000)).
    formula = 0.5 + 0.5 * math.erf(1.525 * math.sqrt(50 / PEOPLE) / math.sqrt(2))
    assert both["reported_plain"] == pytest.approx(formula, abs=CHANCE)
    assert both["reported_plain"] > 0.6
    assert abs(both["reported_guarded"] - 0.5) < 0.12
    assert both["used"] <= 100
