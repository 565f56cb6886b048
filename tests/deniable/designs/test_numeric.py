"""The linear programme of numbers: HiGHS is its oracle, and its integers never change."""

import hashlib
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from deniable import designs, estimator, exact
from deniable.channel import ROW_SUM, Channel
from deniable.designs import coarsened, families, minimax, numeric, programme
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


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 2.0, 4.0])
def test_piecewise_estimates_have_wang_s_variance(epsilon: float) -> None:
    levels = 115
    channel = numeric.piecewise(levels, epsilon)
    P, reports = channel.probabilities, np.arange(channel.reports)
    # The numbers, linear in the report, whose mean is the level's.
    slope, start = np.polyfit(np.arange(levels), P @ reports, 1)
    g = (reports - start) / slope
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
def test_a_channel_of_nothing_is_refused(family: Family) -> None:
    for levels in (1, 256):
        with pytest.raises(ValueError, match=f"2 to 255 levels, found {levels}"):
            family(levels, 1)
    with pytest.raises(ValueError, match="an epsilon above 0, found 0"):
        family(21, 0)
    with pytest.raises(ValueError, match="no information at all"):
        family(21, "1e-10")


CASES = [(3, "1"), (6, "3"), (11, "2"), (8, "1/2"), (4, "4"), (13, "1"), (21, "1")]


def most(epsilon: str) -> int:
    """Return e^ε times 2^32, rounded down."""
    return math.floor(exact.exp_lower(Fraction(epsilon)) * ROW_SUM)


def grid(levels: int, epsilon: str) -> list[Fraction]:
    """Return the outputs, as the docstring of the design has them."""
    outputs, bound = max(levels, 13), Fraction(most(epsilon), ROW_SUM)
    reach = Fraction(5, 4) * (bound + 1) / (bound - 1)
    return [reach * Fraction(2 * j - outputs + 1, outputs - 1) for j in range(outputs)]


def by_highs(levels: int, epsilon: str) -> tuple[float, float]:
    """Return the least worst variance, and then the least sum of variances."""
    y = np.array([float(value) for value in grid(levels, epsilon)])
    x = np.linspace(-1, 1, levels)
    J, bound = len(y), most(epsilon) / ROW_SUM
    chances = levels * J
    sums = np.kron(np.eye(levels), np.ones(J))
    means, squares = np.kron(np.eye(levels), y), np.kron(np.eye(levels), y**2)
    of_outputs = np.tile(np.eye(J), (levels, 1))
    none, one = np.zeros((levels, J)), np.ones((levels, 1))
    equal = np.hstack([np.vstack([sums, means]), np.zeros((2 * levels, J + 1))])
    less = np.vstack(
        [
            np.hstack([-np.eye(chances), of_outputs, np.zeros((chances, 1))]),
            np.hstack([np.eye(chances), -bound * of_outputs, np.zeros((chances, 1))]),
            np.hstack([squares, none, -one]),
        ]
    )
    limits = np.concatenate([np.zeros(2 * chances), x**2])

    def least(aim: npt.NDArray[np.float64], worst: float | None) -> float:
        bounds: list[tuple[float, float | None]] = [(0.0, None)] * (chances + J)
        bounds.append((0.0, worst))
        right = np.concatenate([np.ones(levels), x])
        found: Any = linprog(aim, less, limits, equal, right, bounds)
        return float(found.fun)

    t = least(np.concatenate([np.zeros(chances + J), [1]]), None)
    total = np.concatenate([squares.sum(axis=0), np.zeros(J + 1)])
    return t, least(total, t * (1 + 1e-9)) - (x**2).sum()


