import itertools
import math
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special, stats

from deniable.analysis.intervals import proportion
from tests.quickly import first_of


@pytest.mark.parametrize("method", ["wilson", "exact"])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize("n", [1, 7, 1000])
def test_the_intervals_are_scipy_s(method: str, level: float, n: int) -> None:
    successes = np.array(sorted({0, 1, n // 3, n - 1, n}), dtype=np.float64)
    low, high = proportion.METHODS[method](successes, n, level)
    for x, found in zip(successes, zip(low, high, strict=True), strict=True):
        expected = stats.binomtest(int(x), n).proportion_ci(
            confidence_level=level, method="wilson" if method == "wilson" else "exact"
        )
        assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_interval_of_no_samples_says_nothing() -> None:
    low, high = proportion.clopper_pearson(np.array([0]), 0, 1e-9)
    assert (low[0], high[0]) == (0, 1)


@pytest.mark.parametrize("n", [1, 7, 30])
def test_each_end_is_the_probability_of_which_the_tail_is_just_so_likely(n: int) -> None:
    hits = np.arange(n + 1)
    low, high = proportion.clopper_pearson(hits, n, 1e-7)
    assert stats.binom.sf(hits[1:] - 1, n, low[1:]) == pytest.approx(1e-7, rel=1e-6)
    assert stats.binom.cdf(hits[:-1], n, high[:-1]) == pytest.approx(1e-7, rel=1e-6)


# Printed in the documentation of the R packages BlakerCI and stests.
@pytest.mark.parametrize(
    ("method", "x", "n", "low", "high"),
    [
        ("blaker", 3, 10, 0.08726443, 0.61941066),
        ("mid-p", 5, 20, 0.09786008, 0.47022380),
        ("mid-p", 10, 30, 0.1833232, 0.5141852),
        ("mid-p", 15, 40, 0.2361295, 0.5313959),
    ],
)
def test_the_printed_digits_of_other_programs(
    method: str, x: int, n: int, low: float, high: float
) -> None:
    found = proportion.METHODS[method](np.array([float(x)]), n, 0.95)
    assert np.ravel(found) == pytest.approx([low, high], abs=5e-8 if n > 20 else 5.1e-9)


@pytest.mark.parametrize("n", first_of([1, 5, 2, 13], 2))
@pytest.mark.parametrize("level", [0.05, 0.5, 0.8, 0.95, 0.99])
def test_blaker_s_interval_is_the_hull_of_the_acceptable_probabilities(
    n: int, level: float
) -> None:
    grid = np.linspace(0, 1, 5002)  # 0.5, at which tails tie for every n, is not among them
    low, high = proportion.blaker(np.arange(n + 1.0), n, level)
    for x in range(n + 1):
        acceptable = grid[_acceptability(x, n, grid) > 1 - level]
        assert acceptable[0] - 1 / 5001 <= low[x] <= acceptable[0]
        assert acceptable[-1] <= high[x] <= acceptable[-1] + 1 / 5001


@pytest.mark.parametrize(
    ("x", "n", "level"), [(3, 10, 0.95), (30, 100, 0.95), (7, 50, 0.9), (412, 1000, 0.99)]
)
def test_blaker_s_ends_are_where_the_acceptability_crosses_or_jumps(
    x: int, n: int, level: float
) -> None:
    low, high = (end[0] for end in proportion.blaker(np.array([float(x)]), n, level))
    beside = np.array([low - 1e-10, low + 1e-10, high - 1e-10, high + 1e-10])
    accepted = _acceptability(x, n, beside) > 1 - level
    assert accepted.tolist() == [False, True, True, False]
    # And nothing outside is acceptable, up to Clopper and Pearson's ends, beyond which nothing is.
    ends = proportion.exact(np.array([float(x)]), n, level)
    outside = np.concatenate(
        [np.linspace(ends[0][0], low, 200)[:-1], np.linspace(high, ends[1][0], 200)[1:]]
    )
    assert (_acceptability(x, n, outside) <= 1 - level).all()


def test_blaker_s_hull_fills_a_gap_of_what_is_acceptable() -> None:
    # At this level .8043 is acceptable and .8140 is not, though .8400 is again.
    (low,), _ = proportion.blaker(np.array([10.0]), 10, 0.774)
    assert low == pytest.approx(0.8043432366, abs=1e-10)
    accepted = _acceptability(10, 10, np.array([low + 1e-9, low + 0.0097, 0.84])) > 1 - 0.774
    assert accepted.tolist() == [True, False, True]


@pytest.mark.parametrize("beside", [-3, 3])
def test_blaker_s_ends_do_not_depend_on_the_first_guess(
    beside: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = proportion.blaker(np.arange(41.0), 40, 0.9)
    guess = special.bdtrik
    monkeypatch.setattr(special, "bdtrik", lambda *given: np.clip(guess(*given) + beside, -1, 39))
    assert np.array_equal(proportion.blaker(np.arange(41.0), 40, 0.9), expected)


TABLE: Final = {  # share: coverage, mean width, narrowest, at a flip of 1/4 with 30 people
    0: (0.978, 0.368, 0.072),
    0.1: (0.958, 0.458, 0.072),
    0.3: (0.962, 0.601, 0.072),
    0.5: (0.957, 0.651, 0.072),
}


def test_feldman_and_cousins_s_interval_is_that_of_an_enumeration_in_fractions() -> None:
    n, q0, q1, alpha = 30, Fraction(1, 4), Fraction(3, 4), Fraction(1, 20)
    grid = [q0 + (q1 - q0) * Fraction(place, 180) for place in range(181)]
    ways = [math.comb(n, y) for y in range(n + 1)]
    best = [min(max(Fraction(y, n), q0), q1) for y in range(n + 1)]
    best = [p**y * (1 - p) ** (n - y) for y, p in enumerate(best)]
    accepted = np.zeros((n + 1, len(grid)), dtype=np.bool_)
    for place, p in enumerate(grid):
        likely = [p**y * (1 - p) ** (n - y) for y in range(n + 1)]
        order = sorted(range(n + 1), key=lambda y: likely[y] / best[y], reverse=True)
        so_far = Fraction(0)
        for _, tied in itertools.groupby(order, key=lambda y: likely[y] / best[y]):
            some = [*tied]
            if so_far < 1 - alpha:
                accepted[some, place] = True
            so_far += sum(ways[y] * likely[y] for y in some)
    low, high = proportion.feldman_cousins(np.arange(n + 1.0), n, 0.95, 0.25, 0.75)
    step = 0.5 / 180
    first = np.array([float(grid[row.argmax()]) for row in accepted])
    last = np.array([float(grid[180 - row[::-1].argmax()]) for row in accepted])
    assert ((first - step < low) & (low <= first + 1e-12)).all()
    assert ((last - 1e-12 <= high) & (high < last + step)).all()
    for share, expected in TABLE.items():
        rate = 0.25 + 0.5 * share
        chance = stats.binom.pmf(np.arange(n + 1), n, rate)
        held = chance[(low <= rate + 1e-12) & (rate - 1e-12 <= high)].sum()
        width = (high - low) / 0.5
        found = (held, chance @ width, width.min())
        assert tuple(round(float(one), 3) for one in found) == expected


@pytest.mark.parametrize("x", [0, 24_000, 25_070, 50_000, 76_000])
def test_feldman_and_cousins_s_ends_are_where_the_chance_crosses(x: int) -> None:
    n, q = 10**5, (0.25, 0.75)
    (low,), (high,) = proportion.feldman_cousins(np.array([float(x)]), n, 0.95, *q)
    y = np.arange(n + 1.0)
    best = np.clip(y / n, *q)
    greatest = special.xlogy(y, best) + special.xlog1py(n - y, -best)

    def accepted(p: float) -> bool:
        ratio = special.xlogy(y, p) + special.xlog1py(n - y, -p) - greatest
        return bool(stats.binom.pmf(y, n, p)[ratio <= ratio[x] + 1e-7].sum() >= 0.05)

    for end, outwards in ((low, -1e-8), (high, 1e-8)):
        assert end in q or not accepted(end + outwards)
        assert accepted(float(np.clip(end - outwards, *q)))


@pytest.mark.parametrize("n", [1, 4, 25, 400])
@pytest.mark.parametrize("level", [0.2, 0.95, 0.9999])
def test_mid_p_counts_half_of_the_result_in_each_tail(n: int, level: float) -> None:
    x = np.arange(n + 1.0)
    low, high = proportion.mid_p(x, n, level)
    at_low, at_high = stats.binom(n, low), stats.binom(n, high)
    assert at_low.sf(x)[1:] + at_low.pmf(x)[1:] / 2 == pytest.approx((1 - level) / 2, rel=1e-9)
    below = at_high.cdf(x)[:-1] - at_high.pmf(x)[:-1] / 2
    assert below == pytest.approx((1 - level) / 2, rel=1e-7)


@pytest.mark.parametrize("n", [1, 4, 25, 400])
@pytest.mark.parametrize("level", [0.2, 0.95, 0.9999])
def test_the_likelihood_interval_ends_where_the_likelihood_ratio_does(n: int, level: float) -> None:
    x = np.arange(n + 1)
    low, high = proportion.likelihood(x.astype(np.float64), n, level)
    highest = stats.binom.logpmf(x, n, x / n)
    quantile = stats.chi2.ppf(level, 1)
    for ends, inner in ((low, x > 0), (high, x < n)):
        deviance = np.atleast_1d(2 * (highest - stats.binom.logpmf(x, n, ends)))
        assert deviance[inner] == pytest.approx(quantile, rel=1e-9)
    assert np.all((low < x / n) | (x == 0))
    assert np.all((high > x / n) | (x == n))


@pytest.mark.parametrize("method", list(proportion.METHODS))
def test_the_ends_are_exact_where_nobody_or_everybody_does(method: str) -> None:
    for n in (*range(1, 60), 199, 10**6):
        low, high = proportion.METHODS[method](np.array([0.0, n]), n, 0.95)
        assert low[0] == 0
        assert high[1] == 1


@pytest.mark.parametrize("method", ["blaker", "mid-p", "likelihood"])
def test_the_ends_are_as_exact_for_a_million(method: str) -> None:
    n = 10**6
    for x in (0, 1, 7, 1000, 250_000, 500_000, 999_999):
        low, high = (end[0] for end in proportion.METHODS[method](np.array([float(x)]), n, 0.95))
        expected = _million(method, x)
        assert low == pytest.approx(expected[0], abs=1e-11)
        assert high == pytest.approx(expected[1], abs=1e-11)


def _acceptability(
    x: int, n: int, probabilities: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Blaker's definition: the chance of all results whose smaller tail is at most that of x."""
    p = probabilities[:, np.newaxis]
    results = np.arange(n + 1)
    tail = np.minimum(stats.binom.cdf(results, n, p), stats.binom.sf(results - 1, n, p))
    held = tail <= tail[:, [x]] * (1 + 1e-12)
    return np.asarray((stats.binom.pmf(results, n, p) * held).sum(axis=1))


def _million(method: str, x: int) -> tuple[float, float]:
    """Search each end for x of a million by the definition of the method."""
    n, alpha = 10**6, 0.05

    def accepted(p: float) -> float:
        upper, lower = stats.binom.sf(x - 1, n, p), stats.binom.cdf(x, n, p)
        if method == "mid-p":
            half = stats.binom.pmf(x, n, p) / 2
            return float(min(upper, lower) - half - alpha / 2)
        if method == "likelihood":
            ratio = stats.binom.logpmf(x, n, p) - stats.binom.logpmf(x, n, x / n)
            return float(2 * ratio + stats.chi2.ppf(1 - alpha, 1))
        if upper <= lower:
            y = stats.binom.ppf(upper, n, p)
            while stats.binom.cdf(y, n, p) > upper:
                y -= 1
            return float(upper + stats.binom.cdf(y, n, p) - alpha)
        y = stats.binom.isf(lower, n, p)
        while stats.binom.sf(y - 1, n, p) > lower:
            y += 1
        return float(lower + stats.binom.sf(y - 1, n, p) - alpha)

    def searched(limit: float) -> float:
        if abs(x / n - limit) == 0:
            return limit
        # Halve by hand, since Blaker's acceptability jumps.
        outside, inside = (limit - x / n) * 0.9999999 + x / n, x / n
        if 0 < x < n:
            reach = 5 * math.sqrt(x * (1 - x / n)) / n + 10 / n
            outside = max(x / n - reach, 1e-12) if limit == 0 else min(x / n + reach, 1 - 1e-12)
        while abs(outside - inside) > 1e-13:
            middle = (outside + inside) / 2
            outside, inside = (outside, middle) if accepted(middle) > 0 else (middle, inside)
        return inside

    return searched(0.0), searched(1.0)
