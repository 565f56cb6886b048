"""The adversary: beliefs by Bayes' rule, tests by enumeration, and who is found without chance."""

import math
from fractions import Fraction
from itertools import pairwise, product

import pytest

from deniable.lab.adversary import PAGE, compute, found_out, tables
from tests.lab.shown import picture, values

FLIPS = ["0.01", "0.1", "0.25", "0.4", "0.5"]
PRIORS = ["0.01", "0.1", "0.5", "0.99"]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("flip", FLIPS)
def test_beliefs_follow_bayes_rule_and_stay_within_the_bounds(flip: str, prior: str) -> None:
    found, p, q = values(PAGE, flip=flip, prior=prior), Fraction(flip), Fraction(prior)
    after_yes = q * (1 - p) / (q * (1 - p) + (1 - q) * p)
    after_no = q * p / (q * p + (1 - q) * (1 - p))
    assert found["after_yes"] == pytest.approx(float(after_yes), abs=1e-8)
    assert found["after_no"] == pytest.approx(float(after_no), abs=1e-8)
    ratio, beta = float((1 - p) / p), float(q)
    assert found["epsilon"] == pytest.approx(math.log(ratio), abs=2e-6)
    assert found["lowest"] == pytest.approx(beta / (beta + ratio * (1 - beta)), abs=2e-6)
    assert found["highest"] == pytest.approx(beta / (beta + (1 - beta) / ratio), abs=2e-6)
    assert found["lowest"] - 1e-12 <= found["after_no"] <= found["after_yes"] + 1e-12
    assert found["after_yes"] <= found["highest"] + 1e-12
    # The mean of the loss, which is ±ε: Kullback and Leibler's divergence.
    assert found["mean_loss"] == pytest.approx(float(1 - 2 * p) * math.log(ratio), abs=1e-8)


@pytest.mark.parametrize("flip", FLIPS)
def test_no_test_of_a_report_is_below_the_line_that_is_drawn(flip: str) -> None:
    best, p = picture(PAGE, "tests", flip=flip).series[0], float(Fraction(flip))
    assert [best.x, best.y] == [pytest.approx([0, p, 1]), pytest.approx([1, p, 0])]
    bound = (1 - p) / p
    # Whoever sees a yes is accused with one chance, whoever sees a no with another.
    for after_no, after_yes in product([0, 0.25, 0.5, 1], repeat=2):
        alarm = (1 - p) * after_no + p * after_yes
        miss = 1 - p * after_no - (1 - p) * after_yes
        assert alarm + bound * miss >= 1 - 1e-12
        assert bound * alarm + miss >= 1 - 1e-12
        line = 1 - alarm / p * (1 - p) if alarm < p else p * (1 - alarm) / (1 - p)
        assert miss >= line - 1e-12


def test_the_way_from_one_table_to_the_other_changes_one_person_at_a_time() -> None:
    way = tables()
    for (_, before), (_, after) in pairwise(way):
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 1
    assert set(way[-1][1]) == {1}


FOUND = {
    "most": ["Cem"],
    "threes": ["Ada", "Fay"],
    "count": ["Ada", "Cem", "Dot", "Fay", "Gus", "Hal"],
}


@pytest.mark.parametrize(("rule", "found"), FOUND.items())
def test_somebody_is_found_where_the_answer_changes(rule: str, found: list[str]) -> None:
    # Of 2, 3, … 8 who say yes: half at 4, full threes at 3 and 6, and another count each time.
    assert found_out(rule) == found
    assert [row[-1] for row in picture(PAGE, "steps", rule=rule).table.rows if row[-1]] == found
    assert all(name in compute(PAGE.read({"rule": rule})).said[-1] for name in found)
