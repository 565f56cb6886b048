"""One of many answers in one byte: each answer raises the probability of a block of reports.

The more answers, the more seldom k-ary randomised response keeps the truth. It is better to report
a *set* of answers that holds the truth more often than not, and best to choose its size well. That
is subset selection, which is optimal: with few answers its sets fit into a byte. With more answers,
a symmetric design has only as many blocks as reports, and loses next to nothing. With many answers
and a large ε, several groups of answers have a small design each, with separate reports.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.channel import MAX_REPORTS, ROW_SUM, Channel
from deniable.designs.categorical import k_ary
from deniable.designs.difference_sets import DifferenceSet, catalogue
from deniable.designs.named import named
from deniable.exact import Number

__all__ = ["best_k_ary", "block_design", "blocks_for", "subset_selection", "total_variance"]

# Variances within this factor count as equal: rounding differs between machines.
_ALIKE: Final = 1 + 1e-9


@dataclass(frozen=True)
class BlockDesign:
    """Blocks of equally many reports, any two of one copy with equally many in common.

    `name`: the difference set, with ``-residual`` if a point is missing; or ``family`` or
    ``subsets`` with the number of answers, and of answers in a set; or ``net`` with its order and
    the number of its groups; then ``copies`` with their number, if above 1. `v`: number of reports.
    `m`: number of reports in a block. `index`: λ, the number of reports that two blocks have in
    common. `blocks`: the reports of each block, in ascending order. `copies`: the number of smaller
    designs, without common reports, to which the blocks belong in turn.
    """

    name: str
    v: int
    m: int
    index: int
    blocks: tuple[tuple[int, ...], ...] = field(repr=False, compare=False)
    copies: int = 1


def _symmetric(differences: DifferenceSet) -> BlockDesign:
    """Return the design of all translates of a difference set, with as many blocks as reports."""
    blocks = tuple(differences.block(x) for x in range(differences.v))
    return BlockDesign(differences.name, differences.v, differences.m, differences.index, blocks)


def _residual(differences: DifferenceSet) -> BlockDesign:
    """Return the design of the translates that lack the point 0, over the other points."""
    whole = _symmetric(differences)
    blocks = (tuple(point - 1 for point in block) for block in whole.blocks if 0 not in block)
    return replace(whole, name=f"{whole.name}-residual", v=whole.v - 1, blocks=tuple(blocks))


def _family(k: int, sets: Sequence[tuple[int, ...]]) -> BlockDesign:
    """Return the design whose reports are all translates, modulo k, of a few sets of answers."""
    reports = [{(x + move) % k for x in one} for one in sets for move in range(k)]
    blocks = tuple(tuple(i for i, each in enumerate(reports) if x in each) for x in range(k))
    return BlockDesign(f"family-{k}-{len(sets[0])}", len(reports), len(blocks[0]), 1, blocks)


# Abel, R. J. R. and Buratti, M. (2007). Difference families. In: Handbook of combinatorial designs,
# 2nd ed., chapter VI.16. Each residue but 0 is once a difference within one of the sets.
_FAMILIES: Final[dict[int, list[tuple[int, ...]]]] = {
    37: [(0, 1, 3, 24), (0, 4, 26, 32), (0, 10, 18, 30)],
    49: [(0, 1, 3, 8), (0, 4, 18, 29), (0, 6, 21, 33), (0, 9, 19, 32)],
    61: [(0, 1, 3, 13, 34), (0, 4, 9, 23, 45), (0, 6, 17, 24, 32)],
}


# Primes whose nets of three groups fit a byte.
_ORDERS: Final = (3, 5, 7, 11, 13)


def _net(order: int, groups: int) -> BlockDesign:
    """Return the lines of a plane of prime order, each with its group of parallels, as blocks."""
    points = order**2
    blocks = tuple(
        (*((x * order + (place - x * group) % order) for x in range(order)), points + group)
        for group in range(groups)
        for place in range(order)
    )
    return BlockDesign(f"net-{order}-{groups}", points + groups, order + 1, 1, blocks)


def copies(design: BlockDesign, count: int) -> BlockDesign:
    """Return a design for `count` times as many answers, which take turns in the copies."""
    blocks = tuple(
        tuple(copy * design.v + report for report in block)
        for block in design.blocks
        for copy in range(count)
    )
    name = f"{design.name}-copies-{count}"
    return BlockDesign(name, count * design.v, design.m, design.index, blocks, count)


@lru_cache(maxsize=64)
def _copies(k: int) -> tuple[BlockDesign, ...]:
    """Return as many copies of each small design as k answers need, if their reports fit a byte."""
    small = [*_designs(), *(each for answers in range(4, 17) for each in _subsets(answers))]
    needed = [(design, -(-k // len(design.blocks))) for design in small]
    return tuple(
        copies(design, count)
        for design, count in needed
        if count > 1 and count * design.v < MAX_REPORTS
    )


@lru_cache(maxsize=64)
def _subsets(k: int) -> tuple[BlockDesign, ...]:
    """Return subset selection of k answers with every size that may be best and fits a byte."""
    made = []
    for d in range(2, k // 2 + 1):  # a size above half of k is never best
        if math.comb(k, d) >= MAX_REPORTS:  # one report is left free: 254 may mean "not drawn"
            break
        sets = list(combinations(range(k), d))
        blocks = tuple(tuple(i for i, each in enumerate(sets) if x in each) for x in range(k))
        m, index = math.comb(k - 1, d - 1), math.comb(k - 2, d - 2)
        made.append(BlockDesign(f"subsets-{k}-{d}", len(sets), m, index, blocks))
    return tuple(made)


@lru_cache(maxsize=1)
def _designs() -> tuple[BlockDesign, ...]:
    made = [make(differences) for differences in catalogue() for make in (_symmetric, _residual)]
    made += [_family(k, sets) for k, sets in _FAMILIES.items()]
    made += [_net(order, groups) for order in _ORDERS for groups in range(3, order + 1)]
    return tuple(sorted(made, key=lambda design: (design.v, design.m)))


def blocks_for(k: int) -> tuple[BlockDesign, ...]:
    """List the block designs that have a block for each of k answers.

    `k`: 2 to 255. Result: sorted by the number of reports, then by the size of a block.

    Examples
    --------
    >>> [(design.name, design.v, design.m, design.index) for design in blocks_for(16)[:3]]
    [('paley-19', 19, 9, 4), ('paley-19-complement', 19, 10, 5), ('planar-21-residual', 20, 5, 1)]
    >>> [design.name for design in blocks_for(183) if (design.v, design.copies) == (240, 8)]
    ['planar-31-residual-copies-8', 'net-5-5-copies-8']
    """
    if not 2 <= k <= MAX_REPORTS:
        raise ValueError(f"expected 2 to {MAX_REPORTS} answers, found {k}")
    fitting = [design for design in _designs() if len(design.blocks) >= k]
    found = [*fitting, *_subsets(k), *_copies(k)]
    return tuple(sorted(found, key=lambda design: (design.v, design.m)))


@named(epsilon="1", k="5")
def block_design(k: int, epsilon: Number, blocks: str | None = None) -> Channel:
    r"""Send a report from the block of one's true answer, or less often one from outside it.

    Answer x has a block of m reports: the translate ``D + x`` of a difference set D modulo v, one
    of those translates that lack a point, a line of a net, or the sets that contain x, in a
    difference family or among all sets of d answers; or such a block in one of several copies of a
    design. Each report in the block is :math:`e^\epsilon` times as likely as each report outside
    it.

    Parameters
    ----------
    k : int
        Number of answers, 2 to 255.
    epsilon : number
        The privacy loss to stay within, above 0.
    blocks : str, optional
        Name of one of `blocks_for`; by default the one of least total variance.

    Notes
    -----
    Truths: the k answers. Reports: the v points of the design.
    With as many answers as blocks, and ``P = e^ε / (m e^ε + v − m)`` and ``Q = P / e^ε`` the
    probabilities of a report inside and outside the block, the share of answer x is estimated by
    ``(share of reports in its block − λP − (m − λ)Q) / ((m − λ)(P − Q))``. With fewer answers than
    blocks, a net or copies the estimator of least variance has no such short form.

    References
    ----------
    Park, H.-Y., Nam, S.-H. and Lee, S.-H. (2023). Exactly optimal and communication-efficient
    private estimation via block designs. arXiv:2305.01261, section III.
    Acharya, J., Sun, Z. and Zhang, H. (2019). Hadamard response: estimating distributions
    privately, efficiently, and with little communication. AISTATS.

    Examples
    --------
    >>> channel = block_design(4, 1, "hadamard-7")
    >>> channel.probabilities.round(3)
    array([[0.082, 0.082, 0.082, 0.224, 0.082, 0.224, 0.224],
           [0.224, 0.082, 0.082, 0.082, 0.224, 0.082, 0.224],
           [0.224, 0.224, 0.082, 0.082, 0.082, 0.224, 0.082],
           [0.082, 0.224, 0.224, 0.082, 0.082, 0.082, 0.224]])
    >>> channel.epsilon
    1.0
    """
    designs = blocks_for(k)
    asked = exact.epsilon_above_0(epsilon)
    if blocks is None:
        design = _least(designs, k, asked)
    else:
        named = {design.name: design for design in designs}
        if blocks not in named:
            raise ValueError(
                f"expected one of the block designs for {k} answers ({', '.join(named)}), "
                f"found {blocks!r}"
            )
        design = named[blocks]
    return _channel(design, k, asked)


@named(epsilon="1", k="5")
def best_k_ary(k: int, epsilon: Number) -> Channel:
    """Build the channel for one of k answers that estimates their shares best at this ε.

    Among the designs of `blocks_for` and `k_ary` it is the one of least `total_variance`: k-ary
    randomised response where answers are few or ε is large, otherwise subset selection where it has
    at most 254 sets. Truths: the k answers. There may be more reports, up to 255.

    Notes
    -----
    At ε = 1 the total variance is this many times that of subset selection, the least possible
    (Ye and Barg 2018):

    ==============  ====  ====  ====  ====  ====  ====  ====
    answers           10    13    16    20    31    64   100
    ==============  ====  ====  ====  ====  ====  ====  ====
    `best_k_ary`    1.00  1.00  1.00  1.01  1.01  1.00  1.00
    `k_ary`         1.40  1.65  1.92  2.28  3.28  6.30  9.61
    ==============  ====  ====  ====  ====  ====  ====  ====

    References
    ----------
    Ye, M. and Barg, A. (2018). Optimal schemes for discrete distribution estimation under locally
    differential privacy. IEEE Transactions on Information Theory 64, 5662-5676.
    Park, Nam and Lee (2023), see `block_design`.

    Examples
    --------
    >>> best_k_ary(20, 1).reports, best_k_ary(4, 1) == k_ary(4, 1)
    (21, True)
    """
    asked = exact.epsilon_above_0(epsilon)
    blocks = _least(blocks_for(k), k, asked)
    if _k_ary_variance(k, asked) <= total_variance(blocks, k, asked) * _ALIKE:
        return k_ary(k, asked)
    return _channel(blocks, k, asked)


def _least(designs: Sequence[BlockDesign], k: int, epsilon: Fraction) -> BlockDesign:
    """Return the design of least total variance; among equals, the one with fewest reports."""
    found: dict[BlockDesign, float] = {}
    bounds = {design: _at_least(design, k, epsilon) for design in designs}
    for design, bound in sorted(bounds.items(), key=itemgetter(1)):
        if found and bound > min(found.values()) * _ALIKE:
            break
        found[design] = total_variance(design, k, epsilon)
    least = min(found.values()) * _ALIKE
    return next(design for design in designs if found.get(design, math.inf) <= least)


def _at_least(design: BlockDesign, k: int, epsilon: Fraction) -> float:
    """Return a lower bound of `total_variance`, quickly: as if all its eigenvalues were equal.

    Their sum within copies is greatest if all reports are equally likely, because it is concave in
    the number of answers that have a report. The unknown eigenvalues between copies are left out.
    """
    odds, gain = math.exp(-epsilon), -math.expm1(-epsilon)
    v, m, count = design.v, design.m, design.copies
    total = k * m * (1 - count * m / v) / (odds + gain * m / v)
    return (m + (v - m) * odds) / gain**2 * (k - count) ** 2 / total


def subset_selection(k: int, epsilon: float) -> float:
    r"""Return the `total_variance` of subset selection, the least that any mechanism has.

    Notes
    -----
    With sets of d answers it is :math:`((k - 1)(d e^\epsilon + k - d) / (e^\epsilon - 1))^2 / (k d
    (k - d))`, and d is the best one.

    References
    ----------
    Ye and Barg (2018), see `best_k_ary`.

    Examples
    --------
    >>> round(subset_selection(17, 2), 4)
    10.9041
    """
    odds, gain = math.exp(-epsilon), -math.expm1(-epsilon)
    return min(
        ((k - 1) * (d + (k - d) * odds) / gain) ** 2 / (k * d * (k - d)) for d in range(1, k)
    )


@lru_cache(maxsize=4096)
def total_variance(design: BlockDesign, k: int, epsilon: Fraction) -> float:
    r"""Sum, over the answers, the variances of their estimated shares, for one report.

    `k`: from 2 to the number of blocks; the first k are used. Result: ``n Σ_x Var(θ̂_x)`` of the
    least-variance estimator when all answers are equally likely.

    Notes
    -----
    With C the channel's probabilities, D the probabilities of the reports and ``M = C D⁻¹ Cᵀ``, the
    sum is ``tr M⁻¹ − 1/k``. The rows of C add up to ``k D``, so that the vector of ones is an
    eigenvector of M with eigenvalue k, whose inverse the ``− 1/k`` takes away. For vectors
    orthogonal to it the constant part of C drops out, and only the blocks count: that keeps the sum
    accurate at a small ε, where the rows of C are nearly equal. With as many answers as a symmetric
    design has blocks it is ``(k − 1)(m e^ε + v − m)² / (v (m − λ)(e^ε − 1)²)``.
    """
    members = _incidence(design, k).astype(np.float64)
    members = members[:, members.any(axis=0)]
    odds = math.exp(-epsilon)
    gain = -math.expm1(-epsilon)
    # Probabilities times Z: 1 in the block, `odds` outside, so no large ε overflows.
    Z = design.m + (design.v - design.m) * odds
    D = odds + gain * members.mean(axis=0)
    centred = members - members.mean(axis=0)
    eigenvalues = np.linalg.eigvalsh((centred / D) @ centred.T)[1:]
    return float(Z / gain**2 * (1 / eigenvalues).sum())


def _k_ary_variance(k: int, epsilon: Fraction) -> float:
    odds, gain = math.exp(-epsilon), -math.expm1(-epsilon)
    return (k - 1) * (1 + (k - 1) * odds) ** 2 / (k * gain**2)


def _channel(design: BlockDesign, k: int, epsilon: Fraction) -> Channel:
    v, m = design.v, design.m
    # Rounded up outside and down inside, so that no ratio is above e^epsilon. The rest, less than
    # m, is spread over the reports outside.
    outside = math.ceil(ROW_SUM / (m * exact.exp_lower(epsilon) + v - m))
    inside, rest = divmod(ROW_SUM - (v - m) * outside, m)
    shared, extra = divmod(rest, v - m)
    if inside <= outside + shared + 1:
        raise ValueError(
            f"with {k} answers an epsilon of {float(epsilon):g} is too close to no information at "
            "all for weights of 32 bits: expected a larger one"
        )
    rows = []
    for member in _incidence(design, k):
        others = iter([outside + shared + 1] * extra + [outside + shared] * (v - m - extra))
        rows.append([inside if is_member else next(others) for is_member in member])
    return Channel(rows)


def _incidence(design: BlockDesign, k: int) -> npt.NDArray[np.bool_]:
    """Return whether each report is in the block of each of the first k answers: (k, reports)."""
    members = np.zeros((k, design.v), dtype=np.bool_)
    for x, block in enumerate(design.blocks[:k]):
        members[x, block] = True
    return members
