"""The editor's form: a survey file as cards and fields, each with its place in the text.

The form has no state: it is made from the text after each change. A key that no field can show
appears as its text, and stays in the file.
"""

import inspect
import re
from bisect import bisect_right
from collections import Counter
from contextlib import suppress
from datetime import date
from functools import cache
from itertools import accumulate
from operator import or_
from typing import Any, Final, TypeAlias

from deniable import designs
from deniable.roles import place_of_yes
from deniable.server.desk.editor.fields import (
    BRANCH,
    BRANCHES,
    CHOICES,
    FIRST_PAGE,
    GIVEN,
    MARGINS,
    OPTIONAL,
    OWN_PLAN,
    PLAN,
    POPULATION,
    QUESTION,
    SELDOM,
    USUAL,
    WHOLE,
    help_on,
    meaning_of,
    needless,
)
from deniable.server.desk.editor.lint import Checked
from deniable.server.desk.editor.retyping import followed, kind_of, types_of
from deniable.server.desk.editor.spoken import (
    answers_of,
    choices_of,
    is_published,
    items_of_each,
    languages_of,
    published_choices,
    questions_of,
    text_in,
)
from deniable.server.desk.editor.starters import consent
from deniable.server.web.words import words
from deniable.survey.about import LINKED
from deniable.survey_file.beginnings import KINDS, KINDS_TOLD
from deniable.survey_file.located import Mistake, Path, SurveyFileError, parse
from deniable.survey_file.meanings import summary
from deniable.survey_file.patch import at
from deniable.survey_file.rules import MAX_ANSWERS, ONLY_FOR
from deniable.survey_file.values import is_linked
from deniable.text.languages import LANGUAGES

Field: TypeAlias = dict[str, Any]
"""``place``, ``kind``, ``label``, ``value``, ``help``, ``mistakes``; ``choices`` of a choice."""

Card: TypeAlias = dict[str, Any]

MOST_CHOICES: Final = 100_000
"""Maximum of questions times items: an item is offered at each question after it."""


