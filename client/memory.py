"""What a device keeps of a survey, so that nobody reports the same question twice.

The browser keeps the same, by marks in place of the texts (`client/browser/core/memory.js`).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.report import Report
from deniable.survey import Survey

Mark: TypeAlias = tuple[str, ...]

_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
"""Nothing is drawn for these, though no program takes them for format characters (category Cf)."""


@dataclass
class Kept:
    """What a device keeps of a survey and one person.

    Parameters
    ----------
    answers : dict of (str: tuple of int)
        In waves: by the item's id, the noisy answer to each of its truths. Nothing before the first
        report.
    reported : dict of (tuple of str: int)
        By its mark, the latest wave in which an item was reported, from 1; 0 without waves.
    unsent : Report or None
        One that may not have arrived: it is sent again before anything is answered.
    """

    answers: dict[str, tuple[int, ...]] = field(default_factory=dict)
    reported: dict[Mark, int] = field(default_factory=dict)
    unsent: Report | None = None

    def due(self, survey: Survey, wave: int = 0) -> npt.NDArray[np.bool_]:
        """Say which items of a survey were not reported yet, in this wave.

        Parameters
        ----------
        survey : Survey
        wave : int
            From 1; 0 without waves.

        Returns
        -------
        ndarray of bool, shape (items,)
            The number of the wave is to be reported where anything else is.
        """
        due = np.array([self.reported.get(mark, -1) < wave for mark in marks(survey)])
        if survey.waves is not None:
            due[-1] = due[:-1].any()
        return due

    def note(self, survey: Survey, reported: npt.NDArray[np.bool_], wave: int = 0) -> None:
        """Keep which items were reported; shape (items,)."""
        for mark, is_reported in zip(marks(survey), reported, strict=True):
            if is_reported:
                self.reported[mark] = wave


def marks(survey: Survey) -> tuple[Mark, ...]:
    """Return what tells each item of a survey from all others: all that a person reads of it.

    What nobody can see makes it no other one: compatible forms are made one (NFKC), and blanks,
    format characters and others for which nothing is drawn are left out. Two items that read alike
    are told apart by their order.
    """
    texts = {question.id: question.text for question in survey.questions}
    found: list[Mark] = []
    for item in survey.items:
        read = (texts[item.question], item.text, *(truth.text for truth in item.truths))
        mark = tuple(map(_seen, read))
        while mark in found:
            mark = (*mark, "+")
        found.append(mark)
    return tuple(found)


def _seen(text: str) -> str:
    normal = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    return "".join(
        letter for letter in normal if unicodedata.category(letter) != "Cf" and not letter.isspace()
    )
