"""Requests to one server over one persistent connection, and the retries when it fails."""

import http.client
import json
import ssl
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import brotli

WAITS: Final = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds to wait before each further try, the same as in the browser."""

LONGEST_WAIT: Final = 60.0
"""Seconds to wait at most, however long a pause the server asks for by ``Retry-After``."""

TIMEOUT: Final = 30.0
"""Seconds without a byte after which a connection counts as dead."""

MAX_RESPONSE: Final = 2**26
"""Bytes of a response at most; far above any survey's document."""


class ServerUnavailable(Exception):
    """No usable answer came, after all tries."""

    def __init__(self, address: str, reason: str, tries: int) -> None:
        self.address = address
        self.reason = reason
        self.tries = tries
        times = "" if tries == 1 else f" ({tries} tries)"
        super().__init__(f"{address}: {reason}{times}")


@dataclass(frozen=True)
class Response:
    """A server's response."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()  # as they came

    def header(self, name: str) -> list[str]:
        """Return the values of a header, by its name in small letters."""
        return [value for given, value in self.headers if given.lower() == name]

    @property
    def said(self) -> dict[str, Any]:
        """The JSON object that it holds; empty if it holds none."""
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def detail(self) -> str:
        """What our server says of a problem, in a sentence; empty if it says nothing."""
        detail = self.said.get("detail")
        return detail if isinstance(detail, str) else ""

    def is_about(self, *what: str) -> bool:
        """Return whether it names what was asked, which no firewall or log-in page knows."""
        return self.said.get("about") in what

    @property
    def found(self) -> str:
        """What answered in our server's place, in words."""
        kind = "".join(self.header("content-type")).partition(";")[0] or "no media type"
        begins = self.body[:40].decode(errors="replace")
        return f"something between us answered {self.status}, {kind}: {begins!r}"


class Connection:
    """A connection to one server, opened when needed and kept open.

    Not thread-safe: each thread needs its own.
    """

    def __init__(
        self,
        origin: str,
        *,
        waits: Sequence[float] = WAITS,
        pause: Callable[[float], None] = time.sleep,
        slowed: Callable[[], None] = lambda: None,
        patient: bool = False,
    ) -> None:
        self.origin = origin
        self._waits = waits
        self._pause = pause
        self._slowed = slowed
        self._patient = patient
        self._used = False
        self._http = _open(origin)

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Response:
        """Send a GET request once (a failure loses nothing); do not follow a redirect."""
        return self._request("GET", path, b"", tries=1, headers=headers)

    def post(
        self,
        path: str,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        about: Sequence[str],
    ) -> Response:
        """Send JSON until our server answers: the same bytes every time.

        `about`: what its answer names one of (`deniable.server.web.problems.naming`).
        """
        tries = 0
        while True:
            tries += 1
            asked, status = 0.0, 0
            try:
                response = self._request("POST", path, body, tries, headers)
            except ServerUnavailable as error:
                failure = error
            else:
                is_ours = response.is_about(*about)
                status = response.status if is_ours else 0
                if is_ours and status < 500 and status != HTTPStatus.TOO_MANY_REQUESTS:
                    return response
                asked = _seconds("".join(response.header("retry-after")))
                said = response.found
                if is_ours:
                    detail = response.detail
                    said = f"the server answered {status}" + (f": {detail}" if detail else "")
                failure = ServerUnavailable(self.origin + path, said, tries)
            # A retry does not help against a wrong certificate.
            hopeless = isinstance(failure.__cause__, ssl.SSLCertVerificationError)
            if status == HTTPStatus.TOO_MANY_REQUESTS and self._patient:
                self._slowed()
                self._pause(min(max(asked, WAITS[0]), LONGEST_WAIT))
                tries -= 1
                continue
            if hopeless or tries > len(self._waits):
                raise failure
            if status == HTTPStatus.TOO_MANY_REQUESTS:
                self._slowed()
            self._pause(max(self._waits[tries - 1], min(asked, LONGEST_WAIT)))

    def close(self) -> None:
        """Close the connection; a later request opens it again."""
        self._http.close()
        self._used = False

    def _request(
        self,
        method: str,
        path: str,
        body: bytes,
        tries: int,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        headers = headers or {}
        try:
            if self._used:
                try:
                    return self._once(method, path, body, headers)
                except (ConnectionError, http.client.HTTPException):
                    # A server may drop a connection that was idle. That says nothing about the
                    # server, and a new connection may be tried at once.
                    self.close()
            return self._once(method, path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise ServerUnavailable(self.origin + path, _reason(error), tries) from error

    def _once(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Response:
        kind = {"Content-Type": "application/json"} if body else {}
        self._http.request(method, path, body or None, {**headers, **kind})
        with self._http.getresponse() as answer:
            content = answer.read(MAX_RESPONSE + 1)
        content = _unpacked(content, answer.getheader("Content-Encoding", "").lower())
        if len(content) > MAX_RESPONSE:
            raise http.client.HTTPException(f"a response of more than {MAX_RESPONSE:,} bytes")
        self._used = True
        return Response(answer.status, content, tuple(answer.getheaders()))


def _open(origin: str) -> http.client.HTTPConnection:
    parts = urlsplit(origin)
    if parts.hostname is None or parts.scheme not in ("http", "https") or parts.path:
        raise ValueError(f"expected an address such as http://127.0.0.1:8000, found {origin!r}")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname, parts.port, timeout=TIMEOUT)


def _unpacked(content: bytes, coding: str) -> bytes:
    # One byte more than allowed, so that the caller notices.
    most = MAX_RESPONSE + 1
    try:
        if coding == "gzip":
            return zlib.decompressobj(wbits=31).decompress(content, most)
        if coding == "br":
            return bytes(brotli.Decompressor().process(content, output_buffer_limit=most))
    except (zlib.error, brotli.error) as error:
        raise http.client.HTTPException(f"no {coding}, as it says: {error}") from None
    return content


def _seconds(retry_after: str) -> float:
    """Return the seconds of a ``Retry-After``, number or date; 0 if invalid (RFC 9110, 10.2.3)."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return 0.0


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nothing answers there: connection refused"
    if isinstance(error, TimeoutError):
        return f"no answer within {TIMEOUT:.0f} seconds"
    if isinstance(error, http.client.BadStatusLine) and str(error).startswith("\x15\x03"):
        return "this port speaks TLS; expected https:// in its address"
    if isinstance(error, http.client.BadStatusLine) and not isinstance(error, ConnectionError):
        return "another program answers there, and not by HTTP"
    return str(getattr(error, "strerror", None) or error) or type(error).__name__


def detail_of(body: bytes) -> str:
    """Return the detail of a problem document; empty if the body is not one."""
    try:
        detail = json.loads(body)["detail"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return detail if isinstance(detail, str) else ""
