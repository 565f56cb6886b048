"""Sampling designs: weights, strata, clusters and stages, checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray, IndexArray
from deniable.analysis.sampling.calibration import Margin, calibrated, project_out
from deniable.analysis.sampling.debiased import Debiased
from deniable.analysis.sampling.replication import factors


def between_units(stage: Units, factor: FloatArray, z: FloatArray) -> FloatArray:
    """Return a stage's part of the covariance of the variables; shape (variables, variables)."""
    sums = _sums(stage.unit, z)
    spread = stage.spread[:, np.newaxis]
    weight = _sums(stage.stratum, spread)
    centres = _sums(stage.stratum, spread * sums) / np.where(weight > 0, weight, 1)
    apart = sums - centres[stage.stratum]
    # The same for all respondents of a stratum, which lies in one unit of the stage before.
    of_stratum = np.zeros(len(stage.drawn))
    of_stratum[stage.stratum[stage.unit]] = factor
    return np.asarray((of_stratum[stage.stratum, np.newaxis] * spread * apart).T @ apart)


def after_stage(stage: Units, factor: FloatArray) -> FloatArray:
    """Multiply what the stages up to this one do not show, for each respondent."""
    return factor * stage.unseen[stage.unit]


def _sums(group: IndexArray, values: FloatArray) -> FloatArray:
    """Sum the rows of each group."""
    sums = np.zeros((int(group.max()) + 1, values.shape[1]))
    np.add.at(sums, group, values)
    return sums


VARIANCES: Final = ("deville", "hajek")
"""The variances with unequal probabilities of inclusion, by name."""


@dataclass(frozen=True, eq=False)
class Stage:
    """One stage of sampling: units drawn at random within strata.

    Parameters
    ----------
    clusters : ndarray of labels, shape (n,), optional
        The unit of this stage to which each respondent belongs; by default each respondent is one.
        Labels may be used again in another stratum, or in another unit of the stage before.
    strata : ndarray of labels, shape (n,), optional
        The stratum of that unit; by default there is one (in each unit of the stage before).
    population : int or ndarray of int, shape (n,), optional
        How many units the population has in that stratum, if they were drawn without replacement.
        By default they are taken for independent draws, as they nearly are where few of many were
        drawn.
    inclusion : ndarray of float, shape (n,), optional
        The probability with which that unit came into the sample, if units were drawn without
        replacement and with unequal probabilities, a fixed number in each stratum. In place of
        `population`.
    variance : {"deville", "hajek"}
        How the variance is estimated with `inclusion`: see the notes of `total`. Where all
        probabilities of a stratum are equal both are that of simple random sampling.
    """

    clusters: npt.ArrayLike | None = None
    strata: npt.ArrayLike | None = None
    population: npt.ArrayLike | None = None
    inclusion: npt.ArrayLike | None = None
    variance: str = "deville"


@dataclass(frozen=True, eq=False)
class Units:
    """The sampled units of one stage, as numbers.

    `unit`, shape (n,): each respondent's unit. `stratum`, shape (units,): each unit's stratum. A
    stratum lies inside one unit of the stage before. `drawn`, shape (strata,): how many units were
    sampled. `fraction`, shape (strata,): their share of the population's units; 0 if these are
    unlimited, nan if they were drawn with unequal probabilities. `spread`, shape (units,): what the
    squared distance of each unit's total from the centre of its stratum counts for in the estimated
    variance; the centre is the mean of the totals with these weights. `unseen`, shape (units,): the
    part that the spread does not show of what varies inside each unit: the variance is a quadratic
    form of the units' totals, and this is 1 less the coefficient of each square. It is the
    `fraction`, where there is one.
    """

    unit: IndexArray
    stratum: IndexArray
    drawn: IndexArray
    fraction: FloatArray
    spread: FloatArray
    unseen: FloatArray


