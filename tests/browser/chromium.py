"""A real Chromium, and the requests that it made."""

import atexit
import json
import shutil
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import (
    NoSuchWindowException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.errorhandler import ErrorHandler
from selenium.webdriver.support.ui import WebDriverWait
from websocket import WebSocket, create_connection

from deniable.client.audit.chromium import is_root, lent_temporary_folder
from tests.kit import free_ports, needs

HOW_TO_GET = "sudo apt-get install chromium chromium-driver"

LIGHT = "chromium-headless-shell"
"""The same engine without the windows around it, from the same source: a quarter to a third less
work. Where it is not there, Chromium takes its place."""

QUIET = (
    "--headless",
    "--no-first-run",
    "--disable-gpu",
    # Nothing is drawn by a graphics card: a process of its own for that starts for nothing.
    "--in-process-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    # Keep no process ready for a page that may never come: half of all processes were such.
    "--disable-features=SpareRendererForSitePerProcess",
)
"""A browser that talks to nobody by itself, and does nothing in advance."""

SIZE = (900, 1200)
"""Width and height of a window, in pixels."""


@dataclass(frozen=True)
class Request:
    """A request that a page made."""

    method: str
    url: str
    body: str | None

    @property
    def path(self) -> str:
        return urlsplit(self.url).path


@contextmanager
def chromium(
    profile: Path | None = None,
    *,
    javascript: bool = True,
    arguments: Sequence[str] = (),
    alone: bool = False,
    whole: bool = False,
) -> Iterator[webdriver.Chrome]:
    """Lend a Chromium that remembers nothing, and forget afterwards what was done in it.

    It is a browser context in one Chromium that the tests of a process share, with storage, cookies
    and cache of its own: starting another Chromium takes twenty times as long. While a second one
    is lent, the first waits.
    """
    own = alone or whole or profile is not None or arguments
    with _started(profile, arguments, whole=whole) if own else _shared.lent() as driver:
        if not javascript:
            driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        yield driver


@contextmanager
def _started(
    profile: Path | None = None,
    arguments: Sequence[str] = (),
    *,
    whole: bool = False,
) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = needs.program("chromium", HOW_TO_GET)
    if profile is None and not whole:
        options.binary_location = light() or options.binary_location
    for argument in (*QUIET, *arguments):
        options.add_argument(argument)
    if is_root():
        options.add_argument("--no-sandbox")  # Chromium refuses to start as root with it
    if profile is not None:
        options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    with lent_temporary_folder() as environment:
        chromedriver = needs.program("chromedriver", HOW_TO_GET)
        driver = webdriver.Chrome(options, Service(chromedriver, free_ports(1)[0], env=environment))
        driver.error_handler = Errors()
        try:
            driver.set_window_size(*SIZE)
            driver.set_script_timeout(120)
            yield driver
        finally:
            driver.quit()


class Errors(ErrorHandler):
    """Call an element stale that is looked at while its page is being left.

    In that instant chromedriver has no name for it but "unknown error", which no wait expects.
    """

    def check_response(self, response: dict[str, Any]) -> None:
        try:
            super().check_response(response)
        except WebDriverException as error:
            if "does not belong to the document" in (error.msg or ""):
                raise StaleElementReferenceException(error.msg) from error
            raise


def light() -> str | None:
    """Return the path of `LIGHT` itself; None if it is not there.

    In PATH stands a script that starts it and waits: chromedriver would end the script alone.
    """
    script = shutil.which(LIGHT)
    itself = Path("/usr/lib/chromium", LIGHT)
    return None if script is None else str(itself if itself.exists() else script)


class _Shared:
    """The one Chromium that the tests of this process share, started when first lent."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._driver: webdriver.Chrome | None = None
        self._debugger: WebSocket | None = None
        self._calls = 0
        self._own_tab = ""

    @contextmanager
    def lent(self) -> Iterator[webdriver.Chrome]:
        driver = self._running()
        waiting = self._current_tab(driver)
        context = self._call("Target.createBrowserContext", disposeOnDetach=True)
        width, height = SIZE
        tab = self._call(
            "Target.createTarget", url="about:blank", width=width, height=height, **context
        )["targetId"]
        driver.switch_to.window(tab)
        driver.get_log("performance")  # type: ignore[no-untyped-call]  # of whoever waits
        driver.get_log("browser")  # type: ignore[no-untyped-call]
        try:
            yield driver
        finally:
            if self._driver is driver:
                self._call("Target.disposeBrowserContext", **context)
                driver.switch_to.window(waiting)

    def end(self) -> None:
        """End it; it starts again if it is lent again."""
        self._stack.close()
        self._driver = self._debugger = None

    def _running(self) -> webdriver.Chrome:
        if self._driver is not None:
            try:
                assert self._own_tab in self._driver.window_handles
            except (WebDriverException, AssertionError):
                self.end()  # a test that broke it has failed; the next ones need not
        if self._driver is None:
            self._driver = self._stack.enter_context(_started())
            self._own_tab = self._driver.current_window_handle
            address = self._driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
            with urllib.request.urlopen(f"http://{address}/json/version") as answer:
                url = json.load(answer)["webSocketDebuggerUrl"]
            # Contexts are the browser's to make: a tab, which chromedriver speaks to, may not.
            self._debugger = create_connection(url, suppress_origin=True)
            self._stack.enter_context(closing(self._debugger))
        return self._driver

    def _current_tab(self, driver: webdriver.Chrome) -> str:
        """Return the tab to go back to: that of a lent one that waits, if it has one."""
        try:
            return driver.current_window_handle
        except NoSuchWindowException:
            return self._own_tab

    def _call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Call a method of the browser's own protocol."""
        assert self._debugger is not None
        self._calls += 1
        call = {"id": self._calls, "method": method, "params": parameters}
        self._debugger.send(json.dumps(call))
        while True:
            message: dict[str, Any] = json.loads(self._debugger.recv())
            if message.get("id") == self._calls:
                result: dict[str, Any] = message["result"]
                return result


_shared = _Shared()
end_shared = _shared.end
atexit.register(end_shared)  # for what is no test: pictures and screenshots


def open_tab(driver: webdriver.Chrome) -> str:
    """Open another tab of the same device, show it, and return its handle."""
    before = {*driver.window_handles}
    driver.execute_script("window.open('about:blank', '_blank', 'noopener')")
    opened = WebDriverWait(driver, 20, 0.02).until(lambda _: {*driver.window_handles} - before)
    (tab,) = opened
    driver.switch_to.window(tab)
    return tab


def save_downloads(driver: webdriver.Chrome, folder: Path) -> None:
    """Have the device save what is downloaded in a folder, and ask nobody."""
    device = driver.execute_cdp_cmd("Target.getTargetInfo", {})["targetInfo"]["browserContextId"]
    driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior",
        {"behavior": "allow", "downloadPath": str(folder), "browserContextId": device},
    )


