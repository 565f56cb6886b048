import math

import numpy as np
import pytest
from scipy import stats

from deniable import Channel, designs, identity, least_variance
from deniable.analysis import estimate
from tests.analysis.enumeration import tables
from tests.analysis.surveys import THREE_REPORTS

pytestmark = pytest.mark.promise("unbiased")


# Printed by other programs or in textbooks; weights rounded to 2^-32 move an estimate by 1e-9.
@pytest.mark.parametrize(
    ("counts", "channel", "theta", "standard_error"),
    [
        ([65, 60], designs.warner(flip="3/10"), 0.45, 0.1121634752),  # RRTCS, WarnerData
        ([1604, 831], designs.forced_response("2/3", "1/2"), 0.2619096509, 0.0144156656),  # rr
        ([12, 18], designs.forced_response("1/2", 1), 0.20, None),  # Macmillan
        ([60, 20], designs.forced_response("1/2", "3/10"), 0.20, None),  # Devore and Berk
    ],
)
def test_public_data_to_the_printed_digits(
    counts: list[int], channel: Channel, theta: float, standard_error: float | None
) -> None:
    result = estimate(counts, channel)
    assert result.theta[1] == pytest.approx(theta, abs=1e-9)
    if standard_error is not None:
        assert result.standard_error[1] == pytest.approx(standard_error, abs=1e-9)


def test_no_variance_is_below_that_of_the_noise() -> None:
    result = estimate([0, 10, 0], THREE_REPORTS)
    assert np.all((result.theta > 0) & (result.theta < 1))
    noise = THREE_REPORTS.probabilities @ (least_variance(THREE_REPORTS)[0] ** 2) - [1, 0]
    assert result.standard_error == pytest.approx([math.sqrt(noise.min() / 10)] * 2)


def test_the_known_noise_is_never_taken_for_less() -> None:
    """Ten equal reports have a sample variance of 0, and each was randomised all the same."""
    p = 0.25
    known = math.sqrt(p * (1 - p) / (1 - 2 * p) ** 2 / 10)
    for counts in ([10, 0], [9, 1]):  # the second has .09 * 10 / 9 = .1, less than p (1 - p)
        found = estimate(counts, designs.warner(flip="1/4"))
        assert found.standard_error == pytest.approx([known, known])
        assert found.interval(method="wald")[0] == pytest.approx(
            [found.theta[0] - 1.959964 * known, found.theta[0] + 1.959964 * known]
        )
    sample = estimate([4, 6], designs.warner(flip="1/4")).standard_error
    assert sample == pytest.approx([math.sqrt(0.24 / 9) / 0.5] * 2)
    assert estimate([10, 0], identity(2)).standard_error.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("channel", "shares", "n"),
    [
        (designs.warner(flip="1/20"), [1, 0], 12),
        (designs.forced_response("2/3", "1/2"), [0.7, 0.3], 12),
        (designs.k_ary(3, 1), [0.6, 0.4, 0], 6),
        (THREE_REPORTS, [0.2, 0.8], 6),
    ],
)
def test_it_is_unbiased_by_enumeration(channel: Channel, shares: list[float], n: int) -> None:
    P = np.array(shares) @ channel.probabilities
    theta = np.zeros(channel.truths)
    second_moment = np.zeros(channel.truths)
    variance = np.zeros(channel.truths)
    above = np.zeros(channel.truths)
    G = least_variance(channel)
    for chance, counts in tables(n, P):
        result = estimate(counts, channel)
        theta += chance * result.theta
        second_moment += chance * result.theta**2
        sample = np.array([np.cov(g, fweights=counts) for g in G]) / n
        variance += chance * sample
        above += chance * (result.standard_error**2 - sample)
        assert (result.standard_error**2 >= sample - 1e-12).all()
    assert theta == pytest.approx(np.array(shares), abs=1e-9)
    assert variance == pytest.approx(second_moment - theta**2, abs=1e-9)
    # What the known noise adds where the sample has less: most where a share is 0 or 1.
    assert (above <= 0.6 * variance).all()


def test_an_estimate_outside_is_flagged_and_kept() -> None:
    result = estimate([95, 5], designs.warner(flip="1/4"))
    assert result.theta == pytest.approx([1.4, -0.4])
    assert result.outside.tolist() == [True, True]
    assert result.maximum_likelihood == pytest.approx([1, 0], abs=1e-9)
    assert estimate([5, 5], designs.warner(flip="1/4")).outside.tolist() == [False, False]
    # 1/6 and 2/3 are no multiples of 2^-32, so that a share of 0 comes out as 1e-10 or -1e-10.
    channel = designs.forced_response("1/2", "1/3")
    for counts in ([500, 100], [200, 400]):
        edge = estimate(counts, channel)
        assert edge.theta[1] not in {0, 1}
        assert edge.outside.tolist() == [False, False]
    assert estimate([501, 99], channel).outside.tolist() == [True, True]


def test_an_interval_is_kept_raw_and_cut() -> None:
    """The latter at the same level, for as many comparisons."""
    result = estimate([60, 25, 15], designs.k_ary(3, 1))
    for method in ("exact", "wilson", "wald"):
        raw = result.interval(0.8, method, simultaneous=True, comparisons=4)
        possible = result.possible_interval(0.8, method, simultaneous=True, comparisons=4)
        assert raw.min() < 0
        assert np.array_equal(possible, np.clip(raw, 0, 1))
    assert result.against_design() == ()


@pytest.mark.parametrize(("counts", "where"), [([47, 3], "below 0"), ([3, 47], "above 1")])
def test_a_share_far_outside_contradicts_the_design(counts: list[int], where: str) -> None:
    result = estimate(counts, designs.warner(flip="1/4"))
    (found,) = result.against_design()
    assert found.truth == 1
    assert found.estimate == result.theta[1]
    assert found.p_value == pytest.approx(2 * stats.binom.cdf(3, 50, 0.25))
    assert f"{found.estimate:.3f}, is further {where} than chance explains" in str(found)
    assert "at most 0.1 % of surveys" in str(found)
    assert result.against_design(0.9999999) == ()


def test_one_report_has_no_error_but_an_interval() -> None:
    result = estimate([0, 1], designs.warner(flip="1/4"))
    assert np.isnan(result.standard_error).all()
    assert np.isnan(result.interval(method="wald")).all()
    assert np.isfinite(result.interval(method="wilson")).all()


def test_swapped_counts_and_channel_are_told() -> None:
    with pytest.raises(TypeError, match="expected counts and then a channel, found a list"):
        estimate(designs.warner(flip="1/4"), [60, 40])  # type: ignore[arg-type]