class _Form:
    """The form of a text, while it is made."""

    def __init__(self, text: str, checked: Checked) -> None:
        document = parse(text, "")
        self.value = document.value if isinstance(document.value, dict) else {}
        self.languages = languages_of(self.value)
        self.lines = text.split("\n")
        self.marks = {**document.values, **document.keys}
        self.begun = sorted({mark.line for mark in self.marks.values()})
        self.last: dict[Path, int] = {}  # the last line at which something of a place begins
        for place, mark in self.marks.items():
            for above in (place[: depth + 1] for depth in range(len(place))):
                self.last[above] = max(mark.line, self.last.get(above, 0))
        self.checked = checked
        self.fields: list[Field] = []
        own = items_of_each(self.value)
        choices = len(own) * sum(map(len, own))
        if choices > MOST_CHOICES:
            said = f"expected at most {MOST_CHOICES:,} as the questions times all that a question "
            said += f"can depend on, for a form; found {choices:,}: write in the text"
            raise SurveyFileError("", [Mistake(1, 1, said)])
        none: dict[str, dict[str, Any]] = {}
        self.items = [*accumulate(own, or_, initial=none)]
        self.ids = Counter(str(one.get("id")) for one in questions_of(self.value))
        self.grouped = str(self.value.get("together") or [])
        self.drawn = self._drawn_together()
        self.costs = {one["id"]: one for one in (checked["cost"] or {}).get("questions", [])}

    def field(self, place: Path, kind: str, label: str, **more: Any) -> Field:
        """Make the field of a place; a value that the field cannot show appears as its text."""
        value, key, named = at(self.value, place), str(place[-1]), "-".join(map(str, place))
        whole = at(self.value, place[:1])
        if place[1:] == ("text",) and place[0] in LINKED and not is_linked(whole):
            place, value = place[:1], whole
        main = self.languages[0]
        shown: Any = text_in(value, main) if kind in ("line", "text") else value or ""
        if kind == "lines":
            shown = choices_of(value, main)
            steps = value if isinstance(value, dict) else range(len(shown))
            more["parts"] = dict(zip(shown, (_part(*place, one) for one in steps), strict=True))
        said = kind in _SAYS
        if kind in ("line", "text"):
            said = isinstance(value, str | None) or {*value} <= {*LANGUAGES}
        said = said and len(shown) <= MAX_ANSWERS if kind == "lines" else said
        known = isinstance(value, str | None) and kind in _PLAIN
        if kind == "choice":
            more.setdefault("choices", CHOICES.get(key))
            shown = "" if value == USUAL.get(key) else shown
            known = shown in more["choices"]
        if kind == "together":
            said = value is None or isinstance(value, list)
            shown, more["parts"] = _members(place, value if said else None)
        noted = {"ask": "drawn", "skip": "skip"}.get(key) if len(place) == 1 else None
        if noted and self.checked["cost"]:
            more["notes"] = [one for one in [self.checked["cost"][noted]] if one]
        if place == ("consent",) and str(shown).split("\n") == consent(words(main).say):
            more["notes"] = ["Written for you: check the age, and what your ethics board wants."]
        if place == ("plan", "all") and not value and at(self.value, ("plan", "one")):
            more["notes"] = ["Empty: nobody surer than today."]
        if kind in ("chances", "margins"):
            units = more.get("titles") or (self.checked["cost"] or self.checked).get("units", [])
            shown = dict.fromkeys(units, "") | (value if isinstance(value, dict) else {})
            more["parts"] = {unit: _part(*place, unit) for unit in shown}
        if kind == "date" and isinstance(value, str) and value < f"{date.today():%Y-%m-%d}":
            more["notes"] = ["This day has passed."]
        if kind == "design":
            said = _is_design(value)
            shown = next(iter(value)) if value and said else ""
            more["parameters"] = _parameters(shown, (value or {}).get(shown) or {}) if said else {}
            more["parts"] = {key: _part(*place, shown, key) for key in more["parameters"]}
        if not (said or known or value is None):
            return self._unsaid(place)
        made = {"name": named, "kind": kind, "label": label, "value": shown}
        self.fields.append(made | {"help": help_on(place), **_part(*place), **more})
        return self.fields[-1]

    def _unsaid(self, place: Path) -> Field:
        """Make the field that shows a key's text as it is written."""
        begin = self.marks[place].line
        after = bisect_right(self.begun, self.last[place])
        end = self.begun[after] if after < len(self.begun) else len(self.lines)
        lines = [line for line in self.lines[begin:end] if line.strip()]
        made = {**_part(*place), "kind": "unsaid", "label": str(place[-1]), "line": begin + 1}
        made |= {"name": "-".join(map(str, place))}
        made |= {"value": "\n".join(lines), "help": meaning_of(place)}
        self.fields.append(made)
        return made

    def rest(self, above: Path, known: set[str]) -> list[Field]:
        """Make the fields of all keys that have no field of their own."""
        keys = [key for key in at(self.value, above) or {} if key not in known]
        return [self._unsaid((*above, key)) for key in keys]

    def question_card(self, number: int, written: dict[str, Any]) -> Card:
        """Make the card of a question, numbered from 0; adds its fields to the form."""
        place, type = ("questions", number), str(written.get("type"))
        earlier, id = self.items[number], str(written.get("id"))
        keys = self._keys_of(written, type, has_earlier=bool(earlier))
        named = {**QUESTION, **SELDOM}
        answers = choices_of(written.get("answers"), self.languages[0])
        if "yes" not in keys and _needs_yes(written.get("design"), answers):
            keys.append("yes")
        own: dict[str, Any] = {"yes": {"choices": {"": "as the words say", **answers}}}
        fields = {
            key: self.field((*place, key), *named[key], **own.get(key, {}))
            for key in keys
            if key != "statements"
        }
        stated = self._statements((*place, "statements"), written) if "statements" in keys else []
        if "step" in fields and "no shares" in self.costs.get(id, {}).get("width", ""):
            told = "So many values: their mean is estimated, and no share of single values."
            fields["step"]["notes"] += [told]
        if "design" in fields:
            fields["design"]["designs"] = designs_for(answers_of(written))
            fields["design"]["shut"] = id in self.grouped or id in self.drawn
        self._condition(fields, written, earlier)
        self._own_plan(fields, written)
        codes = [self._codes((*place, key), id) for key in ("answers", "rows") if written.get(key)]
        said = {*keys, "type", "protection", "style", "epsilon", "flip"}
        protection = self.field((*place, "epsilon"), "slider", "Protection of this answer")
        seldom = (*OPTIONAL, "within_of", "given", *SELDOM)
        return {
            "number": number,
            "id": id,
            "key": id if self.ids[id] == 1 else f"{id}-{number}",
            "title": text_in(written.get("text"), self.languages[0]),
            "kind": kind_of(written, self.languages[0]),
            "types": types_of(self.value, number),
            "follows": followed(self.value, number),
            "fields": [fields["text"], *stated]
            + [one for key, one in fields.items() if key not in (*seldom, "text")],
            "more": [fields[key] for key in seldom if key in fields]
            + [one for one in codes if 0 < len(one["value"]) <= MAX_ANSWERS]
            + self.rest(place, said),
            "protection": protection
            | {
                "direct": written.get("protection") == "direct",
                "cost": self.costs.get(id),
                "shared": "ask" in self.value or id in self.grouped,
                "design": "design" in written,
                "own": not {"epsilon", "flip", "design"}.isdisjoint(written),
            },
            "mistakes": [],
        }

    def _keys_of(self, written: dict[str, Any], type: str, *, has_earlier: bool) -> list[str]:
        """Return the keys that have a field on a question's card."""
        keys = [key for key in QUESTION if type in ONLY_FOR.get(key, {type}) or key in written]
        keys += [key for key in SELDOM if isinstance(written.get(key), str)]
        without = set()
        if written.get("style") != "statement" and "statements" not in written:
            without |= {"statements"}
        if not has_earlier and "ask_if" not in written:
            without |= {"ask_if"}
        offers = "answers" in written and {"protection", "style"}.isdisjoint(written)
        if not offers and "design" not in written:
            without |= {"design"}
        skips = self.value.get("skip") == "true" and len(questions_of(self.value)) > 1
        if skips and {"prefer_not_to_say", "protection"}.isdisjoint(written):
            # At protected questions, “Skip this question” is this answer.
            without |= {"prefer_not_to_say"}
        return [key for key in keys if key not in without]

    def _own_plan(self, fields: dict[str, Field], written: dict[str, Any]) -> None:
        """Add whether a name stays, and what the plan says of one question."""
        id, declined = (
            str(written.get("id")),
            written.get("prefer_not_to_say", self.value.get("skip")),
        )
        is_declined = written.get("type") == "number" and declined == "true"
        fields["id"]["kept"] = is_published(self.checked, id)
        for place, (kind, label) in OWN_PLAN.items():
            key, named = str(place[1]), label
            if key == "applies" and "ask_if" not in written:
                key, named = "given", GIVEN
            if key != "given" or is_declined:
                fields[key] = self.field((*place, id), kind, named, help=help_on(place))
        titles = self.items[-1].get(id, {}).get("answers") or {}
        is_direct = (written.get("type"), written.get("protection")) == ("single", "direct")
        if is_direct and 0 < len(titles) <= MAX_ANSWERS:
            fields["margins"] = self.field(
                (*MARGINS, id), *POPULATION, titles=titles, help=help_on(MARGINS)
            )

    def _condition(self, fields: dict[str, Field], written: dict[str, Any], earlier: Any) -> None:
        """Fill in the field `ask_if`, with the items of the questions before this one."""
        needs = written.get("ask_if")
        rows = [*needs.items()] if isinstance(needs, dict) else []
        if "ask_if" in fields:
            fields["ask_if"] |= {"value": [*rows, ("", [])], "items": earlier}
        needed = {str(item).partition(".")[0] for item, _ in rows}
        asked = (one for one in questions_of(self.value) if one.get("id") in needed)
        if any(one.get("protection") != "direct" for one in asked):
            below = {key: fields.pop(key) for key in [*fields][[*fields].index("ask_if") + 1 :]}
            said = [BRANCHES[one] for one in [self.value.get("branch", "")] if one in BRANCHES]
            fields |= {"branch": self.field(("branch",), *BRANCH, notes=said)} | below

    def _codes(self, place: Path, id: str) -> Field:
        """Make the field of the codes of answers or rows in data files; published codes stay."""
        main, key = self.languages[0], str(place[-1])
        return {
            **_part(*place),
            "kind": "codes",
            "label": f"Codes of the {key}, in data files",
            "value": choices_of(at(self.value, place), main),
            "kept": published_choices(self.checked, id, key),
            "help": help_on((*place[:2], "codes")),
            "wrong": 0,
        }

    def _statements(self, place: Path, question: dict[str, Any]) -> list[Field]:
        """Make a field for the statement of each answer."""
        main, value = self.languages[0], at(self.value, place)
        answers = choices_of(question.get("answers"), main)
        if not isinstance(value, list | dict | None):
            return [self._unsaid(place)]
        named: dict[Any, str] = {**answers, **dict(enumerate(answers.values()))}
        steps = value if isinstance(value, dict) else range(max(len(value or ()), len(answers)))
        labels = {step: f"Statement if the answer is “{named.get(step, '…')}”" for step in steps}
        return [
            self.field((*place, step), "line", label, help=help_on(place))
            for step, label in labels.items()
        ]

    def _drawn_together(self) -> set[str]:
        """Return the ids of questions that are drawn together, as one follows up the other."""
        asked = questions_of(self.value) if "ask" in self.value else []
        ids = {str(one.get("id")) for one in asked if one.get("protection") != "direct"}
        pairs = [
            {str(one.get("id")), str(item).partition(".")[0]}
            for one in asked
            for item in one.get("ask_if") or ()
        ]
        return {id for pair in pairs if pair <= ids for id in pair}

    def place_mistakes(self, cards: list[Card]) -> list[dict[str, Any]]:
        """Add what is said of each field or card; return the mistakes that belong to none."""
        others: list[dict[str, Any]] = []
        fields: dict[Path, Field] = {}
        within: dict[Path, Field] = {}
        for one in self.fields:
            fields.setdefault(tuple(one["place"]), one)
            within.setdefault(tuple(one["place"][:1]), one)
            fields.update({tuple(part["place"]): part for part in one.get("parts", {}).values()})
        for number, card in enumerate(cards):
            fields["questions", number, "protection"] = card["protection"]
            stated = [one for one in card["fields"] if "statements" in one["place"]]
            for key in ("style", "statements") if stated else ():
                fields.setdefault(("questions", number, key), stated[0])
        cost = self.checked["cost"] or {}
        for kind, found in (("notes", self.checked["notes"]), ("warnings", cost.get("warnings"))):
            for one in found or ():
                field = fields.get(tuple(one["place"]), {kind: []})
                field[kind].append(one if kind == "warnings" else one["said"])
                field |= {"free": one["take"], "call": "Take"} if "take" in one else {}
        for mistake in self.checked["mistakes"]:
            path = mistake["place"]
            step = re.search(r"(?:larger|another) step(?:, such as (\S+))?$", mistake["message"])
            if step:
                path = [*path[:2], "step"]
            above = (tuple(path[:depth]) for depth in range(len(path), 0, -1))
            host = next((fields[one] for one in above if one in fields), None)
            if host is None and path[:1] != ["questions"]:  # a key that has fields below it
                host = within.get(tuple(path[:1]))
            if host is None and path[:1] == ["questions"] and path[1:] and at(cards, (path[1],)):
                host = cards[path[1]]
            if host and host.get("kind") == "design":
                host = _at_parameter(host, mistake)
            (others if host is None else host["mistakes"]).append(mistake)
            if step and step[1] and host:
                host["free"], host["call"] = step[1], "Take"
        for one in self.fields:
            hosts = [one, *one.get("parts", {}).values()]
            one["wrong"] = sum(len(each["mistakes"]) for each in hosts)
        return others


