"""The form's words for the questions, answers and fields of a survey file."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from textwrap import shorten
from typing import Any, Final

from deniable.results.table import Table
from deniable.server.desk.editor.fields import MARGINS, SAID, label_of
from deniable.server.web.words import words
from deniable.survey import Survey
from deniable.survey.questions import DOES_NOT_APPLY, PREFER_NOT_TO_SAY, Question
from deniable.survey_file.located import Path, value_of
from deniable.survey_file.patch import at
from deniable.survey_file.rules import OFFERING_YES_NO, codes
from deniable.text.languages import LANGUAGES


def languages_of(value: Any) -> list[str]:
    """Return the known languages that a survey file names, English if it names none."""
    named = value.get("languages") if isinstance(value, dict) else None
    known = [one for one in named if one in LANGUAGES] if isinstance(named, list) else []
    return known or ["en"]


def text_in(value: Any, language: str, *others: str) -> str:
    """Return a text in a language, else in another one that it has."""
    if isinstance(value, dict):
        value = next((value[one] for one in (language, *others, *value) if one in value), None)
    return value if isinstance(value, str) else ""


def in_all(value: Any) -> Callable[[str], Any]:
    """Return a function that makes a new text: Yes and No in each language, others as they are."""
    languages = languages_of(value)

    def one(text: str) -> Any:
        if text not in ("Yes", "No"):
            return text
        said = {language: words(language).say(text) for language in languages}
        return said if len(said) > 1 else said[languages[0]]

    return one


def questions_of(value: Any) -> list[dict[str, Any]]:
    """Return the questions; a question that is not a mapping is returned as an empty one."""
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


def answers_of(question: dict[str, Any]) -> int:
    """Return how many answers a question has, with those that other keys add; 2 for an option."""
    besides = (question.get("prefer_not_to_say") == "true") + ("ask_if" in question)
    many = str(question.get("type")) in OFFERING_YES_NO
    return (2 if many else len(question.get("answers") or ())) + besides


def is_published(known: Mapping[str, Any], id: Any) -> bool:
    """Return whether the published survey has a question with this id."""
    return any(one.get("id") == id for one in questions_of(_published(known)))


def published_choices(known: Mapping[str, Any], id: Any, key: str) -> dict[str, str]:
    """Return the texts of a question's published answers or rows by their codes."""
    base = _published(known)
    same = (one for one in questions_of(base) if one.get("id") == id)
    return choices_of(next(same, {}).get(key), languages_of(base)[0])


def _published(known: Mapping[str, Any]) -> Any:
    """Return the value of ``base`` if it is ``published``, as an edit knows them; else nothing."""
    return value_of(known["base"]) if known.get("published") else None


def items_before(value: Any, number: int) -> dict[str, dict[str, Any]]:
    """Return the items that a question can depend on, by id.

    Each has ``text``, ``named`` (its name in a sentence), ``is_number``, and ``answers``, texts by
    code.
    """
    return {id: one for own in items_of_each(value)[:number] for id, one in own.items()}


def items_of_each(value: Any) -> list[dict[str, dict[str, Any]]]:
    """Return the items of each question, as `items_before` has them."""
    language = languages_of(value)[0]
    return [_items_of(*one, language) for one in enumerate(questions_of(value), 1)]


def _items_of(number: int, one: dict[str, Any], language: str) -> dict[str, dict[str, Any]]:
    id, text = str(one.get("id")), f"{number}. {text_in(one.get('text'), language)}"
    answers = choices_of(one.get("answers"), language)
    if one.get("prefer_not_to_say") == "true":
        answers[PREFER_NOT_TO_SAY] = "Skipped"
    if "ask_if" in one:
        answers[DOES_NOT_APPLY] = "Does not apply"
    yes_no = str(one.get("type")) in OFFERING_YES_NO
    if not (yes_no or "rows" in one):
        one_item = {"text": text, "named": f"question {number}", "answers": answers}
        return {id: {**one_item, "is_number": one.get("type") == "number"}}
    return {
        f"{id}.{code}": {
            "text": f"{text}: {_in_short(part)}",
            "named": f"question {number} ({_in_short(part)})",
            "answers": {"yes": "Yes", "no": "No"} if yes_no else answers,
            "is_number": False,
        }
        for code, part in choices_of(one.get("answers" if yes_no else "rows"), language).items()
    }


