"""Whether a page of the desk sent a request that changes something.

The adversary is a page of another origin that the researcher has opened, perhaps one of the
respondents' program on the same host: the browser adds the researcher's cookie to that page's
requests, because cookies ignore ports. But the browser also sends the page's origin, which no page
can forge.

Such a page may also make its own host name resolve to this machine (DNS rebinding). Browser and
server then see one origin. So the desk answers only to the host names that it knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from deniable.server.web.headers import origin_of
from deniable.server.web.tls import is_loopback

if TYPE_CHECKING:
    from werkzeug.wrappers import Request

_HARMLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def is_known(name: str, url: str | None) -> bool:
    """Return whether a name is the desk's.

    >>> is_known("localhost", None), is_known("desk.example.org", None)
    (True, False)
    """
    return is_loopback(name) or (url is not None and name == urlsplit(url).hostname)


def is_own(request: Request, url: str | None) -> bool:
    """Return whether a request changes nothing, or its headers name the desk's own origin."""
    if request.method in _HARMLESS:
        return True
    origin = request.headers.get("Origin")
    if origin is not None:
        own = {request.host_url.rstrip("/")}
        if url is not None:
            own.add(origin_of(url))
        return origin in own
    return request.headers.get("Sec-Fetch-Site") == "same-origin"
