"""The warning for operators whose respondents come without TLS.

The adversary is on the network. The page and its headers name the hashes of its program, and
without TLS nothing vouches for the page.
"""

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

WITHOUT_TLS: Final = (
    "The links for respondents are plain http, without TLS. Someone who alters a page on the way "
    "can alter its hashes too, so nothing that the program promises is sure. Put a proxy with TLS "
    "in front of it, and give the address of that proxy with --url."
)
"""The warning if `is_alterable` holds."""


def is_alterable(url: str) -> bool:
    """Return whether pages at an address cross a network without TLS."""
    parts = urlsplit(url)
    return parts.scheme != "https" and not is_loopback(parts.hostname or "")


def is_loopback(host: str) -> bool:
    """Return whether a name or an IP address leads to this machine alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False  # another name
