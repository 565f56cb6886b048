"""The browser extension in a real Chromium: honest servers, and those that cheat.

The browser asks a person in a window of its own, which no driver reaches. So the extension that is
tested has the right to see all sites, which the real one asks for site by site; the last tests try
the real one, and press the keys of a screen that nobody sees.
"""

import ctypes
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from deniable.server.loopback import loopback
from deniable.server.respondent.headers import RespondentHeaders
from deniable.server.respondent.known_headers import known_headers
from deniable.server.respondent.pages import parts_of
from deniable.server.respondent.program import BROWSER_FOLDER, load
from deniable.server.respondent.shell import page_of, shell_of
from deniable.survey_file import read
from tests import needs
from tests.addresses import at
from tests.browser.chromium import chromium, open_tab, run_before_every_page
from tests.browser.engines import screen
from tests.cheats.programs import CHEATS
from tests.cheats.serving import serving as cheating
from tests.cheats.serving import survey_of
from tests.quickly import first_of

pytestmark = pytest.mark.promise("extension")

ROOT = Path(__file__).parents[2]
SURVEY = read((ROOT / "examples" / "doping.yaml").read_text()).survey
HONEST = dict(RespondentHeaders(https=False).of(at("doping")))
POLICY = HONEST["Content-Security-Policy"]
PROGRAM = load(BROWSER_FOLDER)
PAGE = page_of(shell_of(PROGRAM), PROGRAM, parts_of(SURVEY))
PROXIED = {
    "Server": "nginx/1.26.3",
    "Via": "1.1 proxy.example (Varnish/7.6)",
    "Age": "0",
    "Strict-Transport-Security": "max-age=63072000; includeSubDomains; preload",
    "X-Cache": "MISS",
    "X-Request-ID": "0c9f1a",
}
"""What a usual proxy adds; `Date`, `Content-Length` and `Connection` are there anyway."""

# The popup asks which tab is in front: as a page it would be that itself.
IN_FRONT = """
if (location.protocol === "chrome-extension:") {
  const query = chrome.tabs.query.bind(chrome.tabs);
  chrome.tabs.query = async () => (await query({})).filter((tab) => tab.index === 0).map(
    (tab) => ({ ...tab, url: tab.url ?? "http://127.0.0.1:9/BCDFGHJ/" }));
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

    def verdict(self, patience: float = 20) -> str:
        """Return what the popup says of the page: yes, no, unseen, unasked or other.

        What it has not seen it may only not have noted yet: it gets some seconds more.
        """
        self.look()
        state = "return document.getElementById('verdict').dataset.state"
        with suppress(TimeoutException):
            WebDriverWait(self.driver, patience, 0.02).until(
                lambda one: one.execute_script(state) != "unseen"
            )
        return str(self.driver.execute_script(state))

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

    def badges(self) -> dict[str, str]:
        """Return the word beside the extension's button in each tab, by its address."""
        self.look()
        found: dict[str, str] = self.driver.execute_async_script(
            "const done = arguments[0]; chrome.tabs.query({}).then(async (tabs) =>"
            " done(Object.fromEntries(await Promise.all(tabs.map(async ({ id, url }) =>"
            " [url, await chrome.action.getBadgeText({ tabId: id })])))))"
        )
        return found

    def named(self) -> str:
        """Return what the popup said last of the headers."""
        return self.driver.find_element(By.CSS_SELECTOR, "[data-rule=headers]").text

    def look(self) -> None:
        self.driver.switch_to.window(self.tabs[1])
        self.driver.get("about:blank")
        self.driver.get(self.popup)
        WebDriverWait(self.driver, 20, 0.02).until(
            lambda one: one.find_element(By.ID, "verdict").get_attribute("data-state")
        )


