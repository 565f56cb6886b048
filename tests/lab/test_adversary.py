"""The adversary: beliefs by Bayes' rule, losses by enumeration, and who is found without chance."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from deniable.lab.adversary import AFTER, PAGE
from tests.lab.shown import values

FLIPS = ["0.01", "0.1", "0.25", "0.4", "0.5"]
PRIORS = ["0.01", "0.1", "0.5", "0.99"]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("flip", FLIPS)
def test_beliefs_stay_within_the_bounds(flip: str, prior: str) -> None:
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
def test_no_test_of_reports_beats_the_bound(flip: str) -> None:
    found, p = values(PAGE, flip=flip), float(Fraction(flip))
    assert [found["false_alarm"], found["miss"]] == pytest.approx([p, p])
    bound = (1 - p) / p
    # A person who sends “yes” is accused with one chance, a person who sends “no” with another.
    for after_no, after_yes in product([0, 0.25, 0.5, 1], repeat=2):
        alarm = (1 - p) * after_no + p * after_yes
        miss = 1 - p * after_no - (1 - p) * after_yes
        assert alarm + bound * miss >= 1 - 1e-12
        assert bound * alarm + miss >= 1 - 1e-12


DONE: dict[str, Callable[[tuple[int, ...], float], object]] = {
    "count": lambda sent, p: sum(sent),
    "nothing": lambda sent, p: sent,
    "cut": lambda sent, p: min(max(sum(sent), 8 * p), 8 - 8 * p),
    "more": lambda sent, p: sum(sent) > 4,
    "odd": lambda sent, p: sum(sent) % 2,
    "forget": lambda sent, p: 7,
}


@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("flip", ["0.1", "0.25", "0.5"])
def test_nothing_that_is_done_makes_a_loss_larger(after: str, flip: str) -> None:
    p = float(flip)
    laws: list[dict[object, float]] = []
    for dot in (0, 1):
        truth = (0, 1, 0, dot, 1, 0, 0, 0)
        law: dict[object, float] = {}
        for sent in product((0, 1), repeat=8):
            wrong = sum(one != other for one, other in zip(sent, truth, strict=True))
            printed = DONE[after](sent, p)
            law[printed] = law.get(printed, 0) + p**wrong * (1 - p) ** (8 - wrong)
        laws.append(law)
    loss = max(abs(math.log(laws[1][one] / laws[0][one])) for one in laws[0])
    found = values(PAGE, flip=flip, after=after)
    assert found["loss"] == pytest.approx(loss, abs=1e-9)
    assert found["loss"] <= found["epsilon"] + 1e-9
    if after not in ("nothing", "forget", "more", "odd"):
        average = sum(float(str(one)) * chance for one, chance in laws[0].items())
        assert found["average"] == pytest.approx(average)


def test_cut_off_estimates_are_too_high() -> None:
    counted, cut = (values(PAGE, after=one)["average"] for one in ("count", "cut"))
    assert (counted - 2) / 0.5 == pytest.approx(2)
    assert (cut - 2) / 0.5 == pytest.approx(2.2, abs=0.02)


FOUND = {
    "most": ["Cem"],
    "threes": ["Ada", "Fay"],
    "count": ["Ada", "Cem", "Dot", "Fay", "Gus", "Hal"],
}


@pytest.mark.parametrize(("rule", "found"), FOUND.items())
def test_somebody_is_found_where_the_answer_changes(rule: str, found: list[str]) -> None:
    # Of 2, 3, … 8 who say yes: half at 4, full threes at 3 and 6, and another count each time.
    shown = PAGE.shown(PAGE.read({"rule": rule}))
    _, steps = shown.records
    assert [row[-1] for row in steps.table.rows if row[-1]] == found
    assert [row[0] for row in steps.table.rows][1:] == ["Ada", "Cem", "Dot", "Fay", "Gus", "Hal"]
    assert [steps.table.rows[place][0] for place in steps.marked] == found
    assert all(name in shown.said[-1] for name in found)
