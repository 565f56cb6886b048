"""What every estimate has: values, their errors, a possible range, and intervals."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from deniable.analysis import intervals
from deniable.analysis.intervals import quotients
from deniable.analysis.numerics.arrays import BoolArray, FloatArray
from deniable.analysis.numerics.levels import check_level, normal_quantile


class Estimated(ABC):
    """Estimated values of any shape, with their errors and intervals.

    Attributes
    ----------
    theta : ndarray
        The estimates. They may be impossible: then they are shown unclipped and `outside` is True.
        nan for a ratio whose divisor may be 0, see `deniable.analysis.intervals.quotients`.
    standard_error : ndarray
        Of `theta`, of the same shape; nan where it is unknown.
    """

    kinds: ClassVar[tuple[str, ...]] = ("wald",)
    """The names of its intervals, of which the first is the default."""

    theta: FloatArray
    standard_error: FloatArray

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest possible value of each estimate; by default of a share."""
        return np.zeros(np.shape(self.theta)), np.ones(np.shape(self.theta))

    @property
    def least(self) -> FloatArray:
        """The least possible value of each estimate: 0 for a share."""
        return self.limits[0]

    @property
    def greatest(self) -> FloatArray:
        """The greatest possible value of each estimate: 1 for a share."""
        return self.limits[1]

    @property
    def outside(self) -> BoolArray:
        """Whether each estimate is impossible; of the shape of `theta`."""
        return intervals.outside(self.theta, *self.limits)

    @property
    def are_ratios(self) -> bool:
        """Whether the intervals are cut by `deniable.analysis.intervals.quotients`."""
        return False

    @property
    def families(self) -> int:
        """How many intervals hold together if all do: of two shares one is the complement."""
        return 1 if np.size(self.theta) == 2 else np.size(self.theta)

    def interval(
        self,
        level: float = 0.95,
        method: str = intervals.DEFAULT,
        *,
        simultaneous: bool = False,
        comparisons: int = 1,
    ) -> FloatArray:
        """Confidence interval of each estimate.

        Parameters
        ----------
        method : str
            How it is computed; the class says which of these it takes. Intervals of a proportion
            (see `analysis.intervals.proportion`) are for estimates that follow from one proportion
            of the reports, and mapped through the channel (see
            `deniable.analysis.intervals.through_channel`).

            - 'auto' : 'feldman-cousins' for each estimate that follows from one proportion, and
              'tail' for the others; see `methods` (default)
            - 'feldman-cousins' : of a proportion; covers at least at its level, and is never empty:
              it holds only possible values, and the estimate if that is impossible
            - 'exact' : Clopper and Pearson's, of a proportion; each end covers at least at its
              level
            - 'wilson' : of a proportion, from the score test; covers at its level on average
            - 'likelihood' : of a proportion, the values that a likelihood-ratio test does not
              reject; beyond one proportion the profile likelihood inside the simplex, which never
              leaves [0, 1] (see `deniable.analysis.likelihood.profile_interval`)
            - 'tail' : inverts the tails of a test, see
              `deniable.analysis.intervals.inversion.tail_interval`
            - 'wald' : the estimate and standard errors to either side; for many reports
        simultaneous : bool
            Whether the intervals of all estimates hold together (Bonferroni).
        comparisons : int
            In how many such objects, including this one, the intervals hold together.

        Returns
        -------
        ndarray, of the shape of `theta` and one axis more, of length 2
            Lower and upper ends, not clipped to the possible range; see `possible_interval`. Those
            of ratios are cut by `deniable.analysis.intervals.quotients`. For 'tail' nan where no
            distribution of the truth agrees with the reports at this level.

        Notes
        -----
        With two truths and two reports, `likelihood` does not use that the rate of a report is
        between its chances under the two truths. Using it would hide how far outside the estimate
        is: the interval would begin at 0 however few reports of yes there are.
        """
        check_level(level)
        each = intervals.bonferroni(level, comparisons * (self.families if simultaneous else 1))
        ends = self._ends(each, self.methods(method)).reshape(*np.shape(self.theta), 2)
        return quotients.left(ends, *self.limits) if self.are_ratios else ends

    def possible_interval(
        self,
        level: float = 0.95,
        method: str = intervals.DEFAULT,
        *,
        simultaneous: bool = False,
        comparisons: int = 1,
    ) -> FloatArray:
        """Return the possible part of each `interval`; the parameters are the same.

        Returns
        -------
        ndarray, of the shape of `theta` and one axis more, of length 2
            Lower and upper ends between the least and the greatest possible value. They cover
            exactly as often as the `interval` does. Both are nan where the interval misses the
            possible range altogether; that alone is no evidence that the design was not followed,
            which `Estimate.against_design` tests.

        Examples
        --------
        >>> from deniable import designs
        >>> from deniable.analysis import estimate
        >>> few = estimate([14, 6], designs.warner(flip="1/4"))
        >>> few.interval(method="exact").round(3)
        array([[ 0.414,  1.262],
               [-0.262,  0.586]])
        >>> few.possible_interval(method="exact").round(3)
        array([[0.414, 1.   ],
               [0.   , 0.586]])
        """
        ends = self.interval(level, method, simultaneous=simultaneous, comparisons=comparisons)
        return intervals.possible(ends, *self.limits)

    def methods(self, method: str = intervals.DEFAULT) -> tuple[str, ...]:
        """Return the kind of each interval, in the order of ``theta.ravel()``.

        It is `method`, unless that is "auto", which the design alone resolves.
        """
        if method not in (intervals.DEFAULT, *self.kinds):
            raise ValueError(f"expected an interval of {', '.join(self.kinds)}, found {method!r}")
        kind = self.kinds[0] if method == intervals.DEFAULT else method
        return (kind,) * np.size(self.theta)

    @abstractmethod
    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:
        """Return the ends of intervals of these kinds, each at `level`; shape (estimates, 2)."""


