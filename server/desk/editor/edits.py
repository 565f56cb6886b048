"""The edits of the editor's form, each a change of the survey file's text."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain, count
from typing import Any, Final, TypeAlias

from deniable.server.desk.editor.fields import MARGINS, OWN_PLAN
from deniable.server.desk.editor.lint import Checked
from deniable.server.desk.editor.protecting import (
    OTHERWISE,
    aim,
    design,
    forget_population,
    parameter,
    protect,
)
from deniable.server.desk.editor.retyping import ANOTHER, merge, retype
from deniable.server.desk.editor.spoken import (
    choices_of,
    in_all,
    is_published,
    items_before,
    languages_of,
    published_choices,
    questions_of,
    text_in,
)
from deniable.server.desk.editor.starters import UNNAMED, UNSAID, consent, is_made_of, slug_of
from deniable.server.web.words import words
from deniable.survey.about import LINKED
from deniable.survey.items import NOISY
from deniable.survey.waves import COLUMN, OTHERS
from deniable.survey_file.beginnings import BEGINNINGS
from deniable.survey_file.located import Path
from deniable.survey_file.patch import Editable, at
from deniable.survey_file.rules import OFFERING_YES_NO, codes
from deniable.survey_file.schema import QuestionFields, SurveyFields, required
from deniable.survey_file.values import is_linked
from deniable.text.languages import LANGUAGES

Edit: TypeAlias = Mapping[str, Any]


_BEGUN: Final = frozenset(
    one
    for made in BEGINNINGS.values()
    for one in (*made.get("answers", ()), *made.get("rows", ()))
    if one.startswith(("First ", "Second "))
) | {ANOTHER}
"""The placeholder answers and rows of a new question."""


def edited(text: str, edit: Edit, checked: Checked) -> str:
    """Return a text after one edit; `checked`: the lint result of the text before the edit.

    `checked` also has ``base``, an earlier text, and ``published``, whether its survey is.

    Raises
    ------
    ValueError, KeyError, TypeError
        If the edit does not fit this text.
    """
    file = Editable(text)
    _EDITS[edit["do"]](file, edit, checked)
    return file.text


def _set(file: Editable, edit: Edit, checked: Checked) -> None:
    place, said = tuple(edit["place"]), str(edit["value"])
    if place[0] == "plan":
        said = said.strip("±% ")
    if place[0] == "questions" and place[2:3] in (("answers",), ("rows",)) and said.strip():
        *above, step = place
        choices = choices_of(at(file.value, place[:-1]), languages_of(file.value)[0])
        named = [*choices][step] if isinstance(step, int) else step
        lines = [*(choices | {named: said}).items()]
        _lines(file, {"place": above, "value": lines}, checked)
    elif place == ("waves", "count") and not said.strip():
        file.remove(("waves",))
    elif place[0] == "questions" and place[2:] == ("text",):
        before = _name_made_of(file.value, questions_of(file.value)[place[1]])
        _write(file, place, said)
        _name_after_text(file, place[1], before, checked)
    else:
        _write(file, place, said)
        if place in (("waves", "count"), ("waves", "people")):
            _fit_redraw(file)


def _fit_redraw(file: Editable) -> None:
    """Give waves of the same people a chance of drawing anew, and take it from those of others."""
    waves = at(file.value, ("waves",))
    if not isinstance(waves, dict):
        return
    asks_others, is_there = waves.get("people") == OTHERS, "redraw" in waves
    if asks_others and is_there:
        file.remove(("waves", "redraw"))
    elif not asks_others and not is_there:
        file.put(("waves", "redraw"), "1/10")


def _write(file: Editable, place: Path, said: str) -> None:
    """Write a text in the survey's first language, or a value.

    If it is empty, an optional key is removed, in every language.
    """
    key, main, said = place, languages_of(file.value)[0], lined(said)
    old = at(file.value, place)
    if isinstance(old, dict) and {*old} <= {*LANGUAGES}:
        place, old = (*place, main), old.get(main)
    if said == lined(old or ""):
        return
    is_question = key[0] == "questions"
    is_inside = is_question and len(key) != len(("questions", 0, ""))
    fields = SurveyFields if len(key) == 1 else QuestionFields if is_question else None
    needed = required(fields) if fields else []
    if not said and not is_inside and key[-1] not in needed:
        file.remove(key)
        return
    beside = at(file.value, key[:1]) if key[1:] == ("link",) else None
    if beside and not is_linked(beside):  # a text that gets a link
        file.put(key[:1], {"text": beside})
    file.put(place, said)


def lined(said: str) -> str:
    """Return the lines of a text that hold something, without the blanks around them."""
    return "\n".join(one for line in said.split("\n") if (one := line.strip()))


def _lines(file: Editable, edit: Edit, checked: Checked) -> None:
    """Write answers or rows in order, each with its current code, new ones without.

    A code that its text made follows it until it is published or another one is written. In a list
    the codes are those that the texts make; they are written out if one of them has another. A new
    question's placeholders go once others are added.
    """
    place: Path = tuple(edit["place"])
    own = choices_of(at(file.value, place), languages_of(file.value)[0])
    kept = published_choices(checked, at(file.value, (*place[:2], "id")), str(place[2]))
    lines = [(code, " ".join(one.split())) for code, one in edit["value"] if code or one.strip()]
    if unknown := {code for code, _ in lines if code} - own.keys():
        raise KeyError(*unknown)
    new = [said for code, said in lines if not code]
    fresh = iter(codes([*own, *new])[len(own) :])
    begun = _BEGUN if new else ()
    named = {code or next(fresh): said for code, said in lines if said not in begun or code in kept}
    for code in own.keys() - named.keys() if place[2] == "answers" else ():
        file.remove((*MARGINS, str(at(file.value, (*place[:2], "id"))), code))
    if own.keys().isdisjoint(named):
        file.put(place, [*map(in_all(file.value), named.values())])
        return
    derived = dict(zip(named, codes([*named.values()]), strict=True))
    follow = _following(own, named, derived, kept)
    is_list = isinstance(at(file.value, place), list)
    if is_list and [follow.get(code, code) for code in named] != [*derived.values()]:
        file.give_keys(place, [*own])
        is_list = False
    _arrange(file, place, own, named)
    for old, code in follow.items():
        if not is_list:
            file.rename((*place, old), code)
        _recode(file, place, old, code)


def _following(
    own: dict[str, str], named: dict[str, str], derived: dict[str, str], kept: Collection[str]
) -> dict[str, str]:
    """Return the new code of each answer whose text made its code, and is another one now."""
    made = dict(zip(own, codes([*own.values()]), strict=True))
    found: dict[str, str] = {}
    for code, said in named.items():
        if code not in own or code in kept or _is_same(said, own[code]):
            continue
        before, after = (codes([one])[0] for one in (own[code], said))
        if made[code] != code and not is_made_of(code, before, "_"):
            continue  # somebody wrote it
        if code != derived[code] and not is_made_of(code, after, "_"):
            taken = {*own, *named, *found.values()}
            names = chain([derived[code]], (f"{after}_{n}" for n in count(2)))
            found[code] = next(one for one in names if one not in taken)
    return found


def _arrange(file: Editable, place: Path, own: dict[str, str], named: dict[str, str]) -> None:
    """Arrange answers or rows as in `named`, by code; move those that the file has."""
    order = [*own]
    is_list = isinstance(at(file.value, place), list)

    def step(code: str) -> Path:
        return (*place, order.index(code) if is_list else code)

    for code in own.keys() - named.keys():
        file.remove(step(code))
        order.remove(code)
    for number, (code, said) in enumerate(named.items()):
        if code in order:
            if order.index(code) != number:
                file.move(step(code), number)
                order.remove(code)
                order.insert(number, code)
            if not _is_same(said, own[code]):
                _write(file, step(code), said)
            continue
        order.insert(number, code)
        if is_list:
            file.insert((*place, number), in_all(file.value)(said))
        else:
            file.put((*place, code), in_all(file.value)(said)).move((*place, code), number)


def _is_same(said: str, text: str) -> bool:
    return said.split() == text.split()


def _add(file: Editable, edit: Edit, checked: Checked) -> None:
    cost = checked["cost"] or {"sharing": 1}
    if not cost["sharing"] and any(one["epsilon"] != "direct" for one in cost["questions"]):
        # All other questions have budgets of their own: nothing is left to share with this one.
        file.put(("epsilon",), f"{float(cost['promised']) + 1:g}")
    made = dict(BEGINNINGS[edit["kind"]])
    if edit["kind"] in ("yes_no", "statement"):
        made["answers"] = [*map(in_all(file.value), made["answers"])]
    asked = "Have you ever …?" if edit["kind"] == "yes_no" else "Your question …?"
    new = {"id": "", "text": asked, **made}
    number = int(edit["number"])
    file.insert(("questions", number), new | {"id": _free_name(file.value, new)})


def _copy(file: Editable, edit: Edit, _: Checked) -> None:
    number = int(edit["number"])
    copied = questions_of(file.value)[number]
    file.insert(("questions", number + 1), copied | {"id": _free_name(file.value, copied)})


_LONGEST: Final = 24
"""Maximum length of a name that is made of a question, without its number."""

_OPENING: Final = re.compile(
    r"^((have|has|had|are|is|were|was|do|did|does|would|you|your|ever|how|many|much|often|far|what"
    r"|this|these|following|term|semester|season|which|when|who|whom|on|of|at|in|to|extent|within"
    r"|during|the|last|past|[0-9]+|twelve|months?|weeks?|years?|days?)\b\W+)+(?=\w)",
    re.IGNORECASE,
)
"""How English questions begin. What follows “In the last 12 months, have you” tells them apart."""

_CUT_OFF: Final = re.compile(
    r"(_(do|did|have|are|were)_you(_\w+)?|_is_it(_\w+)?"
    r"|((^|_)(a|an|the|in|on|of|at|to|for|by|with|and|or|you|your|that|this|it|do|did|have))+)$"
)
"""What a name does not end with: “hours a week do you work” is about the hours."""


_NO_TEXTS: Final = {"true", "false", "yes", "no", "on", "off", "null"}
"""Words that other programs do not read as texts in YAML."""


def _name_made_of(value: Any, question: Mapping[str, Any]) -> str:
    """Return the name that a question's text gives; empty if it has no usable letters."""
    said = text_in(question.get("text"), languages_of(value)[0])
    name = "" if UNSAID in said else slug_of(_OPENING.sub("", said.strip()), _LONGEST, "_")
    name = _CUT_OFF.sub("", name)
    while name.endswith(NOISY):
        name = name.removesuffix(NOISY)
    return f"q_{name}" if name[:1].isdigit() or name in _NO_TEXTS else name


