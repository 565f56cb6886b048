"""How rarely honest surveys are doubted, and how often dishonest ones are."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pytest

from deniable import Channel, designs
from deniable.analysis import design_test
from deniable.analysis.numerics.arrays import FloatArray
from deniable.estimator import for_values
from tests.kit import first_of

pytestmark = pytest.mark.promise("no-false-alarm")

DRAWS: Final = 2_000
"""Surveys of each kind. A rate of 5 % comes out above 7.5 % once in 1.6 million times."""

_AT_ONCE: Final = 1_000


@dataclass(frozen=True)
class Kind:
    """A kind of survey, of one question or of several that are alike."""

    name: str
    channel: Channel  # of each question
    theta: Sequence[float]  # the shares of the first truths; those of the others are 0
    n: int  # number of respondents
    # Whether the truths are numbers 0, 1, 2, …, whose mean is asked for as well.
    number: bool = False
    questions: int = 1

    def p_values(self, cheating: float, rng: np.random.Generator) -> FloatArray:
        """Draw one question in `_AT_ONCE` surveys, and test it; shape (_AT_ONCE, tests)."""
        theta = np.zeros(self.channel.truths)
        theta[: len(self.theta)] = self.theta
        chances = (1 - cheating) * theta @ self.channel.probabilities
        chances[0] += cheating
        counts = rng.multinomial(self.n, chances, size=_AT_ONCE)
        tested = []
        if self.channel.identifiable:
            shares = design_test.p_values_of_shares(counts, self.channel)
            tested += list(shares.T[1:] if self.channel.truths == 2 else shares.T)
        if self.number:
            greatest = self.channel.truths - 1
            g = for_values(self.channel, range(self.channel.truths))
            tested.append(design_test.p_value(counts, self.channel, g, 0, greatest))
        return np.stack(tested, axis=1)


_HALVES: Final = (0.5, 0.5)
_THIRDS: Final = (1 / 3, 1 / 3, 1 / 3)

HONEST: Final = (
    Kind("yes or no, flip 1/4, nobody", designs.warner(flip="1/4"), [1], 50),
    Kind("20 answers, k-ary, ε = 1, two in use", designs.k_ary(20, 1), _HALVES, 1000),
    Kind("20 answers, k-ary, ε = 3, two in use", designs.k_ary(20, 3), _HALVES, 1000),
    Kind("20 answers, `best`, ε = 1, two in use", designs.best_k_ary(20, 1), _HALVES, 1000),
    Kind("10 answers, k-ary, ε = 2, three in use", designs.k_ary(10, 2), _THIRDS, 500),
    Kind(
        "15 options that nobody has, ε = 10", designs.warner(epsilon="2/3"), [1], 1000, questions=15
    ),
    Kind("number 0 to 20, all 0, ε = 1", designs.best_numeric(21, 1), [1], 30, True),
    Kind("number 0 to 20, all 0, ε = 2", designs.best_numeric(21, 2), [1], 30, True),
    Kind("number 0 to 20, all 0, ε = 5", designs.best_numeric(21, 5), [1], 10, True),
    Kind("number 0 to 20, all 0, ε = 3", designs.best_numeric(21, 3), [1], 1000, True),
    Kind("number 0 to 20, `two_point`, all 0, ε = 3", designs.two_point(21, 3), [1], 30, True),
    Kind("number 0 to 20, `two_point`, all 0, ε = 5", designs.two_point(21, 5), [1], 30, True),
    Kind("number 0 to 10, `two_point`, all 0, ε = 5", designs.two_point(11, 5), [1], 10, True),
    Kind("10 questions of 5 answers, ε = 1 each", designs.k_ary(5, 1), [1], 200, questions=10),
    Kind("4 numbers 0 to 10, ε = 1 each", designs.best_numeric(11, 1), [1], 200, True, 4),
)
"""Surveys in which everybody follows the design."""

CHEATED: Final = (
    Kind("yes or no, flip 1/4", designs.warner(flip="1/4"), [1], 50),
    Kind("yes or no, flip 1/4", designs.warner(flip="1/4"), [1], 1000),
    Kind("10 such questions", designs.warner(flip="1/4"), [1], 1000, questions=10),
    Kind("10 answers, k-ary, ε = 1", designs.k_ary(10, 1), _THIRDS, 1000),
    Kind("20 answers, `best`, ε = 1", designs.best_k_ary(20, 1), _HALVES, 1000),
    Kind("number 0 to 20, ε = 1", designs.best_numeric(21, 1), [1], 1000, True),
    Kind("number 0 to 20, ε = 3", designs.best_numeric(21, 3), [1], 100, True),
)
"""Surveys in which some send the first report, whatever the design says."""


def doubted(kind: Kind, cheating: float = 0.0) -> float:
    """Draw surveys, and say which part of them is doubted."""
    rng = np.random.default_rng(zlib.crc32(f"{kind.name}, {kind.n}, {cheating}".encode()))
    together = 0
    for _ in range(DRAWS // _AT_ONCE):
        found = [kind.p_values(cheating, rng) for _ in range(kind.questions)]
        least = np.minimum.reduce([one.min(axis=1) for one in found])
        tests = sum(one.shape[1] for one in found)
        together += int((tests * least <= 1 - design_test.LEVEL).sum())
    return together / DRAWS


@pytest.mark.parametrize("kind", first_of(HONEST, quick=4), ids=lambda kind: kind.name)
def test_honest_kinds_are_doubted_in_5_percent(kind: Kind) -> None:
    assert doubted(kind) <= 0.075


@pytest.mark.parametrize(
    "kind", first_of(CHEATED, quick=3), ids=lambda kind: f"{kind.name} {kind.n}"
)
def test_half_liars_are_mostly_found_out(kind: Kind) -> None:
    assert doubted(kind, cheating=0.5) > 0.5
