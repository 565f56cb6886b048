"""Convergence by a certificate, never by a number of iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

GAP: Final = 1e-10
"""How far below the greatest log-likelihood a result may be, in nats per report.

Steps continue below it for as long as they help, mostly to 1e-14. Rounding cannot keep a result
above it: a derivative is a sum of at most a few hundred nonnegative numbers that is about 1, each
with a relative error of 1e-16, so its error is below 1e-13; and each step is solved as a
correction, whose errors the next step corrects.
"""


DECREMENT: Final = 1e-10
"""The greatest Newton decrement of a maximum, the squared length of the next step in standard
errors: no parameter is more than 1e-5 of its standard error away from where the score is 0."""

MOVED: Final = 1e-5
"""How far the next step may move a linear predictor at a maximum: on the way to infinity the
decrement goes to 0 because the standard errors grow, while every step is as long as the one before.
"""


class ConvergenceError(ArithmeticError):
    """A certificate that was not reached; the message says by how much, and why."""


class ConvergenceWarning(UserWarning):
    """One of several results is missing for lack of its certificate; the others are valid."""


def where_certain(find: Callable[[], T]) -> T | None:
    """Return the result of a search, or None if its certificate is not reached."""
    try:
        return find()
    except ConvergenceError:
        return None
