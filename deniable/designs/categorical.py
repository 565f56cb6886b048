"""Designs for one of k answers, and any table of probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from deniable import exact
from deniable.channel import ROW_SUM, Channel, keeping
from deniable.designs.named import named
from deniable.exact import Number

__all__ = ["custom", "flip_probability", "forced_response_k", "k_ary", "truth_or_random"]


@named(epsilon="1", k="5")
def k_ary(k: int, epsilon: Number | None = None, *, keep: Number | None = None) -> Channel:
    """k-ary randomised response: keep the truth, or report any one of the other answers.

    Parameters
    ----------
    k : int
        Number of answers, 2 to 255.
    epsilon : number, optional
        The privacy loss to stay within, above 0.
    keep : number, optional
        Chance that the report is the truth, above ``1/k``, in place of `epsilon`. The other answers
        share the rest evenly.

    Returns
    -------
    Channel
        Truths and reports: the k answers.

    References
    ----------
    Kairouz, P., Bonawitz, K. and Ramage, D. (2016). Discrete distribution estimation under local
    privacy. ICML, section 2.2 (k-RR).
    """
    if not 2 <= k <= 255:
        raise ValueError(f"expected 2 to 255 answers, found {k}")
    if epsilon is not None and keep is None:
        asked = exact.epsilon_above_0(epsilon)
        # Rounded up, so that the ratio of diagonal to off-diagonal is never above e^epsilon:
        # rounding to nearest would break the promise by about 1e-9.
        other = math.ceil(ROW_SUM / (exact.exp_lower(asked) + k - 1))
    elif keep is not None and epsilon is None:
        kept = exact.probability(keep, "the probability of keeping the truth")
        if kept * k <= 1:
            raise ValueError(
                f"expected a probability of keeping the truth above 1/{k}, found {keep}: "
                "at or below it the report says nothing about the truth"
            )
        other = round((1 - kept) / (k - 1) * ROW_SUM)
        if kept < 1:
            other = max(1, other)
    else:
        found = "neither" if keep is None else "both"
        raise ValueError(f"expected either epsilon or keep, found {found}")
    if other * k >= ROW_SUM:
        raise ValueError(
            f"with {k} answers this is too close to no information at all for weights of 32 bits: "
            "expected a larger epsilon, or a larger probability of keeping the truth"
        )
    return keeping(k, other)


@named(truth="2/3", k="2")
def truth_or_random(truth: Number = Fraction(1, 2), k: int = 2) -> Channel:
    """Tell the truth with probability `truth`, otherwise any answer, all equally likely.

    With the default, two fair coins: heads, tell the truth; tails, let a second coin answer. The
    truth is then reported with probability 3/4 and the other answer with 1/4.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, section 2.3.
    """
    asked = exact.probability(truth, "the probability of telling the truth")
    return k_ary(k, keep=asked + (1 - asked) / k)


@named(truth="2/3", forced=["1/3", "1/3", "1/3"])
def forced_response_k(truth: Number, forced: Sequence[Number]) -> Channel:
    """Tell the truth with probability `truth`, otherwise the one of k answers that the die shows.

    Parameters
    ----------
    truth : number
        Chance that the respondent is asked for the truth, above 0.
    forced : sequence of numbers, shape (k,)
        The share of each answer among the forced ones; they sum to 1, floats within 1e-12.

    Notes
    -----
    Truths and reports: the k answers. The report is a with probability ``(1 − truth) forced[a]``,
    plus ``truth`` if a is the truth.
    With ``λ[a] = truth θ[a] + (1 − truth) forced[a]`` the probability of report a, the share of
    answer a is estimated by ``(share of report a − (1 − truth) forced[a]) / truth``, with variance
    ``λ[a] (1 − λ[a]) / (n truth²)``. The R package RRreg asks for ``(1 − truth) forced``.

    References
    ----------
    Boruch, R. F. (1971). Assuring confidentiality of responses in social research. American
    Sociologist 6, 308-311. Heck, D. W. and Moshagen, M. (2018). RRreg: an R package for correlation
    and regression analyses of randomized response data. Journal of Statistical Software 85(2).

    Examples
    --------
    >>> forced_response_k("1/2", ["1/2", "1/4", "1/4"]).probabilities
    array([[0.75 , 0.125, 0.125],
           [0.25 , 0.625, 0.125],
           [0.25 , 0.125, 0.625]])
    """
    asked = exact.probability(truth, "the probability of telling the truth")
    shares = exact.distribution(forced, "shares of forced answers", "the share of a forced answer")
    if not asked:
        raise ValueError("expected a probability of telling the truth above 0, found 0")
    return Channel.from_probabilities(
        [
            [
                (1 - asked) * share + (asked if answer == own else 0)
                for answer, share in enumerate(shares)
            ]
            for own in range(len(shares))
        ]
    )


@named(table=[["2/3", "1/3"], ["1/4", "3/4"]])
def custom(table: Sequence[Sequence[Number]]) -> Channel:
    """Any channel at all, written as a table of probabilities.

    Parameters
    ----------
    table : sequence of sequences of numbers, shape (truths, reports)
        Row ``x`` holds the probability of every report when the truth is ``x``. The numbers of
        truths and reports may differ. Each row sums to 1; floats to 1 within 1e-12.

    References
    ----------
    van den Hout, A. and van der Heijden, P. G. M. (2002). Randomized response, statistical
    disclosure control and misclassification. International Statistical Review 70, 269-288,
    section 2.
    """
    return Channel.from_probabilities(table)


def flip_probability(flip: Number, k: int) -> Fraction:
    """Read a flip probability over k answers: at least 0, below ``(k - 1)/k``."""
    exact_flip = exact.fraction(flip)
    if not 0 <= exact_flip < Fraction(k - 1, k):
        raise ValueError(
            f"expected a flip probability from 0 up to but not including {k - 1}/{k} "
            f"(the chance that the report is not the truth), found {flip}"
        )
    return exact_flip
