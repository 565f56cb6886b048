"""Serving: granian around the application, from the first check to a clean end.

One worker process, since one process writes to a store. The worker makes the application, so the
store, its writer and the session key live there.
"""

from __future__ import annotations

import asyncio
import errno
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from deniable.server.gateway import create_gateway
from deniable.server.group_commit import GroupCommit
from deniable.server.rsgi import Protocol, Scope
from deniable.server.sign_in import new_link
from deniable.server.store import open_store
from deniable.survey import Survey

BACKLOG: Final = 1024
"""Connections that wait to be accepted."""

_WILDCARDS: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104  the addresses that mean "all"


class ServingError(Exception):
    """The server cannot start; says what was found, what was expected and what to do."""


@dataclass(frozen=True)
class Ready:
    """What to tell the person who started the server.

    Parameters
    ----------
    surveys : tuple of (str, str)
        Title and respondents' link of each survey that is served.
    sign_in : str
        The researcher's one-time link.
    this_machine_only : bool
        Whether the respondents' links work on no other device.
    """

    surveys: tuple[tuple[str, str], ...]
    sign_in: str
    this_machine_only: bool


@dataclass(frozen=True)
class _Settings:
    """What the worker needs; picklable, as some systems start it from nothing."""

    store_url: str
    address: str
    port: int
    public_url: str
    ready: Ready
    on_ready: Callable[[Ready], None]


def serve(
    store_url: str,
    surveys: Sequence[Survey],
    *,
    on_ready: Callable[[Ready], None],
    host: str = "127.0.0.1",
    port: int = 8000,
    public_url: str | None = None,
) -> None:
    """Serve surveys until SIGINT or SIGTERM, then store what is under way and leave no log.

    Parameters
    ----------
    store_url : str
        As for `open_store`; made if it does not exist.
    surveys : sequence of Survey
        Registered as the current revisions. Others in the store are served as well.
    on_ready : callable
        Called once, in the worker process, as soon as requests are answered. Must be picklable
        where processes are not forked: a function of a module.
    host : str
        ``0.0.0.0`` for every address of this machine.
    port : int
        0 for any free one.
    public_url : str, optional
        Address at which people reach the server, if a proxy in front of it has another one.

    Raises
    ------
    StoreError
        If the store cannot be used.
    ServingError
        If the address cannot be listened at.
    SystemExit
        If the worker died.
    """
    address, port = _free_address(host, port)
    base, this_machine_only = _respondents_base(address, port)
    base = public_url.rstrip("/") if public_url else base
    store = open_store(store_url)
    try:
        for survey in surveys:
            store.register(survey)
        desk_base = public_url or f"http://{_bracketed(_loopback_of(address))}:{port}"
        ready = Ready(
            surveys=tuple((survey.title, f"{base}/s/{survey.slug}") for survey in surveys),
            sign_in=new_link(store, desk_base),
            this_machine_only=this_machine_only and public_url is None,
        )
    finally:
        store.close()
    settings = _Settings(store_url, address, port, base, ready, on_ready)
    Server(
        "deniable",
        address=address,
        port=port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        workers=1,
        backlog=BACKLOG,
        http1_settings=HTTP1Settings(header_read_timeout=10_000),
        # The access log would name respondents' addresses. What is left says only that the worker
        # could not start or has died.
        log_access=False,
        log_level=LogLevels.error,
    ).serve(target_loader=partial(_Worker, settings), wrap_loader=False)


class _Worker:
    """The application inside the worker, which granian calls, and tells when the end has come."""

    def __init__(self, settings: _Settings) -> None:
        self._store = open_store(settings.store_url)
        self._commit = GroupCommit(self._store)
        self._gateway = create_gateway(self._store, self._commit, public_url=settings.public_url)
        for work in (_stop_with_parent, partial(_announce, settings)):
            threading.Thread(target=work, daemon=True).start()

    def __call__(self, scope: Scope, protocol: Protocol) -> Coroutine[Any, Any, None]:
        return self._gateway(scope, protocol)

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wipe out the order of arrival and leave no log, once the last request is answered."""
        self._commit.close()
        self._store.close()


def _stop_with_parent() -> None:
    """Stop the worker when the process that started it is killed: nobody would stop it later."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _announce(settings: _Settings) -> None:
    """Wait until connections are accepted, and say so."""
    while True:
        try:
            socket.create_connection((_loopback_of(settings.address), settings.port), 1).close()
            break
        except OSError:
            time.sleep(0.02)
    settings.on_ready(settings.ready)


def _free_address(host: str, port: int) -> tuple[str, int]:
    """Resolve where to listen, and check that nobody else does.

    granian would share a port with another server of the same user without a word, and each would
    get some of the reports.
    """
    if not 0 <= port <= 65535:
        raise ServingError(f"found port {port}, expected one from 0 to 65535")
    try:
        family, _, _, _, resolved = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, socket.SOCK_STREAM) as attempt:
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            attempt.bind(resolved)
            attempt.listen()
            bound = attempt.getsockname()
    except socket.gaierror:
        raise ServingError(
            f"found no address for the host {host!r}; expected one of this machine, "
            "such as 127.0.0.1, or 0.0.0.0 for all of them"
        ) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ServingError(
                f"port {port} of {host} is in use by another program; "
                "stop that one, or choose another port (0 for any free one)"
            ) from None
        raise ServingError(f"cannot listen at {host}, port {port}: {error.strerror}") from None
    return str(bound[0]), int(bound[1])


def _respondents_base(address: str, port: int) -> tuple[str, bool]:
    """Return the address to give to respondents, and whether it is good on this machine only."""
    if address not in _WILDCARDS:
        loopback = address == "::1" or address.startswith("127.")
        return f"http://{_bracketed(address)}:{port}", loopback
    on_network = _address_on_network()
    return f"http://{on_network or '127.0.0.1'}:{port}", on_network is None


def _address_on_network() -> str | None:
    """Return this machine's address in its network, without sending anything; None if in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket only chooses a route. The address is one that is
            # reserved for documentation (RFC 5737) and belongs to nobody.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _loopback_of(address: str) -> str:
    """Return an address of this machine at which a server listening at `address` is reached."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)  # noqa: S104


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address
