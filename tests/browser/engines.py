"""The engines beside Chromium's: Firefox ESR and WebKitGTK, as Debian has them.

Debian has no driver of Firefox, so the commands of WebDriver go to it as they are, by Marionette,
which is what a driver would translate them to.
"""

import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count, islice
from pathlib import Path
from typing import Any, Final, cast

from selenium import webdriver
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.webkitgtk.service import Service

from deniable.client.audit.chromium import lent_temporary_folder
from tests.kit import free_ports, needs

LIMIT: Final = 180
"""Seconds within which a browser starts, ends, or does what it is told, on a busy machine too."""

HOW_TO_GET: Final = "scripts/install.sh firefox webkit"

NOWHERE: Final = 9
"""The port of this machine where what a browser wants of any other one ends."""

PREFERENCES: Final[dict[str, object]] = {
    "marionette.port": 0,
    "network.proxy.type": 1,
    **{f"network.proxy.{name}": "127.0.0.1" for name in ("http", "ssl", "socks")},
    **{f"network.proxy.{name}_port": NOWHERE for name in ("http", "ssl", "socks")},
    "network.trr.mode": 5,  # names are asked of this machine
    "media.peerconnection.enabled": False,
    # What was open is opened again, after a crash too, and is written soon.
    "browser.startup.page": 3,
    "browser.sessionstore.resume_from_crash": True,
    "browser.sessionstore.max_resumed_crashes": -1,
    "browser.sessionstore.interval": 500,
    "toolkit.startup.max_resumed_crashes": -1,
}

COMMANDS: Final = {
    Command.GET: "WebDriver:Navigate",
    Command.GO_BACK: "WebDriver:Back",
    Command.GO_FORWARD: "WebDriver:Forward",
    Command.GET_CURRENT_URL: "WebDriver:GetCurrentURL",
    Command.W3C_EXECUTE_SCRIPT_ASYNC: "WebDriver:ExecuteAsyncScript",
    Command.CLICK_ELEMENT: "WebDriver:ElementClick",
    Command.SEND_KEYS_TO_ELEMENT: "WebDriver:ElementSendKeys",
    Command.W3C_GET_CURRENT_WINDOW_HANDLE: "WebDriver:GetWindowHandle",
    Command.CLOSE: "WebDriver:CloseWindow",
    Command.QUIT: "Marionette:Quit",
}
"""Commands that Marionette calls otherwise than WebDriver's clients do."""


class Marionette:
    """Firefox's own protocol: messages of JSON, each after its length and a colon."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._stream = connected.makefile("rb")
        self._numbers = count(1)
        self._receive()  # it tells its version first

    def execute(self, command: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a command and wait for its answer, which is given as a driver gives it."""
        number = next(self._numbers)
        called = command.removeprefix("w3c")
        name = COMMANDS.get(command) or f"WebDriver:{called[0].upper()}{called[1:]}"
        params.pop("sessionId", None)  # a connection has one
        if command == Command.NEW_SESSION:
            params = params["capabilities"]["alwaysMatch"]
        message = json.dumps([0, number, name, params]).encode()
        self._socket.sendall(b"%d:%s" % (len(message), message))
        _, answered, error, value = self._receive()
        assert answered == number, (name, answered, number)
        if error is not None:
            return {"status": 500, "value": json.dumps({"value": None, **error})}
        return {"value": value["value"] if isinstance(value, dict) and "value" in value else value}

    def close(self) -> None:
        self._stream.close()

    def _receive(self) -> Any:
        length = b""
        while (digit := self._stream.read(1)) != b":":
            if not digit:
                raise ConnectionError("Firefox has ended")
            length += digit
        return json.loads(self._stream.read(int(length)))


def eventually(what: Callable[[], Any], process: subprocess.Popen[bytes], wanted: str) -> Any:
    """Return the first value that is true, while a process runs."""
    end = time.monotonic() + LIMIT
    while not (value := what()):
        assert process.poll() is None, f"no {wanted}: ended with {process.returncode}"
        assert time.monotonic() < end, f"no {wanted} within {LIMIT} seconds"
        time.sleep(0.05)
    return value


