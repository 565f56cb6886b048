"""What a device keeps of a survey, so that it reports no question twice.

The browser keeps the same, with marks in place of the texts (`client/browser/core/memory.js`).
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
    """What a device keeps for one person and one survey."""

    # In surveys with waves: for each item's id, the noisy answer of each truth. Empty before the
    # first report.
    answers: dict[str, tuple[int, ...]] = field(default_factory=dict)
    # For each item's marks, the latest wave in which it was reported, as reports write it.
    reported: dict[Mark, int] = field(default_factory=dict)
    # The choices that were drawn, of any revision, the latest revision's first.
    drawn: list[str] = field(default_factory=list)
    # A report that may not have arrived: it is sent again before any new answer.
    unsent: Report | None = None
    hidden: Blinded | None = None  # its blinded id, to be signed; of a survey by invitation
    token: bytes | None = None  # the signature that goes with it

    def due(self, survey: Survey, wave: int = 0) -> npt.NDArray[np.bool_]:
        """Return which items were not reported yet in this wave; shape (items,).

        Where other people answer each wave, a report of any wave was the only one. If one item of a
        group was reported, none of the group is due. An item is not due either if
        its id was reported with a wording that the survey does not list: the kept noise belongs to
        another question.
        """
        since = wave if survey.keeps_noise else 0
        known = zip(_ids(survey), *map(read_marks, (survey, *survey.earlier)), strict=True)
        found = np.array(
            [
                all(self.reported.get(one, -1) < since for one in (id, *own))
                and (id not in self.reported or any(one in self.reported for one in own))
                for id, *own in known
            ]
        )
        for places in survey.places_together:
            found[[*places]] &= found[[*places]].all()
        return found

    def note(self, survey: Survey, reported: npt.NDArray[np.bool_], wave: int = 0) -> None:
        """Record which items were reported; shape (items,)."""
        for mark, id, is_reported in zip(read_marks(survey), _ids(survey), reported, strict=True):
            if is_reported:
                self.reported[mark] = self.reported[id] = wave


def _ids(survey: Survey) -> list[Mark]:
    """Return each item's id as a mark; in meetings, which share ids, its wording's mark."""
    if survey.kind == "meeting":
        return [*read_marks(survey)]
    return [("#", item.id) for item in survey.items]
