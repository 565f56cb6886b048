"""A Chromium of its own for an audit, driven by the DevTools protocol.

There is no WebDriver: what it changes in a browser, such as `navigator.webdriver`, would tell a
page that it is under audit.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

from websocket import WebSocket, WebSocketException, WebSocketTimeoutException, create_connection

PATIENCE: Final = 60.0
"""Seconds within which a browser must start, or answer."""

_ENDING: Final = 10.0
"""Seconds within which all processes of a closed browser must end."""

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

_ARGUMENTS: Final = (
    "--headless=new",
    # Any free port, of this machine alone.
    "--remote-debugging-port=0",
    # A page must not find out that a program visits it.
    "--disable-blink-features=AutomationControlled",
    # Do not keep a page that was left for the back button.
    "--disable-features=BackForwardCache",
    # The browser must send no requests of its own.
    "--no-first-run",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-dev-shm-usage",
)

_ADDRESS: Final = re.compile(r"^(\d+)\n(\S+)")

Event: TypeAlias = Callable[[str, str, dict[str, Any]], None]
"""Called with a session, an event's name and its parameters; may use `send`, never `call`."""


class BrowserMissing(Exception):
    """No usable browser was found; the message says how to get one."""


class BrowserError(Exception):
    """The browser failed a command; the message says what happened."""


class Stuck(BrowserError):
    """The page does not go on; the message says where."""


class Silent(BrowserError):
    """The browser does not answer, for example because a page is too busy."""


class Browser:
    """A running Chromium, and the connection to it."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._last = 0
        self.on_event: Event = lambda _session, _method, _said: None

    def send(self, method: str, session: str = "", **parameters: object) -> int:
        """Send a command and do not wait; return its number."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        return self._last

    def call(self, method: str, session: str = "", **parameters: object) -> dict[str, Any]:
        """Send a command and return its result; handle the events that come first."""
        number = self.send(method, session, **parameters)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self._receive(end - time.monotonic())
            if answer is not None and answer.get("id") == number:
                if "error" in answer:
                    raise BrowserError(f"Chromium: {method}: {answer['error'].get('message')}")
                result: dict[str, Any] = answer.get("result", {})
                return result
        raise Silent(f"Chromium: {method}: no answer within {PATIENCE:.0f} seconds")

    def listen(self, seconds: float) -> None:
        """Handle the events of the next seconds; with 0, those that have already come."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if self._receive(max(left, 0.001)) is None and left <= 0:
                return

    def _receive(self, seconds: float) -> dict[str, Any] | None:
        try:
            self._socket.settimeout(max(seconds, 0.001))
            message: dict[str, Any] = json.loads(self._socket.recv())
        except WebSocketTimeoutException:
            return None
        except (WebSocketException, OSError, ValueError) as error:
            raise BrowserError(f"Chromium ended: {error}") from None
        if "method" in message:
            session = message.get("sessionId", "")
            self.on_event(session, message["method"], message.get("params", {}))
        return message


@contextmanager
def browser(arguments: Sequence[str] = ()) -> Iterator[Browser]:
    """Start a Chromium with an empty profile, and end it after the block."""
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        raise BrowserMissing("found no Chromium in PATH; on Debian: sudo apt-get install chromium")
    with lent_temporary_folder() as environment:
        profile = Path(environment["TMPDIR"]) / "profile"
        command = [program, *_ARGUMENTS, *arguments, f"--user-data-dir={profile}", "about:blank"]
        if is_root():
            command.append("--no-sandbox")  # Chromium refuses to start as root with it
        process = subprocess.Popen(  # noqa: S603  a program that was looked up above
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            address = _address(process, profile / "DevToolsActivePort")
            with closing(create_connection(address, suppress_origin=True)) as socket:
                yield Browser(socket)
        finally:
            _end(process, profile)


def _address(process: subprocess.Popen[bytes], file: Path) -> str:
    """Wait for the address of the browser's WebSocket, and return it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        found = _ADDRESS.match(file.read_text()) if file.exists() else None
        if found is not None:
            return f"ws://127.0.0.1:{found[1]}{found[2]}"
        time.sleep(0.02)
    raise BrowserMissing("Chromium does not start")


def _end(process: subprocess.Popen[bytes], profile: Path) -> None:
    """Close the browser by its protocol, which also ends its child processes, or else kill it."""
    try:
        address = _ADDRESS.match((profile / "DevToolsActivePort").read_text())
        if address is not None and process.poll() is None:
            url = f"ws://127.0.0.1:{address[1]}{address[2]}"
            with closing(create_connection(url, suppress_origin=True, timeout=5)) as socket:
                socket.send(json.dumps({"id": 1, "method": "Browser.close"}))
                process.wait(_ENDING)
    except (OSError, subprocess.TimeoutExpired):
        pass
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def version(found: Browser) -> str:
    """Return a browser's name and version, without "Headless"."""
    product: str = found.call("Browser.getVersion")["product"]
    return product.replace("Headless", "").replace("Chrome/", "Chromium ")


@contextmanager
def lent_temporary_folder() -> Iterator[dict[str, str]]:
    """Yield an environment with a temporary folder that is deleted after the block."""
    folder = Path(tempfile.mkdtemp(prefix="deniable-"))
    try:
        yield {**os.environ, "TMPDIR": str(folder)}
    finally:
        end = time.monotonic() + _ENDING
        while folder.exists():
            shutil.rmtree(folder, ignore_errors=True)
            if time.monotonic() > end:
                break
            time.sleep(0.02)


def is_root() -> bool:
    """Return whether this is the superuser, for whom Chromium starts only without its sandbox."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
