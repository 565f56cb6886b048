"""The headers that every response of both programs carries, errors included.

The exceptions are invalid requests (400), addresses longer than 65,534 bytes (414), and heads that
are too large (431): granian's HTTP library answers these itself, with an empty body and without
these headers, and cannot be made to add them.

The adversary is a script that does not belong to the page: another site's, or an injected one. Each
program's package says what its own pages may do; by default nothing is allowed.
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
    # Otherwise granian would name itself, and an attacker would know which program to look up.
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
    """Return a Content-Security-Policy that allows only this."""
    rules = _NOTHING_ELSE.format(allowed=allowed, framed_by=framed_by)
    return "Content-Security-Policy", rules


def origin_of(url: str) -> str:
    """Return the origin of an address, as a policy names it.

    >>> origin_of("https://desk.example.org/desk")
    'https://desk.example.org'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def is_onion(host: str) -> bool:
    """Return whether a host is an onion service, whose pages must name no other address."""
    return host.partition(":")[0].rstrip(".").lower().endswith(".onion")


def is_https(url: str | None) -> bool:
    """Return whether an address begins with https."""
    return (url or "").startswith("https://")
