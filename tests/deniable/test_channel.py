"""Channels, exact numbers and estimators: integers, bounds that are bounds, least variance."""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable import Channel, designs, exact
from deniable.channel import ROW_SUM, first_exceeding, identity
from deniable.designs.families import Family
from deniable.estimator import for_values, least_variance, variance
from tests import vectors
from tests.analysis.channels import channels

pytestmark = pytest.mark.promise("noise")

rows_of_weights = st.integers(2, 5).flatmap(
    lambda reports: st.lists(
        st.lists(st.integers(0, 1000), min_size=reports, max_size=reports).filter(any),
        min_size=2,
        max_size=5,
    )
)


def scaled(table: list[list[int]]) -> Channel:
    """Make a channel of any table of non-negative integers."""
    return Channel.from_probabilities([[Fraction(w, sum(row)) for w in row] for row in table])


@pytest.mark.parametrize("case", vectors.samplers(), ids=lambda case: case.name)
def test_the_shared_tape_gives_the_shared_reports(case: vectors.Sampler) -> None:
    for truth, reports in case.reports.items():
        assert [case.channel.sample(truth, word) for word in case.words] == reports
    assert case.channel.epsilon == (math.inf if case.epsilon is None else case.epsilon)


@pytest.mark.parametrize(
    "row",
    [[1, 65535], [0, 32768, 0, 32768], [21846, 21845, 21845], [65536 - 254 * 100, *[100] * 254]],
)
def test_every_word_of_16_bits_enumerated(row: list[int]) -> None:
    # A proof, not a statistic: the sampler knows no word size, so what holds for all words of 16
    # bits holds for 32.
    sums = np.cumsum(row).tolist()
    counts = [0] * len(row)
    for word in range(2**16):
        counts[first_exceeding(sums, word)] += 1
    assert counts == row


@pytest.mark.parametrize(("truth", "word"), [(2, 0), (-1, 0), (0, -1), (0, 2**32)])
def test_sampling_refuses_what_is_out_of_range(truth: int, word: int) -> None:
    said = (
        rf"word from 0 to 2\^32 - 1, found {word}" if word else f"truth from 0 to 1, found {truth}"
    )
    with pytest.raises(ValueError, match=f"expected a {said}"):
        identity(2).sample(truth, word)


@given(rows_of_weights)
def test_epsilon_is_never_understated_and_tight(table: list[list[int]]) -> None:
    channel = scaled(table)
    columns = list(zip(*channel.weights, strict=True))
    if any(min(column) == 0 < max(column) for column in columns):
        assert channel.epsilon == math.inf
        assert channel.epsilon_millionths is None
        return
    ratio = max(Fraction(max(c), min(c)) for c in columns if max(c))
    assert channel.epsilon_millionths is not None
    # e^x > 1 + x: an exact oracle for small ε; floats with a margin of 1e-9 for the others.
    assert math.exp(channel.epsilon) >= float(ratio) * (1 - 1e-9)
    assert math.exp(channel.epsilon - 1e-6) < float(ratio) * (1 + 1e-9)


@given(rows_of_weights)
def test_rounding_keeps_sums_and_possibility(table: list[list[int]]) -> None:
    channel = scaled(table)
    for row, weights in zip(table, channel.weights, strict=True):
        assert sum(weights) == ROW_SUM
        assert [weight > 0 for weight in weights] == [weight > 0 for weight in row]
        for weight, probability in zip(weights, row, strict=True):
            assert abs(weight / ROW_SUM - probability / sum(row)) <= len(row) / ROW_SUM
    np.testing.assert_array_equal(channel.probabilities.sum(axis=1), 1.0)


def test_reports_that_give_senders_away_are_named() -> None:
    channel = Channel.from_probabilities([["1/2", "1/2", 0, 0], [0, "1/2", "1/2", 0]])
    assert channel.revealing_reports == (0, 2)
    assert identity(3).revealing_reports == (0, 1, 2)


