import itertools
import math
from fractions import Fraction
from typing import Final

import numpy as np
import pytest
from scipy import special, stats

from deniable.analysis.intervals import proportion


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


TABLE: Final = {  # share: coverage, mean width, narrowest, at a flip of 1/4 with 30 people
    0: (0.978, 0.368, 0.072),
    0.1: (0.958, 0.458, 0.072),
    0.3: (0.962, 0.601, 0.072),
    0.5: (0.957, 0.651, 0.072),
}


def test_feldman_and_cousins_agree_with_fractions() -> None:
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
def test_feldman_and_cousins_end_where_chances_cross(x: int) -> None:
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
def test_the_likelihood_interval_ends_with_its_ratio(n: int, level: float) -> None:
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
def test_nobody_and_everybody_have_exact_ends(method: str) -> None:
    for n in (*range(1, 60), 199, 10**6):
        low, high = proportion.METHODS[method](np.array([0.0, n]), n, 0.95)
        assert low[0] == 0
        assert high[1] == 1


def test_the_ends_are_as_exact_for_a_million() -> None:
    n = 10**6
    for x in (0, 1, 7, 1000, 250_000, 500_000, 999_999):
        low, high = (end[0] for end in proportion.likelihood(np.array([float(x)]), n, 0.95))
        expected = _million(x)
        assert low == pytest.approx(expected[0], abs=1e-11)
        assert high == pytest.approx(expected[1], abs=1e-11)


def _million(x: int) -> tuple[float, float]:
    """Search each end for x of a million by the definition of the likelihood-ratio test."""
    n, alpha = 10**6, 0.05

    def accepted(p: float) -> float:
        ratio = stats.binom.logpmf(x, n, p) - stats.binom.logpmf(x, n, x / n)
        return float(2 * ratio + stats.chi2.ppf(1 - alpha, 1))

    def searched(limit: float) -> float:
        if abs(x / n - limit) == 0:
            return limit
        outside, inside = (limit - x / n) * 0.9999999 + x / n, x / n
        if 0 < x < n:
            reach = 5 * math.sqrt(x * (1 - x / n)) / n + 10 / n
            outside = max(x / n - reach, 1e-12) if limit == 0 else min(x / n + reach, 1 - 1e-12)
        while abs(outside - inside) > 1e-13:
            middle = (outside + inside) / 2
            outside, inside = (outside, middle) if accepted(middle) > 0 else (middle, inside)
        return inside

    return searched(0.0), searched(1.0)
