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


@pytest.mark.parametrize("data", ["ages", "salaries", "heights"])
@pytest.mark.parametrize(("n", "limit"), [("100", "30"), ("10000", "70"), ("1000", "100")])
def test_who_stands_beyond_the_limit_is_drawn_as_cut_off(data: str, n: str, limit: str) -> None:
    everybody = sorted(made_up(data, int(n), np.random.default_rng(1)))
    drawn = everybody[int(n) // 200 :: int(n) // 100]
    cut = values(PAGE, data=data, limit=limit)["epsilon_of_one"]
    people = picture(PAGE, "people", data=data, n=n, limit=limit, epsilon="0.1")
    series = {one.name: one for one in people.series}
    beyond = series.get("who count as the limit")
    assert len(beyond.x if beyond else ()) == sum(one > cut for one in drawn)
    kept = series.get("people who count as they are")
    found = sorted(float(x) for one in (kept, beyond) if one is not None for x in one.x)
    assert people.x_range is not None
    assert len(found) == 100
    # A dot stands in the middle of its column.
    assert found == pytest.approx(drawn, abs=people.x_range[1] / 100)
    assert [int(row[2].replace(",", "")) for row in people.table.rows] == np.histogram(
        everybody, 10, people.x_range
    )[0].tolist()
    shown = [series[name].x[0] for name in ("true average", "after clipping")]
    assert shown == pytest.approx([np.mean(everybody), np.minimum(everybody, cut).mean()])


def test_the_published_averages_hang_as_far_off_as_their_law_says() -> None:
    off = []
    for seed in range(1, 41):
        given = {"seed": str(seed), "epsilon": "0.02", "limit": "60"}
        (hanging,) = (
            one for one in picture(PAGE, "people", **given).series if one.name == "published"
        )
        assert len(hanging.x) == 30
        assert max(hanging.y) == -1
        mean = values(PAGE, **given)["clipped_mean"]
        off += [abs(float(x) - mean) for x in hanging.x]
    median = optimize.brentq(lambda t: exceeds(t, 45, 1000, 60, 0.02) - 0.5, 0.1, 100)
    # 1,200 of them, as above: five of 1/(2 f √1200), and half a column of 2 years.
    assert np.median(off) == pytest.approx(median, rel=0.22, abs=1)


@pytest.mark.parametrize(("data", "most"), [("ages", 100), ("salaries", 200_000)])
def test_no_limit_is_better_than_the_best(data: str, most: int) -> None:
    people = made_up(data, 100, np.random.default_rng(1))

    def both(limit: float) -> float:
        taken = float(sum(max(0.0, one - limit) for one in people)) / 100
        return taken + math.log(2) * limit / (100 * 0.1)

    best = values(PAGE, data=data, epsilon="0.1", n="100")["best"]
    assert both(best) == pytest.approx(min(both(most * share / 20) for share in range(2, 21)))
