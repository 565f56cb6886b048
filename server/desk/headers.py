"""The headers of the desk.

Its pages show, and forms change. Some run a script of `static/`, and none runs one that stands in
its own markup: an answer's text that got into a page unescaped would be a text still. What they
show is the researcher's alone, so nothing of it is kept by a browser or a proxy.
"""

from __future__ import annotations

from typing import Final

from deniable.server.web.headers import NO_STORE, always, policy
from deniable.server.web.response import Headers

_POLICY: Final = policy(
    "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'"
)
# matplotlib draws with inline styles; a figure opened by itself can do nothing but look right.
_FIGURE: Final = (
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
)
_BUNDLES: Final = "/desk/static/vendor/"
"""Large files that are the same for everybody: a browser may keep them, and asks whether they have
changed."""


class DeskHeaders:
    """The headers of every response of the desk, by its address.

    Parameters
    ----------
    https : bool
        Whether the researcher comes by TLS.
    """

    def __init__(self, *, https: bool) -> None:
        # Not "no-referrer": browsers would then send "Origin: null" with every form, and the desk
        # could not tell its own forms from those of another site (`origin`).
        kept = [*always(https=https), ("Referrer-Policy", "same-origin")]
        shared = [*kept, NO_STORE]
        self._bundle: Headers = [*kept, _POLICY]
        self._page: Headers = [*shared, _POLICY]
        self._figure: Headers = [*shared, _FIGURE]

    def of(self, path: str) -> Headers:
        """Return the headers of every response, good or bad, to requests for this address."""
        if path.startswith(_BUNDLES):
            return self._bundle
        return self._figure if path.endswith(".svg") else self._page