def _part(*place: Any) -> Field:
    return {"place": [*place], "mistakes": [], "notes": [], "warnings": []}


def _members(place: Path, value: list[Any] | None) -> tuple[list[list[str]], dict[str, Field]]:
    """Return the groups of questions, with an empty one at the end, and each member's part."""
    is_one = bool(value) and isinstance(at(value, (0,)), str)
    listed = [
        [(n, id) for n, id in enumerate(one) if isinstance(id, str)]
        for one in ([value] if is_one else value or ())
        if isinstance(one, list)
    ]
    parts = {
        f"{group}-{id}": _part(*place, *([] if is_one else [group]), n)
        for group, one in enumerate(listed)
        for n, id in one
    }
    return [*([id for _, id in one] for one in listed), []], parts


def _at_parameter(field: Field, mistake: dict[str, Any]) -> Field:
    """Return the one parameter of a design that a mistake names, else the design's field."""
    message, name = mistake["message"], field["value"]
    said = message.removeprefix(f"{name}: ")
    named = [key for key in field["parts"] if re.search(rf"\b{key}\b", said)]
    if not message.startswith(name) or said.startswith("nothing ") or len(named) != 1:
        return field
    mistake["said"] = mistake["said"].removeprefix(f"{name}: ")
    found: Field = field["parts"][named[0]]
    return found


