"""``python -m benchmarks.meetings``: five meetings with 120 phones each, and what they show.

119 phones speak the protocol. Another one, the wall and the presenter's page are in Chromium. Each
step is led by the presenter's button, and a picture of every shape of screen is taken of it. The
table says how many reports were lost.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import numpy as np
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from benchmarks.measuring import ROOT, folder, markdown, tell
from deniable import survey_file
from deniable.classroom.steps import STEPS
from deniable.server.desk.editor.starters import ready_questions
from deniable.server.desk.live import session
from deniable.server.store import Store, open_store
from deniable.server.store.meetings import Meeting
from deniable.survey.kind import Asks
from tests.addresses import at
from tests.browser.chromium import chromium, open_tab
from tests.browser.looks import emulate, screenshot
from tests.browser.test_stage import LEAVING, SMALLEST
from tests.server.running import running
from tests.server.students import Student, all_at_once

PHONES: Final = 120

MEETINGS: Final = {
    "last-digit": "en",
    "first-quarter": "de",
    "way-here": "fr",
    "seasons": "es",
    "left-hand": "ar",
}
"""A ready question, and the language of its meeting."""

SHAPES: Final = {
    "wall": ((1280, 720), (1920, 1080)),
    "presenter": ((1280, 800), (412, 915)),
    "phone": ((360, 640), (412, 915)),
}

PICTURES: Final = ROOT / "build" / "meetings"

_HERE: Final = "return (document.body.dataset.step || document.querySelector('main').dataset.at)"


class Room:
    """A meeting, its phones, and the pages of it that a browser has open."""

    def __init__(self, driver: webdriver.Chrome, store: Store, meeting: Meeting, url: str) -> None:
        self.driver, self.store, self.meeting = driver, store, meeting
        self.phones = [
            Student(url, meeting.code, int(truth))
            for truth in np.random.default_rng(1).random(PHONES - 1) < 0.2
        ]
        self.tabs: dict[str, str] = {}
        self.faults: list[str] = []
        self.smallest, self.sent, self.lost = (999.0, ""), 0, 0

    def show(self, tab: str) -> None:
        """Bring a page to the front."""
        self.driver.switch_to.window(self.tabs[tab])

    def wait(self, found: Callable[[webdriver.Chrome], object]) -> None:
        """Wait for something on the page."""
        WebDriverWait(self.driver, 60).until(found)

    def press(self, selector: str) -> None:
        """Press the first of such buttons when it is there."""
        self.wait(lambda driver: driver.find_elements(By.CSS_SELECTOR, selector))
        pressed = "document.querySelector(arguments[0]).click()"
        self.driver.execute_script(pressed, selector)

    def answer(self, asks: Asks = "randomised") -> None:
        """Let all phones answer what is asked."""
        slug = self.meeting.slug(asks)
        self.show("phone")
        self.wait(lambda driver: at(slug) in driver.current_url)
        all_at_once(self.phones, Student.answer)
        self.press("input[type=radio]")
        self.press("button[type=submit]")
        self.wait(lambda _: session.given(self.store, self.meeting)[asks] == PHONES)

    def count(self, asks: Asks = "randomised") -> None:
        """Compare what is stored with what was sent, when the store holds nothing back."""
        slug = self.meeting.slug(asks)
        with suppress(TimeoutException):
            self.wait(lambda _: sum(session.counts_of(self.store, slug)) == PHONES)
        sent = Counter(one.sent.answers[0] for one in self.phones if one.sent)
        stored = Counter(dict(enumerate(session.counts_of(self.store, slug))))
        # One more is stored than the protocol sent: the phone's in the browser.
        self.sent += PHONES
        self.lost += (sent - stored).total() + (1 - (stored - sent).total())

    def look(self, step: str, scheme: str, name: str) -> None:
        """Take pictures of all shapes of screen, and say what does not fit the wall."""
        for tab, sizes in SHAPES.items():
            self.show(tab)
            emulate(self.driver, {"prefers-color-scheme": scheme})
            for width, height in sizes:
                if tab == "wall":
                    self.wait(lambda driver: step in driver.execute_script(_HERE))
                taken = screenshot(self.driver, width, height)
                taken.save(PICTURES / f"{name}-{step}-{tab}-{width}-{scheme}.png")
                if tab == "wall":
                    found = self.driver.execute_script(LEAVING)
                    self.faults += [f"{step}, {width}: {one}" for one in found]
                    smallest = self.driver.execute_script(SMALLEST) * 720 / height
                    self.smallest = min(self.smallest, (round(smallest, 1), f"{step}, {width}"))


def hold(path: Path, name: str, scheme: str) -> list[str]:
    """Hold a meeting from joining to the direct question; return a row of the table."""
    survey = survey_file.read(ready_questions()[name]).survey
    with (
        running(path, [survey], limit=(300, False)) as server,
        closing(open_store(f"sqlite:///{path}/store.db", create=False)) as store,
        chromium() as driver,
    ):
        meeting = session.begin_meeting(store, "", survey, MEETINGS[name])
        room = Room(driver, store, meeting, server.url)
        driver.get(f"{server.sign_in}?meeting={meeting.id}")
        room.press("main form button")
        room.tabs["presenter"] = driver.current_window_handle
        for tab, address in (
            ("wall", f"{server.desk_url}/desk/projector/{meeting.id}"),
            ("phone", f"{server.url}/join/{meeting.code}"),
        ):
            room.tabs[tab] = open_tab(driver)
            driver.get(address)
        all_at_once(room.phones, Student.join)
        for step in STEPS:
            if step is not STEPS[0]:
                room.show("presenter")
                room.press("form[data-do=next] button")
            if step.slug == "question":
                room.answer()
                room.count()
            if step.slug == "point":
                room.press("form[data-do=guess] button")
                room.answer("prior")
                room.show("presenter")
                room.press("form[data-do=guessed] button")
                room.count("prior")
                room.show("wall")
                room.press(".dots .dot")
            room.look(step.slug, scheme, name)
            if step.slug == "direct":
                room.answer("direct")
                room.show("presenter")
                room.press("form[data-do=stop] button")
                room.count("direct")
                room.show("wall")
                room.wait(lambda d: d.find_elements(By.CSS_SELECTOR, "[data-row^=direct]"))
                room.look(step.slug, scheme, f"{name}-closed")
    faults = "; ".join(dict.fromkeys(room.faults)) or "none"
    counted = [
        str(PHONES),
        str(room.sent),
        str(room.lost),
        f"{room.smallest[0]} px ({room.smallest[1]})",
    ]
    return [f"`{name}`", MEETINGS[name], scheme, *counted, faults]


def lines() -> Iterator[str]:
    """Hold the meetings, and write the table."""
    shutil.rmtree(PICTURES, ignore_errors=True)
    PICTURES.mkdir(parents=True)
    rows = []
    for place, name in enumerate(MEETINGS):
        tell(f"{PHONES} phones are asked {name}")
        with folder() as path:
            rows.append(hold(path, name, ("light", "dark")[place % 2]))
    heads = [
        "Question",
        "Language",
        "Screens",
        "Phones",
        "Reports",
        "Lost",
        "Smallest text of 720 lines",
    ]
    return markdown([*heads, "Off the wall"], rows, names=3)


if __name__ == "__main__":
    print("\n".join(lines()))
    tell(f"Pictures of every screen: {PICTURES}")
