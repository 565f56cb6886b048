"""Outcomes and randomised predictors, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.regression.design import checked_channels
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
    channel: Channel | Sequence[Channel | Sequence[Channel]],
    arm: npt.ArrayLike | None,
    n: int,
) -> list[FloatArray]:
    """Return P(the report that came | truth) for every predictor, shape (n, truths)."""
    came = np.asarray(reports)
    if came.ndim not in (1, 2) or len(came) != n:
        raise ValueError(
            f"expected reports of shape ({n},) or ({n}, items), a row for each outcome, "
            f"found an array of shape {came.shape}"
        )
    if came.dtype.kind not in "iub":
        raise ValueError(f"expected reports that are integers, found {came.dtype}")
    if came.ndim == 1:
        return [_item(came, checked_channels(channel), arm)]  # type: ignore[arg-type]
    channels = [channel] if isinstance(channel, Channel) else list(channel)
    if len(channels) != came.shape[1]:
        raise ValueError(
            f"expected {came.shape[1]} channels, one for each randomised predictor, "
            f"found {len(channels)}"
        )
    return [
        _item(column, checked_channels(each), arm)
        for column, each in zip(came.T, channels, strict=True)
    ]


def _item(
    came: npt.NDArray[np.int64], channels: tuple[Channel, ...], arm: npt.ArrayLike | None
) -> FloatArray:
    if arm is None and len(channels) > 1:
        raise ValueError(
            f"expected arm=, which of the {len(channels)} channels each respondent answered by, "
            "found None"
        )
    asked = np.zeros(len(came), dtype=np.int64) if arm is None else np.asarray(arm)
    if asked.shape != came.shape or asked.dtype.kind not in "iub":
        raise ValueError(
            f"expected {len(came)} arms that are integers, one for each outcome, "
            f"found {asked.dtype} of shape {asked.shape}"
        )
    bad = np.flatnonzero((asked < 0) | (asked >= len(channels)))
    if len(bad):
        raise ValueError(
            f"expected an arm from 0 to {len(channels) - 1}, found {asked[bad[0]]} in row {bad[0]}"
        )
    # Whoever was not asked might have answered anything: P(no report | truth) is 1 for each truth.
    found = np.ones((len(came), channels[0].truths))
    for index, each in enumerate(channels):
        rows = np.flatnonzero((asked == index) & (came != NOT_ASKED))
        bad = rows[(came[rows] < 0) | (came[rows] >= each.reports)]
        if len(bad):
            raise ValueError(
                f"expected a report from 0 to {each.reports - 1}, "
                f"found {came[bad[0]]} in row {bad[0]}"
            )
        found[rows] = each.probabilities.T[came[rows]]
    impossible = np.flatnonzero(~found.any(axis=1))
    if len(impossible):
        row = impossible[0]
        raise ValueError(
            f"expected no report {came[row]}, which no truth can send, found it in row {row}"
        )
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
