"""``python -m benchmarks.precision``: print the tables of ``docs/precision.md``."""

import itertools
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, Final

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import Channel
from deniable.designs.block import blocks_for
from deniable.designs.programme import REACH
from deniable.estimator import for_values, least_variance, variance

EPSILONS: Final = ("0.5", "1", "1.5", "2", "3", "4")
ANSWERS: Final = range(2, 184)
LEVELS: Final = range(2, 22)


def main() -> None:
    """Print all tables, in some ten minutes."""
    for line in (*answers(), "", *bounds(), "", *numbers(), "", *grids(), "", *shares()):
        print(line, flush=True)


def answers(counts: Iterable[int] = ANSWERS) -> Iterator[str]:
    """Compare `best` of k answers with subset selection: on average, and at worst."""
    yield from markdown(
        ["answers", *(f"ε = {epsilon}" for epsilon in EPSILONS)],
        (
            [str(k), *(f"{a:.2f} {w:.2f}" for a, w in map(_shares, [k] * 6, EPSILONS))]
            for k in counts
        ),
    )


def _shares(k: int, epsilon: str) -> tuple[float, float]:
    channel = designs.best_k_ary(k, epsilon)
    best = designs.subset_selection(k, float(epsilon))
    worst = _at_worst(least_variance(channel), channel.probabilities)
    return variance(channel) / best, worst / best


def _at_worst(estimator: FloatArray, C: FloatArray) -> float:
    """Return the greatest total variance of the shares; subset selection's is at equal shares."""
    second = (estimator**2).sum(axis=0) @ C.T
    # The greatest of θ·second − θ·θ: where θ is above 0, its derivative is the same for all.
    descending = np.sort(second)[::-1]
    level = (np.cumsum(descending) - 2) / np.arange(1, len(second) + 1)
    theta = np.maximum(second - level[descending > level][-1], 0) / 2
    return float(theta @ second - theta @ theta)


def bounds() -> Iterator[str]:
    """Compare `best` at ε = 4 with what sets of one size, and two kinds of nets, can reach."""
    rows = []
    for k in (*range(114, 183, 10), 183):
        best = designs.subset_selection(k, 4)
        own, mixed = _shares(k, "4"), two_nets(k)
        cells = (f"{a:.2f} {w:.2f}" if a < math.inf else "–" for a, w in (own, mixed))
        rows.append([str(k), *cells, f"{bound(k, 4) / best:.2f}"])
    heads = ["`best` at ε = 4", "nets of two kinds", "at least, with 254 sets of one size"]
    yield from markdown(["answers", *heads], rows)


def bound(k: int, epsilon: float) -> float:
    """Return the least total variance of sets that fit a byte, of whatever size."""
    return min(least_of_sets(k, size, epsilon, 254) for size in range(1, k))


def least_of_sets(k: int, size: int, epsilon: float, reports: int) -> float:
    """Bound the total variance if reports are sets of one size, however likely each of them is.

    N says which of k answers is in which report, times the root of its weight, on average 1. As the
    chances of each answer sum to 1, it is in reports of r in all, so that each row of N Nᵀ sums to
    r · size, which is beside the vector of ones its greatest eigenvalue at most. That fixes the
    trace. The squares of what is not on the diagonal sum to at least those of the weights, once for
    each pair in a report, and so to what they are if all are alike; nor to less than if each pair
    is in as many. With these two sums and that greatest one, the inverses have the least sum if all
    eigenvalues but some of the greatest are alike (Chebyshev and Markov).
    """
    r = reports * size / k
    pairs = r * (size - 1) / (k - 1)
    squares = k * (k - 1) * max(pairs, pairs**2) + k * r**2 - (r * size) ** 2
    mean = r * (k - size) / (k - 1)
    greatest = r * size / mean
    spread = max(squares / (k - 1) / mean**2 - 1, 0)
    odds = spread / (greatest - 1) ** 2 if size > 1 else 0
    rest = 1 - (greatest - 1) * odds
    inverses = (odds / greatest + 1 / rest) / (1 + odds)
    e = math.exp(epsilon)
    return inverses * ((k - 1) * (size * e + k - size) / (e - 1)) ** 2 / (k * size * (k - size))


