"""A real Chromium, and the requests that it made."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from deniable.client.audit.chromium import lent_temporary_folder
from tests import needs

HOW_TO_GET = "sudo apt-get install chromium chromium-driver"

QUIET = (
    "--headless=new",
    "--no-first-run",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
"""A browser that talks to nobody by itself."""


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
    profile: Path | None = None, *, javascript: bool = True, arguments: Sequence[str] = ()
) -> Iterator[webdriver.Chrome]:
    """Start Chromium, and end it.

    Parameters
    ----------
    profile : Path, optional
        The folder that it keeps everything in, to come back to or to look through.
    javascript : bool
        Whether scripts may run.
    arguments : sequence of str
        Others of the command line.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = needs.program("chromium", HOW_TO_GET)
    for argument in (*QUIET, *arguments):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium refuses to start as root with it
    if profile is not None:
        options.add_argument(f"--user-data-dir={profile}")
    if not javascript:
        preferences = {"profile.managed_default_content_settings.javascript": 2}
        options.add_experimental_option("prefs", preferences)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    with lent_temporary_folder() as environment:
        chromedriver = needs.program("chromedriver", HOW_TO_GET)
        driver = webdriver.Chrome(options, Service(chromedriver, env=environment))
        try:
            driver.set_window_size(900, 1200)
            driver.set_script_timeout(120)
            yield driver
        finally:
            driver.quit()


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
    """Run a script in every page before the page's own."""
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
