"""What is likely of one coefficient of a latent-class model: its profile likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

import numpy as np
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.regression.latent_class import EmptyClassError, LatentClassAt, maximise

# The share of a class from which the way to its boundary is tried.
_HARDLY_ANY: Final = 0.02

# How near an end of an interval is found, in standard errors.
_NEAR: Final = 1e-4

# So many standard errors away a coefficient is as good as infinite.
_FAR: Final = 1e4

# How much further from the estimate each stage of a search is than the one before.
_GROWTH: Final = 2.0


@dataclass(frozen=True, eq=False)
class Profile:
    """How likely the values of one coefficient are, all other parameters being at their best.

    `best`: the maximum. `others`: the parameters of other maxima. `row`, shape (size,): by which
    parameters make the coefficient. `standard_error`: of the coefficient, as a first step. `reach`:
    how far from 0 it can be.
    """

    best: LatentClassAt
    others: tuple[FloatArray, ...]
    row: FloatArray
    standard_error: float
    reach: float

    @property
    def estimate(self) -> float:
        """The coefficient's most likely value."""
        return float(self.row @ self.best.parameters)

    @cached_property
    def lost(self) -> Callable[[float], float]:
        """Return the function that computes the loss of the greatest log-likelihood at a value."""
        along = scipy.linalg.null_space(self.row[np.newaxis])
        likelihood = self.best.likelihood
        empty = [_hardly_any(self.best, x) for x in range(len(likelihood.D))]

        def search(start: FloatArray, value: float) -> LatentClassAt:
            at_value = start + self.row * (value - self.row @ start) / (self.row @ self.row)
            return maximise(likelihood, at_value, along)

        @cache
        def stage(number: int) -> FloatArray:
            """Return the solution at a stage of the way from the estimate to a value."""
            if number == 0:
                return self.best.parameters
            before = stage(number - 1 if number > 0 else number + 1)
            try:
                far = math.copysign((_GROWTH ** abs(number) - 1) * self.standard_error, number)
                return search(before, self.estimate + far).parameters
            except ConvergenceError:
                return before

        @cache
        def lost(value: float) -> float:
            heights = []
            # The starts depend on the value alone: else the answer would on what was asked before.
            stages = {0, self._stages_to(value)}
            for start in (*map(stage, stages), *self.others, *empty):
                try:
                    heights.append(search(start, value).log_likelihood)
                except EmptyClassError as empty_class:
                    heights.append(empty_class.supremum)
                except ConvergenceError:
                    continue
            if not heights:
                raise ConvergenceError(f"expected a maximum at a coefficient of {value:g}")
            return max(self.best.log_likelihood - max(heights), 0.0)

        return lost

    def _stages_to(self, value: float) -> int:
        """Return the last stage on the way to a value; negative below the estimate."""
        apart = value - self.estimate
        errors = abs(apart) / self.standard_error if self.standard_error > 0 else 0.0
        return int(math.copysign(math.log1p(min(errors, _FAR)) // math.log(_GROWTH), apart))

    def ends(self, least: float) -> tuple[float, float]:
        """Return the last values on either side that lose no more than this."""
        low, high = (self._end(side, math.sqrt(2 * least)) for side in (-1, 1))
        return low, high

    @property
    def furthest(self) -> float:
        """How far from 0 an end can be."""
        return max(self.reach, abs(self.estimate))

    def _end(self, side: int, z: float) -> float:
        limit = side * self.furthest

        # Nearly a line in the coefficient.
        def root(value: float) -> float:
            return math.sqrt(2 * self.lost(value)) - z

        inside, step = self.estimate, z * self.standard_error
        while abs(inside - self.estimate) < _FAR * self.standard_error:
            outside = inside + side * step
            if side * (outside - limit) >= 0:
                if root(limit) <= 0:
                    return limit
                outside = limit
            if root(outside) > 0:
                near = _NEAR * self.standard_error
                return float(scipy.optimize.brentq(root, inside, outside, xtol=near))
            inside, step = outside, 1.5 * step
        return side * math.inf


def _hardly_any(point: LatentClassAt, empty: int) -> FloatArray:
    """Return parameters with the chance of a class close to 0."""
    likelihood = point.likelihood
    shares = likelihood.each @ point.class_probabilities / likelihood.n
    shares[empty] = min(_HARDLY_ANY, float(shares[empty]))
    wanted = np.broadcast_to(np.log(shares[1:] / shares[0]), (len(likelihood.y), len(shares) - 1))
    classes = likelihood.least_squares(likelihood.W, wanted)
    return np.concatenate([point.parameters[: likelihood.class_start], classes.T.ravel()])
