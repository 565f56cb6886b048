import numpy as np
import pytest
from hypothesis import given, settings

from deniable import Channel, designs
from deniable.analysis.sampling.debiased import debiased_shares, debiased_values, direct_values
from tests.analysis.channels import channels

WARNER = designs.warner(flip="1/4")
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
