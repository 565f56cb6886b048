"""A trusted centre: the course's formulas, noise that is drawn, integrals, and neighbours."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import integrate, optimize

from deniable import designs
from deniable.estimator import for_values
from deniable.lab import central, choosing, counts
from deniable.lab.central import clones
from deniable.lab.choosing import exponential, noisy_max
from deniable.lab.counts import gaussian_delta, gaussian_sigma
from tests.lab.shown import found, picture, values


def test_the_course_s_numbers() -> None:
    found = values(central.PAGE, n="100", most="100000", epsilon="1")
    # 2B²/(ε²n) = 200 × 1,000², and 2(B/(εn))² = 2 × 1,000², in dollars.
    assert found["local_error"] ** 2 == pytest.approx(200e6)
    assert found["central_error"] ** 2 == pytest.approx(2e6)
    assert found["people"] == 10_000
    more = values(central.PAGE, n="10000", most="50000", epsilon="0.5")
    assert more["local_error"] ** 2 == pytest.approx(2 * 50_000**2 / (0.5**2 * 10_000))
    assert more["central_error"] ** 2 == pytest.approx(2 * (50_000 / (0.5 * 10_000)) ** 2)


@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_our_design_is_as_noisy_as_shown(epsilon: str) -> None:
    channel = designs.best_numeric(21, epsilon)
    g = for_values(channel, range(21))
    worst = max(float(row @ g**2 - (row @ g) ** 2) for row in channel.probabilities)
    found = values(central.PAGE, epsilon=epsilon)
    assert found["best_error"] == pytest.approx(5000 * math.sqrt(worst / 1000))
    # Each person sends one of 21 levels, and nobody a number beyond the ends: less noise.
    assert found["best_error"] < found["local_error"]


def test_the_theorem_is_the_paper_s() -> None:
    # By hand, of the theorem's formula: ln(1 + (e − 1)/(e + 1) · (8 √(e ln(4·10⁶)/n) + 8e/n)).
    assert values(central.PAGE, epsilon="1", n="10000")["shuffled"] == pytest.approx(
        0.214026, abs=1e-6
    )
    assert values(central.PAGE, epsilon="1", n="100")["shuffled"] == 1
    assert clones(2, 100_000, 1e-6) < 0.2


EYES = [46, 27, 14, 8, 5]


def law(utilities: list[float], epsilon: float, sensitivity: float) -> list[float]:
    weights = [math.exp(epsilon * one / (2 * sensitivity)) for one in utilities]
    return [one / sum(weights) for one in weights]


@pytest.mark.parametrize("epsilon", ["0.02", "0.1", "1"])
def test_the_choice_has_the_law_of_the_formula(epsilon: str) -> None:
    chances = law([float(one) for one in EYES], float(epsilon), 1)
    found = values(choosing.PAGE, epsilon=epsilon)
    assert found["best"] == pytest.approx(chances[0])
    assert found["short"] == pytest.approx(
        sum(chance * (46 - one) for chance, one in zip(chances, EYES, strict=True))
    )
    # A choice by exp(εu) at ε is that by exp(εu/2) at 2ε.
    assert values(choosing.PAGE, epsilon=epsilon, scale="1")["best"] == pytest.approx(
        law([float(one) for one in EYES], 2 * float(epsilon), 1)[0]
    )


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("scale", [2, 1])
def test_the_largest_loss_is_that_over_all_neighbours(epsilon: float, scale: int) -> None:
    before = np.array(law([float(one) for one in EYES], 2 * epsilon / scale, 1))
    moved, joined = 0.0, 0.0
    for left, entered in product(range(5), repeat=2):
        other = [one - (place == left) + (place == entered) for place, one in enumerate(EYES)]
        more = [one + (place == entered) for place, one in enumerate(EYES)]
        for each, worst in ((other, "moved"), (more, "joined")):
            after = np.array(law([float(one) for one in each], 2 * epsilon / scale, 1))
            loss = float(np.abs(np.log(after / before)).max())
            moved, joined = (
                max(moved, loss if worst == "moved" else 0),
                max(joined, loss if worst == "joined" else 0),
            )
    found = values(choosing.PAGE, epsilon=str(epsilon), scale=str(scale))
    assert found["loss"] == pytest.approx(moved)
    assert found["loss_joining"] == pytest.approx(joined)
    assert moved <= 2 * epsilon / scale
    assert joined <= epsilon / scale


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_the_greatest_noisy_count_wins_as_drawn(scale: float) -> None:
    chances = noisy_max(EYES, scale)
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    drawn = (EYES + np.random.default_rng(5).laplace(scale=scale, size=(40_000, 5))).argmax(axis=1)
    shares = np.bincount(drawn, minlength=5) / 40_000
    assert shares == pytest.approx(chances, abs=5 * math.sqrt(0.25 / 40_000))


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_noisy_counts_keep_epsilon_when_somebody_joins(epsilon: float) -> None:
    worst = 0.0
    for entered in range(5):
        more = [one + (place == entered) for place, one in enumerate(EYES)]
        logs = np.log(noisy_max(more, 1 / epsilon) / noisy_max(EYES, 1 / epsilon))
        worst = max(worst, float(np.abs(logs).max()))
    assert 0.9 * epsilon < worst <= epsilon + 1e-9


def test_it_is_hardly_much_worse() -> None:
    for epsilon in ("0.1", "0.5"):
        found = values(choosing.PAGE, question="names", epsilon=epsilon)
        utilities = choosing.lines("names", float(epsilon), 2)["utilities"]
        assert noisy_max(utilities, 2 / float(epsilon)).sum() == pytest.approx(1, abs=1e-10)
        chances = exponential(utilities, float(epsilon))
        assert chances[utilities <= utilities.max() - found["bound"]].sum() <= 0.05
    assert values(choosing.PAGE, question="names", epsilon="1")["bound"] == pytest.approx(
        24.4, abs=0.02
    )


@pytest.mark.parametrize("epsilon", ["0.5", "4"])
def test_distance_gives_a_tent_and_square_a_bell(epsilon: str) -> None:
    e = float(epsilon)
    near = picture(choosing.PAGE, "distribution", question="near", epsilon=epsilon).series[0].y
    square = picture(choosing.PAGE, "distribution", question="square", epsilon=epsilon).series[0].y
    for a in range(101):
        assert near[a] / near[30] == pytest.approx(math.exp(-e * abs(a - 30) / 2))
        assert square[a] / square[30] == pytest.approx(math.exp(-e * (a - 30) ** 2 / (2 * 199)))
    found = values(choosing.PAGE, question="square", epsilon=epsilon)["off"]
    assert found == pytest.approx(sum(p * abs(a - 30) for a, p in enumerate(square)))
    # The two-sided geometric law, whose ends are far: 2α/(1 - α²) with α = e^(-ε/2).
    if e == 4:
        formula = 2 * math.exp(-2) / (1 - math.exp(-4))
        assert values(choosing.PAGE, question="near", epsilon="4")["off"] == pytest.approx(
            formula, rel=1e-9
        )


@pytest.mark.parametrize(("question", "power"), [("near", 1), ("square", 2)])
def test_a_number_s_loss_is_over_all_truths(question: str, power: int) -> None:
    sensitivity = 1 if power == 1 else 199
    laws = [
        law([-float(abs(a - x) ** power) for a in range(101)], 2.0, sensitivity) for x in range(101)
    ]
    worst = max(abs(math.log(laws[x][a] / laws[x + 1][a])) for x in range(100) for a in range(101))
    found = values(choosing.PAGE, question=question, epsilon="2")["loss"]
    assert found == pytest.approx(worst)
    assert found <= 2


@pytest.mark.slow
def test_the_median_splits_the_people() -> None:
    ages = [round(20 + 0.007 * place**2) for place in range(101)]
    truth = sorted(ages)[50]
    utilities = [-abs(sum(age < a for age in ages) - 50) for a in range(101)]
    chances = law([float(one) for one in utilities], 1, 1)
    found = values(choosing.PAGE, question="median", epsilon="1")
    assert found["best"] == pytest.approx(sum(chances[a] for a in range(101) if not utilities[a]))
    assert found["off"] == pytest.approx(sum(p * abs(a - truth) for a, p in enumerate(chances)))
    # All neighbours: one person has another age.
    worst = 0.0
    for place in range(0, 101, 5):
        for age in range(101):
            moved = [*ages[:place], age, *ages[place + 1 :]]
            after = law([-float(abs(sum(one < a for one in moved) - 50)) for a in range(101)], 1, 1)
            losses = (math.log(p / q) for p, q in zip(after, chances, strict=True))
            worst = max(worst, *map(abs, losses))
    assert worst == pytest.approx(found["loss"])
    assert found["loss"] <= 1


MOST = {"ages": 100, "salaries": 200_000, "heights": 2.5}


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1"])
@pytest.mark.parametrize("count", ["1000", "100"])
def test_counts_are_as_near_as_the_density_says(epsilon: str, count: str) -> None:
    b, tenth = 1 / float(epsilon), int(count) / 10

    def density(y: float) -> float:
        return math.exp(-abs(y) / b) / (2 * b)

    inside = 2 * integrate.quad(density, 0, tenth, epsabs=1e-13, limit=200)[0]
    variance = 2 * integrate.quad(lambda y: y * y * density(y), 0, 60 * b, limit=200)[0]
    found = values(counts.PAGE, epsilon=epsilon, count=count)
    assert found["within"] == pytest.approx(inside, abs=1e-9)
    assert found["laplace"] ** 2 == pytest.approx(variance, rel=1e-6)


def test_ten_thousand_first_names_are_within_12_2() -> None:
    found = values(counts.PAGE, epsilon="1", k="10000")
    assert found["bound"] == pytest.approx(12.2, abs=0.01)
    # P(|Y| < t b) to the power of all names is .95 exactly at one place, and no more at the bound.
    assert (1 - math.exp(-found["exact"])) ** 10_000 == pytest.approx(0.95, abs=1e-9)
    assert (1 - math.exp(-found["bound"])) ** 10_000 == pytest.approx(0.95, abs=0.0013)
    assert found["bound"] > found["exact"]


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
    found = values(counts.PAGE, epsilon=epsilon, delta=delta, k=m, way="all")
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
    noises = {k: values(counts.PAGE, epsilon="0.5", k=k, way="all") for k in ("8", "9")}
    assert [one["gaussian"] < one["laplace"] for one in noises.values()] == [False, True]
    for series in picture(counts.PAGE, "noises", epsilon="0.5").series[1:3]:
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
    found = values(counts.PAGE, what="average", **given)
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


def test_clipping_takes_off_what_is_above() -> None:
    said = values(counts.PAGE, what="average", data="salaries", limit="30")
    data = counts.made_up("salaries", 1000, np.random.default_rng(1)).clip(0, MOST["salaries"])
    assert said["true_mean"] == pytest.approx(sum(data) / 1000)
    assert said["clipped_mean"] == pytest.approx(sum(min(one, 60_000) for one in data) / 1000)
    assert said["epsilon_of_one"] == 60_000
    assert values(counts.PAGE, what="average", data="heights")["epsilon_of_one"] == 2.5
    some = {"what": "average", "data": "salaries", "epsilon": "0.1"}
    few, many = (found(counts.PAGE, n=n, **some) for n in ("100", "10000"))
    assert few["lost"] == sorted(few["lost"], reverse=True)
    assert few["best"] < many["best"]
    assert min(few["both"]) < min(few["both"][0], few["both"][-1])


@pytest.mark.parametrize("data", ["ages", "salaries"])
def test_no_limit_is_better_than_the_best(data: str) -> None:
    people = counts.made_up(data, 100, np.random.default_rng(1)).clip(0, MOST[data])

    def both(limit: float) -> float:
        taken = float(sum(max(0.0, one - limit) for one in people)) / 100
        return taken + math.log(2) * limit / (100 * 0.1)

    best = values(counts.PAGE, what="average", data=data, epsilon="0.1", n="100")["best"]
    assert both(best) == pytest.approx(min(both(MOST[data] * part / 20) for part in range(2, 21)))
