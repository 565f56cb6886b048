"""Estimation from survey samples: weights, strata, clusters and finite populations.

The sampling design and the randomisation of answers are two sources of error. Every estimate here
is the one that a survey statistician would compute from the *debiased* variable, and its variance
counts both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis import intervals
from deniable.analysis.numerics.arrays import FloatArray, IndexArray
from deniable.analysis.numerics.levels import check_level
from deniable.analysis.sampling.debiased import Debiased
from deniable.analysis.sampling.effective import Effective, kish

VARIANCES: Final = ("deville", "hajek")
"""The variances with unequal probabilities of inclusion, by name."""

# Weights of a channel are multiples of 2^-32, and move an estimate at the edge by about so much.
_ROUNDING: Final = 1e-9


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

    Parameters
    ----------
    unit : ndarray of int, shape (n,)
        Each respondent's unit.
    stratum : ndarray of int, shape (units,)
        Each unit's stratum. A stratum lies inside one unit of the stage before.
    drawn : ndarray of int, shape (strata,)
        How many units were sampled.
    fraction : ndarray, shape (strata,)
        Their share of the population's units; 0 if these are unlimited, nan if they were drawn with
        unequal probabilities.
    spread : ndarray, shape (units,)
        What the squared distance of each unit's total from the centre of its stratum counts for in
        the estimated variance; the centre is the mean of the totals with these weights.
    unseen : ndarray, shape (units,)
        The part that the spread does not show of what varies inside each unit: the variance is a
        quadratic form of the units' totals, and this is 1 less the coefficient of each square. It
        is the `fraction`, where there is one.
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
    """

    weights: FloatArray = field(repr=False)
    stages: tuple[Units, ...] = field(repr=False)

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
            and len(first.stratum) == len(self.weights)
            and not first.fraction.any()
            and len(first.drawn) == 1
            and (weights == weights[0]).all()
        )


