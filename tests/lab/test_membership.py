"""Membership: means over every study that there could be, and errors found by sorting."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from deniable.lab.membership import PAGE, TRAINED, by_normal, made_up, memories
from tests.lab.shown import values


@pytest.mark.parametrize(("n", "traits"), [("50", "400"), ("100", "100"), ("200", "2000")])
def test_the_guess_is_as_often_right_as_the_normal_curve_says(n: str, traits: str) -> None:
    people, J = int(n), int(traits)
    formula = NormalDist().cdf(math.sqrt(J / people) / 2)
    assert by_normal(J, people) == pytest.approx(formula)
    found = values(PAGE, n=n, traits=traits)
    # Six standard errors of twice n people, and what a normal curve is off for few traits.
    assert found["right"] == pytest.approx(formula, abs=6 * math.sqrt(0.25 / (2 * people)) + 0.01)
    assert found["advantage"] == pytest.approx(math.sqrt(J / people))
    # Members' leanings by another way: on average the sum of squares of the means.
    means = made_up(people, 1).members.mean(axis=0)[:J] - 0.5
    assert found["line"] == pytest.approx(J / (8 * people))
    assert (means**2).sum() == pytest.approx(J / (4 * people), rel=6 * math.sqrt(2 / J))


@pytest.mark.parametrize("near", [1, 3, 20])
def test_the_model_s_errors_by_sorting(near: int) -> None:
    chance = np.random.default_rng(1)
    hours = chance.uniform(0, 8, (2, TRAINED)).tolist()
    pulse = 80 - 3 * np.array(hours) + 10 * chance.standard_normal((2, TRAINED))
    for place, errors in enumerate(memories(near, 1)):
        for who in range(0, TRAINED, 17):
            at = hours[place][who]
            away = {each: abs(hours[0][each] - at) for each in range(TRAINED)}
            nearest = sorted(away, key=away.__getitem__)
            mean = sum(pulse[0][each] for each in nearest[:near]) / near
            assert errors[who] == pytest.approx(abs(pulse[place][who] - mean))
