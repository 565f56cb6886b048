"""Linkage and k-anonymity: who is alone or known, by counting people and asking every pair."""

import math
from collections import Counter
from fractions import Fraction
from itertools import chain

import pytest

from deniable.lab.groups import (
    FIVE,
    Classes,
    People,
    certain,
    hundreds,
    in_steps,
    known_within,
    lost,
    mondrian,
)
from deniable.lab.names import PAGE
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
def test_people_who_look_alike_are_counted_one_by_one(told: tuple[str, str, str]) -> None:
    shown = looks(*told)
    counts = Counter(shown)
    given = dict(zip(("postcode", "born", "sex"), told, strict=True))
    made, said = found(PAGE, **given), values(PAGE, **given)
    assert made["same"].tolist() == [counts[each] for each in shown]
    lonely = [counts[each] == 1 for each in shown]
    assert said["unique"] == pytest.approx(sum(lonely) / len(lonely))
    assert said["named"] == sum(lonely[person] for person in made["patients"].tolist())
    assert said["mayor"] == counts[shown[0]]


def test_the_formula_is_exact_and_the_town_is_near_it() -> None:
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


MANY = hundreds(1)
ALL = range(4)


def named(classes: Classes) -> set[frozenset[str]]:
    return {frozenset(FIVE.names[each] for each in group) for group in classes}


TWO = {frozenset({"Ada", "Ben"}), frozenset({"Cem", "Dot", "Eli"})}


def test_the_textbook_s_steps_make_its_five_people_2_anonymous() -> None:
    assert named(in_steps(FIVE, "ten", ALL)) == TWO
    found = values(PAGE, what="groups", table="five", how="steps", steps="ten")
    assert (found["groups"], found["smallest"], found["lonely"]) == (2, 2, 0)
    assert values(PAGE, what="groups", table="five", how="steps", steps="five")["smallest"] == 1
    # Heights of 10 cm, weights of 20 kg and the first digit are all that Ada and Ben show.
    (records,) = PAGE.shown(PAGE.read({"what": "groups", "table": "five", "steps": "ten"})).records
    assert records.table.rows[0][4:] == ("170 to 179", "60 to 79", "20 to 39", "1****")
    assert records.table.rows[0][4:] == records.table.rows[1][4:]


def test_mondrian_finds_the_same_two_groups_and_tells_more() -> None:
    by_cuts = mondrian(FIVE, 2, ALL)
    assert named(by_cuts) == TWO
    (records,) = PAGE.shown(PAGE.read({"what": "groups", "how": "mondrian", "k": "2"})).records
    ada = next(row for row in records.table.rows if row[0] == "Ada")
    assert ada[4:] == ("174 to 178", "71 to 76", "34 to 38", "10115 to 13357")
    # Widths by hand: of 17 cm, 27 kg, 23 years and 12,186 postcodes.
    whole = (17, 27, 23, 12_186)
    ada_ben, others = (4, 5, 4, 3242), (6, 9, 16, 2206)
    by_hand = [
        sum(Fraction(part, of) for part, of in zip(widths, whole, strict=True)) / 4
        for widths in (ada_ben, others)
    ]
    assert lost(FIVE, by_cuts, ALL) == pytest.approx(float((2 * by_hand[0] + 3 * by_hand[1]) / 5))


def can_be_cut(table: People, group: list[int], k: int, fields: tuple[int, ...]) -> bool:
    """Return whether some field has a middle with k people on each side."""
    for field in fields:
        column = sorted(table.rows[each][field] for each in group)
        below = sum(value <= column[(len(column) - 1) // 2] for value in column)
        if k <= below <= len(column) - k:
            return True
    return False


@pytest.mark.parametrize("fields", [(0, 1, 2, 3), (2,), (0, 3)])
@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_mondrian_s_groups_are_large_enough_apart_and_as_small_as_cuts_allow(
    k: int, fields: tuple[int, ...]
) -> None:
    classes = mondrian(MANY, k, fields)
    assert sorted(chain(*classes)) == list(range(300))
    assert min(map(len, classes)) >= k
    assert not any(can_be_cut(MANY, group, k, fields) for group in classes)
    spans = [
        [
            (min(values), max(values))
            for values in zip(*(MANY.rows[each] for each in group), strict=True)
        ]
        for group in classes
    ]
    # Equal values stay together: two groups are apart in some field that is told.
    for place, one in enumerate(spans):
        for other in spans[:place]:
            assert any(
                one[field][0] > other[field][1] or other[field][0] > one[field][1]
                for field in fields
            )


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_who_is_known_by_asking_every_pair(k: int) -> None:
    classes = mondrian(MANY, k, ALL)
    within, known = set(), set()
    for group in classes:
        for person in group:
            if {MANY.jobs[each] for each in group} == {MANY.jobs[person]}:
                known.add(person)
            for asking in group:
                left = {MANY.jobs[each] for each in group if each != asking}
                if asking != person and left == {MANY.jobs[person]}:
                    within.add(person)
    assert set(known_within(MANY, classes)) == within
    assert set(certain(MANY, classes)) == known
    found = values(PAGE, what="groups", table="hundreds", how="mondrian", k=str(k))
    assert (found["given_away"], found["by_neighbours"]) == (len(known), len(within))


@pytest.mark.parametrize("fields", ["tnnn", "ttnn", "tttn", "tttt"])
def test_more_fields_are_more_unique(fields: str) -> None:
    given = {"table": "hundreds", "steps": "exact", "fields": fields}
    seen = [row[: fields.count("t")] for row in MANY.rows]
    alone = sum(seen.count(each) == 1 for each in seen)
    assert values(PAGE, what="groups", **given)["lonely"] == alone
    assert {"tnnn": 12, "ttnn": 228, "tttn": 298, "tttt": 300}[fields] == alone
