"""From the cells that an engine counts to a tally.

A cell is a combination of reports to some items. An engine counts how often each cell came, by one
line. To count all items together would be one cell a respondent where there are many items. So the
items are divided into groups with few combinations each, and every two groups are counted together:
each pair of items is in one of these countings at least, and no answer of an engine is long.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Final, Protocol

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.numerics.arrays import IntArray
from deniable.study.tallies import shards
from deniable.study.tallies.file import Tallies
from deniable.study.tallies.full import FullTally, count_codes, nothing_counted, sizes_of
from deniable.study.tallies.parquet import Exported, Part
from deniable.study.tallies.shards import Shards
from deniable.survey import Survey

MOST_CELLS: Final = 2**10
"""Combinations of a group of items; two groups have the square of this at most."""


class Engine(Protocol):
    """What counts cells in Parquet files."""

    def cells(self, files: Sequence[Path], columns: Sequence[str]) -> IntArray:
        """Count how often each combination came.

        Parameters
        ----------
        files : sequence of Path
        columns : sequence of str

        Returns
        -------
        ndarray of int64, shape (cells, columns + 1)
            A row a combination, 255 where a cell is empty. The last column is how often it came.
        """


def tally(exported: Exported, engine: Engine, wanted: Shards = shards.ALL) -> Tallies:
    """Tally an export, or some of its shards.

    Parameters
    ----------
    exported : Exported
    engine : Engine
    wanted : frozenset of int
        Which reports; whole files only.

    Raises
    ------
    ValueError
        If only a part of a file is wanted, or the engine finds another number of reports than the
        export has.
    """
    revisions = []
    for survey, parts in exported.revisions:
        of: dict[int, list[Part]] = {}
        for part in parts:
            if part.shards <= wanted:
                of.setdefault(part.wave, []).append(part)
            elif part.shards & wanted:
                raise ValueError(
                    f"{part.path}: has the shards {shards.said(part.shards)}: expected all of "
                    f"them or none, found {shards.said(wanted)}"
                )
        waves = {wave: _tally(survey, those, engine) for wave, those in sorted(of.items())}
        revisions.append((survey, waves))
    return Tallies(exported.survey, wanted, tuple(revisions))


def groups(sizes: Sequence[int], most: int = MOST_CELLS) -> list[list[int]]:
    """Divide items into groups of neighbours with few combinations each.

    Examples
    --------
    >>> groups([4, 4, 4, 4, 300], most=64)
    [[0, 1, 2], [3], [4]]
    """
    found: list[list[int]] = []
    cells = most + 1
    for place, size in enumerate(sizes):
        cells *= size
        if cells > most:
            found.append([])
            cells = size
        found[-1].append(place)
    return found


def _tally(survey: Survey, parts: Sequence[Part], engine: Engine) -> FullTally:
    names, files = columns(survey), [part.path for part in parts]
    divided = groups(sizes_of(survey))
    countings = [[*one, *other] for one, other in combinations(divided, 2)] or divided
    whole = nothing_counted(survey)
    singles, pairs = list(whole.singles), dict(whole.pairs)
    rows = sum(part.rows for part in parts)
    for places in countings:
        found = engine.cells(files, [names[place] for place in places])
        counted = count_codes(found[:, :-1].astype("uint8"), survey, found[:, -1], places)
        if counted.n != rows:
            raise ValueError(
                f"{files[0].parent.parent}: expected {rows:,} reports, the engine found "
                f"{counted.n:,}"
            )
        for place in places:
            singles[place] = counted.singles[place]
        for key in combinations(places, 2):
            pairs[key] = counted.pairs[key]
    return FullTally(rows, tuple(singles), pairs)
