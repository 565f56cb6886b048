"""Gaussian noise: its promises by integrating its density."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, optimize

from deniable.lab.gaussian import DRAWN, HALF, PAGE
from deniable.lab.mechanisms import gaussian_delta, gaussian_sigma
from tests.lab.shown import picture, values


def hockey_stick(sigma: float, step: float, epsilon: float) -> float:
    """Return the integral of (density without - e^ε × density with)⁺, over the noise."""

    def density(y: float) -> float:
        return math.exp(-((y / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))

    # It is positive below one place: where the loss is ε.
    cut = step / 2 - epsilon * sigma**2 / step
    found = integrate.quad(
        lambda y: density(y) - math.exp(epsilon) * density(y - step),
        cut - 12 * sigma,
        cut,
        epsabs=1e-15,
        limit=500,
    )[0]
    return float(found)


@pytest.mark.parametrize(("sigma", "step"), [(1.0, 1.0), (8.06, 1.0), (25.0, math.sqrt(10))])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_delta_is_the_integral_over_where_the_ratio_is_too_large(
    sigma: float, step: float, epsilon: float
) -> None:
    assert gaussian_delta(sigma, epsilon, step) == pytest.approx(
        hockey_stick(sigma, step, epsilon), rel=1e-6, abs=1e-13
    )


@pytest.mark.parametrize("epsilon", ["0.05", "0.5", "4"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-9"])
@pytest.mark.parametrize("m", ["1", "10", "30"])
def test_each_way_asks_for_the_noise_of_its_formula(epsilon: str, delta: str, m: str) -> None:
    e, d, step = float(epsilon), float(delta), math.sqrt(int(m))
    found = values(PAGE, epsilon=epsilon, delta=delta, m=m)
    assert gaussian_delta(found["exact"], e, step) == pytest.approx(d, rel=1e-6)
    assert found["exact"] == pytest.approx(step * gaussian_sigma(e, d))
    assert found["classical"] ** 2 == pytest.approx(2 * math.log(1.25 / d) * int(m) / e**2)
    assert found["without_root"] == pytest.approx(2 * math.log(1.25 / d) * step / e)
    rho = optimize.brentq(lambda r: r + 2 * math.sqrt(r * math.log(1 / d)) - e, 0, 10, xtol=1e-16)
    assert found["rho"] == pytest.approx(rho, rel=1e-6)
    assert found["concentrated"] == pytest.approx(step / math.sqrt(2 * rho), rel=1e-6)
    assert found["exact"] <= found["concentrated"]
    if e < 1:
        assert found["exact"] <= found["classical"]
        assert found["delta_of_classical"] <= d
    assert found["laplace"] == pytest.approx(math.sqrt(2) * int(m) / e)
    assert found["from_pure"] == pytest.approx(e**2 / 2 + e * math.sqrt(2 * math.log(1 / d)))


def test_the_loss_is_a_bell_whose_mean_is_half_of_its_variance() -> None:
    line = picture(PAGE, "loss").series[0]
    x, y = [float(one) for one in line.x], line.y
    area = integrate.trapezoid(y, x)
    mean = integrate.trapezoid([a * b for a, b in zip(x, y, strict=True)], x)
    square = integrate.trapezoid([a * a * b for a, b in zip(x, y, strict=True)], x)
    assert area == pytest.approx(1, abs=1e-3)
    assert square - mean**2 == pytest.approx(2 * mean, rel=1e-2)


@pytest.mark.parametrize("delta", ["1e-6", "1e-3", "1e-9"])
@pytest.mark.parametrize("epsilon", ["0.5", "1"])
def test_a_curve_ends_where_it_leaves_the_frame(delta: str, epsilon: str) -> None:
    profile = picture(PAGE, "profile", delta=delta, epsilon=epsilon)
    assert profile.y_range is not None
    lowest = profile.y_range[0]
    for series in profile.series[:2]:
        assert min(series.y) >= lowest
        # It falls all the way, and never runs along the frame.
        assert all(one > other for one, other in pairwise(series.y))


def test_half_of_the_noise_in_two_counts_is_within_each_outline() -> None:
    corner, radius = HALF
    # |x| + |y| is less than r where y has room for it, over all x of Laplace's density.
    within = integrate.quad(lambda x: math.exp(-x) * -math.expm1(x - corner), 0, corner)[0]
    assert within == pytest.approx(0.5, abs=1e-12)
    inside = integrate.quad(lambda r: r * math.exp(-r * r / 2), 0, radius)[0]
    assert inside == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("epsilon", ["0.5", "2"])
@pytest.mark.parametrize("m", ["1", "9", "16"])
def test_the_diamond_and_the_circle_are_of_the_noise_that_the_page_says(
    epsilon: str, m: str
) -> None:
    found = values(PAGE, epsilon=epsilon, m=m)
    shapes = picture(PAGE, "shapes", epsilon=epsilon, m=m)
    diamond, laplace, circle, gauss = shapes.series
    corner, radius = HALF[0] * found["laplace"] / math.sqrt(2), HALF[1] * found["exact"]
    for line, order, size in ((diamond, 1, corner), (circle, 2, radius)):
        points = np.array([line.x, line.y], dtype=float)
        assert np.linalg.norm(points, order, axis=0) == pytest.approx(np.full(len(line.x), size))
    assert shapes.drag is not None
    assert shapes.drag.scale * int(m) == pytest.approx(corner)
    for dots, order, size in ((laplace, 1, corner), (gauss, 2, radius)):
        away = np.linalg.norm(np.array([dots.x, dots.y], dtype=float), order, axis=0)
        # About half of 60: five standard errors.
        assert (away < size).sum() == pytest.approx(DRAWN / 2, abs=5 * math.sqrt(DRAWN / 4))
    rows = {row[0]: row[1:] for row in shapes.table.rows}
    if m in rows:
        assert [float(one) for one in rows[m]] == pytest.approx([corner, radius], abs=0.06)


def test_nothing_drawn_is_outside_the_frame_and_both_axes_have_one_scale() -> None:
    shapes = picture(PAGE, "shapes", m="30")
    assert shapes.equal
    assert shapes.x_range is not None
    assert shapes.y_range is not None
    for dots in shapes.series[1::2]:
        assert max(map(abs, map(float, dots.x))) <= shapes.x_range[1]
        assert max(map(abs, dots.y)) <= shapes.y_range[1]
    assert max(map(float, shapes.series[0].x)) == pytest.approx(shapes.x_range[1])
