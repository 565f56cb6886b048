"""How often profile likelihood holds a share: on ``docs/coverage.md``; ten minutes."""

from collections.abc import Iterator
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis.intervals.coverage import exact_coverage
from deniable.analysis.likelihood import profile_ends
from deniable.channel import Channel

LEVEL: Final = 0.95
# Every distribution of three answers in steps of 1/40, those with shares of 0 among them.
_STEPS: Final = 40

# Two standard errors of a coverage of .95 are then .014, and of .50 .032.
_DRAWS: Final = 1000


def lines() -> Iterator[str]:
    """Write the tables: of three answers, exactly, and of more of which most are nobody's."""
    grid = np.array(list(product(range(_STEPS + 1), repeat=2)))
    grid = grid[grid.sum(axis=1) <= _STEPS] / _STEPS
    shares = np.column_stack([grid, 1 - grid.sum(axis=1)]).clip(0)
    least = []
    for n, epsilon in product((20, 50, 100), ("0.5", "1", "2", "3", "5")):
        channel = designs.k_ary(3, epsilon)
        found = exact_coverage(channel, n, shares, method="likelihood", level=LEVEL, truth=0)
        least.append([str(n), epsilon, f"{found.coverage.min():.3f}"])
    yield from markdown(["n", "ε", "likelihood"], least, names=0)
    yield ""
    truths = {"1, 0, …": [1.0], ".7, .3, 0, …": [0.7, 0.3]}
    drawn = []
    for k, cost, n in product((3, 4, 6, 10, 20), (1, 3, 5), (200, 5000)):
        channel = designs.k_ary(k, cost)
        for name, some in truths.items():
            held = _simulated(channel, n, np.array(some + [0.0] * (k - len(some))), _DRAWS)
            drawn.append([name, str(k), str(cost), f"{n:,}", *(f"{figure:.3f}" for figure in held)])
    yield from markdown(["shares", "answers", "ε", "n", "likelihood", "width"], drawn)


def _simulated(
    channel: Channel, n: int, truth: npt.NDArray[np.float64], draws: int
) -> npt.NDArray[np.float64]:
    """Return coverage and mean width of the first share's interval, by profile likelihood."""
    P = truth @ channel.probabilities
    random = np.random.default_rng([channel.truths, n])
    tables = random.multinomial(n, P / P.sum(), size=draws)
    found = np.zeros(2)
    for counts in tables:
        low, high = profile_ends(counts, channel, LEVEL, [0])[0]
        found += low - 1e-9 <= truth[0] <= high + 1e-9, np.nan_to_num(high - low)
    return found / draws