def names_of(value: Any) -> dict[str, str]:
    """Return the name of each question and item in a sentence, by id."""
    questions = questions_of(value)
    whole = {str(one.get("id")): f"question {number}" for number, one in enumerate(questions, 1)}
    items = items_before(value, len(questions))
    return whole | {id: one["named"] for id, one in items.items()}


_PLAIN: Final = {
    "redraw": "chance of drawing anew",
    "min": "smallest",
    "max": "largest",
    "epsilon": "ε",
    "flip": "chance",
}

_LINES: Final = re.compile(r"(:| on) lines? \d[\d, ]*(?:and \d+ more)?")


_BEFORE_LIST: Final = (
    "expected ",
    "one of ",
    "times: ",
    "missing in ",
    "read it in ",
    "read them in ",
)


def spoken(message: str, value: Any, place: Path = ()) -> str:
    """Return a message about a survey file in the form's words: without ids, codes and keys."""
    known: Mapping[str, str] = names_of(value)
    answers = {}
    item = None
    if "ask_if" in place[:-1]:
        item = items_before(value, int(place[1])).get(str(place[3]))
    if place[:2] == MARGINS and place[2:]:
        item = items_before(value, len(questions_of(value))).get(str(place[2]))
    if item:
        answers = {code: f"“{text}”" for code, text in item["answers"].items()}
    listed = {**known, **answers, **{one: words(one).name for one in LANGUAGES}}

    def quoted(found: re.Match[str]) -> str:
        key, _, value = found[1].removesuffix(": true").partition(": ")
        said = SAID.get(key, {}).get(value, value) if value else ""
        label = label_of(place, key).replace("”", f": {said}”" if said else "”")
        return known.get(key) or answers.get(key) or label or found[0]

    def several(found: re.Match[str]) -> str:
        parts = re.split(r"(, | and )", found[0])
        is_list = len(parts) > 1 or message[: found.start()].endswith(_BEFORE_LIST)
        is_list = is_list and found[0] not in ("a", "an", "one")
        all_known = all(one in listed for one in parts[::2])
        return "".join(listed.get(one, one) for one in parts) if is_list and all_known else found[0]

    message = message.replace("a flip probability", "a chance")
    said = re.sub(r"(?<!found )'([\w.-]+(?:: [\w/]+)?)'", quoted, _LINES.sub("", message))
    message = said
    said = re.sub(r"[\w.-]*\w(?:(?:, | and )[\w.-]*\w)*", several, said)
    said = said.replace("the key ", "").replace(" out of the survey file", " empty")
    said = said.replace("question question", "question")
    return re.sub(r"\b(min|max|epsilon|flip|redraw)\b", lambda one: _PLAIN[one[0]], said)


def _in_short(text: str) -> str:
    return shorten(text, 40, placeholder=" …")


def named(survey: Survey) -> Iterator[tuple[str, Question]]:
    """Yield each question with its number and the beginning of its words."""
    for place, one in enumerate(survey.questions, start=1):
        yield f"{place}. {_in_short(one.text)}", one


def by_text(survey: Survey, table: Table) -> Table:
    """Name the rows by the words of their questions: the form shows no id."""
    (section,) = table.sections
    rows = tuple(
        replace(row, name=row.name.replace(one.id, name, 1))
        for row, (name, one) in zip(section.rows, named(survey), strict=True)
    )
    return replace(table, sections=(replace(section, rows=rows),))
