import numpy as np
import pytest

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.roots import bracketed_root


def test_many_roots_at_once_are_found_to_rounding() -> None:
    powers = np.arange(1.0, 60.0)
    found = bracketed_root(lambda x: x**powers - 0.3, np.zeros(59), np.ones(59))
    assert found == pytest.approx(0.3 ** (1 / powers), rel=1e-13)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_where_all_of_the_bracket_is_on_one_side_its_end_is_the_root(sign: float) -> None:
    found = bracketed_root(lambda x: np.full_like(x, sign), np.array([0.25]), np.array([0.5]))
    assert found == pytest.approx([0.25 if sign > 0 else 0.5], abs=1e-13)


def test_no_function_takes_longer_than_bisection() -> None:
    steps = 0

    def flat_then_steep(x: FloatArray) -> FloatArray:
        nonlocal steps
        steps += 1
        return np.where(x < 0.7, -1e-300, (x - 0.7) * 1e300)

    bracketed_root(flat_then_steep, np.zeros(1), np.ones(1))
    assert steps <= 2 + np.ceil(np.log2(1e14)) + 2


def test_no_number_makes_a_function_hang() -> None:
    assert np.isnan(bracketed_root(lambda x: x * np.nan, np.zeros(1), np.ones(1))).all()
