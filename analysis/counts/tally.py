"""The tally: counts of every item's reports, all that the estimates need of the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.report import NOT_ASKED
from deniable.survey import Survey


@dataclass(frozen=True, eq=False)
class Tally:
    """How often each report of each item came.

    Parameters
    ----------
    revision : str
        Of the survey that was answered.
    n : int
        Number of respondents.
    counts : tuple of ndarray of int64
        For each item of the survey, in order, an array of shape (reports,). It sums to the number
        of respondents who were asked, which may be less than `n`.
    """

    revision: str
    n: int
    counts: tuple[npt.NDArray[np.int64], ...]


def count_reports(chunks: Iterable[bytes], survey: Survey) -> Tally:
    """Count reports.

    Parameters
    ----------
    chunks : iterable of bytes
        Each the answers of whole respondents, one after the other: a byte an item, in order.
        Chunks of a mebibyte or more cost least.

    Returns
    -------
    Tally
        Byte 255, "not asked", is counted in no report.

    Raises
    ------
    ValueError
        If a chunk ends inside a respondent's answers, or holds a byte that its item's channel
        cannot report; the message names the item.
    """
    items = survey.items
    counts = np.zeros((len(items), 256), dtype=np.int64)
    n = 0
    for chunk in chunks:
        respondents, rest = divmod(len(chunk), len(items))
        if rest:
            raise ValueError(
                f"expected whole answers of {len(items)} bytes each, found {len(chunk)} bytes"
            )
        n += respondents
        answers = np.frombuffer(chunk, dtype=np.uint8).reshape(respondents, len(items))
        for position, column in enumerate(answers.T):
            counts[position] += np.bincount(column, minlength=256)
    for item, count in zip(items, counts, strict=True):
        unknown = np.flatnonzero(count[item.channel.reports : NOT_ASKED])
        if len(unknown):
            raise ValueError(
                f"item {item.id!r}: expected reports below {item.channel.reports}, "
                f"or {NOT_ASKED} for not asked, found {item.channel.reports + unknown[0]}"
            )
    return Tally(
        revision=survey.revision,
        n=n,
        counts=tuple(
            count[: item.channel.reports] for item, count in zip(items, counts, strict=True)
        ),
    )