_SAYS: Final = {"lines", "needs", "together", "chances", "margins"}
_PLAIN: Final = {"number", "date", "tick", "slider", "logo"}


def beginning(name: str, answers: int) -> dict[str, Any]:
    """Return the first parameters of a chosen design: its example, for this number of answers."""
    example = {
        key: value
        for key, value in designs.NAMED[name].example.items()
        if key not in designs.NUMBER_OF_ANSWERS
    }
    return example | ({"forced": [f"1/{answers}"] * answers} if "forced" in example else {})


@cache
def designs_for(answers: int) -> dict[str, str]:
    """Return a sentence, by name, for each design that the form offers for so many answers."""
    found = {}
    for name, design in designs.BY_NAME.items():
        begins = beginning(name, answers)
        if {"epsilon", "table"} & {*begins}:  # the slider sets ε, and a table is edited in the text
            continue
        with suppress(ValueError, ZeroDivisionError):  # there are no answers
            channel = designs.from_mapping({name: begins}, answers)
            designs.refuse_for_collection(channel, [""] * channel.reports)
            found[name] = summary(design).replace("`", "")
    return found


def _needs_yes(design: Any, answers: dict[str, str]) -> bool:
    """Return whether a design treats yes and no differently, and no answer is known as the yes."""
    named = isinstance(design, dict) and {*design} <= designs.HAVE_YES
    said = (place_of_yes([*answers.values()]), place_of_yes([*answers]))
    return named and len(answers) == 2 and said == (None, None)


