"""Means of a number in groups: against shares, exact expectations and simulated people."""

from itertools import product

import numpy as np
import pytest
import scipy

from deniable import Channel, designs, identity
from deniable.analysis import difference, estimate_mean
from deniable.analysis.joint.group_means import (
    MeanDifference,
    correlated,
    group_mean,
    means_within,
    of_cells,
    of_pairs,
)

WARNER = designs.warner(flip="1/5")
DIRECT = identity(4)
TWO_POINT = designs.two_point(11, epsilon=2)
LEVELS = np.arange(11.0)


@pytest.mark.parametrize("counts", [([40, 20], [15, 30]), ([6, 1], [5, 0]), ([9, 30], [9, 30])])
def test_the_mean_of_0_1_is_a_share(counts: tuple[list[int], list[int]]) -> None:
    one, other = (group_mean(estimate_mean(of, WARNER, [0, 1])) for of in counts)
    found = MeanDifference(one, other)
    shares = difference(*counts, WARNER)
    assert found.difference == pytest.approx(shares.difference[1:])
    assert found.interval() == pytest.approx(shares.interval(method="tail")[1:], abs=1e-5)
    assert found.p_value == pytest.approx(shares.p_value("tail")[1], rel=1e-3)
    assert not found.interval(comparisons=6).item(0) > found.interval().item(0)


def test_the_interval_asked_for_is_given() -> None:
    one, other = (group_mean(estimate_mean(of, WARNER, [0, 1])) for of in ([40, 20], [15, 30]))
    found = MeanDifference(one, other)
    half = 1.959963984540054 * found.standard_error[0]
    wald = [found.difference[0] - half, found.difference[0] + half]
    assert found.interval(method="wald")[0] == pytest.approx(wald)
    assert found.interval(method="wald") != pytest.approx(found.interval(), rel=1e-3)
    assert one.end_method("wald") == "wald"
    for group in (one, found):
        with pytest.raises(ValueError, match="of auto or wald, found 'exact'"):
            group.interval(method="exact")


def test_direct_numbers_differ_as_by_welch() -> None:
    samples = np.repeat(range(4), [30, 50, 20, 40]), np.repeat(range(4), [35, 45, 25, 35])
    counts = [np.bincount(one, minlength=4) for one in samples]
    one, other = (group_mean(estimate_mean(of, DIRECT, range(4))) for of in counts)
    found = MeanDifference(one, other)
    welch = scipy.stats.ttest_ind(*samples, equal_var=False)
    assert (found.difference / found.standard_error).item() == pytest.approx(welch.statistic)
    ends = welch.confidence_interval()
    assert found.interval()[0] == pytest.approx([ends.low, ends.high], abs=0.02)
    assert found.p_value == pytest.approx(welch.pvalue, rel=0.05)


CELLS = ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2))
VALUES = np.array([2.0, 5.0, np.nan])


@pytest.mark.parametrize("is_one", [False, True])
def test_totals_in_randomised_groups_are_unbiased(*, is_one: bool) -> None:
    # One answer for both, of which the third value is no number, or two channels.
    number = designs.k_ary(3, 1)
    pairs = (
        of_cells(designs.k_ary(5, 2), CELLS, VALUES) if is_one else of_pairs(WARNER, number, VALUES)
    )
    truths = CELLS if is_one else tuple(product(range(2), range(3)))
    law = pairs.table if is_one else np.kron(WARNER.probabilities, number.probabilities)
    for row, (group, level) in zip(law, truths, strict=True):
        here = np.arange(2) == group
        has = not np.isnan(VALUES[level])
        assert pairs.group @ row == pytest.approx(1.0 * here)
        assert pairs.having @ row == pytest.approx(1.0 * here * has)
        assert pairs.total @ row == pytest.approx(here * (VALUES[level] if has else 0.0))


def drawn(channel: Channel, truths: np.ndarray, random: np.random.Generator) -> np.ndarray:
    steps = channel.probabilities[truths].cumsum(axis=1)
    return np.asarray((random.random(len(truths))[:, np.newaxis] > steps).sum(axis=1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("of", "number", "n", "share", "means"),
    [
        (identity(2), TWO_POINT, 60, 0.3, (0.1, 0.4)),
        (identity(2), designs.best_numeric(11, 3), 40, 0.5, (0.02, 0.02)),
        (WARNER, TWO_POINT, 300, 0.3, (0.2, 0.5)),
        (WARNER, identity(11), 150, 0.15, (0.1, 0.1)),
        (designs.k_ary(3, 3), designs.best_numeric(11, 3), 400, 0.4, (0.5, 0.5)),
        (designs.k_ary(7, 3), designs.best_numeric(11, 3), 700, 0.3, (0.3, 0.6)),
    ],
)
def test_intervals_of_differences_hold(
    of: Channel, number: Channel, n: int, share: float, means: tuple[float, float]
) -> None:
    # 400 surveys: .917 is four standard errors below .96, and less than one in 30,000 false alarms
    # each at a coverage of .95; the seeds are fixed, so each runs alike.
    random = np.random.default_rng([5, n])
    held = 0
    for _ in range(400):
        group = (random.random(n) < share).astype(int)
        truths = random.binomial(10, np.array(means)[group])
        reports = drawn(of, group, random), drawn(number, truths, random)
        counts = np.zeros((of.reports, number.reports), dtype=np.int64)
        np.add.at(counts, reports, 1)
        if of.epsilon == float("inf"):
            each = [group_mean(estimate_mean(one, number, LEVELS)) for one in counts]
            found = MeanDifference(each[0], each[1])
        else:
            each = [*means_within(counts.ravel(), of_pairs(of, number, LEVELS))]
            found = correlated(each[0], each[1])
        low, high = found.interval()[0]
        held += low <= 10 * (means[0] - means[1]) <= high
    assert held >= 0.925 * 400
