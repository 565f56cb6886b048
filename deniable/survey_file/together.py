"""Questions that belong together: as one answer (`together`) or about one fact (`same_fact`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from deniable.survey.together import MAX_CELLS, cells_of
from deniable.survey_file.channels import Draft
from deniable.survey_file.located import Wrong
from deniable.text.near import meant

_OWN: Final = ("flip", "epsilon", "design", "family", "levels")
"""The keys of a question that decide how it alone is randomised."""


def read_groups(
    written: Sequence[Any], drafts: Sequence[Draft]
) -> tuple[list[list[Draft]], list[Wrong]]:
    """Read the groups of questions that are randomised together, in the order of the survey."""
    by_id = {draft.question.id: draft for draft in drafts}
    is_one = not any(isinstance(one, list) for one in written)
    groups, wrong, taken = list[list[Draft]](), list[Wrong](), set[str]()
    for number, ids in enumerate([written] if is_one else written):
        here = ("together",) if is_one else ("together", number)
        if not isinstance(ids, list) or len(ids) < 2:
            said = "expected the ids of two questions or more, such as [doped, knew]"
            wrong.append(Wrong(here, said))
            continue
        found = []
        for place, id in enumerate(ids):
            said = _why_not(id, by_id, taken)
            found += [Wrong((*here, place), said)] if said else []
            taken.add(str(id))
        if not found:
            groups.append([draft for draft in drafts if draft.question.id in ids])
            found = [Wrong(here, said) for said in _too_many(groups[-1])]
        wrong += found
    return groups, wrong


def check_same_fact(written: Sequence[Any], drafts: Sequence[Draft]) -> Iterator[Wrong]:
    """Find entries of `same_fact` that cannot ask about a fact again."""
    if len(written) < 2:
        said = "expected the ids of two questions or more, such as [drank, drank_again]"
        yield Wrong(("same_fact",), said)
    by_id = {draft.question.id: draft for draft in drafts}
    for place, id in enumerate(written):
        draft = by_id.get(id) if isinstance(id, str) else None
        if draft is None:
            said = f"there is no question {id!r}: {meant(str(id), by_id, 'expected one of')}"
        elif id in written[:place]:
            said = f"{id!r} stands here twice"
        elif not draft.is_randomised:
            said = f"{id!r} is direct, so that it tells the fact itself: leave it out"
        elif draft.question.has_several_items:
            said = f"{id!r} has several items: expected questions of one answer each"
        else:
            continue
        yield Wrong(("same_fact", place), said)


def _why_not(id: object, by_id: dict[str, Draft], taken: set[str]) -> str:
    """Say why a question cannot be in a group; empty if it can."""
    if not isinstance(id, str) or id not in by_id:
        return f"there is no question {id!r}: {meant(str(id), by_id, 'expected one of')}"
    draft = by_id[id]
    own = [key for key in _OWN if key in draft.fields.model_fields_set]
    reasons = {
        f"{id!r} stands here twice: one answer is randomised once": id in taken,
        f"{id!r} is direct: nothing is randomised of it": not draft.is_randomised,
        f"{id!r} has several items, each with a chance of its own: write those that belong here "
        "as questions of the type single": draft.question.has_several_items,
        f"{id!r} is asked by a spinner, which is its own chance: leave 'style' out": bool(
            draft.question.statements
        ),
        f"the group shares one chance: leave {own[0] if own else ''!r} of {id!r} out": bool(own),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _too_many(group: Sequence[Draft]) -> Iterator[str]:
    """Yield an error if a group has more than `MAX_CELLS` cells."""
    names = " × ".join(f"{one.question.id!r} ({len(one.question.truths)})" for one in group)
    try:
        count = str(len(cells_of([one.question for one in group])))
    except ValueError:
        count = "far more"
    if not count.isdigit() or int(count) > MAX_CELLS:
        yield (
            f"expected at most {MAX_CELLS} combinations of answers, found {count}: {names}. Leave "
            "a question out, or give it fewer answers"
        )
