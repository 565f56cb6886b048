"""How often the intervals of one proportion hold it, exactly, and how wide they are."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Final

import numpy as np
from scipy import stats

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis.intervals.coverage import exact_coverage, least_coverage
from deniable.analysis.intervals.proportion import METHODS
from deniable.channel import Channel, identity

SIZES: Final = (20, 50, 200, 1000)
CHANNELS: Final[Mapping[str, Channel]] = {
    "0.5": designs.warner(epsilon="0.5"),
    "1": designs.warner(epsilon=1),
    "ln 3": designs.warner(flip="1/4"),
    "2": designs.warner(epsilon=2),
    "3": designs.warner(epsilon=3),
    "5": designs.warner(epsilon=5),
    "direct": identity(2),
}
NAMES: Final = ("wald", *METHODS)
"""The intervals of the tables: of all but one for looking early, which has a section of its own."""
LEVEL: Final = 0.95
SHARES: Final = np.linspace(0, 1, 1001)


@cache
def figures(n: int, epsilon: str, method: str) -> dict[str, float]:
    """Compute the least coverage on [0, 1], and the mean coverage and width over `SHARES`."""
    channel = CHANNELS[epsilon]
    found = exact_coverage(channel, n, SHARES, method=method, level=LEVEL)
    beside_ends = least_coverage(channel, n, method=method, level=LEVEL)
    return {
        "least": min(beside_ends, float(found.coverage.min())),
        "mean": float(found.coverage.mean()),
        "width": float(found.width.mean()),
    }


def narrowest(n: int, epsilon: str) -> float:
    """Return a mean width that no interval can be below if it covers all of `SHARES` at `LEVEL`.

    It is a sum over shares s of the chance that the interval holds s while the respondents' own
    share is any of `SHARES` (Pratt 1961). Where the ends rise with the number of yes, the outcomes
    whose intervals hold s are neighbours, and have a chance of `LEVEL` at least if s is true. For
    each s, the sum takes those neighbours that come least often otherwise.
    """
    (_, low), (_, high) = CHANNELS[epsilon].probabilities
    chance = stats.binom.pmf(np.arange(n + 1), n, low + (high - low) * SHARES[:, np.newaxis])
    otherwise = np.append(0, np.cumsum(chance.mean(axis=0)))
    least = []
    for if_true in np.pad(np.cumsum(chance, axis=1), ((0, 0), (1, 0))):
        # From each first outcome to the nearest last one that makes up the level, if there is any.
        end = np.searchsorted(if_true, if_true + LEVEL)
        enough = end < len(if_true)
        least.append((otherwise[end[enough]] - otherwise[:-1][enough[:-1]]).min())
    return float(np.mean(least))


def lines(sizes: Sequence[int] = SIZES) -> Iterator[str]:
    """Write the three tables."""
    for figure, title in TABLES.items():
        bound = ["at least"] if figure == "width" else []
        rows = []
        for n, epsilon in product(sizes, CHANNELS):
            cells = [figures(n, epsilon, method)[figure] for method in NAMES]
            cells += [narrowest(n, epsilon) for _ in bound]
            rows.append([str(n), epsilon, *(f"{cell:.4f}" for cell in cells)])
        yield from (f"## {title}", "")
        yield from markdown(["n", "ε", *NAMES, *bound], rows, names=0)
        yield ""


TABLES: Final = {
    "least": "Least coverage, at the worst share of all in [0, 1]",
    "mean": "Mean coverage over all shares",
    "width": "Mean width over all shares",
}
"""The figures, and the headings of their tables."""
