"""Counts with noise: the courses' numbers, and noise that is really drawn."""

import math

import numpy as np
import pytest
from scipy import integrate

from deniable.lab.counts import PAGE
from tests.lab.shown import picture, values


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1"])
@pytest.mark.parametrize("count", ["1000", "100"])
def test_counts_of_1000_and_100_are_within_a_tenth_as_often_as_the_density_says(
    epsilon: str, count: str
) -> None:
    b, tenth = 1 / float(epsilon), int(count) / 10

    def density(y: float) -> float:
        return math.exp(-abs(y) / b) / (2 * b)

    inside = 2 * integrate.quad(density, 0, tenth, epsabs=1e-13, limit=200)[0]
    variance = 2 * integrate.quad(lambda y: y * y * density(y), 0, 60 * b, limit=200)[0]
    found = values(PAGE, epsilon=epsilon, count=count)
    assert found["within"] == pytest.approx(inside, abs=1e-9)
    assert found["deviation"] ** 2 == pytest.approx(variance, rel=1e-6)
    (series,) = (
        one for one in picture(PAGE, "tenths").series if one.name.endswith(f"{int(count):,}")
    )
    assert series.y[("0.01", "0.1", "1").index(epsilon)] == pytest.approx(inside, abs=1e-9)


def test_ten_thousand_first_names_are_within_12_2() -> None:
    found = values(PAGE, epsilon="1", k="10000")
    assert found["bound"] == pytest.approx(12.2, abs=0.01)
    # P(|Y| < t b) to the power of all names is .95 exactly at one place, and no more at the bound.
    assert (1 - math.exp(-found["exact"])) ** 10_000 == pytest.approx(0.95, abs=1e-9)
    assert (1 - math.exp(-found["bound"])) ** 10_000 == pytest.approx(0.95, abs=0.0013)
    assert found["bound"] > found["exact"]


def test_the_largest_of_many_errors_is_as_large_as_noise_that_is_drawn_one_by_one() -> None:
    drawn = np.abs(np.random.default_rng(7).laplace(scale=2, size=(4000, 100))).max(axis=1)
    page = values(PAGE, epsilon="0.5", k="100")
    # 4,000 releases: their share is known to √(.05 × .95 / 4000); five of these.
    assert (drawn > page["exact"]).mean() == pytest.approx(0.05, abs=5 * 0.00345)
    beyond = [
        values(PAGE, epsilon="0.5", k="100", seed=str(seed))["beyond"] for seed in range(1, 9)
    ]
    assert np.mean(beyond) == pytest.approx(0.05, abs=5 * math.sqrt(0.05 * 0.95 / 8000))
    heap = picture(PAGE, "largest", epsilon="0.5", k="100").series[0]
    assert sum(heap.y) == 1000


@pytest.mark.parametrize("k", ["2", "10", "1000"])
def test_counts_that_share_people_need_noise_for_all_of_them(k: str) -> None:
    apart, together = (values(PAGE, epsilon="1", k=k, way=way) for way in ("histogram", "all"))
    assert apart["scale"] == 1
    assert together["scale"] == int(k)
    assert together["bound"] == pytest.approx(int(k) * apart["bound"])
    assert values(PAGE, epsilon="1", k="10")["bound"] == pytest.approx(5.3, abs=0.005)


@pytest.mark.parametrize("epsilon", ["0.01", "1", "2"])
def test_no_density_is_more_than_e_to_epsilon_times_its_neighbour(epsilon: str) -> None:
    without, joined = picture(PAGE, "neighbours", epsilon=epsilon).series
    logs = np.log(np.array(joined.y) / np.array(without.y))
    assert np.abs(logs).max() == pytest.approx(float(epsilon), rel=1e-9)
