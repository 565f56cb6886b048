"""Where a program listens, and at which address people reach it.

A browser tells programs apart by their origins: scheme, host and port. What a respondent's browser
keeps belongs to the origin of the respondents' pages, and no script of another origin can read it.
So the two programs must not share an origin, which is checked here before any program starts.
"""

import errno
import socket
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from deniable.server.web.tls import is_loopback

_WILDCARDS: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104  the addresses that mean "all"

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

LAST_PORT: Final = 65535


def port_after(port: int) -> int:
    """Return the desk's default port: the next one, or 0 for any free one.

    >>> port_after(8000), port_after(0), port_after(LAST_PORT)
    (8001, 0, 0)
    """
    return port + 1 if 0 < port < LAST_PORT else 0


class ServingError(Exception):
    """The server cannot run; the message says what was found and expected, and what to do."""


@dataclass(frozen=True)
class Place:
    """Where a program should listen."""

    host: str = "127.0.0.1"  # `0.0.0.0` for every address of this machine
    port: int = 0  # 0 for any free one
    # Address at which people reach it, if that is a proxy's.
    url: str | None = None
    also: tuple[str, ...] = ()  # names at which they reach it, too

    @property
    def names(self) -> tuple[str, ...]:
        """All its names, if it has an address; otherwise none is known."""
        return (urlsplit(self.url).hostname or "", *self.also) if self.url else ()


@dataclass(frozen=True)
class Listening:
    """Where a program listens."""

    address: str  # an IP address of this machine, or the one that means all of them
    port: int
    base: str  # start of the links for people, such as `http://127.0.0.1:8000`
    this_machine_only: bool  # whether these links work on no other device

    @property
    def here(self) -> tuple[str, int]:
        """Return an address and port at which this machine reaches the program."""
        loopback = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
        return loopback.get(self.address, self.address), self.port


def choose(
    respondents: Place, desk: Place, held: ExitStack, *, only: str | None = None
) -> tuple[Listening, Listening]:
    """Choose where the two programs listen; nobody else gets these ports until `held` is left."""
    with ExitStack() as tried:
        # Listen at the first until the second is chosen, so that they never are one port.
        theirs, ours = (
            _listening_elsewhere(place)
            if only not in (None, name)
            else _listening(place, held, tried)
            for name, place in (("respondents", respondents), ("desk", desk))
        )
    check_apart(theirs.base, ours.base)
    return theirs, ours


def check_apart(respondents: str, desk: str) -> None:
    """Refuse two addresses that browsers cannot keep apart."""
    first, second = urlsplit(respondents), urlsplit(desk)
    if first.hostname != second.hostname:
        return
    if "https" in (first.scheme, second.scheme):
        raise ServingError(
            f"found one host for respondents ({respondents}) and for the desk ({desk}); expected "
            "a host of its own for each, because browsers keep cookies by host and not by port: "
            "the researcher's would go to the respondents' program too. Give the desk another "
            "name, such as --desk-url https://desk.example.org"
        )
    if _port_of(respondents) == _port_of(desk):
        raise ServingError(
            f"found one address for respondents ({respondents}) and for the desk ({desk}); "
            "expected two, because what a respondent's browser keeps must stay out of the reach "
            "of the desk's pages. Give another --url or --desk-url"
        )


def _port_of(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or _DEFAULT_PORTS[parts.scheme]


def _listening_elsewhere(place: Place) -> Listening:
    base = place.url or f"http://{_bracketed(place.host)}:{place.port}"
    return Listening(place.host, place.port, base.rstrip("/"), this_machine_only=False)


def _listening(place: Place, held: ExitStack, tried: ExitStack) -> Listening:
    address, port = _free_address(place.host, place.port, held, tried)
    base, this_machine_only = _base(address, port)
    if place.url is not None:
        base, this_machine_only = place.url.rstrip("/"), False
    return Listening(address, port, base, this_machine_only)


def _free_address(host: str, port: int, held: ExitStack, tried: ExitStack) -> tuple[str, int]:
    """Resolve where to listen, try it and hold the port, until each is left; refuse a used one.

    granian would share a port with another server of the same user without an error, and each
    would get some of the reports.
    """
    if not 0 <= port <= LAST_PORT:
        raise ServingError(f"found port {port}, expected one from 0 to {LAST_PORT}")
    try:
        family, _, _, _, resolved = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        holder = held.enter_context(socket.socket(family, socket.SOCK_STREAM))
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            holder.setsockopt(socket.SOL_SOCKET, option, 1)
        holder.bind(resolved)
        bound = holder.getsockname()
        if sys.platform != "linux":
            holder.close()  # elsewhere only sockets that both share a port can have one together
        attempt = tried.enter_context(socket.socket(family, socket.SOCK_STREAM))
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        attempt.bind(bound)
        attempt.listen()
    except socket.gaierror:
        raise ServingError(
            f"found no address for the host {host!r}; expected one of this machine, "
            "such as 127.0.0.1, or 0.0.0.0 for all of them"
        ) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ServingError(
                f"port {port} of {host} is in use by another program; stop that one, or choose "
                "another with --port or --desk-port (0 for any free one)"
            ) from None
        raise ServingError(f"cannot listen at {host}, port {port}: {error.strerror}") from None
    return str(bound[0]), int(bound[1])


def _base(address: str, port: int) -> tuple[str, bool]:
    """Return the address for links, and whether it works on this machine only."""
    if address not in _WILDCARDS:
        return f"http://{_bracketed(address)}:{port}", is_loopback(address)
    on_network = _address_on_network()
    return f"http://{on_network or '127.0.0.1'}:{port}", on_network is None


def _address_on_network() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket only chooses a route. The address is reserved for
            # documentation (RFC 5737) and belongs to nobody.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address
