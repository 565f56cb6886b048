"""Local against central: the course's formulas, and noise that was really drawn."""

import math
from fractions import Fraction

import pytest

from deniable import designs
from deniable.estimator import for_values
from deniable.lab.central import PAGE, best_error
from tests.lab.shown import picture, values


def test_the_course_s_numbers() -> None:
    found = values(PAGE, n="100", most="100", epsilon="1")
    # 2B²/(ε²n) = 200, and 2(B/(εn))² = 2.
    assert found["local_error"] ** 2 == pytest.approx(200)
    assert found["central_error"] ** 2 == pytest.approx(2)
    assert found["people"] == 10_000
    more = values(PAGE, n="10000", most="50", epsilon="0.5")
    assert more["local_error"] ** 2 == pytest.approx(2 * 50**2 / (0.5**2 * 10_000))
    assert more["central_error"] ** 2 == pytest.approx(2 * (50 / (0.5 * 10_000)) ** 2)


@pytest.mark.parametrize("n", ["30", "100", "1000"])
def test_so_many_people_have_the_central_noise_locally(n: str) -> None:
    found = values(PAGE, n=n)
    variance = 2 * 100**2 / found["people"]
    assert math.sqrt(variance) == pytest.approx(found["central_error"])
    assert found["local_error"] / found["central_error"] == pytest.approx(math.sqrt(int(n)))


@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_the_project_s_design_is_as_noisy_as_its_table_says(epsilon: str) -> None:
    channel = designs.best_numeric(21, epsilon)
    g = for_values(channel, range(21))
    worst = max(float(row @ g**2 - (row @ g) ** 2) for row in channel.probabilities)
    assert best_error(Fraction(epsilon), 100, 1000) == pytest.approx(5 * math.sqrt(worst / 1000))
    # Each person sends one of 21 levels, and nobody a number beyond the ends: less noise.
    assert (
        values(PAGE, epsilon=epsilon)["best_error"] < values(PAGE, epsilon=epsilon)["local_error"]
    )


def test_all_people_are_in_the_picture_of_what_is_seen() -> None:
    for n in ("30", "1000"):
        for series in picture(PAGE, "seen", n=n).series:
            assert sum(series.y) == int(n)


def test_clipping_loses_what_is_above_the_limit_and_noise_grows_with_it() -> None:
    found = picture(PAGE, "clipping")
    lost, noise, both = (series.y for series in found.series[:3])
    assert list(lost) == sorted(lost, reverse=True)
    assert list(noise) == sorted(noise)
    assert noise[-1] == pytest.approx(math.sqrt(2 * 200**2 / 1000))
    assert min(both) < min(both[0], both[-1])
    at = values(PAGE, most="60")
    assert lost[4] == pytest.approx(at["true_mean"] - at["clipped_mean"])
