"""Results of large surveys, computed before the first request.

Loading the analysis takes seconds, and the intervals of millions of reports take a tenth of one. A
desk with a large survey does both as soon as it starts, so that its first page is as fast as all
others. Any other desk waits for the first request, which may never come, and saves the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from deniable.server.store import Store, StoreUnavailable

if TYPE_CHECKING:
    from flask import Flask

LARGE: Final = 100_000
"""Minimum number of reports of a large survey, among those that the desk may see."""

READY: Final = "ready"
"""The key in `app.extensions` of the function that computes a survey's results."""


def prepare(store: Store, load: Callable[[], Flask]) -> None:
    """Load the desk and compute the results of all large surveys, if there are any."""
    # The first request says what is wrong.
    with suppress(StoreUnavailable):
        for record in store.surveys():
            slug = record.survey.slug
            if store.snapshot(slug).count() >= LARGE:
                load().extensions[READY](slug)