@dataclass(frozen=True, eq=False)
class DesignEstimate:
    """Means or totals of a population. Made by `mean` and `total`.

    Parameters
    ----------
    theta : ndarray, shape (variables,)
        A share may leave [0, 1]: then it is shown as it is and `outside` says so.
    standard_error : ndarray, shape (variables,)
        Of sampling and randomisation together.
    degrees_of_freedom : float
        See `SamplingDesign.degrees_of_freedom_of`.
    n : int
        Respondents of the domain who were asked.
    low, high : ndarray, shape (variables,)
        The least and greatest possible value; for a total, as far as the weights are right.
    noise : ndarray, shape (variables,)
        The least standard error that the noise of the answers leaves, whatever the truths.
    effective : Effective or None
        The ordinary sample that tells as much; None for totals, and for numbers that were asked
        directly.
    linearised : ndarray, shape (respondents, variables)
        What each respondent adds to the error, to the first order.
    """

    theta: FloatArray
    standard_error: FloatArray
    degrees_of_freedom: float
    n: int
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    noise: FloatArray = field(repr=False)
    effective: Effective | None = field(repr=False)
    linearised: FloatArray = field(repr=False)

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether each estimate is impossible; shape (variables,)."""
        room = _ROUNDING * np.maximum(np.abs(self.theta), 1)
        return (self.theta < self.low - room) | (self.theta > self.high + room)

    def methods(self, method: str = intervals.DEFAULT) -> tuple[str, ...]:
        """Return the kind of interval that each mean or total gets.

        Parameters
        ----------
        method : str
            See `interval`.

        Returns
        -------
        tuple of str, one a variable

        Raises
        ------
        ValueError
            If there is no such interval.
        """
        if self.effective is not None:
            return tuple(self.effective.method(one, method) for one in range(len(self.theta)))
        if method not in (intervals.DEFAULT, "wald"):
            raise ValueError(
                "expected 'auto' or 'wald' for a total, or numbers that were asked directly, "
                f"found {method!r}"
            )
        return ("wald",) * len(self.theta)

    def interval(
        self, level: float = 0.95, method: str = intervals.DEFAULT, *, comparisons: int = 1
    ) -> FloatArray:
        r"""Confidence interval of each mean or total.

        Parameters
        ----------
        level : float
            Between 0 and 1.
        method : {"auto", "blaker", "exact", "wilson", "mid-p", "tail", "wald"}
            How it is computed.

            - 'auto' : that of the ordinary sample which tells as much (default); of a total, and of
              numbers that were asked directly, 'wald'
            - 'wald' : the estimate and standard errors to either side, by the t distribution; the
              only one that makes use of a finite population
            - the others : see `deniable.analysis.estimation.Estimate.interval`. 'blaker' and
              'mid-p' need a sample in which everybody counts alike.
        comparisons : int
            How many intervals are to hold together (Bonferroni).

        Returns
        -------
        ndarray, shape (variables, 2)
            Lower and upper ends, not clipped; nan without degrees of freedom.

        Raises
        ------
        ValueError
            If the level, the method or the number of comparisons is not valid.

        Notes
        -----
        By default the interval is that of :math:`n_e` people who count alike and sent the reports
        in the same proportions. :math:`n_e = (\sum w)^2 / \sum w^2`, or the variance of a
        contribution over that of the estimate if that is less, as it is with clusters. Where the
        variance is known less well than from n people by themselves, :math:`n_e` is multiplied by
        :math:`(t_{n-1} / t_d)^2`, with d the degrees of freedom. Where the mean is a matter of one
        proportion, the interval is Clopper and Pearson's with these numbers, which need not be
        whole, and otherwise 'tail' with the whole people among them. If everybody counts alike, by
        themselves, all of it is what `deniable.analysis.estimation.estimate` gives.

        References
        ----------
        Kish, L. (1965). Survey sampling. Wiley, section 11.7: the effect of weights.
        Korn, E. L. and Graubard, B. I. (1998). Confidence intervals for proportions with small
        expected number of positive counts estimated from survey data. Survey Methodology 24,
        193-201.
        """
        check_level(level)
        each = intervals.bonferroni(level, comparisons)
        kinds = self.methods(method)
        ends = self._wald(each)
        if self.effective is None or not self.degrees_of_freedom > 0:
            return ends
        for one, kind in enumerate(kinds):
            if kind != "wald":
                ends[one] = self.effective.interval(one, each, kind, self.degrees_of_freedom)
        return ends

    def _wald(self, level: float) -> FloatArray:
        t = math.nan
        if self.degrees_of_freedom > 0:
            t = float(-scipy.special.stdtrit(self.degrees_of_freedom, (1 - level) / 2))
        half = t * np.maximum(self.standard_error, self.noise)
        return np.stack([self.theta - half, self.theta + half], axis=1)


@dataclass(frozen=True, eq=False)
class DesignDifference:
    """The means of one part of the population less those of another. Made by `difference`.

    Parameters
    ----------
    difference, standard_error : ndarray, shape (variables,)
    correlation : ndarray, shape (variables,)
        Of the two estimates, as far as it is below 0: where people of both parts are in the same
        clusters it mostly is above, and nothing is gained of that.
    """

    first: DesignEstimate = field(repr=False)
    second: DesignEstimate = field(repr=False)
    difference: FloatArray
    standard_error: FloatArray
    correlation: FloatArray

    def interval(
        self, level: float = 0.95, method: str = intervals.DEFAULT, *, comparisons: int = 1
    ) -> FloatArray:
        """Confidence interval of each difference: the two intervals, squared and added.

        Parameters
        ----------
        level, method, comparisons
            As for `DesignEstimate.interval`; for "auto" each end keeps its level, see
            `deniable.analysis.joint.groups.end_method`.

        Returns
        -------
        ndarray, shape (variables, 2)
            Lower and upper ends, not clipped.

        Raises
        ------
        ValueError
            As `DesignEstimate.interval`.

        References
        ----------
        Zou, G. Y. (2008). On the estimation of additive interaction by use of the four-by-two table
        and beyond. American Journal of Epidemiology 168, 212-224: of estimates that are correlated.
        """
        first, second = (
            (one.theta, one.interval(level, kind, comparisons=comparisons))
            for one in (self.first, self.second)
            for kind in (_end_method(one, method),)
        )
        return intervals.square_and_add(first, second, self.correlation)


def sampling_design(
    weights: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    clusters: npt.ArrayLike | None = None,
    population: npt.ArrayLike | None = None,
    inclusion: npt.ArrayLike | None = None,
    variance: str = "deville",
    further_stages: Sequence[Stage] = (),
) -> SamplingDesign:
    """Describe how the respondents were drawn.

    Parameters
    ----------
    weights : array_like of float, shape (n,)
        How many people each respondent stands for: one over the probability of being sampled,
        perhaps corrected for non-response. At least 0, and not all 0.
    strata, clusters, population, inclusion, variance
        Of the first stage; see `Stage`.
    further_stages : sequence of Stage
        Of sampling within the first stage's units. They matter only where the stages before them
        have a `population` or `inclusion`: otherwise the differences between primary units show all
        the variance there is. Without any, all people of a sampled unit are in the sample.

    Raises
    ------
    ValueError
        If arrays differ in length, the weights are not valid, a population is smaller than the
        sample or differs within a stratum, a probability of inclusion is not valid or differs
        within a unit, or a stratum has a single sampled unit and so shows no variance (unless
        that is all its population).

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
    w.flags.writeable = False
    inside = np.zeros(len(w), dtype=np.intp)  # the unit of the stage before
    factor = np.ones(len(w))
    stages = []
    first = Stage(clusters, strata, population, inclusion, variance)
    for number, stage in enumerate((first, *further_stages), 1):
        units = _units(stage, inside, factor, number)
        stages.append(units)
        inside = units.unit
        factor = _after(units, factor)
    return SamplingDesign(weights=w, stages=tuple(stages))


