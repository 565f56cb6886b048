"""The headers of the desk.

Its pages show, and forms change. Some run a script of `static/`, and none runs one that stands in
its own markup: an answer's text that got into a page unescaped would be a text still. What they
show is the researcher's alone, so nothing of it is kept by a browser or a proxy. Only the lab and
the manual, which show nothing of anybody, may be kept.
"""

import re
from typing import Final

from deniable.server.web.headers import NO_STORE, always, origin_of, policy
from deniable.server.web.response import Headers

ALLOWED: Final = (
    "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'"
)
_TRIAL: Final = re.compile(r"/desk/(surveys/[^/]+/trial|editor/drafts/[^/]+)")
"""The pages that show a trial in a frame."""
# matplotlib draws with inline styles; a figure opened by itself can do nothing but look right.
_FIGURE: Final = (
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
)
_BUNDLES: Final = "/desk/static/vendor/"
"""Large files that are the same for everybody: a browser may keep them, and asks whether they have
changed."""


class DeskHeaders:
    """The headers of every response of the desk, by its address."""

    def __init__(self, *, https: bool, respondents_url: str) -> None:
        # Not "no-referrer": browsers would then send "Origin: null" with every form, and the desk
        # could not tell its own forms from those of another site (`csrf`).
        kept = [*always(https=https), ("Referrer-Policy", "same-origin")]
        shared = [*kept, NO_STORE]
        own = policy(ALLOWED)
        self._bundle: Headers = [*kept, own]
        self._page: Headers = [*shared, own]
        # The frame's page keeps its own policies, and says to other origins that it is not theirs.
        # A page that embeds only what says the opposite could not show it; so these two pages do.
        framing = policy(f"{ALLOWED}; frame-src {origin_of(respondents_url)}")
        self._trial: Headers = [
            *(header for header in shared if header[0] != "Cross-Origin-Embedder-Policy"),
            framing,
        ]
        self._figure: Headers = [*shared, _FIGURE]

    def of(self, path: str) -> Headers:
        """Return the headers of every response, good or bad, to requests for this address."""
        # What is the same for everybody; the lab and the manual have nothing of the researcher's.
        if path.startswith((_BUNDLES, "/classroom/", "/lab/", "/desk/help/")):
            return self._bundle
        if _TRIAL.fullmatch(path):
            return self._trial
        return self._figure if path.endswith(".svg") else self._page
