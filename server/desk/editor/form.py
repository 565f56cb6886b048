"""The editor's form: what a survey file says, as cards and fields, each at its place in the text.

Nothing is kept here: the form is made of the text anew after each change. What it cannot say stands
in it as it is written, and stays.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from pydantic import BaseModel

from deniable.server.desk.editor.lint import Checked
from deniable.survey.questions import DOES_NOT_APPLY, PREFER_NOT_TO_SAY
from deniable.survey_file.located import Path, SurveyFileError, parse
from deniable.survey_file.rules import KINDS, OFFERING_YES_NO, ONLY_FOR, codes
from deniable.survey_file.schema import (
    EXPECTED,
    LinkedFields,
    PlanFields,
    QuestionFields,
    SurveyFields,
    WavesFields,
)
from deniable.text.languages import LANGUAGES

Field: TypeAlias = dict[str, Any]
"""``place``, ``kind``, ``label``, ``value``, ``help``, ``mistakes``; ``choices`` of a choice."""

Card: TypeAlias = dict[str, Any]

_YES: Final = {"": "no", "true": "yes"}
_SPLITS: Final = {
    "": "the same protection for every question",
    "weight": "more for the questions with a greater weight",
    "even": "as much for each as makes the widest interval narrow",
    "optimal": "as much for each as makes all intervals narrow together",
}

_FIRST_PAGE: Final[dict[Path, tuple[str, str]]] = {
    ("title",): ("line", "Title"),
    ("purpose",): ("line", "Purpose, in one sentence"),
    ("introduction",): ("text", "Introduction"),
    ("organisation",): ("line", "Who asks"),
    ("contact", "text"): ("line", "Contact: what people read"),
    ("contact", "link"): ("line", "Contact: where it leads (mailto:, tel: or https:)"),
    ("help", "text"): ("line", "Helpline: what people read"),
    ("help", "link"): ("line", "Helpline: where it leads"),
    ("minutes",): ("number", "Minutes that it takes"),
    ("consent",): ("text", "Consent that people have to give"),
    ("results",): ("line", "Where results will stand"),
    ("delete_reports",): ("date", "Day on which all reports are deleted"),
}

_WHOLE: Final[dict[Path, tuple[str, Any]]] = {
    ("plan", "people"): ("number", "People who will answer"),
    ("plan", "within"): ("number", "Precision wanted: ± points at most"),
    ("epsilon",): ("slider", "All protected answers of one person"),
    ("split",): (
        "choice",
        "They share this protection:",
    ),
    ("ask",): ("number", "Questions that chance draws for each person (empty: all)"),
    ("together",): ("together", "Randomised as one answer"),
    ("pages",): ("choice", "Questions stand"),
    ("order",): ("choice", "Order of the questions"),
    ("branch",): ("choice", "A follow-up of a protected answer is shown"),
    ("comprehension",): (
        "tick",
        "Two questions first that check how the protection was understood",
    ),
    ("waves", "count"): ("number", "Times that it is asked (waves)"),
    ("waves", "redraw"): ("line", "Chance that a wave's report is drawn anew"),
    ("publish",): ("tick", "Publish every randomised report on signed boards"),
    ("batch",): ("number", "Reports that the desk shows at once"),
    ("address",): ("choice", "Its address"),
    ("exit",): ("line", "Where “Leave quickly” leads"),
    ("colour",): ("line", "Colour of buttons"),
    ("survey",): ("line", "Its name in addresses and files"),
}

_QUESTION: Final[dict[str, tuple[str, str]]] = {
    "text": ("text", "Question"),
    "hint": ("line", "Help below it"),
    "statements": ("lines", "The two statements, one a line"),
    "answers": ("lines", "Answers, one a line"),
    "rows": ("lines", "Rows, one a line"),
    "min": ("number", "Smallest"),
    "max": ("number", "Largest"),
    "step": ("number", "Step"),
    "ask_if": ("needs", "Ask only if"),
    "prefer_not_to_say": ("tick", "Offer “Prefer not to say”"),
    "order": ("choice", "Order"),
    "ask": ("number", "Of these, chance draws for each person (empty: all)"),
    "id": ("line", "Short name, in files"),
}

_CHOICES: Final[dict[str, dict[str, str]]] = {
    "split": _SPLITS,
    "pages": {"": "each on a page of its own", "one": "all on one page"},
    "order": {"": "as written", "random": "drawn at random for each person"},
    "branch": {"": "to everybody", "hidden": "only to those whom it concerns (time can tell)"},
    "address": {"": "does not tell the topic", "named": "shows the name"},
}

_OPTIONAL: Final = ("hint", "step", "ask", "order", "id")
"""Fields of a question that stand below "More"."""


def help_on(place: Path) -> str:
    """Return the one sentence on a key, as the schema has it."""
    parts: dict[Any, type[BaseModel]] = {
        "plan": PlanFields,
        "waves": WavesFields,
        "contact": LinkedFields,
        "help": LinkedFields,
    }
    model: type[BaseModel] = QuestionFields if place[0] == "questions" else SurveyFields
    if len(place) == len(("plan", "people")) and place[0] in parts:
        model = parts[place[0]]
    key = str(place[-1])
    field = model.model_fields.get(key)
    said = field.description if field else None
    return said or (f"Expected: {EXPECTED[key]}." if key in EXPECTED else "")


def languages_of(value: Any) -> list[str]:
    """Return the languages that a text names and that there are, English if it names none."""
    named = value.get("languages") if isinstance(value, dict) else None
    known = [one for one in named if one in LANGUAGES] if isinstance(named, list) else []
    return known or ["en"]


def text_in(value: Any, language: str, *others: str) -> str:
    """Return a text in a language, in another one if it has none there."""
    if isinstance(value, dict):
        value = next((value[one] for one in (language, *others, *value) if one in value), None)
    return value if isinstance(value, str) else ""


def at(value: Any, place: Path) -> Any:
    """Return what stands at a place, None if nothing does."""
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def questions_of(value: Any) -> list[dict[str, Any]]:
    """Return the questions that can be read as such."""
    listed = at(value, ("questions",))
    return (
        [one if isinstance(one, dict) else {} for one in listed] if isinstance(listed, list) else []
    )


def choices_of(value: Any, language: str) -> dict[str, str]:
    """Return the texts of answers or rows by their codes."""
    if isinstance(value, dict):
        return {code: text_in(one, language) for code, one in value.items()}
    texts = [text_in(one, language) for one in value] if isinstance(value, list) else []
    return dict(zip(codes(texts), texts, strict=True))


def items_before(value: Any, number: int) -> dict[str, dict[str, Any]]:
    """Return what a question can depend on: by the item's id its text and its answers by code."""
    language, items = languages_of(value)[0], {}
    for at_, one in enumerate(questions_of(value)[:number]):
        id, text = str(one.get("id")), f"{at_ + 1}. {text_in(one.get('text'), language)}"
        answers = choices_of(one.get("answers"), language)
        if one.get("prefer_not_to_say") == "true":
            answers[PREFER_NOT_TO_SAY] = "Prefer not to say"
        if "ask_if" in one:
            answers[DOES_NOT_APPLY] = "Does not apply"
        if "answers" not in one:
            items[id] = {"text": text, "answers": {}}
        elif one.get("type") in OFFERING_YES_NO:
            yes = {"yes": "Yes", "no": "No"}
            options = choices_of(one.get("answers"), language)
            items |= {
                f"{id}.{code}": {"text": f"{text}: {option}", "answers": yes}
                for code, option in options.items()
            }
        elif "rows" in one:
            rows = choices_of(one.get("rows"), language)
            items |= {
                f"{id}.{code}": {"text": f"{text}: {row}", "answers": answers}
                for code, row in rows.items()
            }
        else:
            items[id] = {"text": text, "answers": answers}
    return items


