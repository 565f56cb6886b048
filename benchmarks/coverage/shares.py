"""How often intervals hold a share, a difference and a ratio, summed over all possible surveys."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

import numpy as np
from scipy import stats

from benchmarks.coverage.cells import LEVEL, Case, Held, Measure
from deniable import designs
from deniable.analysis import intervals
from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.intervals.coverage import exact_coverage, least_coverage
from deniable.analysis.joint.ratios import ratio_of
from deniable.analysis.numerics.levels import normal_quantile
from deniable.channel import Channel, identity

EPSILONS: Final = ("0.5", "1", "2", "3", "5", "direct")
SIZES: Final = (20, 50, 200, 1000)
OF_EACH_GROUP: Final = (8, 30, 100)
FEW: Final = (15, 30)
GRID: Final = np.linspace(0, 1, 1001)
SHARES: Final = (0, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 1)
"""Shares of yes in either of two groups."""


def channel_of(epsilon: str) -> Channel:
    """Return the channel of Warner's design at an ε, or of a direct question."""
    return identity(2) if epsilon == "direct" else designs.warner(epsilon=epsilon)


def share(epsilon: str, n: int) -> Held:
    """Compute the least coverage at any share of yes, of the default interval and of Wald's."""
    channel = channel_of(epsilon)
    least = []
    for method in (intervals.DEFAULT, "wald"):
        on_grid = exact_coverage(channel, n, GRID, method=method).coverage.min()
        least.append(min(float(on_grid), least_coverage(channel, n, method=method)))
    return least[0], least[1]


def _groups(epsilon: str, n: int) -> list[Estimate]:
    # By the number of reports of yes.
    return [estimate([n - x, x], channel_of(epsilon)) for x in range(n + 1)]


def _chances(epsilon: str, n: int, first: float, second: float) -> np.ndarray:
    (_, no), (_, yes) = channel_of(epsilon).probabilities
    one, other = (
        stats.binom.pmf(np.arange(n + 1), n, no + (yes - no) * share) for share in (first, second)
    )
    return np.outer(one, other)


def difference(epsilon: str, n: int) -> Held:
    """Compute the least coverage of a difference of shares over pairs of `SHARES`."""
    every = _groups(epsilon, n)
    theta = np.array([one.theta[1] for one in every])
    ends = np.array([one.interval(LEVEL, one.end_method())[1] for one in every])
    error = np.array([one.standard_error[1] for one in every])
    first, second = np.indices((n + 1, n + 1)).reshape(2, -1)
    low, high = intervals.square_and_add(
        (theta[first], ends[first]), (theta[second], ends[second])
    ).T
    found = theta[first] - theta[second]
    half = normal_quantile(LEVEL) * np.hypot(error[first], error[second])
    least = least_wald = 1.0
    for a, b in itertools.combinations_with_replacement(SHARES, 2):
        chance = _chances(epsilon, n, a, b).ravel()
        held = (low <= a - b + 1e-9) & (a - b - 1e-9 <= high)
        least = min(least, float(chance @ held))
        least_wald = min(least_wald, float(chance @ (np.abs(found - (a - b)) <= half + 1e-12)))
    return least, least_wald


def quotient(epsilon: str, n: int, *, odds: bool) -> Held:
    """Compute the least coverage of a ratio of shares, or an odds ratio, over pairs of `SHARES`."""
    every = _groups(epsilon, n)
    ends = np.array(
        [[ratio_of(one, other, odds=odds).interval(LEVEL)[1] for other in every] for one in every]
    )
    least = 1.0
    for a, b in itertools.product(SHARES, repeat=2):
        above, below = (a * (1 - b), (1 - a) * b) if odds else (a, b)
        if below == 0 and (above == 0 or not odds):
            continue
        true = above / below if below else math.inf
        held = (ends[..., 0] <= true * (1 + 1e-9)) & (true * (1 - 1e-9) <= ends[..., 1])
        least = min(least, float(_chances(epsilon, n, a, b)[held].sum()))
    return least, math.nan


def cases() -> Iterator[Case]:
    """Yield the cells of shares, differences and ratios."""
    kinds: dict[str, tuple[Iterable[int], Callable[[str, int], Held], str]] = {
        "share": (SIZES, share, "share of yes, at the worst share"),
        "difference": (OF_EACH_GROUP, difference, "shares of two groups, n in each"),
        "ratio": (FEW, partial(quotient, odds=False), "shares of two groups, n in each"),
        "odds ratio": (FEW, partial(quotient, odds=True), "shares of two groups, n in each"),
    }
    for kind, (sizes, compute, what) in kinds.items():
        for epsilon, n in itertools.product(EPSILONS, sizes):
            yield Case(kind, what, epsilon, n, _exactly(compute, epsilon, n), is_exact=True)


def _exactly(compute: Callable[[str, int], Held], epsilon: str, n: int) -> Measure:
    return lambda *_: compute(epsilon, n)
