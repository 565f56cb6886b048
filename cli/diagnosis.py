"""Faults of a deployment, in a sentence each: of a server and of a store."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from deniable.client.connection import Connection, Response, ServerUnavailable
from deniable.server.desk.headers import DeskHeaders
from deniable.server.respondent.headers import RespondentHeaders
from deniable.server.store import StoreError, open_store
from deniable.server.store.errors import KeyFileError, others_may_read
from deniable.server.store.keys import key_file
from deniable.server.store.retention import OUT_OF_REACH, left_behind
from deniable.server.web.health import PATH
from deniable.server.web.tls import is_loopback
from deniable.text.safety import printable

LEAST_DAYS: Final = 14
"""For which a certificate must be good."""

MOST_SECONDS: Final = 30
"""That the server's clock may differ from this machine's."""

PLAIN_PORT: Final = 80
"""Where browsers come without TLS, if nobody told them about it."""

_SECONDS: Final = 10


def of_server(url: str) -> Iterator[str]:
    """Say what is wrong with what a server answers."""
    with closing(Connection(url, waits=())) as server:
        try:
            answer = server.get("/")
            health = server.get(PATH)
        except ServerUnavailable as error:
            kind = "TLS" if isinstance(error.__cause__, ssl.SSLError) else "health"
            yield f"{url}: {kind}: {printable(error.reason)}."
            return
    if answer.status == HTTPStatus.BAD_REQUEST and b"HTTPS" in answer.body:  # nginx, Caddy
        yield f"{url}: answered 400: this port speaks TLS; expected https:// in its address."
        return
    yield from _of_tls(url)
    if other := _another(answer):
        yield f"{url}: {other}."
        return
    yield from _of_headers(url, answer)
    yield from _of_clock(url, answer)
    here = is_loopback(urlsplit(url).hostname or "")
    # Whether strangers may ask is the proxy's to say; this machine always may.
    if health.status != HTTPStatus.OK and (here or health.status >= 500):
        yield f"{url}{PATH}: answered {health.status}, expected 200: {_said(health)}"


def _another(answer: Response) -> str | None:
    """Say who answers, if this program does not."""
    own = {name.lower() for name, _ in RespondentHeaders(https=False).of("/")} - {"server"}
    foreign = not own & {name.lower() for name, _ in answer.headers}
    if answer.status in (502, 504) or (foreign and answer.status == 503):
        return f"the proxy answered {answer.status}: the program behind it does not answer"
    told = f"another program answered {answer.status}, with no header of this one"
    return f"{told}; expected the proxy to lead to it" if foreign else None


def _said(health: Response) -> str:
    """Return what a server says of itself that does not work; to this machine it says why."""
    try:
        return printable(str(json.loads(health.body)["detail"]))
    except (ValueError, TypeError, KeyError):  # another program's answer
        return "another program answered"


def of_store(url: str, keys: str | None = None) -> Iterator[str]:
    """Say what is wrong with a store, with the place where it lies, and with its private keys."""
    try:
        with closing(open_store(url, create=False, read_only=True)) as store:
            yield from store.faults()
            yield from (f"{damage}." for damage in store.check())
            yield from left_behind(store, url)
            marks = store.marks()
        # A write is tried after all that is only read: it is the one thing that needs the right to.
        with closing(open_store(url, create=False)) as store:
            store.try_writing()
    except StoreError as error:
        yield f"{printable(str(error))}."
        return
    place = key_file(url, keys)
    yield from others_may_read(*([place.cookies] if place.cookies else []))
    try:
        place.check(marks)
    except KeyFileError as error:
        yield f"{printable(str(error))}."


def of_another(url: str, store: str) -> Iterator[str]:
    """Say that a server of respondents' pages has another store than this one."""
    first = None
    with suppress(StoreError), closing(open_store(store, create=False, read_only=True)) as opened:
        first = next((one.survey for one in opened.surveys() if one.survey.kind == "survey"), None)
    if first is None:
        return
    with closing(Connection(url, waits=())) as server, suppress(ServerUnavailable):
        is_respondents = server.get("/").status == HTTPStatus.OK  # the desk leads to its sign-in
        if is_respondents and server.get(first.address).status == HTTPStatus.NOT_FOUND:
            yield f"{url}: has no survey {first.slug!r}, as {store} has."


def out_of_reach(url: str) -> Iterator[str]:
    """Say of which surveys reports were deleted that may be elsewhere."""
    with suppress(StoreError), closing(open_store(url, create=False, read_only=True)) as store:
        for slug, found in store.retentions().items():
            if found.deleted:
                yield f"the reports of {slug!r} were deleted on {found.deleted}. {OUT_OF_REACH}."


def _of_tls(url: str) -> Iterator[str]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "https":
        if not is_loopback(host):
            yield (
                f"{url}: TLS: found none, so that everybody on the way can read and alter the "
                "pages; expected https."
            )
        return
    days = _days_left(host, parts.port or 443)
    if days < LEAST_DAYS:
        yield (
            f"{url}: TLS: the certificate ends in {days:.0f} days, expected {LEAST_DAYS} at least."
        )
    origin = f"http://{parts.netloc.rpartition(':')[0] or parts.netloc}:{PLAIN_PORT}"
    try:
        with closing(Connection(origin, waits=())) as plain:
            found = plain.get("/")
    except ServerUnavailable:
        return  # nobody answers without TLS
    where = {name.lower(): value for name, value in found.headers}.get("location", "")
    if not (300 <= found.status < 400 and where.startswith("https://")):
        yield f"http://{host}: answers without TLS, expected it to lead on to https."


def _days_left(host: str, port: int) -> float:
    context = ssl.create_default_context()
    with (
        socket.create_connection((host, port), _SECONDS) as bare,
        context.wrap_socket(bare, server_hostname=host) as wrapped,
    ):
        found = wrapped.getpeercert() or {}
    ends = ssl.cert_time_to_seconds(str(found["notAfter"]))
    return (ends - time.time()) / 86_400


def _of_headers(url: str, answer: Response) -> Iterator[str]:
    """Compare the headers with those of the program that answers there."""
    https = url.startswith("https://")
    found = {name.lower(): value for name, value in answer.headers}
    is_desk = answer.status == HTTPStatus.FOUND and found.get("location", "").endswith(
        "/desk/surveys"
    )
    expected = (
        DeskHeaders(https=https, respondents_url=url).of("/")
        if is_desk
        else RespondentHeaders(https=https).of("/")
    )
    for name, value in expected:
        if name == "Server":
            continue  # a proxy names itself
        there = found.get(name.lower())
        if there is None:
            yield f"{url}: the header {name} is missing; expected the proxy to pass it on."
        elif there != value:
            yield f"{url}: the header {name} is another one than this release sends."
    if not is_desk and "set-cookie" in found:
        yield f"{url}: sets a cookie, by which respondents are known again; expected none."


def _of_clock(url: str, answer: Response) -> Iterator[str]:
    said = {name.lower(): value for name, value in answer.headers}.get("date", "")
    try:
        apart = parsedate_to_datetime(said).timestamp() - time.time()
    except ValueError:
        yield f"{url}: does not say what time it is, expected the header Date."
        return
    if abs(apart) > MOST_SECONDS:
        yield (
            f"{url}: its clock is {abs(apart):.0f} seconds "
            f"{'ahead of' if apart > 0 else 'behind'} this machine's, expected both to be set by "
            "time servers."
        )
