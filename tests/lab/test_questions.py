"""Many questions: the ± by its closed form, ε by the table of all reports, and what is drawn."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from deniable import designs
from deniable.analysis.estimation import estimate
from deniable.lab.questions import PAGE, study
from tests.lab.shown import values


def reach(epsilon: float, n: int) -> float:
    """Return how far the interval of n reports reaches at most, over all counts of “yes”."""
    channel, found = designs.warner(epsilon=epsilon), 0.0
    for yes in range(n + 1):
        made = estimate([n - yes, yes], channel)
        share = min(max(float(made.theta[1]), 0), 1)
        low, high = made.possible_interval()[1]
        found = max(found, share - low, high - share)
    return found


@pytest.mark.parametrize(("epsilon", "k", "r"), [("2", 10, 1), ("6", 5, 2), ("2", 3, 10)])
def test_no_interval_reaches_further_than_said(epsilon: str, k: int, r: int) -> None:
    found = values(PAGE, epsilon=epsilon, k=str(k), r=str(r))
    asked = min(r, k)  # nobody answers more questions than there are
    worst = reach(float(epsilon) / asked, 1000 * asked // k)
    assert found["reach_some"] >= worst - 1e-9
    # The formula of many people is a little too large.
    assert found["reach_some"] == pytest.approx(worst, abs=0.01)
    assert found["total"] == pytest.approx(float(epsilon), abs=k * 1e-6)


@pytest.mark.parametrize("epsilon", ["0.2", "2", "6"])
@pytest.mark.parametrize(("k", "r"), [(2, 1), (5, 2), (10, 10)])
def test_precision_follows_from_the_share_of_epsilon(epsilon: str, k: int, r: int) -> None:
    by_number = []
    for one in range(1, k + 1):
        n, each = 1000 * one // k, float(epsilon) / one
        wide = (1.959963984540054 / (2 * math.sqrt(n)) + 0.5 / n) / math.tanh(each / 2)
        by_number.append(min(wide, 1))
    found = values(PAGE, epsilon=epsilon, k=str(k), r=str(r))
    if 1000 * r // k > 100:  # fewer are counted
        assert found["reach_some"] == pytest.approx(by_number[r - 1], rel=2e-5)
    assert found["reach_all"] == pytest.approx(by_number[-1], rel=2e-5)
    assert by_number[int(found["best"]) - 1] == pytest.approx(min(by_number), rel=0.01)


@pytest.mark.parametrize("r", [2, 3, 5])
def test_all_answers_epsilon_is_their_table_s(r: int) -> None:
    one = designs.warner(epsilon=Fraction(2, r)).weights
    worst = max(
        math.prod(
            one[x][sent] / one[y][sent] for sent, x, y in zip(report, truth, other, strict=True)
        )
        for report, truth, other in product(product([0, 1], repeat=r), repeat=3)
    )
    assert math.log(worst) == pytest.approx(2, abs=1e-6)


@pytest.mark.parametrize(("epsilon", "k", "r"), [(2, 5, 1), (2, 5, 5), (6, 10, 3)])
def test_pupils_by_lot_are_estimated_as_far_off(epsilon: int, k: int, r: int) -> None:
    shares = np.linspace(0.1, 0.9, k)
    found = np.array([study(shares, epsilon, r, seed) for seed in range(1, 201)])
    p = 1 / (1 + math.exp(epsilon / r))
    # The estimates have no bias, and their spread is that of n r / k reports.
    rate = p + (1 - 2 * p) * shares
    spread = np.sqrt(rate * (1 - rate) / (1000 * r / k)) / (1 - 2 * p)
    assert (np.abs(found.mean(axis=0) - shares) < 7 * spread / math.sqrt(200)).all()
    # A standard deviation of 200 is known to 5 %; seven of these.
    assert found.std(axis=0) == pytest.approx(spread, rel=0.35)