@contextmanager
def firefox(profile: Path | None = None) -> Iterator[webdriver.Chrome]:
    """Lend a Firefox that talks to this machine alone; what a profile keeps is opened again."""
    program = needs.program("firefox-esr", HOW_TO_GET)
    with ExitStack() as stack:
        environment = stack.enter_context(lent_temporary_folder())
        home = environment["TMPDIR"]
        profile = profile or Path(home) / "profile"
        profile.mkdir(exist_ok=True)
        lines = (f"user_pref({json.dumps([*one])[1:-1]});\n" for one in PREFERENCES.items())
        (profile / "user.js").write_text("".join(lines))
        port_file = profile / "MarionetteActivePort"
        port_file.unlink(missing_ok=True)
        process = subprocess.Popen(
            [program, "--headless", "--marionette", "--no-remote", "--profile", profile],
            env=environment | {"HOME": home, "MOZ_CRASHREPORTER_DISABLE": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(process.wait, LIMIT)
        stack.callback(process.kill)
        port = int(
            eventually(lambda: port_file.exists() and port_file.read_text(), process, "port")
        )
        connected = stack.enter_context(socket.create_connection(("127.0.0.1", port), LIMIT))
        options = webdriver.FirefoxOptions()
        options.set_capability("timeouts", {"script": 1000 * LIMIT, "pageLoad": 1000 * LIMIT})
        marionette = cast("RemoteConnection", Marionette(connected))
        driver = webdriver.Remote(marionette, options=options)
        # What differs from Chromium's driver is never asked of it: see `Page`.
        yield cast("webdriver.Chrome", driver)
        with suppress(ConnectionError):  # where a test has killed it
            driver.quit()
        process.wait(LIMIT)


@contextmanager
def screen() -> Iterator[str]:
    """Lend a screen that nobody sees; return its name."""
    xvfb = needs.program("Xvfb", HOW_TO_GET)
    arguments = ("-displayfd", "1", "-screen", "0", "1280x1280x24", "-nolisten", "tcp")
    with subprocess.Popen(
        [xvfb, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            assert process.stdout is not None
            # It ends, or tells which it has once it is there.
            display = process.stdout.readline().decode().strip()
            assert display, "Xvfb has ended"
            yield f":{display}"
        finally:
            process.kill()


@contextmanager
def webkit() -> Iterator[webdriver.Chrome]:
    """Lend a WebKitGTK, on a screen that nobody sees."""
    program = needs.program("WebKitWebDriver", HOW_TO_GET)
    with ExitStack() as stack:
        environment = stack.enter_context(lent_temporary_folder())
        home = {"HOME": environment["TMPDIR"], "XDG_RUNTIME_DIR": environment["TMPDIR"]}
        display = stack.enter_context(screen())
        service = Service(program, free_ports(1)[0], env=environment | home | {"DISPLAY": display})
        options = webdriver.WebKitGTKOptions()
        options.set_capability("timeouts", {"script": 1000 * LIMIT, "pageLoad": 1000 * LIMIT})
        stack.callback(service.stop)
        service.start()
        asked = ClientConfig(remote_server_addr=service.service_url, timeout=2 * LIMIT)
        driver = webdriver.Remote(RemoteConnection(client_config=asked), options=options)
        stack.callback(driver.quit)
        yield cast("webdriver.Chrome", driver)


def unpacked(written: bytes) -> bytes:
    """Return what a file of Firefox says, of which some are packed, as that of the session is."""
    if not written.startswith(b"mozLz40\0"):
        return written
    packed, said = iter(written[12:]), bytearray()

    def length(short: int) -> int:
        more = 255 if short == 15 else 0
        while more == 255:
            short += (more := next(packed))
        return short

    for token in packed:
        said += bytes(islice(packed, length(token >> 4)))
        if (near := next(packed, None)) is None:
            break
        start = len(said) - (near + 256 * next(packed))
        for place in range(start, start + 4 + length(token & 15)):
            said.append(said[place])
    return bytes(said)
