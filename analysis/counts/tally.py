"""The tally: counts of every item's reports, the only data that the estimates need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.rows import Rows, split_rows
from deniable.analysis.numerics.arrays import IntArray
from deniable.report import NOT_ASKED
from deniable.survey import Survey


@dataclass(frozen=True, eq=False)
class Tally:
    """How often each report of each item came.

    Parameters
    ----------
    revision : str
        Revision of the survey that was answered.
    counts : tuple of ndarray of int64
        For each item of the survey, in order, an array of shape (reports,). Its sum is the number
        of respondents who were asked the item, which may be less than `n`.
    """

    revision: str
    n: int
    counts: tuple[npt.NDArray[np.int64], ...]


def by_wave(chunks: Iterable[bytes], survey: Survey) -> Iterator[tuple[int, npt.NDArray[np.uint8]]]:
    """Yield the answers of each chunk, wave by wave."""
    for chunk in chunks:
        answers, waves = split_rows(chunk, survey)
        for wave in np.unique(waves).tolist():
            yield wave, answers[waves == wave]


def count_reports(chunks: Iterable[bytes], survey: Survey) -> Tally:
    """Count reports over all waves; byte 255, "not asked", counts as no report.

    Parameters
    ----------
    chunks : iterable of bytes
        Each of whole reports, as for `split_rows`. Chunks of a mebibyte or more cost least.
    """
    return count_answers((split_rows(chunk, survey)[0] for chunk in chunks), survey)


def count_waves(chunks: Iterable[bytes], survey: Survey) -> dict[int, Tally]:
    """Count the reports of each wave with reports, ascending; of the first if there are none.

    Parameters and errors are those of `count_reports`.
    """
    of: dict[int, list[npt.NDArray[np.uint8]]] = {}
    for wave, answers in by_wave(chunks, survey):
        of.setdefault(wave, []).append(answers)
    return {wave: count_answers(of.get(wave, ()), survey) for wave in sorted(of) or [1]}


def count_kept(rows: Rows) -> dict[int, Tally]:
    """Count reports without the answers that are hidden, as `count_waves` does."""
    inside = {wave: rows.waves == wave for wave in np.unique(rows.waves).tolist() or [1]}
    return {
        wave: count_answers([rows.answers[own]], rows.survey, [rows.times[own]])
        for wave, own in inside.items()
    }


def count_answers(
    parts: Iterable[npt.NDArray[np.uint8]],
    survey: Survey,
    times: Iterable[IntArray | None] = repeat(None),
) -> Tally:
    """Count reports; each part is an array of shape (rows, items).

    `times`: how often each row of each part came; by default once.
    """
    items = survey.items
    counts = np.zeros((len(items), 256), dtype=np.int64)
    n = 0
    for answers, came in zip(parts, times, strict=False):
        n += len(answers) if came is None else int(came.sum())
        for position, column in enumerate(answers.T):
            counts[position] += np.bincount(column, came, minlength=256).astype(np.int64)
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
