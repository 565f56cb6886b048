"""The conditions of a question: how `ask_if` is read, and whether it can hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, Final

from deniable import exact
from deniable.survey.checks import would_reveal
from deniable.survey.questions import Condition, Question
from deniable.survey_file.channels import Draft
from deniable.survey_file.located import Wrong
from deniable.survey_file.rules import decimal
from deniable.survey_file.values import describe
from deniable.text.near import meant

_UNREAD: Final = Condition("", ())
"""Stands for conditions with mistakes: a question with `ask_if` still has "does not apply"."""


def read_conditions(
    written: Mapping[str, Any],
    question: Question,
    earlier: Sequence[Question],
    unread: Set[str] = frozenset(),
) -> tuple[tuple[Condition, ...], list[Wrong]]:
    """Read the conditions of a question, with the mistakes below its `ask_if`.

    `unread`: ids of earlier questions that could not be read.
    """
    items = {id: one for one in earlier for id, _ in one.parts}
    conditions, wrong = [], []
    if not written:
        wrong.append(Wrong((), "expected an earlier question with an answer, found nothing"))
    for id, value in written.items():
        needed = items.get(id)
        if needed is None:
            if {id, id.partition(".")[0]}.isdisjoint(unread):
                wrong.append(Wrong((id,), _unknown(id, question, earlier, [*items]), at_key=True))
            continue
        if would_reveal(question, needed):
            said = (
                f"{question.id!r} is direct, so the server sees whether it was skipped. This would "
                f"give the randomised answer to {id!r} away: randomise {question.id!r}, or make it "
                "depend on direct answers only"
            )
            wrong.append(Wrong((id,), said, at_key=True))
        answers, found = _needed_answers(value, needed)
        wrong += [one.below(id) for one in found]
        if answers:
            conditions.append(Condition(id, answers))
    if len(conditions) == len(written):
        wrong += _check_possible(conditions, items)
    return tuple(conditions) or (_UNREAD,), wrong


def check_asked_before(draft: Draft, drafts: Sequence[Draft], order: str | None) -> Iterator[Wrong]:
    """Find an order or a draw that could ask a question before or without an answer it needs."""
    question, here = draft.question, (*draft.place, "ask_if")
    if order is not None:
        said = (
            "in a random order, a question could come before an answer that it needs: leave "
            "'order' out, or the 'ask_if' on"
        )
        yield Wrong(("order",), said, beside=[here])
    if question.ask is not None:
        said = (
            f"'ask' draws at random whether {question.id!r} is asked, or which part of it: "
            "expected 'ask' or 'ask_if', not both"
        )
        yield Wrong(here, said, at_key=True)
    drawn = [one.question for one in drafts if one.question.ask is not None]
    items = {id for one in drawn for id, _ in one.parts}
    for condition in question.ask_if:
        if condition.item in items:
            said = (
                f"'ask' draws at random whether {condition.item!r} is asked, so there might be no "
                "answer to it"
            )
            yield Wrong((*here, condition.item), said, at_key=True)


def _unknown(id: str, question: Question, earlier: Sequence[Question], items: list[str]) -> str:
    """Say why a condition cannot name this item."""
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


def _needed_answers(value: Any, needed: Question) -> tuple[tuple[str, ...], list[Wrong]]:
    """Read the needed answers to an item: their codes, in the order of the answers."""
    known = [answer.code for answer in needed.offered]
    found, wrong = list[str](), list[Wrong]()
    if isinstance(value, dict):
        try:
            found = _range(value, needed)
        except Wrong as mistake:
            wrong.append(mistake)
    elif value == []:
        said = "expected an answer that it needs, found none: choose one or more"
        wrong.append(Wrong((), said))
    else:
        for place, one in enumerate(value if isinstance(value, list) else [value]):
            code = _code(one, needed)
            if code in known:
                found.append(code)
            else:
                at = (place,) if isinstance(value, list) else ()
                wrong.append(Wrong(at, _no_answer(one, needed)))
    return tuple(code for code in known if code in found), wrong


def _range(value: Mapping[str, Any], needed: Question) -> list[str]:
    """Return the codes of the values of a number from min to max."""
    if not needed.is_number:
        said = f"min and max need a number, but {needed.id!r} is of type {needed.type.value}"
        raise Wrong((), said)
    if not value:
        raise Wrong((), "expected min or max, found neither")
    bounds = {key: _bound(key, bound) for key, bound in value.items()}
    codes = [answer.code for answer in needed.answers]
    least = bounds.get("min", exact.fraction(codes[0]))
    most = bounds.get("max", exact.fraction(codes[-1]))
    within = [code for code in codes if least <= exact.fraction(code) <= most]
    if not within:
        raise Wrong(
            (),
            f"{needed.id!r} goes from {codes[0]} to {codes[-1]}: it has no value from "
            f"{decimal(least)} to {decimal(most)}",
        )
    return within


def _bound(key: str, bound: object) -> Fraction:
    if key not in ("min", "max"):
        raise Wrong((key,), f"expected min and max, found {key!r}")
    if not isinstance(bound, str):
        raise Wrong((key,), f"expected a number, found {describe(bound)}")
    try:
        return exact.fraction(bound)
    except ValueError as mistake:
        raise Wrong((key,), str(mistake)) from None


def _code(written: Any, needed: Question) -> str | None:
    """Return the code of an answer; for a number in any notation."""
    if isinstance(written, str) and needed.is_number:
        try:
            return decimal(exact.fraction(written))
        except ValueError:
            return written
    return written if isinstance(written, str) else None


def _no_answer(written: Any, needed: Question) -> str:
    """Say that there is no such answer, and suggest the nearest one."""
    codes = [answer.code for answer in needed.offered]
    if not isinstance(written, str):
        return f"expected an answer to {needed.id!r}, found {describe(written)}"
    by_text = [answer.code for answer in needed.offered if answer.text == written]
    near = by_text or get_close_matches(written.lower(), codes, n=1)
    shown = ", ".join(codes) if len(codes) <= 12 else f"{codes[0]}, {codes[1]}, … {codes[-1]}"
    hint = f"did you mean {near[0]!r}?" if near else f"expected {shown}"
    return f"{needed.id!r} has no answer {written!r}: {hint}"


def _check_possible(
    conditions: Sequence[Condition], items: Mapping[str, Question]
) -> Iterator[Wrong]:
    """Find conditions that hold for nobody, or for everybody."""
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
            yield Wrong(
                (),
                "nobody can be asked this: this question and the questions that it depends on need "
                f"different answers to {condition.item!r}",
            )
            return
        waiting += items[condition.item].ask_if
    everything = (
        codes == {answer.code for answer in items[id].offered} for id, codes in needs.items()
    )
    if conditions and all(everything):
        said = "everyone is asked this, because it applies after every answer: leave 'ask_if' out"
        yield Wrong((), said)