def _free_name(value: Any, question: Mapping[str, Any]) -> str:
    """Return a question's name that no other question has: of its text, else ``q`` and a number."""
    name = _name_made_of(value, question)
    taken = [one.get("id") for one in questions_of(value)]
    numbered = (f"{name}_{n}" if name else f"q{n}" for n in count(2 if name else len(taken) + 1))
    return next(one for one in chain([name], numbered) if one not in ("", COLUMN, *taken))


def _name_after_text(file: Editable, number: int, before: str, checked: Checked) -> None:
    """Let a question's name follow its text, unless it is published or another one.

    `before`: the name that its text gave before.
    """
    question = questions_of(file.value)[number]
    id, after = str(question.get("id")), _name_made_of(file.value, question)
    follows = is_made_of(id, before, "_") if before else UNNAMED.fullmatch(id)
    if follows and after != before and not is_published(checked, id):
        _give_name(file, number, _free_name(file.value, question))


def _remove(file: Editable, edit: Edit, _: Checked) -> None:
    number = int(edit["number"])
    forget_population(file, number)
    for place in OWN_PLAN:
        file.remove((*place, str(questions_of(file.value)[number].get("id"))))
    file.remove(("questions", number))


def _move(file: Editable, edit: Edit, _: Checked) -> None:
    most = len(questions_of(file.value)) - 1
    file.move(("questions", int(edit["number"])), min(max(int(edit["to"]), 0), most))


