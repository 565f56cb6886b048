"""The headers that every response of both programs carries, errors included.

Only where what came is no request (400), its address is longer than 65,534 bytes (414), or its head
is too large (431), granian's HTTP library answers without asking anybody, with an empty body and
without these headers: it offers no place to add them.

The adversary is script that does not belong to the page: another site's, or one that slipped into
it. What each program allows its own pages stands in its room; by default nothing is allowed.
"""

from typing import Final
from urllib.parse import urlsplit

from deniable.server.web.response import Headers

NO_STORE: Final = ("Cache-Control", "no-store")

_ALWAYS: Final = [
    ("X-Content-Type-Options", "nosniff"),
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
_NOTHING_ELSE: Final = (
    "default-src 'none'; {allowed}; base-uri 'none'; frame-ancestors {framed_by}; "
    "object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_TLS_ONLY: Final = ("Strict-Transport-Security", "max-age=31536000")


def always(*, https: bool) -> Headers:
    """Return the headers that do not depend on the program."""
    return [*_ALWAYS, *([_TLS_ONLY] if https else [])]


def policy(allowed: str, framed_by: str = "'none'") -> tuple[str, str]:
    """Return a Content-Security-Policy that allows this, and nothing else."""
    rules = _NOTHING_ELSE.format(allowed=allowed, framed_by=framed_by)
    return "Content-Security-Policy", rules


def origin_of(url: str) -> str:
    """Return the origin of an address, as a policy names it.

    Examples
    --------
    >>> origin_of("https://desk.example.org/desk")
    'https://desk.example.org'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def is_onion(host: str) -> bool:
    """Return whether a request came through an onion service, which tells of no other address."""
    return host.partition(":")[0].rstrip(".").lower().endswith(".onion")


def is_https(url: str | None) -> bool:
    """Return whether people who follow such an address come by TLS."""
    return (url or "").startswith("https://")
