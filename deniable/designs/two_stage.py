"""Designs in which the truth or a first card decides whether a second one is drawn."""

from __future__ import annotations

from deniable import exact
from deniable.channel import Channel
from deniable.designs.binary import from_chances
from deniable.designs.unrelated import unrelated_question
from deniable.exact import Number


def mangat(truth: Number) -> Channel:
    """Mangat's design: who would say yes says it, and only the others use Warner's spinner.

    A respondent whose answer is yes says yes. All others let a spinner choose between "I am one of
    them" and "I am not one of them" and say whether the statement is true.

    Parameters
    ----------
    truth : number
        Chance that the spinner points to the sensitive statement, above 0: Mangat's ``p``. It is
        the chance that a respondent whose answer is no says no.

    Notes
    -----
    P(yes | no) is ``1 − truth`` and P(yes | yes) is 1.
    ``λ = θ + (1 − truth)(1 − θ)``; the estimate of θ is ``(share of yes − (1 − truth)) / truth``
    and has the variance ``θ(1 − θ)/n + (1 − truth)(1 − θ) / (n truth)``. ε is unbounded: whoever
    says no has told the truth. The table is that of `deniable.designs.devore`.

    References
    ----------
    Mangat, N. S. (1994). An improved randomized response strategy. Journal of the Royal Statistical
    Society B 56, 93-95.

    Examples
    --------
    >>> mangat("3/4").probabilities
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    return mangat_singh_singh(truth, 1)


def mangat_singh(truth: Number, sensitive: Number) -> Channel:
    """Mangat and Singh's design: a first card asks for the truth or sends on to Warner's.

    A card from the first box says "tell the truth" or "draw from the second box". The second box
    holds Warner's two statements, "I am one of them" and "I am not one of them"; whoever draws from
    it says whether the statement is true.

    Parameters
    ----------
    truth : number
        Share of the first box's cards that ask for the truth: the paper's ``T``, ``t`` in RRTCS.
    sensitive : number
        Share of the second box's cards with the sensitive statement: the paper's ``p``.

    Notes
    -----
    P(yes | no) is ``(1 − truth)(1 − sensitive)`` and P(yes | yes) is ``truth + (1 − truth)
    sensitive``: Warner's design with ``flip = (1 − truth)(1 − sensitive)``.
    With ``c = (1 − truth)(1 − sensitive)``, ``λ = c + (1 − 2c) θ``; the estimate of θ is
    ``(share of yes − c) / (2 sensitive − 1 + 2 truth (1 − sensitive))`` and has the variance
    ``θ(1 − θ)/n + c (1 − c) / (n (2 sensitive − 1 + 2 truth (1 − sensitive))²)``.

    References
    ----------
    Mangat, N. S. and Singh, R. (1990). An alternative randomized response procedure. Biometrika 77,
    439-442.

    Examples
    --------
    >>> mangat_singh(truth="0.55", sensitive="0.7").probabilities.round(4)
    array([[0.865, 0.135],
           [0.135, 0.865]])
    """
    asked = exact.probability(truth, "the share of cards that ask for the truth")
    stated = exact.probability(sensitive, "the share of cards with the sensitive statement")
    flipped = (1 - asked) * (1 - stated)
    return from_chances(flipped, 1 - flipped)


def mangat_singh_singh(truth: Number, rate: Number) -> Channel:
    """Mangat, Singh and Singh's design: say yes if it is so, otherwise draw a card.

    A respondent whose answer is yes says yes. All others draw a card: one says "say no", the other
    asks an unrelated question, to be answered truthfully.

    Parameters
    ----------
    truth : number
        Share of cards with the sensitive question, to which those who draw can only say no: the
        paper's ``p``.
    rate : number
        Share of people who would answer yes to the unrelated question: RRTCS' ``α``.

    Notes
    -----
    P(yes | no) is ``(1 − truth) rate`` and P(yes | yes) is 1.
    With ``c = (1 − truth) rate``, ``λ = c + (1 − c) θ``; the estimate of θ is
    ``(share of yes − c) / (1 − c)`` and has the variance
    ``θ(1 − θ)/n + c (1 − θ) / (n (1 − c))``. ε is unbounded: whoever says no has told the truth.

    References
    ----------
    Mangat, N. S., Singh, R. and Singh, S. (1992). An improved unrelated question randomized
    response strategy. Calcutta Statistical Association Bulletin 42, 277-281.

    Examples
    --------
    >>> mangat_singh_singh(truth="0.6", rate="0.5").probabilities.round(4)
    array([[0.8, 0.2],
           [0. , 1. ]])
    """
    asked = exact.probability(truth, "the probability of telling the truth")
    innocent = exact.probability(rate, "the rate of the unrelated question")
    return from_chances((1 - asked) * innocent, exact.fraction(1))


def mangat_unrelated(truth: Number, sensitive: Number, rate: Number) -> Channel:
    """Mangat's two-stage unrelated question: a first card may send on to a second box.

    A card from the first box says "tell the truth" or "draw from the second box". The second box
    is that of the unrelated question: its card asks the sensitive question or a harmless one.

    Parameters
    ----------
    truth : number
        Share of the first box's cards that ask for the truth: RRTCS' ``t``.
    sensitive : number
        Share of the second box's cards with the sensitive question: the paper's ``p``.
    rate : number
        Share of people who would answer yes to the unrelated question: RRTCS' ``α``.

    Notes
    -----
    With ``c = (1 − truth)(1 − sensitive)``, P(yes | no) is ``c rate`` and P(yes | yes) is ``1 − c +
    c rate``: the unrelated question asked with probability ``1 − c`` for the truth.
    ``λ = (1 − c) θ + c rate``; the estimate of θ is ``(share of yes − c rate) / (1 − c)`` and has
    the variance ``λ(1 − λ) / (n (1 − c)²)``. In RRTCS this design is the function ``Mangat``.

    References
    ----------
    Mangat, N. S. (1992). Two stage randomized response sampling procedure using unrelated question.
    Journal of the Indian Society of Agricultural Statistics 44, 82-87.

    Examples
    --------
    >>> mangat_unrelated("1/2", "1/2", "1/3").probabilities.round(4)
    array([[0.9167, 0.0833],
           [0.1667, 0.8333]])
    """
    asked = exact.probability(truth, "the share of cards that ask for the truth")
    questioned = exact.probability(sensitive, "the share of cards with the sensitive question")
    return unrelated_question(asked + (1 - asked) * questioned, rate)


def singh_joarder(sensitive: Number) -> Channel:
    """Singh and Joarder's design: Warner's, but a no of somebody in the group is drawn again.

    Everybody draws "I am one of them" or "I am not one of them" and says whether it is true. But
    somebody whose true answer is yes, and whose card would make them say no, keeps silent, draws a
    second card and answers by that one.

    Parameters
    ----------
    sensitive : number
        Share of cards with the sensitive statement: the papers' ``p``.

    Notes
    -----
    P(yes | no) is ``1 − sensitive`` and P(yes | yes) is ``sensitive + (1 − sensitive) sensitive``.
    With p for `sensitive`, ``λ = 1 − p + (2p − 1 + p(1 − p)) θ``; the estimate of θ is
    ``(share of yes − (1 − p)) / (2p − 1 + p(1 − p))`` and has the variance
    ``λ(1 − λ) / (n (2p − 1 + p(1 − p))²)``. ε is ``ln(p / (1 − p)²)`` for p from 1/2 on.

    References
    ----------
    Singh, S. and Joarder, A. H. (1997). Unknown repeated trials in randomized response sampling.
    Journal of the Indian Statistical Association 30, 109-122. The formulas are those by which the R
    package RRTCS estimates, from Chaudhuri, A. (2011), Randomized response and indirect questioning
    techniques in surveys, CRC Press.

    Examples
    --------
    >>> singh_joarder("0.6").probabilities.round(4)
    array([[0.6 , 0.4 ],
           [0.16, 0.84]])
    """
    stated = exact.probability(sensitive, "the share of cards with the sensitive statement")
    return from_chances(1 - stated, stated + (1 - stated) * stated)
