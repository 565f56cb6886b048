"""How often intervals hold means, cells, and shares that no single proportion determines."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.coverage.cells import LEVEL, Case, Held
from deniable import designs
from deniable.analysis.intervals import inversion, proportion
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import normal_quantile
from deniable.channel import Channel, identity
from deniable.estimator import for_values
from deniable.survey_file import read

EPSILONS: Final = ("1", "3")
SIZES: Final = (8, 30, 150)


@dataclass(frozen=True)
class Problem:
    """An estimate under one distribution of the truth."""

    name: str  # of the distribution
    C: FloatArray
    truth: FloatArray
    ratio: inversion.Ratio

    @property
    def value(self) -> float:
        """The true share or mean."""
        above, below = self.truth @ self.ratio.numerator, self.truth @ self.ratio.denominator
        return float(above / below)

    @property
    def g(self) -> FloatArray:
        """The contribution of each report to the test of the true value, where its mean is 0."""
        return self.ratio.to_numerator - self.value * self.ratio.to_denominator


def coverage(problem: Problem, n: int, surveys: int, random: np.random.Generator) -> Held:
    """Measure how often the default interval and Wald's hold the true value."""
    came = problem.C.any(axis=0)
    g = problem.g[came]
    drawn = np.zeros((surveys, problem.C.shape[1]), dtype=np.int64)
    drawn[:, came] = random.multinomial(n, (problem.truth @ problem.C)[came], size=surveys)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    mean = tables[:, came] @ g / n
    squares = ((g - mean[:, np.newaxis]) ** 2 * tables[:, came]).sum(axis=1)
    half = normal_quantile(LEVEL) * np.sqrt(squares)
    wald = np.abs(mean) <= half / math.sqrt(n * (n - 1)) + 1e-12
    values, place = np.unique(np.round(g / np.ptp(g), 9), return_inverse=True)
    if problem.ratio.is_mean and len(values) == 2:
        held = _of_one_proportion(problem, g, place, n)[tables[:, came][:, place == 1].sum(axis=1)]
    else:
        tested = (inversion.chances(table, problem.C, problem.ratio) for table in tables)
        held = np.array([min(tails(problem.value)) >= (1 - LEVEL) / 2 for tails in tested])
    return float(times @ held / surveys), float(times @ wald / surveys)


def _of_one_proportion(
    problem: Problem, g: FloatArray, place: npt.NDArray[np.intp], n: int
) -> npt.NDArray[np.bool_]:
    """Return, for 0 to n reports of the second kind, whether the interval holds the true value."""
    less, more = (float(g[place == one][0]) for one in (0, 1))
    x = np.arange(n + 1.0)
    mean = less + (more - less) * x / n
    least, greatest = (np.array(problem.ratio.range) - problem.value - less) / (more - less)
    ends = proportion.feldman_cousins(x, n, LEVEL, least, greatest)
    low, high = (less + (more - less) * end for end in ends)
    return np.asarray((np.minimum(low, mean) <= 1e-9) & (np.maximum(high, mean) >= -1e-9))


def _share(channel: Channel, truth: FloatArray, of: int, name: str) -> Problem:
    one = np.eye(channel.truths)[of]
    ratio = inversion.mean(one, for_values(channel, one))
    return Problem(f"{name}, a share of {truth[of]:g}", channel.probabilities, truth, ratio)


def _at(levels: int, shares: Mapping[int, float]) -> FloatArray:
    """Return a distribution of the truth from its shares above 0."""
    truth = np.zeros(levels)
    truth[[*shares]] = [*shares.values()]
    return truth


def block(epsilon: str) -> list[Problem]:
    """Return shares under the best design of ten answers, which treats all answers alike."""
    channel = designs.best_k_ary(10, epsilon)
    return [
        _share(channel, _at(10, {0: 1}), 9, "all alike"),
        _share(channel, _at(10, {0: 0.97, 9: 0.03}), 9, "nearly all alike"),
        _share(channel, _at(10, {0: 0.5, 9: 0.5}), 9, "two halves"),
    ]


