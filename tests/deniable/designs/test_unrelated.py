from collections.abc import Callable

import numpy as np
import pytest

from deniable import designs
from deniable.analysis.estimation import estimate
from deniable.channel import Channel
from deniable.estimator import least_variance
from tests.deniable.designs.moments import SHARES, follows_the_paper


@pytest.mark.parametrize(("p", "alpha"), [(0.5, 1 / 12), (0.7, 0.4), (0.25, 1), (0.9, 0)])
@pytest.mark.parametrize("design", [designs.unrelated_question, designs.soberanis_cruz])
def test_the_unrelated_question_has_the_estimate_and_variance_of_the_paper(
    design: Callable[[float, float], Channel], p: float, alpha: float
) -> None:
    def published(theta: float) -> float:
        says_yes = p * theta + (1 - p) * alpha
        return says_yes * (1 - says_yes) / p**2

    # Transformed as in RRTCS: (z − (1 − p) α) / p.
    transformed = [(z - (1 - p) * alpha) / p for z in (0, 1)]
    follows_the_paper(design(p, alpha), transformed, published)


@pytest.mark.parametrize("p", [0.3, 0.5, 0.7])
def test_devore_has_the_estimate_and_variance_of_the_paper(p: float) -> None:
    follows_the_paper(
        designs.devore(p),
        [(z - (1 - p)) / p for z in (0, 1)],
        lambda theta: theta * (1 - theta) + (1 - p) * (1 - theta) / p,
    )


def test_a_correlated_question_leaves_the_estimate_unbiased_and_its_variance_as_it_was() -> None:
    p, harmless_no, harmless_yes = 0.7, 0.4, 0.9
    table = [[1 - (1 - p) * harmless_no, (1 - p) * harmless_no]]
    table += [[(1 - p) * (1 - harmless_yes), p + (1 - p) * harmless_yes]]
    for theta in SHARES:
        rate = (1 - theta) * harmless_no + theta * harmless_yes
        channel = designs.soberanis_cruz(p, rate)
        g = least_variance(channel)[1]
        chances = np.array([1 - theta, theta]) @ np.array(table)
        says_yes = p * theta + (1 - p) * rate
        assert chances @ g == pytest.approx(theta, abs=1e-7)
        assert chances @ g**2 - theta**2 == pytest.approx(says_yes * (1 - says_yes) / p**2)
    assert (
        designs.custom([["0.88", "0.12"], ["0.03", "0.97"]]).epsilon
        > designs.soberanis_cruz("0.7", "0.5").epsilon
    )


def test_published_data_give_their_published_estimates() -> None:
    # RRTCS, HorvitzDataRealSurvey, first item: a sample of 710 from 10,777 students.
    horvitz = estimate(
        [710 - 328, 328], designs.unrelated_question("1/2", "1/12"), population=10_777
    )
    assert horvitz.theta[1] == pytest.approx(0.8406103, abs=5e-8)
    assert horvitz.standard_error[1] == pytest.approx(0.0372789, abs=5e-8)
    # Devore and Berk's exercise, and Macmillan's class: heads says yes.
    exercise = estimate([60, 20], designs.unrelated_question("0.5", "0.3"))
    assert exercise.theta[1] == pytest.approx(0.20, abs=1e-8)
    classroom = estimate([12, 18], designs.devore("1/2"))
    assert classroom.theta[1] == pytest.approx(0.20, abs=1e-8)
