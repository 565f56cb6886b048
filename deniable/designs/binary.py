"""Designs for a yes-or-no question: Warner's and its successors."""

from __future__ import annotations

from fractions import Fraction

from deniable import exact
from deniable.channel import Channel
from deniable.designs.categorical import flip_probability, k_ary
from deniable.exact import Number


def warner(flip: Number | None = None, *, epsilon: Number | None = None) -> Channel:
    r"""Warner's design: report the other one of two answers with probability `flip`.

    Parameters
    ----------
    flip : number, optional
        Chance that the report is not the truth, from 0 up to but not including 1/2. It is one
        minus Warner's ``p``, the chance that the spinner points to the respondent's own group.
    epsilon : number, optional
        The privacy loss to stay within, in place of `flip`:
        :math:`\epsilon = \ln((1 - flip) / flip)`.

    Returns
    -------
    Channel
        Truths and reports: no, yes.

    Raises
    ------
    ValueError
        If not exactly one of `flip` and `epsilon` is given, or it is out of range.

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
    raise ValueError("expected either flip or epsilon, found both or neither")


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
        Truths and reports: no, yes.

    References
    ----------
    Warner (1965), see `warner`; told with coins as in Dwork and Roth (2014), section 2.3.
    """
    return k_ary(2, keep=exact.probability(truth, "the probability of telling the truth"))


def forced_response(truth: Number, yes: Number) -> Channel:
    """Tell the truth with probability `truth`, otherwise say what the die says.

    Parameters
    ----------
    truth : number
        Chance that the respondent is asked for the truth, above 0.
    yes : number
        The share of forced answers that are yes. With a die that asks for the truth on 2 to 5,
        forces no on 1 and yes on 6: ``truth="2/3", yes="1/2"``.

    Returns
    -------
    Channel
        Truths and reports: no, yes. P(yes) is ``(1 - truth) yes`` for a no and
        ``truth + (1 - truth) yes`` for a yes.

    Raises
    ------
    ValueError
        If a probability is out of range.

    References
    ----------
    Boruch, R. F. (1971). Assuring confidentiality of responses in social research. American
    Sociologist 6, 308-311. Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the
    randomized response technique. JASA 110, 1304-1319, section 2.1.

    Examples
    --------
    >>> forced_response(truth="2/3", yes="1/2").epsilon
    1.609438
    """
    asked = exact.probability(truth, "the probability of telling the truth")
    forced_yes = (1 - asked) * exact.probability(yes, "the share of forced answers that are yes")
    if not asked:
        raise ValueError("expected a probability of telling the truth above 0, found 0")
    return Channel.from_probabilities(
        [[1 - forced_yes, forced_yes], [1 - asked - forced_yes, asked + forced_yes]]
    )
