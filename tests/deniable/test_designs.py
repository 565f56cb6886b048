"""Designs: the tables that the papers print, and an ε that is never above the one asked for."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable import designs, exact
from deniable.channel import ROW_SUM, Channel

THIRD = Fraction(1, 3)


@pytest.mark.parametrize(
    ("channel", "table"),
    [
        (designs.warner(flip=0.3), [[0.7, 0.3], [0.3, 0.7]]),
        (designs.truth_or_random(), [[0.75, 0.25], [0.25, 0.75]]),
        (designs.truth_or_random("1/2", k=4), np.full((4, 4), 0.125) + 0.5 * np.eye(4)),
        (designs.truth_or_lie(), [[0.75, 0.25], [0.25, 0.75]]),
        # The dice of the Nigerian survey: P(yes) = 1/6 and 5/6 (Blair, Imai and Zhou 2015).
        (designs.forced_response("2/3", "1/2"), [[5 / 6, 1 / 6], [1 / 6, 5 / 6]]),
        (designs.forced_response("1/2", 1), [[0.5, 0.5], [0, 1]]),
        (designs.k_ary(3, keep="1/2"), [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]),
        (
            designs.custom([["1/3", "2/3", 0], [0, "1/2", "1/2"]]),
            [[1 / 3, 2 / 3, 0], [0, 0.5, 0.5]],
        ),
    ],
)
def test_the_table_of_a_design(channel: Channel, table: list[list[float]]) -> None:
    np.testing.assert_allclose(channel.probabilities, table, rtol=0, atol=2 / ROW_SUM)


@pytest.mark.parametrize(
    ("channel", "ratio"),
    [
        (designs.truth_or_random(), 3),
        (designs.warner(flip="1/10"), 9),
        (designs.forced_response("2/3", "1/2"), 5),
        (designs.k_ary(4, keep="1/2"), 3),
        (designs.truth_or_random("1/2", k=4), 5),
    ],
)
def test_epsilon_is_the_logarithm_of_the_largest_ratio(channel: Channel, ratio: int) -> None:
    # Rounding the weights moves the ratio by 1e-9 at most, and ε is rounded up to a millionth.
    assert math.log(ratio) - 1e-8 < channel.epsilon < math.log(ratio) + 2e-6


@given(st.integers(2, 255), st.integers(100, 25_000_000))
def test_epsilon_is_never_above_the_one_asked_for(k: int, millionths: int) -> None:
    channel = designs.k_ary(k, Fraction(millionths, 10**6))
    assert channel.epsilon_millionths is not None
    assert channel.epsilon_millionths <= millionths
    # And what is asked for is used: one step less of the off-diagonal would exceed it.
    own, other = channel.weights[0][:2]
    if other > 1:
        more = Fraction(own + k - 1, other - 1)
        assert float(more) > math.exp(millionths / 10**6) * (1 - 1e-9)


@given(st.integers(2, 60), st.fractions(0, 1, max_denominator=1000))
def test_flip_is_the_chance_of_another_report(k: int, share: Fraction) -> None:
    flip = share * Fraction(k - 1, k) * Fraction(999, 1000)
    channel = designs.k_ary(k, keep=1 - designs.flip_probability(flip, k))
    for truth, row in enumerate(channel.weights):
        assert abs(ROW_SUM - row[truth] - flip * ROW_SUM) <= k
        assert len({weight for report, weight in enumerate(row) if report != truth}) == 1


def test_warner_by_epsilon_and_by_flip_agree() -> None:
    assert designs.warner(epsilon=math.log(3)).weights == designs.truth_or_random().weights


@pytest.mark.parametrize(
    ("design", "parameters", "message"),
    [
        (designs.warner, {}, "expected either flip or epsilon"),
        (designs.warner, {"flip": 0.1, "epsilon": 1}, "expected either flip or epsilon"),
        (designs.warner, {"flip": 0.5}, "up to but not including 1/2"),
        (designs.warner, {"flip": 0.7}, "the chance that the report is not the truth"),
        (designs.k_ary, {"k": 1, "epsilon": 1}, "expected 2 to 255 answers, found 1"),
        (designs.k_ary, {"k": 256, "epsilon": 1}, "expected 2 to 255 answers, found 256"),
        (designs.k_ary, {"k": 3}, "expected either epsilon or keep"),
        (designs.k_ary, {"k": 3, "epsilon": 0}, "expected an epsilon above 0"),
        (designs.k_ary, {"k": 3, "keep": THIRD}, "above 1/3"),
        (designs.k_ary, {"k": 200, "epsilon": "1e-9"}, "too close to no information"),
        (designs.k_ary, {"k": 2, "keep": Fraction(2**33 + 1, 2**34)}, "too close to no"),
        (designs.truth_or_random, {"truth": 0}, "above 1/2"),
        (designs.truth_or_lie, {"truth": "1/2"}, "above 1/2"),
        (designs.forced_response, {"truth": 0, "yes": "1/2"}, "above 0"),
        (designs.forced_response, {"truth": "1/2", "yes": 2}, "share of forced answers"),
    ],
)
def test_parameters_out_of_range_are_named(
    design: Callable[..., Channel], parameters: dict[str, exact.Number], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        design(**parameters)


def test_the_rest_of_a_tiny_flip_is_still_possible() -> None:
    assert designs.warner(flip=Fraction(1, 10**12)).weights[0] == (ROW_SUM - 1, 1)
    assert designs.warner(flip=0).epsilon == math.inf


@pytest.mark.parametrize(
    ("name", "parameters", "answers", "message"),
    [
        ("wanner", {}, 2, "expected one of warner"),
        ("warner", {"p": "0.3"}, 2, "warner has no parameter 'p': expected flip, epsilon"),
        ("forced_response", {"truth": "1/2"}, 2, "forced_response needs the parameter 'yes'"),
        ("warner", {"flip": "0.3"}, 3, "for 2 answers, but the question has 3"),
        ("k_ary", {"epsilon": "1", "k": "4"}, 3, "for 4 answers, but the question has 3"),
        ("custom", {"table": [["1", "0"], ["a", "1"]]}, 2, "expected a number such as"),
    ],
)
def test_a_survey_files_design_is_checked(
    name: str, parameters: dict[str, object], answers: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        designs.from_name(name, parameters, answers)


def test_a_survey_files_design_is_built() -> None:
    assert designs.from_name("k_ary", {"epsilon": "1"}, 5) == designs.k_ary(5, 1)
    assert designs.from_name("warner", {"flip": "3/10"}, 2) == designs.warner("0.3")


def test_a_revealing_design_is_refused_by_the_name_of_its_report() -> None:
    designs.refuse_for_collection(designs.warner(0.3), ["No", "Yes"])
    with pytest.raises(ValueError, match="the report 'No' would give its sender away"):
        designs.refuse_for_collection(designs.forced_response("1/2", 1), ["No", "Yes"])


def test_a_design_that_says_nothing_is_refused() -> None:
    same_rows = designs.custom([["1/4", "3/4"], ["1/4", "3/4"]])
    assert not same_rows.identifiable
    assert designs.k_ary(255, "1/100").identifiable
    with pytest.raises(ValueError, match="nothing could be learned"):
        designs.refuse_for_collection(same_rows, ["No", "Yes"])
