"""The edits of the editor's form: each changes the text of a survey file where it says so."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from difflib import SequenceMatcher, get_close_matches
from itertools import count
from typing import Any, Final

from deniable.server.desk.editor.fields import where
from deniable.server.desk.editor.lint import Checked
from deniable.server.desk.editor.protecting import OTHERWISE, aim, design, parameter, protect
from deniable.server.desk.editor.spoken import (
    at,
    choices_of,
    items_before,
    languages_of,
    questions_of,
    text_in,
)
from deniable.server.desk.editor.writing import Edit, lined, put_in, value_of, without, written
from deniable.server.web.words import words
from deniable.survey_file.beginnings import BEGINNINGS
from deniable.survey_file.located import Path, SurveyFileError
from deniable.survey_file.patch import insert, keyed, move, put, remove, rename
from deniable.survey_file.rules import OFFERING_YES_NO, codes
from deniable.text.languages import LANGUAGES

NEAR: Final = 0.8
"""How alike texts are, from 0 to 1, of which one is a correction of the other."""

MOST_PAIRS: Final = 2_500
"""Of lines and earlier texts, each of which is compared."""


def edited(text: str, edit: Edit, checked: Checked) -> str:
    """Return a text after one edit; `checked` is what is known of it before.

    Known is also its ``base``, an earlier text, and whether its survey is ``published``.

    Raises
    ------
    ValueError, KeyError, TypeError
        For what is no edit of this text.
    """
    return _EDITS[edit["do"]](text, edit, checked)


_WAVES: Final[dict[Path, tuple[Path, str]]] = {
    ("waves", "count"): (("waves", "redraw"), "1/10"),
    ("waves", "redraw"): (("waves", "count"), "2"),
}
"""What a key of waves cannot be without, and its first value: one field filled in is no mistake."""


def _set(text: str, edit: Edit, checked: Checked) -> str:
    place, said = tuple(edit["place"]), " ".join(str(edit["value"]).split())
    if place in _WAVES:
        return _in_waves(text, place, said)
    value = value_of(text)
    listed = at(value, place[:-1])
    if said and isinstance(listed, list) and place[2:3] in (("answers",), ("rows",)):
        lines = [" ".join(text_in(one, languages_of(value)[0]).split()) for one in listed]
        lines[place[-1]] = said
        return _lines(text, {"place": place[:-1], "value": "\n".join(lines)}, checked)
    return written(text, place, str(edit["value"]))


def _in_waves(text: str, place: Path, said: str) -> str:
    """Write how often a survey is asked, or its redraw; asked once it has neither."""
    beside, first = _WAVES[place]
    if not said and place[-1] == "count":
        return without(text, place[:1])
    text = written(text, place, said)
    return put_in(text, beside, first) if said and at(value_of(text), beside) is None else text


def _lines(text: str, edit: Edit, checked: Checked) -> str:
    """Write a list of texts; what was there keeps its code, once published, and translations."""
    place: Path = tuple(edit["place"])
    lines = [one for line in str(edit["value"]).split("\n") if (one := " ".join(line.split()))]
    value = value_of(text)
    now = at(value, place)
    # Who emptied the field and then fills it goes on from what was there before.
    earlier = _earlier(value, place, checked.get("base", ""))
    shape = now or earlier
    if not isinstance(shape, list | dict) or not shape or not lines:
        return put(text, place, [*map(_in_all(value), lines)])
    main = languages_of(value)[0]
    own = _by_code(now, main)
    made = _continued(lines, own, _by_code(earlier, main), value)
    follow = not checked.get("published") or [*made] == codes(lines)
    if isinstance(shape, list) and follow:
        return _listed(text, place, own, made) if now else put(text, place, [*made.values()])
    if [*made] != [*own]:
        return put(text, place, made)
    if isinstance(now, list):
        text = keyed(text, place, own)
    for line, code in zip(lines, made, strict=True):
        if made[code] != own[code]:
            text = written(text, (*place, code), line)
    return text


def _by_code(listed: Any, main: str) -> dict[str, Any]:
    """Return answers or rows, in all languages, by their codes."""
    each = listed.values() if isinstance(listed, dict) else listed
    return dict(zip(choices_of(listed, main), each or (), strict=False))


def _earlier(value: Any, place: Path, base: str) -> Any:
    """Return what an earlier text of the file has at a place of the same question."""
    with suppress(SurveyFileError):
        id = at(value, (*place[:2], "id"))
        same = (one for one in questions_of(value_of(base)) if one.get("id") == id)
        return next(same, {}).get(str(place[-1]))
    return None


def _continued(
    lines: list[str], own: dict[str, Any], earlier: dict[str, Any], value: Any
) -> dict[str, Any]:
    """Return by its code what each line says: the same one, else that at its place, or near it."""
    main, every = languages_of(value)[0], {**earlier, **own}
    texts = {code: text_in(one, main) for code, one in every.items()}
    there = [*own] or [*earlier]
    free = {texts[code]: code for code in [*every, *reversed(there)]}
    found = {n: free.pop(line) for n, line in enumerate(lines) if line in free}
    match = SequenceMatcher(None, [texts[code] for code in there], lines, autojunk=False)
    for _, start, end, first, last in match.get_opcodes():
        for n, code in zip(range(first, last), there[start:end], strict=False):
            if end - start == last - first and n not in found and texts[code] in free:
                found[n] = free.pop(texts[code])
    new = [n for n in range(len(lines)) if n not in found]
    found |= _near({n: lines[n] for n in new}, free)
    new = [n for n in new if n not in found]
    fresh = codes([*every, *(lines[n] for n in new)])[len(every) :]
    named = found | dict(zip(new, fresh, strict=True))
    made = {}
    for n, line in enumerate(lines):
        one = every.get(code := named[n]) or _in_all(value)(line)
        if texts.get(code, line) != line:
            one = {**one, main: line} if isinstance(one, dict) else line
        made[code] = one
    return made


def _listed(text: str, place: Path, own: dict[str, Any], made: dict[str, Any]) -> str:
    """Make a list what is made of it, where it differs."""
    main = languages_of(value_of(text))[0]
    before, after = ([*each.items()] for each in (own, made))
    lines = [text_in(one, main) for one in made.values()]
    match = SequenceMatcher(None, [text_in(one, main) for one in own.values()], lines, False)
    for tag, start, end, first, last in reversed(match.get_opcodes()):
        both = min(end - start, last - first) if tag != "equal" else end - start
        for _n in range(start + both, end):
            text = remove(text, (*place, start + both))
        for n in reversed(range(both)):
            (was, old), (code, new) = before[start + n], after[first + n]
            if old != new:
                key = (*place, start + n)
                text = written(text, key, lines[first + n]) if was == code else put(text, key, new)
        for _, new in reversed(after[first + both : last]):
            text = insert(text, (*place, start + both), new)
    return text


def begun_anew(text: str, base: str) -> list[dict[str, str]]:
    """Find answers and rows that are published under a code, and have another for a text near it.

    ``where``, ``before`` and ``after``: its texts. ``block``: what to write, so that it goes on.
    """
    value, found = value_of(text), []
    main = languages_of(value)[0]
    for number, question in enumerate(questions_of(value)):
        for key in ("answers", "rows"):
            place: Path = ("questions", number, key)
            own = _by_code(question.get(key), main)
            old = _by_code(_earlier(value, place, base), main)
            gone = {text_in(one, main): code for code, one in old.items() if code not in own}
            texts = [text_in(one, main) for one in own.values()]
            new = {n: texts[n] for n, code in enumerate(own) if code not in old}
            names = _near(new, gone)
            block = {names.get(n, code): one for n, (code, one) in enumerate(own.items())}
            written = put(f"{key}: []\n", (key,), block) if names else ""
            found += [
                {
                    "where": where((*place, n)),
                    "before": text_in(old[code], main),
                    "after": texts[n],
                    "block": written,
                }
                for n, code in names.items()
            ]
    return found


def _near(lines: Mapping[int, str], free: dict[str, str]) -> dict[int, str]:
    """Return the code of the free text that each line is near to, unless there are too many."""
    found: dict[int, str] = {}
    if len(lines) * len(free) <= MOST_PAIRS:
        for n, line in lines.items():
            for near in get_close_matches(line, free, 1, NEAR):
                found[n] = free.pop(near)
    return found


def _in_all(value: Any) -> Callable[[str], Any]:
    """Return what writes a new text: a word that the pages know, in each of the languages."""
    languages = languages_of(value)

    def one(text: str) -> Any:
        if text not in ("Yes", "No"):
            return text
        said = {language: words(language).say(text) for language in languages}
        return said if len(said) > 1 else said[languages[0]]

    return one


def _add(text: str, edit: Edit, checked: Checked) -> str:
    value = value_of(text)
    cost = checked["cost"] or {"sharing": 1}
    if not cost["sharing"] and any(one["epsilon"] != "direct" for one in cost["questions"]):
        # The others have chances of their own: nothing is left that it could have a part of.
        text = put(text, ("epsilon",), f"{float(cost['promised']) + 1:g}")
    made = dict(BEGINNINGS[edit["kind"]])
    if edit["kind"] in ("yes_no", "statement"):
        made["answers"] = [*map(_in_all(value), made["answers"])]
    asked = "Have you ever …?" if edit["kind"] == "yes_no" else "Your question …?"
    new = {"id": _free_id(value), "text": asked, **made}
    return _inserted(text, int(edit["number"]), new)


def _copy(text: str, edit: Edit, _: Checked) -> str:
    value, number = value_of(text), int(edit["number"])
    new = {**questions_of(value)[number], "id": _free_id(value)}
    return _inserted(text, number + 1, new)


def _inserted(text: str, number: int, question: dict[str, Any]) -> str:
    if not questions_of(value_of(text)):
        return put(text, ("questions",), [question])
    return insert(text, ("questions", number), question)


def _free_id(value: Any) -> str:
    taken = [one.get("id") for one in questions_of(value)]
    return next(id for n in count(len(taken) + 1) if (id := f"q{n}") not in taken)


def _remove(text: str, edit: Edit, _: Checked) -> str:
    return remove(text, ("questions", int(edit["number"])))


def _move(text: str, edit: Edit, _: Checked) -> str:
    most = len(questions_of(value_of(text))) - 1
    to = min(max(int(edit["to"]), 0), most)
    return move(text, ("questions", int(edit["number"])), to)


def _name(text: str, edit: Edit, _: Checked) -> str:
    """Give a question another id, also where others depend on it."""
    number, new = int(edit["number"]), str(edit["value"]).strip()
    value = value_of(text)
    old = str(questions_of(value)[number].get("id"))
    text = _renamed(put(text, ("questions", number, "id"), new), old, new)
    for place in _places(value.get("together"), ("together",)):
        if at(value, place) == old:
            text = put(text, place, new)
    return text


def _code(text: str, edit: Edit, checked: Checked) -> str:
    """Give an answer or a row another code, also where others depend on it."""
    place: Path = tuple(edit["place"])
    old, new = str(edit["key"]), "".join(str(edit["value"]).split())
    value = value_of(text)
    main, key, id = languages_of(value)[0], place[2], at(value, (*place[:2], "id"))
    own, question = _by_code(at(value, place), main), at(value, place[:2])
    there = _earlier(value, place, checked.get("base", ""))
    if checked.get("published") and old in _by_code(there, main):
        raise ValueError(f"expected the published code {old!r} to stay, found {new!r}")
    if new in own and new != old:
        raise ValueError(f"expected a code of its own for each, found {new!r} twice")
    if new in ("", old):
        return text
    if isinstance(at(value, place), list):
        text = keyed(text, place, own)
    text = rename(text, (*place, old), new)
    if key == "rows" or question.get("type") in OFFERING_YES_NO:
        return _renamed(text, f"{id}.{old}", f"{id}.{new}")
    hosts: list[Path] = [("questions", n, "ask_if") for n in range(len(questions_of(value)))]
    for host in ((*place[:2], "known"), (*place[:2], "statements"), ("plan", "margins", id)):
        if isinstance(at(value, host), dict) and old in at(value, host):
            text = rename(text, (*host, old), new)
    for host in hosts:
        for item, needed in (at(value, host) or {}).items():
            if item.partition(".")[0] == id and needed == old:
                text = put(text, (*host, item), new)
            elif item.partition(".")[0] == id and isinstance(needed, list):
                text = put(text, (*host, item), [new if one == old else one for one in needed])
    return text


def _renamed(text: str, old: str, new: str) -> str:
    """Call a question with its items, or one item, otherwise where others depend on it."""
    value = value_of(text)
    hosts = [("questions", n, "ask_if") for n in range(len(questions_of(value)))]
    for host in (*hosts, ("chances",)):
        for key in [*(at(value, host) or ())]:
            if key == old or key.startswith(f"{old}."):
                text = rename(text, (*host, key), new + key.removeprefix(old))
    return text


def _places(value: Any, above: Path) -> Iterable[Path]:
    if isinstance(value, list):
        for n, one in enumerate(value):
            yield from _places(one, (*above, n))
    elif value is not None:
        yield above


def _needs(text: str, edit: Edit, _: Checked) -> str:
    """Write one thing that a question depends on: an item, and which of its answers."""
    number = int(edit["number"])
    place: Path = ("questions", number, "ask_if")
    old, new, needed = edit["item"], edit["to"], edit["needed"]
    needs = at(value_of(text), place) or {}
    if old in needs and new and new not in needs:
        text = rename(text, (*place, old), new)
    elif old and old != new:
        text = without(text, (*place, old))
    if not new:
        return text
    if needed is None:
        # Answers are ticked by who asks: one that is ticked already would be taken back by a press.
        is_number = items_before(value_of(text), number)[new]["is_number"]
        needed = {"min": "1"} if is_number else []
    one = needed[0] if isinstance(needed, list) and len(needed) == 1 else needed
    return put_in(text, (*place, str(new)), one)


def _together(text: str, edit: Edit, _: Checked) -> str:
    groups = [[*map(str, ids)] for ids in edit["value"] if ids]
    value: Any = groups if len(groups) > 1 else [id for ids in groups for id in ids]
    for number, one in enumerate(questions_of(value_of(text))):
        for key in OTHERWISE if any(one.get("id") in ids for ids in groups) else ():
            text = without(text, ("questions", number, key))  # the group shares one chance
    return put(text, ("together",), value) if value else without(text, ("together",))


def _language(text: str, edit: Edit, _: Checked) -> str:
    """Add a language; what was said in several is said in it as in the first, until translated."""
    value, new = value_of(text), str(edit["value"])
    if new not in LANGUAGES or new in languages_of(value):
        raise ValueError(f"expected another language of {', '.join(LANGUAGES)}, found {new!r}")
    languages = languages_of(value)
    first = languages[0]
    known = {words(first).say(one): one for one in ("Yes", "No")}
    for place in texts_of(value):
        one = at(value, place)
        said = text_in(one, first)
        if isinstance(one, dict) and new not in one:
            text = put(text, (*place, new), words(new).say(known[said]) if said in known else said)
        elif said in known and not isinstance(one, dict):
            text = put(text, place, _in_all({"languages": [*languages, new]})(known[said]))
    if "languages" not in value:
        return put(text, ("languages",), [first, new])
    return insert(text, ("languages", len(languages)), new)


def texts_of(value: Any) -> list[Path]:
    """Return the places of all texts that people read, in the order in which they read them."""
    whole = ("title", "purpose", "introduction", "organisation", "contact", "help")
    places: list[Path] = [(key,) for key in (*whole, "consent", "results") if key in value]
    linked = ("contact", "help")
    places = [
        (*one, "text") if one[0] in linked and {"text", "link"} & {*_keys(value[one[0]])} else one
        for one in places
    ]
    for number, one in enumerate(questions_of(value)):
        above: Path = ("questions", number)
        places += [(*above, key) for key in ("text", "hint") if key in one]
        for key in ("statements", "answers", "rows"):
            listed = one.get(key)
            steps = range(len(listed)) if isinstance(listed, list) else _keys(listed)
            places += [(*above, key, step) for step in steps]
    return places


def _keys(value: Any) -> list[str]:
    return [*value] if isinstance(value, dict) else []


def translated(text: str, place: Path, language: str, said: str) -> str:
    """Write a text in one of the survey's languages; in the others it stays what it was."""
    value = value_of(text)
    languages, old = languages_of(value), at(value, place)
    said = lined(said)
    if isinstance(old, dict):
        return put(text, (*place, language), said or text_in(old, languages[0]))
    if not said or said == old:
        return text
    return put(text, place, dict.fromkeys(languages, old or "") | {language: said})


def _translate(text: str, edit: Edit, _: Checked) -> str:
    return translated(text, tuple(edit["place"]), str(edit["language"]), str(edit["value"]))


_EDITS: Final[dict[str, Callable[[str, Edit, Checked], str]]] = {
    "set": _set,
    "lines": _lines,
    "add": _add,
    "copy": _copy,
    "remove": _remove,
    "move": _move,
    "name": _name,
    "protect": protect,
    "needs": _needs,
    "together": _together,
    "design": design,
    "parameter": parameter,
    "aim": aim,
    "code": _code,
    "language": _language,
    "translate": _translate,
}
"""By name: see what `static/form.js` sends."""
