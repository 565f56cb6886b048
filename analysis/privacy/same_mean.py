"""Whether the mean and standard error of a direct number reveal a small cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import IntArray
from deniable.analysis.numerics.remembered import remembered
from deniable.analysis.privacy.disclosure import LEAST

_SEARCHED: Final = 21
"""Most answers of a number for a search over all tables: with more the search takes long."""


def mean_tells_cells(
    values: npt.ArrayLike,
    counts: npt.ArrayLike,
    least: int = LEAST,
    told: Sequence[npt.NDArray[np.bool_]] = (),
) -> bool:
    """Return whether the mean of a direct number reveals how many people gave a rare answer.

    Returns
    -------
    bool
        Whether, of all tables with as many people in all and in the groups of `told`, the same mean
        and the same standard error, none has nobody in the cell of some rare answer, or none has
        at least `least` people in it, by integer programming (HiGHS). For a number with more than
        21 answers, only tables are tried that differ for a few people, or within 21 answers, the
        nearest and the most common ones: so the result may be True for a mean that reveals nothing,
        never the reverse.
    """
    numbers, people = np.asarray(values, dtype=np.float64), np.asarray(counts)
    groups = np.array([*told], dtype=bool).reshape(-1, len(people))
    return remembered(
        lambda: _tells_cells(numbers, people, least, groups),
        *("mean tells cells", numbers, people, least, groups),
    )


def _tells_cells(
    numbers: npt.NDArray[np.float64], people: IntArray, least: int, told: npt.NDArray[np.bool_]
) -> bool:
    are_numbers = ~np.isnan(numbers)
    numbers, people = numbers[are_numbers], people[are_numbers]
    groups = told[:, are_numbers]
    steps = (numbers - numbers.min(initial=0)) / np.diff(np.unique(numbers)).min(initial=np.inf)
    rare = (people > 0) & (people < least)
    can_be_empty, can_be_large = ~rare, ~rare
    for cell in np.flatnonzero(rare).tolist():
        near = np.argsort(np.abs(np.arange(len(people)) - cell), kind="stable")
        common = np.argsort(-people, kind="stable")
        chosen = list(dict.fromkeys([*near[: _SEARCHED // 2 + 1], *common, *near]))[:_SEARCHED]
        for could, low, high in ((can_be_empty, 0, 0), (can_be_large, least, np.inf)):
            if len(people) > _SEARCHED and not could[cell]:
                for table in _tables_in_steps(steps, people, groups, cell, 1 if low else -1):
                    can_be_empty |= table == 0
                    can_be_large |= table >= least
                    if could[cell]:
                        break
            if could[cell]:
                continue
            found = _other_table(steps[chosen], people[chosen], groups[:, chosen], low, high)
            if found is None:
                return True
            can_be_empty[chosen] |= found == 0
            can_be_large[chosen] |= found >= least
    return False


def _tables_in_steps(
    steps: npt.NDArray[np.float64],
    people: IntArray,
    groups: npt.NDArray[np.bool_],
    cell: int,
    more: int,
) -> Iterator[IntArray]:
    """Yield tables with equal sums up to squares, each with one person more, or less, in a cell.

    In each step three people answer otherwise: of two answers beside the cell's and one of the
    three that replace them, the other two follow.
    """
    places, table = np.rint(steps).astype(np.int64), people.copy()
    at = np.full(places.max() + 1, -1)
    at[places] = np.arange(len(places))
    counted = groups.astype(np.int64)
    one, other = np.triu_indices(len(places))
    while True:
        there, offered = table.copy(), np.full(len(places), 3)
        there[cell] = offered[cell] = 0
        old, new = (there, offered) if more < 0 else (offered, there)
        pairs = np.flatnonzero((old[one] > (one == other)) & (old[other] > 0))
        three = np.stack([np.full(len(pairs), cell), one[pairs], other[pairs]])
        total, squares = places[three].sum(axis=0), (places[three] ** 2).sum(axis=0)
        for first in np.argsort(-new, kind="stable")[: np.count_nonzero(new)]:
            rest = total - places[first]
            apart = 2 * (squares - places[first] ** 2) - rest**2
            between = np.rint(np.sqrt(apart.clip(0))).astype(np.int64)
            low, high = (rest - between) // 2, (rest + between) // 2
            fits = np.flatnonzero((between**2 == apart) & (low >= 0) & (high < len(at)))
            those = np.stack([np.full(len(fits), first), at[low[fits]], at[high[fits]]])
            is_free = (those >= 0).all(axis=0)
            for place in range(3):
                is_free &= new[those[place]] >= (those == those[place]).sum(axis=0)
            is_free &= (
                counted[:, three[:, fits]].sum(axis=1) == counted[:, those].sum(axis=1)
            ).all(axis=0)
            if is_free.any():
                found = int(np.flatnonzero(is_free)[0])
                np.add.at(table, three[:, fits[found]], more)
                np.subtract.at(table, those[:, found], more)
                yield table
                break
        else:
            return


def _other_table(
    steps: npt.NDArray[np.float64],
    people: IntArray,
    groups: npt.NDArray[np.bool_],
    low: float,
    high: float,
) -> IntArray | None:
    """Return a table with equal sums up to squares, its first cell in a range; None if none."""
    told = np.vstack([np.ones(len(people)), steps, steps**2, groups])
    lows, highs = np.zeros(len(people)), np.full(len(people), np.inf)
    lows[0], highs[0] = low, high
    found = scipy.optimize.milp(
        np.zeros(len(people)),
        integrality=np.ones(len(people), dtype=np.int64),
        bounds=scipy.optimize.Bounds(lows, highs),
        constraints=scipy.optimize.LinearConstraint(told, told @ people, told @ people),
        options={"node_limit": 1000},  # a mean that takes longer is hidden
    )
    if found.x is None:
        return None
    table: IntArray = np.rint(found.x).astype(np.int64)
    # A version of HiGHS returns tables whose sums differ (scipy 1.16: by two people).
    is_one = low <= table[0] <= high and np.allclose(told @ table, told @ people, rtol=1e-12)
    return table if is_one else None
