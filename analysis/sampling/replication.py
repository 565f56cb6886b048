"""Replicate weights of our own, of primary units, and the errors that refits show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray, IndexArray

WAYS: Final = ("jackknife", "bootstrap")
"""How replicates can be made."""

DRAWS: Final = 500
"""How many the bootstrap makes; their errors are off by about 3 % for that."""

MOST: Final = 1000
"""Of how many units the jackknife leaves out each in turn, at most."""


def factors(way: str, stratum: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Return what each unit's weight is multiplied by, and what each replicate's square counts for.

    The jackknife leaves out a unit at a time, whose stratum the others then stand for (JK1 without
    strata, JKn with them). The bootstrap draws one unit fewer than there are from each stratum,
    with replacement.

    Rust, K. F. and Rao, J. N. K. (1996). Variance estimation for complex surveys using replication
    techniques. Statistical Methods in Medical Research 5, 283-310. Rao, J. N. K., Wu, C. F. J. and
    Yue, K. (1992). Some recent work on resampling methods for complex surveys. Survey Methodology
    18, 209-217.
    """
    units = len(stratum)
    drawn = np.bincount(stratum)[stratum]
    instead = drawn / (drawn - 1)
    if way == "jackknife":
        if units > MOST:
            raise ValueError(
                f"expected at most {MOST:,} units to leave out in turn, found {units:,}: the "
                "bootstrap takes any number"
            )
        found = np.where(stratum[:, np.newaxis] == stratum, instead, 1.0)
        np.fill_diagonal(found, 0)
        return found, 1 / instead
    if way != "bootstrap":
        raise ValueError(f"expected replicates by {' or '.join(WAYS)}, found {way!r}")
    random, found = np.random.default_rng(1992), np.zeros((units, DRAWS))
    for one in np.unique(stratum):
        inside = np.flatnonzero(stratum == one)
        n = len(inside)
        times = random.multinomial(n - 1, np.full(n, 1 / n), size=DRAWS)
        found[inside] = times.T * n / (n - 1)
    return found, np.full(DRAWS, 1 / DRAWS)


def covariance_of_refits(
    replicates: FloatArray,
    scale: float | FloatArray,
    X: FloatArray,
    fit: Callable[[FloatArray], FloatArray],
    whole: FloatArray,
) -> FloatArray:
    """Fit a regression anew with the weights of each replicate, and return the covariance.

    `replicates`, shape (people, replicates). `scale`: of each squared distance from the `whole`
    sample's estimate (R's ``mse = TRUE``). `X`, shape (people, p): covariates. `fit`: from weights
    to what is estimated; a `ValueError` or `ArithmeticError` says why it cannot be.
    """
    moved = np.empty((replicates.shape[1], len(whole)))
    for place, w in enumerate(replicates.T):
        try:
            if np.linalg.matrix_rank(X[w > 0]) < X.shape[1]:
                raise ValueError("it leaves out all people of a kind that the terms tell apart")
            moved[place] = fit(w) - whole
        except (ValueError, ArithmeticError) as mistake:
            raise ValueError(
                f"replicate {place + 1} of {len(moved)}: the regression cannot be fitted to it "
                f"({mistake}); without replicates, its errors are linearised"
            ) from None
    return np.asarray(scale * moved.T @ moved)
