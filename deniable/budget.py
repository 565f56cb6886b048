"""One privacy budget ε over several questions.

Every ε here is an integer number of millionths, so that a budget is kept in exact arithmetic:
shares are rounded down, a channel built within a share never exceeds it, and integers add up
without error (basic composition: Dwork and Roth 2014, theorem 3.16).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from deniable import designs, exact
from deniable.channel import Channel


def share(total: int, weights: Sequence[Fraction], items: Sequence[int]) -> list[int]:
    """Share a budget over questions by weight, and over the items of each equally.

    Parameters
    ----------
    total : int
        The ε to share, in millionths, at least 0.
    weights : sequence of Fraction
        One for each question, above 0; all alike for an equal split.
    items : sequence of int
        How many items each question has, at least 1.

    Returns
    -------
    list of int
        The ε in millionths that each *item* of each question may cost, rounded down:
        ``sum(share * items) <= total``.

    Examples
    --------
    >>> share(3_000_000, [Fraction(1), Fraction(2)], [1, 4])
    [1000000, 500000]
    """
    whole = sum(weights)
    return [total * weight // (whole * count) for weight, count in zip(weights, items, strict=True)]


def spend(millionths: int, answers: int) -> Channel:
    """Return the k-ary channel that makes the most of an item's share.

    Parameters
    ----------
    millionths : int
        The ε that it may cost, above 0.
    answers : int
        Number of answers.

    Returns
    -------
    Channel
        Its ε is at most the share.

    Raises
    ------
    ValueError
        If the share is too small to build a channel from.
    """
    return designs.k_ary(answers, Fraction(millionths, exact.MILLION))
