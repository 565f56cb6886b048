"""k-anonymity: groups checked by definition, and what is known by asking every pair of people."""

from fractions import Fraction
from itertools import chain

import pytest

from deniable.lab.groups import (
    PAGE,
    Classes,
    Made,
    certain,
    compute,
    in_steps,
    known_within,
    lost,
    made_up,
    mondrian,
)
from tests.lab.shown import picture, values

FIVE = made_up("five", 1)
MANY = made_up("hundreds", 1)
ALL = range(4)


def named(classes: Classes) -> set[frozenset[str]]:
    return {frozenset(FIVE.names[each] for each in group) for group in classes}


TWO = {frozenset({"Ada", "Ben"}), frozenset({"Cem", "Dot", "Eli"})}


def test_the_textbook_s_steps_make_its_five_people_2_anonymous() -> None:
    assert named(in_steps(FIVE, "ten", ALL)) == TWO
    found = values(PAGE, table="five", how="steps", steps="ten")
    assert (found["groups"], found["smallest"], found["alone"]) == (2, 2, 0)
    assert values(PAGE, table="five", how="steps", steps="five")["smallest"] == 1
    # Heights of 10 cm, weights of 20 kg and the first digit are all that Ada and Ben show.
    (records,) = compute(PAGE.read({"table": "five", "steps": "ten"})).records
    assert records.table.rows[0][4:] == ("170 to 179", "60 to 79", "20 to 39", "1****")
    assert records.table.rows[0][4:] == records.table.rows[1][4:]


def test_mondrian_finds_the_same_two_groups_and_tells_more() -> None:
    by_cuts = mondrian(FIVE, 2, ALL)
    assert named(by_cuts) == TWO
    (records,) = compute(PAGE.read({"how": "mondrian", "k": "2"})).records
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


def can_be_cut(table: Made, group: list[int], k: int, fields: tuple[int, ...]) -> bool:
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
            if {MANY.secret[each] for each in group} == {MANY.secret[person]}:
                known.add(person)
            for asking in group:
                left = {MANY.secret[each] for each in group if each != asking}
                if asking != person and left == {MANY.secret[person]}:
                    within.add(person)
    assert set(known_within(MANY, classes)) == within
    assert set(certain(MANY, classes)) == known
    found = values(PAGE, table="hundreds", how="mondrian", k=str(k))
    assert (found["given_away"], found["by_neighbours"]) == (len(known), len(within))


def test_more_fields_are_more_unique() -> None:
    shares = list(picture(PAGE, "more", table="hundreds").series[0].y)
    assert shares == sorted(shares)
    for fields in range(1, 5):
        seen = [row[:fields] for row in MANY.rows]
        assert shares[fields - 1] == sum(seen.count(each) == 1 for each in seen) / 300
