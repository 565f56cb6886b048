"""``python -m benchmarks.coverage``: print ``docs/coverage.md``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
from scipy import stats

from benchmarks import always_valid, associations, people, small_samples, verdicts
from deniable import designs
from deniable.analysis.intervals.coverage import exact_coverage, least_coverage
from deniable.analysis.intervals.proportion import METHODS
from deniable.channel import Channel, identity

PAGE: Final = Path(__file__).parents[1] / "docs" / "coverage.md"

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
SECTIONS: Final = (
    small_samples.lines,
    associations.lines,
    verdicts.lines,
    people.lines,
    always_valid.lines,
)
"""What the page says of other questions; the first takes most of an hour."""

LEVEL: Final = 0.95
SHARES: Final = np.linspace(0, 1, 1001)


@dataclass(frozen=True)
class Figures:
    """What one interval does at one number of respondents and one ε."""

    least: float
    mean: float
    width: float


@cache
def figures(n: int, epsilon: str, method: str) -> Figures:
    """Compute the least coverage on [0, 1], and the mean coverage and width over `SHARES`."""
    channel = CHANNELS[epsilon]
    found = exact_coverage(channel, n, SHARES, method=method, level=LEVEL)
    beside_ends = least_coverage(channel, n, method=method, level=LEVEL)
    return Figures(
        least=min(beside_ends, float(found.coverage.min())),
        mean=float(found.coverage.mean()),
        width=float(found.width.mean()),
    )


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


def page(
    sizes: Sequence[int] = SIZES, sections: Sequence[Callable[[], Iterable[str]]] = SECTIONS
) -> Iterable[str]:
    """Write the page, or what it says of some numbers of respondents, line by line."""
    yield from BEFORE.splitlines()
    yield from _table("least", "Least coverage, at the worst share of all in [0, 1]", sizes)
    yield from _table("mean", "Mean coverage over all shares", sizes)
    yield from _table("width", "Mean width over all shares", sizes)
    for section in sections:
        yield ""
        yield from section()
    yield from AFTER.splitlines()


def _table(figure: str, title: str, sizes: Sequence[int]) -> Iterable[str]:
    bound = ["at least"] if figure == "width" else []
    yield from ("", f"## {title}", "")
    yield f"| n | ε | {' | '.join([*NAMES, *bound])} |"
    yield f"|---:|---:|{'---:|' * (len(NAMES) + len(bound))}"
    for n, epsilon in product(sizes, CHANNELS):
        cells = [getattr(figures(n, epsilon, method), figure) for method in NAMES]
        if bound:
            cells.append(narrowest(n, epsilon))
        yield f"| {n} | {epsilon} | {' | '.join(f'{cell:.4f}' for cell in cells)} |"


BEFORE: Final = """\
# How often the intervals hold the truth

A 95 % interval promises that in 95 of 100 surveys it holds the true share. This page checks each
kind of interval against that promise, first for yes or no. There nothing is simulated. With n
respondents and two answers there are only n + 1 results, and the probability of each is known. The
coverage is the sum of the probabilities of all results whose interval holds the share. Means,
tables and other designs [follow](#means-tables-and-shares-that-are-not-one-proportion).
`python -m benchmarks.coverage` prints the page.

The question has the answers yes and no. It is asked directly, or randomised by Warner's design at
the given ε: the report is flipped with probability 1 / (1 + e^ε). Intervals are cut off at 0 and 1.
An interval that lies wholly outside has width 0 and holds nothing.

- **Least coverage**: the probability that the interval holds the share, at the share between 0 and
  1 for which it is lowest. It is found exactly. The lowest value is beside the end of some
  interval, so 0, 1 and the outer sides of all ends are tried (for `wald`, also the grid below).
- **Mean coverage** and **mean width**: over the shares 0, 0.001, 0.002, …, 1.
- **at least**: a lower limit for the mean width. It applies to all intervals that cover each of
  these shares in 95 of 100 surveys and whose ends rise with the number of yes (Pratt 1961).

## What the tables say

- `exact` (Clopper and Pearson's) and `blaker` (Blaker's) never fall below 95 %, whatever the share
  is. All the others do. Up to ε = 2, the lowest values are 88 % for Wald's, 90 % for likelihood's,
  92.6 % for Wilson's and 92.9 % for mid-p's. Beyond that, and if the question is asked directly,
  they are 0 %, 82 %, 83.7 % and 91.7 %.
- `blaker` is always narrower than `exact`: by 2 to 6 % with 20 respondents, and by 1 % with 1000.
  It is at most 5 % wider than the lower limit, and less than 2 % with 1000 respondents.
- `wilson` and `mid-p` cover 95 % *on average*, and are up to 6 % narrower than `blaker`. Use them
  if an average is enough for you.
- From 200 respondents on and up to ε = 2, the choice hardly matters. All intervals except Wald's
  stay above 93.7 %, and their widths differ by a few per cent.

So the default is **`blaker`**. It keeps its promise for every share and every number of
respondents, and it is the narrowest of those that do. `exact` and `blaker` keep the promise under
every design with two reports, not only under Warner's.

Blaker's interval has two disadvantages. No formula gives its ends. And only both ends together keep
the promise. With Clopper and Pearson's interval, each *end* keeps a promise of its own: at most 2.5
% of the intervals lie wholly above the share, and at most 2.5 % below. For a one-sided statement,
use `exact`.
"""

AFTER: Final = """
## References

- Blaker, H. (2000). Confidence curves and improved exact confidence intervals for discrete
  distributions. Canadian Journal of Statistics 28, 783-798.
- Brown, L. D., Cai, T. T. and DasGupta, A. (2001). Interval estimation for a binomial proportion.
  Statistical Science 16, 101-133: the same comparison for direct questions.
- Kish, L. (1965). Survey sampling. Wiley.
- Korn, E. L. and Graubard, B. I. (1998). Confidence intervals for proportions with small expected
  number of positive counts estimated from survey data. Survey Methodology 24, 193-201.
- Pratt, J. W. (1961). Length of confidence intervals. Journal of the American Statistical
  Association 56, 549-567.
- Ville, J. (1939). Étude critique de la notion de collectif. Gauthier-Villars.
- Waudby-Smith, I. and Ramdas, A. (2024). Estimating means of bounded random variables by betting.
  Journal of the Royal Statistical Society B 86, 1-27."""

if __name__ == "__main__":
    print("\n".join(page()))