@dataclass(frozen=True, eq=False)
class SamplingDesign:
    """How the respondents were drawn. Made by `sampling_design`.

    Parameters
    ----------
    weights : ndarray, shape (n,)
        How many people of the population each respondent stands for.
    stages : tuple of Units
        From primary units to the last.
    margins : tuple of Margin
        Those of the population that the weights were made to give.
    base : ndarray, shape (n,), optional
        The weights before that.
    replicates : ndarray, shape (n, replicates), optional
        Weights of as many samples that could have come: their spread shows the error.
    scale : float or ndarray, shape (replicates,)
        What the squared distances of the replicates are multiplied by.
    made : str, optional
        How the replicates were made, if they were not given.
    """

    weights: FloatArray = field(repr=False)
    stages: tuple[Units, ...] = field(repr=False)
    margins: tuple[Margin, ...] = field(default=(), repr=False)
    base: FloatArray | None = field(default=None, repr=False)
    replicates: FloatArray | None = field(default=None, repr=False)
    scale: float | FloatArray = 1.0
    made: str | None = None

    def covariance(self, z: FloatArray, size: FloatArray | None = None) -> FloatArray:
        """Estimate the covariance of the totals of some variables.

        Parameters
        ----------
        z : ndarray, shape (n, variables)
            What each respondent adds to the error of an estimate, with its weight.
        size : ndarray, shape (n, variables), optional
            What each adds to the divisor of an estimate, which a replicate has its own of.

        Returns
        -------
        ndarray, shape (variables, variables)
        """
        if self.replicates is not None:
            assert self.base is not None  # noqa: S101  for the type checker: made together
            factors = (self.replicates / self.base[:, np.newaxis]).T
            moved = factors @ z - z.sum(axis=0)
            if size is not None:
                moved /= factors @ size
            return np.asarray(self.scale * moved.T @ moved)
        if self.margins:
            assert self.base is not None  # noqa: S101  for the type checker: made together
            z = project_out(self.margins, self.base, self.weights, z)
        found, factor = np.zeros((z.shape[1], z.shape[1])), np.ones(len(z))
        for stage in self.stages:
            found += between_units(stage, factor, z)
            factor = after_stage(stage, factor)
        return found

    def placed(self, z: FloatArray, rows: npt.NDArray[np.int64] | None) -> FloatArray:
        """Return z of all respondents: 0 for those that it is not of."""
        if rows is None:
            return z
        whole = np.zeros((len(self.weights), z.shape[1]))
        whole[rows] = z
        return whole

    def degrees_of_freedom_left(self, coefficients: int) -> float:
        """Those of a regression with an intercept."""
        return max(self.degrees_of_freedom + 1 - coefficients, 0.0)

    @property
    def unseen(self) -> FloatArray:
        """The part of each respondent's noise that no stage shows; shape (n,)."""
        factor = np.full(len(self.weights), 1.0 if self.replicates is None else 0.0)
        for stage in self.stages:
            factor = after_stage(stage, factor)
        return factor

    @property
    def degrees_of_freedom(self) -> float:
        """How well a variance is known; see `degrees_of_freedom_of`."""
        return self.degrees_of_freedom_of(np.ones(len(self.weights), dtype=np.bool_))

    def degrees_of_freedom_of(self, domain: npt.NDArray[np.bool_]) -> float:
        r"""Count how well a variance is known: by the primary units that hold somebody of a domain.

        Parameters
        ----------
        domain : ndarray of bool, shape (n,)

        Returns
        -------
        float
            Primary units less their strata, if all of them weigh alike, and fewer if some weigh
            more than others.

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
        if self.replicates is not None and self.made is None:
            return float(np.linalg.matrix_rank(self.replicates[inside]) - 1)
        first = self.stages[0]
        w = np.where(inside, self.weights, 0) / self.weights[inside].max()
        s = np.bincount(first.unit, weights=w**2)
        strata = np.unique(first.stratum[np.unique(first.unit[inside])])
        return max(float(s.sum() ** 2 / (s**2).sum()) - len(strata), 0.0)

    def is_simple_in(self, domain: npt.NDArray[np.bool_]) -> bool:
        """Whether all people of a domain count alike, each drawn by themselves from one stratum."""
        first = self.stages[0]
        weights = self.weights[domain]
        return bool(
            len(self.stages) == 1
            and not self.margins
            and self.replicates is None
            and len(first.stratum) == len(self.weights)
            and not first.fraction.any()
            and len(first.drawn) == 1
            and (weights == weights[0]).all()
        )


def sampling_design(  # noqa: PLR0913  what is known of how people were drawn
    weights: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    clusters: npt.ArrayLike | None = None,
    population: npt.ArrayLike | None = None,
    inclusion: npt.ArrayLike | None = None,
    variance: str = "deville",
    further_stages: Sequence[Stage] = (),
    margins: Sequence[Margin] = (),
    trim: float | None = None,
    replicates: npt.ArrayLike | str | None = None,
    scale: float | None = None,
) -> SamplingDesign:
    """Describe how the respondents were drawn.

    Parameters
    ----------
    weights : array_like of float, shape (n,)
        How many people each respondent stands for: one over the probability of being sampled,
        perhaps corrected for non-response. At least 0, and not all 0.
    strata, clusters, population, inclusion, variance
        Of the first stage; see `Stage`.
    margins, trim
        See `deniable.analysis.sampling.calibration.calibrated`.
    replicates : array_like of float, shape (n, replicates), or str, optional
        Replicate weights, or how to make them: one of `replication.WAYS`.
    scale : float, optional
        What the sum of their squares is multiplied by; by default 1 over their number.
    further_stages : sequence of Stage
        Of sampling within the first stage's units. They matter only where the stages before them
        have a `population` or `inclusion`: otherwise the differences between primary units show all
        the variance there is. Without any, all people of a sampled unit are in the sample.

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
        base, w = w, calibrated(w, margins, trim)
    of, made = None, replicates if isinstance(replicates, str) else None
    if replicates is not None and made is None:
        given = (strata, clusters, population, inclusion, trim, *margins, *further_stages)
        base, of = w, _checked_replicates(replicates, w, any(one is not None for one in given))
    w.flags.writeable = False
    inside = np.zeros(len(w), dtype=np.intp)  # the unit of the stage before
    factor = np.ones(len(w))
    stages = []
    first = Stage(clusters, strata, population, inclusion, variance)
    for number, stage in enumerate((first, *further_stages), 1):
        units = _units(stage, inside, factor, number)
        stages.append(units)
        inside = units.unit
        factor = after_stage(units, factor)
    scales: float | FloatArray = 1.0
    if of is not None:
        scales = 1 / of.shape[1] if scale is None else scale
    if made is not None:
        if further_stages or scale is not None or factor.any():
            raise ValueError(
                f"expected no population, inclusion, further stages or scale with a {made}, which "
                "takes units for independent draws"
            )
        of, scales = _replicated(made, stages[0], w if base is None else base, margins, trim)
        base = w
    return SamplingDesign(
        weights=w,
        stages=tuple(stages),
        margins=tuple(margins),
        base=base,
        replicates=of,
        scale=scales,
        made=made,
    )


