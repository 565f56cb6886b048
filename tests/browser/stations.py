"""Every page that a respondent can come to: one list, for the pictures and for the tests.

A walk is a function that leads a browser on and yields a name wherever there is something to look
at. So a further station is a line of a walk that passes there::

    page.answer(["trips-0"])
    yield "a question that another answer asked"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from selenium import webdriver

from deniable.server.records import State
from deniable.server.store import open_store
from tests.browser.chromium import chromium
from tests.browser.page import Page
from tests.browser.serving import Served, serving

ROOT = Path(__file__).parents[2]

LANGUAGES = ("en",)
"""In which every walk is made: the first is the language of the surveys themselves."""

SURVEYS: dict[str, str] = {
    path.stem: path.read_text()
    for path in (
        Path(__file__).with_name("kinds.yaml"),
        Path(__file__).with_name("long-words.yaml"),
        ROOT / "tests" / "vectors" / "asking.yaml",
        ROOT / "examples" / "doping.yaml",
        ROOT / "examples" / "wellbeing.yaml",
    )
}
SURVEYS["kinds-each"] = (
    SURVEYS["kinds"]
    .replace("pages: one", "pages: each")
    .replace("survey: kinds", "survey: kinds-each")
)
SURVEYS["closed"] = SURVEYS["doping"].replace("survey: doping", "survey: closed")
SURVEYS["direct"] = """
version: 1
survey: direct
title: Your studies
questions:
  - id: year
    text: In which year of your studies are you?
    type: single
    answers: [First, Second, Third or later]
    protection: direct
"""

ANSWERED_BY = """
    const answered = window.fetch;
    window.fetch = (url, options) => options?.method === "POST" ? ANSWER : answered(url, options);
