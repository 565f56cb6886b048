"""The browser extension in a real Chromium: honest servers, and those that cheat.

A person's click on "allow" cannot be pressed in a browser without a screen. So the extension that
is tested has the right to see all sites, which the real one asks for site by site; the last test
tries the real one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from benchmarks.cheats import CHEATS
from benchmarks.cheats import serving as cheating
from deniable.server.loopback import loopback
from deniable.server.respondent.headers import RespondentHeaders
from deniable.survey_file import read
from tests.browser.chromium import chromium, run_before_every_page

ROOT = Path(__file__).parents[2]
SURVEY = read((ROOT / "examples" / "doping.yaml").read_text()).survey
POLICY = dict(RespondentHeaders(https=False).of("/s/doping"))["Content-Security-Policy"]

# The popup asks which tab is in front: as a page it would be that itself.
IN_FRONT = """
if (location.protocol === "chrome-extension:") {
  const query = chrome.tabs.query.bind(chrome.tabs);
  chrome.tabs.query = async () => (await query({})).filter((tab) => tab.index === 0).map(
    (tab) => ({ ...tab, url: tab.url ?? "http://127.0.0.1:9/s/x" }));
}
"""


@dataclass
class Watched:
    """A browser with the extension: one tab shows pages, the other what the popup says of them."""

    driver: webdriver.Chrome
    popup: str
    tabs: list[str] = field(default_factory=list)

    def open(self, url: str) -> None:
        self.driver.switch_to.window(self.tabs[0])
        self.driver.get(url)

    def run(self, script: str) -> None:
        """Run a script in the page, which may lead to another one."""
        self.driver.switch_to.window(self.tabs[0])
        self.driver.execute_script(script)

    def verdict(self) -> str:
        """Return what the popup says of the page: yes, no, unseen, unasked or other."""
        self.look()
        said = self.driver.find_element(By.ID, "verdict").get_attribute("data-state")
        assert said
        return said

    def broken(self) -> list[str | None]:
        """Return which rules do not hold, as the popup said last."""
        lines = self.driver.find_elements(By.CSS_SELECTOR, "[data-holds=false]")
        return [line.get_attribute("data-rule") for line in lines]

    def badge(self) -> str:
        """Return the word beside the extension's button, once the popup was looked at."""
        return str(
            self.driver.execute_async_script(
                "const done = arguments[0]; chrome.tabs.query({}).then(async ([tab]) =>"
                " done(await chrome.action.getBadgeText({ tabId: tab.id })))"
            )
        )

    def look(self) -> None:
        self.driver.switch_to.window(self.tabs[1])
        self.driver.get("about:blank")
        self.driver.get(self.popup)
        WebDriverWait(self.driver, 20, 0.02).until(
            lambda one: one.find_element(By.ID, "verdict").get_attribute("data-state")
        )


@contextmanager
def watched(folder: Path, *, may_see: bool = True) -> Iterator[Watched]:
    """Start a browser with the extension, as `make extension` makes it."""
    subprocess.run(
        [ROOT / "scripts" / "extension.sh", folder],
        env={**os.environ, "PYTHON": sys.executable},
        check=True,
    )
    if may_see:
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["host_permissions"] = manifest.pop("optional_host_permissions")
        (folder / "manifest.json").write_text(json.dumps(manifest))
    arguments = (
        f"--load-extension={folder}",
        # The last of these arguments counts, so it repeats what `QUIET` says.
        "--disable-features=DisableLoadExtensionCommandLineSwitch,SpareRendererForSitePerProcess",
    )
    with chromium(whole=True, arguments=arguments) as driver:
        worker = WebDriverWait(driver, 20, 0.05).until(_worker) or ""
        found = Watched(driver, worker.replace("background.js", "popup.html"))
        driver.switch_to.new_window("tab")
        found.tabs += driver.window_handles
        run_before_every_page(driver, IN_FRONT)
        yield found


def _worker(driver: webdriver.Chrome) -> str | None:
    targets = driver.execute_cdp_cmd("Target.getTargets", {})["targetInfos"]
    urls = (str(one["url"]) for one in targets if one["type"] == "service_worker")
    return next((url for url in urls if url.endswith("/background.js")), None)


@dataclass
class Operator:
    """A server that answers as it likes, by the address and how often it was asked for."""

    answer: Callable[[str, int], tuple[int, str, str]]
    origin: str = ""
    asked: Counter[str] = field(default_factory=Counter)


