"""How often weighted intervals hold the truth of a population that answered unequally."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis.joint.ratios import ratio_of
from deniable.analysis.numerics.arrays import FloatArray, IndexArray
from deniable.analysis.regression.formula import regress_formula, regress_mean_formula
from deniable.analysis.sampling.calibration import Margin
from deniable.analysis.sampling.contrasts import apart, difference
from deniable.analysis.sampling.debiased import debiased_shares, debiased_values
from deniable.analysis.sampling.design import SamplingDesign, sampling_design
from deniable.analysis.sampling.design_based import DesignEstimate, mean
from deniable.channel import ROW_SUM, Channel

DRAWS: Final = 500
MORE: Final = {"slope of the mean": 5000}
"""Of what more surveys are drawn, as 500 left in doubt whether it holds in 95 of 100."""
SIZES: Final = (60, 300)
EPSILONS: Final = (1, 3)
LEVELS: Final = range(4)
YES: Final = (1 / (1 + np.e), 0.5)
"""The share of yes in each half of the population: a logit of -1, and 1 more."""

Interval: TypeAlias = Any
"""Both ends."""


class Sample:
    """People of whom seven in ten are of the second half, and a quarter of a part of two fifths."""

    def __init__(self, random: np.random.Generator, n: int, epsilon: float) -> None:
        self.half = (random.random(n) < 0.7).astype(np.int64)
        self.part = (random.random(n) < 0.25).astype(np.int64)
        yes = (random.random(n) < np.array(YES)[self.half]).astype(np.int64)
        number = 2 * yes + random.integers(0, 2, n)
        self.channel, self.numbers = designs.warner(epsilon=epsilon), designs.k_ary(4, epsilon)
        self.reports = self._sent(random, yes, self.channel.probabilities)
        self.sent = self._sent(random, number, self.numbers.probabilities)

    @staticmethod
    def _sent(random: np.random.Generator, truth: IndexArray, law: FloatArray) -> IndexArray:
        chances = law[truth].cumsum(axis=1)
        return np.asarray((random.random((len(truth), 1)) > chances).sum(axis=1), dtype=np.intp)

    def design(self) -> SamplingDesign:
        """Rake to the halves and the parts."""
        margins = [
            Margin.of(name, [str(one) for one in column], dict(zip("01", people, strict=True)))
            for name, column, people in (
                ("half", self.half, (0.5, 0.5)),
                ("part", self.part, (0.6, 0.4)),
            )
        ]
        return sampling_design(np.ones(len(self.half)), margins=margins)

    def share(self) -> DesignEstimate:
        """Estimate the share of yes."""
        return mean(debiased_shares(self.reports, self.channel), self.design())

    def cell(self) -> Interval:
        """Estimate the share of those who would say yes and are of the part, asked directly."""
        weights = np.kron(self.channel.weights, np.eye(2, dtype=np.int64))
        both = Channel.from_probabilities(
            [[Fraction(int(one), ROW_SUM) for one in row] for row in weights]
        )
        pairs = debiased_shares(2 * self.reports + self.part, both)
        return mean(pairs, self.design()).interval()[3]

    def compared(self, *, odds: bool | None = None) -> Interval:
        """Compare the second half with the first: subtracted, or divided."""
        shares = debiased_shares(self.reports, self.channel)
        found = difference(shares, self.design(), self.half, 1 - self.half)
        if odds is None:
            return found.interval()[1]
        return ratio_of(found.first, found.second, found.correlation, odds=odds).interval()[1]

    def mean(self) -> Interval:
        """Estimate the mean of the number."""
        return mean(debiased_values(self.sent, self.numbers, LEVELS), self.design()).interval()[0]

    def slope(self, *, of_number: bool) -> Interval:
        """Regress on the half."""
        frame = pd.DataFrame({"y": self.sent if of_number else self.reports, "half": self.half})
        if of_number:
            fit = regress_mean_formula(
                "y ~ half", frame, self.numbers, LEVELS, sample=self.design()
            )
            return fit.interval()[1]
        logit = regress_formula("y ~ half", frame, self.channel, sample=self.design())
        return logit.interval(kind="sandwich")[1]


def _change(random: np.random.Generator, n: int, epsilon: float) -> Interval:
    before, after = (Sample(random, n, epsilon).share() for _ in range(2))
    return apart(after, before).interval()[1]


def _of(found: Callable[[Sample], Interval]) -> Callable[..., Interval]:
    return lambda random, n, epsilon: found(Sample(random, n, epsilon))


YES_OF_ALL: Final = sum(YES) / 2
ROWS: Final[dict[str, tuple[Callable[..., Interval], float]]] = {
    "share": (_of(lambda one: one.share().interval()[1]), YES_OF_ALL),
    "cell of a table": (_of(Sample.cell), 0.4 * YES_OF_ALL),
    "mean of 4 levels": (_of(Sample.mean), 2 * YES_OF_ALL + 0.5),
    "difference of the halves": (_of(Sample.compared), YES[1] - YES[0]),
    "their ratio": (_of(lambda one: one.compared(odds=False)), YES[1] / YES[0]),
    "their odds ratio": (_of(lambda one: one.compared(odds=True)), np.e),
    "change between waves": (_change, 0.0),
    "slope of the mean": (_of(lambda one: one.slope(of_number=True)), 2 * (YES[1] - YES[0])),
    "slope of the logit": (_of(lambda one: one.slope(of_number=False)), 1.0),
}
"""What is estimated, and its true value."""


def coverage(row: str, epsilon: float, n: int) -> float:
    """Return how often the interval holds it."""
    (find, truth), random = ROWS[row], np.random.default_rng([n, int(epsilon), *row.encode()])
    held, draws = 0, MORE.get(row, DRAWS)
    for _ in range(draws):
        low, high = find(random, n, epsilon)
        held += bool(low - 1e-9 <= truth <= high + 1e-9)
    return held / draws


def lines() -> Iterator[str]:
    """Write the table."""
    cells = [(epsilon, n) for epsilon in EPSILONS for n in SIZES]
    yield from markdown(
        ["", *(f"ε = {epsilon}, n = {n}" for epsilon, n in cells)],
        ([row, *(f"{coverage(row, *cell):.3f}" for cell in cells)] for row in ROWS),
    )
