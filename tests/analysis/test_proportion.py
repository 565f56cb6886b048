import numpy as np
import pytest
from scipy import stats

from deniable.analysis import proportion


@pytest.mark.parametrize("method", ["wilson", "exact"])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize("n", [1, 7, 1000])
def test_the_intervals_are_scipy_s(method: str, level: float, n: int) -> None:
    successes = np.array(sorted({0, 1, n // 3, n - 1, n}), dtype=np.float64)
    low, high = proportion.METHODS[method](successes, n, level)
    for x, found in zip(successes, zip(low, high, strict=True), strict=True):
        expected = stats.binomtest(int(x), n).proportion_ci(
            confidence_level=level, method="wilson" if method == "wilson" else "exact"
        )
        assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("method", ["wilson", "exact"])
def test_the_ends_are_exact_where_nobody_or_everybody_does(method: str) -> None:
    for n in range(1, 200):
        low, high = proportion.METHODS[method](np.array([0.0, n]), n, 0.95)
        assert low[0] == 0
        assert high[1] == 1


def test_the_normal_quantile() -> None:
    assert proportion.normal_quantile(0.95) == pytest.approx(1.959963984540054, abs=1e-12)