def levels(epsilon: str) -> list[Problem]:
    """Return shares of the levels of a number, under its default design."""
    channel = designs.best_numeric(11, epsilon)
    return [
        _share(channel, _at(11, {0: 1}), 5, "all at the least"),
        _share(channel, _at(11, {0: 0.97, 5: 0.03}), 5, "nearly all at the least"),
        _share(channel, _at(11, {0: 0.5, 10: 0.5}), 0, "half at either end"),
    ]


def means(channel: Channel) -> list[Problem]:
    """Return means of a number of 11 levels, also with nearly all people at one level."""
    values = np.arange(11.0)
    ratio = inversion.mean(values, for_values(channel, values))
    truths = {
        "all at the least": _at(11, {0: 1}),
        "3 % at the far end": _at(11, {0: 0.97, 10: 0.03}),
        "half at either end": _at(11, {0: 0.5, 10: 0.5}),
        "all levels alike": np.full(11, 1 / 11),
    }
    return [Problem(name, channel.probabilities, truth, ratio) for name, truth in truths.items()]


def _product(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.asarray(np.kron(first, second), dtype=np.float64)


def _table(first: Channel, second: Channel) -> list[Problem]:
    truth = np.array([0.6, 0.1, 0.3, 0.0])
    C = _product(first.probabilities, second.probabilities)
    problems = []
    for cell, name in ((3, "an empty cell"), (1, "a small cell")):
        row, column = np.eye(2)[cell // 2], np.eye(2)[cell % 2]
        one = np.eye(4)[cell]
        own = _product(for_values(first, row), for_values(second, column))
        to_row = np.repeat(for_values(first, row), second.reports)
        of_row = inversion.Ratio(one, np.repeat(row, 2), own, to_row)
        problems += [
            Problem(name, C, truth, inversion.mean(one, own)),
            Problem(f"{name}'s share of its row", C, truth, of_row),
        ]
    return problems


PAIR: Final = """
version: 1
survey: two
title: Two
epsilon: {}
together: [a, b]
questions:
  - {{id: a, text: A, type: single, answers: ['No', 'Yes']}}
  - {{id: b, text: B, type: single, answers: ['No', 'Yes']}}
"""


def together(epsilon: str) -> list[Problem]:
    """Return cells of the table of two items that are randomised as one, and shares of a row."""
    (group,) = read(PAIR.format(epsilon)).survey.groups
    channel = group.marginal("a", "b")[1]
    one, of_row = np.eye(4)[3], np.array([0.0, 0, 1, 1])
    to = for_values(channel, one)
    problems = []
    for truth in (np.array([0.6, 0.1, 0.3, 0.0]), np.full(4, 0.25)):
        row = inversion.Ratio(one, of_row, to, for_values(channel, of_row))
        problems += [
            Problem(f"{name} of {truth[3]:g}", channel.probabilities, truth, ratio)
            for name, ratio in (("a cell", inversion.mean(one, to)), ("of its row, a cell", row))
        ]
    return problems


ROWS: Final[Mapping[str, tuple[str, Callable[[str], list[Problem]]]]] = {
    "10 answers, best design": ("share of one of many", block),
    "a level of 11": ("share of one of many", levels),
    "11 levels": ("mean", lambda e: means(designs.best_numeric(11, e))),
    "11 levels, `mean_only`": (
        "mean",
        lambda e: means(designs.best_numeric(11, e, distribution=False)),
    ),
    "Warner × direct": (
        "cell of a table",
        lambda e: _table(designs.warner(epsilon=e), identity(2)),
    ),
    "Warner × Warner": ("cell of a table", lambda e: _table(*[designs.warner(epsilon=e)] * 2)),
    "a pair randomised `together`": ("cell of a table", together),
}
"""The kind of each estimate, and its problems at an ε."""


def cases() -> Iterator[Case]:
    """Yield the cells of means, cells of tables, and shares."""
    for (row, (kind, problems)), epsilon in itertools.product(ROWS.items(), EPSILONS):
        for problem, n in itertools.product(problems(epsilon), SIZES):
            yield Case(kind, f"{row}: {problem.name}", epsilon, n, partial(coverage, problem, n))
    for problem, n in itertools.product(means(identity(11))[1:], SIZES):
        what = f"11 levels: {problem.name}"
        yield Case("mean", what, "direct", n, partial(coverage, problem, n))
