"""Direct answers that few people gave, left out of reports that stream by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, TypeAlias

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

_Key: TypeAlias = tuple[int, str, bytes]
"""Wave and revision of some reports, their direct answers, and the pattern of the rest."""


class Hiding:
    """Which direct answers are written: of all revisions together, as other tables count them so.

    `received`: each revision that has reports, with the answers of all of them. `least`: people
    that direct answers need to be written; with 1 all are written, and nothing is read.
    """

    def __init__(self, received: Sequence[tuple[Survey, Iterable[bytes]]], least: int) -> None:
        self._is_alone = len(received) == 1
        self._hides = least > 1
        self._shown: set[_Key] = set()
        if self._hides:
            counts = self._count(received)
            for wave in {wave for wave, *_ in counts}:
                those = {key: came for key, came in counts.items() if key[0] == wave}
                self._decide([survey for survey, _ in received], those, least)

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
        keys, places = np.unique(self._keys(survey, answers), axis=0, return_inverse=True)
        named = [(wave, survey.revision, bytes(key)) for key in keys]
        rare = np.array([key not in self._shown for key in named])[places.reshape(-1)]
        written = answers.copy()
        written[np.flatnonzero(rare)[:, np.newaxis], direct] = NOT_ASKED
        return written

    def _keys(self, survey: Survey, answers: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        patterns = patterns_of(survey, answers, one_revision=self._is_alone)
        return np.hstack([answers[:, direct_places(survey)], patterns])

    def _count(self, received: Sequence[tuple[Survey, Iterable[bytes]]]) -> Counter[_Key]:
        counts: Counter[_Key] = Counter()
        for survey, chunks in received:
            for wave, answers in by_wave(chunks, survey) if direct_places(survey) else ():
                keys, times = np.unique(self._keys(survey, answers), axis=0, return_counts=True)
                for key, came in zip(keys, times.tolist(), strict=True):
                    counts[wave, survey.revision, bytes(key)] += came
                if len(counts) > MOST_COMBINATIONS:
                    raise ValueError(
                        f"expected at most {MOST_COMBINATIONS:,} different combinations of direct "
                        "answers, found more, nearly all of them rare; --small-cells writes them "
                        "all"
                    )
        return counts

    def _decide(self, surveys: Sequence[Survey], counts: dict[_Key, int], least: int) -> None:
        """Decide which combinations of a wave are written."""
        asked = direct_columns(surveys)
        columns = {one.revision: own for one, own in zip(surveys, asked, strict=True)}
        width = 1 + max(max(own, default=-1) for own in asked)
        values = np.full((len(counts), width), NOT_ASKED, dtype=np.uint8)
        patterns: dict[tuple[str, bytes], int] = {}
        of_row = []
        for row, (_, revision, key) in zip(values, counts, strict=True):
            own = columns[revision]
            row[own] = np.frombuffer(key[: len(own)], dtype=np.uint8)
            of_row.append(patterns.setdefault((revision, key[len(own) :]), len(patterns)))
        cells, place = cells_of(values, np.array(of_row), np.array([*counts.values()]))
        hidden = cells.hidden(least)[place]
        self._shown |= {key for key, hide in zip(counts, hidden, strict=True) if not hide}
