"""The mechanism for a number whose mean has the least noise in the worst case: a linear programme.

Its solution is in integers, so that every machine and every version finds the same table.
"""

from __future__ import annotations

import math
from collections import deque
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from deniable.channel import ROW_SUM, Channel
from deniable.designs.named import named
from deniable.designs.rounding import asked_of, coarsened, rounded
from deniable.exact import Number

__all__ = ["minimax"]

MOST_LEVELS: Final = 21
"""The most levels of a programme: numbers with more levels are mixed from its rows."""

LEAST_OUTPUTS: Final = 13
"""The least number of outputs, also for fewer levels."""

REACH: Final = Fraction(5, 4)
"""The range of the outputs as a multiple of that of `deniable.designs.two_point`'s two reports."""

_NOTHING: Final = (0, 0, 0)

_ROUNDED: Final = (1e-11, 1e-9, 1e-7)
"""Tolerances below which floating point counts as 0; with one of them the search may cycle."""

_MOST_STEPS: Final = 5000

_Numbers = npt.NDArray[Any]


class _Variable(NamedTuple):
    """A variable that may enter the basis, and its column: how the basis makes up for it."""

    place: int
    pattern: _Numbers
    costs: _Numbers
    column: _Numbers


@named(epsilon="1", levels="5")
def minimax(levels: int, epsilon: Number) -> Channel:
    r"""Report an output of a wider grid, such that the worst noise in the mean is least.

    Notes
    -----
    Truths: the levels. Reports: the outputs of the grid with a positive probability.
    The levels :math:`x_i` are evenly spaced on [-1, 1], the outputs :math:`y_j`, 13 or as many as
    there are levels, on :math:`\pm \tfrac54 (\beta + 1) / (\beta - 1)`, where :math:`\beta` is
    :math:`e^\epsilon` rounded down to a multiple of 2^-32. The table :math:`P(j | i)` minimises
    the worst variance :math:`\max_i \sum_j P(j | i) y_j^2 - x_i^2`, where

    .. math::

        \sum_j P(j | i) = 1, \quad \sum_j P(j | i) y_j = x_i, \quad
        m_j \le P(j | i) \le \beta m_j.

    Among several such tables, symmetric in small and large, it is the one of the least sum of these
    variances; among several of these, the first in the order of their entries, row by row. It is
    rounded to integers like all designs. With fewer reports than levels, the mean is identifiable,
    and the shares of the levels are not. More than 21 levels are `coarsened` to 21.

    References
    ----------
    Dantzig, G. B., Orden, A. and Wolfe, P. (1955). The generalized simplex method for minimizing a
    linear form under linear inequality restraints. Pacific Journal of Mathematics 5, 183-195: the
    rule that lets the search end.
    Bareiss, E. H. (1968). Sylvester's identity and multistep integer-preserving Gaussian
    elimination. Mathematics of Computation 22, 565-578: its steps in integers.

    Examples
    --------
    >>> minimax(5, 1).probabilities.round(2)
    array([[0.26, 0.17, 0.28, 0.04, 0.1 , 0.06, 0.1 ],
           [0.13, 0.17, 0.28, 0.1 , 0.18, 0.06, 0.1 ],
           [0.1 , 0.08, 0.28, 0.1 , 0.28, 0.08, 0.1 ],
           [0.1 , 0.06, 0.18, 0.1 , 0.28, 0.17, 0.13],
           [0.1 , 0.06, 0.1 , 0.04, 0.28, 0.17, 0.26]])
    """
    _, bound = asked_of(levels, epsilon)
    if levels > MOST_LEVELS:
        return coarsened(minimax(MOST_LEVELS, epsilon), levels)
    # A ratio above a million would add no relevant precision, and make the integers much larger.
    most = min(math.floor(bound * ROW_SUM), 2**52)
    return rounded(_table(levels, most), bound)


