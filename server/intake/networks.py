"""Which network a request comes from: the one place that looks at a sender's address.

One adversary wants to learn who answered: so a network goes to `deniable.server.intake.rate_limit`
alone, which forgets it, and nothing is stored or logged. The other adversary writes false addresses
into a request: so a header is believed only if the operator says that a proxy writes it, and only
its last entry.
"""

import re
from ipaddress import IPv4Address, ip_address
from typing import Final

from granian.rsgi import Scope

from deniable.server.web.tls import is_loopback

NOBODY_KNOWS: Final = b""
"""The network of every request without a valid address. They share it, so that an invalid address
is no way around the limit."""

_IPV6_BYTES: Final = 7
"""Bytes of an IPv6 address that count: a /56, the least that a home usually gets (RIPE-690, 4.2).
Its owner can send from 2^72 addresses."""

_WITH_PORT: Final = re.compile(r"\[(?P<v6>[^\]]+)\](?::\d+)?|(?P<v4>[^:]+)(?::\d+)?")


def sender(scope: Scope) -> bytes:
    """Return the network of the connection's client."""
    return prefix(scope.client)


def behind_proxy(scope: Scope) -> bytes:
    """Return the network of the client of the proxy in front of the server."""
    headers = scope.headers.get_all("x-forwarded-for")  # type: ignore[attr-defined]
    return prefix(headers[-1].rpartition(",")[2]) if headers else NOBODY_KNOWS


def is_this_machine(scope: Scope) -> bool:
    """Return whether a program of this machine asks, and not a client through a proxy."""
    through = any(scope.headers.get(name) for name in ("x-forwarded-for", "forwarded", "via"))
    return not through and is_loopback(scope.client.rpartition(":")[0].strip("[]"))


def prefix(address: str) -> bytes:
    """Return the part of an address that one household has to itself."""
    text = address.strip()
    found = _WITH_PORT.fullmatch(text)
    try:
        known = ip_address((found["v6"] or found["v4"]) if found else text)
    except ValueError:
        return NOBODY_KNOWS
    if isinstance(known, IPv4Address):
        return known.packed
    mapped = known.ipv4_mapped
    return known.packed[:_IPV6_BYTES] if mapped is None else mapped.packed