def total(
    variable: Debiased,
    design: SamplingDesign,
    *,
    domain: npt.ArrayLike | None = None,
) -> DesignEstimate:
    """Estimate totals of the population: Horvitz and Thompson's estimator.

    Parameters
    ----------
    variable : Debiased
        See `deniable.analysis.sampling.debiased`.
    domain : array_like of bool, shape (n,), optional
        Who belongs to the part of the population that is asked about; by default everybody. To
        leave the others out of the data instead would make the variance wrong. Who was not asked
        belongs to no domain, and is in no total.

    Raises
    ------
    ValueError
        If arrays differ in length, nobody is in the domain,
        or a finite population needs the variance of a value that is not identifiable.

    Notes
    -----
    With g debiased and w the weights, the estimate is ``sum w g``, whose expectation over noise
    and sampling is the total of the truths. Its variance is estimated stage by stage. In stratum h
    of the first stage, ``n_h`` of ``N_h`` units were drawn, with weighted totals ``z_hi``:
    ``sum_h (1 - n_h/N_h) n_h/(n_h - 1) sum_i (z_hi - mean z_h)^2``, to which the variance of the
    stages below is added, multiplied by ``n_h/N_h``, and so on.

    Where units came with unequal probabilities ``p_hi`` (`Stage.inclusion`), the exact variance
    needs the probability of each *pair* of units. Of those, fixed-size designs of large entropy
    leave little but the single ones: the stage's part is
    ``sum_h sum_i c_hi (z_hi - sum_i c_hi z_hi / sum_i c_hi)^2`` with, for ``deville``,
    ``c_i = (1 - p_i) / (1 - sum_j a_j^2)`` where ``a_j = (1 - p_j) / sum_k (1 - p_k)``, and for
    ``hajek`` ``c_i = (1 - p_i) n / (n - 1)``, n counting the units that were not certain to be
    drawn. The second one is what his approximation of the pairs,
    ``p_ij = p_i p_j (1 - (1 - p_i)(1 - p_j) / sum_k (1 - p_k))``, comes to. They are approximate:
    over all samples of maximum entropy of 3, 5 or 7 out of ten people, whose sizes went from 1 to
    8, Deville's was 1 % too large to 8 % too small, Hájek's 4 % to 11 % too small; with twice as
    many people the error is about half. For systematic sampling from an ordered list both may be
    far too large. In R, the first one is
    ``varest`` of the package sampling, the second one ``VE.Hajek.Total.NHT`` of samplingVarEst
    (whose n counts certain units too); ``svydesign(pps = "brewer")`` of survey is of the same kind.

    The noise of the answers is a last stage of its own. The spread of ``z_hi`` shows all of it, but
    the factor ``1 - n_h/N_h`` takes a part away that is no less random in a finite population;
    hence ``sum w^2 v`` times the product of the sampled fractions is added, with v the unbiased
    estimate of the variance of g given the truth (`Debiased.randomisation`). With unequal
    probabilities the fraction is 1 less the coefficient of ``z_hi^2`` in the form above, about
    ``p_hi``; so the noise is counted in full, whatever the quality of the approximation. The
    estimated variance is unbiased where the first stage draws units with equal probability without
    replacement and so do the others.

    References
    ----------
    Horvitz, D. G. and Thompson, D. J. (1952). A generalization of sampling without replacement from
    a finite universe. JASA 47, 663-685.
    Särndal, C.-E., Swensson, B. and Wretman, J. (1992). Model assisted survey sampling. Springer,
    result 4.3.1 and section 4.4: several stages.
    Hájek, J. (1964). Asymptotic theory of rejective sampling with varying probabilities from a
    finite population. Annals of Mathematical Statistics 35, 1491-1523.
    Deville, J.-C. (1999). Variance estimation for complex statistics and estimators: linearization
    and residual techniques. Survey Methodology 25, 193-203, section 3: his estimator of 1993.
    Matei, A. and Tillé, Y. (2005). Evaluation of variance approximations and estimators in maximum
    entropy sampling with unequal probability and fixed sample size. Journal of Official Statistics
    21, 543-570: comparison.
    Chaudhuri, A. (2011). Randomized response and indirect questioning techniques in surveys. CRC
    Press, chapter 3: sampling and randomisation together.

    Examples
    --------
    >>> from deniable import designs
    >>> from deniable.analysis.sampling.debiased import debiased_shares
    >>> doped = debiased_shares([0, 1, 1, 0, 0, 1, 0, 0], designs.warner(flip="1/4"))
    >>> everybody = sampling_design([100] * 8, strata=[1, 1, 1, 1, 2, 2, 2, 2], population=400)
    >>> total(doped, everybody).theta
    array([600., 200.])
    """
    return _estimate(variable, design, domain, size=1.0)


