"""What runs the driver, and what it answers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

from deniable.survey import Survey

AUDIT_FOLDER: Final = Path(__file__).parent
BROWSER_FOLDER: Final = AUDIT_FOLDER.parent / "browser"


Engine: TypeAlias = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Lets the driver do something with a survey's modules, by the name of one of its functions."""


class EngineMissing(Exception):
    """What is needed to run the modules is not installed; says how to get it."""


class EngineError(Exception):
    """The modules do not run; says what happened."""


def as_held(survey: Survey) -> dict[str, Any]:
    """Return a survey's document as the page holds it."""
    return {**survey.document, "revision": survey.revision}


def checked(answer: Any) -> dict[str, Any]:
    """Return what the driver answered, unless that is an error."""
    if not isinstance(answer, dict) or "error" in answer:
        said = answer.get("error") if isinstance(answer, dict) else repr(answer)
        raise EngineError(f"the survey's program does not run: {said}")
    return answer
