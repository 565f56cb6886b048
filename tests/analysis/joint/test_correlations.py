"""Correlations and their intervals, against closed forms, RRreg and enumeration."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize, stats

from deniable import Channel, designs, identity
from deniable.analysis.joint.correlation_interval import MAX_CELLS, JointReports
from deniable.analysis.joint.correlations import correlation, correlation_matrix
from deniable.analysis.sampling.debiased import debiased_values, direct_values
from tests.analysis.enumeration import tables
from tests.analysis.surveys import THREE_REPORTS, TWO_REPORTS

WARNER = designs.warner(flip="1/4")
FORCED = designs.forced_response("2/3", "1/4")
FORCED_OF_3 = Channel.from_probabilities(
    [["4/5", "1/10", "1/10"], ["1/10", "4/5", "1/10"], ["1/10", "1/10", "4/5"]]
)
KUK = Channel.from_probabilities([["3/10", "7/10"], ["3/4", "1/4"]])


def test_it_is_unbiased_by_enumeration() -> None:
    truth = np.array([[0.3, 0.1], [0.2, 0.1], [0.0, 0.3]])
    channels, values = [designs.k_ary(3, 1), THREE_REPORTS], [[1, 2, 5], [0, 3]]
    P = channels[0].probabilities.T @ truth @ channels[1].probabilities
    x, y = (np.array(v, dtype=float) for v in values)
    rows, columns = truth.sum(axis=1), truth.sum(axis=0)
    covariance = variance_x = variance_y = 0.0
    for chance, counts in tables(3, P):
        result = correlation(counts, channels, values)
        covariance += chance * result.covariance
        variance_x += chance * result.variances[0]
        variance_y += chance * result.variances[1]
    assert covariance == pytest.approx(x @ truth @ y - (rows @ x) * (columns @ y), abs=1e-8)
    assert variance_x == pytest.approx(rows @ x**2 - (rows @ x) ** 2, abs=1e-8)
    assert variance_y == pytest.approx(columns @ y**2 - (columns @ y) ** 2, abs=1e-8)


@pytest.mark.parametrize(
    ("channels", "printed"),
    [
        ((WARNER, WARNER), 0.539425741859),
        ((WARNER, identity(2)), 0.268945549685),
        ((WARNER, KUK), -0.597154333292),
        ((WARNER, FORCED_OF_3), 0.74849432759),
        ((identity(2), FORCED_OF_3), 0.374022458183),
    ],
)
def test_it_has_the_digits_of_rrreg(channels: tuple[Channel, Channel], printed: float) -> None:
    """RRreg 0.7.6: ``RRcor(x, y, models = models, p.list = p.list)$r``, 20,000 people a count.

    ``p.list``: Warner .75, Kuk c(.25, .7), FR c(.1, .1, .1). Ours takes off the variance that
    finitely many reports add, and RRcor does not: hence so many people here.
    """
    cells = [[40, 30], [20, 25]] if channels[1].truths == 2 else [[30, 12, 9], [14, 22, 13]]
    values = [[*range(channel.truths)] for channel in channels]
    result = correlation(np.array(cells) * 10**11, channels, values)
    assert result.theta == pytest.approx(printed, abs=2e-9)


@pytest.mark.parametrize("channels", [(WARNER, FORCED), (FORCED, identity(2))])
def test_standard_errors_follow_the_delta_method(channels: tuple[Channel, Channel]) -> None:
    counts = np.array([[4000, 2000], [1500, 2500]])
    w = counts.ravel() / counts.sum()

    def r(weights: npt.NDArray[np.float64]) -> float:
        observed = weights.reshape(2, 2) / weights.sum()
        theta = np.linalg.solve(channels[0].probabilities.T, observed)
        theta = np.linalg.solve(channels[1].probabilities.T, theta.T).T
        a, b = theta[1].sum(), theta[:, 1].sum()
        return float((theta[1, 1] - a * b) / math.sqrt(a * (1 - a) * b * (1 - b)))

    gradient = optimize.approx_fprime(w, r, 1e-7)
    variance = gradient @ (np.diag(w) - np.outer(w, w)) @ gradient / counts.sum()
    result = correlation(counts, channels)
    # But for 1/n, by which variances are freed of bias.
    assert result.theta == pytest.approx(r(w), rel=1e-3)
    assert result.standard_error == pytest.approx(math.sqrt(variance), rel=2e-3)


def test_intervals_are_their_closed_forms() -> None:
    result = correlation([[45, 20], [15, 20]], [identity(2), FORCED])
    r, error, z = result.theta, result.standard_error, 1.959963985
    assert result.interval(0.95, "wald") == pytest.approx([r - z * error, r + z * error])
    half = z * error / (1 - r**2)
    expected = [math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)]
    assert result.interval(0.95, "fisher") == pytest.approx(expected)


def test_a_correlation_outside_is_flagged_and_kept() -> None:
    result = correlation([[70, 3], [2, 25]], [WARNER, WARNER])
    assert result.theta > 1
    assert np.isfinite(result.interval(method="wald")).all()
    below = correlation([[5, 5], [50, 40]], [WARNER, WARNER])
    assert below.variances[0] < 0
    assert np.isnan([below.theta, below.standard_error]).all()
    for one in (result, below):
        assert one.outside
        assert np.isnan(one.interval(method="fisher")).all()


def test_a_constant_has_no_correlation() -> None:
    result = correlation([[5, 5], [0, 0]], [identity(2), identity(2)], [[0.1, 0.3], [0, 1]])
    assert result.variances[0] == 0
    assert math.isnan(result.theta)
    assert not result.outside
    # Nor has one whose mean is rounded: that of 0.1 eleven times is not 0.1.
    matrix = correlation_matrix([direct_values(np.full(11, 0.1)), direct_values(np.arange(11.0))])
    assert matrix.covariance[0, 0] == 0
    assert math.isnan(matrix.theta[0, 1])


def test_one_respondent_has_no_covariance() -> None:
    result = correlation([[1, 0], [0, 0]], [WARNER, WARNER])
    assert math.isnan(result.covariance)
    assert math.isnan(result.theta)
    assert not result.outside
    assert np.isnan(result.interval()).all()
    assert result.reason == "fewer than 50 people answered both"
    assert "– (fewer than 50 people answered both)" in str(result)


def test_a_matrix_holds_the_correlations_of_all_pairs() -> None:
    random = np.random.default_rng(4)
    reports = random.integers(0, 2, size=(400, 2)).astype(np.uint8)
    reports[random.random((400, 2)) < 0.1] = 255
    age = random.normal(40, 10, size=400) + 5 * (reports[:, 0] == 1)
    age[:20] = math.nan
    first = debiased_values(reports[:, 0], WARNER, [0, 1])
    second = debiased_values(reports[:, 1], FORCED, [0, 1])
    result = correlation_matrix([first, second, direct_values(age)])
    counts = np.zeros((2, 2), dtype=int)
    for a, b in reports.tolist():
        if 255 not in (a, b):
            counts[a, b] += 1
    pair = correlation(counts, [WARNER, FORCED])
    assert result.n[0, 1] == result.n[1, 0] == pair.n == counts.sum()
    assert result.covariance[0, 1] == pytest.approx(pair.covariance)
    assert result.theta[1, 0] == pytest.approx(pair.theta)
    assert result.standard_error[0, 1] == pytest.approx(pair.standard_error)
    # What is possible of a correlation, negative ones too.
    assert result.possible_interval()[0, 1] == pytest.approx(pair.possible_interval())
    # With a number: the sample covariance of the debiased answer with it.
    both = (reports[:, 0] != 255) & ~np.isnan(age)
    g = reports[both, 0] * 2 - 0.5
    assert result.n[0, 2] == both.sum()
    assert result.covariance[0, 2] == pytest.approx(np.cov(g, age[both])[0, 1])
    assert result.covariance[2, 2] == pytest.approx(np.nanvar(age, ddof=1))
    seconds = correlation_matrix([direct_values(age + 1.7e9)])
    assert seconds.covariance[0, 0] == pytest.approx(np.nanvar(age, ddof=1), rel=1e-6)
    theta = first.g[first.asked].mean()
    s2 = first.g[first.asked].var(ddof=1)
    assert result.covariance[0, 0] == pytest.approx(theta - theta**2 + s2 / first.asked.sum())
    assert np.diag(result.theta).tolist() == [1, 1, 1]
    assert np.diag(result.standard_error).tolist() == [0, 0, 0]
    assert result.theta == pytest.approx(result.theta.T)
    assert result.interval(0.9, comparisons=2)[1, 0] == pytest.approx(pair.interval(0.95))
    assert np.isnan(result.interval()[[0, 1, 0], [2, 2, 0]]).all()
    assert result.pairs[0, 1].reason is None
    assert "asked directly have no list of possible" in (result.pairs[1, 2].reason or "")
    z = (result.interval(0.9, "wald", comparisons=2)[0, 1, 1] - pair.theta) / 1.959963985
    assert z == pytest.approx(pair.standard_error)


def test_an_unasked_variable_has_no_entries() -> None:
    nobody = debiased_values(np.full(5, 255), WARNER, [0, 1])
    result = correlation_matrix([nobody, direct_values([1.0, 2, 3, 4, 5])])
    assert result.n.tolist() == [[0, 0], [0, 5]]
    assert np.isnan(result.theta[0]).all()
    assert result.theta[1, 1] == 1
    assert not result.outside.any()


def test_an_unknown_variance_leaves_the_covariance() -> None:
    result = correlation([[40, 20], [15, 25]], [TWO_REPORTS, identity(2)])
    # Two reports, of which the first counts -1 and the second 3.
    x, y = np.repeat([[-1, 0], [-1, 1], [3, 0], [3, 1]], [40, 20, 15, 25], axis=0).T
    assert result.covariance == pytest.approx(np.cov(x, y)[0, 1])
    assert math.isnan(result.variances[0])
    assert math.isnan(result.theta)
    assert not result.outside
    assert np.isnan(result.interval()).all()
    assert str(result).endswith("(the design does not tell how much the values vary)")


FloatArray = npt.NDArray[np.float64]

DIRECT = identity(2)
STRONG = designs.warner(epsilon=3)
WEAK = designs.warner(epsilon=1)
YES = np.array([0.0, 1])


def joint(counts: npt.ArrayLike, *channels: Channel) -> JointReports:
    first, second = channels
    values = np.arange(float(first.truths)), np.arange(float(second.truths))
    return JointReports(np.asarray(counts, dtype=np.int64), (first, second), values)


@pytest.mark.slow
@pytest.mark.parametrize(
    "truth",
    [
        [[0.5, 0.05], [0.0, 0.45]],  # an empty cell
        # hardly anybody in the margins
        [[0.9, 0.02], [0.02, 0.06]],
        # the same for both: a correlation of 1
        [[0.6, 0.0], [0.0, 0.4]],
    ],
)
def test_it_holds_by_enumeration_where_fisher_s_misses(truth: list[list[float]]) -> None:
    # Of 8 people, asked the one directly and the other under noise.
    x, y = (np.array(truth).sum(axis=axis)[1] for axis in (1, 0))
    r = (truth[1][1] - x * y) / math.sqrt(x * (1 - x) * y * (1 - y))
    rejected = shown = held = 0.0
    for chance, counts in tables(8, np.array(truth) @ STRONG.probabilities, 1e-6):
        rejected += chance * (min(joint(counts, DIRECT, STRONG).tails(r)) < 0.025)
        low, high = correlation(counts, [DIRECT, STRONG]).interval(method="fisher")
        shown += chance * (not math.isnan(low))
        held += chance * (low <= r <= high)
    assert shown > 0.2
    assert held < 0.8 * shown
    assert rejected < 0.05


def test_an_end_leaves_half_of_a_tail() -> None:
    reports = joint([[80, 40], [40, 50]], WEAK, STRONG)
    low, high = reports.interval(0.9)
    assert reports.tails(low)[1] == pytest.approx(0.05, abs=1e-3)
    assert reports.tails(high)[0] == pytest.approx(0.05, abs=1e-3)
    wider = reports.interval(0.99)
    assert wider[0] < low < high < wider[1]


@pytest.mark.parametrize("rho", [0.85, 0.5, -0.3])
def test_tails_are_the_most_likely_table_s(rho: float) -> None:
    # By another way: tables of a correlation are two numbers, here the margins, over which the
    # likelihood is maximised by simplexes; and all results are enumerated. Sums of the statistic
    # are rounded to steps, so that results beside the one that came may count or not.
    counts = np.array([[8, 2], [3, 5]])
    flip = float(STRONG.probabilities[0, 1])
    g, h = np.array([-flip, 1 - flip]) / (1 - 2 * flip), YES

    def table(margins: FloatArray) -> FloatArray:
        p, q = 1 / (1 + np.exp(-margins))
        both = p * q + rho * math.sqrt(p * (1 - p) * q * (1 - q))
        return np.array([[1 - p - q + both, q - both], [p - both, both]])

    def reports(cells: FloatArray) -> FloatArray:
        return STRONG.probabilities.T @ cells

    def unlikely(margins: FloatArray) -> float:
        cells = table(margins)
        return math.inf if cells.min() < 0 else -float(np.sum(counts * np.log(reports(cells))))

    best = table(optimize.minimize(unlikely, [-0.1, 0.1], method="Nelder-Mead", tol=1e-10).x)
    p, q = best[1].sum(), best[:, 1].sum()
    t = math.sqrt(q * (1 - q) / (p * (1 - p)))
    # An answer of 0 or 1 is its own square.
    squares = t * ((1 - 2 * p) * g + p**2)[:, np.newaxis] + ((1 - 2 * q) * h + q**2) / t
    f = np.outer(g - p, h - q) - rho / 2 * squares
    came = float(np.sum(counts * f))
    sums, chances = zip(
        *((np.sum(f * other), chance) for chance, other in tables(18, reports(best))), strict=True
    )
    beside = 2e-3 * np.ptp(f)
    lower, upper = joint(counts, STRONG, DIRECT).tails(rho)
    far, near = (np.dot(chances, np.array(sums) <= came + by) for by in (-beside, beside))
    assert far - 1e-3 <= lower <= near + 1e-3
    far, near = (np.dot(chances, np.array(sums) >= came - by) for by in (-beside, beside))
    assert far - 1e-3 <= upper <= near + 1e-3


def test_more_truths_may_vary_in_other_ways() -> None:
    two = joint([[18, 12], [13, 15]], DIRECT, DIRECT).tails(0.4)
    three = joint([[18, 12], [0, 0], [13, 15]], identity(3), DIRECT).tails(0.4)
    # The same table and noise; a distance of so many standard deviations is by 1/n less.
    distance, less = (stats.norm.isf(lower) for lower, _ in (two, three))
    assert less / distance == pytest.approx(1 - 1 / 58, abs=0.012)
    assert less < distance - 0.01


def test_what_agrees_with_no_correlation_has_no_interval() -> None:
    # Under WEAK a quarter and more of the people are reported otherwise.
    assert np.isnan(joint([[100, 0], [0, 100]], WEAK, WEAK).interval(0.95)).all()
    result = correlation([[100, 0], [0, 100]], [WEAK, WEAK])
    assert result.reason is None
    assert str(result).endswith("95 % interval – (no correlation agrees with the reports)")


@pytest.mark.parametrize(
    ("reports", "reason"),
    [
        (joint(np.zeros((2, 2)), WEAK, DIRECT), "nobody was asked both"),
        (joint(np.ones((7, 7)), identity(7), identity(7)), f"at most {MAX_CELLS} are searched"),
        (
            JointReports(np.ones((2, 2), dtype=np.int64), (WEAK, WEAK), (YES, np.ones(2))),
            "all truths of an item count the same",
        ),
    ],
)
def test_a_missing_interval_gives_its_reason(reports: JointReports, reason: str) -> None:
    assert reason in (reports.reason or "")
    assert np.isnan(reports.interval(0.95)).all()
