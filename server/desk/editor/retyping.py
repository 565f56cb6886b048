"""A question of another type, and a question that is made one with its follow-up.

Each is an edit of the form. What it would lose, or win, is said before.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

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
from deniable.survey_file.rules import OFFERING_YES_NO

Question: TypeAlias = dict[str, Any]

ANOTHER: Final = "Another answer"
"""What a yes-or-no question has besides as soon as it is one of several answers."""

_SINGLE: Final = ("yes_no", "single", "number")
_ALL: Final = {"id", "text", "hint", "protection", "epsilon", "weight"}
_KEPT: Final = {*_ALL, "ask_if", "prefer_not_to_say"}
_OF: Final = {"number": _KEPT, "statement": _ALL - {"protection"}}
"""The keys that a question keeps as another kind; most kinds also keep the order."""

_MERGED: Final = {"id", "text", "hint", "type", "answers", "ask_if", "order", "weight"}
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
    made: Question = {**BEGINNINGS[kind]}
    old: Any = question.get("answers")
    codes = {*choices_of(old, languages_of(value)[0])}
    if kind == "single" and codes == {"no", "yes"}:
        made["answers"] = old | {"another": ANOTHER} if isinstance(old, dict) else [*old, ANOTHER]
    elif kind in ("yes_no", "statement") and codes != {"no", "yes"}:
        made["answers"] = [*map(in_all(value), BEGINNINGS["yes_no"]["answers"])]
    elif "answers" in made and codes:
        made["answers"] = old
    kept = _OF.get(kind, {*_KEPT, "order"})
    return made | {key: one for key, one in question.items() if key in kept}


def _lost_places(value: Any, number: int, made: Question) -> Iterator[Path]:
    """Yield the keys elsewhere in the survey that no longer fit a question as it is made."""
    old, asked, id = questions_of(value)[number], questions_of(value), str(made.get("id"))
    items = items_of_each({**value, "questions": [made]})[0]
    for other, one in enumerate(asked):
        needs = one.get("ask_if")
        for item, needed in needs.items() if isinstance(needs, dict) and other != number else ():
            known = [*items[item]["answers"]] if item in items else []
            codes = needed if isinstance(needed, list) else [needed]
            if item.partition(".")[0] == id and not all(code in known for code in codes):
                yield ("questions", other, "ask_if", item)
                yield ("plan", "applies", str(one.get("id")))
    is_same = old.get("type") == made["type"] and "style" not in made
    if not is_same or old.get("answers") != made.get("answers"):
        for host in (MARGINS,) if is_same else (("chances",), MARGINS, *OWN_PLAN):
            for key in at(value, host) or ():
                if str(key).partition(".")[0] == id:
                    yield (*host, key)


def types_of(value: Any, number: int) -> dict[str, str]:
    """Return the kinds that a question can become, each with what it would lose, in words.

    A question that is randomised as one answer with others becomes none that cannot be.
    """
    question, found = questions_of(value)[number], {}
    is_grouped = f"'{question.get('id')}'" in str(value.get("together"))
    for kind in _SINGLE if is_grouped else (*_SINGLE, "many", "grid", "statement"):
        if kind == kind_of(question, languages_of(value)[0]):
            continue
        made = _remade(value, question, kind)
        same = {"type", "style"} | ({"answers"} if kind == "single" else set())
        gone = [key for key, one in question.items() if key not in same and made.get(key) != one]
        lost = [label_of(("questions", number), key) for key in gone]
        for place in _lost_places(value, number, made):
            if place[0] == "questions":
                lost.append(f"the condition of question {int(place[1]) + 1}")
            elif at(value, place) is not None:
                lost.append(label_of((), str(place[place[0] == "plan"])))
        named = ", ".join(dict.fromkeys(filter(None, lost)))
        found[kind] = f"Loses {named}" if named else "Loses nothing"
    return found


def retype(file: Editable, edit: Mapping[str, Any], _: Any) -> None:
    """Make a question one of another kind, and remove what no longer fits it."""
    number = int(edit["number"])
    old = questions_of(file.value)[number]
    made = _remade(file.value, old, str(edit["value"]))
    gone = [("questions", number, key) for key in old.keys() - made.keys()]
    for place in [*_lost_places(file.value, number, made), *gone]:
        file.remove(place)
    for key, one in made.items():
        if old.get(key) != one:
            file.put(("questions", number, key), one)


def followed(value: Any, number: int) -> int | None:
    """Return the yes-or-no question that a follow-up of its yes can be made one with, if any."""
    asked, language = questions_of(value), languages_of(value)[0]
    one = asked[number]
    needs = one.get("ask_if")
    item, needed = next(iter(needs.items())) if isinstance(needs, dict) and needs else ("", "")
    first = next((n for n, other in enumerate(asked[:number]) if other.get("id") == item), None)
    if first is None or len(needs or ()) > 1:
        return None
    both = asked[first], one
    codes = [_no_and_yes(other.get("answers"), language) for other in both]
    named = [value.get(key) for key in ("together", "same_fact", "chances")]
    named += [other.get("ask_if") for other in asked if other is not one]
    is_plain = all(codes) and all({*other} <= _MERGED for other in both)
    is_named = f"'{one.get('id')}'" in str(named)
    return first if is_plain and not is_named and needed in (codes[0][1], [codes[0][1]]) else None


def _no_and_yes(answers: Any, language: str) -> list[str]:
    """Return the codes of a no and a yes; empty if the answers are others."""
    texts = choices_of(answers, language)
    places = (place_of_yes([*texts.values()]), place_of_yes([*texts]))
    yes = next((one for one in places if one is not None), None)
    return [] if yes is None else [[*texts][1 - yes], [*texts][yes]]


def merge(file: Editable, edit: Mapping[str, Any], _: Any) -> None:
    """Make one question of a follow-up and what it follows: No, Yes and no, Yes and yes."""
    number, languages = int(edit["number"]), languages_of(file.value)
    first = followed(file.value, number)
    if first is None:
        raise ValueError("expected a follow-up of a yes that can be one question with it")
    hosts: list[Path] = [("questions", one, "answers") for one in (first, number)]
    for host in hosts:
        if isinstance(listed := at(file.value, host), list):
            file.give_keys(host, [*choices_of(listed, languages[0])])
    asked = questions_of(file.value)
    before, then = asked[first]["answers"], asked[number]["answers"]
    (_no, yes), codes = (_no_and_yes(one, languages[0]) for one in (before, then))
    new = {f"{yes}_{code}": then[code] for code in codes}
    for code, answer in new.items():
        said = _joined(languages, before[yes], asked[number].get("text"), answer)
        file.put((*hosts[0], code), said)
    file.remove((*hosts[0], yes))
    item = asked[first]["id"]
    for other, one in enumerate(asked):
        needed = (one.get("ask_if") or {}).get(item, [])
        listed = [needed] if isinstance(needed, str) else needed
        if other != number and yes in listed:
            left = [code for code in listed if code != yes]
            file.put(("questions", other, "ask_if", item), [*left, *new])
    for plan in OWN_PLAN:
        file.remove((*plan, str(asked[number]["id"])))
    file.remove(("questions", number))


def _joined(languages: list[str], *parts: Any) -> Any:
    """Join an answer, a question and its answer, in each language that has all of them."""
    found = {}
    for language in languages:
        main = language == languages[0]
        said = [one if isinstance(one, str) and main else at(one, (language,)) for one in parts]
        if all(isinstance(one, str) and one for one in said):
            found[language] = "{}. {} – {}".format(*said)
    return found if len(found) > 1 else found.get(languages[0], UNSAID)
