"""Which earlier answers a question needs: `ask_if` as it is written, and whether it can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from difflib import get_close_matches
from typing import Any

from deniable import exact
from deniable.survey.questions import Condition, Protection, Question
from deniable.survey_file.located import Complaints
from deniable.survey_file.rules import decimal
from deniable.survey_file.values import describe
from deniable.text.near import meant


def read_conditions(
    written: Mapping[str, Any],
    question: Question,
    earlier: Sequence[Question],
    complaints: Complaints,
    unread: Set[str] = frozenset(),
) -> tuple[Condition, ...]:
    """Read what a question needs."""
    if not written:
        complaints.add("expected an earlier question with an answer, found nothing")
    items = {id: one for one in earlier for id, _ in one.parts}
    conditions = []
    for id, value in written.items():
        needed, at = items.get(id), complaints.at(id)
        if needed is None and {id, id.partition(".")[0]} & unread:
            continue
        if needed is None:
            at.add(_unknown(id, question, earlier, list(items)), at_key=True)
            continue
        if (question.protection, needed.protection) == (Protection.DIRECT, Protection.RANDOMISED):
            at.add(
                f"{question.id!r} is direct, so the server sees whether it was skipped. This would "
                f"give the randomised answer to {id!r} away: randomise {question.id!r}, or make it "
                "depend on direct answers only",
                at_key=True,
            )
        answers = _answers(value, needed, at)
        if answers:
            conditions.append(Condition(id, answers))
    if len(conditions) == len(written):
        _check_possible(conditions, items, complaints)
    return tuple(conditions) or (Condition("", ()),)


def _unknown(id: str, question: Question, earlier: Sequence[Question], items: list[str]) -> str:
    """Say why there is no such item to need an answer of."""
    if id.partition(".")[0] == question.id:
        return f"{question.id!r} cannot depend on its own answer: expected an earlier question"
    parts = [one.parts for one in earlier if one.id == id]
    if parts:
        names = ", ".join(name for name, _ in parts[0])
        return f"{id!r} has several answers: expected one of {names}"
    if not earlier:
        return f"expected an earlier question, found {id!r}: this is the first question"
    hint = meant(id, items, "expected one of")
    return f"no earlier question has an answer to {id!r}: {hint}"


def _answers(value: Any, needed: Question, complaints: Complaints) -> tuple[str, ...]:
    """Read which answers to an item are needed, their codes in the order of the answers."""
    known = [answer.code for answer in needed.offered]
    if isinstance(value, dict):
        found = _range(value, needed, complaints)
    else:
        found = []
        listed = value if isinstance(value, list) else [value]
        if not listed:
            complaints.add("expected an answer that it needs, found none: choose one or more")
        for place, one in enumerate(listed):
            at = complaints.at(place) if isinstance(value, list) else complaints
            code = _code(one, needed)
            if code in known:
                found.append(code)
            else:
                at.add(_no_answer(one, needed))
    return tuple(code for code in known if code in found)


def _range(value: Mapping[str, Any], needed: Question, complaints: Complaints) -> list[str]:
    """Return the codes of the values from min to max."""
    if not needed.is_number:
        complaints.add(
            f"min and max need a number, but {needed.id!r} is of type {needed.type.value}"
        )
        return []
    bounds = {}
    for key, bound in value.items():
        try:
            if key not in ("min", "max"):
                raise ValueError(f"expected min and max, found {key!r}")
            if not isinstance(bound, str):
                raise ValueError(f"expected a number, found {describe(bound)}")
            bounds[key] = exact.fraction(bound)
        except ValueError as mistake:
            complaints.at(key).add(str(mistake))
    if len(bounds) < len(value) or not value:
        if not value:
            complaints.add("expected min or max, found neither")
        return []
    codes = [answer.code for answer in needed.answers]
    least = bounds.get("min", exact.fraction(codes[0]))
    most = bounds.get("max", exact.fraction(codes[-1]))
    within = [code for code in codes if least <= exact.fraction(code) <= most]
    if not within:
        complaints.add(
            f"{needed.id!r} goes from {codes[0]} to {codes[-1]}: it has no value from "
            f"{decimal(least)} to {decimal(most)}",
        )
    return within


def _code(written: Any, needed: Question) -> str | None:
    """Return the code of an answer; of a number however it is written."""
    if isinstance(written, str) and needed.is_number:
        try:
            return decimal(exact.fraction(written))
        except ValueError:
            return written
    return written if isinstance(written, str) else None


def _no_answer(written: Any, needed: Question) -> str:
    """Say that there is no such answer, and what comes nearest to it."""
    codes = [answer.code for answer in needed.offered]
    if not isinstance(written, str):
        return f"expected an answer to {needed.id!r}, found {describe(written)}"
    by_text = [answer.code for answer in needed.offered if answer.text == written]
    near = by_text or get_close_matches(written.lower(), codes, n=1)
    shown = ", ".join(codes) if len(codes) <= 12 else f"{codes[0]}, {codes[1]}, … {codes[-1]}"
    hint = f"did you mean {near[0]!r}?" if near else f"expected {shown}"
    return f"{needed.id!r} has no answer {written!r}: {hint}"


def _check_possible(
    conditions: Sequence[Condition], items: Mapping[str, Question], complaints: Complaints
) -> None:
    """Complain of conditions that hold for nobody, or for everybody."""
    needs: dict[str, set[str]] = {}
    waiting = list(conditions)
    seen: set[Condition] = set()
    while waiting:
        condition = waiting.pop()
        if condition in seen or condition.item not in items:
            continue
        seen.add(condition)
        codes = needs.setdefault(condition.item, set(condition.answers))
        codes &= set(condition.answers)
        if not codes:
            complaints.add(
                "nobody can be asked this: this question and the questions that it depends on need "
                f"different answers to {condition.item!r}",
            )
            return
        waiting += items[condition.item].ask_if
    everything = (
        codes == {answer.code for answer in items[id].offered} for id, codes in needs.items()
    )
    if conditions and all(everything):
        complaints.add(
            "everyone is asked this, because it applies after every answer: leave ask_if out"
        )
