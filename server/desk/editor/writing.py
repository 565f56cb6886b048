"""How an edit writes into the text of a survey file: at its place, and nowhere else."""

from collections.abc import Mapping
from typing import Any

from deniable.server.desk.editor.spoken import at, languages_of
from deniable.survey_file.located import Path, parse
from deniable.survey_file.patch import put, remove
from deniable.survey_file.schema import QuestionFields, SurveyFields, required
from deniable.text.languages import LANGUAGES

Edit = Mapping[str, Any]


def value_of(text: str) -> dict[str, Any]:
    """Return what a text says, nothing if it is no survey."""
    value = parse(text, "").value
    return value if isinstance(value, dict) else {}


def written(text: str, place: Path, value: str) -> str:
    """Write a text in the survey's first language, or a value; an empty one goes with its key."""
    said = value_of(text)
    old, main = at(said, place), languages_of(said)[0]
    if isinstance(old, dict) and {*old} <= {*LANGUAGES}:
        place, old = (*place, main), old.get(main)
    value = lined(value)
    needed = required(SurveyFields if len(place) == 1 else QuestionFields)
    if value or (place[0] == "questions" and len(place) != len(("questions", 0, ""))):
        return put_in(text, place, value)
    if old is None:
        return text
    return put(text, place, "") if place[-1] in needed else without(text, place)


def lined(said: str) -> str:
    """Return the lines of a text that hold something, without the blanks around them."""
    return "\n".join(one for line in said.split("\n") if (one := line.strip()))


def put_in(text: str, place: Path, value: Any) -> str:
    """Write a value, with what it stands in if that is not there."""
    above = at(value_of(text), place[:-1])
    if isinstance(place[-1], int) and len(above or ()) <= place[-1]:
        return put(
            text, place[:-1], [*(above or ()), *[""] * (place[-1] - len(above or ())), value]
        )
    if isinstance(above, str | None) and len(place) > 1:
        rest = {"text": above} if isinstance(above, str) else {}
        return put(text, place[:-1], {**rest, place[-1]: value})
    return put(text, place, value)


def without(text: str, place: Path) -> str:
    """Take a key out, and what holds nothing else with it."""
    above = at(value_of(text), place[:-1])
    if not isinstance(above, dict) or place[-1] not in above:
        return text
    is_last = len(above) == 1 and len(place) > 1
    return remove(text, place[:-1] if is_last else place)
