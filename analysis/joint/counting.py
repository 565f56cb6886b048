"""How often each combination of reports to several items came."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.labels import Codes, Counts, check_sendable, check_whole, in_order
from deniable.analysis.numerics.arrays import IntArray
from deniable.channel import Channel
from deniable.report import NOT_ASKED

MAX_JOINT_REPORTS: Final = 2**24
"""The most combinations of reports that are counted: 128 MiB of counts."""


def joint_counts(
    reports: npt.ArrayLike,
    channels: Sequence[Channel],
    items: Sequence[int] | None = None,
    *,
    times: IntArray | None = None,
) -> npt.NDArray[np.int64]:
    """Count how often each combination of reports came.

    Parameters
    ----------
    reports : array_like of uint8, shape (n, all items)
        One row per respondent, one byte per item; 255 means "not asked".
    channels : sequence of Channel
        Of the counted items.
    times : ndarray of int64, shape (n,), optional
        How many respondents sent each row; by default one.

    Returns
    -------
    ndarray of int64, shape (reports_1, ..., reports_d)
        Respondents who were not asked all of these items are left out: the sum is the number of
        respondents who were, which differs between pairs of items.

    Examples
    --------
    >>> from deniable import designs
    >>> channel = designs.warner(flip="1/4")
    >>> answers = np.array([[0, 1, 1], [0, 1, 255], [1, 255, 0]], dtype=np.uint8)
    >>> joint_counts(answers, [channel, channel], items=[0, 1])
    array([[0, 2],
           [0, 0]])
    """
    given = np.asarray(reports)
    columns = list(range(len(channels))) if items is None else list(items)
    if given.ndim != 2 or given.dtype != np.uint8:
        raise ValueError(
            f"expected a matrix of bytes (uint8), a row a respondent, "
            f"found {given.dtype} of shape {given.shape}"
        )
    if not channels or len(columns) != len(channels):
        raise ValueError(
            f"expected a channel for each of the {len(columns)} items, found {len(channels)}"
        )
    if items is None and given.shape[1] != len(channels):
        raise ValueError(f"expected {len(channels)} columns, one a channel, found {given.shape[1]}")
    for column in columns:
        if not 0 <= column < given.shape[1]:
            raise ValueError(f"expected items from 0 to {given.shape[1] - 1}, found {column}")
    shape = [channel.reports for channel in channels]
    if math.prod(shape) > MAX_JOINT_REPORTS:
        raise ValueError(
            f"expected at most {MAX_JOINT_REPORTS} combinations of reports, "
            f"found {math.prod(shape)}: take fewer items at a time"
        )
    chosen = given[:, columns]
    for position, (column, of) in enumerate(zip(columns, shape, strict=True)):
        unknown = (chosen[:, position] >= of) & (chosen[:, position] != NOT_ASKED)
        if unknown.any():
            row = int(unknown.argmax())
            raise ValueError(
                f"row {row}, item {column}: expected a report below {of}, or {NOT_ASKED} for not "
                f"asked, found {chosen[row, position]}"
            )
    inside = (chosen != NOT_ASKED).all(axis=1)
    flat = np.ravel_multi_index(tuple(chosen[inside].T.astype(np.intp)), shape)
    came = None if times is None else times[inside]
    return np.bincount(flat, came, math.prod(shape)).astype(np.int64).reshape(shape)


def check_joint_counts(
    counts: Counts, channels: Sequence[Channel], codes: Sequence[Codes | None] | None = None
) -> npt.NDArray[np.int64]:
    """Copy joint counts, and reject numbers that are not counts."""
    shape = tuple(channel.reports for channel in channels)
    given = np.asarray(in_order(counts, shape, codes))
    if not channels or given.shape != shape:
        raise ValueError(
            f"expected joint counts of shape {shape}, the reports of the channels, "
            f"found {given.shape}"
        )
    counted = check_whole(given)
    for item, channel in enumerate(channels):
        of_item = counted.sum(axis=tuple(set(range(len(channels))) - {item}))
        check_sendable(of_item, channel, f"item {item}: ")
    return counted
