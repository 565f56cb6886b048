"""Every page that a respondent can come to: one list, for the pictures and for the tests.

A walk is a function that leads a browser on and yields a name wherever there is something to look
at. So a further station is a line of a walk that passes there, or a row of its steps::

    page.answer(["trips-0"])
    yield "a question that another answer asked"
"""

import dataclasses
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urljoin

from selenium import webdriver

from deniable.server.desk.live import session
from deniable.server.store.schedule import State
from tests.browser.chromium import chromium
from tests.browser.page import NAMES, Page, forget
from tests.browser.serving import Served, serving
from tests.kit import at, surveys

ROOT = Path(__file__).parents[2]

LANGUAGES = ("en", "de", "ar")
"""In which the walks are made: those of the example survey that has several."""

SURVEYS: dict[str, str] = {
    path.stem: path.read_text()
    for path in (
        Path(__file__).with_name("kinds.yaml"),
        Path(__file__).with_name("long-words.yaml"),
        ROOT / "tests" / "vectors" / "asking.yaml",
        ROOT / "examples" / "doping.yaml",
        ROOT / "examples" / "shops.yaml",
        ROOT / "examples" / "wellbeing.yaml",
    )
}
SURVEYS["wellbeing"] = SURVEYS["wellbeing"].replace("ask: 1", "split: even")
SURVEYS["journeys"] = surveys.everybody_answers_all()
SURVEYS["journeys-one"] = SURVEYS["journeys"].replace(
    "survey: journeys", "pages: one\nsurvey: journeys-one"
)
SURVEYS["again"] = (
    SURVEYS["journeys"]
    .replace(
        "survey: journeys",
        "survey: again\ncomprehension: true\nwaves: { count: 4, redraw: 1/10 }",
    )
    .replace("  - id: risks\n", "  - id: risks\n    ask_if: { no_ticket: yes }\n")
)
SURVEYS["closed"] = SURVEYS["journeys"].replace("survey: journeys", "survey: closed")
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
OURS = """Promise.resolve(
    new Response(JSON.stringify({ about: JSON.parse(options.body).id }), { status: STATUS }))"""
NO_WAITING = """
    const later = window.setTimeout;
    window.setTimeout = (call, delay) =>
      delay >= 20_000 ? later(call, delay) : queueMicrotask(call);
"""
NO_STORAGE = "Object.defineProperty(window, 'localStorage', { get() { throw new Error(); } });"


@dataclass
class Way:
    """A browser, and the surveys that it can walk through."""

    driver: webdriver.Chrome
    served: Served
    language: str = LANGUAGES[0]

    def page(self, slug: str, path: str = "") -> Page:
        """Return a page of a survey, on a device that remembers nothing, not opened yet."""
        (link,) = (link for link in self.served.links if link.endswith(at(slug)))
        self.driver.get("about:blank")
        forget(self.driver, link)
        return Page(self.driver, f"{link}{path}#lang={self.language}")

    def load(self, address: str) -> None:
        """Load a page, from elsewhere: to another fragment of the same one nothing is loaded."""
        self.driver.get("about:blank")
        self.driver.get(address)

    def go_to(self, path: str) -> None:
        """Load a page that belongs to no survey."""
        self.load(f"{urljoin(self.served.links[0], path)}#lang={self.language}")

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
    page = way.page("journeys", "unscripted")
    way.load(page.link)
    page.wait(lambda: page.sent_as() == "unscripted")
    yield "without JavaScript"
    page = way.page("journeys", "?utm_source=x")
    way.load(page.link)
    page.wait(lambda: page.sent_as() == "onward")
    yield "an altered link"
    page = way.page("journeys")
    # A program that cannot define what it starts with does not run.
    with way.with_before("Object.defineProperty(window, 'start', { value: 0 })"):
        way.load(page.link)
        page.wait(lambda: any(panel.is_displayed() for panel in page.all(".starting .warning")))
        yield "not started"
    with way.with_before("window.crypto.getRandomValues = (words) => words;"):
        way.load(page.link)
        page.wait(lambda: not page.all(".starting"))
        yield "refuses to ask"
    with way.with_before(NO_STORAGE):
        way.load(page.link)
        page.wait(lambda: not page.all(".starting"))
        yield "a browser that keeps nothing"


def along(*steps: tuple[str, *tuple[Callable[[], object], ...]]) -> Iterator[str]:
    """Take the steps to each station, and name it."""
    for name, *taken in steps:
        for step in taken:
            step()
        yield name


