"""Counts and averages with noise: the courses' numbers, noise that is drawn, and integrals."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize

from deniable.lab.counts import PAGE, gaussian_delta, gaussian_sigma, made_up
from tests.lab.shown import found, picture, values

MOST = {"ages": 100, "salaries": 200_000, "heights": 2.5}


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1"])
@pytest.mark.parametrize("count", ["1000", "100"])
def test_counts_are_as_near_as_the_density_says(epsilon: str, count: str) -> None:
    b, tenth = 1 / float(epsilon), int(count) / 10

    def density(y: float) -> float:
        return math.exp(-abs(y) / b) / (2 * b)

    inside = 2 * integrate.quad(density, 0, tenth, epsabs=1e-13, limit=200)[0]
    variance = 2 * integrate.quad(lambda y: y * y * density(y), 0, 60 * b, limit=200)[0]
    found = values(PAGE, epsilon=epsilon, count=count)
    assert found["within"] == pytest.approx(inside, abs=1e-9)
    assert found["laplace"] ** 2 == pytest.approx(variance, rel=1e-6)


def test_ten_thousand_first_names_are_within_12_2() -> None:
    found = values(PAGE, epsilon="1", k="10000")
    assert found["bound"] == pytest.approx(12.2, abs=0.01)
    # P(|Y| < t b) to the power of all names is .95 exactly at one place, and no more at the bound.
    assert (1 - math.exp(-found["exact"])) ** 10_000 == pytest.approx(0.95, abs=1e-9)
    assert (1 - math.exp(-found["bound"])) ** 10_000 == pytest.approx(0.95, abs=0.0013)
    assert found["bound"] > found["exact"]


def test_the_largest_error_is_as_drawn() -> None:
    drawn = np.abs(np.random.default_rng(7).laplace(scale=2, size=(4000, 100))).max(axis=1)
    page = values(PAGE, epsilon="0.5", k="100")
    # 4,000 releases: their share is known to √(.05 × .95 / 4000); five of these.
    assert (drawn > page["exact"]).mean() == pytest.approx(0.05, abs=5 * 0.00345)


@pytest.mark.parametrize("k", ["2", "10", "1000"])
def test_shared_people_need_noise_for_all(k: str) -> None:
    apart, together = (values(PAGE, epsilon="1", k=k, way=way) for way in ("one", "all"))
    assert apart["scale"] == 1
    assert together["scale"] == int(k)
    assert together["bound"] == pytest.approx(int(k) * apart["bound"])
    assert values(PAGE, epsilon="1", k="10")["bound"] == pytest.approx(5.3, abs=0.005)


def hockey_stick(sigma: float, step: float, epsilon: float) -> float:
    """Return the integral of (density without - e^ε × density with)⁺, over the noise."""

    def density(y: float) -> float:
        return math.exp(-((y / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))

    # It is positive below one place: where the loss is ε.
    cut = step / 2 - epsilon * sigma**2 / step
    found = integrate.quad(
        lambda y: density(y) - math.exp(epsilon) * density(y - step),
        cut - 12 * sigma,
        cut,
        epsabs=1e-15,
        limit=500,
    )[0]
    return float(found)


@pytest.mark.parametrize(("sigma", "step"), [(1.0, 1.0), (8.06, 1.0), (25.0, math.sqrt(10))])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_delta_is_the_integral_of_excess_ratios(sigma: float, step: float, epsilon: float) -> None:
    assert gaussian_delta(sigma / step, epsilon) == pytest.approx(
        hockey_stick(sigma, step, epsilon), rel=1e-6, abs=1e-13
    )


@pytest.mark.parametrize("epsilon", ["0.05", "0.5", "2"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-9"])
@pytest.mark.parametrize("m", ["1", "10", "100"])
def test_each_way_asks_its_formula_s_noise(epsilon: str, delta: str, m: str) -> None:
    e, d, step = float(epsilon), float(delta), math.sqrt(int(m))
    found = values(PAGE, epsilon=epsilon, delta=delta, k=m, way="all")
    assert gaussian_delta(found["gaussian"] / step, e) == pytest.approx(d, rel=1e-6)
    assert found["gaussian"] == pytest.approx(step * gaussian_sigma(e, d))
    assert found["usual"] ** 2 == pytest.approx(2 * math.log(1.25 / d) * int(m) / e**2)
    rho = optimize.brentq(lambda r: r + 2 * math.sqrt(r * math.log(1 / d)) - e, 0, 10, xtol=1e-16)
    assert found["rho"] == pytest.approx(rho, rel=1e-6)
    assert found["concentrated"] == pytest.approx(step / math.sqrt(2 * rho), rel=1e-6)
    assert found["gaussian"] <= found["concentrated"]
    if e < 1:
        assert found["gaussian"] <= found["usual"]
        assert gaussian_delta(found["usual"] / step, e) <= d
    assert found["laplace"] == pytest.approx(math.sqrt(2) * int(m) / e)


def test_gaussian_noise_is_less_from_nine_counts_on() -> None:
    noises = {k: values(PAGE, epsilon="0.5", k=k, way="all") for k in ("8", "9")}
    assert [one["gaussian"] < one["laplace"] for one in noises.values()] == [False, True]
    for series in picture(PAGE, "noises", epsilon="0.5").series[1:3]:
        name = "laplace" if series.name.startswith("Laplace") else "gaussian"
        assert series.y[0] == pytest.approx(noises["9"][name] / (9 if name == "laplace" else 3))


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
def test_each_way_is_off_by_its_law(given: dict[str, str]) -> None:
    found = values(PAGE, what="average", **given)
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


def test_the_sum_is_400_times_closer() -> None:
    closer = [values(PAGE, what="average", seed=str(seed))["closer"] for seed in range(1, 6)]
    assert np.mean(closer) == pytest.approx(400, rel=0.1)


def test_clipping_takes_off_what_is_above() -> None:
    said = values(PAGE, what="average", data="salaries", limit="30")
    data = made_up("salaries", 1000, np.random.default_rng(1)).clip(0, MOST["salaries"])
    assert said["true_mean"] == pytest.approx(sum(data) / 1000)
    assert said["clipped_mean"] == pytest.approx(sum(min(one, 60_000) for one in data) / 1000)
    assert said["epsilon_of_one"] == 60_000
    assert values(PAGE, what="average", data="heights")["epsilon_of_one"] == 2.5
    some = {"what": "average", "data": "salaries", "epsilon": "0.1"}
    few, many = (found(PAGE, n=n, **some) for n in ("100", "10000"))
    assert few["lost"] == sorted(few["lost"], reverse=True)
    assert few["best"] < many["best"]
    assert min(few["both"]) < min(few["both"][0], few["both"][-1])


@pytest.mark.parametrize("data", ["ages", "salaries", "heights"])
@pytest.mark.parametrize(("n", "limit"), [("100", "30"), ("10000", "70"), ("1000", "100")])
def test_beyond_the_limit_is_drawn_cut_off(data: str, n: str, limit: str) -> None:
    everybody = sorted(made_up(data, int(n), np.random.default_rng(1)).clip(0, MOST[data]))
    drawn = everybody[int(n) // 200 :: int(n) // 100]
    cut = values(PAGE, what="average", data=data, limit=limit)["epsilon_of_one"]
    people = picture(PAGE, "people", what="average", data=data, n=n, limit=limit, epsilon="0.1")
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


def test_published_averages_are_off_as_their_law_says() -> None:
    off = []
    for seed in range(1, 41):
        given = {"what": "average", "seed": str(seed), "epsilon": "0.02", "limit": "60"}
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


@pytest.mark.parametrize("data", ["ages", "salaries"])
def test_no_limit_is_better_than_the_best(data: str) -> None:
    people = made_up(data, 100, np.random.default_rng(1)).clip(0, MOST[data])

    def both(limit: float) -> float:
        taken = float(sum(max(0.0, one - limit) for one in people)) / 100
        return taken + math.log(2) * limit / (100 * 0.1)

    best = values(PAGE, what="average", data=data, epsilon="0.1", n="100")["best"]
    assert both(best) == pytest.approx(min(both(MOST[data] * part / 20) for part in range(2, 21)))