def _name(file: Editable, edit: Edit, checked: Checked) -> None:
    """Change a question's id; an empty one follows its text again."""
    number, new = int(edit["number"]), str(edit["value"]).strip()
    question = questions_of(file.value)[number]
    if is_published(checked, old := question.get("id")) and new != old:
        raise ValueError(f"expected the published name {old!r} to stay, found {new!r}")
    _give_name(file, number, new or _free_name(file.value, question))


def _give_name(file: Editable, number: int, new: str) -> None:
    """Write a question's id, also where other keys refer to it."""
    old = str(questions_of(file.value)[number].get("id"))
    file.put(("questions", number, "id"), new)
    if any(one.get("id") == old for one in questions_of(file.value)):
        return  # what refers to it may mean the other one
    _rename(file, old, new)
    for key in ("together", "same_fact"):
        for place in _places(file.value.get(key), (key,)):
            if at(file.value, place) == old:
                file.put(place, new)


def _code(file: Editable, edit: Edit, checked: Checked) -> None:
    """Change the code of an answer or a row, also where other keys refer to it."""
    place: Path = tuple(edit["place"])
    old, new = str(edit["key"]), "".join(str(edit["value"]).split())
    listed = at(file.value, place)
    own = choices_of(listed, languages_of(file.value)[0])
    if old in published_choices(checked, at(file.value, (*place[:2], "id")), str(place[2])):
        raise ValueError(f"expected the published code {old!r} to stay, found {new!r}")
    if new in own and new != old:
        raise ValueError(f"expected a code of its own for each, found {new!r} twice")
    if new in ("", old):
        return
    if isinstance(listed, list):
        file.give_keys(place, [*own])
    file.rename((*place, old), new)
    _recode(file, place, old, new)


