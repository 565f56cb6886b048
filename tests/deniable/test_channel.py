"""The channel: integers, exact sampling, an ε that is never understated."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.channel import ROW_SUM, Channel, first_exceeding, identity
from tests import vectors

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
    [
        [49152, 16384],
        [1, 65535],
        [0, 32768, 0, 32768],
        [21846, 21845, 21845],
        [65536 - 254 * 100, *[100] * 254],
    ],
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
    with pytest.raises(ValueError, match="expected a"):
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


def test_a_channel_goes_through_json_unchanged() -> None:
    channel = Channel.from_probabilities([["2/3", "1/3"], ["1/6", "5/6"]])
    assert Channel.from_json(channel.to_json()) == channel
    assert " " not in channel.to_json()
    assert hash(Channel.from_json(channel.to_json())) == hash(channel)


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
        ([[True, ROW_SUM - 1], [HALF, HALF]], "row 0: expected integer weights"),
        ([[ROW_SUM] + [0] * 255] * 2, "row 0: expected 2 to 255 reports"),
        ([[HALF, HALF]] * 256, "expected 2 to 255 truths"),
    ],
)
def test_what_is_no_channel_is_named(weights: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Channel(weights)


@pytest.mark.parametrize("text", ["{}", "[1, 2]", json.dumps([[0.5, 0.5], [0.5, 0.5]])])
def test_json_that_is_no_channel_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        Channel.from_json(text)


def test_probabilities_must_sum_to_exactly_one() -> None:
    with pytest.raises(ValueError, match="row 1: expected probabilities that sum to 1, found 99"):
        Channel.from_probabilities([["1/2", "1/2"], [0.33, 0.66]])


def test_dependent_rows_stay_so_in_32_bits() -> None:
    # The third row is the mean of the others; in thirds, no row is what it was when rounded.
    rows = [["1/3", "1/3", "1/3"], ["1/7", "2/7", "4/7"], ["5/21", "13/42", "19/42"]]
    channel = Channel.from_probabilities(rows)
    assert np.linalg.matrix_rank(channel.probabilities, rtol=1e-15) == 3
    assert not channel.identifiable