def mean(
    variable: Debiased,
    design: SamplingDesign,
    *,
    domain: npt.ArrayLike | None = None,
    size: float | None = None,
) -> DesignEstimate:
    """Estimate means, or shares, of the population or of a part of it: Hájek's estimator.

    Parameters
    ----------
    variable, design, domain
        As for `total`.
    size : float, optional
        The number of people in the population, or in the domain, for the estimator of Horvitz and
        Thompson: the total divided by it. By default the total is divided by the sum of the
        weights, which is mostly more precise.

    Raises
    ------
    ValueError
        As for `total`, or if the size is not above 0.

    Notes
    -----
    The mean is ``R = sum w g / sum w``, over the domain. To the first order its error is that of
    the total of ``(g - R) / sum w``, 0 outside the domain, and this is what the variance of `total`
    is computed for (Taylor linearisation). Where some truths have no value, it is the ratio
    ``R = sum w g / sum w h``, with h the estimator of having one, and so is its error.

    The noise of the answers is known: where the variance is less than
    ``sum w^2 V / (sum w)^2``, with V the least variance of ``g - R h`` given a truth, it is taken
    for that. Else ten equal reports would have an error of 0.

    References
    ----------
    Hájek, J. (1971). Comment on a paper by D. Basu. In Foundations of statistical inference, 236.
    Särndal, C.-E., Swensson, B. and Wretman, J. (1992). Model assisted survey sampling. Springer,
    sections 5.5 to 5.8: linearisation, means and domains.

    Examples
    --------
    >>> from deniable import designs
    >>> from deniable.analysis.sampling.debiased import debiased_shares
    >>> doped = debiased_shares([0, 1, 1, 0, 0, 1, 0, 0], designs.warner(flip="1/4"))
    >>> everybody = sampling_design([100] * 8, strata=[1, 1, 1, 1, 2, 2, 2, 2], population=400)
    >>> result = mean(doped, everybody)
    >>> result.theta, result.standard_error.round(3)
    (array([0.75, 0.25]), array([0.381, 0.381]))
    >>> result.interval().round(2)
    array([[-0.06,  1.36],
           [-0.36,  1.06]])
    >>> mean(doped, everybody, domain=[1, 1, 1, 1, 0, 0, 0, 0]).theta
    array([0.5, 0.5])
    """
    if size is not None and not size > 0:
        raise ValueError(f"expected a size of the population above 0, found {size}")
    return _estimate(variable, design, domain, size=size)


