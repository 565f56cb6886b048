"""Taking part as a secret: randomised response where neighbours differ by a person's presence."""

from __future__ import annotations

from fractions import Fraction

from deniable import exact
from deniable.channel import Channel
from deniable.designs.categorical import flip_probability
from deniable.exact import Number


def participation(flip: Number, sampled: Number) -> Channel:
    """Hide the answer and also whether somebody takes part: add/delete neighbours.

    Everybody on a list is represented by a device that sends one report. The device of somebody who
    takes part tosses a coin: with probability `sampled` it sends their answer, randomised by
    Warner's design, and otherwise ⊥, "nothing". The device of somebody who stays away does it the
    other way round: with probability `sampled` it sends ⊥, and otherwise no or yes by a fair coin.

    Parameters
    ----------
    flip : number
        Chance that an answer which is sent is not the truth, from 0 up to but not including 1/2.
    sampled : number
        Chance that somebody who takes part is included in the sample, above 1/2; the same chance
        that somebody who stays away is seen to have sent nothing.

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
    equal: then hiding who takes part costs nothing beyond hiding the answer.

    *Why plain randomised response has no finite ε here.* Whoever takes part sends no or yes,
    whoever stays away sends nothing: in the table of ``q = 1`` each column holds a zero beside a
    number that is not, and ε is infinite. A report of any kind says for sure that its sender took
    part. Sampling alone is half a remedy. If those who take part are left out with probability
    ``1 − q``, a ⊥ no longer says that somebody stayed away. But a no or a yes still says that they
    did not: these columns keep their zeros as long as the absent send ⊥ only. So some of the absent
    must be seen to answer. That is no whim of this design but the definition: ε is finite only if
    the absent send every report that the present can send, with a probability within a factor e^ε.
    The examples show the three tables.

    The price is that there must be a list, and a device that reports for each name on it. Who
    merely sends nothing when staying away is not protected by this table.

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
