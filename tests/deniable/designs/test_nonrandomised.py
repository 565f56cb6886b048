import math

import pytest

from deniable import designs
from tests.deniable.designs.moments import follows_the_paper


@pytest.mark.parametrize("p", [0.1, 0.25, 0.8])
def test_the_crosswise_model_has_the_estimate_and_variance_of_the_paper(p: float) -> None:
    follows_the_paper(
        designs.crosswise(p),
        [(same - (1 - p)) / (2 * p - 1) for same in (0, 1)],
        lambda theta: theta * (1 - theta) + p * (1 - p) / (2 * p - 1) ** 2,
    )


@pytest.mark.parametrize("p", [0.1, 0.25, 0.8])
def test_the_triangular_model_has_the_estimate_and_variance_of_the_paper(p: float) -> None:
    channel = designs.triangular(p)
    follows_the_paper(
        channel,
        [(triangle - p) / (1 - p) for triangle in (0, 1)],
        lambda theta: theta * (1 - theta) + p * (1 - theta) / (1 - p),
    )
    assert channel.epsilon == math.inf


@pytest.mark.parametrize("answers_to_both", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_the_report_is_what_the_two_answers_are(answers_to_both: tuple[int, int]) -> None:
    # Where everybody's harmless answer is known, so is the report.
    truth, harmless = answers_to_both
    same, triangle = designs.crosswise(harmless), designs.triangular("1/3")
    assert same.probabilities[truth, int(truth == harmless)] == 1
    assert (triangle.probabilities[truth, 0] > 0) == (truth == 0)