def _replicated(
    way: str, units: Units, w: FloatArray, margins: Sequence[Margin], trim: float | None
) -> tuple[FloatArray, FloatArray]:
    """Make replicate weights, each calibrated as the weights are; see `replication.factors`."""
    found, scales = factors(way, units.stratum)
    of = w[:, np.newaxis] * found[units.unit]
    for place in range(of.shape[1]) if margins or trim is not None else ():
        try:
            of[:, place] = calibrated(of[:, place], margins, trim)
        except ValueError as mistake:
            raise type(mistake)(f"{way}, replicate {place + 1}: {mistake}") from None
    return of, scales


def _checked_replicates(replicates: npt.ArrayLike, w: FloatArray, beside: bool) -> FloatArray:
    of = np.array(replicates, dtype=np.float64)
    if of.ndim != 2 or len(of) != len(w) or of.shape[1] < 2:
        raise ValueError(
            f"expected at least 2 replicate weights for each of {len(w)} respondents, found an "
            f"array of shape {of.shape}"
        )
    bad = np.argwhere(~(np.isfinite(of) & (of >= 0)))
    if len(bad) or not w.all():
        row, column = bad[0].tolist() if len(bad) else (int(w.argmin()), None)
        raise ValueError(
            "expected replicate weights of at least 0 and weights above 0, found "
            f"{w[row] if column is None else of[row, column]} for respondent {row}"
        )
    if beside:
        raise ValueError(
            "expected replicate weights by themselves, found strata, clusters, margins or trim as "
            "well, which replicate weights already show"
        )
    return of


def members(
    variable: Debiased, design: SamplingDesign, domain: npt.ArrayLike | None
) -> npt.NDArray[np.bool_]:
    """Return who of the respondents was asked and belongs to a domain."""
    n = len(design.weights)
    if len(variable.g) != n:
        raise ValueError(
            f"expected a variable of the design's {n} respondents, found {len(variable.g)}"
        )
    inside = np.ones(n, dtype=np.bool_) if domain is None else np.asarray(domain)
    if inside.shape != (n,) or not np.isin(inside, (0, 1)).all():
        raise ValueError(f"expected a domain of {n} times True or False, found {domain!r}")
    return inside.astype(np.bool_) & variable.asked


