r"""When some respondents do not follow the design: how many, and the effect on the estimate.

Some respondents answer without reading, some say no whatever the instructions say. One randomised
item shows neither. A **control item** does: the same kind of item about a fact of known prevalence,
such as a thing that nobody has done.

There is one model throughout. A share of the respondents does not follow the design and sends
reports of a known distribution, whatever the truth: evenly at random (careless answers), or always
the same (self-protective no's). The others follow it. Whether respondents follow the design does
not depend on the truth; `Sensitivity.bounds` bounds the estimates if it does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.analysis import intervals
from deniable.analysis.counts.labels import Codes, Counts, check_whole, in_order
from deniable.analysis.estimated import Estimated
from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.intervals import quotients
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.sensitivity_curve import check_behaviour, distribution
from deniable.channel import ROW_SUM, Channel
from deniable.estimator import least_variance


def compliance(
    counts: Counts,
    channel: Channel,
    prevalence: Sequence[exact.Number],
    *,
    behaviour: Sequence[exact.Number] | None = None,
    codes: Codes | None = None,
) -> Estimate:
    r"""Estimate from a control item how many respondents do not follow the design.

    Parameters
    ----------
    counts, codes
        Of the control item, as for `deniable.analysis.estimation.estimate`.
    channel : Channel
        Of the control item.
    prevalence : sequence of numbers, shape (truths,)
        The known shares of its truths, summing to 1: ``[1, 0]`` if nobody can truthfully say yes.
    behaviour : sequence of numbers, shape (reports,), optional
        The reports of people who do not follow the design; see `contaminated`.

    Returns
    -------
    Estimate
        Of the shares of people who follow the design and who do not, in this order.

    Notes
    -----
    Following or not is a truth with two values, and the reports to the control item are drawn
    from it by a known channel of two rows: the prevalence times the channel, and the behaviour.
    For a binary control item the share that follows is
    :math:`(\bar a - r) / (\pi_0 C - r)`, in Atsusaka and Stevenson's notation
    :math:`\hat\gamma = (\hat\lambda' - 1/2) / (1/2 - p')` with a prevalence of 0.

    References
    ----------
    Atsusaka, Y. and Stevenson, R. T. (2023). A bias-corrected estimator for the crosswise model
    with inattentive respondents. Political Analysis 31, 134-148, section 3. Höglinger, M. and
    Diekmann, A. (2017). Uncovering a blind spot in sensitive question research: false positives
    undermine the crosswise-model RRT. Political Analysis 25, 131-137: zero-prevalence items.

    Examples
    --------
    >>> from deniable import designs
    >>> crosswise = designs.warner(flip="1/4")
    >>> careless = compliance([700, 300], crosswise, [1, 0])
    >>> careless.theta.round(3), careless.standard_error.round(3)
    (array([0.8, 0.2]), array([0.058, 0.058]))
    """
    known = distribution(prevalence, channel.truths, "prevalence", "truth")
    sent = check_behaviour(channel, behaviour)
    following = [
        sum(
            share * Fraction(row[a], ROW_SUM)
            for share, row in zip(known, channel.weights, strict=True)
        )
        for a in range(channel.reports)
    ]
    control = Channel.from_probabilities([following, sent])
    if not control.identifiable:
        raise ValueError(
            "the control item cannot tell who follows the design: those who do not would send the "
            "same reports; expected another prevalence"
        )
    return estimate(counts, control, codes=codes)


@dataclass(frozen=True, eq=False)
class Corrected(Estimated):
    """Shares of the truths, corrected for noncompliance. Made by `corrected`.

    The `interval` is 'fieller', as a corrected share is a ratio of two estimates: all of [0, 1]
    where the share that follows the design is not significantly above 0, which at a level of 0.95
    is where there is a `reason`. Or 'wald'.

    Parameters
    ----------
    naive : ndarray, shape (truths,)
        The estimates as if everybody followed the design.
    theta : ndarray, shape (truths,)
        The corrected estimates; nan where there is a `reason`.
    standard_error : ndarray, shape (truths,)
        Of `theta`, including the error of the control item's estimate; nan where `theta` is.
    reason : str or None
        Why no correction is possible; None if one is.
    """

    kinds = ("fieller", "wald")
    are_ratios = True

    n: int
    naive: FloatArray
    theta: FloatArray
    standard_error: FloatArray
    control: Estimate
    reason: str | None
    _centre: FloatArray = field(repr=False)
    _covariance: FloatArray = field(repr=False)

    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:
        if kinds[0] == "wald":
            return intervals.wald(self.theta, self.standard_error, level)
        follow = 1 - float(self.control.theta[1])
        each = zip(self.naive, self._centre, self._covariance, strict=True)
        return np.array(
            [
                centre + intervals.fieller(naive - centre, follow, covariance, level)
                for naive, centre, covariance in each
            ]
        )


def corrected(
    table: Counts,
    channel: Channel,
    control: Channel,
    prevalence: Sequence[exact.Number],
    *,
    behaviour: Sequence[exact.Number] | None = None,
    control_behaviour: Sequence[exact.Number] | None = None,
    codes: Sequence[Codes | None] | None = None,
) -> Corrected:
    r"""Correct a sensitive item's estimate by a control item that the same people answered.

    Parameters
    ----------
    table, codes
        The counts of the sensitive and the control item together, shape (reports, control reports),
        as for `deniable.analysis.joint.tables.crosstab`.
    channel, control : Channel
        Of the sensitive item and of the control item.
    prevalence : sequence of numbers, shape (control truths,)
        The known shares of the control item's truths, summing to 1.
    behaviour, control_behaviour : sequence of numbers, optional
        The reports of people who do not follow the design, to either item; see `contaminated`.

    Notes
    -----
    Let :math:`\tilde\theta` be the naive estimate, b its value if nobody followed the design, and
    :math:`\gamma` the share that follows it. Then :math:`\tilde\theta` estimates
    :math:`\gamma \theta + (1 - \gamma) b`, hence

    .. math:: \hat\theta = b + (\tilde\theta - b) / \hat\gamma .

    For the crosswise model (b = 1/2) this is Atsusaka and Stevenson's estimator. The standard
    error is that of the ratio, by its linearisation in both estimates and their covariance.

    A ratio whose divisor may be 0 can be anything. Where the 95 % interval of :math:`\hat\gamma`
    (the estimate and 1.96 standard errors to either side) holds 0, nothing from 0 to 1 is ruled
    out, and there is no estimate.

    References
    ----------
    Atsusaka and Stevenson (2023), see `compliance`; equations 2 to 4. Their errors are those of a
    bootstrap.

    Examples
    --------
    >>> from deniable import designs
    >>> crosswise = designs.warner(flip="1/4")
    >>> found = corrected([[480, 180], [220, 120]], crosswise, crosswise, [1, 0])
    >>> found.naive.round(3), found.theta.round(3), found.standard_error.round(3)
    (array([0.82, 0.18]), array([0.9, 0.1]), array([0.045, 0.045]))
    >>> corrected([[25, 25], [25, 25]], crosswise, crosswise, [1, 0]).theta
    array([nan, nan])
    """
    pairs = np.asarray(in_order(table, (channel.reports, control.reports), codes))
    if pairs.shape != (channel.reports, control.reports):
        raise ValueError(
            f"expected a table of {channel.reports} reports × {control.reports} reports to the "
            f"control item, found an array of shape {pairs.shape}"
        )
    pairs = check_whole(pairs)
    sensitive = estimate(pairs.sum(axis=1), channel)
    followed = compliance(pairs.sum(axis=0), control, prevalence, behaviour=control_behaviour)
    sent = check_behaviour(channel, behaviour)
    G = least_variance(channel)
    h = least_variance(followed.channel)[0]
    n, gamma = sensitive.n, 1 - float(followed.theta[1])
    centre = G @ np.array(sent, dtype=np.float64)
    covariance = np.array(
        [
            _covariance(g - naive, h - gamma, pairs, n)
            for g, naive in zip(G, sensitive.theta, strict=True)
        ]
    )
    reason = _no_correction(gamma, float(covariance[0, 1, 1]))
    theta = np.full_like(centre, math.nan)
    if reason is None:
        theta = centre + (sensitive.theta - centre) / gamma
    # d theta = (d naive - (theta - b) d gamma) / gamma
    slope = np.stack([np.ones_like(theta), centre - theta], axis=1) / gamma
    variance = np.einsum("ti,tij,tj->t", slope, covariance, slope)
    return Corrected(
        n=n,
        naive=sensitive.theta,
        theta=theta,
        standard_error=np.sqrt(np.maximum(variance, 0.0)),
        control=followed,
        reason=reason,
        _centre=centre,
        _covariance=covariance,
    )


def _no_correction(follow: float, variance: float) -> str | None:
    """Return why the share that follows the design cannot be a divisor; None if it can."""
    if math.isnan(variance):
        return "one respondent does not tell how sure the control item is"
    low, high = intervals.wald(follow, math.sqrt(variance), quotients.LEVEL)
    if high < 0:
        raise ValueError(
            f"expected a share that follows the design above 0, found {follow:.3g} by the control "
            f"item, with a 95 % interval of {low:.2f} to {high:.2f}: its reports contradict the "
            "design"
        )
    if not quotients.may_be_nothing(low):
        return None
    return (
        "the control item does not tell whether anybody follows the design: the share that does is "
        f"{follow:.2f}, and its 95 % interval, {low:.2f} to {high:.2f}, holds 0"
    )


def _covariance(g: FloatArray, h: FloatArray, pairs: npt.NDArray[np.int64], n: int) -> FloatArray:
    """Return the covariance of the means of two centred functions of a pair of reports."""
    if n == 1:
        return np.full((2, 2), math.nan)
    values = np.stack([np.repeat(g, len(h)), np.tile(h, len(g))])
    return (values * pairs.ravel()) @ values.T / (n - 1) / n
