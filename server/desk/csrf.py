"""Whether a request that changes something was made by a page of the desk.

The adversary is a page of another origin that the researcher has opened, perhaps of the
respondents' program on the same host: the browser adds the researcher's cookie to what that page
sends, because cookies know no ports. But it also says which origin the page has, and no page can
have it say another one.

Such a page may also have its own name lead to this machine (DNS rebinding). It is then of the same
origin as the desk, for the browser and for whoever compares the two. So the desk answers to the
names that it knows, and to no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from deniable.server.web.tls import is_loopback

if TYPE_CHECKING:
    from werkzeug.wrappers import Request

_HARMLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def is_known(host: str | None, url: str | None) -> bool:
    """Return whether a ``Host``, with any port, is a name that people reach the desk by.

    Examples
    --------
    >>> is_known("localhost:9000", None), is_known("desk.example.org", None)
    (True, False)
    """
    try:
        name = urlsplit(f"//{host or ''}").hostname or ""
    except ValueError:
        return False
    return is_loopback(name) or (url is not None and name == urlsplit(url).hostname)


def is_own(request: Request, url: str | None) -> bool:
    """Return whether a request changes nothing, or says that a page of this origin made it."""
    if request.method in _HARMLESS:
        return True
    origin = request.headers.get("Origin")
    if origin is not None:
        own = {request.host_url.rstrip("/")}
        if url is not None:
            parts = urlsplit(url)
            own.add(f"{parts.scheme}://{parts.netloc}")
        return origin in own
    return request.headers.get("Sec-Fetch-Site") == "same-origin"
