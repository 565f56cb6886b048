"""Questions that are randomised as one answer: what `together` needs and does not go with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deniable.survey.together import MAX_CELLS, cells_of
from deniable.survey_file.located import Complaints
from deniable.survey_file.schema import SurveyFields
from deniable.survey_file.spending import Draft
from deniable.text.near import meant

_OWN: Final = ("flip", "epsilon", "design", "family", "levels")
"""Keys of a question that say how it alone is randomised."""


def read_groups(
    fields: SurveyFields, drafts: Sequence[Draft], complaints: Complaints
) -> list[list[Draft]]:
    """Read which questions are randomised together, in the order of the survey."""
    here = complaints.at("together")
    by_id = {draft.question.id: draft for draft in drafts}
    written = fields.together or []
    is_one = not any(isinstance(one, list) for one in written)
    groups, taken = list[list[Draft]](), set[str]()
    for number, ids in enumerate([written] if is_one else written):
        at = here if is_one else here.at(number)
        before = len(complaints.mistakes)
        if not isinstance(ids, list) or len(ids) < 2:
            at.add("expected the ids of two questions or more, such as [doped, knew]")
            continue
        for place, id in enumerate(ids):
            wrong = _why_not(id, by_id, taken)
            if wrong:
                at.at(place).add(wrong)
            taken.add(str(id))
        if len(complaints.mistakes) == before:
            groups.append([draft for draft in drafts if draft.question.id in ids])
            _check_cells(groups[-1], at)
    return [] if len(complaints.mistakes) > 0 else groups


def _why_not(id: object, by_id: dict[str, Draft], taken: set[str]) -> str:
    """Say why a question cannot be in a group; nothing if it can."""
    if not isinstance(id, str) or id not in by_id:
        return f"there is no question {id!r}: {meant(str(id), by_id, 'expected one of')}"
    draft = by_id[id]
    own = [key for key in _OWN if draft.complaints.has(key)]
    reasons = {
        f"{id!r} stands here twice: one answer is randomised once": id in taken,
        f"{id!r} is direct: nothing is randomised of it": draft.fields.protection == "direct",
        f"{id!r} has several items, each with a chance of its own: write those that belong here "
        "as questions of the type single": draft.question.has_several_items,
        f"{id!r} is asked by a spinner, which is its own chance: leave 'style' out": bool(
            draft.question.statements
        ),
        f"the group shares one chance: leave {own[0] if own else ''!r} of {id!r} out": bool(own),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _check_cells(group: Sequence[Draft], complaints: Complaints) -> None:
    """Complain of more combinations of answers than a group can have."""
    names = " × ".join(f"{one.question.id!r} ({len(one.question.truths)})" for one in group)
    try:
        count = str(len(cells_of([one.question for one in group])))
    except ValueError:
        count = "far more"
    if not count.isdigit() or int(count) > MAX_CELLS:
        complaints.add(
            f"expected at most {MAX_CELLS} combinations of answers, found {count}: {names}. Leave "
            "a question out, or give it fewer answers"
        )
