"""Means of a number in groups: against shares, exact expectations and simulated people."""

from itertools import product

import numpy as np
import pytest
import scipy

from deniable import Channel, designs, identity
from deniable.analysis import difference, estimate_mean
from deniable.analysis.estimation import product as product_of
from deniable.analysis.joint.group_means import correlated, means_within, of_cells, of_pairs
from deniable.analysis.joint.groups import Difference, less

WARNER = designs.warner(flip="1/5")
DIRECT = identity(4)
TWO_POINT = designs.two_point(11, epsilon=2)
LEVELS = np.arange(11.0)


def apart(
    counts: list[list[int]] | list[np.ndarray], channel: Channel, values: np.typing.ArrayLike
) -> Difference:
    one, other = (estimate_mean(of, channel, values).part(0) for of in counts)
    return less(one, other)


@pytest.mark.parametrize("counts", [[[40, 20], [15, 30]], [[6, 1], [5, 0]], [[9, 30], [9, 30]]])
@pytest.mark.parametrize("method", ["auto", "tail", "wald", "wilson"])
def test_the_mean_of_0_and_1_is_a_share(counts: list[list[int]], method: str) -> None:
    found, shares = apart(counts, WARNER, [0, 1]), difference(counts[0], counts[1], WARNER)
    assert found.theta == pytest.approx(shares.theta[1:])
    assert found.interval(method=method) == pytest.approx(shares.interval(method=method)[1:])
    assert found.p_value(method) == pytest.approx(shares.p_value(method)[1:], rel=1e-6)
    assert not found.interval(comparisons=6).item(0) > found.interval().item(0)


def test_direct_numbers_differ_as_by_welch() -> None:
    samples = np.repeat(range(4), [30, 50, 20, 40]), np.repeat(range(4), [35, 45, 25, 35])
    found = apart([np.bincount(one, minlength=4) for one in samples], DIRECT, range(4))
    welch = scipy.stats.ttest_ind(*samples, equal_var=False)
    assert (found.theta / found.standard_error).item() == pytest.approx(welch.statistic)
    ends = welch.confidence_interval()
    assert found.interval()[0] == pytest.approx([ends.low, ends.high], abs=0.02)
    assert found.p_value()[0] == pytest.approx(welch.pvalue, rel=0.05)


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
    law = product_of([channel.probabilities for channel in pairs.channels])
    for row, (group, level) in zip(law, truths, strict=True):
        here = np.arange(2) == group
        has = not np.isnan(VALUES[level])
        assert pairs.group @ row == pytest.approx(1.0 * here)
        total, having = (
            np.array([getattr(one, name) @ row for one in pairs.ratios])
            for name in ("to_numerator", "to_denominator")
        )
        assert having == pytest.approx(1.0 * here * has)
        assert total == pytest.approx(here * (VALUES[level] if has else 0.0))


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
            found = apart([*counts], number, LEVELS)
        else:
            found = correlated(means_within(counts.ravel(), of_pairs(of, number, LEVELS)), 0, 1)
        low, high = found.interval()[0]
        held += low <= 10 * (means[0] - means[1]) <= high
    assert held >= 0.925 * 400
