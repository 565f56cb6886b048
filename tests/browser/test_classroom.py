"""A whole meeting: presenter and projector side by side, three phones in tabs, 27 by the protocol.

What each step shows is worked out here once more, from the reports that lie in the store.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest
from selenium import webdriver

from tests.browser.chromium import chromium, open_tab
from tests.browser.page import Page
from tests.browser.serving import Served, serving
from tests.server.desk.urls import url_for
from tests.server.students import Student, all_at_once

pytestmark = pytest.mark.promise("meeting-noise", "runs")

EXAMPLE = Path("examples/classroom.yaml")

TRUTHS = [0, 1, 1] * 10
"""Of 30 students: 20 would say yes. The first three are tabs."""

P = Fraction(1, 4)
"""How often the coins of the example turn an answer round."""


@dataclass
class Tab:
    """One tab among several of a browser."""

    driver: webdriver.Chrome
    handle: str

    def page(self, link: str = "") -> Page:
        """Show the tab, and return its page."""
        self.driver.switch_to.window(self.handle)
        return Page(self.driver, link)

    def until(self, condition: Callable[[Page], object]) -> Page:
        page = self.page()
        page.wait(lambda: condition(page))
        return page


class Classroom:
    """A meeting that a presenter leads in one tab while a projector shows it in another."""

    def __init__(self, served: Served, stack: ExitStack) -> None:
        self.served = served
        driver = stack.enter_context(chromium())
        served.enter_desk(driver)
        self.presenter = Tab(driver, driver.current_window_handle)
        page = self.presenter.page(served.desk + url_for("live.meetings"))
        driver.get(page.link)
        option = "option[value='classroom']"
        driver.execute_script(f'document.querySelector("{option}").selected = true')
        page.click(f"form:has({option}) button")
        page.wait(lambda: page.sent_as() == "presenter")
        link = page.one("a[target=_blank]").get_attribute("href") or ""
        (self.code,) = re.findall(r"– ([A-Z0-9]{6}) –", driver.title)
        self.projector = Tab(driver, open_tab(driver))
        driver.get(link)
        # Each phone is a device of its own.
        self.phones = []
        for _ in range(3):
            driver = stack.enter_context(chromium())
            self.phones.append(Tab(driver, driver.current_window_handle))

    @property
    def origin(self) -> str:
        return "/".join(self.served.links[0].split("/")[:3])

    def lead(self, do: str) -> None:
        """Press a button of the presenter's."""
        page = self.presenter.page()
        # By a script: an element that was found before the next page came is none of it.
        at = "return document.querySelector('main')?.dataset.at ?? ''"
        page.driver.execute_script(
            "for (const one of document.querySelectorAll('main details')) one.open = true"
        )
        agree = "for (const box of document.getElementsByName('confirmed')) box.checked = true"
        page.driver.execute_script(agree)  # where direct answers go for good
        before = page.driver.execute_script(at)
        page.click(f"form[data-do={do}] button")
        page.wait(lambda: page.driver.execute_script(at) not in ("", before))

    def step(self, step: str) -> Page:
        """Go on to a step, and wait until the projector shows it."""
        self.lead("next")
        return self.projector.until(
            lambda page: page.one("body").get_attribute("data-step") == step
        )

    def sent(self, ending: str = "-1-1") -> list[int]:
        """Return the reports that lie in the store."""
        query = (
            "select hex(answers) from (select * from reports union all select * from held) "
            "where revision = (select number from revisions where survey = ?)"
        )
        with closing(sqlite3.connect(self.served.store)) as db:
            slug = f"meeting.{self.code.lower()}{ending}"
            return [int(answers, 16) for (answers,) in db.execute(query, [slug])]


@pytest.fixture
def room() -> Iterator[Classroom]:
    with serving(EXAMPLE) as served, ExitStack() as stack:
        yield Classroom(served, stack)