class _Form:
    """What a text says, on the way to its form."""

    def __init__(self, text: str, checked: Checked) -> None:
        document = parse(text, "")
        self.value = document.value if isinstance(document.value, dict) else {}
        self.languages = languages_of(self.value)
        self.lines = text.split("\n")
        self.marks = {**document.values, **document.keys}
        self.checked = checked
        self.fields: list[Field] = []
        self.costs = {one["id"]: one for one in (checked["cost"] or {}).get("questions", [])}

    def field(self, place: Path, kind: str, label: str, **more: Any) -> Field:
        """Make the field of a place; one whose value it cannot say is in the text only."""
        value, key = at(self.value, place), str(place[-1])
        if place in (("contact", "text"), ("help", "text")) and not self._is_linked(place[0]):
            place, value = place[:1], at(self.value, place[:1])
        main = self.languages[0]
        shown: Any = text_in(value, main) if kind in ("line", "text") else value or ""
        if kind == "lines":
            shown = "\n".join(choices_of(value, main).values())
        said = (kind in ("line", "text") and self._is_text(value)) or kind in _SAYS
        known = isinstance(value, str | None) and kind in ("number", "date", "tick", "slider")
        if kind == "choice":
            more["choices"] = _CHOICES[key]
            usual = {"pages": "each", "split": "equal"}.get(key)
            shown = "" if value == usual else shown
            known = shown in more["choices"]
        if not (said or known or value is None):
            return self._unsaid(place)
        made = {"place": [*place], "kind": kind, "label": label, "value": shown}
        self.fields.append(made | {"help": help_on(place), "mistakes": [], **more})
        return self.fields[-1]

    def _is_linked(self, key: str | int) -> bool:
        value = self.value.get(key)
        return isinstance(value, dict) and bool({"text", "link"} & {*value})

    def _is_text(self, value: Any) -> bool:
        return isinstance(value, str | None) or {*value} <= {*LANGUAGES}

    def _unsaid(self, place: Path) -> Field:
        """Show a key with its text, as it is written."""
        begin = self.marks[place].line
        after = (mark.line for mark in self.marks.values() if mark.line > begin)
        inside = [mark.line for one, mark in self.marks.items() if one[: len(place)] == place]
        end = min((line for line in after if line > max(inside)), default=len(self.lines))
        lines = [line for line in self.lines[begin:end] if line.strip()]
        made = {"place": [*place], "kind": "unsaid", "label": str(place[-1]), "line": begin + 1}
        made |= {"value": "\n".join(lines), "help": help_on(place), "mistakes": []}
        self.fields.append(made)
        return made

    def rest(self, above: Path, known: set[str]) -> list[Field]:
        """Make the fields of all keys that no other field says."""
        keys = [key for key in at(self.value, above) or {} if key not in known]
        return [self._unsaid((*above, key)) for key in keys]

    def question(self, number: int, written: dict[str, Any]) -> Card:
        """Make the card of a question."""
        place, type = ("questions", number), str(written.get("type"))
        keys = [key for key in _QUESTION if type in ONLY_FOR.get(key, {type}) or key in written]
        if written.get("style") != "statement" and "statements" not in written:
            keys.remove("statements") if "statements" in keys else None
        earlier = items_before(self.value, number)
        if not earlier and "ask_if" not in written:
            keys.remove("ask_if")
        fields = {key: self.field((*place, key), *_QUESTION[key]) for key in keys}
        if "ask_if" in fields:
            needs = written.get("ask_if")
            rows = [*needs.items()] if isinstance(needs, dict) else []
            fields["ask_if"] |= {"value": [*rows, ("", [])], "items": earlier}
        said = {*keys, "type", "protection", "style", "epsilon", "flip"}
        protection = self.field((*place, "epsilon"), "slider", "Protection of this answer")
        id = str(written.get("id"))
        groups = self.value.get("together") or []
        ids = [one.get("id") for one in questions_of(self.value)]
        return {
            "number": number,
            "id": id,
            "key": id if ids.count(id) == 1 else f"{id}-{number}",
            "title": text_in(written.get("text"), self.languages[0]),
            "kind": "statement" if "style" in written else type,
            "fields": [one for key, one in fields.items() if key not in _OPTIONAL],
            "more": [fields[key] for key in _OPTIONAL if key in fields] + self.rest(place, said),
            "protection": protection
            | {
                "direct": written.get("protection") == "direct",
                "cost": self.costs.get(id),
                "shared": "ask" in self.value or id in str(groups),
                "design": "design" in written,
            },
            "mistakes": [],
        }

    def place_mistakes(self, cards: list[Card]) -> list[dict[str, Any]]:
        """Put each mistake to its field or its card; return those that belong to none."""
        others: list[dict[str, Any]] = []
        for mistake in self.checked["mistakes"]:
            path = mistake["place"]
            fitting = [one for one in self.fields if path[: len(one["place"])] == one["place"]]
            host = max(fitting, key=lambda one: len(one["place"]), default=None)
            if host is None and path[:1] == ["questions"] and at(cards, tuple(path[1:2])):
                host = cards[path[1]]
            (others if host is None else host["mistakes"]).append(mistake)
        return others


