"""Direct answers that few people gave, left out of reports that stream by.

The same rule as `analysis.privacy.disclosure.Rows`, which wants all reports at once. Here they
come twice: first they are counted, then they are written.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.pooling import direct_columns
from deniable.analysis.counts.tally import by_wave
from deniable.analysis.privacy.cells import cells_of
from deniable.analysis.privacy.disclosure import direct_places, patterns_of
from deniable.report import NOT_ASKED
from deniable.survey import Survey

MOST_COMBINATIONS: Final = 2**20
"""Of direct answers, and of what was not asked beside them, that are kept in memory."""


class Hiding:
    """Which direct answers are written: of all revisions together, as other tables count them so.

    Parameters
    ----------
    received : sequence of (Survey, iterable of bytes)
        Each revision that has reports, with the answers of all of them.
    least : int
        People that direct answers need to be written; with 1 all are written, and nothing is read.
    """

    def __init__(self, received: Sequence[tuple[Survey, Iterable[bytes]]], least: int) -> None:
        self._is_alone = len(received) == 1
        self._hides = least > 1
        self._shown: dict[tuple[str, int], frozenset[bytes]] = {}
        if self._hides:
            surveys = [survey for survey, _ in received]
            for wave, counts in self._count(received).items():
                self._decide(surveys, wave, counts, least)

    def of(self, survey: Survey) -> Callable[[int, npt.NDArray[np.uint8]], npt.NDArray[np.uint8]]:
        """Return what takes the direct answers that are not written out of reports to a revision.

        Answers that came after the counting are not written either.
        """
        return partial(self._hide, survey)

    def _hide(
        self, survey: Survey, wave: int, answers: npt.NDArray[np.uint8]
    ) -> npt.NDArray[np.uint8]:
        direct = direct_places(survey)
        if not (self._hides and direct and len(answers)):
            return answers
        shown = self._shown.get((survey.revision, wave), frozenset())
        keys, places = np.unique(self._keys(survey, answers), axis=0, return_inverse=True)
        rare = np.array([bytes(one) not in shown for one in keys])[places.reshape(-1)]
        written = answers.copy()
        written[np.flatnonzero(rare)[:, np.newaxis], direct] = NOT_ASKED
        return written

    def _keys(self, survey: Survey, answers: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        patterns = patterns_of(survey, answers, one_revision=self._is_alone)
        return np.hstack([answers[:, direct_places(survey)], patterns])

    def _count(
        self, received: Sequence[tuple[Survey, Iterable[bytes]]]
    ) -> dict[int, dict[int, Counter[bytes]]]:
        """Count the keys of each wave and revision."""
        counts: dict[int, dict[int, Counter[bytes]]] = defaultdict(lambda: defaultdict(Counter))
        for revision, (survey, chunks) in enumerate(received):
            if not direct_places(survey):
                continue
            for wave, answers in by_wave(chunks, survey):
                keys, times = np.unique(self._keys(survey, answers), axis=0, return_counts=True)
                for key, came in zip(keys, times.tolist(), strict=True):
                    counts[wave][revision][bytes(key)] += came
                if sum(len(one) for each in counts.values() for one in each.values()) > (
                    MOST_COMBINATIONS
                ):
                    raise ValueError(
                        f"expected at most {MOST_COMBINATIONS:,} different combinations of direct "
                        "answers, found more, nearly all of them rare; --small-cells writes them "
                        "all"
                    )
        return counts

    def _decide(
        self, surveys: Sequence[Survey], wave: int, counts: dict[int, Counter[bytes]], least: int
    ) -> None:
        columns = direct_columns(surveys)
        width = 1 + max((max(one, default=-1) for one in columns), default=-1)
        names: list[tuple[int, bytes]] = []
        values: list[npt.NDArray[np.uint8]] = []
        patterns: dict[tuple[int, bytes], int] = {}
        of_row, people = [], []
        for revision, found in counts.items():
            for key, came in found.items():
                row = np.full(width, NOT_ASKED, dtype=np.uint8)
                direct = len(columns[revision])
                row[columns[revision]] = np.frombuffer(key[:direct], dtype=np.uint8)
                names.append((revision, key))
                values.append(row)
                pattern = revision, key[direct:]
                of_row.append(patterns.setdefault(pattern, len(patterns)))
                people.append(came)
        if not names:
            return
        cells, place = cells_of(np.array(values), np.array(of_row), np.array(people))
        hidden = cells.hidden(least)[place]
        shown = defaultdict(set)
        for (revision, key), is_hidden in zip(names, hidden, strict=True):
            if not is_hidden:
                shown[revision].add(key)
        for revision, keys in shown.items():
            self._shown[surveys[revision].revision, wave] = frozenset(keys)
