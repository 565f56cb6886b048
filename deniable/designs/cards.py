"""Designs in which a card's colour or number is reported, and no word about the question."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from deniable import exact
from deniable.channel import MAX_REPORTS, Channel
from deniable.designs.binary import from_chances
from deniable.exact import Number


def kuk(yes: Number, no: Number, draws: int = 1) -> Channel:
    """Kuk's design: draw cards from the pack of one's true answer, and say how many were red.

    There are two packs. Whoever would say yes draws from the one, whoever would say no from the
    other, `draws` times and putting the card back each time; the number of red cards is the report.

    Parameters
    ----------
    yes : number
        Share of red cards in the pack of those whose answer is yes: Kuk's ``θ1``, ``p1`` in RRTCS.
    no : number
        Share of red cards in the pack of those whose answer is no: Kuk's ``θ2``, ``p2`` in RRTCS.
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

    The cards' own ε is `draws` times that of one draw. The channel's is computed from its integers,
    of which the smallest is 2^-32: it understates that of cards whose ε is above some 20.

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


def disguised(red: Number) -> Channel:
    """Disguised response: name the colour of a card from the yes pack or from the no pack.

    A respondent draws a card from both packs and names the colour of the one from the pack of their
    true answer, red or black. The no pack has as many black cards as the yes pack has red ones.

    Parameters
    ----------
    red : number
        Share of red cards in the yes pack, not 1/2: ``p`` in the R package rr. The no pack's share
        is one minus it.

    Notes
    -----
    Truths: no, yes. Reports: black, red. P(red | no) is ``1 − red`` and P(red | yes) is ``red``.
    ``λ = 1 − red + (2 red − 1) θ``, and the estimate of θ has the variance
    ``θ(1 − θ)/n + red (1 − red) / (n (2 red − 1)²)``: Warner's with ``flip = 1 − red``.

    References
    ----------
    Kuk (1990), see `kuk`. Blair, Imai and Zhou (2015), section 2, see `forced_response`.

    Examples
    --------
    >>> disguised("4/5").epsilon
    1.386295
    """
    share = exact.probability(red, "the share of red cards in the yes pack")
    return from_chances(1 - share, share)


def christofides(cards: Sequence[Number]) -> Channel:
    """Christofides' design: report a card's number, counted from the end if the answer is yes.

    The cards of a pack bear the numbers 1 to L. A respondent draws one; whoever would say no
    reports its number k, whoever would say yes reports ``L + 1 − k``.

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
    unbiased estimate. With more, `estimate` does not count each report by its number but by how
    much likelier it is for a yes than for a no. Its estimate is just as unbiased, has no more
    variance at any θ, and also exists where ``μ = (L + 1)/2`` and Christofides' does not.

    References
    ----------
    Christofides, T. C. (2003). A generalized randomized response technique. Metrika 57, 195-200.

    Examples
    --------
    >>> christofides(["0.1", "0.2", "0.3", "0.4"]).probabilities.round(4)
    array([[0.1, 0.2, 0.3, 0.4],
           [0.4, 0.3, 0.2, 0.1]])
    """
    shares = [exact.probability(share, "the share of a card") for share in cards]
    if shares == shares[::-1]:
        raise ValueError(
            "nothing could be learned: expected shares of cards that do not read the same from "
            f"both ends, found {', '.join(map(str, shares))}"
        )
    return Channel.from_probabilities([shares, shares[::-1]])
