"""Results of large surveys, made ready before anybody asks for them.

Loading the analysis takes seconds, and the intervals of millions of reports take a tenth of one. A
desk with a large survey does both as soon as it starts, so that the first page is there as soon as
all others. Any other desk does it when somebody comes: perhaps nobody does, and it takes no memory.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from deniable.server.store import Store, StoreUnavailable

if TYPE_CHECKING:
    from flask import Flask

LARGE: Final = 100_000
"""Reports that a large survey has at least, of those that the desk may see."""

READY: Final = "ready"
"""Under which name the application has what makes the results of a survey ready."""


def prepare(store: Store, load: Callable[[], Flask]) -> None:
    """Load the desk and compute the results of all large surveys, if there are any."""
    # Whoever asks is told what is wrong.
    with suppress(StoreUnavailable):
        for record in store.surveys():
            slug = record.survey.slug
            if store.snapshot(slug).count() >= LARGE:
                load().extensions[READY](slug)
