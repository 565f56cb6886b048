import math

import numpy as np
import pytest
from scipy import stats

from deniable.analysis.joint.fieller import FiellerSet, fieller
from deniable.analysis.proportion import normal_quantile


@pytest.mark.parametrize(
    ("a", "b", "variances", "covariance", "pieces"),
    [
        (2, 4, (0.01, 0.04), 0.0, 1),
        (2, 4, (0.01, 0.04), 0.015, 1),
        (2, 0.1, (0.01, 0.04), 0.0, 2),
        (-2, 0.1, (0.01, 0.04), -0.01, 2),
        (0.1, 0.1, (0.01, 0.04), 0.0, 1),
        (1, 2, (0.0, 0.0), 0.0, 1),
        (0, 2, (0.0, 0.1), 0.0, 1),
    ],
)
def test_fieller_s_set_is_the_ratios_that_a_test_keeps(
    a: float, b: float, variances: tuple[float, float], covariance: float, pieces: int
) -> None:
    found = fieller(a, b, variances, covariance, level=0.9)
    z = stats.norm.ppf(0.95)

    def kept(r: float) -> bool:
        variance = variances[0] - 2 * r * covariance + r**2 * variances[1]
        return bool((a - r * b) ** 2 <= z**2 * variance + 1e-12)

    assert len(found.pieces) == pieces
    for r in np.linspace(-40, 40, 4001):
        inside = any(low <= r <= high for low, high in found.pieces)
        near_an_end = any(abs(r - end) < 1e-6 for piece in found.pieces for end in piece)
        assert inside == kept(float(r)) or near_an_end
    assert any(low - 1e-12 <= a / b <= high + 1e-12 for low, high in found.pieces)


def test_fieller_s_set_when_the_denominator_is_known_or_nothing_is() -> None:
    line = ((-math.inf, math.inf),)
    assert fieller(1, 0, (0.1, 0.0)).pieces == ()
    assert not fieller(1, 0, (0.1, 0.0)).bounded
    assert fieller(0, 0, (0.1, 0.0)).pieces == line
    assert fieller(1, 1, (math.nan, 0.1)).pieces == line
    assert fieller(0.1, 0.1, (1, 1)).pieces == line
    # A denominator of just as many standard errors as the level asks for: a half-line on the side
    # of the ratio, with (3 - r b)^2 = z^2 4 r^2 = b^2 r^2 at its end.
    b = 2 * normal_quantile(0.95)
    assert fieller(3, b, (0.0, 4.0)).pieces[0] == pytest.approx((3 / (2 * b), math.inf))
    assert fieller(-3, b, (0.0, 4.0)).pieces[0] == pytest.approx((-math.inf, -3 / (2 * b)))


def test_what_of_a_set_is_possible() -> None:
    assert FiellerSet(((-3.0, -1.0), (2.0, math.inf))).possible == ((2.0, math.inf),)
    assert FiellerSet(((-3.0, 1.0),)).possible == ((0.0, 1.0),)
    assert FiellerSet(((-3.0, -1.0),)).possible == ()
    assert FiellerSet(((1.0, 2.0),)).bounded
