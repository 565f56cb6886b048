"""Outcomes and randomised predictors, checked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.joint.correlations import never_both
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.regression.design import check_channel, checked_reports
from deniable.channel import Channel
from deniable.report import NOT_ASKED

OUTCOMES: Final = ("linear", "logistic")
"""The outcome models by name."""


def checked_outcome(y: npt.ArrayLike, outcome: str) -> FloatArray:
    """Return the outcome as numbers, which the kind of outcome can have."""
    if outcome not in OUTCOMES:
        raise ValueError(f"expected an outcome of {', '.join(OUTCOMES)}, found {outcome!r}")
    values = np.asarray(y, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"expected outcomes of shape (n,), found an array of shape {values.shape}")
    bad = np.flatnonzero(~np.isfinite(values))
    if outcome == "logistic":
        bad = np.flatnonzero((values != 0) & (values != 1))
    if len(bad):
        wanted = "finite outcomes" if outcome == "linear" else "outcomes of 0 or 1"
        raise ValueError(f"expected {wanted}, found {values[bad[0]]} in row {bad[0]}")
    if values.min() == values.max():
        raise ValueError(f"expected an outcome that varies, found {values[0]} in every row")
    return values


def checked_items(
    reports: npt.ArrayLike,
    channel: Channel | Sequence[Channel],
    n: int,
) -> list[FloatArray]:
    """Return P(the report that came | truth) for every predictor, shape (n, truths)."""
    came = np.asarray(reports)
    if came.ndim not in (1, 2) or len(came) != n:
        raise ValueError(
            f"expected reports of shape ({n},) or ({n}, items), a row for each outcome, "
            f"found an array of shape {came.shape}"
        )
    came = came.reshape(n, -1)
    channels = [channel] if isinstance(channel, Channel) else list(channel)
    if len(channels) != came.shape[1]:
        raise ValueError(
            f"expected {came.shape[1]} channels, one for each randomised predictor, "
            f"found {len(channels)}"
        )
    there = came != NOT_ASKED
    for i, j in combinations(range(came.shape[1]), 2):
        if there[:, i].any() and there[:, j].any() and not (there[:, i] & there[:, j]).any():
            raise ValueError(never_both(i, j))
    return [_item(column, each) for column, each in zip(came.T, channels, strict=True)]


def _item(reports: npt.NDArray[np.int64], channel: Channel) -> FloatArray:
    check_channel(channel)
    came = checked_reports(reports, len(reports), channel, may_be_missing=True)
    # Whoever was not asked might have answered anything: P(no report | truth) is 1 for each truth.
    missing = came == NOT_ASKED
    found: FloatArray = channel.probabilities.T[np.where(missing, 0, came)]
    found[missing] = 1
    return found


def names_of_predictors(
    names: Sequence[str] | None, covariates: tuple[str, ...], truths: tuple[int, ...]
) -> tuple[str, ...]:
    """Return the names of the covariates and of each predictor's truths."""
    of_truths = tuple(
        f"truth {x}" if len(truths) == 1 else f"item {item} truth {x}"
        for item, count in enumerate(truths)
        for x in range(1, count)
    )
    if names is None:
        return covariates + of_truths
    given = tuple(str(name) for name in names)
    wanted = len(covariates) + len(of_truths)
    if len(given) != wanted or len(set(given)) < wanted:
        raise ValueError(
            f"expected {wanted} names that differ, one for each covariate and each truth but the "
            f"first, found {', '.join(given)}"
        )
    return given
