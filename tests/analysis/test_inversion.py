"""Inverted tests against closed forms, enumeration and another maximiser."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize, stats

from benchmarks.coverage import tails
from deniable import Channel, designs, identity
from deniable.analysis import estimate, estimate_mean
from deniable.analysis.intervals import inversion, sums
from deniable.analysis.numerics.mixture import maximum_likelihood_mixture
from deniable.analysis.numerics.remembered import remembered
from deniable.estimator import for_values, least_variance
from tests.analysis.enumeration import compositions, tables
from tests.analysis.surveys import THREE_REPORTS
from tests.kit import first_of

pytestmark = pytest.mark.promise("coverage")


@pytest.mark.parametrize("n", [1, 8, 40, 3000, 9_000_000])
@pytest.mark.parametrize("p", [0.5, 0.03, 1e-6])
def test_a_sum_of_two_values_is_binomial(n: int, p: float) -> None:
    found = sums.sum_distribution(np.array([1 - p, p]), np.array([-0.3, 1.9]), n)
    spread = math.sqrt(n * p * (1 - p))
    for x in {0, 1, round(n * p), round(n * p - 2 * spread), round(n * p + spread), n // 2, n}:
        lower, upper = found.tails(np.array([n - x, x]))
        # What rounds a characteristic function is multiplied by n.
        assert lower == pytest.approx(stats.binom.cdf(x, n, p), abs=1e-11 + 1e-15 * n)
        assert upper == pytest.approx(stats.binom.sf(x - 1, n, p), abs=1e-11 + 1e-15 * n)


def test_even_sums_leave_the_highest_frequency() -> None:
    P, index, steps, n = np.array([0.5, 0.5]), np.array([0, 2]), 2**14, 10**6
    frequencies, one = sums._characteristic(P, index, steps, n)
    assert frequencies[-1] == steps // 2
    waves = one**n * sums._rotation((steps // 2 - n) * frequencies, steps)
    found = sums.SumDistribution(1.0, index, 0, steps, steps / 2, frequencies, waves)
    for place in (6001, 8191, 8192, 9001):  # the middle is n times the mean
        expected = stats.binom.cdf((place - 1 + n - steps // 2) // 2, n, 0.5)
        assert found._below(place) == pytest.approx(expected, abs=1e-9)


def test_the_last_digit_of_a_contribution_decides_nothing() -> None:
    # With one report, the steps are such that three of the five values lie half-way between two.
    P, g = np.full(5, 0.2), np.array([0.0, 1, 2, 3, 4]) / 3
    expected = sums.sum_distribution(P, g, 1).index
    for towards in (-math.inf, math.inf):
        moved = np.where(np.arange(5) % 4, np.nextafter(g, towards), g)
        assert (sums.sum_distribution(P, moved, 1).index == expected).all()


def test_a_sum_of_values_is_as_enumerated() -> None:
    # The values are whole multiples of a tenth, so that no step of the window parts equal sums.
    P, g, n = np.array([0.1, 0.2, 0.3, 0.4]), np.array([-0.7, 0, 0.2, 1]), 6
    found = sums.sum_distribution(P, g, n)
    outcomes = [
        (math.prod(P[list(reports)]), int(np.rint(10 * g[list(reports)].sum())))
        for reports in itertools.product(range(4), repeat=n)
    ]
    for counts in ([6, 0, 0, 0], [0, 0, 0, 6], [1, 2, 2, 1], [3, 0, 1, 2]):
        came = int(np.rint(10 * (g @ counts)))
        lower, upper = found.tails(np.array(counts))
        # Sums that are equal may be told apart by rounding to steps: by one tie at most.
        tie = sum(chance for chance, total in outcomes if total == came)
        assert lower + upper == pytest.approx(1, abs=tie + 1e-9)
        for tail, least in (
            (lower, sum(chance for chance, total in outcomes if total < came)),
            (upper, sum(chance for chance, total in outcomes if total > came)),
        ):
            assert least - 1e-9 <= tail <= least + tie + 1e-9


@pytest.mark.parametrize("counts", [[20, 0], [13, 7], [3, 17]])
def test_two_reports_are_clopper_and_pearson_s(counts: list[int]) -> None:
    channel = designs.warner(flip="1/4")
    result = stats.binomtest(counts[1], 20).proportion_ci(0.95, "exact")
    reports = np.clip([result.low, result.high], 0.25, 0.75)
    # Where the proportion can be had, which is from 1/4 to 3/4.
    found = np.clip(estimate(counts, channel).interval(method="tail")[1], 0, 1)
    assert found == pytest.approx((reports - 0.25) / 0.5, abs=1e-5)


def test_two_truths_have_exact_ends() -> None:
    channel = designs.kuk("1/5", "4/5", draws=2)
    counts = np.array([4, 3, 3])
    g = least_variance(channel)[1]
    low, high = estimate(counts, channel).interval(0.9)[1]
    assert 0 < low < high < 1
    for share, more in ((low, True), (high, False)):
        P = np.array([1 - share, share]) @ channel.probabilities
        tail = 0.0
        for chance, table in tables(10, P):
            further = g @ table - g @ counts
            tail += chance if (further if more else -further) > -1e-9 else 0
        assert tail == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize("v", [0.4, 1.3])
def test_the_nuisance_is_slsqp_s_likeliest(v: float) -> None:
    channel, values = designs.k_ary(4, 2), np.array([0.0, 1, 2, 5])
    counts = np.array([9, 2, 4, 1])
    ratio = inversion.mean(values, for_values(channel, values))
    test = inversion._Test(counts, channel.probabilities, ratio, 0.025)
    found = test._maximum_likelihood_reports(v)
    assert found is not None

    def loss(theta: npt.NDArray[np.float64]) -> float:
        return -float(counts @ np.log(theta @ channel.probabilities))

    other = optimize.minimize(
        loss,
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints=optimize.LinearConstraint(np.stack([np.ones(4), values]), [1, v], [1, v]),
        method="SLSQP",
        options={"ftol": 1e-12},
    )
    assert -float(counts @ np.log(found)) == pytest.approx(other.fun, abs=1e-6)
    assert for_values(channel, values) @ found == pytest.approx(v, abs=1e-6)


COVERED = [
    (designs.k_ary(3, 5), 8, [1, 0, 0]),
    (designs.kuk("1/5", "4/5", draws=2), 8, [1, 0]),
    (designs.piecewise(3, 2), 8, [0.5, 0, 0.5]),
    (designs.two_point(4, 3), 10, [1, 0, 0, 0]),
    (designs.piecewise(3, 2), 8, [1, 0, 0]),
    (identity(3), 12, [0.9, 0.05, 0.05]),
    (THREE_REPORTS, 12, [1, 0]),
    (designs.k_ary(3, 5), 8, [0.9, 0, 0.1]),
    (designs.kuk("1/5", "4/5", draws=3), 8, [0.97, 0.03]),
]


@pytest.mark.parametrize(("channel", "n", "shares"), first_of(COVERED, quick=4))
def test_means_and_shares_are_held_by_enumeration(
    channel: Channel, n: int, shares: list[float]
) -> None:
    values = np.arange(len(shares)) ** 2.0 if len(shares) == 3 else np.arange(len(shares))
    tells_shares = len(shares) <= channel.reports
    truth = [float(values @ shares), *(shares if tells_shares else [])]
    covered = np.zeros(len(truth))
    for chance, counts in tables(n, np.array(shares) @ channel.probabilities):
        ends = [estimate_mean(counts, channel, values).interval()]
        ends += [*estimate(counts, channel).interval()] if tells_shares else []
        low, high = np.transpose(ends)
        covered += chance * ((low <= truth) & (truth <= high))
    assert covered.min() >= 0.94


ALIKE = [
    (designs.best_numeric(4, 7), range(4), 4),
    (designs.best_numeric(4, 7), range(4), 1),
    (designs.best_numeric(4, 7), [0, 1, 2, math.nan], 3),
    *((designs.best_numeric(4, 7), range(4), n) for n in (2, 3, 5, 6, 7, 8)),
    *((designs.best_numeric(4, 7), [0, 1, 2, math.nan], n) for n in (1, 8)),
    *((designs.best_numeric(3, 8), range(3), n) for n in (3, 20)),
    *((channel, range(4), 6) for channel in (designs.piecewise(4, 7), designs.square_wave(4, 7))),
    *((designs.k_ary(4, epsilon), range(4), 6) for epsilon in (5, 6, 8)),
    *((designs.best_numeric(4, epsilon), range(4), 6) for epsilon in (1, 3, 5)),
]


@pytest.mark.parametrize(("channel", "values", "n"), first_of(ALIKE))
def test_equal_reports_have_an_interval(channel: Channel, values: Sequence[float], n: int) -> None:
    """By enumeration, over all shares that are tenths: there is one, and it holds in 94 of 100.

    Of 8 reports, more than are tried, the table of least noise for 4 levels at ε = 3 holds .948.
    """
    given = np.array(values, dtype=float)
    numeric = ~np.isnan(given)
    outcomes = [np.array(counts) for counts in compositions(n, channel.reports)]
    found = [estimate_mean(counts, channel, given) for counts in outcomes]
    ends = np.array([one.interval() for one in found])
    assert not np.isnan(ends).any()
    means = np.array([one.theta for one in found])
    if numeric.all():
        assert (ends[:, 0] <= means + 1e-9).all()
        assert (means - 1e-9 <= ends[:, 1]).all()
    else:  # a ratio, whose interval is possible
        assert (ends >= np.nanmin(given)).all()
        assert (ends <= np.nanmax(given)).all()
    shares = np.array(compositions(10, len(given))) / 10
    shares = shares[shares @ numeric > 0]
    truth = shares @ np.where(numeric, given, 0) / (shares @ numeric)
    chance = np.array(
        [stats.multinomial.pmf(counts, n, shares @ channel.probabilities) for counts in outcomes]
    )
    held = (ends[:, :1] <= truth + 1e-9) & (truth - 1e-9 <= ends[:, 1:])
    assert (chance * held).sum(axis=0).min() >= 0.94


@pytest.mark.parametrize("n", [1, 5, 60])
@pytest.mark.parametrize("likely", [0.4, 0.9, 0.999])
def test_a_nearer_sum_keeps_its_chance(n: int, likely: float) -> None:
    P, g = np.array([likely, 0.75 * (1 - likely), 0.25 * (1 - likely)]), np.array([-0.2, 1, 3.1])
    found, nearer = sums.sum_distribution(P, g, n), math.sqrt(n / (n + 1))
    for counts in np.random.default_rng(n).multinomial(n, P, size=20):
        plain, drawn = found.tails(counts), found.tails(counts, nearer=nearer)
        # Only the tail on whose side the sum lies becomes greater, and neither less.
        above = found._place(counts) > found.centre
        assert drawn[0 if above else 1] == plain[0 if above else 1]
        assert drawn[1 if above else 0] >= plain[1 if above else 0] - 1e-12
        low, high = found.room(counts, 0.05, nearer)
        inside, outside = 1e-9 * found.step / n, 1e-4 * found.step / n
        assert found.tails(counts, low + inside, nearer)[1] >= 0.05
        assert found.tails(counts, low - outside, nearer)[1] < 0.05
        assert found.tails(counts, high - inside, nearer)[0] >= 0.05
        assert found.tails(counts, high + outside, nearer)[0] < 0.05


def test_a_mean_of_some_is_inside_or_unknown() -> None:
    declined = [0, 1, math.nan]
    nobody = estimate_mean([0, 0, 30], identity(3), declined).interval()
    assert (nobody[0], nobody[1]) == (0, 1)
    few = estimate_mean([3, 1, 26], identity(3), declined).interval()
    expected = stats.binomtest(1, 4).proportion_ci(0.95, "exact")
    # How many answer is not known beforehand, which makes the test another one; the ends are near.
    assert (few[0], few[1]) == pytest.approx((expected[0], expected[1]), abs=0.06)


def test_corners_are_one_or_two_truths() -> None:
    f = np.array([-2.0, 0, 0, 1, -1])
    found = inversion.corners(f)
    assert found @ f == pytest.approx(np.zeros(4))
    assert found.sum(axis=1) == pytest.approx(np.ones(4))
    assert sorted(np.count_nonzero(found, axis=1).tolist()) == [1, 1, 2, 2]
    levels = np.linspace(-100.5, 152.5, 254)
    many = inversion.corners(levels)
    assert len(many) == inversion.MAX_SIDE**2
    assert many @ levels == pytest.approx(np.zeros(len(many)), abs=1e-9)
    assert many[:, [0, 100, 101, 253]].any(axis=0).all()


@pytest.mark.parametrize("counts", [[5, 3, 2, 1], [9, 1, 0, 0], [0, 0, 4, 0], [3, 0, 0, 3]])
@pytest.mark.parametrize("v", [0.3, 1, 1.7, 4.2])
def test_of_direct_answers_it_is_the_empirical_likelihood(counts: list[int], v: float) -> None:
    f, w = np.array([0.0, 1, 2, 5]) - v, np.array(counts) / sum(counts)
    found = inversion.maximum_likelihood_with_mean_0(f, w)
    mixed = maximum_likelihood_mixture(inversion.corners(f), w) @ inversion.corners(f)
    assert found is not None
    assert found.sum() == pytest.approx(1)
    assert found @ f == pytest.approx(0, abs=1e-9)
    assert found.min() >= 0
    seen = w > 0
    assert w[seen] @ np.log(found[seen]) == pytest.approx(w[seen] @ np.log(mixed[seen]), abs=1e-9)


def test_nobody_has_a_mean_beyond_the_reports() -> None:
    f, likeliest = np.array([0.0, 1]), inversion.maximum_likelihood_with_mean_0
    assert likeliest(f, np.array([0.5, 0.5])) is None
    alone = likeliest(f, np.array([1.0, 0]))
    assert alone is not None
    assert alone.tolist() == [1, 0]


def test_intervals_hold_what_tests_do_not_reject() -> None:
    """Coverage is measured by the test alone, which is much sooner computed."""
    random = np.random.default_rng(7)
    for problem in (*tails.levels("3"), *tails.ROWS["Warner × Warner"][1]("1")):
        for table in random.multinomial(12, problem.truth @ problem.C, size=8):
            low, high = inversion.tail_interval(table, problem.C, problem.ratio, 0.95)
            tails_of = inversion.chances(table, problem.C, problem.ratio)
            held = min(tails_of(problem.value)) >= 0.025
            if min(abs(low - problem.value), abs(high - problem.value)) > 1e-3:
                assert held == (low <= problem.value <= high)


def test_only_the_same_numbers_find_a_result_again() -> None:
    numbers = itertools.count()

    def found(name: str, given: npt.ArrayLike, level: float) -> int:
        return remembered(lambda: next(numbers), name, np.asarray(given), level)

    asked: list[tuple[str, npt.ArrayLike, float]] = [
        ("one", [1, 2, 3, 4], 0.9),
        ("two", [1, 2, 3, 4], 0.9),
        ("one", [1, 2, 3, 5], 0.9),
        ("one", [1.0, 2, 3, 4], 0.9),
        ("one", [[1, 2], [3, 4]], 0.9),
        ("one", [1, 2, 3, 4], 0.95),
    ]
    for _ in range(2):
        assert [found(*one) for one in asked] == [*range(len(asked))]
