"""How near the designs chosen by default come to the least error that is known."""

import math

import pytest

from benchmarks.precision import EPSILONS, of_mean, of_shares
from tests.quickly import first_of


@pytest.mark.parametrize("k", first_of([10, 3, 16, 31, 75, 113, 136, 183], quick=4))
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_where_sets_fit_the_limit_is_reached_and_elsewhere_it_is_near(k: int, epsilon: str) -> None:
    """A report is a byte, so at most 254 sets of one size fit beside "prefer not to say"."""
    size = min(range(1, k), key=lambda d: abs(math.log(d / (k - d)) + float(epsilon)))
    found = of_shares(k, epsilon)
    assert found > 1 - 1e-6
    if max(math.comb(k, size), math.comb(k, size + 1)) <= 254:
        assert found == pytest.approx(1, abs=5e-3)
    assert found <= (1.205 if epsilon == "4" and k > 113 else 1.135)


@pytest.mark.parametrize("levels", first_of([3, 11, 21]))
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_mean_alone_has_less_noise_than_the_hybrid_mechanism(levels: int, epsilon: str) -> None:
    noise = of_mean(levels, epsilon, distribution=False)
    assert noise.max() < 0.98
