"""Whether the mean and standard error of a direct number reveal a small cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import IntArray
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
        Whether all tables with as many people in all and in the groups of `told`, the same mean and
        the same standard error have as many people in the cell of some rare answer, by integer
        programming (HiGHS). For a number with more than 21 answers, only tables are tried that
        differ for three people, or within 21 neighbouring answers: so the result may be True for a
        mean that reveals nothing, never the reverse.
    """
    numbers, people = np.asarray(values, dtype=np.float64), np.asarray(counts)
    are_numbers = ~np.isnan(numbers)
    numbers, people = numbers[are_numbers], people[are_numbers]
    groups = np.array([one[are_numbers] for one in told]).reshape(-1, len(people))
    steps = (numbers - numbers.min(initial=0)) / np.diff(np.unique(numbers)).min(initial=np.inf)
    rare = (people > 0) & (people < least)
    while rare.any():
        cell = int(np.flatnonzero(rare)[0])
        near = np.argsort(np.abs(np.arange(len(people)) - cell), kind="stable")[:_SEARCHED]
        if len(people) > len(near) and not groups.any() and _three_differ(steps, people, cell):
            rare[cell] = False
            continue
        found = _other_table(steps[near], people[near], groups[:, near])
        if found is None:
            return True
        rare[near] &= found == people[near]
    return False


def _other_table(
    steps: npt.NDArray[np.float64], people: IntArray, groups: npt.NDArray[np.bool_]
) -> IntArray | None:
    """Return a table with equal sums up to squares but another first cell; None if not found."""
    told = np.vstack([np.ones(len(people)), steps, steps**2, groups])
    same = scipy.optimize.LinearConstraint(told, told @ people, told @ people)
    lows, highs = np.zeros(len(people)), np.full(len(people), np.inf)
    for low, high in ((people[0] + 1, np.inf), (0, people[0] - 1)):
        lows[0], highs[0] = low, high
        found = scipy.optimize.milp(
            np.zeros(len(people)),
            integrality=np.ones(len(people), dtype=np.int64),
            bounds=scipy.optimize.Bounds(lows, highs),
            constraints=same,
            options={"node_limit": 1000},  # a mean that takes longer is hidden
        )
        if found.x is not None:
            return np.rint(found.x).astype(np.int64)
    return None


def _three_differ(steps: npt.NDArray[np.float64], people: IntArray, cell: int) -> bool:
    """Return whether three people, one of them in this cell, could all have answered otherwise.

    Their sums up to squares would be equal: given one of the three other answers, the sum and the
    difference of the other two follow.
    """
    places = np.rint(steps).astype(np.int64)
    there = np.isin(np.arange(places.max() + 1), places)
    left = people.copy()
    left[cell] -= 1
    one, other = np.meshgrid(*(np.flatnonzero(left),) * 2, indexing="ij")
    pairs = (one < other) | ((one == other) & (left[one] > 1))
    three = np.stack([np.full(pairs.sum(), cell), one[pairs], other[pairs]])
    total, squares = places[three].sum(axis=0), (places[three] ** 2).sum(axis=0)
    for first in np.setdiff1d(places, places[cell]):
        rest = total - first
        apart = 2 * (squares - first**2) - rest**2
        between = np.rint(np.sqrt(apart.clip(0))).astype(np.int64)
        low, high = (rest - between) // 2, (rest + between) // 2
        fits = (between**2 == apart) & (low >= 0) & (high < len(there))
        fits &= (low != places[cell]) & (high != places[cell])
        if (there[low[fits]] & there[high[fits]]).any():
            return True
    return False
