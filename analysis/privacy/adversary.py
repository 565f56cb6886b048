r"""What an adversary who sees a report can conclude, and what no adversary can.

The adversary here knows the channel, has any prior belief, and sees every report of one person. By
Bayes' rule, a prior probability :math:`\beta` of a truth becomes a posterior between
:math:`\beta / (\beta + e^{\epsilon} (1 - \beta))` and
:math:`\beta / (\beta + e^{-\epsilon} (1 - \beta))`, whatever the report.

`deniable.analysis.privacy.divergence` measures the mean evidence of a report, and
`deniable.analysis.privacy.composition` the sum over items and waves.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.counts.labels import whole
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.privacy.composition import compose
from deniable.channel import Channel

# Most sets of reports that `averaging` sums over.
_MOST_SETS: Final = 10**6


@dataclass(frozen=True, eq=False)
class Belief:
    """An adversary's belief about one person, before and after reports. Made by `belief`.

    Parameters
    ----------
    prior : ndarray, shape (truths,)
        Probability of each truth before any report: the belief about a person who takes no part.
    posterior : ndarray, shape (truths,)
        Probability of each truth after the reports.
    lowest, highest : ndarray, shape (truths,)
        Bounds of the posterior after any such number of reports.
    """

    prior: FloatArray
    posterior: FloatArray
    lowest: FloatArray
    highest: FloatArray

    @property
    def factor(self) -> FloatArray:
        """Factor by which the reports multiply the odds of each truth, from ``e^-ε`` to ``e^ε``.

        nan where the prior is 0 or 1, which no report can change.
        """
        open_to = (self.prior > 0) & (self.prior < 1)
        found = np.full(len(self.prior), math.nan)
        before, after = self.prior[open_to], self.posterior[open_to]
        with np.errstate(divide="ignore"):
            found[open_to] = after / (1 - after) / (before / (1 - before))
        return found


def belief(channel: Channel, prior: npt.ArrayLike, reports: int | Sequence[int]) -> Belief:
    r"""Update a belief by one report, or by several drawn afresh from the same truth.

    Parameters
    ----------
    prior : array_like of float, shape (truths,)
        Probability of each truth before, summing to 1.
    reports : int or sequence of int
        Indices of columns. A remembered report that is sent again is one report: give it once.

    Notes
    -----
    Bayes' rule: :math:`P(x | a_1, …, a_w) \propto \beta_x \prod_i C[x, a_i]`.

    References
    ----------
    Kasiviswanathan, S. P. and Smith, A. (2014). On the 'semantics' of differential privacy: a
    Bayesian formulation. Journal of Privacy and Confidentiality 6 (1). Nanayakkara, P. et al.
    (2023). What are the chances? Explaining the epsilon parameter in differential privacy. USENIX
    Security: odds with and without taking part.

    Examples
    --------
    >>> from deniable import designs
    >>> coins = designs.warner(flip="1/4")
    >>> believed = belief(coins, [0.9, 0.1], 1)
    >>> believed.posterior
    array([0.75, 0.25])
    >>> believed.factor
    array([0.33333333, 3.        ])
    >>> belief(coins, [0.9, 0.1], [1, 1, 1, 1]).posterior.round(2)
    array([0.1, 0.9])
    """
    before = _check_prior(channel, prior)
    drawn = [reports] if isinstance(reports, int | np.integer) else list(reports)
    for report in drawn:
        if not 0 <= report < channel.reports:
            raise ValueError(f"expected a report from 0 to {channel.reports - 1}, found {report}")
    counts = np.bincount(np.array(drawn, dtype=np.intp), minlength=channel.reports)
    with np.errstate(divide="ignore"):
        log_weight = np.log(before) + _log_likelihood(channel, counts)
    if log_weight.max() == -math.inf:
        raise ValueError(
            "expected reports that a truth of the prior's could send, found some that none of "
            "them could have sent together"
        )
    lowest, highest = posterior_bounds(before, channel.epsilon * len(drawn) if drawn else 0.0).T
    return Belief(before, scipy.special.softmax(log_weight), lowest, highest)


def posteriors(channel: Channel, prior: npt.ArrayLike) -> FloatArray:
    """Return an adversary's posterior belief after each single report.

    Parameters
    ----------
    prior : array_like of float, shape (truths,)
        Probability of each truth before, summing to 1.

    Returns
    -------
    ndarray, shape (reports, truths)
        Row ``a`` is the posterior after report ``a``; nan if the report is impossible.

    Examples
    --------
    >>> from deniable import designs
    >>> posteriors(designs.warner(flip="1/4"), [0.9, 0.1]).round(3)
    array([[0.964, 0.036],
           [0.75 , 0.25 ]])
    """
    joint = _check_prior(channel, prior)[:, np.newaxis] * channel.probabilities
    chance = joint.sum(axis=0)
    found = np.divide(joint, chance, out=np.full(joint.shape, math.nan), where=chance > 0)
    return np.asarray(found.T)


def posterior_bounds(prior: npt.ArrayLike, epsilon: float) -> FloatArray:
    r"""Bound an adversary's posterior belief after any report of privacy loss ε.

    Parameters
    ----------
    prior : array_like of float, any shape
        Probabilities of truths before.
    epsilon : float
        At least 0; `math.inf` if unbounded. For several reports, the ε of their composition.

    Returns
    -------
    ndarray, shape (…, 2)
        Lowest and highest posterior, :math:`\beta / (\beta + e^{\pm\epsilon} (1 - \beta))`.

    Examples
    --------
    >>> posterior_bounds(0.1, 1).round(3)
    array([0.039, 0.232])
    """
    before = np.asarray(prior, dtype=np.float64)
    if not ((before >= 0) & (before <= 1)).all():
        raise ValueError(f"expected priors between 0 and 1, found {before}")
    if not epsilon >= 0:
        raise ValueError(f"expected an epsilon of at least 0, found {epsilon}")
    # A prior of 0 or 1 never changes, even if ε is unbounded.
    log_odds = scipy.special.logit(before)
    sure = np.isinf(log_odds)
    shifts = [np.where(sure, 0.0, shift) for shift in (-epsilon, epsilon)]
    return np.stack([scipy.special.expit(log_odds + shift) for shift in shifts], axis=-1)


def evidence(channel: Channel, report: int, truth: int, other: int) -> Fraction | float:
    """Return the exact factor by which a report multiplies the odds of one truth against another.

    Parameters
    ----------
    report : int
        Index of a column that at least one of the two truths can send.

    Returns
    -------
    Fraction or math.inf
        The likelihood ratio, between ``e^-ε`` and ``e^ε``: at 1 the report is no evidence.

    Examples
    --------
    >>> from deniable import designs
    >>> evidence(designs.warner(flip="1/4"), report=1, truth=1, other=0)
    Fraction(3, 1)
    """
    for_truth, against = channel.weights[truth][report], channel.weights[other][report]
    if against:
        return Fraction(for_truth, against)
    if for_truth:
        return math.inf
    raise ValueError(f"expected a report that truth {truth} or {other} can send, found {report}")


@dataclass(frozen=True, eq=False)
class Averaging:
    """How well fresh reports reveal the truth of one person. Made by `averaging`.

    Parameters
    ----------
    prior : ndarray, shape (truths,)
    """

    channel: Channel = field(repr=False)
    prior: FloatArray
    waves: int
    guessed: float

    @property
    def guessed_without(self) -> float:
        """How often the best guess is true if the person takes no part."""
        return float(self.prior.max())

    @cached_property
    def remembered(self) -> float:
        """How often the best guess is true if the first noisy answer is kept and sent each time."""
        return averaging(self.channel, self.prior, 1).guessed

    @property
    def epsilon(self) -> float:
        """Joint ε of the fresh reports. A remembered report keeps the ε of the channel."""
        return compose([self.channel], waves=self.waves).epsilon


def averaging(channel: Channel, prior: npt.ArrayLike, waves: int) -> Averaging:
    r"""Attack one person by averaging: ask again and again, each time with fresh noise.

    Parameters
    ----------
    prior : array_like of float, shape (truths,)
        Probability of each truth before, summing to 1.
    waves : int
        Number of fresh reports, at least 1.

    Notes
    -----
    The best guess is the truth of greatest posterior, and is right with probability
    :math:`\sum_c \max_x \beta_x P(c | x)`, summed here over all counts c of reports (multinomial
    given the truth): exact, not simulated.

    References
    ----------
    Smith, G. (2009). On the foundations of quantitative information flow. FoSSaCS, section 3.1:
    the vulnerability after an observation.

    Examples
    --------
    >>> from deniable import designs
    >>> attack = averaging(designs.warner(flip="1/4"), [0.5, 0.5], waves=51)
    >>> round(attack.guessed, 4), round(attack.remembered, 4)
    (0.9999, 0.75)
    """
    before = _check_prior(channel, prior)
    whole(waves, "wave")
    sets = math.comb(waves + channel.reports - 1, waves)
    if sets > _MOST_SETS:
        raise ValueError(
            f"expected at most {_MOST_SETS} different sets of reports, found {sets}: fewer waves, "
            "or a channel of fewer reports"
        )
    draws = itertools.combinations_with_replacement(range(channel.reports), waves)
    counts = np.array([np.bincount(drawn, minlength=channel.reports) for drawn in draws])
    orderings = scipy.special.gammaln(waves + 1) - scipy.special.gammaln(counts + 1).sum(axis=1)
    with np.errstate(divide="ignore"):
        log_joint = np.log(before)[:, np.newaxis] + _log_likelihood(channel, counts)
    guessed = float(np.exp(log_joint.max(axis=0) + orderings).sum())
    return Averaging(channel, before, waves, min(1.0, guessed))


def _log_likelihood(channel: Channel, counts: npt.NDArray[np.intp]) -> FloatArray:
    """Return the log-probability of each set of counts, given the order; shape (truths, …)."""
    with np.errstate(divide="ignore"):
        log_C = np.log(channel.probabilities)
    # An absent report is no evidence, though its log-probability may be -inf.
    impossible = np.where(log_C == -math.inf, 1.0, 0.0) @ counts.T > 0
    return np.where(impossible, -math.inf, np.where(log_C == -math.inf, 0.0, log_C) @ counts.T)


def _check_prior(channel: Channel, prior: npt.ArrayLike) -> FloatArray:
    before = np.asarray(prior, dtype=np.float64)
    if before.shape != (channel.truths,):
        raise ValueError(
            f"expected {channel.truths} prior probabilities, one a truth, "
            f"found an array of shape {before.shape}"
        )
    if not (before >= 0).all() or not math.isclose(before.sum(), 1, abs_tol=1e-9):
        raise ValueError(f"expected prior probabilities that sum to 1, found {before.tolist()}")
    return before
