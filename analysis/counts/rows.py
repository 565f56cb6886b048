"""Rows of reports: a byte for each item, 255 for "not asked", and one for the wave if several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import BoolArray, IndexArray, IntArray
from deniable.report import NOT_ASKED, NOT_DRAWN
from deniable.survey import Survey
from deniable.survey.draws import can_draw
from deniable.survey.grouped import Columns
from deniable.survey.questions import Protection

_AT_ONCE: Final = 2**18
"""Most rows that wait to be merged."""

_CHUNK: Final = 2**20
"""Bytes of reports per chunk."""

_WORD: Final = 8


@dataclass(frozen=True, eq=False)
class Rows:
    """Reports and what distinguishes people besides: the keys of all suppression.

    People who sent equal reports are one row (`times`), as far as rows were merged. `answers`,
    shape (rows, items): all reports of a snapshot, 255 for "not asked": suppression in one table
    depends on the other tables. Direct answers of people with a rare pattern are 255 too, see
    `deniable.analysis.privacy.disclosure.few_alike`. `patterns`, shape (rows,): equal numbers for
    people who were asked the same questions, as far as other people can know that; see
    `patterns_of`. `waves`, shape (rows,): the wave of each, from 1. `times`, shape (rows,): how
    many people sent each row. `least`: how many people a published cell needs; with 1 nothing is
    suppressed. `wanted`: the direct columns that may leave together, in the order in which they
    are added; see `deniable.analysis.privacy.columns`.
    """

    survey: Survey
    answers: npt.NDArray[np.uint8]
    patterns: IntArray
    waves: IntArray
    times: IntArray
    least: int
    wanted: Columns

    def wave(self, wave: int) -> Rows:
        """Return the rows of one wave, from 1."""
        inside = self.waves == wave
        return replace(
            self,
            answers=self.answers[inside],
            patterns=self.patterns[inside],
            waves=self.waves[inside],
            times=self.times[inside],
        )

    @property
    def n(self) -> int:
        """Number of reports."""
        return int(self.times.sum())

    @cached_property
    def direct(self) -> tuple[int, ...]:
        """The positions of the items that are asked directly."""
        return direct_places(self.survey)


def merge_rows(
    rows: npt.NDArray[np.uint8], times: IntArray | None = None
) -> tuple[npt.NDArray[np.uint8], IntArray]:
    """Return the distinct rows, sorted by their bytes, and how often each came.

    `times`, shape (rows,): how often each given row came; by default once.
    """
    if times is not None:
        first, of_row = alike(rows)
        return rows[first], people_of(of_row, times)
    width = rows.shape[1]
    found, came = np.unique(_keys(rows), return_counts=True)
    counts = came.astype(np.int64)
    if width > _WORD:
        return np.frombuffer(found.tobytes(), dtype=np.uint8).reshape(-1, width), counts
    return found.astype(">u8").view(np.uint8).reshape(-1, _WORD)[:, _WORD - width :], counts


def alike(rows: npt.NDArray[np.uint8]) -> tuple[IndexArray, IndexArray]:
    """Return the place of each distinct row, in the order of their bytes, and which each row is."""
    _, first, of_row = np.unique(_keys(rows), return_index=True, return_inverse=True)
    return first, of_row.reshape(-1)


def people_of(of_row: IndexArray, times: IntArray | None) -> IntArray:
    """Count the people of each distinct row; `times`, shape (rows,): how many sent each."""
    return np.bincount(of_row, times).astype(np.int64)


def _keys(rows: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
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
    parts, waiting = [_each_once(np.empty((0, width), dtype=np.uint8))], 0
    for rows in held:
        parts.append(merge_rows(rows))
        waiting += len(parts[-1][0])
        if waiting > _AT_ONCE:
            parts = [merge_rows(*_concatenate(parts))]
            waiting = len(parts[0][0])
            if waiting > _AT_ONCE // 2:
                return _concatenate([*parts, *map(_each_once, held)])
    return merge_rows(*_concatenate(parts))


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


def _each_once(rows: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint8], IntArray]:
    return rows, np.ones(len(rows), dtype=np.int64)


def _concatenate(
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


def join_rows(
    answers: npt.NDArray[np.uint8], waves: IntArray, survey: Survey
) -> npt.NDArray[np.uint8]:
    """Return the rows whose bytes `split_rows` reads."""
    rows = np.column_stack([answers, (waves - 1).astype(np.uint8)])
    return rows[:, : survey.row_length]


def repeated(
    rows: npt.NDArray[np.uint8], times: IntArray, most: int = _CHUNK
) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield each row as often as it came, in chunks of about so many bytes."""
    step = max(1, most // rows.shape[1])
    for start in range(0, len(rows), step):
        left = times[start : start + step].copy()
        while left.any():
            # As many rows as fill a chunk, even if millions of people sent one row.
            now = np.minimum(left, np.maximum(step - (np.cumsum(left) - left), 0))
            left -= now
            yield np.repeat(rows[start : start + step], now, axis=0)


def direct_places(survey: Survey) -> tuple[int, ...]:
    """Return the positions of the items that are asked directly."""
    return tuple(
        place for place, item in enumerate(survey.items) if item.protection is Protection.DIRECT
    )


def patterns_of(
    survey: Survey, answers: npt.NDArray[np.uint8], *, is_alone: bool = False
) -> npt.NDArray[np.uint8]:
    """Return which questions each report was asked, as far as other people can know that.

    `survey`: the revision that was answered, if known. `answers`, shape (reports, items).
    `is_alone`: whether all existing reports are known to be to this revision. Then, in a survey
    without waves, each person sent one report. The device's draw for it (`Survey.draws`) depends on
    nothing else, and only the device's owner has seen it: all complete reports are one pattern.
    Result, shape (reports, bytes): equal rows for equal patterns.
    """
    packed = np.packbits(answers == NOT_ASKED, axis=1)
    if is_alone and survey.draws and not survey.is_repeated:
        packed[is_whole(survey, answers)] = 0
    return packed


def without(
    answers: npt.NDArray[np.uint8], people: BoolArray, places: Collection[int]
) -> npt.NDArray[np.uint8]:
    """Return reports in which `NOT_ASKED` replaces the answers of some people to some items."""
    found = answers.copy()
    found[np.flatnonzero(people)[:, np.newaxis], sorted(places)] = NOT_ASKED
    return found


def is_whole(survey: Survey, answers: npt.NDArray[np.uint8]) -> BoolArray:
    """Return which reports answer everything that chance drew, and everything it does not draw."""
    if not survey.draws:
        return np.asarray((answers != NOT_ASKED).all(axis=1))
    patterns, of_row = np.unique(answers != NOT_ASKED, axis=0, return_inverse=True)
    whole = np.array([can_draw(survey.draws, pattern.tolist()) for pattern in patterns], dtype=bool)
    return whole[of_row.reshape(-1)]
