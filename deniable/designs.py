"""Randomised-response designs: functions that return a channel, and nothing more.

No part of the project downstream of a channel knows which design it came from, so adding a design
means adding a function here. Probabilities may be written as ``0.25``, ``"1/4"`` or
``Fraction(1, 4)`` and stay exact until the channel rounds them to multiples of 2^-32.

In this project the **flip probability** is the chance that the report differs from the truth.
Warner and most papers after him write ``p`` for the chance of the *truthful* statement, which is
one minus it.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from deniable import exact
from deniable.channel import ROW_SUM, Channel
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


def k_ary(k: int, epsilon: Number | None = None, *, keep: Number | None = None) -> Channel:
    """k-ary randomised response: keep the truth, or report any one of the other answers.

    Parameters
    ----------
    k : int
        Number of answers, 2 to 255.
    epsilon : number, optional
        The privacy loss to stay within, above 0. The channel's own ε is never above it.
    keep : number, optional
        In place of `epsilon`: chance that the report is the truth, above ``1/k``. The rest is
        shared evenly among the other answers.

    Returns
    -------
    Channel
        Truths and reports: the k answers.

    Raises
    ------
    ValueError
        If not exactly one of `epsilon` and `keep` is given, it is out of range, or ε is so small
        that weights of 32 bits cannot tell it from 0.

    References
    ----------
    Kairouz, P., Bonawitz, K. and Ramage, D. (2016). Discrete distribution estimation under local
    privacy. ICML, section 2.2 (k-RR).
    """
    if not 2 <= k <= 255:
        raise ValueError(f"expected 2 to 255 answers, found {k}")
    if epsilon is not None and keep is None:
        asked = exact.fraction(epsilon)
        if asked <= 0:
            raise ValueError(f"expected an epsilon above 0, found {epsilon}")
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
        raise ValueError("expected either epsilon or keep, found both or neither")
    own = ROW_SUM - (k - 1) * other
    if own <= other:
        raise ValueError(
            f"with {k} answers this is too close to no information at all for weights of 32 bits: "
            "expected a larger epsilon, or a larger probability of keeping the truth"
        )
    return Channel([own if report == truth else other for report in range(k)] for truth in range(k))


def truth_or_random(truth: Number = Fraction(1, 2), k: int = 2) -> Channel:
    """Tell the truth with probability `truth`, otherwise any answer, all equally likely.

    With the default, two fair coins: heads, tell the truth; tails, let a second coin answer. The
    truth is then reported with probability 3/4 and the other answer with 1/4.

    Parameters
    ----------
    truth : number
        Chance that the first coin asks for the truth, above 0.
    k : int
        Number of answers.

    Returns
    -------
    Channel

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, section 2.3.
    """
    asked = exact.probability(truth, "the probability of telling the truth")
    return k_ary(k, keep=asked + (1 - asked) / k)


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


def custom(table: Sequence[Sequence[Number]]) -> Channel:
    """Any law at all, written as a table of probabilities.

    Parameters
    ----------
    table : sequence of sequences of numbers, shape (truths, reports)
        Row ``x`` holds the probability of every report when the truth is ``x``. Reports need not
        equal truths in number.

    Returns
    -------
    Channel

    Raises
    ------
    ValueError
        If a row does not sum to exactly 1.

    References
    ----------
    van den Hout, A. and van der Heijden, P. G. M. (2002). Randomized response, statistical
    disclosure control and misclassification. International Statistical Review 70, 269-288,
    section 2.
    """
    return Channel.from_probabilities(table)


BY_NAME: Final[Mapping[str, Callable[..., Channel]]] = {
    design.__name__: design
    for design in (warner, truth_or_random, truth_or_lie, forced_response, k_ary, custom)
}
"""The designs that a survey file may name."""


def from_name(name: str, parameters: Mapping[str, object], answers: int) -> Channel:
    """Build the channel that a survey file asks for by a design's name.

    Parameters
    ----------
    name : str
        A key of `BY_NAME`.
    parameters : mapping
        The design's parameters by name. ``k`` may be left out: it is the number of answers.
    answers : int
        Number of answers that the channel must have as truths.

    Returns
    -------
    Channel

    Raises
    ------
    ValueError
        If the design or a parameter is unknown, a parameter is missing or out of range, or the
        design is for another number of answers.
    """
    if name not in BY_NAME:
        raise ValueError(f"expected one of {', '.join(BY_NAME)}, found {name!r}")
    accepted = inspect.signature(BY_NAME[name]).parameters
    given = {"k": answers, **parameters} if "k" in accepted else dict(parameters)
    for parameter in given:
        if parameter not in accepted:
            raise ValueError(
                f"{name} has no parameter {parameter!r}: expected {', '.join(accepted)}"
            )
    for parameter, declared in accepted.items():
        if declared.default is declared.empty and parameter not in given:
            raise ValueError(f"{name} needs the parameter {parameter!r}")
    if "k" in given and given["k"] != answers:
        given["k"] = int(exact.fraction(str(given["k"])))
    channel = BY_NAME[name](**given)
    if channel.truths != answers:
        raise ValueError(
            f"{name} gives a channel for {channel.truths} answers, "
            f"but the question has {answers} (counting 'prefer not to say')"
        )
    return channel


def flip_probability(flip: Number, k: int) -> Fraction:
    """Read a flip probability over k answers: at least 0, below ``(k - 1)/k``.

    Raises
    ------
    ValueError
        If it is not; at ``(k - 1)/k`` the report says nothing about the truth.
    """
    exact_flip = exact.fraction(flip)
    if not 0 <= exact_flip < Fraction(k - 1, k):
        raise ValueError(
            f"expected a flip probability from 0 up to but not including {k - 1}/{k} "
            f"(the chance that the report is not the truth), found {flip}"
        )
    return exact_flip


def refuse_for_collection(channel: Channel, reports: Sequence[str]) -> None:
    """Refuse a channel that gives somebody away, or from which nothing can be learned.

    Parameters
    ----------
    channel : Channel
    reports : sequence of str
        What each report is called.

    Raises
    ------
    ValueError
        If ε is unbounded, naming the reports that would give their senders away; or if the shares
        of the truths are not identifiable.
    """
    if channel.revealing_reports:
        named = ", ".join(f"{reports[report]!r}" for report in channel.revealing_reports)
        raise ValueError(
            f"epsilon is unbounded: the report {named} would give its sender away, because some "
            "truths send it and others never do; expected every report to be possible whatever "
            "the truth"
        )
    if not channel.identifiable:
        raise ValueError(
            "nothing could be learned: different populations would send the same reports; "
            "expected a table whose rows are linearly independent"
        )
