"""A phone in a meeting, which a test leads."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urljoin

from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from deniable.server.desk.live import session
from deniable.server.store import Store
from deniable.server.store.meetings import Meeting
from deniable.survey.address import PATTERN
from tests.browser.chromium import chromium as started
from tests.browser.chromium import requests, run_before_every_page
from tests.browser.looks import Look, show_as_usual, show_on
from tests.browser.page import NAMES, Page
from tests.browser.serving import Served

PHONE, HEIGHT = Look(375, "light"), 667
"""A small phone of today, in CSS pixels."""

IMPATIENT = """
const patient = setTimeout;
window.setTimeout = (done, milliseconds = 0, ...more) =>
  patient(done, milliseconds < 20_000 ? milliseconds / 20 : milliseconds, ...more);
"""
"""The seconds of a class pass twenty times faster, and not the minutes of a report that waits."""

LISTENING = """
window.overheard = [];
const heard = (place, name) => {
  const real = place[name];
  place[name] = function (...what) {
    overheard.push([name, what]);
    return real.apply(this, what);
  };
};
heard(Storage.prototype, "setItem");
heard(History.prototype, "pushState");
heard(History.prototype, "replaceState");
heard(IDBFactory.prototype, "open");
if (globalThis.caches) heard(CacheStorage.prototype, "open");
"""
"""Whatever a page writes anywhere, also what it takes away at once."""

KEPT = """
return JSON.stringify([
  overheard.splice(0), Object.entries(localStorage).sort(), { ...sessionStorage }, document.cookie,
  window.name, history.state, location.href, document.title,
]);
"""


@dataclass
class Phone:
    """A phone in a meeting that a test leads."""

    page: Page
    store: Store
    meeting: Meeting

    @property
    def driver(self) -> webdriver.Chrome:
        return self.page.driver

    def go(self, step: str) -> None:
        session.change(self.store, self.meeting.id, lambda now: session.go(now, step))

    def guess(self) -> None:
        """Go to the step that asks for a guess, slide to one, and send it."""
        self.go("bars")
        self.page.wait(lambda: self.page.is_there(".number [type=range]"))
        self.page.one("[type=range]").send_keys(Keys.PAGE_UP, Keys.ARROW_LEFT)
        assert self.says("#guess-state") == "Your answer: 9"
        self.page.proceed()
        assert self.page.outcome() == "stored"

    def open(self, path: str, language: str = "en") -> None:
        self.driver.get("about:blank")
        self.driver.get(urljoin(self.page.link, f"{path}#lang={language}"))

    def answer(self, id: str) -> None:
        """Answer what the phone has moved on to, and wait until that has arrived."""
        self.page.wait(lambda: self.page.is_there(f"#{id}"))
        self.page.answer([id])
        self.page.proceed()
        assert self.page.outcome() == "stored"
        told = "remembers that this question was answered here"
        self.page.wait(lambda: told in self.says(".known"))

    def says(self, selector: str) -> str:
        """Return what one part of the page says, empty if it is not there."""
        # By a script: pages follow one another while this looks.
        script = f"{NAMES} return document.querySelector(placed(arguments[0]))?.textContent ?? ''"
        return str(self.driver.execute_script(script, selector))

    def kept(self) -> str:
        """Wait until the report is shown that was sent, without what chance decided; return it."""
        said = ""

        def look() -> str:
            # In one look: for a second a page may still be led to what was asked just before.
            nonlocal said
            said = self.says(".fell[data-sent] .sent")
            return said

        self.page.wait(look)
        assert not self.page.is_there("[data-chance], [data-coins]")
        assert not self.page.is_there(".else")
        return said

    def told(self) -> str:
        """Return all that was kept and asked for since this was last asked, whatever meeting it is.

        Where the class is, it asks again and again: how often says nothing.
        """
        asked = [(one.method, one.url, one.body) for one in requests(self.driver)]
        where = urljoin(self.page.link, f"/join/{self.meeting.code}/step.json")
        assert where in {url for _, url, _ in asked}
        others = {one for one in asked if one[1] != where}
        # Only the name of the meeting differs, and so the address and the hash of what is asked.
        kept = [self.driver.execute_script(KEPT), *map(str, others)]
        told = str(sorted(re.sub(PATTERN, "/ADDRESS/", one) for one in kept))
        told = re.sub(r"\b[0-9a-f]{64}\b", "REVISION", told)
        return re.sub(self.meeting.code, "CODE", told, flags=re.IGNORECASE)


@contextmanager
def phone_in(room: tuple[Served, Store], word: int = 2**31) -> Iterator[Phone]:
    """Lend a phone that remembers nothing and whose chance is known, at a meeting's question."""
    served, store = room
    link = urljoin(served.links[0], "/")
    meeting = session.begin_meeting(store, "", served.surveys[0])
    with started() as driver:
        known = "crypto.getRandomValues = (words) => words.map((_, at) => (words[at] = 1e9 + at)"
        for script in (IMPATIENT, LISTENING, f"{known}) && words.fill({word}, 4, 5);"):
            run_before_every_page(driver, script)
        show_on(driver, PHONE, HEIGHT)
        phone = Phone(Page(driver, link), store, meeting)
        phone.go("question")
        yield phone
        show_as_usual(driver)
        with suppress(KeyError):  # removed by a test
            store.remove_meeting(meeting.id)
