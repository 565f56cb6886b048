"""The headers that every response carries, errors included.

The adversary is script that does not belong to the page: another site's, or one that slipped into
it. A true answer is in the page's memory; these headers are what keeps it from leaving by fetch,
image, form, frame or referrer.
"""

from __future__ import annotations

from typing import Final

from deniable.server.response import Headers

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action {forms}; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_ALWAYS: Final = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    (
        "Permissions-Policy",
        "camera=(), microphone=(), geolocation=(), browsing-topics=(), payment=(), usb=()",
    ),
    # Without it granian names itself; with it nobody learns which program to look up.
    ("Server", "deniable"),
]
_RESPONDENT: Final = ("Content-Security-Policy", _POLICY.format(forms="'none'"))
_DESK: Final = ("Content-Security-Policy", _POLICY.format(forms="'self'"))
# matplotlib draws with inline styles; a figure opened by itself can do nothing but look right.
_FIGURE: Final = (
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
)
_NO_STORE: Final = ("Cache-Control", "no-store")
_TLS_ONLY: Final = ("Strict-Transport-Security", "max-age=31536000")


class SecurityHeaders:
    """The headers of every response, by the address that was asked for.

    Parameters
    ----------
    https : bool
        Whether people reach the server by TLS; browsers are then told never to come without.
    """

    def __init__(self, *, https: bool) -> None:
        always = [*_ALWAYS, *([_TLS_ONLY] if https else [])]
        self._plain: Headers = [*always, _RESPONDENT]
        self._survey: Headers = [*self._plain, _NO_STORE]
        self._desk: Headers = [*always, _DESK, _NO_STORE]
        self._figure: Headers = [*always, _FIGURE, _NO_STORE]

    def of(self, path: str) -> Headers:
        """Return the headers of every response, good or bad, to requests for this address."""
        if path.startswith("/s/"):
            return self._survey
        if path.startswith("/desk"):
            return self._figure if path.endswith(".svg") else self._desk
        return self._plain
