"""How often intervals hold means, cells, and shares that are not one proportion."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import stats

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis import intervals
from deniable.analysis.estimation import estimate
from deniable.analysis.intervals import inversion, proportion
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import normal_quantile
from deniable.channel import Channel, identity
from deniable.estimator import for_values

DRAWS: Final = 20_000
LEVEL: Final = 0.95
ENOUGH: Final = 0.94
WIDER: Final = 1.15
SIZES: Final = (8, 30, 100, 1000)
EPSILONS: Final = ("0.3", "1", "3", "5")

# Of so many surveys of a cell the width is averaged.
_WIDTHS: Final = 50


@dataclass(frozen=True)
class Problem:
    """What is estimated, under one distribution of the truth."""

    name: str  # of the distribution, and of what is estimated
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
        """What each report contributes to the test of the true value; its mean is then 0."""
        return self.ratio.to_numerator - self.value * self.ratio.to_denominator


@dataclass(frozen=True)
class Cell:
    """What the intervals do for one problem and one number of respondents."""

    name: str
    coverage: float  # of the interval that is given by default
    wald: float  # coverage of Wald's
    width: float  # of the first, relative to Wald's


def cell(problem: Problem, n: int, draws: int = DRAWS) -> Cell:
    """Measure one cell: exactly where the interval is that of one proportion, else by drawing."""
    came = problem.C.any(axis=0)
    C, g = problem.C[:, came], problem.g[came]
    values, place = np.unique(np.round(g / np.ptp(g), 9), return_inverse=True)
    if problem.ratio.is_mean and len(values) == 2:
        return _one_proportion(problem, g, place, n)
    random = np.random.default_rng([n, *problem.name.encode(), *(C[0] * 2**20).astype(int)])
    tables, times = np.unique(
        random.multinomial(n, problem.truth @ C, size=draws), axis=0, return_counts=True
    )
    mean = tables @ g / n
    half = normal_quantile(LEVEL) * np.sqrt(((g - mean[:, np.newaxis]) ** 2 * tables).sum(axis=1))
    half /= math.sqrt(n * (n - 1))
    wald = float(times @ (np.abs(mean) <= half + 1e-12) / draws)
    own = inversion.Ratio(
        problem.ratio.numerator,
        problem.ratio.denominator,
        problem.ratio.to_numerator[came],
        problem.ratio.to_denominator[came],
    )
    held = [inversion.holds(table, C, own, LEVEL, problem.value) for table in tables]
    some = random.permutation(len(tables))[:_WIDTHS]
    ends = np.array([inversion.tail_interval(tables[one], C, own, LEVEL) for one in some])
    if problem.ratio.is_mean:
        width = float(np.nanmean(ends[:, 1] - ends[:, 0]) / (2 * half[some].mean()))
    else:
        width = math.nan
    return Cell(problem.name, float(times @ held / draws), wald, width)


def _one_proportion(problem: Problem, g: FloatArray, place: npt.NDArray[np.intp], n: int) -> Cell:
    """Measure a cell of a share or a mean that is a matter of one proportion, exactly."""
    came = problem.C.any(axis=0)
    p = float((problem.truth @ problem.C[:, came])[place == 1].sum())
    less, more = (float(g[place == one][0]) for one in (0, 1))
    x = np.arange(n + 1.0)
    chance = stats.binom.pmf(x, n, p)
    mean = less + (more - less) * x / n
    least, greatest = (np.array(problem.ratio.range) - problem.value - less) / (more - less)
    ends = proportion.feldman_cousins(x, n, LEVEL, least, greatest)
    low, high = (less + (more - less) * end for end in ends)
    low, high = np.minimum(low, mean), np.maximum(high, mean)
    half = normal_quantile(LEVEL) * (more - less) * np.sqrt(x * (n - x) / n**2 / (n - 1))
    return Cell(
        problem.name,
        float(chance @ ((low <= 1e-9) & (high >= -1e-9))),
        float(chance @ (np.abs(mean) <= half + 1e-12)),
        float(chance @ (high - low) / (2 * chance @ half)),
    )


# ------------------------------------------------------------------------------- what is measured


def _share(channel: Channel, truth: FloatArray, of: int, name: str) -> Problem:
    one = np.eye(channel.truths)[of]
    ratio = inversion.mean(one, for_values(channel, one))
    return Problem(f"{name}, a share of {truth[of]:g}", channel.probabilities, truth, ratio)


def _at(levels: int, **shares: float) -> FloatArray:
    """Return a distribution of the truth; ``at_3=0.5`` gives level 3 half of the people."""
    truth = np.zeros(levels)
    for place, share in shares.items():
        truth[int(place.removeprefix("at_"))] = share
    return truth


def block(epsilon: str) -> list[Problem]:
    """Shares under the best block design of ten answers; its answers are alike."""
    channel = designs.best_k_ary(10, epsilon)
    return [
        _share(channel, _at(10, at_0=1), 0, "all alike"),
        _share(channel, _at(10, at_0=1), 9, "all alike"),
        _share(channel, _at(10, at_0=0.97, at_9=0.03), 9, "nearly all alike"),
        _share(channel, _at(10, at_0=0.5, at_9=0.5), 9, "two halves"),
    ]


def cards(epsilon: str) -> list[Problem]:
    """Shares under Kuk's design of nine draws, whose packs give it this ε."""
    red = 1 / (1 + math.exp(-float(epsilon) / 9))
    channel = designs.kuk(f"{red:.9f}", f"{1 - red:.9f}", draws=9)
    return [
        _share(channel, np.array([1 - share, share]), 1, "two answers")
        for share in (0, 0.03, 0.5, 1)
    ]


