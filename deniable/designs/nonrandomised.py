"""Non-randomised response: two questions are answered at once, and no device is needed.

The answer to a harmless question of known rate does the work of the coin. So, as with the
unrelated question, what they promise holds only against somebody who does not know that answer.
"""

from __future__ import annotations

from deniable import exact
from deniable.channel import Channel
from deniable.designs.binary import from_chances
from deniable.exact import Number


def crosswise(rate: Number) -> Channel:
    """Say only whether the answers to two questions are the same: the crosswise model.

    "Was your mother born in January to March? Did you ever take the drug? Is your answer the same
    to both (both yes or both no), or different?"

    Parameters
    ----------
    rate : number
        Share of people who would answer yes to the harmless question, not 1/2: the paper's ``p``.

    Notes
    -----
    Truths: no, yes. Reports: different, same. P(same | no) is ``1 − rate`` and P(same | yes) is
    ``rate``.
    ``λ = P(same) = 1 − rate + (2 rate − 1) θ``; the estimate of θ is
    ``(share of same − (1 − rate)) / (2 rate − 1)`` and has the variance
    ``θ(1 − θ)/n + rate (1 − rate) / (n (2 rate − 1)²)``, Warner's. A rate below 1/2 is usual: then
    "different" is the report that a yes makes likelier.

    References
    ----------
    Yu, J.-W., Tian, G.-L. and Tang, M.-L. (2008). Two new models for survey sampling with sensitive
    characteristic: design and analysis. Metrika 67, 251-263.

    Examples
    --------
    >>> crosswise("1/4").probabilities
    array([[0.25, 0.75],
           [0.75, 0.25]])
    """
    harmless = exact.probability(rate, "the rate of the harmless question")
    return from_chances(1 - harmless, harmless)


def triangular(rate: Number) -> Channel:
    """Say only whether the answers to two questions are both no: the triangular model.

    "Was your mother born in January to March? Did you ever take the drug? Mark the circle if both
    answers are no, the triangle otherwise."

    Parameters
    ----------
    rate : number
        Share of people who would answer yes to the harmless question, below 1: the paper's ``p``.

    Notes
    -----
    Truths: no, yes. Reports: circle, triangle. P(triangle | no) is ``rate`` and P(triangle | yes)
    is 1.
    ``λ = P(triangle) = rate + (1 − rate) θ``; the estimate of θ is
    ``(share of triangles − rate) / (1 − rate)`` and has the variance
    ``θ(1 − θ)/n + rate (1 − θ) / (n (1 − rate))``. ε is unbounded: the circle says no for sure.

    References
    ----------
    Yu, Tian and Tang (2008), see `crosswise`.

    Examples
    --------
    >>> triangular("1/4").probabilities
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    harmless = exact.probability(rate, "the rate of the harmless question")
    return from_chances(harmless, exact.fraction(1))