def _parameters(name: str, given: dict[str, Any]) -> dict[str, str]:
    """Return a design's parameters as written, without those that the question determines."""
    declared = list(inspect.signature(designs.BY_NAME[name]).parameters) if name else []
    keys = [key for key in declared if key in given or key not in ("k", "levels")]
    return {
        key: one if isinstance(one := given.get(key) or "", str) else ", ".join(one) for key in keys
    }


def _is_design(value: Any) -> bool:
    """Return whether a name and a line for each parameter can express a design."""
    if value is None:
        return True
    name, given = next(iter(value.items())) if isinstance(value, dict) and value else ("", {})
    lists = [one if isinstance(one, list) else [one] for one in (given or {}).values()]
    return (
        name in designs.BY_NAME
        and len(value) == 1
        and (given or {}).keys() <= _parameters(name, given or {}).keys()
        and all(isinstance(one, str) for listed in lists for one in listed)
    )


def form_of(text: str, checked: Checked) -> dict[str, Any]:
    """Return the cards and fields of a text, each with its mistakes.

    Raises
    ------
    SurveyFileError
        For a text that is not YAML, or has too much for a form.
    """
    form = _Form(text, checked)
    first = [form.field(place, *made) for place, made in FIRST_PAGE.items()]
    plan = [form.field(place, *made) for place, made in PLAN.items()]
    cards = [form.question_card(*one) for one in enumerate(questions_of(form.value))]
    known = {str(place[1]) for place in PLAN}
    for place in (MARGINS, *OWN_PLAN):
        shown = {one["place"][2] for one in form.fields if tuple(one["place"][:2]) == place}
        known |= (
            {str(place[1])} if shown.issuperset(map(str, at(form.value, place) or ())) else set()
        )
    plan += form.rest(("plan",), known)
    apart = [*needless(form.value)]
    whole = [form.field(place, *made) for place, made in WHOLE.items() if place not in apart]
    if "branch" in form.value and not any("ask_if" in one for one in questions_of(form.value)):
        whole.append(form.field(("branch",), *BRANCH))
    known = {str(place[0]) for place in (*FIRST_PAGE, *PLAN, *WHOLE)}
    rest = form.rest((), known | {"version", "languages", "questions", "branch"})
    others = form.place_mistakes(cards)
    for card in cards:
        around = len(card["mistakes"]) + len(card["protection"]["mistakes"])
        card["wrong"] = around + sum(one["wrong"] for one in card["fields"] + card["more"])
    return {
        "first": first,
        "plan": plan,
        "cards": cards,
        "whole": whole + rest,
        "titles": {
            **{card["id"]: f"{card['number'] + 1}. {card['title']}" for card in cards},
            **{id: one["text"] for id, one in form.items[-1].items()},
        },
        "groupable": [
            card["id"]
            for card in cards
            if card["id"] in form.items[-1]
            and card["kind"] != "statement"
            and not (card["protection"]["direct"] or card["protection"]["design"])
        ],
        "skips": form.value.get("skip") == "true" and len(cards) > 1,
        "kinds": KINDS,
        "kinds_told": KINDS_TOLD,
        "languages": form.languages,
        "cost": checked["cost"],
        "others": others,
    }


def unreadable(error: SurveyFileError) -> dict[str, Any]:
    """Return the form of a text that cannot have one: its mistakes alone."""
    others = [{"line": one.line, "message": one.message} for one in error.mistakes]
    return {"others": others, "cards": None}