def _units(stage: Stage, inside: IndexArray, factor: FloatArray, number: int) -> Units:
    """Give numbers to a stage's units and strata, each within the units of the stage before."""
    n = len(inside)
    where = f"stage {number}"
    strata = _labels(stage.strata, n, f"{where}: strata")
    clusters = _labels(stage.clusters, n, f"{where}: clusters")
    stratum = _numbered(inside, np.zeros(n) if strata is None else strata)
    unit = _numbered(stratum, np.arange(n) if clusters is None else clusters)
    _, a_member = np.unique(unit, return_index=True)
    drawn = np.bincount(stratum[a_member])
    fraction = np.zeros(len(drawn))
    _, a_respondent = np.unique(stratum, return_index=True)
    name = [where if strata is None else f"{where}, stratum {strata[row]}" for row in a_respondent]
    if stage.population is not None:
        given = np.asarray(stage.population, dtype=np.float64)
        if given.shape not in ((), (n,)):
            raise ValueError(
                f"{where}: expected one population or {n}, one a respondent, "
                f"found an array of shape {given.shape}"
            )
        population = np.broadcast_to(given, (n,))
        for h, size in enumerate(population[a_respondent]):
            if (population[stratum == h] != size).any():
                raise ValueError(f"{name[h]}: expected one population, found different ones")
            if not size >= drawn[h]:
                raise ValueError(
                    f"{name[h]}: expected a population of at least the {drawn[h]} units sampled, "
                    f"found {size:g}"
                )
        fraction = drawn / population[a_respondent]
    if stage.inclusion is None:
        # A single unit that is all there is has no variance between units.
        inflation = np.where(drawn > 1, drawn / np.maximum(drawn - 1, 1), 0)
        spread = ((1 - fraction) * inflation)[stratum[a_member]]
        unseen = fraction[stratum[a_member]]
        lonely = (drawn == 1) & (fraction < 1)
    else:
        p = _probabilities(stage, unit, a_member, where)
        spread, unseen, lonely = _unequal(p, stratum[a_member], stage.variance)
        fraction = np.full(len(drawn), math.nan)
    lonely = lonely & (factor[a_respondent] > 0)
    if lonely.any():
        in_all = "leave the clusters out, if each person was drawn alone"
        several = (
            "write the name of a similar stratum in its place, so that the two are one; or give "
            "the population, if the unit is all that there is in its stratum"
        )
        raise ValueError(
            f"{name[int(lonely.argmax())]}: expected at least 2 sampled units, found 1, which "
            f"shows no variance: {in_all if len(drawn) == 1 else several}"
        )
    return Units(
        unit=unit,
        stratum=stratum[a_member],
        drawn=drawn,
        fraction=fraction,
        spread=spread,
        unseen=unseen,
    )


def _probabilities(stage: Stage, unit: IndexArray, a_member: IndexArray, where: str) -> FloatArray:
    """Return each unit's probability of inclusion."""
    if stage.population is not None:
        raise ValueError(f"{where}: expected one of population and inclusion, found both")
    if stage.variance not in VARIANCES:
        raise ValueError(
            f"{where}: expected a variance of {', '.join(VARIANCES)}, found {stage.variance!r}"
        )
    given = np.asarray(stage.inclusion, dtype=np.float64)
    if given.shape != unit.shape:
        raise ValueError(
            f"{where}: expected {len(unit)} probabilities of inclusion, one a respondent, "
            f"found an array of shape {given.shape}"
        )
    bad = np.flatnonzero(~((given > 0) & (given <= 1)))
    if len(bad):
        raise ValueError(
            f"{where}: expected probabilities of inclusion above 0, up to 1, "
            f"found {given[bad[0]]} for respondent {bad[0]}"
        )
    of_unit: FloatArray = given[a_member]
    differs = np.flatnonzero(of_unit[unit] != given)
    if len(differs):
        raise ValueError(
            f"{where}: expected one probability of inclusion for each unit, found "
            f"{given[differs[0]]} for respondent {differs[0]} and {of_unit[unit][differs[0]]} for "
            "another one of the same unit"
        )
    return of_unit


def _unequal(
    p: FloatArray, stratum: IndexArray, variance: str
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
    """Return the units' `spread` and `unseen`, and which strata hide a variance that they have."""
    chance = 1 - p
    open_units = np.bincount(stratum, weights=chance > 0)
    together = np.bincount(stratum, weights=chance)
    share = chance / np.where(together > 0, together, 1)[stratum]
    squares = np.bincount(stratum, weights=share**2)
    left = 1 - (squares if variance == "deville" else 1 / np.maximum(open_units, 1))
    enough = open_units > 1
    spread = np.where(enough[stratum], chance / np.where(enough, left, 1)[stratum], 0)
    # The centre has the weights `share`. Neither form's coefficients exceed 1 but by rounding.
    unseen = np.maximum(1 - spread * (1 - share), 0)
    return np.asarray(spread, np.float64), np.asarray(unseen, np.float64), open_units == 1


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
    """Give numbers to the labels from 0, anew in each outer unit."""
    _, inner = np.unique(labels, return_inverse=True)
    _, number = np.unique(outer * (int(inner.max()) + 1) + inner, return_inverse=True)
    return number.astype(np.intp)