@contextmanager
def serving(answer: Callable[[str, int], tuple[int, str, str]]) -> Iterator[Operator]:
    """Serve what a function says until the block ends."""
    operator = Operator(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            operator.asked[self.path] += 1
            status, policy, body = operator.answer(self.path, operator.asked[self.path])
            self.send_response(status)
            kind = "text/javascript" if self.path.endswith(".js") else "text/html"
            self.send_header("Content-Type", kind)
            if policy:
                self.send_header("Content-Security-Policy", policy)
            if status != 204:
                self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            if status != 204:
                self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing of requests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        operator.origin = f"http://127.0.0.1:{server.server_port}"
        yield operator
        server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with watched(tmp_path_factory.mktemp("extension") / "built") as found:
        yield found


def test_the_release_holds_on_every_page_and_is_fetched_once(browser: Watched) -> None:
    with loopback(SURVEY) as link:
        for page in (link, link.replace("/s/doping", "/device")):
            browser.open(page)
            assert (browser.verdict(), browser.broken()) == ("yes", [])
        assert browser.badge() == "yes"
        # Where a code is typed a form is sent: a form could ask a survey's questions, too.
        browser.open(link.replace("/s/doping", "/j"))
        assert (browser.verdict(), browser.broken()) == ("no", ["forms"])
        assert browser.badge() == "NO"
    with serving(lambda *_: (200, POLICY, "<p>hello")) as operator:
        browser.open(f"{operator.origin}/s/doping")
        assert browser.verdict() == "yes"
        assert operator.asked["/s/doping"] == 1


NOT_AUDITED = "truths, of whoever has this link with `#anna`"
"""A cheat that no audit finds."""


@pytest.mark.parametrize(
    "name",
    [
        NOT_AUDITED,
        *(pytest.param(one, marks=pytest.mark.slow) for one in CHEATS if one != NOT_AUDITED),
    ],
)
def test_a_program_that_cheats_is_not_the_release(
    browser: Watched, tmp_path: Path, name: str
) -> None:
    with cheating(CHEATS[name], SURVEY, tmp_path) as link:
        browser.open(link)
        assert browser.verdict() == "no"
        assert "scripts" in browser.broken()


def test_a_site_that_ran_other_scripts_is_trusted_no_more(browser: Watched) -> None:
    """Even in a frame of another site: it can open the survey, and reach into that window."""
    with serving(
        lambda path, _: (200, POLICY if path == "/honest" else "", "<p>hello")
    ) as operator:
        browser.open(f"{operator.origin}/honest")
        assert browser.verdict() == "yes"
        browser.open(f"{operator.origin.replace('127.0.0.1', 'localhost')}/")
        browser.driver.execute_async_script(
            "const [url, done] = arguments; const frame = document.createElement('iframe');"
            "frame.onload = done; frame.src = url; document.body.append(frame);",
            f"{operator.origin}/opener",
        )
        browser.open(f"{operator.origin}/honest")
        assert (browser.verdict(), browser.broken()) == ("no", ["alone"])


@pytest.mark.slow
def test_a_page_has_no_verdict_but_its_own(browser: Watched) -> None:
    """Neither from the cache of left pages, nor from a service worker, nor after a broken visit.

    The honest answer comes from the same address each time, and is what a second look would find.
    """
    worker = (
        "let asked = 0; addEventListener('install', () => skipWaiting());"
        "addEventListener('activate', (event) => event.waitUntil(clients.claim()));"
        "addEventListener('fetch', (event) => {"
        " if (!event.request.url.endsWith('/worked') || asked++ === 0) return;"
        " event.respondWith(new Response('<title>cheat</title>',"
        "  { headers: { 'Content-Type': 'text/html' } })); });"
    )
    begin = "<title>begin</title>"

    def answer(path: str, times: int) -> tuple[int, str, str]:
        if path == "/worker.js":
            return 200, "", worker
        if path == "/worked":  # an honest policy that comes with no page at all
            return 204, POLICY, ""
        if path == "/left" and times == 1:
            return 200, "", "<title>cheat</title>"
        return 200, "" if path == "/" else POLICY, begin if path == "/" else "<title>honest</title>"

    def shows(title: str) -> None:
        browser.driver.switch_to.window(browser.tabs[0])
        WebDriverWait(browser.driver, 20, 0.02).until(lambda one: one.title == title)

    with serving(answer) as operator:
        browser.open(f"{operator.origin}/honest")
        assert browser.verdict() == "yes"
        browser.open(f"{operator.origin}/left")
        assert browser.verdict() == "no"
        assert "scripts" in browser.broken()
        browser.open(f"{operator.origin}/")
        # Held itself, but what was there before may have a window that reaches into it.
        browser.open(f"{operator.origin}/left")
        assert browser.verdict() == "no"
        assert browser.broken() == ["alone"]
        browser.run("history.go(-2)")
        shows("cheat")  # from memory: the server would be honest now
        assert browser.verdict() == "no"
        assert "scripts" in browser.broken()

        browser.open(f"{operator.origin}/")
        browser.driver.execute_async_script(
            "const done = arguments[0]; navigator.serviceWorker.register('/worker.js')"
            ".then(() => navigator.serviceWorker.ready).then(() => setTimeout(done, 100))"
        )
        browser.run("location.href = '/worked'")
        WebDriverWait(browser.driver, 20, 0.02).until(lambda _: operator.asked["/worked"])
        browser.run("location.href = '/worked'")
        shows("cheat")
        assert operator.asked["/worked"] == 1
        assert browser.verdict() == "unseen"


@pytest.mark.slow
def test_a_site_is_looked_at_only_when_the_person_says_so(tmp_path: Path) -> None:
    with watched(tmp_path / "built", may_see=False) as browser, loopback(SURVEY) as link:
        browser.open(link)
        assert browser.verdict() == "unasked"
        assert browser.badge() == ""
        asked = browser.driver.execute_async_script(
            "const done = arguments[0];"
            "chrome.permissions.request = async (what) => { done(what); return false; };"
            "document.getElementById('ask').click();"
        )
        assert asked == {"origins": ["http://127.0.0.1:9/*"]}
        kept = "const done = arguments[0]; chrome.storage.session.get(null).then(done)"
        assert browser.driver.execute_async_script(kept) == {}
