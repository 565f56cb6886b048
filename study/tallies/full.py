"""How often each report of each item came, and each pair of reports of two items.

Most estimates need the first, a table of two questions the second, and none needs more but those
that `deniable.study.tallied.Tallied` names. "Not asked" is counted as a report of its own, after
all others: so each table of two items sums to the number of respondents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.pooling import match
from deniable.analysis.counts.tally import Tally
from deniable.analysis.numerics.arrays import IntArray
from deniable.report import NOT_ASKED
from deniable.survey import Survey


@dataclass(frozen=True, eq=False)
class FullTally:
    """How often each report and each pair of reports came.

    Parameters
    ----------
    n : int
        Number of respondents.
    singles : tuple of ndarray of int64, shapes (reports + 1,)
        Of each item of the survey, in order. The last entry is "not asked".
    pairs : dict of (tuple of int: ndarray of int64, shape (reports + 1, reports + 1))
        Of each two items, by their places; the first is the smaller one.
    """

    n: int
    singles: tuple[IntArray, ...]
    pairs: Mapping[tuple[int, int], IntArray]

    def tally(self, survey: Survey) -> Tally:
        """Return what `deniable.analysis.counts.tally.count_reports` counts."""
        return Tally(survey.revision, self.n, tuple(counts[:-1] for counts in self.singles))

    def pair(self, first: int, second: int) -> IntArray:
        """Return the table of two items, of the people who were asked both."""
        table = self.pairs[min(first, second), max(first, second)][:-1, :-1]
        return table if first < second else table.T

    def equals(self, other: FullTally) -> bool:
        """Return whether both count the same."""
        return (
            self.n == other.n
            and _same(self.singles, other.singles)
            and self.pairs.keys() == other.pairs.keys()
            and all(_same([table], [other.pairs[key]]) for key, table in self.pairs.items())
        )

    def __add__(self, other: FullTally) -> FullTally:
        """Add the tally of other reports to the same revision."""
        return FullTally(
            self.n + other.n,
            tuple(mine + theirs for mine, theirs in zip(self.singles, other.singles, strict=True)),
            {key: table + other.pairs[key] for key, table in self.pairs.items()},
        )


def sizes_of(survey: Survey) -> list[int]:
    """Return how many different things are counted of each item: its reports, and "not asked"."""
    return [reports + 1 for reports in survey.report_counts]


def nothing_counted(survey: Survey) -> FullTally:
    """Return the tally of no reports."""
    sizes = sizes_of(survey)
    return FullTally(
        0,
        tuple(np.zeros(size, dtype=np.int64) for size in sizes),
        {
            (one, other): np.zeros((sizes[one], sizes[other]), dtype=np.int64)
            for one, other in combinations(range(len(sizes)), 2)
        },
    )


def count_full(chunks: Iterable[bytes], survey: Survey) -> dict[int, FullTally]:
    """Count reports and their pairs, wave by wave.

    Parameters
    ----------
    chunks : iterable of bytes
        As for `deniable.analysis.counts.tally.count_reports`.
    survey : Survey

    Returns
    -------
    dict of (int: FullTally)
        Of each wave that has reports, ascending; under 0 if the survey has none.

    Raises
    ------
    ValueError
        As `deniable.analysis.counts.tally.count_reports`.
    """
    length = len(survey.items)
    found: dict[int, FullTally] = {}
    for chunk in chunks:
        if len(chunk) % length:
            raise ValueError(
                f"expected whole answers of {length} bytes each, found {len(chunk)} bytes"
            )
        answers = np.frombuffer(chunk, dtype=np.uint8).reshape(-1, length)
        for wave, rows in by_wave(answers, survey):
            counted = count_codes(rows, survey)
            found[wave] = found[wave] + counted if wave in found else counted
    return dict(sorted(found.items()))


def by_wave(
    answers: npt.NDArray[np.uint8], survey: Survey
) -> Iterator[tuple[int, npt.NDArray[np.uint8]]]:
    """Sort reports by the wave that each says it is of, 0 if there are none."""
    if survey.waves is None:
        yield 0, answers
        return
    for wave in np.unique(answers[:, -1]).tolist():
        yield wave + 1, answers[answers[:, -1] == wave]


def count_codes(
    answers: npt.NDArray[np.uint8],
    survey: Survey,
    times: IntArray | None = None,
    places: Sequence[int] | None = None,
) -> FullTally:
    """Count rows of reports, each as often as it came.

    Parameters
    ----------
    answers : ndarray of uint8, shape (rows, items)
    survey : Survey
    times : ndarray of int64, shape (rows,), optional
        How often each row came; by default once.
    places : sequence of int, optional
        Which items the columns are, ascending; by default all of them. Only these are counted.

    Raises
    ------
    ValueError
        If a byte is no report of its item's channel; the message names the item.
    """
    chosen = list(range(len(survey.items))) if places is None else list(places)
    sizes = sizes_of(survey)
    codes: dict[int, npt.NDArray[np.intp]] = {}
    for column, place in zip(answers.T, chosen, strict=True):
        last = sizes[place] - 1
        wrong = column[(column >= last) & (column != NOT_ASKED)]
        if len(wrong):
            raise ValueError(
                f"item {survey.items[place].id!r}: expected reports below {last}, or {NOT_ASKED} "
                f"for not asked, found {wrong[0]}"
            )
        codes[place] = np.minimum(column, last).astype(np.intp)
    # As floating point, which is exact up to 2^53 reports.
    weights = None if times is None else times.astype(np.float64)
    return FullTally(
        len(answers) if times is None else int(times.sum()),
        tuple(
            _count(codes[place], sizes[place], weights)
            if place in codes
            else np.zeros(sizes[place], dtype=np.int64)
            for place in range(len(sizes))
        ),
        {
            (one, other): _count(
                codes[one] * sizes[other] + codes[other], sizes[one] * sizes[other], weights
            ).reshape(sizes[one], sizes[other])
            for one, other in combinations(chosen, 2)
        },
    )


def pool(survey: Survey, tallies: Iterable[tuple[Survey, FullTally]]) -> FullTally:
    """Add up the tallies of several revisions, as `analysis.counts.pooling` pools their reports.

    Parameters
    ----------
    survey : Survey
    tallies : iterable of (Survey, FullTally)
        Each revision, that of `survey` perhaps among them, with its tally.

    Returns
    -------
    FullTally
        As of reports to `survey`.
    """
    whole = nothing_counted(survey)
    for other, tally in tallies:
        found = match(survey, other)
        if not found.is_pooled:
            continue
        there = found.places
        whole += FullTally(
            tally.n,
            tuple(
                tally.singles[place] if place is not None else _none_asked(tally.n, size)
                for place, size in zip(there, sizes_of(survey), strict=True)
            ),
            {
                key: _pair_there(tally, there[key[0]], there[key[1]], table.shape)
                for key, table in whole.pairs.items()
            },
        )
    return whole


def _pair_there(
    tally: FullTally, one: int | None, other: int | None, shape: tuple[int, ...]
) -> IntArray:
    """Return the table of two items of a survey, of reports to another revision of it."""
    table = np.zeros(shape, dtype=np.int64)
    if one is not None and other is not None:
        found = tally.pairs[min(one, other), max(one, other)]
        table += found if one < other else found.T
    elif one is not None:
        table[:, -1] = tally.singles[one]
    elif other is not None:
        table[-1] = tally.singles[other]
    else:
        table[-1, -1] = tally.n
    return table


def _none_asked(n: int, size: int) -> IntArray:
    counts = np.zeros(size, dtype=np.int64)
    counts[-1] = n
    return counts


def _count(
    codes: npt.NDArray[np.intp], size: int, weights: npt.NDArray[np.float64] | None
) -> IntArray:
    return np.bincount(codes, weights, size).astype(np.int64)


def _same(some: Sequence[IntArray], others: Sequence[IntArray]) -> bool:
    return len(some) == len(others) and all(map(np.array_equal, some, others))
