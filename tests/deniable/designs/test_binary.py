import math
from fractions import Fraction

import pytest

from deniable import designs
from deniable.analysis.estimation import estimate
from deniable.channel import ROW_SUM
from tests.deniable.designs.moments import follows_the_paper


@pytest.mark.parametrize("p", [0.55, 0.7, 0.95])
def test_warner_has_the_estimate_and_variance_of_the_paper(p: float) -> None:
    # Warner's p is the chance of the truthful statement.
    follows_the_paper(
        designs.warner(flip=str(Fraction(1) - Fraction(str(p)))),
        [(p - 1) / (2 * p - 1), p / (2 * p - 1)],
        lambda theta: 1 / (16 * (p - 1 / 2) ** 2) - (theta - 1 / 2) ** 2,
    )


@pytest.mark.parametrize(("truth", "yes"), [(2 / 3, 1 / 2), (0.2, 0.9), (0.75, 0)])
def test_forced_response_has_the_estimate_and_variance_of_the_paper(
    truth: float, yes: float
) -> None:
    forced = (1 - truth) * yes

    def published(theta: float) -> float:
        says_yes = forced + truth * theta
        return says_yes * (1 - says_yes) / truth**2

    follows_the_paper(
        designs.forced_response(truth, yes), [-forced / truth, (1 - forced) / truth], published
    )


def test_the_data_of_the_packages_give_their_printed_digits() -> None:
    warner = estimate([65, 60], designs.warner(flip=0.3))  # RRTCS, WarnerData
    assert warner.theta[1] == pytest.approx(0.45, abs=1e-8)
    assert warner.standard_error[1] == pytest.approx(0.1121634752, abs=1e-9)
    nigeria = estimate([2435 - 831, 831], designs.forced_response("2/3", "1/2"))  # rr, rr.q1
    assert nigeria.theta[1] == pytest.approx(0.2619096509, abs=1e-9)
    assert nigeria.standard_error[1] == pytest.approx(0.0144156656, abs=1e-9)


def test_the_rest_of_a_tiny_flip_is_still_possible() -> None:
    assert designs.warner(flip=Fraction(1, 10**12)).weights[0] == (ROW_SUM - 1, 1)
    assert designs.warner(flip=0).epsilon == math.inf
