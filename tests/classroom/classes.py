"""Classes to show: their questions, and how often each report came."""

from functools import cache
from typing import Any

from deniable.classroom.class_state import Class
from deniable.classroom.steps import step_of
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit.surveys import file_of

YES_NO = "No, Yes"
FOUR = "Spring, Summer, Autumn, Winter"


@cache
def survey(answers: str = YES_NO, law: str = "flip: 1/4") -> Survey:
    asked = f"id: asked, text: Which one?, type: single, answers: [{answers}], {law}"
    return read(file_of(asked, slug="class")).survey


def a_class(*counts: int, law: str = "flip: 1/4", answers: str = YES_NO, **known: Any) -> Class:
    return Class(survey(answers, law), counts, **known)


def scene(shown: Class, step: str) -> dict[str, Any]:
    return step_of(step).scene(shown)


def notes(shown: Class, step: str) -> tuple[str, ...]:
    return step_of(step).shown(shown).notes
