"""Linkage: who is alone, by counting tuples one by one and by the exact formula."""

import math
from collections import Counter
from fractions import Fraction

import pytest

from deniable.lab.names import PAGE, VIEWERS, alike, alone, compute, expected, kinds, town
from tests.lab.shown import values


def looks(postcode: str, born: str, sex: str) -> list[tuple[int, int, int]]:
    """Return what the tables tell of each person, written down in another way."""
    made = town(1)
    shown = []
    for code, day, woman in zip(
        made.postcode.tolist(), made.born.tolist(), made.woman.tolist(), strict=True
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
    assert alike(town(1), *told).tolist() == [counts[each] for each in shown]
    found = values(PAGE, postcode=told[0], born=told[1], sex=told[2])
    lonely = [counts[each] == 1 for each in shown]
    assert found["unique"] == pytest.approx(sum(lonely) / len(lonely))
    assert found["named"] == sum(lonely[person] for person in town(1).patients.tolist())
    assert found["mayor"] == counts[shown[0]]


def test_the_formula_is_exact_and_the_town_is_near_it() -> None:
    for m, n in [(2, 3), (10, 7), (58_400, 40)]:
        assert expected(m, n) == pytest.approx(float(Fraction(m - 1, m) ** (n - 1)))
    assert kinds("date", "told") == 58_400
    for seed in ("1", "2", "3"):
        found = values(PAGE, postcode="five", born="date", sex="told", seed=seed)
        # 87 % of Americans. Six standard errors of 64,000 people.
        assert found["expected"] == pytest.approx(math.exp(-7999 / 58_400), abs=1e-5)
        assert round(found["expected"], 2) == 0.87
        assert found["unique"] == pytest.approx(found["expected"], abs=6 * math.sqrt(0.25 / 64_000))


def test_small_facts_add_up() -> None:
    # Six films that one in twenty has seen: the others who match are 0.0078 on average.
    assert values(PAGE, facts="6", one_in="20")["alone"] == pytest.approx(
        math.exp(-0.0078125), abs=1e-6
    )
    for facts in range(34):
        share = Fraction(1, 2) ** facts
        exact = math.exp((VIEWERS - 1) * math.log1p(-share)) if share < 1 else 0
        assert alone(facts, 2) == pytest.approx(exact, abs=1e-9)
    assert 2**32 < 8e9 < 2**33


def test_patients_are_named_exactly_where_they_are_alone() -> None:
    for given in ({}, {"born": "month"}, {"postcode": "none", "sex": "none"}):
        shown = compute(PAGE.read(given))
        (records,) = shown.records
        for place, row in enumerate(records.table.rows):
            assert (place in records.marked) == (row[5] == "1") == (row[0] != "cannot tell")
    hidden = compute(PAGE.read({"postcode": "three", "born": "year"}))
    assert values(PAGE, postcode="three", born="year")["named"] == 0
    assert hidden.records[0].marked == ()
    # About 200 people have each year and sex: 32,000 / (80 × 2).
    assert 100 < values(PAGE, postcode="three", born="year")["mayor"] < 300
