"""What an edit of the form changed besides what was asked for, from the checks before and after."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from deniable.server.desk.editor.lint import Checked

_OF_WAVES: Final = {"redraw": "this chance", "people": "this choice"}


def told_of(asked: Mapping[str, Any], before: Checked, after: Checked) -> str:
    """Say what else an edit changed; empty if nothing, or if there is a mistake."""
    return " ".join(_told(asked, before, after)) if before["cost"] and after["cost"] else ""


def _told(asked: Mapping[str, Any], before: Checked, after: Checked) -> Iterator[str]:
    old, new = (one["cost"]["promised"] for one in (before, after))
    place, skips = asked.get("place") or [""], len(_skipped(after))
    if old != new and place != ["epsilon"]:
        yield f"All protected answers of one person: ε {old} became {new}."
    if place[0] == "waves" and (widths := widths_changed(before, after)):
        how = _OF_WAVES.get(place[-1], "waves")
        yield f"With {how}, {widths}. Undo goes back."
    if asked.get("do") == "retype":
        yield f"Question {int(asked['number']) + 1} has another type. Undo goes back."
    if asked.get("do") == "merge":
        yield f"Now one question. {widths_changed(before, after).capitalize()}. Undo goes back."
    if asked.get("do") == "add" and len(after["cost"]["questions"]) == 2 and skips:
        yield "People can now skip a question. The cost is shown below the questions."
    if place[-1] not in ("skip", "prefer_not_to_say") and asked.get("do") != "remove":
        yield from _no_longer_skipped(before, after)


def _skipped(checked: Checked) -> set[str]:
    return {one["id"] for one in checked["cost"]["questions"] if one["skips"]}


def _no_longer_skipped(before: Checked, after: Checked) -> Iterator[str]:
    """Name the questions that people could skip, and that have no room for a skip any more."""
    for one in after["cost"]["questions"]:
        if one["skips"] or one["id"] not in _skipped(before):
            continue
        said = f"People can no longer skip question {one['named'].partition('.')[0]}:"
        if one["epsilon"] == "direct":
            yield f"{said} it is sent as it is given. Its card can offer “Prefer not to say”."
        else:
            yield f"{said} its design has no room for one more answer. “As the slider says” has."


def widths_changed(before: Checked, after: Checked, said: str = "{was} became {now}") -> str:
    """Name the questions that two checks have in common and whose ± differ, with both."""
    old, new = ((one["cost"] or {"questions": []})["questions"] for one in (before, after))
    widths = {one["id"]: one["width"] for one in old}
    changed = [
        f"question {one['named'].partition('.')[0]}: {said.format(was=was, now=now)}"
        for one in new
        if (was := widths.get(one["id"], one["width"]).partition(";")[0])
        != (now := one["width"].partition(";")[0])
    ]
    rest = [f"and {len(changed) - 3} others"] if len(changed) > 4 else changed[3:]
    return "; ".join([*changed[:3], *rest])
