"""Calling both programs without a network, as granian calls them, and reports to call with."""

import asyncio
import csv
import io
import json
import os
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias
from unittest.mock import Mock
from urllib.parse import unquote

from werkzeug.routing import MapAdapter

from deniable import Report, Survey
from deniable.server.web.gateway import Gateway
from deniable.survey.address import address_of

RESPONDENTS = "http://answers.example"
"""Where respondents reach their program, as the desk is told."""


ORIGIN = "http://localhost"
"""Of the desk, as its tests reach it."""


def at(slug: str, page: str = "", **more: Any) -> str:
    """Return the address of a survey, or of one of its pages; what it is, its name tells."""
    kind, dot, _ = slug.partition(".")
    return address_of(slug, **({"kind": kind} if dot else {}), **more) + page


@cache
def _addresses() -> MapAdapter:
    # Few tests need the desk, which takes seconds to load.
    from deniable.server.desk.app import create_desk_app  # noqa: PLC0415

    return create_desk_app(Mock(), RESPONDENTS).url_map.bind("localhost")


def url_for(endpoint: str, **values: object) -> str:
    """Return the path of a page of the desk: of the survey ``doping``, unless told another slug."""
    addresses = _addresses()
    if addresses.map.is_endpoint_expecting(endpoint, "slug"):
        values = {"slug": "doping", **values}
    return addresses.build(endpoint, values)


@contextmanager
def event_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Run an event loop in a thread of its own, as the worker does in its main one."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class _Headers:
    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = {name.lower(): value for name, value in headers.items()}

    def get(self, key: str, default: str | None = None) -> str | None:
        return self._headers.get(key, default)

    def get_all(self, key: str) -> list[str]:
        return [self._headers[key]] if key in self._headers else []

    def items(self) -> list[tuple[str, str]]:
        return list(self._headers.items())


@dataclass
class _Request:
    """What granian passes of a request."""

    method: str
    path: str
    query_string: str
    headers: _Headers
    http_version: str = "1.1"
    scheme: str = "http"
    authority: str | None = None
    sender: str | None = None

    @property
    def client(self) -> str:
        """Fail whoever asks for the sender's address, unless the test gave one."""
        assert self.sender is not None, "nothing may ask for the address of a respondent"
        return self.sender


@dataclass
class _Exchange:
    body: bytes
    answers: list[tuple[int, list[tuple[str, str]], bytes]] = field(default_factory=list)

    async def __call__(self) -> bytes:
        return self.body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self.body), 1000):
            yield self.body[start : start + 1000]

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.answers.append((status, headers, body))


@dataclass(frozen=True)
class Answer:
    """A response as the client gets it, without its date: the same page a second later is equal."""

    status: int
    headers: Mapping[str, str]
    set_cookies: tuple[str, ...]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def rows(self) -> list[dict[str, str]]:
        return [*csv.DictReader(io.StringIO(self.text))]


class Caller:
    def __init__(self, app: Gateway, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._loop = loop

    def __call__(
        self,
        path: str,
        body: bytes = b"",
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        chunked: bool = False,
        sender: str | None = None,
    ) -> Answer:
        """Make a request; with `chunked` its length is not declared."""
        given = {"Host": "localhost", **(headers or {})}
        if chunked:
            given.pop("Content-Length", None)
        else:
            given.setdefault("Content-Length", str(len(body)))
        address, _, query = path.partition("?")
        exchange: Any = _Exchange(body)
        request: Any = _Request(method, unquote(address), query, _Headers(given), sender=sender)
        coroutine: Any = self._app(request, exchange)
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout=300)
        ((status, sent, content),) = exchange.answers
        return Answer(
            status=status,
            headers={name: value for name, value in sent if name not in ("Set-Cookie", "Date")},
            set_cookies=tuple(value for name, value in sent if name == "Set-Cookie"),
            body=content,
        )

    def send(
        self,
        report: Report | bytes,
        slug: str = "doping",
        *,
        sender: str | None = None,
        **headers: str,
    ) -> Answer:
        """Post a report, or what somebody takes for one."""
        body = report.to_json() if isinstance(report, Report) else report
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return self(
            at(slug, "reports"),
            body,
            method="POST",
            headers={"Content-Type": "application/json", **given},
            sender=sender,
        )


class Browser:
    """Somebody at the desk, whose browser keeps the cookie that it gets."""

    def __init__(self, call: Caller, origin: str = ORIGIN) -> None:
        self._call = call
        self._origin = origin
        self.cookie = ""
        self.device = ""
        self.language = "en"

    def __call__(
        self,
        path: str,
        *,
        method: str = "GET",
        form: Mapping[str, str] | None = None,
        accept: str = "text/html",
    ) -> Answer:
        headers = {"Cookie": f"{self.cookie}; {self.device}", "Accept": accept}
        headers["Accept-Language"] = self.language
        if method == "POST":
            headers["Origin"] = self._origin
        body = b""
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = "&".join(f"{name}={value}" for name, value in form.items()).encode()
        answer = self._call(path, body, method=method, headers=headers)
        for cookie in answer.set_cookies:
            kept = "device" if "-device=" in cookie else "cookie"
            setattr(self, kept, cookie.split(";")[0])
        return answer

    def see(self, endpoint: str, **values: object) -> Answer:
        """Ask for a page: of the survey ``doping``, unless told another slug."""
        return self(url_for(endpoint, **values))

    def token(self, path: str = "") -> str:
        page = self(path or url_for("surveys.index")).text
        found = re.search(r'name="csrf_token" value="([^"]+)"', page)
        assert found
        return found[1]

    def sign_in(self, link: str) -> Answer:
        """Open a sign-in link, and press the button on its page."""
        path = path_of(link)
        return self(path, method="POST", form={"csrf_token": self.token(path)})

    def post(self, path: str, **form: str) -> Answer:
        return self(path, method="POST", form={"csrf_token": self.token(), **form})

    def send(self, endpoint: str, slug: str = "", **form: str) -> Answer:
        """Send the form of a page, with its token."""
        return self.post(url_for(endpoint, **({"slug": slug} if slug else {})), **form)

    def upload(self, path: str, content: bytes, **form: str | None) -> Answer:
        """Send a file as a form does, with the token unless another one or none is named."""
        named = {"csrf_token": self.token(), **form}
        parts = [(f'"{name}"', text.encode()) for name, text in named.items() if text is not None]
        body = b"".join(
            b"--b\r\nContent-Disposition: form-data; name=%s\r\n\r\n%s\r\n" % (name.encode(), value)
            for name, value in [*parts, ('"file"; filename="file"', content)]
        )
        headers = {"Cookie": self.cookie, "Origin": self._origin}
        headers["Content-Type"] = "multipart/form-data; boundary=b"
        return self._call(path, body + b"--b--\r\n", method="POST", headers=headers)


def path_of(link: str) -> str:
    return "/" + link.split("/", 3)[3]


Start: TypeAlias = Callable[..., Caller]
"""Composes a program; takes its `url`, and what else it is told when it starts."""


def report(survey: Survey, answers: bytes | None = None, id: bytes | None = None) -> Report:
    """Write a report with a random id; of zeros, unless told otherwise."""
    return Report(
        survey=survey.slug,
        revision=survey.revision,
        id=id or os.urandom(16),
        answers=bytes(len(survey.items)) if answers is None else answers,
    )
