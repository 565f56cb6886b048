"""Direct answers that few people gave, left out of reports that stream by.

The same rule as `deniable.analysis.disclosure.hide_rare`, which wants all reports at once. Here
they come twice: first they are counted, then they are written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.disclosure import hidden_cells
from deniable.questions import Protection
from deniable.report import NOT_ASKED
from deniable.study.tallies.full import by_wave
from deniable.survey import Survey

MOST_COMBINATIONS: Final = 2**20
"""Of direct answers that are kept in memory."""


class Hiding:
    """Which combinations of direct answers are written: those that enough people gave.

    Parameters
    ----------
    survey : Survey
    chunks : iterable of bytes
        The answers of all reports.
    least : int
        People that a combination must have; with 1 all are written, and nothing is read.

    Raises
    ------
    ValueError
        If there are more than `MOST_COMBINATIONS`.
    """

    def __init__(self, survey: Survey, chunks: Iterable[bytes], least: int) -> None:
        asked = {question.id for question in survey.asked_questions}
        self._survey = survey
        self._direct = [
            place
            for place, item in enumerate(survey.items)
            if item.protection is Protection.DIRECT and item.question in asked
        ]
        self._shown: dict[int, frozenset[bytes]] | None = None
        if self._direct and least > 1:
            self._shown = self._count(chunks, least)

    def __call__(self, wave: int, answers: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return reports of a wave without the direct answers that are not written.

        A combination that came after the counting is not written either.
        """
        if self._shown is None or not len(answers):
            return answers
        shown = self._shown.get(wave, frozenset())
        combinations, places = np.unique(answers[:, self._direct], axis=0, return_inverse=True)
        rare = np.array([bytes(one) not in shown for one in combinations])[places.reshape(-1)]
        written = answers.copy()
        written[np.flatnonzero(rare)[:, np.newaxis], self._direct] = NOT_ASKED
        return written

    def _count(self, chunks: Iterable[bytes], least: int) -> dict[int, frozenset[bytes]]:
        counts: dict[int, Counter[bytes]] = {}
        for chunk in chunks:
            answers = np.frombuffer(chunk, dtype=np.uint8).reshape(-1, len(self._survey.items))
            for wave, rows in by_wave(answers, self._survey):
                those, times = np.unique(rows[:, self._direct], axis=0, return_counts=True)
                found = counts.setdefault(wave, Counter())
                for combination, came in zip(those, times.tolist(), strict=True):
                    found[bytes(combination)] += came
            if sum(map(len, counts.values())) > MOST_COMBINATIONS:
                raise ValueError(
                    f"expected at most {MOST_COMBINATIONS:,} different combinations of direct "
                    "answers, found more, nearly all of them rare; --small-cells writes them all"
                )
        return {wave: _shown(found, least) for wave, found in counts.items()}


def _shown(counts: Counter[bytes], least: int) -> frozenset[bytes]:
    # By their answers, so that which one is hidden beside the small ones tells nothing of its size.
    those = sorted(counts)
    hidden = hidden_cells([counts[one] for one in those], least)
    return frozenset(one for one, is_hidden in zip(those, hidden, strict=True) if not is_hidden)
