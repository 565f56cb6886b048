"""The tally: counts of every item's reports, the only data that the estimates need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import IntArray
from deniable.report import NOT_ASKED, NOT_DRAWN
from deniable.survey import Survey

_AT_ONCE: Final = 2**18
"""Most rows that wait to be merged."""

_WORD: Final = 8


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


def merge_rows(
    rows: npt.NDArray[np.uint8], times: IntArray | None = None
) -> tuple[npt.NDArray[np.uint8], IntArray]:
    """Return the distinct rows, sorted by their bytes, and how often each came.

    `times`, shape (rows,): how often each given row came; by default once.
    """
    if times is not None:
        first, counts = first_of_alike(rows, times)
        return rows[first], counts
    width = rows.shape[1]
    found, came = np.unique(_keys(rows), return_counts=True)
    counts = came.astype(np.int64)
    if width > _WORD:
        return np.frombuffer(found.tobytes(), dtype=np.uint8).reshape(-1, width), counts
    return found.astype(">u8").view(np.uint8).reshape(-1, _WORD)[:, _WORD - width :], counts


def first_of_alike(
    rows: npt.NDArray[np.uint8], times: IntArray | None
) -> tuple[npt.NDArray[np.intp], IntArray]:
    """Return the place of each different row, in the order of their bytes, and how often it came.

    `times`, shape (rows,): how often each given one came; by default once.
    """
    _, first, of_row = np.unique(_keys(rows), return_index=True, return_inverse=True)
    counts = np.bincount(of_row.reshape(-1), times, len(first)).astype(np.int64)
    return first, counts


def _keys(rows: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    """Return what each row is sorted by."""
    width = rows.shape[1]
    if width > _WORD:
        return np.ascontiguousarray(rows).view(np.dtype((np.void, width))).reshape(-1)
    # Numbers are sorted many times faster than strings of bytes.
    words = np.zeros((len(rows), _WORD), dtype=np.uint8)
    words[:, _WORD - width :] = rows
    return words.view(">u8").reshape(-1).astype(np.uint64)


def in_bytes(numbers: npt.NDArray[np.integer]) -> npt.NDArray[np.uint8]:
    """Write numbers of at least 0 in as few bytes as the greatest needs, none where all are 0."""
    width = (int(numbers.max(initial=0)).bit_length() + 7) // 8
    return numbers.astype(">u8").view(np.uint8).reshape(-1, _WORD)[:, _WORD - width :]


def count_rows(chunks: Iterable[bytes], survey: Survey) -> tuple[npt.NDArray[np.uint8], IntArray]:
    """Count how often each row came, merging equal rows as the chunks come.

    If most rows differ, as with many questions, rows are no longer merged: some then return several
    times.

    Parameters
    ----------
    chunks : iterable of bytes
        Each of whole reports, as for `split_rows`.

    Returns
    -------
    rows : ndarray of uint8, shape (rows, bytes)
    times : ndarray of int64, shape (rows,)
    """
    return merge_chunks((_rows_of(chunk, survey) for chunk in chunks), survey.row_length)


def merge_chunks(
    held: Iterator[npt.NDArray[np.uint8]], width: int
) -> tuple[npt.NDArray[np.uint8], IntArray]:
    """Count how often each row of some bytes came, as `count_rows` does."""
    parts, waiting = [_once(np.empty((0, width), dtype=np.uint8))], 0
    for rows in held:
        parts.append(merge_rows(rows))
        waiting += len(parts[-1][0])
        if waiting > _AT_ONCE:
            parts = [merge_rows(*_joined(parts))]
            waiting = len(parts[0][0])
            if waiting > _AT_ONCE // 2:
                return _joined([*parts, *map(_once, held)])
    return merge_rows(*_joined(parts))


def count_many(
    held: Iterator[npt.NDArray[np.uint8]],
) -> tuple[npt.NDArray[np.uint8], IntArray | None]:
    """Count how often each row came; of what is held at once keep each, without counts."""
    parts = [*islice(held, 2)]
    if len(parts) < 2:
        return parts[0], None
    return merge_chunks(chain(parts, held), parts[0].shape[1])


def _rows_of(chunk: bytes, survey: Survey) -> npt.NDArray[np.uint8]:
    length = survey.row_length
    if len(chunk) % length:
        raise ValueError(f"expected whole answers of {length} bytes each, found {len(chunk)} bytes")
    return np.frombuffer(chunk, dtype=np.uint8).reshape(-1, length)


def _once(rows: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint8], IntArray]:
    return rows, np.ones(len(rows), dtype=np.int64)


def _joined(
    parts: list[tuple[npt.NDArray[np.uint8], IntArray]],
) -> tuple[npt.NDArray[np.uint8], IntArray]:
    rows, times = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(times)


def split_counted(
    chunks: Iterable[bytes], survey: Survey
) -> tuple[npt.NDArray[np.uint8], IntArray, IntArray]:
    """Read the answers and waves of `split_rows`, and how often each row of `count_rows` came."""
    rows, times = count_rows(chunks, survey)
    return *split_rows(rows.tobytes(), survey), times


def split_rows(chunk: bytes, survey: Survey) -> tuple[npt.NDArray[np.uint8], IntArray]:
    """Read whole rows of `Report.row`: answers, shape (n, items), 255 for "not asked"; waves."""
    rows = _rows_of(chunk, survey)
    if survey.draws:
        # The estimates need only who was asked which item.
        rows = np.where(rows == NOT_DRAWN, np.uint8(NOT_ASKED), rows)
    # A survey that is asked once writes no wave.
    waves = 1 + rows[:, len(survey.items) :].sum(axis=1, dtype=np.int64)
    if waves.max(initial=0) > survey.waves:
        raise ValueError(f"expected waves up to {survey.waves}, found {waves.max()}")
    return rows[:, : len(survey.items)], waves


def join_rows(answers: npt.NDArray[np.uint8], waves: IntArray, survey: Survey) -> bytes:
    """Write the rows that `split_rows` reads."""
    rows = np.column_stack([answers, (waves - 1).astype(np.uint8)])
    return rows[:, : survey.row_length].tobytes()


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