def one_question_a_page(way: Way) -> Iterator[str]:
    page = way.page("journeys")
    click, go_on = partial(partial, page.click), page.proceed

    def answer(*ids: str) -> Callable[[], object]:
        return lambda: page.answer([*ids])

    yield from along(
        ("start", page.open),
        ("start, panel open", partial(open_all, page)),
        ("single", go_on),
        ("single, error", go_on),
        ("many", answer("no_ticket-1"), go_on),
        ("many, answered", answer("risks-0", "risks-1")),
        ("many, none of these", answer("risks-2")),
        ("grid", click("#risks [role=status] button"), go_on),
        ("grid, one row answered", answer("fear-0-0")),
        ("grid, error", go_on),
        ("number", answer("fear-1-2"), go_on),
        ("number, error", go_on),
        ("number, answered", answer("drinks-6")),
        ("number, declined", answer("drinks-decline-0")),
        ("sent as it is given", go_on),
        ("review", answer("age-1"), go_on),
        (
            "review, answers shown, what will leave",
            page.show_answers,
            click("form > details > summary"),
        ),
        ("change", click("dl.review button")),
    )


def what_becomes_of_the_report(way: Way) -> Iterator[str]:
    page = way.page("journeys")
    page.open()
    answer_all(page)
    way.driver.execute_script(ANSWERED_BY.replace("ANSWER", NEVER))
    page.proceed()
    yield "sending"
    with way.reopened(page, NEVER):
        yield "sending again"
    with way.reopened(page, NOT_AT_ALL, NO_WAITING):
        page.outcome()
        yield "not reached"
    with way.reopened(page, OURS.replace("STATUS", "410")):
        page.outcome()
        yield "came too late"
    with way.reopened(page, OURS.replace("STATUS", "400")):
        page.outcome()
        yield "not taken"
    way.driver.get("about:blank")
    page.open()
    page.outcome()
    yield "receipt"
    page.unfold()
    yield "receipt, all open"
    way.driver.get("about:blank")
    page.open()
    yield "answered before"
    way.driver.execute_script(
        "const [key, kept] = Object.entries(localStorage)[0];localStorage.setItem(`${key}:2`, kept)"
    )
    way.driver.get("about:blank")
    page.open()
    yield "who answers"
    way.go_to("/device")
    page.wait(lambda: page.all("#ledger button"))
    yield "device, two people"
    page.unfold()
    page.click("#ledger details button")
    yield "device, about to raise the limit"
    page.click("[data-survey] button")
    yield "device, about to forget"
    page.click("[data-survey] button")
    yield "device, one forgotten"


def asked_again(way: Way) -> Iterator[str]:
    """Walk through a survey in waves, with two questions of comprehension and one skipped."""
    page = way.page("again")
    yield from along(
        ("start", page.open),
        ("panel open", partial(open_all, page)),
        ("is it clear", page.proceed),
        ("is it clear, answered", lambda: page.answer(["Clear0-0", "Clear1-0"])),
        ("review", page.proceed, lambda: page.answer(["no_ticket-0"]), partial(answer_all, page)),
        ("receipt", page.proceed, page.outcome),
    )
    way.driver.get("about:blank")
    page.open()
    yield "answered in this round"
    way.go_to("/device")
    page.wait(lambda: page.all("#ledger button"))
    yield "device"
    for path in ("privacy", "sheet"):
        way.load(way.page("again", path).link)
        yield path


def all_on_one_page(way: Way) -> Iterator[str]:
    page = way.page("journeys-one")
    page.open()
    yield "start"
    page.proceed()
    yield "all missing"
    answer_what_is_asked(page)
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
    open_all(page)
    yield "panel open"
    page.answer(["doped-0"])
    page.proceed()
    page.click("form > details > summary")
    yield "review"


def long_texts(way: Way) -> Iterator[str]:
    for slug in ("wellbeing", "long-words"):
        page = way.page(slug)
        page.open()
        yield f"{slug}, start"
        page.proceed()
        place = 0
        while not page.all("[data-answers]"):
            place += 1
            page.proceed()
            yield f"{slug}, question {place}"
            answer_what_is_asked(page)
            page.proceed()
        page.show_answers()
        page.click("form > details > summary")
        yield f"{slug}, review"
        page.send()
        page.unfold()
        yield f"{slug}, receipt"


def a_number_is_typed(way: Way) -> Iterator[str]:
    page = way.page("long-words")
    page.open()
    page.answer(["law-0", "which-0", "often-0-0", "often-1-0"])
    page.find("sum-0")
    for typed in ("many", "1234567", "12345", "40,000"):
        page.one("#sum-0").clear()
        page.one("#sum-0").send_keys(typed)
        yield f"{typed} is typed"
        page.proceed()
        if page.all("#sum"):
            yield f"{typed}, error"
        else:
            page.change("sum")


