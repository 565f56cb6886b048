import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable import designs
from deniable.analysis.estimation import estimate
from deniable.channel import ROW_SUM
from tests.deniable.designs.moments import follows_the_paper


@pytest.mark.parametrize("p", [0.2, 0.5, 0.7])
def test_mangat_has_the_estimate_and_variance_of_the_paper(p: float) -> None:
    follows_the_paper(
        designs.mangat(p),
        [(z - 1 + p) / p for z in (0, 1)],
        lambda theta: theta * (1 - theta) + (1 - theta) * (1 - p) / p,
    )


@pytest.mark.parametrize(("T", "p"), [(0.55, 0.7), (0.4, 0.3), (0, 0.8), (0.1, 0.2)])
def test_mangat_and_singh_have_the_estimate_and_variance_of_the_paper(T: float, p: float) -> None:
    slope = 2 * p - 1 + 2 * T * (1 - p)
    follows_the_paper(
        designs.mangat_singh(T, p),
        [(z - (1 - T) * (1 - p)) / slope for z in (0, 1)],
        lambda theta: theta * (1 - theta) + (1 - T) * (1 - p) * (1 - (1 - T) * (1 - p)) / slope**2,
    )


@pytest.mark.parametrize(("p", "alpha"), [(0.6, 0.5), (0.3, 0.9), (0.5, 0)])
def test_mangat_singh_and_singh_have_the_estimate_and_variance_of_the_paper(
    p: float, alpha: float
) -> None:
    c = (1 - p) * alpha

    def published(theta: float) -> float:
        says_yes = theta + (1 - theta) * c
        return says_yes * (1 - says_yes) / (1 - c) ** 2

    follows_the_paper(
        designs.mangat_singh_singh(p, alpha), [(z - c) / (1 - c) for z in (0, 1)], published
    )


@pytest.mark.parametrize(("t", "p", "alpha"), [(0.5, 0.5, 1 / 3), (0.2, 0.7, 0.9), (0, 0.6, 0.1)])
def test_mangats_two_stages_have_the_estimate_and_variance_of_the_paper(
    t: float, p: float, alpha: float
) -> None:
    slope = t + (1 - t) * p

    def published(theta: float) -> float:
        says_yes = slope * theta + (1 - t) * (1 - p) * alpha
        return says_yes * (1 - says_yes) / slope**2

    follows_the_paper(
        designs.mangat_unrelated(t, p, alpha),
        [(z - (1 - t) * (1 - p) * alpha) / slope for z in (0, 1)],
        published,
    )


@pytest.mark.parametrize("p", [0.45, 0.6, 0.8])
def test_singh_and_joarder_have_the_estimate_and_variance_of_the_paper(p: float) -> None:
    slope = (2 * p - 1) + p * (1 - p)

    def published(theta: float) -> float:
        says_yes = 1 - p + slope * theta
        return says_yes * (1 - says_yes) / slope**2

    channel = designs.singh_joarder(p)
    follows_the_paper(channel, [(z - (1 - p)) / slope for z in (0, 1)], published)
    assert channel.epsilon == pytest.approx(math.log(p / (1 - p) ** 2), abs=2e-6)


def test_singh_and_joarders_table_is_what_two_cards_do() -> None:
    p = Fraction(3, 5)
    says_yes = [Fraction(0), Fraction(0)]
    for truth, first, second in itertools.product((0, 1), repeat=3):
        # Cards: 1 for "I am one of them", 0 for "I am not one of them".
        answers = [int(truth == card) for card in (first, second)]
        drawn_again = truth == 1 and answers[0] == 0
        chance = (p if first else 1 - p) * (p if second else 1 - p)
        says_yes[truth] += chance * answers[drawn_again]
    np.testing.assert_allclose(
        designs.singh_joarder(p).probabilities[:, 1], np.array(says_yes, float), atol=2 / ROW_SUM
    )


def test_a_finite_population_has_the_variance_of_the_transformed_answers() -> None:
    # RRTCS' SinghJoarderData: 93 of 170 said yes, drawn from 802. Its estimate is the mean of r,
    # its variance (1/N²)(Σ r(r − 1)/π + N²(1 − n/N) s²/n), with r = (z − (1 − p)) / slope.
    n, yes, N, p = 170, 93, 802, 0.6
    r = (np.repeat([0, 1], [n - yes, yes]) - (1 - p)) / (2 * p - 1 + p * (1 - p))
    expected = (r * (r - 1)).sum() / n / N + (1 - n / N) * r.var(ddof=1) / n
    result = estimate([n - yes, yes], designs.singh_joarder("0.6"), population=N)
    assert result.theta[1] == pytest.approx(r.mean(), abs=1e-8)
    assert result.standard_error[1] == pytest.approx(math.sqrt(expected), abs=1e-8)
