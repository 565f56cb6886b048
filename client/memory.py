"""What a device keeps of a survey, so that nobody reports the same question twice.

The browser keeps the same, by marks in place of the texts (`client/browser/core/memory.js`).
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from deniable.crypto.blind import Blinded
from deniable.report import Report
from deniable.survey import Survey
from deniable.survey.revisions import Mark, read_marks


@dataclass
class Kept:
    """What a device keeps of a survey and one person."""

    # In waves: by the item's id, the noisy answer to each of its truths. Nothing before the first
    # report.
    answers: dict[str, tuple[int, ...]] = field(default_factory=dict)
    # By its mark, the latest wave in which an item was reported, from 1; 0 without waves.
    reported: dict[Mark, int] = field(default_factory=dict)
    # The choices that were drawn, of whatever revision, the latest first.
    drawn: list[str] = field(default_factory=list)
    # One that may not have arrived: it is sent again before anything is answered.
    unsent: Report | None = None
    hidden: Blinded | None = None  # its id as it is to be signed, of a survey by invitation
    token: bytes | None = None  # what goes with it then

    def due(self, survey: Survey, wave: int = 0) -> npt.NDArray[np.bool_]:
        """Say which items of a survey were not reported yet, in this wave.

        Of what is randomised together none is, where one of them was. Nor is what has a known id
        and words that no wording of it had: the noise that is kept would be another question's.
        """
        known = zip(_ids(survey), *map(read_marks, (survey, *survey.earlier)), strict=True)
        found = np.array(
            [
                all(self.reported.get(one, -1) < wave for one in (id, *own))
                and (id not in self.reported or any(one in self.reported for one in own))
                for id, *own in known
            ]
        )
        for places in survey.places_together:
            found[[*places]] &= found[[*places]].all()
        return found

    def note(self, survey: Survey, reported: npt.NDArray[np.bool_], wave: int = 0) -> None:
        """Keep which items were reported; shape (items,)."""
        for mark, id, is_reported in zip(read_marks(survey), _ids(survey), reported, strict=True):
            if is_reported:
                self.reported[mark] = self.reported[id] = wave


def _ids(survey: Survey) -> list[Mark]:
    """Return by what else items are known again: their ids, which a meeting's share."""
    if survey.kind == "meeting":
        return [*read_marks(survey)]
    return [("#", item.id) for item in survey.items]
