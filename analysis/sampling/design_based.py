"""Estimation from survey samples: weights, strata and clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis import intervals
from deniable.analysis.estimated import Group
from deniable.analysis.intervals import quotients
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.sampling.debiased import Debiased, Item
from deniable.analysis.sampling.design import SamplingDesign, members
from deniable.analysis.sampling.effective import Effective, kish

# Weights of a channel are multiples of 2^-32, which moves an estimate at 0 or 1 by about this much.
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class DesignEstimate(Group):
    r"""Means or shares of a population. Made by `mean`.

    Parameters
    ----------
    theta, standard_error : ndarray, shape (variables,)
        The error is from sampling and randomisation together.
    n : int
        Respondents of the domain who were asked.
    low, high : ndarray, shape (variables,)
        The least and greatest possible value.
    effective : Effective or None
        The equally precise simple random sample; None for numbers asked directly.
    linearised : ndarray, shape (respondents, variables)
        Contribution of each respondent to the error, to the first order.
    design_effect : ndarray, shape (variables,)
        The variance relative to a simple random sample of as many people; nan for estimates that
        the margins fix.

    Notes
    -----
    By default the `interval` is that of :math:`n_e` people of equal weight who sent the reports in
    the same proportions. :math:`n_e = (\sum w)^2 / \sum w^2`, or the variance of a contribution
    over that of the estimate if that is less, as with clusters. Where the variance has fewer
    degrees of freedom than a simple random sample of n people, :math:`n_e` is multiplied by
    :math:`(t_{n-1} / t_d)^2`, with d the degrees of freedom. Where the mean follows from one
    proportion, the interval is Clopper and Pearson's with these numbers, which need not be whole;
    otherwise 'tail' with :math:`n_e` rounded down. In a simple random sample the results equal
    those of `deniable.analysis.estimation.estimate`.

    'wald' is the estimate and standard errors to either side, by the t distribution; numbers asked
    directly have this alone. 'feldman-cousins' needs a sample with equal weights,
    and none of them is 'likelihood'. All are nan without degrees of freedom.

    References
    ----------
    Kish, L. (1965). Survey sampling. Wiley, section 11.7: the effect of weights.
    Korn, E. L. and Graubard, B. I. (1998). Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data. Survey Methodology 24, 193-201.
    """

    theta: FloatArray
    standard_error: FloatArray
    degrees_of_freedom: float
    n: int = 0
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    effective: Effective | None = field(repr=False)
    linearised: FloatArray = field(repr=False)
    design_effect: FloatArray = field(repr=False)

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest possible value of each."""
        return self.low, self.high

    @property
    def alike(self) -> bool:
        """Whether people have equal weights and were drawn one by one."""
        return self.effective is not None and self.effective.alike

    @property
    def are_ratios(self) -> bool:
        """Whether these are means over people with a value, which some people may lack."""
        return self.effective is not None and self.effective.of_ratios

    def methods(self, method: str = intervals.DEFAULT) -> tuple[str, ...]:
        """Return the kind of interval of each mean, one per variable."""
        if self.effective is not None:
            return tuple(self.effective.method(one, method) for one in range(len(self.theta)))
        if method not in (intervals.DEFAULT, "wald"):
            raise ValueError(
                f"expected 'auto' or 'wald' for numbers that were asked directly, found {method!r}"
            )
        return ("wald",) * len(self.theta)

    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:
        t = math.nan
        if self.degrees_of_freedom > 0:
            t = float(-scipy.special.stdtrit(self.degrees_of_freedom, (1 - level) / 2))
        half = t * self.standard_error
        ends = np.stack([self.theta - half, self.theta + half], axis=1)
        for one, kind in enumerate(kinds):
            if kind != "wald" and self.effective is not None and self.degrees_of_freedom > 0:
                ends[one] = self.effective.interval(one, level, kind, self.degrees_of_freedom)
        return ends


