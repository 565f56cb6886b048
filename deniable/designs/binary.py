"""Designs for a yes-or-no question in which one card, coin or die decides the report.

Everywhere in these modules θ is the share of people whose true answer is yes, λ the probability of
the report that counts like a yes, and n the number of reports. Truths are no and yes, and so are
reports unless a design says otherwise. For two truths and two reports the unbiased estimate
``(share of that report − P(it | no)) / (P(it | yes) − P(it | no))`` is the only one, and its
variance is ``λ(1 − λ) / (n (P(it | yes) − P(it | no))²)``.
"""

from __future__ import annotations

from fractions import Fraction

from deniable import exact
from deniable.channel import Channel
from deniable.designs.categorical import flip_probability, forced_response_k, k_ary
from deniable.designs.named import named
from deniable.exact import Number

__all__ = ["forced_response", "truth_or_lie", "warner"]


@named("mirrored", has_yes=True, flip="1/4")
def warner(flip: Number | None = None, *, epsilon: Number | None = None) -> Channel:
    r"""Warner's design: report the other one of two answers with probability `flip`.

    A spinner points to "I am one of them" or to "I am not one of them", out of the interviewer's
    sight; the respondent says whether the statement is true. Another name is the mirrored question.

    Parameters
    ----------
    flip : number, optional
        Chance that the report is not the truth, from 0 up to but not including 1/2. It is one
        minus Warner's ``p``, the chance that the spinner points to the respondent's own group.
    epsilon : number, optional
        The privacy loss to stay within, in place of `flip`: ``epsilon = ln((1 - flip) / flip)``.

    Notes
    -----
    P(yes | no) is ``flip`` and P(yes | yes) is ``1 − flip``.
    ``λ = flip + (1 − 2 flip) θ``, and the estimate of θ has the variance
    ``θ(1 − θ)/n + flip (1 − flip) / (n (1 − 2 flip)²)``.

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer
    bias. Journal of the American Statistical Association 60, 63-69, section 2.

    Examples
    --------
    >>> warner(flip="1/4").epsilon
    1.098613
    >>> warner(epsilon=1).epsilon
    1.0
    """
    if epsilon is None and flip is not None:
        return k_ary(2, keep=1 - flip_probability(flip, 2))
    if epsilon is not None and flip is None:
        return k_ary(2, epsilon)
    found = "neither" if flip is None else "both"
    raise ValueError(f"expected either flip or epsilon, found {found}")


@named(has_yes=True, truth="2/3")
def truth_or_lie(truth: Number = Fraction(3, 4)) -> Channel:
    """Tell the truth with probability `truth`, otherwise the opposite of it.

    With the default, two fair coins: lie if both show tails. It is Warner's design with
    ``flip = 1 - truth``.

    Parameters
    ----------
    truth : number
        Chance of telling the truth, above 1/2.

    Returns
    -------
    Channel
        Truths and reports: no, yes. P(yes | no) is ``1 − truth`` and P(yes | yes) is ``truth``.

    References
    ----------
    Warner (1965), see `warner`; told with coins as in Dwork and Roth (2014), section 2.3.
    """
    return k_ary(2, keep=exact.probability(truth, "the probability of telling the truth"))


@named(has_yes=True, truth="2/3", yes="1/2")
def forced_response(truth: Number, yes: Number) -> Channel:
    """Tell the truth with probability `truth`, otherwise say what the die says.

    Parameters
    ----------
    truth : number
        Chance that the respondent is asked for the truth, above 0.
    yes : number
        The share of forced answers that are yes. A die that asks for the truth on 2 to 5, and
        forces no on 1 and yes on 6, is ``truth="2/3", yes="1/2"``.

    Notes
    -----
    P(yes | no) is ``(1 − truth) yes`` and P(yes | yes) is ``truth + (1 − truth) yes``.
    ``λ = (1 − truth) yes + truth θ``, and the estimate of θ has the variance
    ``λ(1 − λ) / (n truth²)``. Programs that ask for the probabilities of a forced yes and a forced
    no mean ``(1 − truth) yes`` and ``(1 − truth)(1 − yes)``.

    References
    ----------
    Boruch (1971), see `forced_response_k`. Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and
    analysis of the randomized response technique. JASA 110, 1304-1319, section 2.

    Examples
    --------
    >>> forced_response(truth="2/3", yes="1/2").epsilon
    1.609438
    """
    forced_yes = exact.probability(yes, "the share of forced answers that are yes")
    return forced_response_k(truth, [1 - forced_yes, forced_yes])
