"""What it means that a maximum was found: a certificate, never a number of iterations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

S = TypeVar("S")
T = TypeVar("T")

GAP: Final = 1e-10
"""How far below the greatest log-likelihood a result may be, in nats a report.

Steps go on below it for as long as they help, in most cases to 1e-14. Rounding can keep no result
above it: a derivative is a sum of at most a few hundred numbers of at least 0 that adds up to about
1, each with a relative error of 1e-16, so that it is wrong by less than 1e-13; and the steps are
solved for as corrections, whose own errors the next step corrects.
"""


class ConvergenceError(ArithmeticError):
    """The certificate was not reached; the message says how far away it stayed, and why."""


class ConvergenceWarning(UserWarning):
    """One of several results is missing for want of its certificate; the others stand."""


def where_certain(find: Callable[[], T]) -> T | None:
    """Return what a search finds, or None where its certificate is not reached."""
    try:
        return find()
    except ConvergenceError:
        return None


def reached_from(starts: Iterable[S], climb: Callable[[S], T]) -> list[T]:
    """Return the maxima to which the starting values lead; an error if none leads to one."""
    reached, failures = [], []
    for start in starts:
        try:
            reached.append(climb(start))
        except ConvergenceError as failure:
            failures.append(failure)
    if not reached:
        raise failures[0]
    return reached