def _recode(file: Editable, place: Path, old: str, new: str) -> None:
    """Replace the code of an answer or a row where other keys refer to it."""
    _, number, key = place
    question = at(file.value, place[:2])
    id = str(question.get("id"))
    if key == "rows" or question.get("type") in OFFERING_YES_NO:
        _rename(file, f"{id}.{old}", f"{id}.{new}")
        return
    above: Path = ("questions", number)
    shares = [one for one in at(file.value, MARGINS) or () if one.partition(".")[0] == id]
    for host in ((*above, "known"), (*above, "statements"), *((*MARGINS, one) for one in shares)):
        if isinstance(there := at(file.value, host), dict) and old in there:
            file.rename((*host, old), new)
    if question.get("yes") == old:
        file.put((*above, "yes"), new)
    for other, one in enumerate(questions_of(file.value)):
        for item, needed in dict(one.get("ask_if") or {}).items():
            if item.partition(".")[0] == id and needed == old:
                file.put(("questions", other, "ask_if", item), new)
            elif item.partition(".")[0] == id and isinstance(needed, list) and old in needed:
                said = [new if code == old else code for code in needed]
                file.put(("questions", other, "ask_if", item), said)


def _rename(file: Editable, old: str, new: str) -> None:
    """Replace the id of a question, or of one item, where other keys refer to it."""
    hosts = [("questions", n, "ask_if") for n in range(len(questions_of(file.value)))]
    for host in (*hosts, ("chances",), MARGINS, *OWN_PLAN):
        for key in [*(at(file.value, host) or ())]:
            if key == old or key.startswith(f"{old}."):
                file.rename((*host, key), new + key.removeprefix(old))


def _places(value: Any, above: Path) -> Iterable[Path]:
    if isinstance(value, list):
        for n, one in enumerate(value):
            yield from _places(one, (*above, n))
    elif value is not None:
        yield above