def mean(
    variable: Debiased,
    design: SamplingDesign,
    *,
    domain: npt.ArrayLike | None = None,
) -> DesignEstimate:
    """Estimate means, or shares, of the population or of a part of it: Hájek's estimator.

    Parameters
    ----------
    domain : array_like of bool, shape (n,), optional
        Who belongs to the part of the population of interest; by default everybody. Dropping the
        others from the data instead would make the variance wrong. Respondents who were not asked
        belong to no domain.

    Notes
    -----
    With g debiased and w the weights, the mean is ``R = sum w g / sum w``, over the domain. To the
    first order its error is that of the total of ``z = w (g - R) / sum w``, 0 outside the domain
    (Taylor linearisation). In stratum h, ``n_h`` units were drawn, with totals ``z_hi``, and the
    variance is estimated by ``sum_h n_h/(n_h - 1) sum_i (z_hi - mean z_h)^2``. The spread of
    ``z_hi`` includes the noise of the answers. That of a total is unbiased if units are drawn
    independently, as they nearly are if few of many are drawn. Where some truths have no value, it
    is the ratio ``R = sum w g / sum w h``, with h the estimator of having a value, with the error
    of that ratio.

    The noise of the answers is known: the variance is raised to ``sum w^2 V / (sum w)^2``, with V
    the least variance of ``g - R h`` given a truth. Otherwise ten equal reports would have an error
    of 0.

    References
    ----------
    Hájek, J. (1971). Comment on a paper by D. Basu. In Foundations of statistical inference, 236.
    Särndal, C.-E., Swensson, B. and Wretman, J. (1992). Model assisted survey sampling. Springer,
    section 4.6: units as if drawn with replacement; sections 5.5 to 5.8: linearisation, means and
    domains.
    Chaudhuri, A. (2011). Randomized response and indirect questioning techniques in surveys. CRC
    Press, chapter 3: sampling and randomisation together.

    Examples
    --------
    >>> from deniable import designs
    >>> from deniable.analysis.sampling import debiased_shares, sampling_design
    >>> doped = debiased_shares([0, 1, 1, 0, 0, 1, 0, 0], designs.warner(flip="1/4"))
    >>> everybody = sampling_design([100] * 8, strata=[1, 1, 1, 1, 2, 2, 2, 2])
    >>> result = mean(doped, everybody)
    >>> result.theta, result.standard_error.round(3)
    (array([0.75, 0.25]), array([0.382, 0.382]))
    >>> result.interval().round(2)
    array([[-0.06,  1.36],
           [-0.36,  1.06]])
    >>> mean(doped, everybody, domain=[1, 1, 1, 1, 0, 0, 0, 0]).theta
    array([0.5, 0.5])
    """
    inside = members(variable, design, domain)
    w = np.where(inside, design.weights, 0)
    if not w.any():
        raise ValueError("expected a weight above 0 in the domain, found none")
    counted = design.times * w
    people = float(counted.sum())
    divisor = people if variable.h is None else float(counted @ variable.h)
    if not divisor > 0:  # by the reports, no one has a value
        divisor = math.nan
    nothing = _may_be_nothing(variable, design, inside)
    theta = counted @ variable.g / divisor
    scale = (w / divisor)[:, np.newaxis]
    # Contribution of each respondent to the error, to the first order.
    having = 1.0 if variable.h is None else variable.h[:, np.newaxis]
    apart = variable.g - theta * having
    z = scale * apart
    least = variable.least_randomisation(theta)
    noise = least * float((counted / divisor) @ (w / divisor))
    # The variance is raised to that of the noise. Over all strata together: a stratum of few people
    # often shows less by chance.
    variance = np.maximum(np.diag(design.covariance(z)), noise)
    n, single = design.people(w > 0), counted / people @ (apart / divisor * people) ** 2
    single *= n / max(n - 1, 1)  # as the estimated variance is
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = variance * n / single
    # An estimate that the margins fix, or a value that all share, has no error.
    differs = single > _ROUNDING**2 * np.maximum(theta**2, 1)
    fixed = (effect < _ROUNDING) & differs
    effect = np.where(fixed | ~differs, math.nan, effect)
    least *= (people / divisor) ** 2
    effective = _effective(variable, design, inside, np.maximum(single, least), variance)
    if effective is not None:
        effective = replace(effective, n=np.where(fixed, math.inf, effective.n))
    shown, error = quotients.known(theta, np.sqrt(variance), nothing)
    return DesignEstimate(
        theta=shown,
        standard_error=error,
        degrees_of_freedom=design.degrees_of_freedom_of(inside),
        n=design.people(inside),
        low=variable.low,
        high=variable.high,
        effective=effective,
        linearised=z,
        design_effect=np.where(nothing, math.nan, effect),
    )


def _may_be_nothing(
    variable: Debiased, design: SamplingDesign, inside: npt.NDArray[np.bool_]
) -> bool:
    """Return whether perhaps no one in a domain has a value, for a mean over people with one."""
    if variable.h is None or variable.item is None:
        return False
    item, h = variable.item, variable.h[:, np.newaxis]
    everybody = np.ones_like(item.counted)
    having = Item(item.reports, item.channel, item.counted[np.newaxis], everybody)
    # An indicator is its own square.
    share = Debiased(h, h, variable.asked, np.zeros(1), np.ones(1), having)
    of_size = mean(share, design, domain=inside)
    low = of_size.interval(quotients.LEVEL, of_size.end_method())[0, 0]
    return bool(quotients.may_be_nothing(low))


def _effective(
    variable: Debiased,
    design: SamplingDesign,
    inside: npt.NDArray[np.bool_],
    single: FloatArray,
    variance: FloatArray,
) -> Effective | None:
    """Return the equally precise simple random sample; see `DesignEstimate.interval`."""
    if variable.item is None:
        return None
    item = variable.item
    w = np.where(inside, design.weights, 0)
    asked = inside & (w > 0)
    people, each = design.people(asked), design.times[asked]
    share = w[asked] / w[asked].max()
    weighing = kish(share, each)
    reports = item.reports[asked]
    came: FloatArray = np.bincount(reports, each * share, item.channel.reports).astype(np.float64)
    alike = design.is_simple_in(inside)
    n = np.full(len(variance), weighing)
    if not alike:
        came = came * (weighing / came.sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            told = single / variance
        n = np.fmin(n, np.where(variance > 0, told, weighing))
    return Effective(item, came, n, people, alike)