def levels(epsilon: str) -> list[Problem]:
    """Shares of the levels of a number, under its default design."""
    channel = designs.best_numeric(11, epsilon)
    return [
        _share(channel, _at(11, at_0=1), 0, "all at the least"),
        _share(channel, _at(11, at_0=1), 5, "all at the least"),
        _share(channel, _at(11, at_0=0.97, at_5=0.03), 5, "nearly all at the least"),
        _share(channel, _at(11, at_0=0.5, at_10=0.5), 0, "half at either end"),
    ]


def means(channel: Channel) -> list[Problem]:
    """Means of a number of 11 levels, of which nearly all may be alike."""
    values = np.arange(11.0)
    ratio = inversion.mean(values, for_values(channel, values))
    truths = {
        "all at the least": _at(11, at_0=1),
        "3 % at the far end": _at(11, at_0=0.97, at_10=0.03),
        "half at either end": _at(11, at_0=0.5, at_10=0.5),
        "all levels alike": np.full(11, 1 / 11),
    }
    return [Problem(name, channel.probabilities, truth, ratio) for name, truth in truths.items()]


def best(epsilon: str) -> list[Problem]:
    """Means of a number of 11 levels, under its default design."""
    return means(designs.best_numeric(11, epsilon))


def two_point(epsilon: str) -> list[Problem]:
    """Means of a number of 11 levels, under the two-point design."""
    return means(designs.two_point(11, epsilon))


def direct(_: str) -> list[Problem]:
    """Means of a number of 11 levels that is asked directly."""
    return [one for one in means(identity(11)) if one.name != "all at the least"]