def numbers(text: str) -> list[float]:
    """Return the numbers in a line, percent as shares."""
    found = re.findall(r"([−-]?\d[\d,]*\.?\d*)( %)?", text)
    return [
        float(number.replace("−", "-").replace(",", "")) / (100 if percent else 1)
        for number, percent in found
    ]


def table(page: Page) -> dict[str, list[str]]:
    """Return the numbers of a picture, by the first cell of each row."""
    rows = page.driver.execute_script(
        "return [...document.querySelectorAll('#numbers tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    return {first: cells for first, *cells in rows}


def answer(phone: Tab, truth: int) -> None:
    """Answer what a phone has moved on to, and wait until that has arrived."""
    page = phone.until(lambda page: page.all(f"#pretended-{truth}"))
    page.answer([f"pretended-{truth}"])
    page.proceed()
    assert page.outcome() == "stored"


@pytest.mark.slow
@pytest.mark.browser
def test_a_whole_meeting_shows_the_right_numbers_at_every_step(room: Classroom) -> None:
    others = [Student(room.origin, room.code, truth) for truth in TRUTHS[3:]]
    everybody_joins(room, others)
    everybody_answers(room, others)
    yes = what_was_sent(room, others)
    the_noise(room, yes)
    the_noise_taken_out(room, Fraction(yes, 30))
    sent_again(room, others, yes)
    asked_directly(room, others)
    started_anew(room)
    the_end(room)


def everybody_joins(room: Classroom, others: list[Student]) -> None:
    phones = room.phones
    # Everybody joins: by the link, by the code on the page for it, and by the protocol.
    phones[0].page().driver.get(f"{room.origin}/join/{room.code}")
    phones[1].page().driver.get(f"{room.origin}/join/{room.code.lower()}")
    page = phones[2].page()
    page.driver.get(f"{room.origin}/join")
    page.one("#code-en").send_keys(f" {room.code.lower()} ")
    page.click("form.code button")
    all_at_once(others, Student.join)
    for phone in phones:
        assert phone.until(lambda page: page.screen() == "waiting").sent_as() == "wait"
    room.projector.until(lambda page: page.text("#count") == "30")
    # Who loads the page once more is no other phone.
    phones[0].page().driver.refresh()
    phones[0].until(lambda page: page.screen() == "waiting")


def everybody_answers(room: Classroom, others: list[Student]) -> None:
    # The question: phones move on by themselves.
    room.step("question")
    # Neither is who comes back, because the question was stopped.
    room.phones[0].until(lambda page: page.all("#pretended-0"))
    room.lead("stop")
    room.phones[0].until(lambda page: page.sent_as() == "wait")
    room.lead("resume")
    for phone, truth in zip(room.phones, TRUTHS[:3], strict=True):
        answer(phone, truth)
    room.projector.until(lambda page: page.text("#count") == "3")
    all_at_once(others, Student.answer)
    page = room.projector.until(lambda page: page.text("#count") == "30")
    assert page.text("#counted") == "of 30 answered"


def revealed(phone: Tab) -> str:
    """Return what a phone says that its reports in the meeting have revealed."""
    return str(phone.page().text("[data-revealed]"))


def what_was_sent(room: Classroom, others: list[Student]) -> int:
    sent = room.sent()
    assert len(sent) == 30
    yes = sum(sent)
    # What each phone sent is what it says.
    room.step("sent")
    shown = [
        int(phone.page().one("[data-sent]").get_attribute("data-sent") or "")
        for phone in room.phones
    ]
    assert sum(shown) + sum(int(one.sent.answers[0]) for one in others if one.sent) == yes
    assert all("75 in 100 at most" in revealed(phone) for phone in room.phones)
    return yes


def the_noise(room: Classroom, yes: int) -> None:
    # The noisy bars.
    bars = table(room.step("bars"))
    assert {name: int(cells[0]) for name, cells in bars.items()} == {"No": 30 - yes, "Yes": yes}

    # One dot a report. Of prior 1/2 a report makes 3/4, by Bayes.
    page = room.step("point")
    assert len(page.all("#picture [role=option], #picture button, #picture [data-dot]")) >= 30
    told = table(page)
    assert numbers(told["Yes"][-1]) == [0.75]
    assert numbers(told["No"][-1]) == [0.25]


def the_noise_taken_out(room: Classroom, share: Fraction) -> None:
    # A line at a time.
    assert numbers(room.step("observed").text("#formula"))[-1] == pytest.approx(share, abs=6e-4)
    people = [30 * share, 30 * P, 30 * (share - P)]
    assert numbers(room.step("subtract").text("#formula")) == people
    estimate = (share - P) / (1 - 2 * P)
    found = numbers(room.step("divide").text("#formula"))
    assert found[-1] == pytest.approx(estimate, abs=6e-4)
    page = room.step("interval")
    assert any(
        value == pytest.approx(estimate, abs=6e-4) for value in numbers(" ".join(_cells(page)))
    )
    presented = room.presenter.page()
    assert presented.all(".notes li")

    # Larger classes stand beside the real one, and the volunteer is found out.
    assert {"30", "300", "3,000"} <= {
        number for cell in _cells(room.step("sizes")) for number in re.findall(r"[\d,]+", cell)
    }
    assert table(room.step("again")) or room.projector.page().all("#picture svg")


def sent_again(room: Classroom, others: list[Student], yes: int) -> None:
    # All reports are removed: phones send theirs again by themselves, and say so.
    room.lead("reset")
    all_at_once(others, Student.send_again)
    # The projector may still show the count of before.
    room.projector.until(lambda page: len(room.sent()) == 30 and page.text("#count") == "30")
    for phone in room.phones:
        assert "75 in 100 at most" in revealed(phone)
    assert sum(room.sent()) == yes


def started_anew(room: Classroom) -> None:
    # Other chance costs as much again: two agree, and one only looks on.
    room.lead("anew")
    room.step("question")
    for place, phone in enumerate(room.phones):
        agree = "no" if place == 2 else "yes"
        page = phone.until(lambda page: page.all("[data-agree]"))
        page.click(f"[data-agree={agree}]")
        if agree == "yes":
            answer(phone, 1)
            # Twice odds of 3.
            assert "90 in 100 at most" in revealed(phone)
    assert room.phones[2].page().screen() == "answered"
    assert len(room.sent("-1-2")) == 2
    assert room.sent() == []


def asked_directly(room: Classroom, others: list[Student]) -> None:
    # Nothing is shown before it is closed, and then the truth.
    page = room.step("direct")
    before = page.text("#said")
    for student in others:
        student.sent = None
    for phone, truth in zip(room.phones, TRUTHS[:3], strict=True):
        answer(phone, truth)
        # The direct answer is no ε of 0: it stands beside the bound, under a title of its own.
        assert "(asked directly)" in phone.page().text("h1")
        bound, _, given = revealed(phone).partition("The server got ")
        assert "All protected answers together" in bound
        assert given.startswith("1 of your answers just as you gave them.")
    all_at_once(others, Student.answer)
    room.projector.until(lambda page: page.text(".count") == "30 of 30 answered")
    assert len(room.sent("-1-1-direct")) == 30
    assert room.projector.page().text("#said") == before
    room.lead("stop")
    page = room.projector.until(lambda page: page.text("#said") != before)
    values = numbers(" ".join(_cells(page)))
    assert any(value == pytest.approx(2 / 3, abs=6e-4) for value in values)


def the_end(room: Classroom) -> None:
    # Nothing is left, and every phone says so.
    page = room.presenter.page()
    page.unfold()
    page.click("button.danger")
    page.wait(lambda: page.sent_as() != "presenter")
    assert room.sent() == []
    for phone in room.phones:
        phone.page().driver.get(f"{room.origin}/join/{room.code}")
        assert phone.page().sent_as() == "join"


def _cells(page: Page) -> list[str]:
    return [cell for first, cells in table(page).items() for cell in (first, *cells)]
