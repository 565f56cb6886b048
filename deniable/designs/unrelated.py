"""Designs that mix the sensitive question with a harmless one whose rate is known.

Here the answer to the harmless question does the work of a coin. So what they promise holds only
against somebody who does not know that answer: who knows that a respondent was not born in January
learns more from their report than the channel's ε says.
"""

from __future__ import annotations

from deniable import exact
from deniable.channel import Channel
from deniable.designs.binary import forced_response
from deniable.exact import Number


def unrelated_question(truth: Number, rate: Number) -> Channel:
    """Answer the sensitive question or an unrelated one, as the card that is drawn says.

    A respondent draws one of two cards, "Did you take the drug?" or "Were you born in January?",
    and answers its question truthfully without showing the card.

    Parameters
    ----------
    truth : number
        Chance that the card asks the sensitive question, above 0: the papers' ``p``.
    rate : number
        Share of people who would answer yes to the unrelated question: Greenberg's ``π_Y``, known
        beforehand, and the same whatever the answer to the sensitive one is.

    See Also
    --------
    soberanis_cruz : for a question that is not unrelated after all.

    Notes
    -----
    P(yes | no) is ``(1 − truth) rate`` and P(yes | yes) is ``truth + (1 − truth) rate``.
    ``λ = truth θ + (1 − truth) rate``; the estimate of θ is ``(share of yes − (1 − truth) rate) /
    truth`` and has the variance ``λ(1 − λ) / (n truth²)``. The table is that of a forced response
    whose die forces yes as often as the unrelated answer is yes.

    References
    ----------
    Greenberg, B. G., Abul-Ela, A.-L. A., Simmons, W. R. and Horvitz, D. G. (1969). The unrelated
    question randomized response model: theoretical framework. Journal of the American Statistical
    Association 64, 520-539, the case of a known π_Y.

    Examples
    --------
    A coin, and a birthday in January:

    >>> unrelated_question(truth="1/2", rate="1/12").probabilities.round(4)
    array([[0.9583, 0.0417],
           [0.4583, 0.5417]])
    """
    exact.probability(rate, "the rate of the unrelated question")
    return forced_response(truth, rate)


def soberanis_cruz(truth: Number, rate: Number) -> Channel:
    """Answer the sensitive question or a harmless one that goes together with it.

    The cards are those of `unrelated_question`, but the harmless question ("Is your car a fast
    one?") may be correlated with the sensitive one ("Do you often break the speed limit?").

    Parameters
    ----------
    truth : number
        Chance that the card asks the sensitive question, above 0: the papers' ``p``.
    rate : number
        Share of the *whole* population that would answer yes to the harmless question.

    Notes
    -----
    It is the table of `unrelated_question`.
    If the harmless rate is ``r0`` among people whose answer is no and ``r1`` among the others, then
    ``λ = truth θ + (1 − truth)(θ r1 + (1 − θ) r0) = truth θ + (1 − truth) rate``: the correlation
    drops out. The estimate of θ is as unbiased as without it and its variance is again
    ``λ(1 − λ) / (n truth²)``, so that one table serves for both. For a single respondent it does
    not drop out. P(yes | no) is then ``(1 − truth) r0`` and P(yes | yes) is
    ``truth + (1 − truth) r1``; their true ε, larger than the channel's where ``r1 > r0``, is that
    of a `custom` table with these rows, and a regression on the channel of ``rate`` is biased.

    References
    ----------
    Soberanis Cruz, V., Ramírez Valverde, G., Pérez Elizalde, S. and González Cossio, F. (2008).
    Muestreo de respuestas aleatorizadas en poblaciones finitas: un enfoque unificador. Agrociencia
    42, 537-549.

    Examples
    --------
    >>> soberanis_cruz("7/10", "1/2") == unrelated_question("7/10", "1/2")
    True
    """
    return unrelated_question(truth, rate)


def devore(truth: Number) -> Channel:
    """Answer the sensitive question, or one to which everybody says yes.

    The card asks either the sensitive question or "Are you alive?". It is `unrelated_question` at
    a rate of 1; told with a coin, "heads: say yes; tails: tell the truth".

    Parameters
    ----------
    truth : number
        Chance that the card asks the sensitive question, above 0: the paper's ``p``.

    Notes
    -----
    P(yes | no) is ``1 − truth`` and P(yes | yes) is 1.
    ``λ = 1 − truth (1 − θ)``; the estimate of θ is ``(share of yes − (1 − truth)) / truth`` and has
    the variance ``θ(1 − θ)/n + (1 − truth)(1 − θ) / (n truth)``. ε is unbounded: whoever says no
    has told the truth.

    References
    ----------
    Devore, J. L. (1977). A note on the randomized response technique. Communications in Statistics,
    Theory and Methods 6, 1525-1529.

    Examples
    --------
    >>> devore("1/2").epsilon
    inf
    """
    return forced_response(truth, 1)
