"""Linkage and k-anonymity: who is alone or known, by counting people and asking every pair."""

import math
from collections import Counter
from fractions import Fraction

import pytest

from deniable.lab.names import FIVE, PAGE, STEPS, Classes, certain, in_steps, known_within
from tests.lab.shown import found, values


def looks(postcode: str, born: str, sex: str) -> list[tuple[int, int, int]]:
    """Return what the tables tell of each person, written down in another way."""
    made = found(PAGE)
    shown = []
    for code, day, woman in zip(
        made["code"].tolist(), made["day"].tolist(), made["woman"].tolist(), strict=True
    ):
        year, rest = divmod(day, 365)
        when = {
            "date": day,
            "month": 12 * year + math.floor(Fraction(12 * rest, 365)),
            "year": year,
            "decade": year // 10,
            "none": 0,
        }[born]
        area = {"five": code, "three": code // 4, "none": 0}[postcode]
        shown.append((area, when, woman if sex == "told" else 0))
    return shown


@pytest.mark.parametrize(
    "told",
    [("five", "date", "told"), ("three", "month", "told"), ("none", "decade", "none")],
)
def test_people_alike_are_counted_one_by_one(told: tuple[str, str, str]) -> None:
    shown = looks(*told)
    counts = Counter(shown)
    given = dict(zip(("postcode", "born", "sex"), told, strict=True))
    made, said = found(PAGE, **given), values(PAGE, **given)
    assert made["same"].tolist() == [counts[each] for each in shown]
    lonely = [counts[each] == 1 for each in shown]
    assert said["unique"] == pytest.approx(sum(lonely) / len(lonely))
    assert said["named"] == sum(lonely[person] for person in made["patients"].tolist())
    assert said["mayor"] == counts[shown[0]]


def test_the_formula_is_exact_and_towns_near() -> None:
    few = found(PAGE, postcode="none", born="none")
    assert (few["kinds"], few["expected"]) == (2, pytest.approx(0, abs=1e-9))
    for seed in ("1", "2", "3"):
        assert found(PAGE, seed=seed)["kinds"] == 58_400
        said = values(PAGE, postcode="five", born="date", sex="told", seed=seed)
        # 87 % of Americans. Six standard errors of 64,000 people.
        assert said["expected"] == pytest.approx(math.exp(-7999 / 58_400), abs=1e-5)
        assert round(said["expected"], 2) == 0.87
        assert said["unique"] == pytest.approx(said["expected"], abs=6 * math.sqrt(0.25 / 64_000))


def test_small_facts_add_up() -> None:
    # Six films that one in twenty has seen: the others who match are 0.0078 on average.
    assert values(PAGE, facts="6", one_in="20")["alone"] == pytest.approx(
        math.exp(-0.0078125), abs=1e-6
    )
    for facts in range(34):
        share = Fraction(1, 2) ** facts
        exact = math.exp(499_999 * math.log1p(-share)) if share < 1 else 0
        given = {"facts": str(facts), "one_in": "2"}
        assert values(PAGE, **given)["alone"] == pytest.approx(exact, abs=1e-9)
    assert 2**32 < 8e9 < 2**33


def test_patients_are_named_exactly_where_they_are_alone() -> None:
    for given in ({}, {"born": "month"}, {"postcode": "none", "sex": "none"}):
        shown = PAGE.shown(PAGE.read(given))
        (records,) = shown.records
        for place, row in enumerate(records.table.rows):
            assert (place in records.marked) == (row[5] == "1") == (row[0] != "cannot tell")
    hidden = PAGE.shown(PAGE.read({"postcode": "three", "born": "year"}))
    assert values(PAGE, postcode="three", born="year")["named"] == 0
    assert hidden.records[0].marked == ()
    # About 200 people have each year and sex: 32,000 / (80 × 2).
    assert 100 < values(PAGE, postcode="three", born="year")["mayor"] < 300


ALL = range(4)


def named(classes: Classes) -> set[frozenset[str]]:
    return {frozenset(FIVE.names[each] for each in group) for group in classes}


TWO = {frozenset({"Ada", "Ben"}), frozenset({"Cem", "Dot", "Eli"})}


def test_the_textbook_s_steps_make_five_2_anonymous() -> None:
    assert named(in_steps(FIVE, "ten", ALL)) == TWO
    found = values(PAGE, what="groups", steps="ten")
    assert (found["groups"], found["smallest"], found["lonely"]) == (2, 2, 0)
    assert values(PAGE, what="groups", steps="five")["smallest"] == 1
    # Heights of 10 cm, weights of 20 kg and the first digit are all that Ada and Ben show.
    (records,) = PAGE.shown(PAGE.read({"what": "groups", "steps": "ten"})).records
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
    found = values(PAGE, what="groups", steps=steps, fields=fields)
    assert (found["given_away"], found["by_neighbours"]) == (len(known), len(within))
