"""Local against central: the course's formulas, and noise that was really drawn."""

import math
from fractions import Fraction
from itertools import permutations

import pytest

from deniable import designs
from deniable.estimator import for_values
from deniable.lab.central import DELTA, PAGE, best_error, clones, coins
from tests.lab.shown import picture, values


def test_the_course_s_numbers() -> None:
    found = values(PAGE, n="100", most="100", epsilon="1")
    # 2B²/(ε²n) = 200, and 2(B/(εn))² = 2.
    assert found["local_error"] ** 2 == pytest.approx(200)
    assert found["central_error"] ** 2 == pytest.approx(2)
    assert found["people"] == 10_000
    more = values(PAGE, n="10000", most="50", epsilon="0.5")
    assert more["local_error"] ** 2 == pytest.approx(2 * 50**2 / (0.5**2 * 10_000))
    assert more["central_error"] ** 2 == pytest.approx(2 * (50 / (0.5 * 10_000)) ** 2)


@pytest.mark.parametrize("n", ["30", "100", "1000"])
def test_so_many_people_have_the_central_noise_locally(n: str) -> None:
    found = values(PAGE, n=n)
    variance = 2 * 100**2 / found["people"]
    assert math.sqrt(variance) == pytest.approx(found["central_error"])
    assert found["local_error"] / found["central_error"] == pytest.approx(math.sqrt(int(n)))


@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_the_project_s_design_is_as_noisy_as_its_table_says(epsilon: str) -> None:
    channel = designs.best_numeric(21, epsilon)
    g = for_values(channel, range(21))
    worst = max(float(row @ g**2 - (row @ g) ** 2) for row in channel.probabilities)
    assert best_error(Fraction(epsilon), 100, 1000) == pytest.approx(5 * math.sqrt(worst / 1000))
    # Each person sends one of 21 levels, and nobody a number beyond the ends: less noise.
    assert (
        values(PAGE, epsilon=epsilon)["best_error"] < values(PAGE, epsilon=epsilon)["local_error"]
    )


def test_all_people_are_in_the_picture_of_what_is_seen() -> None:
    for n in ("30", "1000"):
        for series in picture(PAGE, "seen", n=n).series:
            assert sum(series.y) == int(n)


def test_clipping_loses_what_is_above_the_limit_and_noise_grows_with_it() -> None:
    found = picture(PAGE, "clipping")
    lost, noise, both = (series.y for series in found.series[:3])
    assert list(lost) == sorted(lost, reverse=True)
    assert list(noise) == sorted(noise)
    assert noise[-1] == pytest.approx(math.sqrt(2 * 200**2 / 1000))
    assert min(both) < min(both[0], both[-1])
    at = values(PAGE, most="60")
    assert lost[4] == pytest.approx(at["true_mean"] - at["clipped_mean"])


def heap(n: int, yes: int, flip: float) -> list[float]:
    """List how likely each number of “yes” is, among n coins of whom so many mean it."""
    chances = [1.0]
    for person in range(n):
        says = 1 - flip if person < yes else flip
        chances = [
            (1 - says) * (chances[at] if at < len(chances) else 0)
            + says * (chances[at - 1] if at else 0)
            for at in range(len(chances) + 1)
        ]
    return chances


@pytest.mark.parametrize(("n", "p"), [(9, 0.25), (30, 0.25), (40, 0.4), (120, 0.2)])
def test_shuffled_coins_are_enumerated_over_every_class_of_others(n: int, p: float) -> None:
    epsilon = math.log((1 - p) / p)
    found = coins(epsilon, n)
    assert 0 < found <= epsilon
    # By how much e to that ε falls short, at most: of all neighbours, both ways round.
    short = max(
        sum(max(one - math.exp(found) * two, 0) for one, two in zip(*pair, strict=True))
        for yes in range(n)
        for pair in permutations((heap(n, yes, p), heap(n, yes + 1, p)))
    )
    assert short == pytest.approx(DELTA, rel=0.02)


@pytest.mark.parametrize("epsilon", [0.5, 1, 2])
def test_the_theorem_is_above_what_coins_need_and_a_report_above_both(epsilon: float) -> None:
    # By hand, of the theorem's formula: ln(1 + (e − 1)/(e + 1) · (8 √(e ln(4·10⁶)/n) + 8e/n)).
    assert clones(1, 10_000) == pytest.approx(0.214026, abs=1e-6)
    assert clones(1, 100) == 1
    for n in (30, 300, 1000):
        assert coins(epsilon, n) < clones(epsilon, n) + 1e-9 <= epsilon + 2e-9