def _needs(file: Editable, edit: Edit, _: Checked) -> None:
    """Write one condition of a question: an item, and the answers to it that are needed."""
    number = int(edit["number"])
    place: Path = ("questions", number, "ask_if")
    old, new, needed = edit["item"], edit["to"], edit["needed"]
    needs = at(file.value, place) or {}
    if old in needs and new and new not in needs:
        file.rename((*place, old), new)
    elif old and old != new:
        file.remove((*place, old))
    if at(file.value, place) is None:
        file.remove(("plan", "applies", str(questions_of(file.value)[number].get("id"))))
    if not new:
        return
    if needed is None:
        # No answer is ticked at first: a press would untick one that is ticked already.
        is_number = items_before(file.value, number)[new]["is_number"]
        needed = {"min": "1"} if is_number else []
    one = needed[0] if isinstance(needed, list) and len(needed) == 1 else needed
    file.put((*place, str(new)), one)


def _together(file: Editable, edit: Edit, _: Checked) -> None:
    groups = [[*map(str, ids)] for ids in edit["value"] if ids]
    for number, one in enumerate(questions_of(file.value)):
        for key in OTHERWISE if any(one.get("id") in ids for ids in groups) else ():
            file.remove(("questions", number, key))  # the group shares one chance
    if groups:
        file.put(("together",), groups if groups[1:] else groups[0])
    else:
        file.remove(("together",))


def _language(file: Editable, edit: Edit, _: Checked) -> None:
    """Add a language; until a text is translated, it is that of the first, except for our own."""
    new, languages = str(edit["value"]), languages_of(file.value)
    if new not in LANGUAGES or new in languages:
        raise ValueError(f"expected another language of {', '.join(LANGUAGES)}, found {new!r}")
    first = languages[0]
    known = {words(first).say(one): one for one in ("Yes", "No", *consent())}
    for place in texts_of(file.value):
        one = at(file.value, place)
        said = text_in(one, first)
        ours = [known.get(paragraph, "") for paragraph in said.split("\n")]
        wanted = [new] if isinstance(one, dict) else [*languages, new]
        made = {each: "\n".join(map(words(each).say, ours)) for each in wanted if all(ours)}
        if isinstance(one, dict) and new not in one:
            file.put((*place, new), made.get(new, said))
        elif made and not isinstance(one, dict):
            file.put(place, made)
    if "languages" in file.value:
        file.insert(("languages", len(languages)), new)
    else:
        file.put(("languages",), [first, new])


def texts_of(value: Any) -> list[Path]:
    """Return the places of all texts that respondents read, in the order of reading."""
    whole = ("title", "purpose", "introduction", "organisation", *LINKED)
    others = ("consent", "approval", "results")
    places: list[Path] = [(key,) for key in (*whole, *others) if key in value]
    places = [
        (*one, "text") if one[0] in LINKED and is_linked(value[one[0]]) else one for one in places
    ]
    for number, one in enumerate(questions_of(value)):
        above: Path = ("questions", number)
        places += [(*above, key) for key in ("text", "hint") if key in one]
        for key in ("statements", "answers", "rows"):
            listed = one.get(key)
            steps: Iterable[int | str] = listed if isinstance(listed, dict) else ()
            steps = range(len(listed)) if isinstance(listed, list) else steps
            places += [(*above, key, step) for step in steps]
    return places


def translate(file: Editable, place: Path, language: str, said: str) -> None:
    """Write a text in one of the survey's languages; keep it in the others."""
    languages, old, said = languages_of(file.value), at(file.value, place), lined(said)
    if isinstance(old, dict):
        file.put((*place, language), said or text_in(old, languages[0]))
    elif said:  # also one that is the same: no longer missing
        file.put(place, dict.fromkeys(languages, old or "") | {language: said})


_EDITS: Final[dict[str, Callable[[Editable, Edit, Checked], None]]] = {
    "set": _set,
    "lines": _lines,
    "add": _add,
    "copy": _copy,
    "remove": _remove,
    "retype": retype,
    "merge": merge,
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
    "translate": lambda file, edit, _: translate(
        file, tuple(edit["place"]), str(edit["language"]), str(edit["value"])
    ),
}
"""The edits, by the names that `static/form.js` sends."""