def _product(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.asarray(np.kron(first, second), dtype=np.float64)


def _table(first: Channel, second: Channel) -> list[Problem]:
    truth = np.array([0.6, 0.1, 0.3, 0.0])
    C = _product(first.probabilities, second.probabilities)
    problems = []
    for cell_, name in ((3, "an empty cell"), (1, "a small cell")):
        row = cell_ // 2
        one: FloatArray = np.eye(4)[cell_]
        own = _product(for_values(first, np.eye(2)[row]), for_values(second, np.eye(2)[cell_ % 2]))
        of_row = np.repeat(np.eye(2)[row], 2)
        to_row = np.repeat(for_values(first, np.eye(2)[row]), second.reports)
        problems += [
            Problem(name, C, truth, inversion.mean(one, own)),
            Problem(
                f"{name}'s share of its row", C, truth, inversion.Ratio(one, of_row, own, to_row)
            ),
        ]
    return problems


def beside_direct(epsilon: str) -> list[Problem]:
    """Cells of a table of a randomised item by one that is asked directly."""
    return _table(designs.warner(epsilon=epsilon), identity(2))


def both(epsilon: str) -> list[Problem]:
    """Cells of a table of two randomised items."""
    return _table(*[designs.warner(epsilon=epsilon)] * 2)


ROWS: Final[Mapping[str, tuple[Callable[[str], list[Problem]], tuple[str, ...]]]] = {
    "share, best design of 10 answers": (block, EPSILONS),
    "share, Kuk's design of 9 draws": (cards, EPSILONS),
    "share of a level, number of 11": (levels, EPSILONS),
    "mean, number of 11 levels": (best, EPSILONS),
    "mean, two-point design": (two_point, EPSILONS),
    "mean, asked directly": (direct, ("∞",)),
    "cell, Warner × direct": (beside_direct, ("1", "3")),
    "cell, Warner × Warner": (both, ("1", "3")),
}
"""Each row of the table: its name, its problems at an ε, and the ε."""


def measured(
    rows: Iterable[str] = tuple(ROWS), sizes: Iterable[int] = SIZES, draws: int = DRAWS
) -> dict[tuple[str, str, int], list[Cell]]:
    """Measure the cells of some rows, by row, ε and number of respondents."""
    keys = [
        (row, epsilon, n, problem)
        for row in rows
        for epsilon in ROWS[row][1]
        for n in sizes
        for problem in ROWS[row][0](epsilon)
    ]
    found: dict[tuple[str, str, int], list[Cell]] = {}
    with ProcessPoolExecutor() as pool:
        cells = pool.map(
            partial(cell, draws=draws), [key[3] for key in keys], [key[2] for key in keys]
        )
        for (row, epsilon, n, _), one in zip(keys, cells, strict=True):
            found.setdefault((row, epsilon, n), []).append(one)
    return found


def written(cells: list[Cell]) -> str:
    """Write what stands in a cell of the table."""
    fair = [one.width for one in cells if one.wald >= ENOUGH and not math.isnan(one.width)]
    least, wald = (min(getattr(one, name) for one in cells) for name in ("coverage", "wald"))
    return f"{least:.3f} ({wald:.3f}), " + (f"{max(fair):.2f}" if fair else "–")


# ------------------------------------------------------------------------------- differences


def difference_coverage(epsilon: str, n: int) -> tuple[float, float]:
    """Compute the least coverage of a difference's default interval, and of Wald's, exactly."""
    channel = identity(2) if epsilon == "direct" else designs.warner(epsilon=epsilon)
    every = [estimate([n - x, x], channel) for x in range(n + 1)]
    theta = np.array([one.theta[1] for one in every])
    ends = np.array([one.interval(LEVEL, one.end_method())[1] for one in every])
    error = np.array([one.standard_error[1] for one in every])
    first, second = (index.ravel() for index in np.indices((n + 1, n + 1)))
    low, high = intervals.square_and_add(
        (theta[first], ends[first]), (theta[second], ends[second])
    ).T
    d = theta[first] - theta[second]
    half = normal_quantile(LEVEL) * np.hypot(error[first], error[second])
    least = least_wald = 1.0
    (_, p), (_, q) = channel.probabilities
    for a, b in itertools.combinations_with_replacement(_SHARES, 2):
        one, two = (stats.binom.pmf(np.arange(n + 1), n, p + (q - p) * x) for x in (a, b))
        chance = np.outer(one, two).ravel()
        least = min(least, float(chance @ ((low <= a - b + 1e-9) & (a - b - 1e-9 <= high))))
        least_wald = min(least_wald, float(chance @ (np.abs(d - (a - b)) <= half + 1e-12)))
    return least, least_wald


_SHARES: Final = (0, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 1)


# ------------------------------------------------------------------------------- the section


def lines(cells: Mapping[tuple[str, str, int], list[Cell]] | None = None) -> Iterator[str]:
    """Write the tables, and between them the cells where the default interval is much wider."""
    found = measured() if cells is None else cells
    sizes = [f"n = {n}" for n in SIZES]
    rows = [
        [row, epsilon, *(written(found[row, epsilon, n]) for n in SIZES)]
        for row, (_, epsilons) in ROWS.items()
        for epsilon in epsilons
    ]
    yield from markdown(["", "ε", *sizes], rows)
    yield ""
    for (row, epsilon, n), some in found.items():
        for one in some:
            if one.wald >= ENOUGH and one.width > WIDER:
                yield (
                    f"- {row}, ε = {epsilon}, n = {n}, {one.name}: {one.width:.2f} times as wide, "
                    f"and holds in {one.coverage:.3f} (Wald's in {one.wald:.3f})"
                )
    yield ""
    yield from markdown(
        ["ε", *sizes],
        (
            [epsilon, *("{:.3f} ({:.3f})".format(*difference_coverage(epsilon, n)) for n in SIZES)]
            for epsilon in (*EPSILONS, "direct")
        ),
        names=0,
    )
