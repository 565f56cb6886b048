"""Sampling designs: weights, strata and clusters, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray, IndexArray, IntArray
from deniable.analysis.sampling.calibration import Margin, calibrated, project_out
from deniable.analysis.sampling.debiased import Debiased


def _sums(group: IndexArray, values: FloatArray) -> FloatArray:
    sums = np.zeros((int(group.max()) + 1, values.shape[1]))
    np.add.at(sums, group, values)
    return sums


@dataclass(frozen=True, eq=False)
class Units:
    """The sampled units, by number.

    `unit`, shape (rows,): each row's unit. `stratum`, shape (units,): each unit's stratum. `alike`,
    shape (units,): number of units that each one stands for; above one only where a row is several
    people who were sampled singly. `drawn`, shape (strata,): number of sampled units, at least two.
    """

    unit: IndexArray
    stratum: IndexArray
    alike: FloatArray
    drawn: IndexArray

    def totals(self, values: FloatArray, times: FloatArray) -> FloatArray:
        """Sum what each person of a row adds to each unit; shape (units, variables)."""
        return _sums(self.unit, values * (times / self.alike[self.unit])[:, np.newaxis])


@dataclass(frozen=True, eq=False)
class SamplingDesign:
    """How the respondents were drawn. Made by `sampling_design`.

    Parameters
    ----------
    weights : ndarray, shape (rows,)
        How many people of the population each respondent stands for.
    units : Units
        The units that were drawn.
    times : ndarray of float, shape (rows,)
        Number of respondents in each row.
    margins : tuple of Margin
        Margins of the population to which the weights are calibrated.
    base : ndarray, shape (rows,), optional
        The weights before calibration.
    """

    weights: FloatArray = field(repr=False)
    units: Units = field(repr=False)
    times: FloatArray = field(repr=False)
    margins: tuple[Margin, ...] = field(default=(), repr=False)
    base: FloatArray | None = field(default=None, repr=False)

    @property
    def n(self) -> int:
        """Number of respondents."""
        return self.people(np.ones(len(self.weights), dtype=np.bool_))

    def people(self, rows: npt.NDArray[np.bool_]) -> int:
        """Count the respondents of some rows."""
        return int(self.times[rows].sum())

    @property
    def kinds(self) -> list[IndexArray]:
        """Numbers of each row; rows whose numbers are all the same were drawn alike."""
        units = self.units
        drawn = units.stratum[units.unit] if self._is_by_person else units.unit
        weights = [self.weights, *([] if self.base is None else [self.base])]
        found = [np.unique(each, return_inverse=True)[1].reshape(-1) for each in weights]
        return [drawn, *found, *(margin.group for margin in self.margins)]

    def merged(self, rows: IndexArray, times: IntArray) -> SamplingDesign:
        """Return the design of fewer rows: one for all that are alike, of so many respondents."""
        units, each = self.units, times.astype(np.float64)
        unit = units.unit[rows]
        if self._is_by_person:
            own = np.arange(len(rows), dtype=np.intp)
            units = replace(units, unit=own, stratum=units.stratum[unit], alike=each)
        else:
            units = replace(units, unit=unit)
        return replace(
            self,
            weights=self.weights[rows],
            units=units,
            times=each,
            margins=tuple(replace(one, group=one.group[rows]) for one in self.margins),
            base=None if self.base is None else self.base[rows],
        )

    @property
    def _is_by_person(self) -> bool:
        return bool(self.units.alike.sum() == self.times.sum())

    def covariance(self, z: FloatArray) -> FloatArray:
        """Estimate the covariance of the totals of some variables.

        Parameters
        ----------
        z : ndarray, shape (rows, variables)
            Weighted contribution of each respondent to the error of an estimate.

        Returns
        -------
        ndarray, shape (variables, variables)
        """
        if self.margins:
            assert self.base is not None  # noqa: S101  for the type checker: made together
            z = project_out(self.margins, self.base, self.weights, z, self.times)
        stratum, drawn, alike = self.units.stratum, self.units.drawn, self.units.alike
        totals = self.units.totals(z, self.times)
        sums = _sums(stratum, alike[:, np.newaxis] * totals)
        apart = totals - (sums / drawn[:, np.newaxis])[stratum]
        counted = alike * (drawn / (drawn - 1))[stratum]
        return np.asarray((counted[:, np.newaxis] * apart).T @ apart)

    def placed(self, z: FloatArray, rows: npt.NDArray[np.int64] | None) -> FloatArray:
        """Return z for all respondents: 0 for rows that are not in `rows`."""
        if rows is None:
            return z
        whole = np.zeros((len(self.weights), z.shape[1]))
        whole[rows] = z
        return whole

    def degrees_of_freedom_left(self, coefficients: int) -> float:
        """Return the degrees of freedom left by a regression with an intercept."""
        return max(self.degrees_of_freedom + 1 - coefficients, 0.0)

    @property
    def degrees_of_freedom(self) -> float:
        """Degrees of freedom of a variance; see `degrees_of_freedom_of`."""
        return self.degrees_of_freedom_of(np.ones(len(self.weights), dtype=np.bool_))

    def degrees_of_freedom_of(self, domain: npt.NDArray[np.bool_]) -> float:
        r"""Return the degrees of freedom of a variance, from the units with a member of a domain.

        Parameters
        ----------
        domain : ndarray of bool, shape (rows,)

        Returns
        -------
        float
            Units less their strata, if all units have equal weight, and fewer otherwise.

        Notes
        -----
        With :math:`s_u` the sum of the squared weights of a unit's people, to which its part of the
        variance is proportional, Satterthwaite's approximation counts
        :math:`(\sum s_u)^2 / \sum s_u^2` units.

        References
        ----------
        Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance
        components. Biometrics Bulletin 2, 110-114.
        """
        inside = domain & (self.weights > 0)
        if not inside.any():
            return 0.0
        units = self.units
        w = np.where(inside, self.weights, 0) / self.weights[inside].max()
        s, alike = units.totals(w[:, np.newaxis] ** 2, self.times)[:, 0], units.alike
        strata = np.unique(units.stratum[np.unique(units.unit[inside])])
        return max(float((alike @ s) ** 2 / (alike @ s**2)) - len(strata), 0.0)

    def is_simple_in(self, domain: npt.NDArray[np.bool_]) -> bool:
        """Return whether this is one stratum of single people, with equal weights in a domain."""
        weights = self.weights[domain]
        return bool(
            not self.margins
            and self._is_by_person
            and len(self.units.drawn) == 1
            and (weights == weights[0]).all()
        )


def sampling_design(
    weights: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    clusters: npt.ArrayLike | None = None,
    margins: Sequence[Margin] = (),
    trim: float | None = None,
    times: IntArray | None = None,
) -> SamplingDesign:
    """Return the sampling design of the respondents.

    Parameters
    ----------
    weights : array_like of float, shape (n,)
        How many people each respondent stands for: the inverse of the sampling probability, perhaps
        corrected for non-response. At least 0, and not all 0.
    strata : array_like of labels, shape (n,), optional
        The stratum of each respondent; by default there is one.
    clusters : array_like of labels, shape (n,), optional
        The cluster of each respondent, drawn as a whole; by default each respondent was drawn
        alone. Labels may recur in another stratum. Units count as independent draws, which they
        nearly are if few of many were drawn. The differences between units show all the variance,
        including that of sampling inside them.
    margins, trim
        See `deniable.analysis.sampling.calibration.calibrated`.
    times : ndarray of int64, shape (n,), optional
        How many respondents each row is, where rows are counted; by default one.

    Examples
    --------
    >>> design = sampling_design([10, 10, 20, 20, 20], strata=["a", "a", "b", "b", "b"])
    >>> round(design.degrees_of_freedom, 2)
    1.92
    """
    w = np.array(weights, dtype=np.float64)
    if w.ndim != 1 or not (np.isfinite(w) & (w >= 0)).all() or not w.any():
        raise ValueError(
            f"expected weights of at least 0, one a respondent and not all 0, found {weights!r}"
        )
    base = None
    if margins or trim is not None:
        if not w.all():
            raise ValueError("expected weights above 0 with margins or trim, found 0")
        base, w = w, calibrated(w, margins, trim, times)
    w.flags.writeable = False
    each = np.ones(len(w)) if times is None else times.astype(np.float64)
    units = _units(strata, clusters, each)
    return SamplingDesign(weights=w, units=units, times=each, margins=tuple(margins), base=base)


def members(
    variable: Debiased, design: SamplingDesign, domain: npt.ArrayLike | None
) -> npt.NDArray[np.bool_]:
    """Return which respondents were asked and belong to a domain."""
    n = len(design.weights)
    if len(variable.g) != n:
        raise ValueError(
            f"expected a variable of the design's {n} respondents, found {len(variable.g)}"
        )
    inside = np.ones(n, dtype=np.bool_) if domain is None else np.asarray(domain)
    if inside.shape != (n,) or not np.isin(inside, (0, 1)).all():
        raise ValueError(f"expected a domain of {n} times True or False, found {domain!r}")
    return inside.astype(np.bool_) & variable.asked


def _units(
    strata_of: npt.ArrayLike | None, clusters_of: npt.ArrayLike | None, times: FloatArray
) -> Units:
    """Assign numbers to strata, and to units over all strata; `times`: respondents in each row."""
    n = len(times)
    strata = _labels(strata_of, n, "strata")
    clusters = _labels(clusters_of, n, "clusters")
    _, stratum = np.unique(np.zeros(n) if strata is None else strata, return_inverse=True)
    unit = _numbered(stratum, np.arange(n) if clusters is None else clusters)
    _, a_member = np.unique(unit, return_index=True)
    of_unit = stratum[a_member]
    alike = np.ones(len(of_unit)) if clusters is not None else times[a_member]
    drawn = np.bincount(of_unit, alike).astype(np.intp)
    lonely = drawn[stratum] == 1
    if lonely.any():
        name = "" if strata is None else f"stratum {strata[int(lonely.argmax())]}: "
        in_all = "leave the clusters out, if each person was drawn alone"
        several = "write the name of a similar stratum in its place, so that the two are one"
        raise ValueError(
            f"{name}expected at least 2 sampled units, found 1, which shows no variance: "
            f"{in_all if len(drawn) == 1 else several}"
        )
    return Units(unit=unit, stratum=of_unit, alike=alike, drawn=drawn)


def _labels(labels: npt.ArrayLike | None, n: int, name: str) -> npt.NDArray[np.generic] | None:
    if labels is None:
        return None
    given = np.asarray(labels)
    if given.shape != (n,):
        raise ValueError(
            f"{name}: expected {n} labels, one a respondent, found an array of shape {given.shape}"
        )
    return given


def _numbered(outer: IndexArray, labels: npt.NDArray[np.generic]) -> IndexArray:
    """Assign numbers from 0 to the labels; equal labels in different outer units differ."""
    _, inner = np.unique(labels, return_inverse=True)
    _, number = np.unique(outer * (int(inner.max()) + 1) + inner, return_inverse=True)
    return number.astype(np.intp)
