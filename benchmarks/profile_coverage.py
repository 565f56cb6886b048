"""``python -m benchmarks.profile_coverage``: how often profile likelihood holds a share.

What it prints is quoted in ``docs/analysis.md`` and `deniable.analysis.likelihood.check_profile`.
It takes some ten minutes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable import designs
from deniable.analysis.estimation import estimate
from deniable.analysis.intervals.coverage import exact_coverage
from deniable.analysis.likelihood import profile_ends
from deniable.channel import Channel

LEVEL: Final = 0.95

# Every distribution of three answers in steps of 1/40, those with shares of 0 among them.
_STEPS: Final = 40

# Two standard errors of a coverage of .95 are then .014, and of .50 .032.
_DRAWS: Final = 1000


def three_answers(sizes: Iterable[int] = (20, 50, 100)) -> Iterable[str]:
    """Print the least coverage of k-ary designs of three answers: exact, on a grid of shares."""
    yield f"three answers, k-ary, least coverage over all shares in steps of 1/{_STEPS} (exact)"
    yield "   n    ε  likelihood  blaker"
    grid = np.array(list(product(range(_STEPS + 1), repeat=2)))
    grid = grid[grid.sum(axis=1) <= _STEPS] / _STEPS
    shares = np.column_stack([grid, 1 - grid.sum(axis=1)]).clip(0)
    for n, epsilon in product(sizes, ("0.5", "1", "2", "3", "5")):
        channel = designs.k_ary(3, epsilon)
        least = [
            exact_coverage(channel, n, shares, method=method, level=LEVEL, truth=0).coverage.min()
            for method in ("likelihood", "blaker")
        ]
        yield f"{n:4d} {epsilon:>4}  {least[0]:10.3f}  {least[1]:6.3f}"


def many_answers(
    answers: Iterable[int] = (3, 4, 6, 10, 20),
    epsilons: Iterable[int] = (1, 3, 5),
    sizes: Iterable[int] = (200, 5000),
    draws: int = _DRAWS,
) -> Iterable[str]:
    """Print coverage and mean width for the first answer's share where most shares are 0."""
    yield f"k answers, k-ary, the first share's intervals in {draws} draws"
    yield "   k  ε     n  shares       likelihood  width   blaker  width"
    for k, epsilon, n in product(answers, epsilons, sizes):
        channel = designs.k_ary(k, epsilon)
        for name, shares in (("1, 0, …", [1.0]), (".7, .3, 0, …", [0.7, 0.3])):
            truth = np.array(shares + [0.0] * (k - len(shares)))
            held, width = _simulated(channel, n, truth, draws)
            yield (
                f"{k:4d} {epsilon:2d} {n:5d}  {name:12} {held[0]:10.3f} {width[0]:6.3f}"
                f" {held[1]:8.3f} {width[1]:6.3f}"
            )


def _simulated(
    channel: Channel, n: int, truth: npt.NDArray[np.float64], draws: int
) -> npt.NDArray[np.float64]:
    """Return coverage and mean width of the first share's interval, by profile and Blaker's."""
    P = truth @ channel.probabilities
    random = np.random.default_rng([channel.truths, n])
    tables = random.multinomial(n, P / P.sum(), size=draws)
    found = np.zeros((2, 2))
    for counts in tables:
        blaker = estimate(counts, channel).possible_interval(LEVEL, "blaker")[0]
        for place, ends in enumerate((profile_ends(counts, channel, LEVEL, [0])[0], blaker)):
            low, high = ends
            found[:, place] += low - 1e-9 <= truth[0] <= high + 1e-9, np.nan_to_num(high - low)
    return found / draws


if __name__ == "__main__":
    for lines in (three_answers(), many_answers()):
        for line in lines:
            print(line, flush=True)
        print()