@contextmanager
def watched(
    folder: Path, *, may_see: bool = True, pinned: tuple[str, str] = ("", "")
) -> Iterator[Watched]:
    """Start a browser with the extension, as `make extension` makes it, or with another release."""
    subprocess.run(
        [ROOT / "scripts" / "extension.sh", folder],
        env={**os.environ, "PYTHON": sys.executable},
        check=True,
    )
    release = folder / "pinned.json"
    release.write_text(release.read_text().replace(*pinned))
    if may_see:
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["host_permissions"] = manifest.pop("optional_host_permissions")
        (folder / "manifest.json").write_text(json.dumps(manifest))
    arguments = (
        # The other kind, which `QUIET` asks for, fetches nothing ahead.
        *([] if "DISPLAY" in os.environ else ["--headless=new"]),
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


Answered: TypeAlias = Callable[[str, int], tuple[int, str, str]]


@dataclass
class Operator:
    """A server that answers as it likes, by the address and how often it was asked for."""

    answer: Answered
    more: dict[str, dict[str, str]] = field(default_factory=dict)
    origin: str = ""
    asked: Counter[str] = field(default_factory=Counter)

    def was_asked(self, path: str, _: object) -> bool:
        return self.asked[path] > 0


@contextmanager
def serving(answer: Answered) -> Iterator[Operator]:
    """Serve what a function says: a status, a policy (and with it all other headers) and a body."""
    operator = Operator(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            operator.asked[self.path] += 1
            status, policy, body = operator.answer(self.path, operator.asked[self.path])
            self.send_response_only(status)
            self.send_header("Date", self.date_time_string())
            kind = "text/javascript" if self.path.endswith(".js") else "text/html"
            self.send_header("Content-Type", kind)
            # A page that is kept in memory is left for one of the same kind.
            opener = "Cross-Origin-Opener-Policy"
            own = (
                HONEST | {"Content-Security-Policy": policy} if policy else {opener: "same-origin"}
            )
            for name, value in (own | operator.more.get(self.path, {})).items():
                self.send_header(name, value)
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
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with watched(tmp_path_factory.mktemp("extension") / "built") as found:
        yield found


@pytest.fixture
def browser(opened: Watched) -> Watched:
    """Forget what sites have shown: a later server may get the port of an earlier one."""
    opened.look()
    opened.driver.execute_async_script("chrome.storage.session.clear().then(arguments[0])")
    return opened


def test_the_release_holds_on_every_page_and_is_fetched_once(browser: Watched) -> None:
    with loopback(SURVEY) as link:
        # A link that people are given ends in a number.
        for page in (f"{link}#24744c78", link, link.replace(at("doping"), "/device")):
            browser.open(page)
            assert (browser.verdict(), browser.broken()) == ("yes", [])
        assert browser.badge() == "yes"
        # Where a code is typed a form is sent: a form could ask a survey's questions, too.
        browser.open(link.replace(at("doping"), "/j"))
        assert (browser.verdict(), browser.broken()) == ("no", ["forms"])
        assert browser.badge() == "NO"
    with serving(lambda *_: (200, POLICY, PAGE)) as operator:
        browser.open(f"{operator.origin}{at('doping')}")
        assert browser.verdict() == "yes"
        assert operator.asked[at("doping")] == 1
        # What looks like a page of the survey, at another address, may ask by links.
        browser.open(f"{operator.origin}/survey/")
        assert (browser.verdict(), browser.badge()) == ("unjudged", "?")
        # A tag comes back at the next visit: one of somebody's own names them.
        operator.more["/device"] = {"ETag": f'"{next(iter(known_headers()["tags"].values()))}"'}
        browser.open(f"{operator.origin}/device")
        assert (browser.verdict(), browser.broken()) == ("no", ["headers"])
        assert "etag" in browser.named()


NOT_AUDITED = "truths, of whoever has this link with `#anna`"
"""A cheat that no audit finds."""


def _altered(name: str) -> tuple[object, ...]:
    """Return what the extension compares of a cheat: whatever an edit does, it reads a hash."""
    cheat = CHEATS[name]
    return frozenset(file for file, *_ in cheat.edits), any(cheat.markup), cheat.headers


_LAST_OF_EACH = {
    _altered(name): name for name in (*CHEATS, NOT_AUDITED) if not any(CHEATS[name].document)
}


@pytest.mark.parametrize("name", first_of([*_LAST_OF_EACH.values()]))
def test_a_program_that_cheats_is_not_the_release(
    browser: Watched, tmp_path: Path, name: str
) -> None:
    with cheating(CHEATS[name], survey_of(CHEATS[name]), tmp_path) as link:
        browser.open(link)
        WebDriverWait(browser.driver, 20).until(lambda _: browser.verdict() == "no")
        if any(CHEATS[name].markup):
            assert browser.broken() == ["markup"]
        elif CHEATS[name].headers:
            ((_, header, _),) = CHEATS[name].headers
            assert browser.broken() == ["headers"]
            assert header.lower() in browser.named()
        else:
            assert "scripts" in browser.broken()
        assert browser.badge() == "NO"


def test_a_survey_that_is_not_open_is_neither_held_nor_accused(browser: Watched) -> None:
    with serving(lambda *_: (410, POLICY, "<p>Closed")) as operator:
        browser.open(f"{operator.origin}{at('doping')}")
        assert (browser.verdict(), browser.broken()) == ("unjudged", [])


@pytest.mark.slow
@pytest.mark.promise("verify")
def test_an_honest_site_behind_a_proxy_gets_a_yes(browser: Watched) -> None:
    with serving(lambda *_: (200, POLICY, PAGE)) as operator:
        operator.more[at("doping")] = PROXIED
        browser.open(f"{operator.origin}{at('doping')}")
        assert (browser.verdict(), browser.badge()) == ("yes", "yes")


@pytest.mark.slow
def test_a_header_that_nobody_knows_is_not_judged_and_named(browser: Watched) -> None:
    """Also that of an answer to a script of the page."""
    ask = f"const done = arguments[0]; fetch('{at('doping', 'reports')}').then(done)"
    with serving(lambda *_: (200, POLICY, PAGE)) as operator:
        operator.more[at("doping", "reports")] = {"X-New": "1"}
        browser.open(f"{operator.origin}{at('doping')}")
        assert browser.verdict() == "yes"
        browser.driver.switch_to.window(browser.tabs[0])
        browser.driver.execute_async_script(ask)
        WebDriverWait(browser.driver, 20).until(lambda _: browser.verdict() == "unjudged")
        assert browser.broken() == []
        assert browser.named().endswith("by them: x-new.")
        assert browser.badge() == "?"
        operator.more[at("doping", "reports")] = {"Set-Cookie": "who=anna"}
        browser.driver.switch_to.window(browser.tabs[0])
        browser.driver.execute_async_script(ask)
        WebDriverWait(browser.driver, 20).until(lambda _: browser.verdict() == "no")
        assert browser.named().endswith("changed them: set-cookie.")
        assert browser.badge() == "NO"


@pytest.mark.slow
def test_a_header_of_the_release_that_is_missing_or_altered_is_a_no(browser: Watched) -> None:
    with serving(lambda *_: (200, POLICY, PAGE)) as operator:
        operator.more[at("doping")] = {"Referrer-Policy": "unsafe-url"}
        browser.open(f"{operator.origin}{at('doping')}")
        assert (browser.verdict(), browser.broken()) == ("no", ["headers"])
        assert "referrer-policy" in browser.named()
    with serving(lambda *_: (200, POLICY, PAGE)) as operator:
        honest = HONEST.pop("Cross-Origin-Opener-Policy")
        try:
            browser.open(f"{operator.origin}{at('doping')}")
            assert (browser.verdict(), browser.broken()) == ("no", ["headers"])
        finally:
            HONEST["Cross-Origin-Opener-Policy"] = honest
        assert "cross-origin-opener-policy (missing)" in browser.named()


@pytest.mark.slow
def test_a_page_that_opens_a_bad_one_is_marked_at_once(browser: Watched) -> None:
    """Without its being loaded again: the page that it opened can already reach into it."""
    with serving(lambda path, _: (200, "" if path == "/bad" else POLICY, "<p>hello")) as operator:
        browser.open(f"{operator.origin}/device")
        assert (browser.verdict(), browser.badge()) == ("yes", "yes")
        opened = open_tab(browser.driver)
        browser.driver.get(f"{operator.origin}/bad")
        honest = f"{operator.origin}/device"
        WebDriverWait(browser.driver, 20).until(lambda _: browser.badges()[honest] == "NO")
        assert (browser.verdict(), browser.broken()) == ("no", ["alone"])
        browser.driver.switch_to.window(opened)
        browser.driver.close()
        browser.driver.switch_to.window(browser.tabs[0])


def test_a_site_that_ran_other_scripts_is_trusted_no_more(browser: Watched) -> None:
    """Even in a frame of another site: it can open the survey, and reach into that window."""
    with serving(
        lambda path, _: (200, POLICY if path == "/device" else "", "<p>hello")
    ) as operator:
        browser.open(f"{operator.origin}/device")
        assert browser.verdict() == "yes"
        browser.open(f"{operator.origin.replace('127.0.0.1', 'localhost')}/")
        browser.driver.execute_async_script(
            "const [url, done] = arguments; const frame = document.createElement('iframe');"
            "frame.onload = done; frame.src = url; document.body.append(frame);",
            f"{operator.origin}/opener",
        )
        browser.open(f"{operator.origin}/device")
        assert (browser.verdict(), browser.broken()) == ("no", ["alone"])


@pytest.mark.slow
def test_a_page_has_no_verdict_but_its_own(browser: Watched) -> None:
    """Neither from the cache of left pages, nor from a service worker, nor after a broken visit.

    The honest answer comes from the same address each time, and is what a second look would find.
    """
    worker = (
        "const asked = new Set(); addEventListener('install', () => skipWaiting());"
        "addEventListener('activate', (event) => event.waitUntil(clients.claim()));"
        "addEventListener('fetch', (event) => {"
        " const { url } = event.request;"
        " if (!url.includes('/worked') || (!asked.has(url) && asked.add(url))) return;"
        " event.respondWith(new Response('<title>cheat</title>',"
        "  { headers: { 'Content-Type': 'text/html' } })); });"
    )
    begin = "<title>begin</title>"

    now = "cheat"  # what the server answers to a page that is left

    def answer(path: str, _: int) -> tuple[int, str, str]:
        if path == "/worker.js":
            return 200, "", worker
        if path.startswith("/worked"):  # an honest policy that comes with no page at all
            return 204, POLICY, ""
        if path.startswith("/left"):
            return 200, "" if now == "cheat" else POLICY, f"<title>{now}</title>"
        return 200, "" if path == "/" else POLICY, begin if path == "/" else "<title>honest</title>"

    def shows(*titles: str) -> str:
        browser.driver.switch_to.window(browser.tabs[0])
        with suppress(TimeoutException):
            WebDriverWait(browser.driver, 10, 0.02).until(lambda one: one.title in titles)
        return browser.driver.title

    with serving(answer) as operator:
        browser.open(f"{operator.origin}/device")
        assert browser.verdict() == "yes"
        # Chromium may drop a page that it keeps, where memory is short, or count one fewer where
        # a page was left before it was whole: five pages have a chance.
        for name in (f"left-{attempt}" for attempt in range(5)):
            now = "cheat"
            browser.open(f"{operator.origin}/{name}")
            assert browser.verdict() == "no"
            assert "scripts" in browser.broken()
            browser.open(f"{operator.origin}/")
            # Held itself, but what was there before may have a window that reaches into it.
            now = "later"
            browser.open(f"{operator.origin}/{name}")
            assert browser.verdict() == "no"
            assert browser.broken() == ["alone"]
            now = "honest"
            browser.run("history.go(-2)")
            if shows("cheat", "honest") == "cheat":  # from memory: the server would be honest now
                break
        else:
            pytest.fail("Chromium kept none of five pages that were left")
        assert browser.verdict() == "no"
        assert "scripts" in browser.broken()

        browser.open(f"{operator.origin}/")
        browser.driver.execute_async_script(
            "const done = arguments[0]; navigator.serviceWorker.register('/worker.js')"
            ".then(() => navigator.serviceWorker.ready).then(() => setTimeout(done, 100))"
        )
        # It may end between two requests, and has then forgotten the first: five have a chance.
        for path in (f"/worked-{attempt}" for attempt in range(5)):
            browser.run(f"location.href = '{path}'")
            WebDriverWait(browser.driver, 20, 0.02).until(partial(operator.was_asked, path))
            browser.run(f"location.href = '{path}'")
            with suppress(TimeoutException):
                WebDriverWait(browser.driver, 5, 0.02).until(lambda one: one.title == "cheat")
                break
        assert browser.driver.title == "cheat"
        assert operator.asked[path] == 1
        assert browser.verdict(2) == "unseen"


@pytest.mark.slow
def test_the_page_is_held_to_the_manifest_and_not_to_what_the_server_sends(tmp_path: Path) -> None:
    altered = ("<noscript>", "<noscript> ")
    with watched(tmp_path / "built", pinned=altered) as browser, loopback(SURVEY) as link:
        browser.open(link)
        assert (browser.verdict(), browser.broken()) == ("no", ["markup"])


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


def press(display: str, *keys: int) -> None:
    """Press keys of a screen, by their numbers in X11, as a keyboard does."""
    x11, test = (needs.library(name, "sudo apt-get install libxtst6") for name in ("X11", "Xtst"))
    x11.XOpenDisplay.restype = ctypes.c_void_p
    opened = ctypes.c_void_p(x11.XOpenDisplay(display.encode()))
    for key in keys:
        code = x11.XKeysymToKeycode(opened, ctypes.c_ulong(key))
        for down in (1, 0):
            test.XTestFakeKeyEvent(opened, code, down, ctypes.c_ulong(0))
        x11.XSync(opened, 0)
    x11.XCloseDisplay(opened)


TAB, SPACE = 0xFF09, 0x20
NOTICE = """
if (location.protocol === "chrome-extension:") {
  const query = chrome.tabs.query;
  chrome.tabs.query = async (where) => (await query(where)).map((tab) => ({ ...tab, url: LINK }));
  const request = chrome.permissions.request.bind(chrome.permissions);
  chrome.permissions.request = async (site) => (globalThis.said = await request(site));
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("allows", [True, False])
def test_a_person_says_so_in_a_window_of_the_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allows: bool
) -> None:
    """It opens with *Deny* chosen, and *Allow* beside it; keys that come too soon do nothing."""
    with screen() as display:
        monkeypatch.setenv("DISPLAY", display)
        with watched(tmp_path / "built", may_see=False) as browser, loopback(SURVEY) as link:
            run_before_every_page(browser.driver, NOTICE.replace("LINK", json.dumps(link)))
            browser.open(link)
            assert browser.verdict() == "unasked"
            said: list[bool] = []
            for _ in range(5):
                browser.driver.find_element(By.ID, "ask").click()
                time.sleep(3)
                press(display, *([TAB] if allows else []), SPACE)
                said = WebDriverWait(browser.driver, 20).until(
                    lambda one: one.execute_script(
                        "return [globalThis.said].filter((s) => s !== undefined)"
                    )
                )
                if said == [allows]:
                    break
            assert said == [allows]
            browser.open(link)
            assert browser.verdict() == ("yes" if allows else "unasked")