@lru_cache(maxsize=256)
def _table(levels: int, most: int) -> list[list[Fraction]]:
    """Return the table, in parts of 2^32, without the outputs that no truth sends."""
    half = _begun(levels, most).solved()
    rows = [*half, *(row[::-1] for row in half[: levels // 2][::-1])]
    used = [output for output, column in enumerate(zip(*rows, strict=True)) if any(column)]
    return [[ROW_SUM * row[output] for output in used] for row in rows]


def _begun(levels: int, most: int) -> _Programme:
    """Return the programme in integers, begun at the end of a floating-point search if feasible."""
    alike = [one for one in (*_ENDS,) if one.levels == levels]
    near = min(alike, key=lambda one: abs(math.log(one.most / most)), default=None)
    for start, nothing in product(dict.fromkeys((near, None)), _ROUNDED):
        sketch, begun = _Programme(levels, most, nothing), _Programme(levels, most)
        if start is not None:
            sketch.begin_near(start)
        for _ in range(_MOST_STEPS):
            entering = sketch.improving()
            if entering is None:
                break
            sketch.exchange(entering)
        if begun.begin_at(sketch):
            _ENDS.append(sketch)
            return begun
    return _Programme(levels, most)


class _Programme:
    """The programme in rows of the lower half, solved by the simplex method.

    A variable is a *pattern*: an output and its mirror image, with a weight of 1 or β for each
    truth. The tables that keep ε are the sums of patterns. The basis has one variable for each
    equation: each row's sum, mean, and variance beside the worst. The inverse of its matrix is
    ``A / D`` and its solution ``x / D``, all integers. A search in floating point, where D is 1,
    only finds the start of the search in integers.
    """

    def __init__(self, levels: int, most: int, nothing: float = 0) -> None:
        self.nothing = nothing
        self.exact = exact = not nothing
        self.levels, self.most = levels, most
        # In floating point all numbers are at most about 1.
        self.weights = (ROW_SUM, most) if exact else (ROW_SUM / most, 1.0)
        self.outputs = max(levels, LEAST_OUTPUTS)
        self.half = (levels + 1) // 2
        self.middle = levels // 2 if levels % 2 else self.half
        # An output's class is it and its mirror image. The middle row is its own mirror image.
        entries = sorted(
            (min(j, self.outputs - 1 - j), i, j)
            for i in range(self.half)
            for j in range(self.outputs if i != self.middle else (self.outputs + 1) // 2)
        )
        self.of, self.row, self.output = np.array(entries).T
        self.starts = np.flatnonzero(np.diff(self.of, prepend=-1))
        self.in_order = np.lexsort((self.output, self.row))
        k = self.outputs - 1 - 2 * self.output
        of_middle = self.row == self.middle
        twice = np.where(of_middle & (k != 0), 2, 1)
        means = levels // 2
        self.rows = 2 * self.half + means
        # Each entry is in three equations: of its row's sum, mean and variance.
        self.equations = np.array(
            [self.row, self.half + np.minimum(self.row, means - 1), self.half + means + self.row]
        )
        unit = 1 if exact else self.outputs - 1
        k = k / unit if not exact else k
        self.effects = self._array([twice, np.where(of_middle, 0, k), twice * k**2])
        self.sums = self.effects[2] * np.where(of_middle, 1, 2)
        self.variances = np.arange(self.half + means, self.rows)
        grid = Fraction((self.outputs - 1) * (most - ROW_SUM), (levels - 1) * (most + ROW_SUM))
        grid /= REACH * unit
        x = [(levels - 1 - 2 * i) * grid for i in range(self.half)]
        self.whole = grid.denominator**2 if exact else 1
        right = [Fraction(1)] * self.half + x[:means] + [place**2 for place in x]
        self.x = self._array([value * self.whole for value in right])
        self.D = 1
        # The basis begins with artificial variables, one for each equation, that must become 0.
        self.A = self._array(np.eye(self.rows, dtype=int))
        self.begun = self.A.copy()
        self.held = self._array(np.zeros((self.rows, len(entries)), dtype=int))
        self.costs = self._array(np.zeros((3, self.rows), dtype=int))
        self.costs[0] = 1
        self.places = np.full(self.rows, -1)

    def _array(self, values: Any) -> _Numbers:
        if not self.exact:
            return np.array(values, dtype=np.float64)
        return np.asarray(np.frompyfunc(int, 1, 1)(np.array(values, dtype=object)))

    def solved(self) -> list[list[Fraction]]:
        """Return P(output | truth) of the lower half of the truths."""
        while (entering := self.improving() or self._improving_in_order()) is not None:
            self.exchange(entering)
        table = [[Fraction(0)] * self.outputs for _ in range(self.half)]
        for entry, weight in enumerate(self.x @ self.held):
            chance = Fraction(int(weight), int(self.D) * self.whole)
            table[self.row[entry]][self.output[entry]] = chance
            if self.row[entry] == self.middle:
                table[self.middle][self.outputs - 1 - self.output[entry]] = chance
        return table

    def begin_at(self, other: _Programme) -> bool:
        """Take over a basis from floating point; return whether it is feasible."""
        if not self._takes(other):
            return False
        if self.D < 0:
            self.D, self.A, self.x = -self.D, -self.A, -self.x
        self.begun[:, self.places >= 0] = 0
        for row, place in enumerate(self.places):
            if place >= 0:
                self.begun[:, row] = self._totals(place, self.held[row])
        return bool((self.x >= 0).all())

    def begin_near(self, other: _Programme) -> None:
        """Take over, in floating point, the basis of another ε: most of it usually fits."""
        right = self.x.copy()
        self._takes(other)
        self.x = self.A @ right
        # An artificial variable replaces each negative one. A 0 with a rounding error stays: with
        # an artificial variable in its place the end would not be feasible.
        below = self.x < -_ROUNDED[1]
        self.A[below] *= -1
        self.x = np.maximum(np.where(below, -self.x, self.x), 0)
        self.held[below], self.places[below] = 0, -1
        self.costs[:, below] = [[1], [0], [0]]

    def _takes(self, other: _Programme) -> bool:
        """Exchange this basis for another's; False, in the midst of it, if one finds no pivot."""
        free = np.ones(self.rows, dtype=bool)
        for place, pattern in zip(other.places, other.held, strict=True):
            if place >= 0:
                weights = np.where(pattern == other.weights[1], self.weights[1], self.weights[0])
                entering = self._variable(place, self._array(weights))
                sizes = np.where(free, np.abs(entering.column), 0)
                row = int(sizes.argmax())
                if sizes[row] <= self.nothing:
                    return False
                free[row] = False
                self.exchange(entering, row)
        return True

    def _priced(self) -> tuple[_Numbers, _Numbers, _Numbers]:
        """Return the weights of each output's best pattern, and the reduced cost of each variable.

        The costs, (3, variables), are for the three aims: the equations, the worst variance, and
        the sum of the variances. The third array has the costs by whose sign the weights were
        chosen.
        """
        prices = self.costs @ self.A
        entries = -(prices[:, self.equations] * self.effects).sum(axis=1)
        entries[2] += self.D * self.sums
        if not self.exact:
            entries[np.abs(entries) < self.nothing] = 0
        # In the best pattern each entry with a cost has the weight 1, and each with a gain β.
        sign = np.where(entries[0] != 0, entries[0], np.where(entries[1] != 0, *entries[1:]))
        weights = self._array(np.where(sign < 0, self.weights[1], self.weights[0]))
        slacks = -prices[:, self.variances]
        worst = -slacks.sum(axis=1)
        worst[1] += self.D
        patterns = np.add.reduceat(entries * weights, self.starts, axis=1)
        costs = np.column_stack([patterns, worst, slacks])
        if not self.exact:
            costs[np.abs(costs) < self.nothing] = 0
        return weights, costs, sign

    def improving(self) -> _Variable | None:
        """Return the variable that lowers the aims most, in their order; None at the optimum."""
        weights, costs, _ = self._priced()
        every = [tuple(cost) for cost in costs.T]
        least = min(every)
        return self._variable(every.index(least), weights) if least < _NOTHING else None

    def _improving_in_order(self) -> _Variable | None:
        """Return a variable that costs no aim and lowers the first entry it changes, or None."""
        weights, costs, sign = self._priced()
        for place in map(int, np.flatnonzero(~costs.astype(bool).any(axis=0))):
            for entry in np.flatnonzero((sign == 0) & (self.of == place)):
                one = self._array(np.arange(len(self.of)) == entry)
                if self._first_change(self._column(place, one), one) < 0:
                    weights[entry] = self.weights[1]
            found = self._variable(place, weights)
            if self._first_change(found.column, found.pattern) < 0:
                return found
        return None

    def _variable(self, place: int, weights: _Numbers) -> _Variable:
        """Return a variable by its place: the classes, then the worst variance, then the slacks."""
        pattern = np.where(self.of == place, weights, 0 * weights)
        worst = int(place == len(self.starts))
        costs = self._array([0, worst, (pattern * self.sums).sum()])
        return _Variable(place, pattern, costs, self._column(place, pattern))

    def _column(self, place: int, pattern: _Numbers) -> _Numbers:
        # How the basis makes up for one more of a variable, times D.
        return np.asarray(self.A @ self._totals(place, pattern))

    def _totals(self, place: int, pattern: _Numbers) -> _Numbers:
        """Return the coefficients of a variable in each equation."""
        totals = self._array(np.zeros(self.rows, dtype=int))
        used = np.flatnonzero(pattern)
        for equation, effect in zip(self.equations[:, used], self.effects[:, used], strict=True):
            np.add.at(totals, equation, effect * pattern[used])
        if place == len(self.starts):
            totals[self.variances] = -1
        elif place > len(self.starts):
            totals[self.variances[place - len(self.starts) - 1]] = 1
        return totals

    def _first_change(self, column: _Numbers, pattern: _Numbers) -> int:
        """Return the change, times D, of the first entry of the table that changes; 0 if none."""
        change = (self.D * pattern - column @ self.held)[self.in_order]
        places = np.flatnonzero(change)
        return int(change[places[0]]) if len(places) else 0

    def exchange(self, entering: _Variable, leaving: int | None = None) -> None:
        """Bring a variable into the basis, in place of the first to reach 0 or of `leaving`."""
        column = entering.column
        row = self._first_to_leave(column) if leaving is None else leaving
        pivot = column[row]
        others = np.arange(self.rows) != row
        for part in (self.A, self.x):
            product = np.multiply.outer(column[others], part[row])
            if self.exact:
                part[others] = (pivot * part[others] - product) // self.D
            else:
                part[row] /= pivot
                part[others] -= product / pivot
        if self.exact:
            self.D = pivot
        else:
            self.x = np.maximum(self.x, 0)
        self.held[row] = entering.pattern
        self.costs[:, row] = entering.costs
        self.places[row] = entering.place

    def _first_to_leave(self, column: _Numbers) -> int:
        """Return the place of the leaving variable; among ties, by the lexicographic rule."""
        if not self.exact:
            least = self.nothing
            ratios = np.where(column > least, self.x / np.maximum(column, least), np.inf)
            alike = ratios <= ratios.min() + least
            return int(np.argmax(np.where(alike, column, 0)))
        rows = np.flatnonzero(column > 0)
        for right in (self.x, *(self.A @ self.begun).T):
            exactly = [Fraction(int(right[row]), int(column[row])) for row in rows]
            rows = rows[[ratio == min(exactly) for ratio in exactly]]
            if len(rows) == 1:
                break
        return int(rows[0])


_ENDS: Final = deque[_Programme](maxlen=32)
"""The ends of searches in floating point: a search at a similar ε takes fewer steps from there. The
table does not depend on it."""
