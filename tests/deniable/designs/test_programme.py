"""The linear programme of numbers: HiGHS is its oracle, and its integers never change."""

import hashlib
import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import linprog

from deniable import designs, estimator, exact
from deniable.channel import ROW_SUM
from deniable.designs import coarsened, families, minimax, programme
from tests.deniable.designs.test_numeric import keeps
from tests.kit import first_of

CASES = [(3, "1"), (6, "3"), (11, "2"), (8, "1/2"), (4, "4"), (13, "1"), (21, "1")]


def most(epsilon: str) -> int:
    """Return e^ε times 2^32, rounded down."""
    return math.floor(exact.exp_lower(Fraction(epsilon)) * ROW_SUM)


def grid(levels: int, epsilon: str) -> list[Fraction]:
    """Return the outputs, as the docstring of the design has them."""
    outputs, bound = max(levels, 13), Fraction(most(epsilon), ROW_SUM)
    reach = Fraction(5, 4) * (bound + 1) / (bound - 1)
    return [reach * Fraction(2 * j - outputs + 1, outputs - 1) for j in range(outputs)]


def by_highs(levels: int, epsilon: str) -> tuple[float, float]:
    """Return the least worst variance, and then the least sum of variances."""
    y = np.array([float(value) for value in grid(levels, epsilon)])
    x = np.linspace(-1, 1, levels)
    J, bound = len(y), most(epsilon) / ROW_SUM
    chances = levels * J
    sums = np.kron(np.eye(levels), np.ones(J))
    means, squares = np.kron(np.eye(levels), y), np.kron(np.eye(levels), y**2)
    of_outputs = np.tile(np.eye(J), (levels, 1))
    none, one = np.zeros((levels, J)), np.ones((levels, 1))
    equal = np.hstack([np.vstack([sums, means]), np.zeros((2 * levels, J + 1))])
    less = np.vstack(
        [
            np.hstack([-np.eye(chances), of_outputs, np.zeros((chances, 1))]),
            np.hstack([np.eye(chances), -bound * of_outputs, np.zeros((chances, 1))]),
            np.hstack([squares, none, -one]),
        ]
    )
    limits = np.concatenate([np.zeros(2 * chances), x**2])

    def least(aim: npt.NDArray[np.float64], worst: float | None) -> float:
        bounds: list[tuple[float, float | None]] = [(0.0, None)] * (chances + J)
        bounds.append((0.0, worst))
        right = np.concatenate([np.ones(levels), x])
        found: Any = linprog(aim, less, limits, equal, right, bounds)
        return float(found.fun)

    t = least(np.concatenate([np.zeros(chances + J), [1]]), None)
    total = np.concatenate([squares.sum(axis=0), np.zeros(J + 1)])
    return t, least(total, t * (1 + 1e-9)) - (x**2).sum()


