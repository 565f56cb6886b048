"""How often each report of each item came, and each pair of reports of two items.

Most estimates need the first, a table of two questions the second. Only regressions and weights
need more. "Not asked" is counted as a report of its own, after all others: so each table of two
items sums to the number of respondents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.tally import Tally, by_wave
from deniable.analysis.numerics.arrays import IntArray
from deniable.report import NOT_ASKED
from deniable.survey import Survey


@dataclass(frozen=True, eq=False)
class FullTally:
    """How often each report and each pair of reports came.

    `n`: number of respondents. `sizes`: how many different things are counted of each item: its
    reports, and "not asked". `table`, shape (sum of sizes, sum of sizes): how often each two of
    them came together; on the diagonal, how often each came.
    """

    n: int
    sizes: tuple[int, ...]
    table: IntArray

    def block(self, first: int, second: int) -> IntArray:
        """Return the table of two items, with "not asked" as the last row and column."""
        rows, columns = (
            slice(sum(self.sizes[:place]), sum(self.sizes[: place + 1]))
            for place in (first, second)
        )
        return self.table[rows, columns]

    def tally(self, survey: Survey) -> Tally:
        """Return the tally of single items, as `analysis.counts.tally.count_reports` counts it."""
        counts = (self.pair(place, place).diagonal() for place in range(len(self.sizes)))
        return Tally(survey.revision, self.n, tuple(counts))

    def pair(self, first: int, second: int) -> IntArray:
        """Return the table of two items, of the people who were asked both."""
        return self.block(first, second)[:-1, :-1]

    def __add__(self, other: FullTally) -> FullTally:
        """Add the tally of other reports to the same revision."""
        return FullTally(self.n + other.n, self.sizes, self.table + other.table)


def nothing_counted(survey: Survey) -> FullTally:
    """Return the tally of no reports."""
    sizes = tuple(reports + 1 for reports in survey.report_counts)
    return FullTally(0, sizes, np.zeros((sum(sizes), sum(sizes)), dtype=np.int64))


def count_full(chunks: Iterable[bytes], survey: Survey) -> dict[int, FullTally]:
    """Count reports and their pairs, wave by wave; of the first wave if there are none.

    `chunks` and errors are those of `deniable.analysis.counts.tally.count_reports`.
    """
    nobody, found = nothing_counted(survey), dict[int, FullTally]()
    for wave, answers in by_wave(chunks, survey):
        found[wave] = found.get(wave, nobody) + _count_codes(answers, survey)
    return dict(sorted(found.items())) or {1: nobody}


def _count_codes(answers: npt.NDArray[np.uint8], survey: Survey) -> FullTally:
    """Count rows of reports; a byte that is no report is a ValueError that names the item."""
    found = nothing_counted(survey)
    codes: list[npt.NDArray[np.intp]] = []
    for place, column in enumerate(answers.T):
        last = found.sizes[place] - 1
        wrong = column[(column >= last) & (column != NOT_ASKED)]
        if len(wrong):
            raise ValueError(
                f"item {survey.items[place].id!r}: expected reports below {last}, or {NOT_ASKED} "
                f"for not asked, found {wrong[0]}"
            )
        codes.append(np.minimum(column, last).astype(np.intp))
    for one, other in combinations_with_replacement(range(len(codes)), 2):
        block = found.block(one, other)
        cells = codes[one] * block.shape[1] + codes[other]
        block[:] = np.bincount(cells, minlength=block.size).reshape(block.shape)
        found.block(other, one)[:] = block.T
    return FullTally(len(answers), found.sizes, found.table)
