"""A cell of the grid: one kind of survey, and how often an interval holds the truth there."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

LEVEL: Final = 0.95
AGAIN: Final = 5
"""The worst cell of a kind is drawn once more, with so many times as many surveys."""

Held = tuple[float, float]
"""How often the default interval holds the truth, and how often the textbook's; nan for none."""

Measure = Callable[[int, np.random.Generator], Held]
"""Draws so many surveys. One that sums over all possible surveys draws none."""


@dataclass(frozen=True)
class Case:
    """What is measured in a cell."""

    kind: str  # of what is estimated
    what: str  # is estimated, under which distribution of the truth
    epsilon: str
    n: int  # people
    measure: Measure
    is_exact: bool = False
    part: int = 1  # one of so many surveys is drawn, where each takes long


@dataclass(frozen=True)
class Cell:
    """What was found in a cell."""

    case: Case
    coverage: float
    textbook: float
    surveys: int  # that were drawn; 0 where all possible ones are summed


def measured(case: Case, surveys: int, seed: int) -> Cell:
    """Measure a cell, with random numbers of its own."""
    named = f"{case.kind}, {case.what}, {case.epsilon}".encode()
    count = 0 if case.is_exact else max(1, surveys // case.part)
    return Cell(case, *case.measure(count, np.random.default_rng([seed, case.n, *named])), count)


def worst(cells: Iterable[Cell], seed: int) -> Iterator[Cell]:
    """Find the cell of each kind with the least coverage.

    The least of many drawn figures is too low by chance alone, so a drawn cell is drawn once more,
    by another seed.
    """
    least: dict[str, Cell] = {}
    for cell in cells:
        other = least.setdefault(cell.case.kind, cell)
        if cell.coverage < other.coverage:
            least[cell.case.kind] = cell
    for cell in least.values():
        again = AGAIN * cell.surveys * cell.case.part
        yield measured(cell.case, again, seed + 1) if cell.surveys else cell


def drawn(draw: Callable[[np.random.Generator], Held]) -> Measure:
    """Count how often the intervals of one survey after the other hold the truth.

    A survey that tells no interval is left out; it draws nan.
    """

    def measure(surveys: int, random: np.random.Generator) -> Held:
        held = np.array([draw(random) for _ in range(surveys)])
        told = ~np.isnan(held[:, 0])
        first, second = held[told].mean(axis=0)
        return float(first), float(second)

    return measure


def holds(ends: Iterable[float], truth: float) -> float:
    """Return 1 if an interval holds the truth, and 0 if it misses it."""
    low, high = ends
    return float(low - 1e-9 <= truth <= high + 1e-9)