@pytest.mark.parametrize(("levels", "epsilon"), first_of(CASES, 4))
def test_no_table_has_less_noise(levels: int, epsilon: str) -> None:
    half = programme._begun(levels, most(epsilon)).solved()
    rows = [*half, *(row[::-1] for row in half[: levels // 2][::-1])]
    y = grid(levels, epsilon)
    for column in zip(*rows, strict=True):
        assert max(column) * ROW_SUM <= min(column) * most(epsilon)
    noise = []
    for i, row in enumerate(rows):
        x = Fraction(2 * i, levels - 1) - 1
        assert sum(row) == 1
        assert sum(chance * value for chance, value in zip(row, y, strict=True)) == x
        noise.append(sum(chance * value**2 for chance, value in zip(row, y, strict=True)) - x**2)
    worst, total = by_highs(levels, epsilon)
    assert float(max(noise)) == pytest.approx(worst, rel=1e-9)
    assert float(sum(noise)) == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize(
    ("levels", "epsilon", "digest"),
    [
        (3, 1, "77ae32bd1b14b83b"),
        (11, 2, "941b8c54ab8c0328"),
        (12, "1/2", "eef6f7a8eccb7126"),
        (21, 3, "fc23cb5940b3a6ef"),
    ],
)
def test_integers_are_alike_everywhere(levels: int, epsilon: exact.Number, digest: str) -> None:
    channel = minimax(levels, epsilon)
    written = json.dumps(channel.weights, separators=(",", ":"))
    assert hashlib.sha256(written.encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize("steps", [0, 7])
@pytest.mark.parametrize(("levels", "epsilon"), [(3, "1"), (5, "1/2"), (6, "2")])
def test_the_table_does_not_depend_on_its_start(
    levels: int, epsilon: str, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    programme._ENDS.clear()
    expected = programme._begun(levels, most(epsilon)).solved()
    programme._ENDS.clear()
    monkeypatch.setattr(programme, "_MOST_STEPS", steps)
    assert programme._begun(levels, most(epsilon)).solved() == expected


@pytest.mark.parametrize("epsilon", first_of(["1/100", "8", "4", "9", "12", "20"], 2))
def test_the_search_in_integers_begins_at_its_end(epsilon: str) -> None:
    """From the beginning it takes half a minute at a large ε."""
    programme._ENDS.clear()
    begun = programme._begun(21, most(epsilon))
    assert min(begun.places) >= 0
    assert begun.improving() is None


@pytest.mark.parametrize("levels", [2, 3, 7, 12, 21, 255])
@pytest.mark.parametrize("epsilon", first_of(["1", "1/100", "12"]))
def test_rounding_keeps_epsilon_and_the_mean(levels: int, epsilon: str) -> None:
    channel = minimax(levels, epsilon)
    assert channel.truths == levels
    assert keeps(channel, Fraction(epsilon))
    assert channel.epsilon >= float(Fraction(epsilon)) - 1e-3
    values = np.arange(levels)
    told = channel.probabilities @ estimator.for_values(channel, values)
    assert np.abs(told - values).max() < 1e-5 * levels


@pytest.mark.parametrize(
    ("levels", "epsilon", "variance"),
    [(11, 1, 3.99), (11, 2, 0.865), (11, 3, 0.303), (11, 4, 0.126), (5, 2, 0.857)],
)
def test_the_noise_is_of_a_finer_grid(levels: int, epsilon: int, variance: float) -> None:
    steps = ((levels - 1) / 2) ** 2
    found = designs.worst_case_variance(minimax(levels, epsilon)) / steps
    assert variance <= found * 1.002
    assert found < variance * 1.07


@pytest.mark.parametrize(("levels", "epsilon"), [(6, "3/4"), (4, "3/2"), (11, 3), (5, 3)])
def test_the_best_never_makes_shares_much_worse(levels: int, epsilon: exact.Number) -> None:
    best = designs.best_numeric(levels, epsilon)
    listed = designs.numeric_designs(levels, epsilon)
    other = next(each for each in listed if each.distribution and each.name != "minimax")
    assert best.identifiable
    assert estimator.variance(best) <= 2 * estimator.variance(other.channel)
    assert (best == minimax(levels, epsilon)) == (levels in {4, 6})


def test_unknown_shares_make_the_mean_s_best() -> None:
    mean_only = families.Family("mean_only", 9, 9).channel(1)
    assert mean_only == minimax(9, 1)
    assert not mean_only.identifiable
    assert families.Family("best", 9, 9).channel(1).identifiable
    coarse = families.Family("best", 25, 7).channel(1)
    assert coarse == coarsened(minimax(7, 1), 25)