class Group(Estimated):
    """Estimates of a group of people, which can be compared with those of another group.

    Attributes
    ----------
    design_effect : ndarray or None
        The variance relative to a simple random sample of as many people; None for such a sample.
    """

    design_effect: FloatArray | None = None

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of people."""

    @property
    def alike(self) -> bool:
        """Whether people have equal weights and were drawn one by one."""
        return True

    def end_method(self, method: str = intervals.DEFAULT) -> str:
        """Return the kind of interval for squaring and adding.

        That uses each end by itself as the estimate's error on that side. The ends of Feldman and
        Cousins stop at the possible range; each end of Clopper and Pearson keeps its own level.
        """
        if method not in (intervals.DEFAULT, intervals.OF_PROPORTION):
            return method
        kinds = set(self.methods())
        return next((kind for kind in ("tail", "fieller", "wald") if kind in kinds), "exact")


@dataclass(frozen=True, eq=False)
class Normal(Estimated):
    """Estimates whose errors are normal, or nearly so.

    The `interval` is 'wald', by Student's t where there are `degrees_of_freedom`.

    Parameters
    ----------
    theta, standard_error : ndarray
    names : tuple of str
        What each is of, if they have names.
    degrees_of_freedom : float or ndarray
        Infinite for the normal distribution.
    """

    theta: FloatArray
    standard_error: FloatArray
    names: tuple[str, ...] = ()
    degrees_of_freedom: float | FloatArray = math.inf

    def p_value(self, of: float = 0.0) -> FloatArray:
        """Two-sided p-values of the tests that the values are `of`."""
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.abs(self.theta - of) / self.standard_error
        return np.where(self.theta == of, 1.0, two_sided(distance, self.degrees_of_freedom))

    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:  # noqa: ARG002  one kind
        # Without any spread there is nothing to tell an error by.
        error = np.where(self.standard_error == 0, math.nan, self.standard_error)
        error = error * in_normal_quantiles(level, self.degrees_of_freedom)
        return intervals.wald(self.theta, error, level).reshape(-1, 2)


def two_sided(z: FloatArray, degrees_of_freedom: float | FloatArray) -> FloatArray:
    """Return the two-sided p-values of distances in standard errors, by Student's t."""
    df = np.asarray(degrees_of_freedom, dtype=np.float64)
    student = scipy.special.stdtr(np.where(np.isinf(df), 1.0, df), -np.abs(z))
    return np.asarray(2 * np.where(np.isinf(df), scipy.special.ndtr(-np.abs(z)), student))


def in_normal_quantiles(level: float, degrees_of_freedom: float | FloatArray) -> FloatArray:
    """Return the quantile of Student's t for an interval over that of the normal distribution."""
    df = np.asarray(degrees_of_freedom, dtype=np.float64)
    t = scipy.special.stdtrit(np.where(np.isinf(df), 1.0, df), (1 + level) / 2)
    return np.where(np.isinf(df), 1.0, t / normal_quantile(level))
