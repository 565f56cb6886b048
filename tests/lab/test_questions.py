"""Many questions: the ± by its closed form, ε by the table of all reports, and what is drawn."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from deniable import designs
from deniable.lab.questions import PAGE, SEEN, study
from tests.lab.shown import picture, values


def half_width(epsilon: float, n: int) -> float:
    """Return 1.96 / (2 √n) times (e^ε + 1)/(e^ε - 1): the ± where it is widest."""
    return 1.959963984540054 / (2 * math.sqrt(n)) / math.tanh(epsilon / 2)


@pytest.mark.parametrize("epsilon", ["0.2", "2", "6"])
@pytest.mark.parametrize(("k", "r"), [(2, 1), (5, 2), (10, 10), (3, 10)])
def test_precision_follows_from_the_share_of_epsilon(epsilon: str, k: int, r: int) -> None:
    found = values(PAGE, epsilon=epsilon, k=str(k), r=str(r))
    e = float(epsilon)
    by_number = [half_width(e / one, 1000 * one // k) for one in range(1, k + 1)]
    # Nobody answers more questions than there are.
    assert found["error_some"] == pytest.approx(by_number[min(r, k) - 1], rel=2e-5)
    assert found["error_all"] == pytest.approx(by_number[-1], rel=2e-5)
    assert found["best"] == 1 + int(np.argmin(by_number))
    assert found["total"] == pytest.approx(e, abs=k * 1e-6)


@pytest.mark.parametrize("r", [2, 3, 5])
def test_the_epsilon_of_all_answers_is_that_of_their_one_big_table(r: int) -> None:
    one = designs.warner(epsilon=Fraction(2, r)).weights
    worst = max(
        math.prod(
            one[x][sent] / one[y][sent] for sent, x, y in zip(report, truth, other, strict=True)
        )
        for report, truth, other in product(product([0, 1], repeat=r), repeat=3)
    )
    assert math.log(worst) == pytest.approx(2, abs=1e-6)


@pytest.mark.parametrize(("epsilon", "k", "r"), [(2, 5, 1), (2, 5, 5), (6, 10, 3)])
def test_pupils_are_asked_by_lot_and_the_estimates_are_as_far_off(
    epsilon: int, k: int, r: int
) -> None:
    made = [study(Fraction(epsilon), k, r, seed) for seed in range(1, 201)]
    shares = np.mean([one.true.mean(axis=0) for one in made], axis=0)
    assert all((one.asked.sum(axis=1) == r).all() for one in made)
    lots = np.mean([one.asked.mean(axis=0) for one in made], axis=0)
    # 200,000 pupils: seven standard errors of a share, 1e-6 for all of these together.
    assert lots == pytest.approx(np.full(k, r / k), abs=7 * 0.5 / math.sqrt(200_000))
    p = 1 / (1 + math.exp(epsilon / r))
    asked = np.concatenate([one.asked for one in made])
    wrong = np.concatenate([one.true ^ one.reports for one in made])[asked]
    assert wrong.mean() == pytest.approx(p, abs=7 * 0.5 / math.sqrt(wrong.size))
    # The estimates have no bias, and their spread is that of n r / k reports.
    found = np.array([one.estimates for one in made])
    rate = p + (1 - 2 * p) * shares
    spread = np.sqrt(rate * (1 - rate) / (1000 * r / k)) / (1 - 2 * p)
    assert (np.abs(found.mean(axis=0) - shares) < 7 * spread / math.sqrt(200)).all()
    # A standard deviation of 200 is known to 5 %; seven of these.
    assert found.std(axis=0) == pytest.approx(spread, rel=0.35)


@pytest.mark.parametrize("r", ["1", "4", "5"])
def test_each_pupil_is_in_the_picture_with_each_answer(r: str) -> None:
    dots = [
        at for one in picture(PAGE, "sent", r=r).series for at in zip(one.x, one.y, strict=True)
    ]
    assert len(dots) == len(set(dots)) == SEEN * int(r)