@pytest.mark.parametrize(("levels", "epsilon"), first_of(CASES, 4))
def test_no_table_has_less_noise(levels: int, epsilon: str) -> None:
    half = programme._begun(levels, most(epsilon)).solved()
    rows = [*half, *(row[::-1] for row in half[: levels // 2][::-1])]
    y = grid(levels, epsilon)
    for column in zip(*rows, strict=True):
        assert max(column) * ROW_SUM <= min(column) * most(epsilon)
    noise = []
    for i, row in enumerate(rows):
        x = Fraction(2 * i, levels - 1) - 1
        assert sum(row) == 1
        assert sum(chance * value for chance, value in zip(row, y, strict=True)) == x
        noise.append(sum(chance * value**2 for chance, value in zip(row, y, strict=True)) - x**2)
    worst, total = by_highs(levels, epsilon)
    assert float(max(noise)) == pytest.approx(worst, rel=1e-9)
    assert float(sum(noise)) == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize(
    ("levels", "epsilon", "digest"),
    [
        (3, 1, "77ae32bd1b14b83b"),
        (11, 2, "941b8c54ab8c0328"),
        (12, "1/2", "eef6f7a8eccb7126"),
        (21, 3, "fc23cb5940b3a6ef"),
    ],
)
def test_integers_are_alike_everywhere(levels: int, epsilon: exact.Number, digest: str) -> None:
    channel = minimax(levels, epsilon)
    assert hashlib.sha256(channel.to_json().encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize("steps", [0, 7])
@pytest.mark.parametrize(("levels", "epsilon"), [(3, "1"), (5, "1/2"), (6, "2")])
def test_the_table_does_not_depend_on_its_start(
    levels: int, epsilon: str, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    programme._ENDS.clear()
    expected = programme._begun(levels, most(epsilon)).solved()
    programme._ENDS.clear()
    monkeypatch.setattr(programme, "_MOST_STEPS", steps)
    assert programme._begun(levels, most(epsilon)).solved() == expected


@pytest.mark.parametrize("near", ["7/4", "1/4", "9"])
def test_a_search_begins_where_another_ended(near: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = 0
    improving = programme._Programme.improving

    def counted(self: Any) -> Any:
        nonlocal steps
        steps += 1
        return improving(self)

    monkeypatch.setattr(programme._Programme, "improving", counted)
    programme._ENDS.clear()
    expected, alone = programme._begun(11, most("2")).solved(), steps
    programme._ENDS.clear()
    programme._begun(11, most(near))
    steps = 0
    assert programme._begun(11, most("2")).solved() == expected
    assert near != "7/4" or 3 * steps < alone


@pytest.mark.parametrize("epsilon", first_of(["1/100", "8", "4", "9", "12", "20"], 2))
def test_the_search_in_integers_begins_at_its_end(epsilon: str) -> None:
    """From the beginning it takes half a minute at a large ε."""
    programme._ENDS.clear()
    begun = programme._begun(21, most(epsilon))
    assert min(begun.places) >= 0
    assert begun.improving() is None


@pytest.mark.parametrize("levels", [2, 3, 7, 12, 21, 255])
@pytest.mark.parametrize("epsilon", first_of(["1", "1/100", "12"]))
def test_rounding_keeps_epsilon_and_the_mean(levels: int, epsilon: str) -> None:
    channel = minimax(levels, epsilon)
    assert channel.truths == levels
    assert keeps(channel, Fraction(epsilon))
    assert channel.epsilon >= float(Fraction(epsilon)) - 1e-3
    values = np.arange(levels)
    told = channel.probabilities @ estimator.for_values(channel, values)
    assert np.abs(told - values).max() < 1e-5 * levels


@pytest.mark.parametrize(
    ("levels", "epsilon", "variance"),
    [(11, 1, 3.99), (11, 2, 0.865), (11, 3, 0.303), (11, 4, 0.126), (5, 2, 0.857)],
)
def test_the_noise_is_of_a_finer_grid(levels: int, epsilon: int, variance: float) -> None:
    steps = ((levels - 1) / 2) ** 2
    found = designs.worst_case_variance(minimax(levels, epsilon)) / steps
    assert variance <= found * 1.002
    assert found < variance * 1.07


@pytest.mark.parametrize(("levels", "epsilon"), [(6, "3/4"), (4, "3/2"), (11, 3), (5, 3)])
def test_the_best_never_makes_shares_much_worse(levels: int, epsilon: exact.Number) -> None:
    best = designs.best_numeric(levels, epsilon)
    listed = designs.numeric_designs(levels, epsilon)
    other = next(each for each in listed if each.distribution and each.name != "minimax")
    assert best.identifiable
    assert estimator.variance(best) <= 2 * estimator.variance(other.channel)
    assert (best == minimax(levels, epsilon)) == (levels in {4, 6})


def test_unknown_shares_make_the_mean_s_best() -> None:
    mean_only = families.Family("mean_only", 9, 9).channel(1)
    assert mean_only == minimax(9, 1)
    assert not mean_only.identifiable
    assert families.Family("best", 9, 9).channel(1).identifiable
    coarse = families.Family("best", 25, 7).channel(1)
    assert coarse == coarsened(minimax(7, 1), 25)