def two_nets(k: int) -> tuple[float, float]:
    """Return, as `_shares` at ε = 4, the best of nets of order 5 if some have one group more."""
    found = [(math.inf, math.inf)]
    nets = {len(one.blocks) // 5: one for one in blocks_for(2) if one.name.startswith("net-5")}
    for groups, count in itertools.product((3, 4), range(2, 10)):
        less = (5 * (groups + 1) * count - k) // 5
        both = [nets[groups]] * less + [nets[groups + 1]] * (count - less)
        starts = [*itertools.accumulate((net.v for net in both), initial=0)]
        if not 0 < less < count or starts[-1] > 254:
            continue
        members = np.zeros((k, starts[-1]))
        each = ((at, own) for at, net in zip(starts[:-1], both, strict=True) for own in net.blocks)
        for row, (at, own) in zip(members, each, strict=False):
            row[np.add(own, at)] = math.expm1(4)
        C = (members + 1) / (members + 1).sum(axis=1, keepdims=True)
        weighed = C / C.mean(axis=0)
        estimator = np.linalg.solve(weighed @ C.T, weighed)
        average = float((estimator**2).sum(axis=0) @ C.mean(axis=0)) - 1 / k
        best = designs.subset_selection(k, 4)
        found.append((average / best, _at_worst(estimator, C) / best))
    return min(found)


def numbers(counts: Iterable[int] = LEVELS) -> Iterator[str]:
    """Compare the designs of a number with the hybrid one: noise at worst, and on average."""
    yield from markdown(
        ["levels", "design", *(f"ε = {epsilon}" for epsilon in EPSILONS)],
        (
            [str(levels), name, *(_noise(levels, epsilon, told) for epsilon in EPSILONS)]
            for levels in counts
            for name, told in (("`best`", True), ("`mean_only`", False))
        ),
        names=2,
    )


def _noise(levels: int, epsilon: str, told: bool) -> str:
    channel = designs.best_numeric(levels, epsilon, distribution=told)
    noise = noise_of(channel) / hybrid(float(epsilon))
    return f"{noise.mean():.2f} {noise.max():.2f}"


def noise_of(channel: Channel) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the noise in the mean at each level, on a range from -1 to 1."""
    x = np.linspace(-1, 1, channel.truths)
    return np.asarray(channel.probabilities @ for_values(channel, x) ** 2 - x**2)


def hybrid(epsilon: float) -> float:
    """Return the worst noise of the hybrid mechanism (Wang et al. 2019, corollary 1)."""
    e, root = math.exp(epsilon), math.exp(epsilon / 2)
    if epsilon <= 0.61:
        return ((e + 1) / (e - 1)) ** 2
    return (root + 3) / (3 * root * (root - 1)) + (e + 1) ** 2 / (root * (e - 1) ** 2)


def grids() -> Iterator[str]:
    """Compare our grid of outputs with finer ones, at 11 and 21 levels."""
    rows = []
    for levels in (11, 21):
        for epsilon in ("1", "2", "3", "4"):
            own = max(levels, 13)
            found = [least_noise(levels, epsilon, outputs) for outputs in (own, 41, 81)]
            less = f"{100 * (1 - found[2] / found[1]):.2f} %"
            rows.append([str(levels), epsilon, *(f"{t:.4f}" for t in found), less])
    yield from markdown(["levels", "ε", "ours", "41", "81", "81 less than 41"], rows)


def shares(counts: Iterable[int] = range(4, 14)) -> Iterator[str]:
    """Say what the minimax mechanism leaves of the shares: its rank, and how many more people."""
    yield from markdown(
        ["levels", *(f"ε = {epsilon}" for epsilon in "1234")],
        ([str(levels), *(_left(levels, epsilon) for epsilon in "1234")] for levels in counts),
    )


def _left(levels: int, epsilon: str) -> str:
    channel = designs.best_numeric(levels, epsilon, distribution=False)
    rank = np.linalg.matrix_rank(channel.probabilities, rtol=channel.rank_tolerance)
    if rank < levels:
        return f"{rank} –"
    return f"{rank} {variance(channel) / variance(designs.best_k_ary(levels, epsilon)):.1f}"


def least_noise(levels: int, epsilon: str, outputs: int) -> float:
    """Return the least worst noise with so many outputs, by HiGHS."""
    bound = math.exp(Fraction(epsilon))
    y = np.linspace(-1, 1, outputs) * float(REACH) * (bound + 1) / (bound - 1)
    x = np.linspace(-1, 1, levels)
    chances = levels * outputs
    rows: Any = sparse.eye(levels)
    columns: Any = sparse.vstack([sparse.eye(outputs)] * levels)
    nothing = sparse.csr_matrix((levels, outputs))
    less: Any = sparse.bmat(
        [
            [-sparse.eye(chances), columns, None],
            [sparse.eye(chances), -bound * columns, None],
            [sparse.kron(rows, y**2), nothing, sparse.csr_matrix(-np.ones((levels, 1)))],
        ]
    )
    equal: Any = sparse.bmat(
        [
            [sparse.kron(rows, np.ones(outputs)), nothing, sparse.csr_matrix((levels, 1))],
            [sparse.kron(rows, y), nothing, sparse.csr_matrix((levels, 1))],
        ]
    )
    aim = np.append(np.zeros(chances + outputs), 1)
    limits = np.append(np.zeros(2 * chances), x**2)
    right = np.append(np.ones(levels), x)
    found: Any = linprog(aim, less.tocsr(), limits, equal.tocsr(), right)
    return float(found.fun)


if __name__ == "__main__":
    main()