def in_a_class(way: Way) -> Iterator[str]:
    with way.served.opened() as store:
        meeting = session.begin_meeting(store, "", store.survey("journeys"))
        page = Page(way.driver, f"{urljoin(way.served.links[0], '/join')}#lang={way.language}")
        way.go_to("/join")
        yield "a code is asked for"
        way.go_to("/join?code=NNNNNN")
        yield "no such code"
        way.go_to(f"/join/{meeting.code}")
        page.wait(lambda: page.screen() == "waiting")
        yield "waiting"
        session.change(store, meeting.id, lambda now: session.go(now, "question"))
        page.wait(lambda: page.all("#no_ticket-1"))
        page.answer(["no_ticket-1"])
        page.proceed()
        assert page.outcome() == "stored"
        page.click("details.secret summary")
        yield "what was sent"
        way.driver.refresh()
        page.wait(lambda: page.all(".fell"))
        yield "what was sent, after a reload"
        session.ask_again(store, meeting.id, anew=True)
        session.change(store, meeting.id, lambda now: session.go(now, "question"))
        page.wait(lambda: page.all("[data-agree=yes]"))
        yield "what it costs"
        # Who has not answered is asked the question first, at any step.
        page.click("[data-agree=yes]")
        page.wait(lambda: page.all("#no_ticket-1"))
        page.answer(["no_ticket-1"])
        page.proceed()
        assert page.outcome() == "stored"
        session.change(store, meeting.id, lambda now: session.go(now, "direct"))
        page.wait(lambda: page.all("#no_ticket-1"))
        yield "asked directly"
        session.change(store, meeting.id, lambda now: session.go(now, "bars"))
        page.wait(lambda: page.all(".number [type=range]"))
        yield "a guess"
        store.remove_meeting(meeting.id)


def around_a_survey(way: Way) -> Iterator[str]:
    way.load(way.page("journeys", "privacy").link)
    yield "privacy"
    way.driver.execute_script(
        "for (const one of document.querySelectorAll('main details')) one.open = true"
    )
    yield "privacy, files"
    way.load(way.page("journeys", "sheet").link)
    yield "sheet"
    way.load(way.page("closed").link)
    yield "closed"
    way.go_to("/")
    yield "home"
    way.go_to(at("no-such-survey"))
    yield "no such page"


def of_other_surveys(way: Way) -> Iterator[str]:
    for slug in ("doping", "direct"):
        way.load(way.page(slug, "privacy").link)
        yield f"privacy of {slug}"
    way.load(way.page("doping", "sheet").link)
    yield "sheet of doping"
    way.page("direct").open()
    yield "nothing randomised"
    # What can be guessed from all of its answers is much.
    way.page("kinds").open()
    yield "weak"


def the_link_has_another_number(way: Way) -> Iterator[str]:
    page = way.page("direct")
    (survey,) = (one for one in way.served.surveys if one.slug == "direct")
    with way.served.opened() as store:
        store.register(dataclasses.replace(survey, introduction="A word is new."))
    for number, name in ((survey.path.partition("#")[2], "corrected"), ("5a" * 8, "changed")):
        way.load(page.link.partition("#")[0] + f"#{number}")
        page.wait(lambda: page.screen() in ("corrected", "changed"))
        assert page.screen() == name
        yield name


def by_a_spinner(way: Way) -> Iterator[str]:
    page = way.page("shops")
    page.open()
    page.proceed()
    page.proceed()
    yield "missing"
    page.answer(["took-1"])
    page.proceed()
    page.show_answers()
    yield "review"
    way.load(way.page("shops", "sheet").link)
    yield "sheet"


IN_EVERY_LANGUAGE: tuple[Walk, ...] = (
    before_it_starts,
    one_question_a_page,
    what_becomes_of_the_report,
    asked_again,
    in_a_class,
    all_on_one_page,
    around_a_survey,
)

IN_ENGLISH: tuple[Walk, ...] = (
    a_part_is_drawn,
    of_one_question,
    a_number_is_typed,
    of_other_surveys,
    the_link_has_another_number,
    by_a_spinner,
    long_texts,
)


def open_all(page: Page) -> None:
    """Open what stands closed below the button, and try it."""
    for summary in page.all("form ~ details summary"):
        summary.click()
    page.click(".pretend button")


def answer_what_is_asked(page: Page) -> None:
    """Give the first answer to whatever the page asks, the least number, or declines."""
    places = "fieldset.question .row, fieldset.question:not(:has(.row))"
    asked = page.driver.execute_script(
        f"{NAMES} return [...document.querySelectorAll('{places}')]"
        ".map((place) => place.querySelector('input'))"
        ".map((first) => [named(first.id), first.type === 'text' && first.labels[0].textContent])"
    )
    page.answer([id for id, typed in asked if not typed])
    for id, typed in asked:
        if typed:  # its label says which is the least
            page.one(f"#{id}").send_keys(re.findall(r"-?\d+", typed)[0])


def answer_all(page: Page) -> None:
    """Answer whatever is asked until the review."""
    while not page.is_there("[data-answers]"):
        answer_what_is_asked(page)
        page.proceed()
        assert not page.mistakes(), page.text()


def stations(way: Way) -> Iterator[str]:
    """Lead a browser along all walks in its language, and name each station when it is there."""
    for walk in IN_EVERY_LANGUAGE + (IN_ENGLISH if way.language == "en" else ()):
        for name in walk(way):
            yield f"{walk.__name__.replace('_', ' ')}: {name}"


@contextmanager
def ways() -> Iterator[Way]:
    """Serve the surveys to a browser of its own, until the block ends."""
    with serving(*SURVEYS.values()) as served, chromium() as driver:
        with served.opened() as store:
            store.set_state("closed", State.CLOSED)
        yield Way(driver, served)
