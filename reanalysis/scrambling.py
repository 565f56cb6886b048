r"""Quantitative scrambled responses, for data that were already collected.

A respondent draws secret numbers from a known distribution and scrambles the true value with them:
it is multiplied by a number, added to a number or, sometimes, replaced by one. Each of the
published designs is one random straight line,

.. math:: z = A y + B,

with a slope and an intercept that do not depend on the true value y. Only five numbers of its
distribution matter, the means, variances and the covariance of A and B: they give an unbiased
estimate of every respondent's value, the mean, and its variance.

====================================  ===========================================================
`eichhorn_hayre`                      S y
`bar_lev`                             y with probability p, otherwise S y
`eriksson`                            y with probability p, otherwise S
`chaudhuri_christofides`              S y + T, with a card from each of two boxes
`saha`                                W (y + U)
`diana_perri_1`                       y with probability p, otherwise W (y + U)
`diana_perri_2`                       W (β U + (1 - β) y)
====================================  ===========================================================

None of them has a finite ε (see `Scrambling.epsilon`): for a new survey use a channel instead.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from deniable import designs, exact
from deniable.analysis.estimated import Normal
from deniable.analysis.numerics.arrays import FloatArray


@dataclass(frozen=True)
class Scrambler:
    """A secret number that respondents draw: only its first two moments matter.

    `sd`: at least 0.
    """

    mean: float
    sd: float

    def __post_init__(self) -> None:
        """Reject moments that no distribution has."""
        if not (math.isfinite(self.mean) and math.isfinite(self.sd) and self.sd >= 0):
            raise ValueError(
                "expected a finite mean and a standard deviation of at least 0 of a scrambling "
                f"variable, found {self.mean} and {self.sd}"
            )

    @classmethod
    def cards(cls, values: Sequence[float]) -> Scrambler:
        """Return the moments of a card drawn at random, each card equally likely.

        Examples
        --------
        >>> Scrambler.cards([2, 4])
        Scrambler(mean=3.0, sd=1.0)
        """
        if not len(values):
            raise ValueError("expected at least one card, found none")
        return cls(float(np.mean(values)), float(np.std(values)))

    @property
    def second_moment(self) -> float:
        """Mean of its square."""
        return self.mean**2 + self.sd**2


@dataclass(frozen=True)
class Scrambling:
    """The distribution of a scrambled response, ``z = A y + B``.

    `slope`, `intercept`: means of A and B. The mean slope is not 0, otherwise the responses say
    nothing about the mean. `slope_variance`, `intercept_variance`, `covariance`: of A and B.
    """

    slope: float
    intercept: float
    slope_variance: float
    intercept_variance: float
    covariance: float

    def __post_init__(self) -> None:
        """Reject a design that tells nothing about the mean."""
        if not abs(self.slope) > 0:
            raise ValueError(
                "expected a design whose responses depend on the true value on average, "
                "found a mean slope of 0: nothing about the mean could be learned"
            )

    @property
    def epsilon(self) -> float:
        """Always `math.inf`.

        These designs specify moments of the scrambling variables and do not bound the true value,
        so nothing bounds what a response reveals. An added number would need tails heavy enough to
        hide the whole range of values, which is unknown. A multiplier never hides a value of 0,
        whose response is always 0 (`eichhorn_hayre`, `bar_lev`), nor values of another order of
        magnitude. If the true value itself is sent with some probability, or the numbers are on
        finitely many cards, a response that no card explains rules out all other values.
        """
        return math.inf

    def unscramble(self, responses: npt.ArrayLike) -> FloatArray:
        """Return an unbiased estimate of each respondent's true value.

        `responses`, shape (n,). Result, shape (n,): ``(z - E[B]) / E[A]``, which may be far from
        any possible value. It gives estimates of anything linear in the true values: totals and
        means under any sampling design, regression coefficients of the value on directly asked
        covariates.
        """
        sent = np.asarray(responses, dtype=np.float64)
        if sent.ndim != 1 or not len(sent):
            raise ValueError(f"expected a row of responses, found an array of shape {sent.shape}")
        bad = np.flatnonzero(~np.isfinite(sent))
        if len(bad):
            raise ValueError(
                f"expected responses that are finite numbers, found {sent[bad[0]]} at position "
                f"{bad[0]}"
            )
        return (sent - self.intercept) / self.slope

    def variance(self, mean: float, sd: float) -> float:
        """Return the variance of one unscrambled response, for planning.

        `mean`, `sd`: of the true values in the population. Result: divided by n, the variance of
        the estimated mean. Divided by ``sd²``, the design effect: the number of respondents
        relative to asking directly.

        Examples
        --------
        >>> design = eichhorn_hayre(Scrambler(mean=1, sd=0.5))
        >>> design.variance(mean=30, sd=10) / 10**2
        3.5
        """
        if not sd >= 0:
            raise ValueError(f"expected a standard deviation of at least 0, found {sd}")
        # Var(r | y) = (Var(A) y² + 2 Cov(A, B) y + Var(B)) / E[A]²
        of_slope = self.slope_variance * (sd**2 + mean**2)
        noise = of_slope + 2 * self.covariance * mean + self.intercept_variance
        return sd**2 + noise / self.slope**2


def estimate_mean(responses: npt.ArrayLike, scrambling: Scrambling) -> Normal:
    """Estimate the mean of the true values from scrambled responses.

    Parameters
    ----------
    responses : array_like of float, shape (n,)
    scrambling : Scrambling
        Distribution of the responses, from a constructor of this module.

    Returns
    -------
    Normal
        Of the mean, shape (); its error is nan if there is only one respondent.

    Notes
    -----
    With r the unscrambled responses, the estimate is their mean and its variance ``s² / n``, since
    their spread includes both noise and sampling. For weights, strata and clusters apply a
    design-based estimator to `Scrambling.unscramble`.

    Examples
    --------
    >>> design = saha(Scrambler(1.5, 0.3), Scrambler(5.5, 2.6))
    >>> result = estimate_mean([38.2, 14.1, 60.5, 22.9, 41.0], design)
    >>> print(result.theta.round(2), result.standard_error.round(2))
    18.06 5.33
    """
    values = scrambling.unscramble(responses)
    n = len(values)
    error = float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return Normal(np.array(values.mean()), np.array(error))


def eichhorn_hayre(multiplier: Scrambler) -> Scrambling:
    """Send the true value times a secret number.

    References
    ----------
    Eichhorn, B. H. and Hayre, L. S. (1983). Scrambled randomized response methods for obtaining
    sensitive quantitative data. Journal of Statistical Planning and Inference 7, 307-316.
    """
    return bar_lev(0, multiplier)


def bar_lev(direct: float, multiplier: Scrambler) -> Scrambling:
    """Send the true value with probability `direct`, otherwise times a secret number.

    References
    ----------
    Bar-Lev, S. K., Bobovitch, E. and Boukai, B. (2004). A note on randomized response models for
    quantitative data. Metrika 60, 255-260.
    """
    return diana_perri_1(direct, multiplier, Scrambler(0, 0))


def eriksson(direct: float, cards: Scrambler) -> Scrambling:
    """Send the true value with probability `direct`, otherwise the number on a card.

    `direct`: chance that the true value is sent, above 0. `cards`: the numbers on the cards, such
    as ``Scrambler.cards([0, 1, 3, 5, 8])``.

    Notes
    -----
    If the values are few and each is on a card, this is forced response with a finite ε, and tells
    more than the mean: use a channel, such as `deniable.designs.custom`.

    References
    ----------
    Eriksson, S. A. (1973). A new model for randomized response. International Statistical Review
    41, 101-113.
    """
    p = _chance(direct)
    mean = (1 - p) * cards.mean
    return Scrambling(
        slope=p,
        intercept=mean,
        slope_variance=p * (1 - p),
        intercept_variance=(1 - p) * cards.second_moment - mean**2,
        covariance=-p * mean,  # A B is 0 always
    )


def chaudhuri_christofides(multiplier: Scrambler, addend: Scrambler) -> Scrambling:
    """Send the true value times a card from one box, plus a card from another box.

    References
    ----------
    Chaudhuri, A. and Christofides, T. C. (2013). Indirect questioning in sample surveys. Springer,
    page 97.
    """
    return Scrambling(
        slope=multiplier.mean,
        intercept=addend.mean,
        slope_variance=multiplier.sd**2,
        intercept_variance=addend.sd**2,
        covariance=0.0,
    )


def saha(multiplier: Scrambler, addend: Scrambler) -> Scrambling:
    """Add a secret number to the true value and multiply by another secret number.

    References
    ----------
    Saha, A. (2007). A simple randomized response technique in complex surveys. Metron 65, 59-66.
    """
    return diana_perri_1(0, multiplier, addend)


def diana_perri_1(direct: float, multiplier: Scrambler, addend: Scrambler) -> Scrambling:
    """Send the true value with probability `direct`, otherwise as in `saha`.

    References
    ----------
    Diana, G. and Perri, P. F. (2010). New scrambled response models for estimating the mean of a
    sensitive quantitative character. Journal of Applied Statistics 37, 1875-1890, page 1877.
    """
    p = _chance(direct)
    W, U = multiplier, addend
    slope = p + (1 - p) * W.mean
    intercept = (1 - p) * W.mean * U.mean
    # (A, B) is (1, 0) with probability p and (W, W U) otherwise.
    return Scrambling(
        slope=slope,
        intercept=intercept,
        slope_variance=p + (1 - p) * W.second_moment - slope**2,
        intercept_variance=(1 - p) * W.second_moment * U.second_moment - intercept**2,
        covariance=(1 - p) * W.second_moment * U.mean - slope * intercept,
    )


def diana_perri_2(weight: float, multiplier: Scrambler, addend: Scrambler) -> Scrambling:
    """Send a weighted mean of the true value and a secret number, times another secret number.

    References
    ----------
    Diana and Perri (2010), see `diana_perri_1`, page 1879.
    """
    beta = _chance(weight)
    W, U = multiplier, addend
    # A = (1 - β) W and B = β W U.
    return Scrambling(
        slope=(1 - beta) * W.mean,
        intercept=beta * W.mean * U.mean,
        slope_variance=(1 - beta) ** 2 * W.sd**2,
        intercept_variance=beta**2 * (W.second_moment * U.second_moment - (W.mean * U.mean) ** 2),
        covariance=(1 - beta) * beta * W.sd**2 * U.mean,
    )


BY_NAME: Final[Mapping[str, Callable[..., Scrambling]]] = {
    design.__name__: design
    for design in (
        eichhorn_hayre,
        bar_lev,
        eriksson,
        chaudhuri_christofides,
        saha,
        diana_perri_1,
        diana_perri_2,
    )
}
"""The designs by their names in commands."""


def from_mapping(design: Mapping[str, Mapping[str, Any] | None]) -> Scrambling:
    """Return a design that is written as its name and parameters.

    `design`: one key of `BY_NAME`, with its parameters by name. A secret number is written as its
    mean and sd, as a list of cards, or as one constant.

    Examples
    --------
    >>> from_mapping({"eriksson": {"direct": "1/2", "cards": [0, 1, 3, 5, 8]}}).intercept
    1.7
    """
    name, given = designs.name_and_parameters(design, BY_NAME)
    wanted = inspect.signature(BY_NAME[name]).parameters
    if {*given} != {*wanted}:
        raise ValueError(
            f"{name}: expected the parameters {', '.join(wanted)}, "
            f"found {', '.join(map(str, given)) or 'none'}"
        )
    try:
        read = {
            key: _number(value) if wanted[key].annotation == "float" else _read_scrambler(value)
            for key, value in given.items()
        }
        return BY_NAME[name](**read)
    except (ValueError, TypeError) as mistake:
        raise ValueError(f"{name}: {mistake}") from None


def _read_scrambler(written: object) -> Scrambler:
    if isinstance(written, Mapping):
        if {*written} != {"mean", "sd"}:
            raise ValueError(
                f"expected mean and sd, or cards, found {', '.join(map(str, written))}"
            )
        return Scrambler(*(_number(written[key]) for key in ("mean", "sd")))
    cards = written if isinstance(written, list | tuple) else [written]
    return Scrambler.cards([_number(card) for card in cards])


def _number(written: Any) -> float:
    return float(exact.fraction(written))


def _chance(value: float) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"expected a probability or weight between 0 and 1, found {value}")
    return value
