"""A question of another type, and a question that is made one with its follow-up.

Each is an edit of the form. What it would lose, or win, is said before.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from deniable import exact
from deniable.roles import place_of_yes
from deniable.server.desk.editor.fields import MARGINS, OWN_PLAN, label_of
from deniable.server.desk.editor.spoken import (
    choices_of,
    in_all,
    items_of_each,
    languages_of,
    questions_of,
)
from deniable.server.desk.editor.starters import UNSAID
from deniable.survey_file.beginnings import BEGINNINGS
from deniable.survey_file.located import Path
from deniable.survey_file.patch import Editable, at
from deniable.survey_file.rules import OFFERING_YES_NO, ONLY_FOR

Question: TypeAlias = dict[str, Any]

_KINDS: Final = ("yes_no", "single", "many", "number", "grid", "statement")
"""The kinds that a question can become; whether it is sent as it is given is another choice."""

ANOTHER: Final = "Another answer"
"""What a yes-or-no question has besides as soon as it is one of several answers."""

_OF_ANSWERS: Final = ("design", "known", "yes", "flip", "family", "levels")
"""Keys that belong to a type and its answers."""

_NOT_SPUN: Final = ("ask_if", "order", "prefer_not_to_say", "protection")
"""Keys that no question with two statements and a spinner has."""

_MERGED: Final = {"id", "text", "hint", "type", "answers", "ask_if", "order", "weight", "epsilon"}
"""The keys of questions that can become one: others would not fit three answers."""


def kind_of(question: Question, language: str) -> str:
    """Return the kind of a question, as the form names it."""
    type, answers = str(question.get("type")), choices_of(question.get("answers"), language)
    if "style" in question:
        return "statement"
    has_items = type in OFFERING_YES_NO or "rows" in question
    return "yes_no" if {*answers} == {"no", "yes"} and not has_items else type


def _remade(value: Any, question: Question, kind: str) -> Question:
    """Return a question as one of another kind: what fits, and what the kind begins with."""
    begun, answers = BEGINNINGS[kind], _answers_as(value, question.get("answers"), kind)
    type = begun["type"]
    gone = {"type", "style", "statements", "answers"}
    gone |= {*_NOT_SPUN} if kind == "statement" else set()
    if type != question.get("type") or answers != question.get("answers"):
        gone |= {*_OF_ANSWERS}
    kept = {
        key: one
        for key, one in question.items()
        if key not in gone and type in ONLY_FOR.get(key, {type})
    }
    return {**begun, **kept, **({"answers": answers} if "answers" in begun else {})}


def _answers_as(value: Any, answers: Any, kind: str) -> Any:
    """Return the answers as a kind has them: its own where these do not fit."""
    texts = choices_of(answers, languages_of(value)[0])
    is_yes_no = {*texts} == {"no", "yes"}
    if (kind == "yes_no" and not is_yes_no) or (kind == "statement" and len(texts) != 2):
        return [*map(in_all(value), BEGINNINGS["yes_no"]["answers"])]
    if kind == "single" and is_yes_no:
        more = {ANOTHER.lower().replace(" ", "_"): ANOTHER}
        return {**answers, **more} if isinstance(answers, dict) else [*answers, ANOTHER]
    return answers or BEGINNINGS[kind].get("answers")


def _needs_left(value: Any, number: int, made: Question) -> Iterator[tuple[int, str, list[str]]]:
    """Yield each condition on a question that changes with it, and the answers that are left."""
    id = str(made.get("id"))
    items = items_of_each({**value, "questions": [made]})[0]
    for other, one in enumerate(questions_of(value)):
        needs = one.get("ask_if")
        for item, needed in needs.items() if isinstance(needs, dict) and other != number else ():
            if item.partition(".")[0] != id:
                continue
            known = items.get(item, {"answers": {}, "is_number": None})
            codes = [needed] if isinstance(needed, str) else needed
            if known["is_number"] and isinstance(needed, dict):
                continue
            left = [code for code in codes if code in known["answers"]]
            if left != codes:
                yield other, item, left


def types_of(value: Any, number: int) -> dict[str, str]:
    """Return the kinds that a question can become, each with what it would lose, in words."""
    question, found = questions_of(value)[number], {}
    now, place = kind_of(question, languages_of(value)[0]), ("questions", number)
    for kind in _KINDS:
        if kind == now:
            continue
        made = _remade(value, question, kind)
        more = ["answers"] if kind == "single" else []
        lost = [
            label_of(place, key)
            for key, one in question.items()
            if key not in ("type", "style", *more) and made.get(key) != one
        ]
        places = _places_lost(value, question, made)
        lost += [label_of((), str(one[one[0] == "plan"])) for one in places]
        others = {other + 1 for other, *_ in _needs_left(value, number, made)}
        lost += [f"the condition of question {other}" for other in sorted(others)]
        named = ", ".join(dict.fromkeys(filter(None, lost)))
        found[kind] = f"Loses {named}" if named else "Loses nothing"
    return found


def _places_lost(value: Any, old: Question, new: Question) -> Iterator[Path]:
    """Yield where the survey names a question, and can no longer when it is of another type."""
    id, before, after = str(old.get("id")), old.get("type"), new["type"]
    if after in (*OFFERING_YES_NO, "grid") and id in str(value.get("together") or []):
        yield ("together",)
    hosts: dict[Path, bool] = {
        ("chances",): before != after,
        MARGINS: before != after or old.get("answers") != new.get("answers"),
        ("plan", "within_of"): (before == "number") != (after == "number"),
        ("plan", "applies"): "ask_if" not in new,
    }
    for host, is_lost in hosts.items():
        for key in at(value, host) or () if is_lost else ():
            if key.partition(".")[0] == id:
                yield (*host, key)


def retype(file: Editable, edit: Mapping[str, Any], _: Any) -> None:
    """Make a question one of another kind, and remove what no longer fits it."""
    number = int(edit["number"])
    place: Path = ("questions", number)
    old = questions_of(file.value)[number]
    made = _remade(file.value, old, str(edit["value"]))
    for other, item, left in [*_needs_left(file.value, number, made)]:
        _put_needs(file, other, item, left)
    for gone in [*_places_lost(file.value, old, made)]:
        if gone == ("together",):
            _leave_groups(file, str(old.get("id")))
        else:
            file.remove(gone)
    for key in old.keys() - made.keys():
        file.remove((*place, key))
    for key, one in made.items():
        if old.get(key) != one:
            file.put((*place, key), one)


def _put_needs(file: Editable, number: int, item: str, codes: list[str]) -> None:
    """Write the answers to an item that a question needs; without any, everybody is asked."""
    place: Path = ("questions", number, "ask_if")
    if codes:
        file.put((*place, item), codes if codes[1:] else codes[0])
        return
    file.remove((*place, item))
    if at(file.value, place) is None:
        file.remove(("plan", "applies", str(questions_of(file.value)[number].get("id"))))


def _leave_groups(file: Editable, id: str) -> None:
    """Take a question out of the groups that are randomised as one answer."""
    value = file.value["together"]
    groups = [value] if isinstance(value[0], str) else value
    left = [[one for one in group if one != id] for group in groups]
    left = [group for group in left if group[1:]]
    if left:
        file.put(("together",), left if left[1:] else left[0])
    else:
        file.remove(("together",))


def followed(value: Any, number: int) -> int | None:
    """Return the yes-or-no question that a follow-up of its yes can be made one with, if any."""
    asked = questions_of(value)
    one = asked[number]
    needs, id = one.get("ask_if"), str(one.get("id"))
    if not isinstance(needs, dict) or len(needs) != 1:
        return None
    ((item, needed),) = needs.items()
    first = next((n for n, other in enumerate(asked[:number]) if other.get("id") == item), None)
    both = [one] if first is None else [asked[first], one]
    codes = [_no_and_yes(other.get("answers"), languages_of(value)[0]) for other in both]
    if first is None or not all(codes) or any({*other} - _MERGED for other in both):
        return None
    others = [value.get(key) for key in ("together", "same_fact", "chances")]
    others += [other.get("ask_if") for other in asked if other is not one]
    named = f"'{id}'" in str(others) or "ask_if" in asked[first]
    return None if named or needed not in (codes[0][1], [codes[0][1]]) else first


def _no_and_yes(answers: Any, language: str) -> list[str]:
    """Return the codes of a no and a yes; empty if the answers are others."""
    texts = choices_of(answers, language)
    places = (place_of_yes([*texts.values()]), place_of_yes([*texts]))
    yes = next((one for one in places if one is not None), None)
    return [] if yes is None else [[*texts][1 - yes], [*texts][yes]]


def merge(file: Editable, edit: Mapping[str, Any], _: Any) -> None:
    """Make one question of a follow-up and what it follows: No, Yes and no, Yes and yes."""
    number, languages = int(edit["number"]), languages_of(file.value)
    first, asked = followed(file.value, number), questions_of(file.value)
    if first is None:
        raise ValueError("expected a follow-up of a yes that can be one question with it")
    both = asked[first], asked[number]
    (_no, yes), codes = (_no_and_yes(one["answers"], languages[0]) for one in both)
    before, then = (_by_code(one["answers"], languages[0]) for one in both)
    new = {
        f"{yes}_{code}": _joined(languages, before[yes], both[1].get("text"), then[code])
        for code in codes
    }
    answers: dict[str, Any] = {}
    for code, text in before.items():
        answers |= new if code == yes else {code: text}
    own = [one["epsilon"] for one in both if "epsilon" in one]
    if own[1:]:
        file.put(("questions", first, "epsilon"), f"{float(sum(map(exact.fraction, own))):g}")
    else:
        file.remove(("questions", first, "epsilon"))
    file.put(("questions", first, "answers"), answers)
    for other, one in enumerate(asked):
        needed = (one.get("ask_if") or {}).get(both[0]["id"]) if other != number else None
        listed = [needed] if isinstance(needed, str) else needed or []
        if yes in listed:
            left = [code for code in listed if code != yes]
            _put_needs(file, other, both[0]["id"], [*left, *new])
    for place in OWN_PLAN:
        file.remove((*place, str(both[1]["id"])))
    file.remove(("questions", number))


def _by_code(answers: Any, language: str) -> dict[str, Any]:
    """Return the answers as they are written, by their codes."""
    written = answers.values() if isinstance(answers, dict) else answers
    return dict(zip(choices_of(answers, language), written, strict=True))


def _joined(languages: list[str], *parts: Any) -> Any:
    """Join an answer, a question and its answer, in each language that has all of them."""
    found = {}
    for language in languages:
        main = language == languages[0]
        said = [one if isinstance(one, str) and main else at(one, (language,)) for one in parts]
        if all(isinstance(one, str) and one for one in said):
            found[language] = "{}. {} – {}".format(*said)
    return found if len(found) > 1 else found.get(languages[0], UNSAID)
