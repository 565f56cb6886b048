import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable import designs, exact
from deniable.channel import ROW_SUM, Channel
from deniable.designs import coarsened, numeric
from deniable.estimator import for_values
from tests.kit import first_of

Family = Callable[[int, exact.Number], Channel]

FAMILIES: tuple[Family, ...] = (
    numeric.laplace,
    numeric.two_point,
    numeric.piecewise,
    numeric.square_wave,
)
every_family = pytest.mark.parametrize("family", FAMILIES)

EPSILONS = st.fractions("1/1000", 12, max_denominator=1000)
VALUES = st.integers(2, 60)


def keeps(channel: Channel, epsilon: Fraction) -> bool:
    """Say whether the weights' own ratios are within e^ε, by exact arithmetic."""
    bound = exact.exp_lower(epsilon)
    return all(max(column) <= bound * min(column) for column in zip(*channel.weights, strict=True))


@every_family
@given(levels=VALUES, epsilon=EPSILONS)
@settings(max_examples=15, deadline=None)
def test_epsilon_is_hardly_ever_missed(family: Family, levels: int, epsilon: Fraction) -> None:
    channel = family(levels, epsilon)
    assert channel.truths == levels
    assert keeps(channel, epsilon)
    assert channel.epsilon_millionths is not None
    assert channel.epsilon_millionths <= math.ceil(epsilon * exact.MILLION)
    assert channel.epsilon >= float(epsilon) - 1e-3


@every_family
@pytest.mark.parametrize("epsilon", first_of(["1/100", 25]))
def test_the_most_levels_fit_a_byte(family: Family, epsilon: str) -> None:
    channel = family(255, epsilon)
    assert (channel.truths, channel.reports <= 255) == (255, True)
    assert keeps(channel, Fraction(epsilon))
    assert abs(for_values(channel, np.arange(255)) @ channel.probabilities[200] - 200) < 1e-2


@pytest.mark.parametrize("levels", [3, 8, 21])
@pytest.mark.parametrize("epsilon", [0.3, 2.0, 9.0])
def test_laplace_noise_is_added_and_then_clamped(levels: int, epsilon: float) -> None:
    # By its definition: the two-sided geometric distribution on far more integers than the range.
    alpha = math.exp(-epsilon / (levels - 1))
    far = 200 * levels
    noise = (1 - alpha) / (1 + alpha) * alpha ** np.abs(np.arange(-far, far + 1))
    P = np.zeros((levels, levels))
    for level in range(levels):
        reports = np.clip(level + np.arange(-far, far + 1), 0, levels - 1)
        P[level] = np.bincount(reports, weights=noise, minlength=levels)
    found = numeric.laplace(levels, epsilon).probabilities
    assert found == pytest.approx(P, abs=1e-8)


@pytest.mark.parametrize("levels", [2, 5, 6, 101])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_two_points_have_duchi_s_variance(levels: int, epsilon: float) -> None:
    channel = numeric.two_point(levels, epsilon)
    x, middle = np.arange(levels), (levels - 1) / 2
    size = middle * (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
    g = for_values(channel, x)
    assert g == pytest.approx([middle - size, middle + size], rel=1e-6)
    variance = channel.probabilities @ g**2 - (channel.probabilities @ g) ** 2
    assert variance == pytest.approx(size**2 - (x - middle) ** 2, rel=1e-6)
    assert numeric.worst_case_variance(channel) == pytest.approx(variance.max(), rel=1e-6)


def linear_estimator(channel: Channel) -> npt.NDArray[np.float64]:
    """Return the numbers, linear in the report, whose mean is the level's."""
    reports = np.arange(channel.reports)
    slope, start = np.polyfit(np.arange(channel.truths), channel.probabilities @ reports, 1)
    return np.asarray((reports - start) / slope, dtype=np.float64)


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 2.0, 4.0])
def test_piecewise_estimates_have_wang_s_variance(epsilon: float) -> None:
    levels = 115
    channel = numeric.piecewise(levels, epsilon)
    g = linear_estimator(channel)
    P = channel.probabilities
    assert pytest.approx(np.arange(levels), abs=1e-5) == P @ g
    t = np.linspace(-1, 1, levels)
    s = math.exp(epsilon / 2)
    wang = t**2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)
    found = (P @ g**2 - (P @ g) ** 2) / ((levels - 1) / 2) ** 2
    # 115 levels for a continuum, and a window of whole steps.
    assert found == pytest.approx(wang, rel=0.05)
    assert numeric.worst_case_variance(channel) <= found.max() * ((levels - 1) / 2) ** 2


@pytest.mark.parametrize(
    ("levels", "epsilon", "width"),
    # exp(-1/2) = .607, exp(-2) = .135, exp(-4) = .018
    [(21, 1, 12), (101, 1, 61), (21, 4, 3), (101, 8, 2), (21, 8, 1)],
)
def test_the_piecewise_window_is_part_of_its_way(levels: int, epsilon: int, width: int) -> None:
    assert windows(numeric.piecewise(levels, epsilon)) == [
        list(range(level, level + width)) for level in range(levels)
    ]


@pytest.mark.parametrize(
    ("levels", "epsilon", "half"),
    # b = .2558 at ε = 1, .0304 at 4, .4237 at 1/4
    [(21, 1, 5), (101, 1, 25), (101, 4, 3), (21, "1/4", 8), (21, 4, 0)],
)
def test_the_square_wave_reaches_li_s(levels: int, epsilon: exact.Number, half: int) -> None:
    channel = numeric.square_wave(levels, epsilon)
    assert channel.reports == levels + 2 * half
    assert windows(channel) == [list(range(level, level + 2 * half + 1)) for level in range(levels)]


