"""Whether a regression on direct answers may be shown, as offices of statistics check outputs.

A regression uses everybody, and numbers as numbers. It reveals few people if it is a table of them:
if a column of its covariates has few people, such as a group or `I(age > 79)`, if it has nearly as
many terms as people, or as many as combinations of covariates (Brandt et al. 2010, "Guidelines for
the checking of output based on microdata research", section 5). Each regression is checked by
itself: what follows from several is not bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.privacy.disclosure import TooFewError

A_TERM: Final = 10
"""Least number of people for each term of a regression."""

_CHECKED: ContextVar[tuple[int, bool] | None] = ContextVar("checked", default=None)


@contextmanager
def checked(least: int, *, of_several: bool) -> Iterator[None]:
    """Check every regression inside.

    `least`: people in each group. `of_several`: whether several direct items are involved, so that
    a saturated regression is their table.
    """
    token = _CHECKED.set((least, of_several))
    try:
        yield
    finally:
        _CHECKED.reset(token)


def check_regression(X: FloatArray, names: Sequence[str], times: IntArray | None) -> None:
    """Refuse covariates, shape (rows, terms), by which a regression would reveal few people.

    `times`, shape (rows,): how many people each row is of; by default one.
    """
    rule = _CHECKED.get()
    if rule is None:
        return
    least, of_several = rule
    people = np.ones(len(X), dtype=np.int64) if times is None else times
    n = int(people.sum())
    if n < A_TERM * X.shape[1]:
        raise TooFewError(
            f"too few people to show: expected at least {A_TERM} people for each of the "
            f"{X.shape[1]} terms, found {n:,}"
        )
    for name, column in zip(names, X.T, strict=True):
        values, of_row = np.unique(column, return_inverse=True)
        there = np.bincount(of_row.reshape(-1), people)
        others = n - there.max()
        if len(values) > 1 and others < least:
            raise TooFewError(
                f"too few people to show: fewer than {least} people differ from the others in "
                f"{name}"
            )
    if of_several and len(np.unique(X, axis=0)) <= X.shape[1]:
        raise TooFewError(
            "too few people to show: a regression with a term for each combination of direct "
            "answers is a table of them. Expected fewer terms, or a table of two questions"
        )
