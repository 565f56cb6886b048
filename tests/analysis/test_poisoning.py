import itertools
import math

import numpy as np
import pytest

from deniable import Channel, designs, identity
from deniable.analysis import estimate, poisoning
from tests.kit import first_of

pytestmark = pytest.mark.promise("poisoning")

TERNARY = designs.custom([["3/5", "1/5", "1/5"], ["1/10", "7/10", "1/5"], ["0", "1/2", "1/2"]])
MORE_REPORTS = designs.custom([["1/2", "1/4", "1/5", "1/20"], ["1/20", "1/5", "1/4", "1/2"]])


@pytest.mark.parametrize(
    ("k", "epsilon", "printed"),
    [
        (2, 0.5, "4.08"),
        (2, 1, "2.16"),
        (2, 2, "1.31"),
        (10, 0.5, "16.4"),
        (10, 1, "6.8"),
        (10, 2, "2.6"),
    ],
)
def test_k_ary_amplification_is_the_published_formula(k: int, epsilon: float, printed: str) -> None:
    found = poisoning(designs.k_ary(k, epsilon), 100).amplification
    expected = (math.exp(epsilon) + k - 1) / (math.exp(epsilon) - 1)
    assert found == pytest.approx(np.full(k, expected), rel=1e-6)
    assert f"{found[0]:.{len(printed.partition('.')[2])}f}" == printed


@pytest.mark.parametrize(
    "channel", [designs.warner(flip="1/4"), TERNARY, MORE_REPORTS, identity(3)]
)
@pytest.mark.parametrize("n", first_of([2, 1, 4]))
def test_enumeration_attains_the_bound_and_never_exceeds_it(channel: Channel, n: int) -> None:
    bound = poisoning(channel, n)
    for colluding in range(n + 1):
        greatest = np.zeros(channel.truths)
        for honest in itertools.product(range(channel.reports), repeat=n):
            before = _theta(channel, honest)
            for sent in itertools.product(range(channel.reports), repeat=colluding):
                moved = np.abs(_theta(channel, (*sent, *honest[colluding:])) - before)
                greatest = np.maximum(greatest, moved)
        assert greatest == pytest.approx(bound.shift(colluding), rel=1e-12)


def test_without_noise_it_is_a_vote_a_head() -> None:
    bound = poisoning(identity(4), 50)
    assert bound.amplification.tolist() == [1, 1, 1, 1]
    assert bound.shift(5).tolist() == [0.1] * 4
    assert bound.shift_by_lies(5) == 0.1


def test_lies_move_the_expected_estimate_by_no_more() -> None:
    channel, n, liars = designs.warner(flip="1/5"), 40, 6
    C = channel.probabilities
    honest, lying = 10 * C[1] + 30 * C[0], 16 * C[1] + 24 * C[0]
    # The estimate is linear in the counts, so that its expectation is the one at their mean.
    moved = (lying - honest)[1] / (1 - 2 * 0.2) / n
    assert poisoning(channel, n).shift_by_lies(liars) == pytest.approx(moved, rel=1e-6)


def test_a_mean_moves_by_the_range_of_reports() -> None:
    # Duchi's two reports over the levels 0 to 8: g is -4 or 12, and the levels themselves span 8.
    channel = designs.custom([[f"{12 - x}/16", f"{4 + x}/16"] for x in range(9)])
    bound = poisoning(channel, 100, values=range(9))
    assert bound.amplification == pytest.approx([16])
    assert bound.shift(10) == pytest.approx([1.6])
    assert bound.shift_by_lies(10) == pytest.approx(0.8)


def test_an_impossible_report_is_no_weapon() -> None:
    channel = designs.custom([["9/10", "0", "1/10"], ["3/5", "0", "2/5"]])
    without = designs.custom([["9/10", "1/10"], ["3/5", "2/5"]])
    found = poisoning(channel, 10).amplification
    assert found == pytest.approx(poisoning(without, 10).amplification)
    # Of a mean of 10s and 11s each report counts for 9.67 or 13, far from the 0 of that one.
    assert poisoning(channel, 10, values=[10, 11]).amplification == pytest.approx([10 / 3])


def test_as_many_as_the_noise_is_rounded_up() -> None:
    bound = poisoning(designs.warner(flip="1/4"), 1000)
    assert bound.as_much_as([0.0619, 0.0621]).tolist() == [31, 32]
    assert bound.as_much_as(0).tolist() == [0, 0]
    for half in (0.01, 0.0333):
        enough = int(bound.as_much_as(half)[0])
        assert bound.shift(enough)[0] >= half > bound.shift(enough - 1)[0]


def _theta(
    channel: Channel, reports: tuple[int, ...]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    counts = np.bincount(reports, minlength=channel.reports)
    return estimate(counts, channel).theta