def windows(channel: Channel) -> list[list[int]]:
    """Return the reports that each truth makes likelier, all by the same factor."""
    P = channel.probabilities
    ratios = P / P.min()
    assert np.all((ratios < 1 + 1e-6) | (ratios > math.exp(channel.epsilon) * (1 - 1e-6)))
    return [np.flatnonzero(row > 1 + 1e-6).tolist() for row in ratios]


@pytest.mark.parametrize("family", [numeric.piecewise, numeric.square_wave])
def test_windows_that_do_not_fit_keep_means(family: Family) -> None:
    channel = family(200, 1)
    assert channel.reports <= 255
    assert not channel.identifiable
    g = for_values(channel, np.arange(200))
    assert channel.probabilities @ g == pytest.approx(np.arange(200), abs=1e-4)
    # Twice the levels, twice the noise: what rounding to the coarser grid adds is next to nothing.
    ratio = numeric.worst_case_variance(channel) / numeric.worst_case_variance(family(100, 1))
    assert math.sqrt(ratio) == pytest.approx(199 / 99, rel=0.01)


def test_every_report_is_used_before_levels_are_coarsened() -> None:
    # exp(-1/2) × 159 = 96.4, × 160 = 97.04: windows of 96 and 97 reports.
    full = numeric.piecewise(160, 1)
    assert (full.reports, full.identifiable) == (159 + 96, True)
    assert not numeric.piecewise(161, 1).identifiable


@given(levels=st.integers(2, 9), epsilon=st.fractions("1/10", 8, max_denominator=20))
@settings(max_examples=25, deadline=None)
def test_designs_are_listed_best_first(levels: int, epsilon: Fraction) -> None:
    listed = numeric.numeric_designs(levels, epsilon)
    assert {design.name for design in listed} == {
        *(family.__name__ for family in FAMILIES),
        "k_ary",
        *(["minimax"] if levels > 2 else []),
    }
    for design in listed:
        # An oracle of its own: by the estimator of the analysis, level by level.
        g = for_values(design.channel, np.arange(levels))
        noise = [row @ (g - row @ g) ** 2 for row in design.channel.probabilities]
        assert design.variance == pytest.approx(max(noise), rel=1e-6)
    variances = [design.variance for design in listed]
    assert variances == sorted(variances)
    assert numeric.best_numeric(levels, epsilon, distribution=False) == listed[0].channel
    best = numeric.best_numeric(levels, epsilon)
    told = [design for design in listed if design.distribution]
    assert best in {design.channel for design in told[: 2 if told[0].name == "minimax" else 1]}


@pytest.mark.parametrize(
    ("epsilon", "expected"),
    [(1, numeric.piecewise), (4, numeric.piecewise), (9, designs.k_ary)],
)
def test_the_best_of_each_range_of_epsilon(epsilon: float, expected: Family) -> None:
    assert numeric.best_numeric(51, epsilon) == expected(51, epsilon)


@given(
    family=st.sampled_from([*FAMILIES, designs.k_ary]),
    levels=st.integers(2, 40),
    values=st.integers(2, 80),
    epsilon=st.fractions("1/20", 8, max_denominator=100),
)
@settings(max_examples=80, deadline=None)
def test_coarse_levels_keep_mean_privacy_and_rank(
    family: Family, levels: int, values: int, epsilon: Fraction
) -> None:
    inner = family(levels, epsilon)
    channel = coarsened(inner, values)
    assert (channel.truths, channel.reports) == (values, inner.reports)
    assert keeps(channel, epsilon)
    assert channel.epsilon_millionths is not None
    assert inner.epsilon_millionths is not None
    assert channel.epsilon_millionths <= inner.epsilon_millionths
    # The law of the reports is that of rounding at random and then the design.
    place = np.linspace(0, levels - 1, values)
    rounding = np.maximum(0, 1 - np.abs(place[:, np.newaxis] - np.arange(levels)))
    moved = 3 * (values - 1) / ROW_SUM
    assert channel.probabilities == pytest.approx(rounding @ inner.probabilities, abs=moved)
    # Where it is not full to begin with, the rank is not what the last bit makes of it.
    exact_rank = np.linalg.matrix_rank(rounding @ inner.probabilities, tol=1e-9)
    if exact_rank == min(levels, values) or inner.reports == 2:
        assert np.linalg.matrix_rank(channel.probabilities) == exact_rank
    g = for_values(channel, place)
    assert channel.probabilities @ g == pytest.approx(place, abs=1e-6 * max(1, np.abs(g).max()))
    if values > levels:
        assert not channel.identifiable


@every_family
@pytest.mark.parametrize(
    ("levels", "epsilon", "message"),
    [
        (1, 1, "2 to 255 levels, found 1"),
        (256, 1, "2 to 255 levels, found 256"),
        (21, 0, "an epsilon above 0, found 0"),
        (21, "-1", "an epsilon above 0, found -1"),
        (21, "much", "expected a number"),
        (21, "1e-10", "no information at all"),
    ],
)
def test_a_channel_of_nothing_is_refused(
    family: Family, levels: int, epsilon: exact.Number, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        family(levels, epsilon)


def test_many_levels_need_more_information_than_two() -> None:
    assert numeric.laplace(2, "1e-9").identifiable
    with pytest.raises(ValueError, match="no information at all"):
        numeric.laplace(255, "1e-9")
