"""A mark across every figure, for data that is not what it looks like: a trial's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from deniable.survey import Survey

TRIAL: Final = "This is a trial: every answer was made up to try the survey. Publish nothing of it."
"""What stands at the head of texts for a paper."""

_MARK: Final[ContextVar[str]] = ContextVar("mark", default="")


@contextmanager
def marked(survey: Survey) -> Iterator[None]:
    """Mark the figures that are drawn in the block, in this thread, if they are of a trial."""
    token = _MARK.set("Trial: made-up answers" if survey.kind == "trial" else "")
    try:
        yield
    finally:
        _MARK.reset(token)


def mark() -> str:
    """Return what figures are marked with now; empty if nothing."""
    return _MARK.get()
