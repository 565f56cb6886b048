"""The headers of the desk's responses.

Some pages run a script of `static/`; none runs an inline script, so text that reached a page
unescaped could not run. The pages are for the researcher alone, so neither a browser nor a proxy
may store them. Only large static files, the scripts of meetings, the lab and the manual, which show
no one's data, may be cached.
"""

import re
from typing import Final

from deniable.server.web.headers import NO_STORE, always, origin_of, policy
from deniable.server.web.response import Headers

ALLOWED: Final = (
    "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; "
    "form-action 'self'"
)
_TRIAL: Final = re.compile(r"/desk/(surveys/[^/]+/trial|editor/drafts/[^/]+)")
"""The pages that show a trial in a frame."""
# matplotlib writes inline styles; a figure opened by itself can run nothing.
_FIGURE: Final = (
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
)
_BUNDLES: Final = "/desk/static/vendor/"
"""Large files, the same for everybody: a browser may cache them, and revalidates them."""


class DeskHeaders:
    """The headers of the desk's responses, by address."""

    def __init__(self, *, https: bool, respondents_url: str) -> None:
        # Not "no-referrer": browsers would then send "Origin: null" with every form, and the desk
        # could not tell its own forms from those of another site (`csrf`).
        kept = [*always(https=https), ("Referrer-Policy", "same-origin")]
        shared = [*kept, NO_STORE]
        own = policy(ALLOWED)
        self._bundle: Headers = [*kept, own]
        self._page: Headers = [*shared, own]
        # The framed page keeps its own policies, and forbids other origins to embed it
        # (Cross-Origin-Resource-Policy). A page with Cross-Origin-Embedder-Policy could not show
        # it, so these two pages have none.
        framing = policy(f"{ALLOWED}; frame-src {origin_of(respondents_url)}")
        self._trial: Headers = [
            *(header for header in shared if header[0] != "Cross-Origin-Embedder-Policy"),
            framing,
        ]
        self._figure: Headers = [*shared, _FIGURE]

    def of(self, path: str) -> Headers:
        """Return the headers of every response, good or bad, to requests for this address."""
        # The same for everybody, with nothing of the researcher's.
        if path.startswith((_BUNDLES, "/classroom/", "/lab/", "/desk/help/")):
            return self._bundle
        if _TRIAL.fullmatch(path):
            return self._trial
        return self._figure if path.endswith(".svg") else self._page
