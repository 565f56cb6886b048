"""Sums and averages: how far off they are, by integration."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize

from deniable.lab.averages import PAGE, made_up
from tests.lab.shown import picture, values


def exceeds(t: float, mean: float, n: int, limit: float, epsilon: float) -> float:
    """Return how often (S + X)/(n + Y) is more than t off the mean, by integrating over Y."""
    b_sum, b_count = 2 * limit / epsilon, 2 / epsilon

    def below(x: float) -> float:
        return 0.5 * math.exp(x / b_sum) if x < 0 else 1 - 0.5 * math.exp(-x / b_sum)

    def inside(y: float) -> float:
        # |S + X - mean (n + Y)| <= t |n + Y|, where S = mean n.
        return below(mean * y + t * abs(n + y)) - below(mean * y - t * abs(n + y))

    total = 0.0
    for low, high in ((-40 * b_count, -n), (-n, 0), (0, 40 * b_count)):
        if high > low:
            total += integrate.quad(
                lambda y: inside(y) * math.exp(-abs(y) / b_count) / (2 * b_count),
                low,
                high,
                limit=200,
            )[0]
    return 1 - total


@pytest.mark.parametrize(
    "given",
    [
        {"data": "ages", "epsilon": "0.01", "n": "1000", "limit": "100"},
        {"data": "salaries", "epsilon": "0.1", "n": "100", "limit": "30"},
        {"data": "heights", "epsilon": "1", "n": "10000", "limit": "100"},
    ],
)
def test_each_way_is_as_far_off_as_its_law_says(given: dict[str, str]) -> None:
    found = values(PAGE, **given)
    n, epsilon, limit = int(given["n"]), float(given["epsilon"]), found["epsilon_of_one"]
    b, mean = limit / epsilon, found["clipped_mean"]
    median = optimize.brentq(
        lambda t: exceeds(t, mean, n, limit, epsilon) - 0.5, 1e-6 * b, 2 * b, xtol=1e-9 * b
    )
    # The median of 2,000 is known to about 1/(2 f √2000) of itself, f the density there: 3.3 %
    # for Laplace noise; five of these.
    assert found["composed"] == pytest.approx(median, rel=0.17)
    assert found["useless"] == pytest.approx(math.log(2) * b, rel=0.17)
    assert found["known"] == pytest.approx(math.log(2) * b / n, rel=0.17)
    # The noise of so many people is Gaussian, with the variance 2b²/n of the course.
    assert found["local"] == pytest.approx(0.67449 * b * math.sqrt(2 / n), rel=0.17)


def test_the_sum_over_the_count_is_about_400_times_closer() -> None:
    closer = [values(PAGE, seed=str(seed))["closer"] for seed in range(1, 6)]
    assert np.mean(closer) == pytest.approx(400, rel=0.1)


def test_clipping_takes_off_what_is_above_and_noise_has_the_unit_of_the_data() -> None:
    found = values(PAGE, data="salaries", limit="30")
    data = made_up("salaries", 1000, np.random.default_rng(1))
    assert found["true_mean"] == pytest.approx(sum(data) / 1000)
    assert found["clipped_mean"] == pytest.approx(sum(min(one, 60_000) for one in data) / 1000)
    assert found["epsilon_of_one"] == 60_000
    assert values(PAGE, data="heights")["epsilon_of_one"] == 2.5
    lost, noise, both, _ = picture(PAGE, "clipping", data="salaries", epsilon="0.1").series
    assert list(lost.y) == sorted(lost.y, reverse=True)
    assert list(noise.y) == sorted(noise.y)
    best = {
        n: int(
            np.argmin(picture(PAGE, "clipping", data="salaries", epsilon="0.1", n=n).series[2].y)
        )
        for n in ("100", "10000")
    }
    assert best["100"] < best["10000"]
    assert min(both.y) < min(both.y[0], both.y[-1])