"""
NEVER = "new Promise(() => {})"
NOT_AT_ALL = "Promise.reject(new TypeError())"
NO_WAITING = "window.setTimeout = (call) => queueMicrotask(call);"
NO_STORAGE = "Object.defineProperty(window, 'localStorage', { get() { throw new Error(); } });"


@dataclass
class Way:
    """A browser, and the surveys that it can walk through.

    Parameters
    ----------
    driver : Chrome
    served : Served
    language : str
        One of `LANGUAGES`.
    """

    driver: webdriver.Chrome
    served: Served
    language: str = LANGUAGES[0]

    def page(self, slug: str, path: str = "") -> Page:
        """Return a page of a survey, on a device that remembers nothing, not opened yet."""
        (link,) = (link for link in self.served.links if link.endswith(f"/s/{slug}"))
        self.go_to("/privacy", link)
        self.driver.execute_script("localStorage.clear()")
        return Page(self.driver, self._spoken(link + path))

    def go_to(self, path: str, of: str = "") -> None:
        """Load a page that belongs to no survey, or to the one of this address."""
        # From elsewhere: to another fragment of the same page nothing would be loaded.
        self.driver.get("about:blank")
        self.driver.get(self._spoken(of + path if of else urljoin(self.served.links[0], path)))

    def _spoken(self, address: str) -> str:
        return address if self.language == LANGUAGES[0] else f"{address}#lang={self.language}"

    @contextmanager
    def with_before(self, script: str) -> Iterator[None]:
        """Run a script in the pages that are loaded in this block before their own."""
        added = self.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": script}
        )
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)

    @contextmanager
    def reopened(self, page: Page, answer: str, more: str = "") -> Iterator[None]:
        """Open a page again, the reports of which are answered by an expression."""
        with self.with_before(ANSWERED_BY.replace("ANSWER", answer) + more):
            self.driver.get("about:blank")
            page.open()
            yield


Walk = Callable[[Way], Iterator[str]]


def before_it_starts(way: Way) -> Iterator[str]:
    page = way.page("kinds-each")
    way.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    way.go_to("", page.link)
    page.wait(lambda: page.one(".starting").is_displayed())
    way.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    # For those who look at the page by a script it stays as it is for those without any.
    way.driver.execute_script(
        "const reason = document.querySelector('noscript'); reason.replaceWith(...reason.children)"
    )
    yield "not started"
    with way.with_before("window.crypto.getRandomValues = (words) => words;"):
        way.go_to("", page.link)
        page.wait(lambda: not page.all(".starting"))
        yield "refuses to ask"
    with way.with_before(NO_STORAGE):
        way.go_to("", page.link)
        page.wait(lambda: not page.all(".starting"))
        yield "a browser that keeps nothing"


def one_question_a_page(way: Way) -> Iterator[str]:
    page = way.page("kinds-each")
    page.open()
    yield "start"
    page.click(".trust summary")
    yield "start, panel open"
    page.proceed()
    yield "single"
    page.proceed()
    yield "single, error"
    page.answer(["medicine-1"])
    page.proceed()
    yield "many"
    page.answer(["offered-0", "offered-1"])
    yield "many, answered"
    page.proceed()
    yield "grid"
    page.answer(["sleep-0-0"])
    page.proceed()
    yield "grid, error"
    page.answer(["sleep-1-2"])
    page.proceed()
    yield "number"
    page.one("#drinks-0").send_keys("12")
    page.proceed()
    yield "number, error"
    page.one("#drinks-0").clear()
    page.one("#drinks-0").send_keys("6")
    yield "number, answered"
    page.answer(["drinks-decline-0"])
    yield "number, declined"
    page.proceed()
    yield "sent as it is given"
    page.answer(["year-1"])
    page.proceed()
    yield "review"
    page.click("form summary")
    yield "review, what will leave"
    page.click("dl.review button")
    yield "change"


def what_becomes_of_the_report(way: Way) -> Iterator[str]:
    page = way.page("kinds-each")
    page.open()
    answer_all(page)
    way.driver.execute_script(ANSWERED_BY.replace("ANSWER", NEVER))
    page.proceed()
    yield "sending"
    with way.reopened(page, NEVER):
        yield "answered before"
    with way.reopened(page, NOT_AT_ALL, NO_WAITING):
        page.outcome()
        yield "not reached"
    with way.reopened(page, "Promise.resolve(new Response('', { status: 410 }))"):
        page.outcome()
        yield "came too late"
    with way.reopened(page, "Promise.resolve(new Response('', { status: 400 }))"):
        page.outcome()
        yield "not taken"
    page.open()
    page.outcome()
    yield "receipt"
    way.go_to("/device")
    page.wait(lambda: page.all("#ledger button"))
    yield "device"
    page.click("#ledger button")
    yield "device, about to forget"
    page.click("#ledger button")
    yield "device, empty"


def all_on_one_page(way: Way) -> Iterator[str]:
    page = way.page("kinds")
    page.open()
    yield "start"
    page.proceed()
    yield "all missing"
    page.answer(["medicine-2", "offered-2", "sleep-0-0", "sleep-1-0", "year-0"], {"drinks-0": "0"})
    page.proceed()
    yield "review"


def a_part_is_drawn(way: Way) -> Iterator[str]:
    page = way.page("asking")
    page.open()
    yield "start"
    page.proceed()
    # Whatever was drawn: the last but one is asked of everybody, of its options some.
    while not page.all("#caught"):
        answer_what_is_asked(page)
        page.proceed()
    yield "options drawn"


def of_one_question(way: Way) -> Iterator[str]:
    page = way.page("doping")
    page.open()
    yield "all"
    page.click(".trust summary")
    yield "panel open"
    page.answer(["doped-0"])
    page.proceed()
    page.click("form summary")
    yield "review"


def long_texts(way: Way) -> Iterator[str]:
    for slug in ("wellbeing", "long-words"):
        page = way.page(slug)
        page.open()
        yield f"{slug}, start"
        page.proceed()
        place = 0
        while not page.all("dl.review"):
            place += 1
            page.proceed()
            yield f"{slug}, question {place}"
            answer_what_is_asked(page)
            page.proceed()
        page.click("form summary")
        yield f"{slug}, review"
        page.send()
        yield f"{slug}, receipt"


def around_a_survey(way: Way) -> Iterator[str]:
    for slug in ("kinds-each", "doping", "direct"):
        page = way.page(slug, "/privacy")
        way.go_to("", page.link)
        yield f"privacy of {slug}"
    way.driver.execute_script("document.querySelector('main details').open = true")
    yield "privacy, files"
    for slug in ("doping", "kinds-each"):
        way.go_to("", way.page(slug, "/sheet").link)
        yield f"sheet of {slug}"
    page = way.page("direct")
    page.open()
    yield "nothing randomised"
    way.go_to("", way.page("closed").link)
    yield "closed"
    way.go_to("/")
    yield "home"
    way.go_to("/s/no-such-survey")
    yield "no such page"


WALKS: tuple[Walk, ...] = (
    before_it_starts,
    one_question_a_page,
    what_becomes_of_the_report,
    all_on_one_page,
    a_part_is_drawn,
    of_one_question,
    long_texts,
    around_a_survey,
)


def answer_what_is_asked(page: Page) -> None:
    """Give the first answer to whatever the page asks, the least number, or declines."""
    for field in page.all("fieldset.question"):
        id = field.get_attribute("id")
        rows = len(page.all(f"#{id} .row"))
        if rows:
            page.answer([f"{id}-{row}-0" for row in range(rows)])
        elif page.all(f"#{id} input[type=text]"):
            page.one(f"#{id}-slider").send_keys("\ue011")  # the Home key
        else:
            page.click(f"#{id}-0")


def answer_all(page: Page) -> None:
    """Answer whatever is asked until the review."""
    while not page.all("dl.review"):
        answer_what_is_asked(page)
        page.proceed()


def stations(way: Way) -> Iterator[str]:
    """Lead a browser along all walks, and name each station when it is there."""
    for walk in WALKS:
        for name in walk(way):
            yield f"{walk.__name__.replace('_', ' ')}: {name}"


@contextmanager
def ways(folder: Path) -> Iterator[Way]:
    """Serve the surveys to a browser of its own, until the block ends."""
    files = []
    for slug, text in SURVEYS.items():
        files.append(folder / f"{slug}.yaml")
        files[-1].write_text(text)
    with serving(folder, *files) as served, chromium() as driver:
        store = open_store(f"sqlite:///{served.store}")
        store.set_state("closed", State.CLOSED)
        store.close()
        yield Way(driver, served)
