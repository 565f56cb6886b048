"""The yes-or-no designs of the literature, for surveys and data that name them.

Nearly all of them are a table of two truths and two reports, so that `_published` makes a function
of the chance of the second report for each truth. `deniable.designs.binary` has the estimate and
its variance, the same for all.

Three are no such table: in Kuk's and Christofides' designs the report is a card's colour or number,
and in `participation` taking part is a secret, too.

Where the answer to a harmless question replaces a coin, ε holds only against an adversary who does
not know that answer: an adversary who knows that a respondent was not born in January learns more
from their report than the channel's ε says.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Final

from deniable import exact
from deniable.channel import MAX_REPORTS, Channel
from deniable.designs.categorical import flip_probability
from deniable.designs.named import named
from deniable.exact import Number

__all__ = [
    "christofides",
    "crosswise",
    "devore",
    "disguised",
    "kuk",
    "mangat",
    "mangat_singh",
    "mangat_singh_singh",
    "mangat_unrelated",
    "participation",
    "singh_joarder",
    "soberanis_cruz",
    "triangular",
    "unrelated_question",
]

_TRUTH: Final = "the probability of telling the truth", "2/3"
_TRUE_CARDS: Final = "the share of cards that ask for the truth", "2/3"
_STATED: Final = "the share of cards with the sensitive statement", "7/10"
_ASKED: Final = "the share of cards with the sensitive question", "7/10"
_RATE: Final = "the rate of the unrelated question", "1/4"
_HARMLESS: Final = "the rate of the harmless question", "1/4"


def _published(
    name: str,
    said: str,
    parameters: Mapping[str, tuple[str, str]],
    chances: Callable[..., tuple[Number, Number]],
    paper: str,
    reports: str = "no, yes",
) -> Callable[..., Channel]:
    """Make the function of a design of two truths, no and yes, and two reports.

    `said`: its description in a sentence. `parameters`: the meaning of each probability and an
    example, by its name. `chances`: of the second report, if the truth is no and if it is yes.
    `paper`: where it was published. `reports`: the names of the two.
    """
    signature = inspect.Signature(
        [
            inspect.Parameter(one, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="Number")
            for one in parameters
        ],
        return_annotation="Channel",
    )

    def design(*values: Number, **by_name: Number) -> Channel:
        given = signature.bind(*values, **by_name).arguments
        exactly = [exact.probability(one, parameters[key][0]) for key, one in given.items()]
        no, yes = map(exact.fraction, chances(*exactly))
        if no == yes:
            raise ValueError(
                f"nothing could be learned: people whose answer is no and people whose answer is "
                f"yes would send the same reports (probability {no}); expected two different "
                "probabilities"
            )
        return Channel.from_probabilities([[1 - no, no], [1 - yes, yes]])

    meanings = "\n".join(
        f"{one} : number\n    {what[0].upper()}{what[1:]}." for one, (what, _) in parameters.items()
    )
    design.__name__ = design.__qualname__ = name
    design.__doc__ = (
        f"{said}\n\nParameters\n----------\n{meanings}\n\nNotes\n-----\nTruths: no, yes. "
        f"Reports: {reports}.\n\nReferences\n----------\n{paper}\n"
    )
    vars(design)["__signature__"] = signature
    example = {key: value for key, (_, value) in parameters.items()}
    return named(has_yes=True, **example)(design)


unrelated_question = _published(
    "unrelated_question",
    "Answer the sensitive question or an unrelated one, as the card that is drawn says.",
    {"truth": _TRUTH, "rate": _RATE},
    lambda truth, rate: ((1 - truth) * rate, truth + (1 - truth) * rate),
    "Greenberg, B. G., Abul-Ela, A.-L. A., Simmons, W. R. and Horvitz, D. G. (1969). The "
    "unrelated question randomized response model: theoretical framework. Journal of the "
    "American Statistical Association 64, 520-539, the case of a known rate.",
)
# The correlation drops out of the mean, so that the table above holds here too. For a single
# respondent it does not drop out: the true ε may be larger, and a regression is biased.
soberanis_cruz = _published(
    "soberanis_cruz",
    "Answer the sensitive question or a harmless one that goes together with it.",
    {"truth": _TRUTH, "rate": _RATE},
    lambda truth, rate: ((1 - truth) * rate, truth + (1 - truth) * rate),
    "Soberanis Cruz, V., Ramírez Valverde, G., Pérez Elizalde, S. and González Cossio, F. "
    "(2008). Muestreo de respuestas aleatorizadas en poblaciones finitas: un enfoque "
    "unificador. Agrociencia 42, 537-549.",
)
devore = _published(
    "devore",
    "Answer the sensitive question, or one to which everybody says yes.",
    {"truth": _TRUTH},
    lambda truth: (1 - truth, 1),
    "Devore, J. L. (1977). A note on the randomized response technique. Communications in "
    "Statistics, Theory and Methods 6, 1525-1529.",
)
mangat = _published(
    "mangat",
    "Mangat's design: who would say yes says it, and only the others use Warner's spinner.",
    {"truth": _TRUTH},
    lambda truth: (1 - truth, 1),
    "Mangat, N. S. (1994). An improved randomized response strategy. Journal of the Royal "
    "Statistical Society B 56, 93-95.",
)
mangat_singh = _published(
    "mangat_singh",
    "Mangat and Singh's design: a first card asks for the truth or sends on to Warner's.",
    {"truth": _TRUE_CARDS, "sensitive": _STATED},
    lambda truth, sensitive: (
        (1 - truth) * (1 - sensitive),
        1 - (1 - truth) * (1 - sensitive),
    ),
    "Mangat, N. S. and Singh, R. (1990). An alternative randomized response procedure. "
    "Biometrika 77, 439-442.",
)
mangat_singh_singh = _published(
    "mangat_singh_singh",
    "Mangat, Singh and Singh's design: say yes if it is so, otherwise draw a card.",
    {"truth": _TRUTH, "rate": _RATE},
    lambda truth, rate: ((1 - truth) * rate, 1),
    "Mangat, N. S., Singh, R. and Singh, S. (1992). An improved unrelated question randomized "
    "response strategy. Calcutta Statistical Association Bulletin 42, 277-281.",
)
mangat_unrelated = _published(
    "mangat_unrelated",
    "Mangat's two-stage unrelated question: a first card may send on to a second box.",
    {"truth": _TRUE_CARDS, "sensitive": _ASKED, "rate": _RATE},
    lambda truth, sensitive, rate: (
        (1 - truth) * (1 - sensitive) * rate,
        1 - (1 - truth) * (1 - sensitive) * (1 - rate),
    ),
    "Mangat, N. S. (1992). Two stage randomized response sampling procedure using unrelated "
    "question. Journal of the Indian Society of Agricultural Statistics 44, 82-87.",
)
singh_joarder = _published(
    "singh_joarder",
    "Singh and Joarder's design: Warner's, but a no of somebody in the group is drawn again.",
    {"sensitive": _STATED},
    lambda sensitive: (1 - sensitive, sensitive + (1 - sensitive) * sensitive),
    "Singh, S. and Joarder, A. H. (1997). Unknown repeated trials in randomized response "
    "sampling. Journal of the Indian Statistical Association 30, 109-122, as in Chaudhuri, A. "
    "(2011), Randomized response and indirect questioning techniques in surveys, CRC Press.",
)
disguised = _published(
    "disguised",
    "Disguised response: name the colour of a card from the yes pack or from the no pack.",
    {"red": ("the share of red cards in the yes pack", "4/5")},
    lambda red: (1 - red, red),
    "Kuk, A. Y. C. (1990). Asking sensitive questions indirectly. Biometrika 77, 436-438. "
    "Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the randomized "
    "response technique. Journal of the American Statistical Association 110, 1304-1319.",
    "black, red",
)
crosswise = _published(
    "crosswise",
    "Say only whether the answers to two questions are the same: the crosswise model.",
    {"rate": _HARMLESS},
    lambda rate: (1 - rate, rate),
    "Yu, J.-W., Tian, G.-L. and Tang, M.-L. (2008). Two new models for survey sampling with "
    "sensitive characteristic: design and analysis. Metrika 67, 251-263.",
    "different, same",
)
triangular = _published(
    "triangular",
    "Say only whether the answers to two questions are both no: the triangular model.",
    {"rate": _HARMLESS},
    lambda rate: (rate, 1),
    "Yu, Tian and Tang (2008), as `crosswise`.",
    "circle (both no), triangle",
)


@named(has_yes=True, yes="1/2", no="1/5")
def kuk(yes: Number, no: Number, draws: int = 1) -> Channel:
    """Kuk's design: draw cards from the pack of one's true answer, and say how many were red.

    There are two packs, one for yes and one for no. A respondent draws `draws` cards from the pack
    of the true answer, putting each card back; the report is the number of red cards.

    Parameters
    ----------
    yes : number
        Share of red cards in the pack for the answer yes: Kuk's ``θ1``, ``p1`` in RRTCS.
    no : number
        Share of red cards in the pack for the answer no: Kuk's ``θ2``, ``p2`` in RRTCS.
    draws : int
        How many cards each respondent draws, 1 to 254: Kuk's ``k``.

    Notes
    -----
    Truths: no, yes. Reports: 0 to `draws` red cards, with binomial probabilities.
    With ``λ = yes θ + no (1 − θ)``, Kuk estimates θ by ``(share of red among all cards − no) /
    (yes − no)``, which has the variance
    ``λ(1 − λ) / (n draws (yes − no)²) + (1 − 1/draws) θ(1 − θ)/n``. With one draw this is the only
    unbiased estimate. With more, a report says more than its count times a constant: `estimate`
    weighs each number of red cards by how much likelier it is with one pack than with the other.
    Its estimate is just as unbiased and has less variance at ``θ = 1/2``; at θ near 0 or 1 Kuk's
    may have less.

    The cards' own ε is `draws` times that of one draw. The channel's ε follows from its integers,
    the smallest of which is 2^-32: it understates the cards' ε if that is above some 20.

    References
    ----------
    Kuk, A. Y. C. (1990). Asking sensitive questions indirectly. Biometrika 77, 436-438.

    Examples
    --------
    >>> kuk(yes="0.8", no="0.2", draws=2).probabilities.round(4)
    array([[0.64, 0.32, 0.04],
           [0.04, 0.32, 0.64]])
    """
    if not 1 <= draws < MAX_REPORTS:
        raise ValueError(f"expected 1 to {MAX_REPORTS - 1} draws, found {draws}")
    red_yes = exact.probability(yes, "the share of red cards for a yes")
    red_no = exact.probability(no, "the share of red cards for a no")
    if red_yes == red_no:
        raise ValueError(f"expected two packs with different shares of red, found {red_no} in both")
    return Channel.from_probabilities(
        [
            [
                comb(draws, count) * red**count * (1 - red) ** (draws - count)
                for count in range(draws + 1)
            ]
            for red in (red_no, red_yes)
        ]
    )


@named(has_yes=True, cards=["1/10", "2/10", "3/10", "4/10"])
def christofides(cards: Sequence[Number]) -> Channel:
    """Christofides' design: report a card's number, counted from the end if the answer is yes.

    The cards of a pack bear the numbers 1 to L. A respondent draws one; for a no the report is its
    number k, and for a yes it is ``L + 1 − k``.

    Parameters
    ----------
    cards : sequence of numbers, shape (L,)
        Share of the cards with each number, 2 to 255 of them, summing to 1: ``pm`` in RRTCS.

    Notes
    -----
    Truths: no, yes. Reports: the numbers 1 to L.
    With μ and σ² the mean and variance of the number on a card, Christofides estimates θ by
    ``(mean report − μ) / (L + 1 − 2μ)``, which has the variance
    ``θ(1 − θ)/n + σ² / (n (L + 1 − 2μ)²)``. With two cards this is Warner's design and the only
    unbiased estimate. With more, `estimate` weighs each report not by its number but by how much
    likelier it is for a yes than for a no. Its estimate is just as unbiased, has no more variance
    at any θ, and also exists where ``μ = (L + 1)/2`` and Christofides' does not.

    References
    ----------
    Christofides, T. C. (2003). A generalized randomized response technique. Metrika 57, 195-200.

    Examples
    --------
    >>> christofides(["0.1", "0.2", "0.3", "0.4"]).probabilities.round(4)
    array([[0.1, 0.2, 0.3, 0.4],
           [0.4, 0.3, 0.2, 0.1]])
    """
    shares = exact.distribution(cards, "shares of cards", "the share of a card")
    if shares == shares[::-1]:
        raise ValueError(
            "nothing could be learned: expected shares of cards that do not read the same from "
            f"both ends, found {', '.join(map(str, shares))}"
        )
    return Channel.from_probabilities([shares, shares[::-1]])


@named(flip="1/4", sampled="2/3")
def participation(flip: Number, sampled: Number) -> Channel:
    """Hide the answer and also whether a person takes part: add/delete neighbours.

    Each person on a list has a device that sends one report. A participant's device tosses a coin:
    with probability `sampled` it sends their answer, randomised by Warner's design, and otherwise
    ⊥, "nothing". An absent person's device does it the other way round: with probability `sampled`
    it sends ⊥, and otherwise no or yes by a fair coin.

    Parameters
    ----------
    flip : number
        Chance that a reported answer is not the truth, from 0 up to but not including 1/2.
    sampled : number
        Chance that a participant is in the sample, above 1/2; also the chance that an absent
        person's device sends ⊥.

    Notes
    -----
    Truths: no, yes, absent. Reports: no, yes, ⊥.
    The rows are, with p for `flip` and q for `sampled`,

    ======  ===============  ===============  =====
    truth   no               yes              ⊥
    ======  ===============  ===============  =====
    no      q (1 − p)        q p              1 − q
    yes     q p              q (1 − p)        1 − q
    absent  (1 − q)/2        (1 − q)/2        q
    ======  ===============  ===============  =====

    so that ``ε = ln max((1 − p)/p, 2q(1 − p)/(1 − q))``. At ``q = 1/(1 + 2p)`` both terms are
    equal: then hiding participation costs nothing beyond hiding the answer.

    *Why plain randomised response has no finite ε here.* Participants send no or yes, and absent
    people send nothing: in the table of ``q = 1`` each column holds a zero beside a positive
    number, and ε is infinite. Any report proves that its sender took part. Sampling alone is half a
    remedy. If participants are left out with probability ``1 − q``, a ⊥ no longer proves absence.
    But a no or a yes still proves participation: these columns keep their zeros as long as the
    absent send ⊥ only. So some of the absent must send an answer. This follows from the definition:
    ε is finite only if the absent send every report that the present can send, with a probability
    within a factor e^ε. The examples show the three tables.

    The price is a list, and a device that reports for each name on it. This table does not protect
    an absent person without such a device.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, section 2.3,
    for neighbours that differ by one person's presence. Erlingsson, Ú., Feldman, V., Mironov, I.,
    Raghunathan, A., Song, S., Talwar, K. and Thakurta, A. (2020). Encode, shuffle, analyze privacy
    revisited. arXiv:2001.03618, for a reference report that stands for a removed person.

    Examples
    --------
    Plain randomised response; sampling of two in three alone; and this design:

    >>> from deniable.designs import custom
    >>> participation("1/4", 1).epsilon
    inf
    >>> custom([["1/2", "1/6", "1/3"], ["1/6", "1/2", "1/3"], [0, 0, 1]]).epsilon
    inf
    >>> channel = participation("1/4", "2/3")
    >>> channel.probabilities.round(4)
    array([[0.5   , 0.1667, 0.3333],
           [0.1667, 0.5   , 0.3333],
           [0.1667, 0.1667, 0.6667]])
    >>> channel.epsilon
    1.098613
    """
    p = flip_probability(flip, 2)
    q = exact.probability(sampled, "the probability of being sampled")
    if q <= Fraction(1, 2):
        raise ValueError(
            f"expected a probability of being sampled above 1/2, found {sampled}: at 1/2 the "
            "absent send ⊥ no more often than the others"
        )
    return Channel.from_probabilities(
        [
            [q * (1 - p), q * p, 1 - q],
            [q * p, q * (1 - p), 1 - q],
            [(1 - q) / 2, (1 - q) / 2, q],
        ]
    )