_SAYS: Final = {"lines", "needs", "together"}


def form_of(text: str, checked: Checked) -> dict[str, Any]:
    """Return the cards and fields of a text, each with what is wrong there.

    Raises
    ------
    SurveyFileError
        For a text that is not YAML.
    """
    form = _Form(text, checked)
    first = [form.field(place, *made) for place, made in _FIRST_PAGE.items()]
    cards = [form.question(*one) for one in enumerate(questions_of(form.value))]
    whole = [form.field(place, *made) for place, made in _WHOLE.items()]
    known = {str(place[0]) for place in (*_FIRST_PAGE, *_WHOLE)}
    rest = form.rest((), known | {"version", "languages", "questions"})
    others = form.place_mistakes(cards)
    for card in cards:
        hosts = [card, card["protection"], *card["fields"], *card["more"]]
        card["wrong"] = sum(len(one["mistakes"]) for one in hosts)
    return {
        "first": first,
        "cards": cards,
        "whole": whole + rest,
        "questions": {card["id"]: card["title"] for card in cards},
        "kinds": KINDS,
        "languages": form.languages,
        "cost": checked["cost"],
        "others": others,
    }


def unreadable(error: SurveyFileError) -> dict[str, Any]:
    """Return the form of a text that is not YAML: what is wrong with it."""
    others = [{"line": one.line, "message": one.message} for one in error.mistakes]
    return {"others": others, "cards": None}
