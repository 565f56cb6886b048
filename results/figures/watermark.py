"""A mark across every figure of a trial, whose data only look real."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from deniable.survey import Survey

TRIAL: Final = "This is a trial: every answer was made up to try the survey. Publish nothing of it."
"""The first sentence of texts for a paper."""

_MARK: Final[ContextVar[str]] = ContextVar("mark", default="")


@contextmanager
def marked(survey: Survey) -> Iterator[None]:
    """Mark the figures that the block draws in this thread, if the survey is a trial."""
    token = _MARK.set("Trial: made-up answers" if survey.kind == "trial" else "")
    try:
        yield
    finally:
        _MARK.reset(token)


def mark() -> str:
    """Return the words across figures now; empty if figures are not marked."""
    return _MARK.get()
