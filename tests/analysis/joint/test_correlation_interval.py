import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize, stats

from deniable import Channel, designs, identity
from deniable.analysis.joint.correlation_interval import MAX_CELLS, JointReports, _Search
from deniable.analysis.joint.correlations import correlation
from tests.analysis.enumeration import tables

FloatArray = npt.NDArray[np.float64]

DIRECT = identity(2)
STRONG = designs.warner(epsilon=3)
WEAK = designs.warner(epsilon=1)
YES = np.array([0.0, 1])


def joint(counts: npt.ArrayLike, *channels: Channel) -> JointReports:
    first, second = channels
    values = np.arange(float(first.truths)), np.arange(float(second.truths))
    return JointReports(np.asarray(counts, dtype=np.int64), (first, second), values)


def correlation_of(truth: FloatArray) -> float:
    x, y = np.arange(len(truth)), np.arange(truth.shape[1])
    rows, columns = truth.sum(axis=1), truth.sum(axis=0)
    covariance = x @ truth @ y - (rows @ x) * (columns @ y)
    spread = (rows @ x**2 - (rows @ x) ** 2) * (columns @ y**2 - (columns @ y) ** 2)
    return float(covariance / math.sqrt(spread))


@pytest.mark.parametrize(
    "truth",
    [
        [[0.5, 0.05], [0.0, 0.45]],  # an empty cell
        # hardly anybody in the margins
        pytest.param([[0.9, 0.02], [0.02, 0.06]], marks=pytest.mark.slow),
        # the same for both: a correlation of 1
        pytest.param([[0.6, 0.0], [0.0, 0.4]], marks=pytest.mark.slow),
    ],
)
def test_it_holds_by_enumeration_where_fisher_s_misses(truth: list[list[float]]) -> None:
    # Of 8 people, asked the one directly and the other under noise.
    r = correlation_of(np.array(truth))
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


def test_near_a_table_the_statistic_tells_only_correlation() -> None:
    # To the first order its mean under any table beside is the change of the correlation, in units
    # of both standard deviations, however the margins change.
    channel = designs.k_ary(3, 1)
    reports = JointReports(
        np.ones((3, 3), dtype=np.int64), (channel, channel), (np.array([0, 0.2, 1]), np.arange(3.0))
    )
    search = _Search(reports, 0.025)
    table = np.array([5, 1, 2, 2, 3, 1, 1, 4, 6]) / 25
    f = search.statistic(table, search.correlation(table))
    _, _, v1, v2, _ = search.moments(table)
    assert table @ search.C @ f == pytest.approx(0, abs=1e-9)
    for cell in range(9):
        beside = table + 1e-6 * (np.eye(9)[cell] - table)
        change = search.correlation(beside) - search.correlation(table)
        assert beside @ search.C @ f == pytest.approx(change * math.sqrt(v1 * v2), abs=1e-9)


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
        (
            joint(np.ones((7, 7)), identity(7), identity(7)),
            f"there are 49 pairs of truths, and at most {MAX_CELLS} are searched over",
        ),
        (
            JointReports(np.ones((2, 2), dtype=np.int64), (WEAK, WEAK), (YES, np.ones(2))),
            "all truths of an item count the same",
        ),
    ],
)
def test_a_missing_interval_gives_its_reason(reports: JointReports, reason: str) -> None:
    assert reports.reason == reason
    assert np.isnan(reports.interval(0.95)).all()
