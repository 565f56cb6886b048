"""The audit's statistic: a pause is found, and noise is not."""

import numpy as np
import pytest

from deniable.analysis.audit import delay

pytestmark = pytest.mark.promise("audit")


def test_a_pause_is_found_and_noise_is_not() -> None:
    """The chance of a false alarm is at most 1e-6, by the law of signed ranks."""
    rng = np.random.default_rng(20_240)
    noise = rng.standard_t(2, size=300) / 100
    assert delay(noise.tolist()) is None
    assert delay((noise + 0.02).tolist()) == pytest.approx(0.02, abs=0.005)
    assert delay((noise - 0.02).tolist()) == pytest.approx(-0.02, abs=0.005)


def test_a_sure_pause_takes_21_pairs() -> None:
    """The chance that all differ the same way, either way, is 2 of 2^n."""
    longer = [0.7 + 0.001 * place for place in range(21)]
    assert delay(longer[:20]) is None
    assert delay(longer) == pytest.approx(0.71, abs=0.001)


def test_what_nobody_notices_is_no_pause() -> None:
    assert delay([0.001 + 0.00001 * place for place in range(100)]) is None
    assert delay([]) is None
