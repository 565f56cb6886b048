"""The driver in a real Chromium, inside the survey's own page."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from deniable.client.audit.engine import (
    AUDIT_FOLDER,
    Engine,
    EngineError,
    EngineMissing,
    as_held,
    checked,
)
from deniable.extras import how_to_get

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

PATIENCE: Final = 20.0
"""Seconds within which a page has drawn its chance, or never will."""

_ENDING: Final = 10.0
"""Seconds within which the last processes of a browser that was told to end have ended."""

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# A browser that talks to nobody by itself.
_ARGUMENTS: Final = (
    "--headless=new",
    "--no-first-run",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)

_CALL: Final = """
const [operation, job, done] = arguments;
deniableAudit[operation](job).then(done, (error) => done({ error: String(error) }));
"""


@contextmanager
def chromium(document: dict[str, Any], link: str) -> Iterator[Engine]:
    """Run the modules of a survey's page, in the page.

    Parameters
    ----------
    document : dict
        The survey's protocol document.
    link : str
        Of the page. Its program runs in the browser's sandbox; nothing is sent to its server.

    Yields
    ------
    Engine

    Raises
    ------
    EngineMissing
        If there is no browser, or nothing to drive it by.
    EngineError
        If the page does not load.
    """
    with browser() as driver:
        from selenium.common.exceptions import WebDriverException  # noqa: PLC0415  an extra

        try:
            driver.set_script_timeout(600)
            yield _open(driver, document, link)
        except WebDriverException as error:
            raise EngineError(f"{link}: {str(error.msg).splitlines()[0]}") from None


@contextmanager
def browser() -> Iterator[Chrome]:
    """Start a Chromium that nothing is known to, and end it.

    Yields
    ------
    Chrome

    Raises
    ------
    EngineMissing
        If there is no browser, or nothing to drive it by.
    """
    try:
        from selenium.common.exceptions import WebDriverException  # noqa: PLC0415  an extra
        from selenium.webdriver import Chrome, ChromeOptions  # noqa: PLC0415
        from selenium.webdriver.chrome.service import Service  # noqa: PLC0415
    except ImportError:
        raise EngineMissing(
            f"found no selenium to drive a browser by; get it by {how_to_get('audit')}"
        ) from None
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    chromedriver = shutil.which("chromedriver")
    if program is None or chromedriver is None:
        missing = "Chromium" if program is None else "chromedriver"
        raise EngineMissing(
            f"found no {missing} in PATH; on Debian: sudo apt-get install chromium chromium-driver"
        )
    options = ChromeOptions()
    options.binary_location = program
    for argument in _ARGUMENTS:
        options.add_argument(argument)
    if is_root():
        options.add_argument("--no-sandbox")  # Chromium refuses to start as root with it
    with lent_temporary_folder() as environment:
        try:
            driver = Chrome(options, Service(chromedriver, env=environment))
        except WebDriverException as error:
            raise EngineMissing(f"Chromium does not start: {error.msg}") from None
        try:
            yield driver
        finally:
            driver.quit()


@contextmanager
def lent_temporary_folder() -> Iterator[dict[str, str]]:
    """Lend an environment with a folder for temporary files that ends with the browser.

    Chromium leaves folders there, of which some hold what pages kept. Its last processes may write
    there for a moment after it has been told to end, so the folder is removed until it is gone.
    """
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


def _open(driver: Chrome, document: dict[str, Any], link: str) -> Engine:
    # Before any program of the page, so that none can take a hold of what the driver replaces.
    script = (AUDIT_FOLDER / "driver.js").read_text(encoding="utf-8")
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    driver.get(link)
    engine = _Chromium(driver)
    # The page draws when it opens. One that does not is for the audit to complain of.
    end = time.monotonic() + PATIENCE
    while not engine.call("watched", {})["drawn"] and time.monotonic() < end:
        time.sleep(0.05)
    engine.call("load", {"survey": as_held(document)})
    return engine


class _Chromium:
    opens_page = True

    def __init__(self, driver: Chrome) -> None:
        self.name = f"Chromium {driver.capabilities['browserVersion']}"
        self._driver = driver

    def call(self, operation: str, job: dict[str, Any]) -> dict[str, Any]:
        """Run the driver's function in the page, and wait for its promise."""
        return checked(self._driver.execute_async_script(_CALL, operation, job))
