"""Which earlier answers a question needs: `ask_if` as it is written, and whether it can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

from deniable import exact
from deniable.survey import Condition, Protection, Question, QuestionType
from deniable.survey_file.located import Path
from deniable.survey_file.rules import decimal
from deniable.survey_file.schema import describe


class Complain(Protocol):
    """Called with where in `ask_if` something is wrong, and what."""

    def __call__(self, path: Path, message: str, /, *, at_key: bool = False) -> None:
        """Complain of the value there, or of its key."""


def read_conditions(
    written: Mapping[str, Any],
    question: Question,
    earlier: Sequence[Question],
    complain: Complain,
) -> tuple[Condition, ...]:
    """Read what a question needs.

    Parameters
    ----------
    written : mapping
        Items by their ids, or by the id of a question that is one item, and of each an answer's
        code, several, or for a number ``{min: …, max: …}``.
    question : Question
        That needs it.
    earlier : sequence of Question
        In order.
    complain : callable
        Called for every mistake.

    Returns
    -------
    tuple of Condition
        One at least, even if nothing could be read: the question may be skipped, so that it has an
        answer more, and no mistake of its own shall follow from the one here.
    """
    if not written:
        complain((), "expected an earlier question with an answer, found nothing")
    items = {id: one for one in earlier for id, _ in one.parts}
    conditions = []
    for id, value in written.items():
        needed = items.get(id)
        if needed is None:
            complain((id,), _unknown(id, question, earlier, list(items)), at_key=True)
            continue
        if (question.protection, needed.protection) == (Protection.DIRECT, Protection.RANDOMISED):
            complain(
                (id,),
                f"{question.id!r} is direct, so that whether it was skipped is sent as it is, and "
                f"would give the randomised answer to {id!r} away: randomise it, or need direct "
                "answers only",
                at_key=True,
            )
        answers = _answers(value, needed, (id,), complain)
        if answers:
            conditions.append(Condition(id, answers))
    if len(conditions) == len(written):
        _check_possible(conditions, items, complain)
    return tuple(conditions) or (Condition("", ()),)


def _unknown(id: str, question: Question, earlier: Sequence[Question], items: list[str]) -> str:
    """Say why there is no such item to need an answer of."""
    if id.partition(".")[0] == question.id:
        return f"{question.id!r} cannot need its own answer: expected one to an earlier question"
    parts = [one.parts for one in earlier if one.id == id]
    if parts:
        names = ", ".join(name for name, _ in parts[0])
        return f"{id!r} has several answers: expected one of {names}"
    if not earlier:
        return f"no question comes before this one, found {id!r}"
    near = get_close_matches(id, items, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(items)}"
    return f"no earlier question has an answer to {id!r}: {hint}"


def _answers(value: Any, needed: Question, path: Path, complain: Complain) -> tuple[str, ...]:
    """Read which answers to an item are needed, their codes in the order of the answers."""
    known = [answer.code for answer in needed.offered]
    if isinstance(value, dict):
        found = _range(value, needed, path, complain)
    else:
        found = []
        listed = value if isinstance(value, list) else [value]
        if not listed:
            complain(path, "expected an answer, found an empty list")
        for place, one in enumerate(listed):
            where = (*path, place) if isinstance(value, list) else path
            code = _code(one, needed)
            if code in known:
                found.append(code)
            else:
                complain(where, _no_answer(one, needed))
    return tuple(code for code in known if code in found)


def _range(value: Mapping[str, Any], needed: Question, path: Path, complain: Complain) -> list[str]:
    """Return the codes of the values from min to max."""
    if needed.type is not QuestionType.NUMBER:
        complain(path, f"min and max are for number, and {needed.id!r} is {needed.type.value}")
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
            complain((*path, key), str(mistake))
    if len(bounds) < len(value) or not value:
        if not value:
            complain(path, "expected min or max, found nothing")
        return []
    codes = [answer.code for answer in needed.answers]
    least = bounds.get("min", exact.fraction(codes[0]))
    most = bounds.get("max", exact.fraction(codes[-1]))
    within = [code for code in codes if least <= exact.fraction(code) <= most]
    if not within:
        complain(
            path,
            f"{needed.id!r} goes from {codes[0]} to {codes[-1]}: expected some value of it, "
            f"found none from {decimal(least)} to {decimal(most)}",
        )
    return within


def _code(written: Any, needed: Question) -> str | None:
    """Return the code of an answer; of a number however it is written."""
    if isinstance(written, str) and needed.type is QuestionType.NUMBER:
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
    conditions: Sequence[Condition], items: Mapping[str, Question], complain: Complain
) -> None:
    """Complain of conditions that hold for nobody, or for everybody.

    Every question on the way must apply itself, so that the answers which all of them need of an
    item are those that each of them needs. Different items can be answered in any combination.
    """
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
            complain(
                (),
                f"nobody can be asked this: no answer to {condition.item!r} is one that this "
                "question and those that it needs all ask for",
            )
            return
        waiting += items[condition.item].ask_if
    everything = (
        codes == {answer.code for answer in items[id].offered} for id, codes in needs.items()
    )
    if conditions and all(everything):
        complain((), "everybody is asked this: every answer will do; leave ask_if out")
