"""Surveys in waves: the rules of the key `waves`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from deniable.survey.items import Item, remember
from deniable.survey.waves import COLUMN, MAX_WAVES
from deniable.survey_file.channels import Draft
from deniable.survey_file.located import Wrong
from deniable.survey_file.schema import WavesFields

_MISSING: Final = (
    "expected the key 'redraw', found none. A device keeps one noisy answer for each possible "
    "answer. In each wave it reports this one or, with the probability 'redraw', another one. With "
    "0 it always reports this one. That is the most precise, but two different reports of one "
    "person show that their answer changed, and someone who has the device can read the answer "
    "from a report. A larger value such as 1/10 hides this, and costs precision. There is no "
    "default, because you have to choose. If other people answer each wave, write 'people: others' "
    "instead"
)

_NO_REDRAW: Final = (
    "with a redraw of 0, there is no bound on what a change reveals. Two different reports of one "
    "person show that the answer changed, and someone who has the device and the database can read "
    "answers from reports. A redraw such as 1/10 gives a bound for both"
)


def check_waves(fields: WavesFields, drafts: Iterable[Draft]) -> Iterator[Wrong]:
    """Find mistakes in `waves`, and the question id that waves reserve."""
    for draft in drafts:
        if draft.question.id == COLUMN:
            said = f"the id {COLUMN!r} is taken by the number of the wave: expected another id"
            yield draft.mistake_at("id", said)
    if fields.count is not None and not 2 <= fields.count <= MAX_WAVES:
        said = f"expected 2 to {MAX_WAVES} waves, found {fields.count}"
        yield Wrong(("waves", "count"), said)
    if not fields.same_people:
        if fields.redraw is not None:
            said = "where other people answer each wave, devices keep nothing to draw anew: leave "
            yield Wrong(("waves", "redraw"), f"{said}'redraw' or 'people' out")
    elif "redraw" not in fields.model_fields_set:
        if fields.people is None and "people" in fields.model_fields_set:
            return  # a typo in `people`, which is told where it stands
        yield Wrong(("waves", "redraw"), _MISSING)
    elif fields.redraw is not None and not 0 <= fields.redraw < 1:
        said = f"expected a probability of at least 0, below 1, found {fields.redraw}"
        yield Wrong(("waves", "redraw"), said)
    elif fields.redraw == 0:
        yield Wrong(("waves", "redraw"), _NO_REDRAW, is_note=True)


def with_memory(items: Sequence[Item], fields: WavesFields) -> tuple[Sequence[Item], list[Wrong]]:
    """Give randomised items a memory if the same people answer; return all items, and mistakes."""
    redraw = fields.redraw
    if not fields.same_people or redraw is None or not 0 <= redraw < 1:
        return items, []
    asked, failed = [], {}
    for item in items:
        try:
            asked.append(remember(item, redraw))
        except ValueError as mistake:
            said = f"question {item.question!r}: {mistake}"
            failed[item.question] = Wrong(("waves", "redraw"), said)
    return asked, [*failed.values()]
