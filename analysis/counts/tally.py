"""The tally: counts of every item's reports, all that the estimates need of the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import IntArray
from deniable.report import NOT_ASKED, NOT_DRAWN
from deniable.survey import Survey


@dataclass(frozen=True, eq=False)
class Tally:
    """How often each report of each item came.

    Parameters
    ----------
    revision : str
        Of the survey that was answered.
    counts : tuple of ndarray of int64
        For each item of the survey, in order, an array of shape (reports,). It sums to the number
        of respondents who were asked, which may be less than `n`.
    """

    revision: str
    n: int
    counts: tuple[npt.NDArray[np.int64], ...]


def split_rows(chunk: bytes, survey: Survey) -> tuple[npt.NDArray[np.uint8], IntArray]:
    """Read whole rows of `Report.row`: answers, shape (n, items), 255 for "not asked"; waves."""
    length = survey.row_length
    if len(chunk) % length:
        raise ValueError(f"expected whole answers of {length} bytes each, found {len(chunk)} bytes")
    rows = np.frombuffer(chunk, dtype=np.uint8).reshape(-1, length)
    if survey.draws:
        # Who was asked what is all that the numbers need.
        rows = np.where(rows == NOT_DRAWN, np.uint8(NOT_ASKED), rows)
    if survey.waves is None:
        return rows, np.zeros(len(rows), dtype=np.int64)
    waves = rows[:, -1].astype(np.int64) + 1
    if waves.max(initial=0) > survey.waves:
        raise ValueError(f"expected waves up to {survey.waves}, found {waves.max()}")
    return rows[:, : len(survey.items)], waves


def join_rows(answers: npt.NDArray[np.uint8], waves: IntArray, survey: Survey) -> bytes:
    """Write what `split_rows` reads."""
    if survey.waves is None:
        return answers.tobytes()
    return np.column_stack([answers, (waves - 1).astype(np.uint8)]).tobytes()


def by_wave(chunks: Iterable[bytes], survey: Survey) -> Iterator[tuple[int, npt.NDArray[np.uint8]]]:
    """Yield the answers in each chunk, wave by wave; under 0 in a survey without waves."""
    for chunk in chunks:
        answers, waves = split_rows(chunk, survey)
        for wave in np.unique(waves).tolist():
            yield wave, answers[waves == wave]


def count_reports(chunks: Iterable[bytes], survey: Survey) -> Tally:
    """Count reports, of all waves together; byte 255, "not asked", is counted in no report.

    Parameters
    ----------
    chunks : iterable of bytes
        Each whole reports, as for `split_rows`. Chunks of a mebibyte or more cost least.
    """
    return count_answers((split_rows(chunk, survey)[0] for chunk in chunks), survey)


def count_waves(chunks: Iterable[bytes], survey: Survey) -> dict[int, Tally]:
    """Count the reports of each wave that has some, ascending; under 0 in a survey without waves.

    Parameters and errors are those of `count_reports`.
    """
    if survey.waves is None:
        return {0: count_reports(chunks, survey)}
    of: dict[int, list[npt.NDArray[np.uint8]]] = {}
    for wave, answers in by_wave(chunks, survey):
        of.setdefault(wave, []).append(answers)
    return {wave: count_answers(of[wave], survey) for wave in sorted(of)}


def count_answers(parts: Iterable[npt.NDArray[np.uint8]], survey: Survey) -> Tally:
    """Count reports, of each part an array of shape (respondents, items)."""
    items = survey.items
    counts = np.zeros((len(items), 256), dtype=np.int64)
    n = 0
    for answers in parts:
        n += len(answers)
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
