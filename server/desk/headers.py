"""The headers of the desk.

Its pages show, and forms change. Some run a script of `static/`, and none runs one that stands in
its own markup: an answer's text that got into a page unescaped would be a text still. What they
show is the researcher's alone, so nothing of it is kept by a browser or a proxy. Only the lab,
which shows nothing of anybody, may be kept.
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


class DeskHeaders:
    """The headers of every response of the desk, by its address.

    Parameters
    ----------
    https : bool
        Whether the researcher comes by TLS.
    """

    def __init__(self, *, https: bool) -> None:
        shared = [
            *always(https=https),
            # Not "no-referrer": browsers would then send "Origin: null" with every form, and the
            # desk could not tell its own forms from those of another site (`origin`).
            ("Referrer-Policy", "same-origin"),
            NO_STORE,
        ]
        self._page: Headers = [*shared, _POLICY]
        # The lab has nothing of the researcher's, and its drawing library is large.
        self._lab: Headers = [header for header in self._page if header != NO_STORE]
        self._figure: Headers = [*shared, _FIGURE]

    def of(self, path: str) -> Headers:
        """Return the headers of every response, good or bad, to requests for this address."""
        if path.startswith(("/lab/", "/client/")):
            return self._lab
        return self._figure if path.endswith(".svg") else self._page