HALF = ROW_SUM // 2


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[HALF, HALF]], "expected 2 to 255 truths"),
        ([[ROW_SUM], [ROW_SUM]], "row 0: expected 2 to 255 reports"),
        ([[HALF, HALF], [HALF, HALF - 1]], r"row 1: expected weights that sum to 2\^32"),
        ([[HALF, HALF], [HALF, HALF, 0]], "row 1: expected 2 reports, as in row 0, found 3"),
        ([[HALF, HALF], [-1, ROW_SUM + 1]], "row 1: expected integer weights of at least 0"),
        ([[float(HALF), HALF], [HALF, HALF]], "row 0: expected integer weights"),
        ([[ROW_SUM] + [0] * 255] * 2, "row 0: expected 2 to 255 reports"),
    ],
)
def test_what_is_no_channel_is_named(weights: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Channel(weights)


def test_dependent_rows_stay_so_in_32_bits() -> None:
    # The third row is the mean of the others; in thirds, no row is what it was when rounded.
    rows = [["1/3", "1/3", "1/3"], ["1/7", "2/7", "4/7"], ["5/21", "13/42", "19/42"]]
    channel = Channel.from_probabilities(rows)
    assert np.linalg.matrix_rank(channel.probabilities, rtol=1e-15) == 3
    assert not channel.identifiable


@settings(derandomize=True)
@given(channels())
def test_it_is_unbiased_for_every_truth(channel: Channel) -> None:
    G = least_variance(channel)
    assert channel.probabilities @ G.T == pytest.approx(np.eye(channel.truths), abs=1e-9)


@settings(derandomize=True)
@given(channels())
def test_no_unbiased_table_has_less_variance(channel: Channel) -> None:
    C = channel.probabilities
    D = C.mean(axis=0)
    # Every unbiased table differs from this one by rows d with C @ d = 0. That all of them are
    # orthogonal to it, in the inner product of the variance, is Pythagoras' condition for a least.
    _, singular, Vt = np.linalg.svd(C)
    null_space = Vt[len(singular) :]
    assert null_space * D @ least_variance(channel).T == pytest.approx(0, abs=1e-9)


def test_impossible_reports_count_for_nothing() -> None:
    channel = designs.custom([["3/4", "0", "1/4"], ["1/4", "0", "3/4"]])
    assert least_variance(channel)[1] == pytest.approx([-0.5, 0, 1.5])


def test_two_reports_tell_one_mean_and_no_more() -> None:
    # Duchi's design: P(high) is linear in the level, so (r - 1/4) / (1/2) * 8 is its inverse.
    table = [[Fraction(3, 4) - Fraction(x, 16), Fraction(1, 4) + Fraction(x, 16)] for x in range(9)]
    channel = designs.custom(table)
    np.testing.assert_allclose(for_values(channel, range(9)), [-4, 12], rtol=0, atol=1e-6)
    with pytest.raises(ValueError, match="mean of these values is not identifiable"):
        for_values(channel, np.arange(9) ** 2)


@pytest.mark.parametrize("k", [2, 3, 10, 50])
@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
def test_k_ary_variance_is_its_closed_form(k: int, epsilon: float) -> None:
    # Kairouz, Bonawitz and Ramage (2016), section 4: at equally likely truths every report comes
    # 1/k of the time, and an estimated share is (report share - q) / (p - q).
    e = math.exp(epsilon)
    expected = k * (1 / k) * (1 - 1 / k) * ((e + k - 1) / (e - 1)) ** 2
    assert variance(designs.k_ary(k, epsilon)) == pytest.approx(expected, rel=1e-6)


def test_a_mean_s_variance_is_its_closed_form() -> None:
    # Of two points (Duchi, Jordan and Wainwright 2018, section 3.2), the report stands for
    # 1/2 +- (e + 1) / (2 (e - 1)), and the mean of equally likely levels is 1/2.
    e = math.exp(1)
    channel = Family("two_point", 21, 21).channel(1)
    expected = ((e + 1) / (e - 1) / 2) ** 2
    values = np.linspace(0, 1, 21)
    assert variance(channel, values) == pytest.approx(expected, rel=1e-6)


def test_the_untold_has_no_bounded_variance() -> None:
    channel = designs.two_point(9, 1)
    assert math.isinf(variance(channel))
    assert math.isinf(variance(channel, np.arange(9) ** 2))
    assert math.isfinite(variance(channel, range(9)))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (0.25, Fraction(1, 4)),
        (0.1, Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (" 2/3 ", Fraction(2, 3)),
        ("1e-3", Fraction(1, 1000)),
        (Fraction(5, 7), Fraction(5, 7)),
        (1, Fraction(1)),
        (np.float64(0.3), Fraction(3, 10)),
    ],
)
def test_numbers_are_kept_as_written(written: exact.Number, value: Fraction) -> None:
    assert exact.fraction(written) == value


