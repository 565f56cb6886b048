"""Intervals of samples that tell as much as an ordinary one, and reports as numbers."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from scipy import stats

from deniable import Channel, designs, identity, least_variance
from deniable.analysis import applicable_shares, estimate, estimate_mean
from deniable.analysis.sampling import (
    Debiased,
    DesignEstimate,
    debiased_applicable,
    debiased_shares,
    debiased_values,
    difference,
    direct_values,
    mean,
    sampling_design,
    total,
)
from deniable.analysis.sampling.effective import kish
from tests.analysis.channels import channels
from tests.analysis.surveys import THREE_REPORTS

WARNER = designs.warner(flip="1/4")
NUMBER = designs.best_numeric(4, 3)
FIVE = designs.k_ary(3, 2)
NONE = math.nan


def reports(*counts: int) -> npt.NDArray[np.intp]:
    return np.repeat(range(len(counts)), counts)


def alike(variable: Debiased) -> DesignEstimate:
    return mean(variable, sampling_design(np.full(len(variable.g), 2.5)))


@pytest.mark.parametrize(
    ("channel", "counts"),
    [(WARNER, (12, 0)), (WARNER, (33, 17)), (THREE_REPORTS, (9, 5, 1)), (FIVE, (0, 0, 8))],
)
def test_equal_weights_are_no_weights(channel: Channel, counts: tuple[int, ...]) -> None:
    plain, found = estimate(counts, channel), alike(debiased_shares(reports(*counts), channel))
    assert found.theta == pytest.approx(plain.theta, abs=1e-12)
    assert found.standard_error == pytest.approx(plain.standard_error)
    assert found.interval() == pytest.approx(plain.interval(), abs=1e-6)
    assert found.methods() == plain.methods()
    for method in ("exact", "wilson", "tail"):
        if "feldman-cousins" in plain.methods() or method == "tail":
            assert found.interval(0.9, method) == pytest.approx(
                plain.interval(0.9, method), abs=1e-6
            )


@pytest.mark.parametrize("values", [[0, 1, 2, 3], [0, 1, 2, NONE]])
def test_means_and_ratios_are_the_same(values: list[float]) -> None:
    counts = np.bincount(np.arange(40) ** 2 % NUMBER.reports, minlength=NUMBER.reports)
    plain = estimate_mean(counts, NUMBER, values)
    found = alike(debiased_values(reports(*counts), NUMBER, values))
    assert found.theta[0] == pytest.approx(plain.theta)
    assert found.standard_error[0] == pytest.approx(plain.standard_error)
    assert found.interval()[0] == pytest.approx(plain.interval(), abs=1e-5)
    shares = applicable_shares([30, 26, 44], FIVE, 2)
    among = alike(debiased_applicable(reports(30, 26, 44), FIVE, 2))
    assert among.theta == pytest.approx(shares.theta)
    assert among.standard_error == pytest.approx(shares.standard_error)
    assert among.interval() == pytest.approx(shares.interval(), abs=1e-5)


def test_the_noise_is_a_floor_under_every_error() -> None:
    weights = np.array([3.0, 1, 1, 2, 5, 1, 1, 1])
    found = mean(debiased_shares(np.zeros(8, dtype=int), WARNER), sampling_design(weights))
    # Flip 1/4: the noise of a report that counts 1.5 or -.5 has the variance 4 * 3/16.
    expected = math.sqrt(0.75 / kish(weights))
    assert found.standard_error == pytest.approx([expected, expected])
    values = mean(debiased_values(np.zeros(8, dtype=int), WARNER, [2, 7]), sampling_design(weights))
    assert values.standard_error == pytest.approx([5 * expected])
    # A total's variance is unbiased; its interval knows the noise as well.
    people = total(debiased_shares(np.zeros(8, dtype=int), WARNER), sampling_design(np.ones(8)))
    low, high = people.interval()[1]
    half = stats.t.ppf(0.975, 7) * math.sqrt(8 * 0.75)
    assert (low, high) == pytest.approx((-4 - half, -4 + half))


def test_a_ratio_and_its_error_are_the_textbook_s() -> None:
    """Cochran (1977), section 6.4, of debiased totals."""
    random = np.random.default_rng(3)
    came, weights = random.integers(0, 3, 80), random.uniform(0.5, 3, 80)
    found = mean(debiased_values(came, FIVE, [4, 9, NONE]), sampling_design(weights))
    G = least_variance(FIVE)[:, came]
    y, x = 4 * G[0] + 9 * G[1], G[0] + G[1]
    ratio = weights @ y / (weights @ x)
    parts = weights * (y - ratio * x) / (weights @ x)
    assert found.theta[0] == pytest.approx(ratio)
    assert found.standard_error[0] == pytest.approx(math.sqrt(80 / 79 * (parts**2).sum()))


def test_without_values_there_is_only_the_range() -> None:
    nobody = debiased_values(np.full(30, 2), FIVE, [4, 9, NONE])
    found = mean(nobody, sampling_design(np.linspace(1, 2, 30)))
    assert np.isnan(found.theta).all()
    assert np.isnan(found.standard_error).all()
    assert found.interval()[0] == pytest.approx([4, 9])
    with pytest.raises(ValueError, match="take 0 for it"):
        total(nobody, sampling_design(np.ones(30)))


def test_a_mean_of_numbers_has_one_interval() -> None:
    ages = mean(direct_values(np.arange(4.0)), sampling_design(np.ones(4)))
    assert ages.methods() == ("wald",)


def test_degrees_of_freedom_are_satterthwaites() -> None:
    weights = np.array([1.0, 1, 1, 4])
    assert sampling_design(np.full(9, 7.0)).degrees_of_freedom == pytest.approx(8)
    assert sampling_design(weights).degrees_of_freedom == pytest.approx(19**2 / 259 - 1)
    clusters = sampling_design(weights, clusters=[1, 1, 2, 2]).degrees_of_freedom
    assert clusters == pytest.approx(19**2 / (2**2 + 17**2) - 1)


def test_groups_share_what_their_clusters_share() -> None:
    random = np.random.default_rng(11)
    came, cluster = random.integers(0, 2, 120), np.arange(120) % 8
    women = np.arange(120) % 3 == 0
    design = sampling_design(random.uniform(1, 2, 120), clusters=cluster)
    variable = debiased_shares(came, WARNER)
    found = difference(variable, design, women, ~women)
    parts = [mean(variable, design, domain=who) for who in (women, ~women)]
    # What both have in common, straight from the clusters' totals.
    sums = [np.bincount(cluster, one.linearised[:, 1]) for one in parts]
    shared = 8 / 7 * float((sums[0] - sums[0].mean()) @ (sums[1] - sums[1].mean()))
    errors = found.first.standard_error[1], found.second.standard_error[1]
    expected = errors[0] ** 2 + errors[1] ** 2 - 2 * shared
    assert found.standard_error[1] ** 2 == pytest.approx(expected)
    # What they have in common, above 0 here, makes the error smaller, and no interval but Wald's.
    assert found.correlation[1] > 0
    (low, _), (_, high) = (one.interval()[1] - one.theta[1] for one in (found.first, found.second))
    assert found.interval()[1, 0] == pytest.approx(found.theta[1] - math.hypot(low, high))
    (low, high), (of, _) = (one.interval(method="wald")[1] for one in (found, found.first))
    assert high - low < 2 * (found.first.theta[1] - of)
    with pytest.raises(ValueError, match="in both"):
        difference(variable, design, women, women)


SHARES_OF_YES = (0, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 0.99, 1)


@dataclass(frozen=True)
class Weighing:
    """Two kinds of people, each with a weight of their own."""

    heavy: int  # how many there are
    light: int
    weight: float  # of each heavy one; a light one weighs 1
    strata: bool = False  # whether the two kinds were drawn apart from each other


def weighted_coverage(weighing: Weighing, epsilon: str) -> float:
    """Compute the least coverage of a weighted share, exactly."""
    channel = identity(2) if epsilon == "direct" else designs.warner(epsilon=epsilon)
    heavy, light = weighing.heavy, weighing.light
    weights = np.repeat([weighing.weight, 1.0], [heavy, light])
    kind = np.repeat([0, 1], [heavy, light])
    design = sampling_design(weights, strata=kind if weighing.strata else None)
    ends = np.empty((heavy + 1, light + 1, 2))
    for a, b in np.ndindex(heavy + 1, light + 1):
        reports = np.r_[np.arange(heavy) < a, np.arange(light) < b].astype(np.int64)
        found = mean(debiased_shares(reports, channel), design)
        ends[a, b] = found.interval()[1]
    part = heavy * weighing.weight / weights.sum()
    (_, p), (_, q) = channel.probabilities
    least = 1.0
    for one, other in itertools.product(SHARES_OF_YES, repeat=2):
        of_heavy, of_light = (
            stats.binom.pmf(np.arange(n + 1), n, p + (q - p) * share)
            for n, share in ((heavy, one), (light, other))
        )
        chance, truth = np.outer(of_heavy, of_light), part * one + (1 - part) * other
        held = (ends[..., 0] <= truth + 1e-9) & (truth - 1e-9 <= ends[..., 1])
        least = min(least, float((chance * held).sum()))
    return least


@pytest.mark.parametrize(
    ("weighing", "epsilon"),
    [
        (Weighing(4, 6, 3), "1"),
        (Weighing(5, 5, 3), "direct"),
        (Weighing(5, 7, 4, strata=True), "5"),
    ],
)
def test_weighted_shares_hold_in_95_of_100_surveys(weighing: Weighing, epsilon: str) -> None:
    """Exactly, at 169 pairs of shares of the two kinds of people."""
    assert weighted_coverage(weighing, epsilon) >= 0.95


TWO_REPORTS = Channel.from_probabilities([["3/4", "1/4"], ["1/2", "1/2"], ["1/4", "3/4"]])


@settings(derandomize=True, max_examples=50, deadline=None)
@given(channels())
def test_noise_averages_to_the_truth(channel: Channel) -> None:
    sendable = np.flatnonzero(channel.probabilities.any(axis=0))
    C = channel.probabilities[:, sendable]
    values = np.arange(channel.truths) ** 1.5 - 2
    for variable, f in (
        (debiased_shares(sendable, channel), np.eye(channel.truths)),
        (debiased_values(sendable, channel, values), values[:, np.newaxis]),
    ):
        scale = np.abs(variable.g).max() ** 2
        assert C @ variable.g == pytest.approx(f, abs=1e-9 * scale)
    assert (variable.low, variable.high) == (values.min(), values.max())


def test_who_was_not_asked_counts_0() -> None:
    variable = debiased_shares(np.array([1, 255, 0], dtype=np.uint8), WARNER)
    assert variable.g[:, 1] == pytest.approx([1.5, 0, -0.5])
    assert variable.asked.tolist() == [True, False, True]
    numbers = direct_values([3.0, np.nan])
    assert numbers.g.ravel().tolist() == [3, 0]
    assert numbers.asked.tolist() == [True, False]


def test_a_design_may_tell_means_without_variances() -> None:
    variable = debiased_values([0, 1], TWO_REPORTS, [0, 1, 2])
    assert variable.g.ravel() == pytest.approx([-1, 3])
    assert variable.g_of_square is None