def difference(
    variable: Debiased,
    design: SamplingDesign,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
) -> DesignDifference:
    """Estimate how much the means of two parts of the population differ.

    Parameters
    ----------
    variable, design
        As for `mean`.
    first, second : array_like of bool, shape (n,)
        Who belongs to either part: nobody to both.

    Returns
    -------
    DesignDifference
        The first part's means less the second's.

    Raises
    ------
    ValueError
        As for `mean`, or if somebody belongs to both.

    Examples
    --------
    >>> from deniable import designs
    >>> from deniable.analysis.sampling.debiased import debiased_shares
    >>> doped = debiased_shares([0, 1, 1, 0, 0, 1, 0, 0], designs.warner(flip="1/4"))
    >>> women = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    >>> found = difference(doped, sampling_design([1, 2] * 4), women, 1 - women)
    >>> found.difference.round(3), found.standard_error.round(3)
    (array([-0.333,  0.333]), array([0.792, 0.792]))
    """
    if (np.asarray(first, dtype=np.bool_) & np.asarray(second, dtype=np.bool_)).any():
        raise ValueError("expected two parts of a population, found somebody who is in both")
    one, other = (mean(variable, design, domain=each) for each in (first, second))
    covariance = np.zeros(len(one.theta))
    factor = np.ones(len(design.weights))
    for stage in design.stages:
        sides = (one.linearised + sign * other.linearised for sign in (1, -1))
        together, apart = (_between_units(stage, factor, z) for z in sides)
        covariance += (together - apart) / 4
        factor = _after(stage, factor)
    errors = one.standard_error * other.standard_error
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.clip(np.where(errors > 0, covariance / errors, 0), -1, 0)
    return DesignDifference(
        first=one,
        second=other,
        difference=one.theta - other.theta,
        standard_error=np.sqrt(
            one.standard_error**2 + other.standard_error**2 - 2 * correlation * errors
        ),
        correlation=correlation,
    )


def _end_method(part: DesignEstimate, method: str) -> str:
    """Return the kind of interval whose ends keep their level by themselves."""
    kinds = part.methods(method)
    if method != intervals.DEFAULT:
        return method
    return kinds[0] if kinds[0] in ("tail", "wald") else "exact"