SHARES = [one / 100 for one in range(1, 100)]


@pytest.mark.parametrize("number", [float, np.float64])
def test_floats_sum_to_1_as_people_write_them(number: Callable[[float], float]) -> None:
    """A table of misclassification is `[[sp, 1 - sp], [1 - se, se]]`."""
    for sensitivity in SHARES:
        row = [number(1 - sensitivity), number(sensitivity)]
        found = designs.custom([[number(0.8), number(1 - 0.8)], row])
        assert found.probabilities[1] == pytest.approx(row, abs=1e-9)
    assert designs.custom(np.array([[0.7, 0.2, 1 - 0.7 - 0.2], [1 / 3] * 3]).tolist()).truths == 2
    # What is left is not exactly 0.
    assert designs.custom([[0.5, 0.5], [1, 1 - 0.8 - 0.2]]).weights[1] == (2**32, 0)
    forced = designs.forced_response_k(0.5, [1 / 3] * 3)
    assert forced.weights == designs.forced_response_k("1/2", ["1/3"] * 3).weights
    assert designs.christofides([0.1, 0.2, 1 - 0.1 - 0.2]).truths == 2
    for off in (0.01 + 1e-11, 0.0101):
        with pytest.raises(
            ValueError, match=r'row 1: .* sum to 1, found .* texts, such as "99/100"'
        ):
            designs.custom([[0.5, 0.5], [0.99, off]])
    with pytest.raises(ValueError, match="row 0: expected probabilities that sum to 1, found 9999"):
        designs.custom([["0.9999999999999", "0"], ["0", "1"]])


@pytest.mark.parametrize(
    "written", ["1e-99999999", "1E+99_999_999", "1e" + "\u0669" * 8, "9" * 100_000]
)
def test_numbers_beyond_memory_are_none(written: str) -> None:
    """Whoever gives up after a minute has waited for a number that no design needs."""
    with pytest.raises(ValueError, match="expected a number such as") as refused:
        exact.fraction(written)
    assert len(str(refused.value)) < 130


@given(st.fractions(0, 40, max_denominator=10**6))
def test_exp_lower_is_a_tight_lower_bound(x: Fraction) -> None:
    # The oracle: the decimal module's correctly rounded exponential at 80 digits.
    with localcontext() as context:
        context.prec = 80
        exponential = Fraction((Decimal(x.numerator) / Decimal(x.denominator)).exp())
    lower = exact.exp_lower(x)
    assert lower <= exponential * (1 + Fraction(1, 10**70))
    assert lower >= exponential * (1 - Fraction(1, 10**40))


@given(st.integers(1, 2**32), st.integers(1, 2**32))
def test_log_millionths_is_the_smallest_multiple_above(a: int, b: int) -> None:
    ratio = Fraction(max(a, b), min(a, b))
    millionths = exact.log_millionths(ratio)
    with localcontext() as context:
        context.prec = 60
        logarithm = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
        assert Decimal(millionths) >= logarithm * 10**6 - Decimal(10) ** -40
        assert Decimal(millionths - 1) < logarithm * 10**6