def read_in(driver: webdriver.Chrome, languages: str) -> None:
    """Have the device be of somebody who reads these languages."""
    agent = driver.execute_script("return navigator.userAgent")
    driver.execute_cdp_cmd(
        "Network.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": languages}
    )


def requests(driver: webdriver.Chrome) -> list[Request]:
    """Return the requests that pages have made since this was last asked."""
    made = []
    for entry in driver.get_log("performance"):  # type: ignore[no-untyped-call]  # selenium's gap
        message: dict[str, Any] = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            request = message["params"]["request"]
            made.append(Request(request["method"], request["url"], request.get("postData")))
    return made


def run_before_every_page(driver: webdriver.Chrome, script: str) -> None:
    """Run a script in every page before the page's own; what it declares stays its own."""
    source = f"{{ {script}\n}}"
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})


def heed_no_policy(driver: webdriver.Chrome) -> None:
    """Have the browser heed no page's policy of what it may load, run or send."""
    driver.execute_cdp_cmd("Page.enable", {})
    driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})


def block(driver: webdriver.Chrome, *urls: str) -> None:
    """Let no request to these addresses through, and all others."""
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": [*urls]})


def alter_questions(driver: webdriver.Chrome, script: str) -> None:
    """Have every page get other questions than the server sends: a script alters the `survey`."""
    run_before_every_page(
        driver,
        f"""
        const read = Response.prototype.arrayBuffer;
        Response.prototype.arrayBuffer = async function () {{
          if (!this.url.endsWith("/survey.json")) return read.call(this);
          const text = new TextDecoder().decode(await read.call(this));
          const [structure, ...words] = text.split("\\n");
          let survey = JSON.parse(structure);
          {script}
          return new TextEncoder().encode([JSON.stringify(survey), ...words].join("\\n")).buffer;
        }};
        """,
    )