def _estimate(
    variable: Debiased,
    design: SamplingDesign,
    domain: npt.ArrayLike | None,
    size: float | None,
) -> DesignEstimate:
    """Divide a total by a size that is known, or by the estimated number of people (None)."""
    inside = _members(variable, design, domain)
    w = np.where(inside, design.weights, 0)
    if not w.any():
        raise ValueError("expected a weight above 0 in the domain, found none")
    if variable.h is not None and size is not None:
        raise ValueError(
            "expected a value for each truth for a total, found one that has none: take 0 for it"
        )
    people = float(w.sum())
    estimated = people if variable.h is None else float(w @ variable.h)
    divisor = estimated if size is None else size
    if not divisor > 0:  # nobody has a value, as far as the reports tell
        divisor = math.nan
    theta = w @ variable.g / divisor
    scale = (w / divisor)[:, np.newaxis]
    # What each respondent adds to the error, to the first order; see the notes of `mean`.
    counted = 1.0 if variable.h is None else variable.h[:, np.newaxis]
    apart = variable.g - (theta * counted if size is None else 0)
    z = scale * apart
    variance = np.zeros(theta.shape)
    factor = np.ones(len(w))
    for stage in design.stages:
        variance = variance + _between_units(stage, factor, z)
        factor = _after(stage, factor)
    if factor.any():  # of the noise, that part has not been seen between units
        about = variable.randomisation_about(theta) if size is None else variable.randomisation
        # Its estimate may fall below 0 where the variance itself is about 0.
        variance = variance + np.maximum(factor @ (scale**2 * about), 0)
    least = variable.least_randomisation(theta)
    noise = least * float((w / divisor) @ (w / divisor))
    effective = None
    if size is None:
        # A total's variance is unbiased, and stays so; of a mean nothing less than the noise is
        # told. Over all strata and not in each: of few people one shows less by chance, often.
        variance = np.maximum(variance, noise)
        effective = _effective(variable, design, inside, apart / divisor * people, least, variance)
    reach = people / divisor if size is not None else 1.0
    return DesignEstimate(
        theta=theta,
        standard_error=np.sqrt(variance),
        degrees_of_freedom=design.degrees_of_freedom_of(inside),
        n=int(inside.sum()),
        low=variable.low * reach,
        high=variable.high * reach,
        noise=np.sqrt(noise),
        effective=effective,
        linearised=z,
    )


def _effective(
    variable: Debiased,
    design: SamplingDesign,
    inside: npt.NDArray[np.bool_],
    apart: FloatArray,
    least: FloatArray,
    variance: FloatArray,
) -> Effective | None:
    """Find the ordinary sample that tells as much; see the notes of `DesignEstimate.interval`."""
    if variable.item is None:
        return None
    item = variable.item
    w = np.where(inside, design.weights, 0)
    asked = inside & (w > 0)
    people = int(asked.sum())
    share = w[asked] / w[asked].max()
    weighing = kish(share)
    reports = item.reports[asked]
    came: FloatArray = np.bincount(reports, share, item.channel.reports).astype(np.float64)
    alike = design.is_simple_in(inside)
    n = np.full(len(variance), weighing)
    if not alike:
        came = came * (weighing / came.sum())
        # As the estimated variance is, with n - 1 in place of n.
        single = (share @ apart[asked] ** 2) / share.sum() * people / max(people - 1, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            told = np.maximum(single, least) / variance
        n = np.fmin(n, np.where(variance > 0, told, weighing))
    return Effective(item, came, n, people, alike)


def _between_units(stage: Units, factor: FloatArray, z: FloatArray) -> FloatArray:
    """Return a stage's part of the variance; each variable's."""
    sums = _sums(stage.unit, z)
    spread = stage.spread[:, np.newaxis]
    weight = _sums(stage.stratum, spread)
    centres = _sums(stage.stratum, spread * sums) / np.where(weight > 0, weight, 1)
    squares = spread * (sums - centres[stage.stratum]) ** 2
    # The same for all respondents of a stratum, which lies in one unit of the stage before.
    of_stratum = np.zeros(len(stage.drawn))
    of_stratum[stage.stratum[stage.unit]] = factor
    return np.asarray(of_stratum[stage.stratum] @ squares)


def _after(stage: Units, factor: FloatArray) -> FloatArray:
    """Multiply what the stages up to this one do not show, for each respondent."""
    return factor * stage.unseen[stage.unit]


def _sums(group: IndexArray, values: FloatArray) -> FloatArray:
    """Sum the rows of each group."""
    sums = np.zeros((int(group.max()) + 1, values.shape[1]))
    np.add.at(sums, group, values)
    return sums


def _members(
    variable: Debiased, design: SamplingDesign, domain: npt.ArrayLike | None
) -> npt.NDArray[np.bool_]:
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
        raise ValueError(
            f"{name[int(lonely.argmax())]}: expected at least 2 sampled units, found 1, which "
            "shows no variance: join the stratum to a similar one"
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
