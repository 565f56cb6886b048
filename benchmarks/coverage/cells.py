"""A cell of the grid: one kind of survey, and how often its interval holds the truth."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

LEVEL: Final = 0.95
AGAIN: Final = 5
"""The worst cell of a kind is drawn once more, with this many times as many surveys: the least of
many drawn figures is too low by chance alone."""

Held = tuple[float, float]
"""How often the default interval holds the truth, and how often the textbook's; nan for none.

An interval holds what its test does not reject: where finding its ends takes longer, that is asked.
"""

Measure = Callable[[int, np.random.Generator], Held]
"""Draws the given number of surveys; a sum over all possible surveys draws none."""


@dataclass(frozen=True)
class Case:
    """The surveys of a cell, and their measurement."""

    kind: str  # of the estimate, such as a share
    what: str  # the estimate, and the distribution of the truth
    epsilon: str
    n: int  # people
    measure: Measure
    is_exact: bool = False
    part: int = 1  # the divisor of the number of surveys, where each takes long


@dataclass(frozen=True)
class Cell:
    """The coverage that was measured in a cell."""

    case: Case
    coverage: float
    textbook: float
    surveys: int  # drawn ones; 0 for a sum over all possible surveys


def measured(case: Case, surveys: int, seed: int) -> Cell:
    """Measure a cell, with its own seed."""
    named = f"{case.kind}, {case.what}, {case.epsilon}".encode()
    count = 0 if case.is_exact else max(1, surveys // case.part)
    return Cell(case, *case.measure(count, np.random.default_rng([seed, case.n, *named])), count)


def worst(cells: Iterable[Cell], seed: int) -> Iterator[Cell]:
    """Yield the cell of each kind with the least coverage, drawn once more with another seed."""
    least: dict[str, Cell] = {}
    for cell in cells:
        other = least.setdefault(cell.case.kind, cell)
        if cell.coverage < other.coverage:
            least[cell.case.kind] = cell
    for cell in least.values():
        again = AGAIN * cell.surveys * cell.case.part
        yield measured(cell.case, again, seed + 1) if cell.surveys else cell


def drawn(draw: Callable[[np.random.Generator], Held]) -> Measure:
    """Return a measure that draws surveys one by one, without those of no interval (nan)."""

    def measure(surveys: int, random: np.random.Generator) -> Held:
        held = np.array([draw(random) for _ in range(surveys)])
        told = ~np.isnan(held[:, 0])
        first, second = held[told].mean(axis=0)
        return float(first), float(second)

    return measure


def holds(ends: Iterable[float], truth: float) -> float:
    """Return 1 if an interval holds the truth, and 0 if it misses it."""
    low, high = ends
    return float(low <= truth <= high)
