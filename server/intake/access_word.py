"""The word that all respondents of a survey share, where its owner has set one.

Its adversary guesses. Each guess is a request, so the limit on reports from one network slows it
down; the comparison takes the same time however much of a guess is right. The word comes in a
header beside the report, and ends here: neither the report nor the store of reports ever holds it.
"""

import hmac
import time
from collections.abc import Callable
from typing import Final

from deniable.server.store import Store
from deniable.server.store.schedule import clean_word

HEADER: Final = "Survey-Pin"
"""The header of a request that carries the word."""

SECONDS: Final = 1.0
"""For how long a word is cached, so that not every report waits for the store."""


class AccessWords:
    """The access words of all surveys, cached for a second."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._known: dict[str, tuple[float, str | None]] = {}

    def fits(self, slug: str, typed: str | None) -> bool:
        """Return whether a typed word is the survey's, or the survey has none."""
        now = self._clock()
        since, word = self._known.get(slug, (-SECONDS, None))
        if now - since >= SECONDS:
            word = self._store.schedule(slug).access_word
            self._known[slug] = now, word
        return word is None or hmac.compare_digest(
            word.encode(), clean_word(typed or "").encode(errors="replace")
        )
