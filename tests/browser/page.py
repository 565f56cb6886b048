"""The respondent's page, as a person uses it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

PATIENCE = 20
"""Seconds to wait for what a page should do at once."""

TICK = """
    const input = document.getElementById(arguments[0]);
    if (!input.checkVisibility()) throw new Error("nobody can see " + input.id);
    input.click();
"""

PRESS = """
(() => {
    const one = document.querySelector(SELECTOR);
    // In a frame, or where a link leads, it is for the mouse, which waits for the page.
    if (one === null || one.closest("a")) return false;
    one.scrollIntoView({ block: "center" });
    const { left, top, width, height } = one.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!one.contains(hit)) throw new Error("nobody can press it");
    one.focus();
    one.click();
    return true;
})()
"""


def forget(driver: webdriver.Chrome, link: str) -> None:
    """Have the device forget all that the pages of a server keep."""
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(link))
    driver.execute_cdp_cmd(
        "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage"}
    )


class Page:
    """The respondent's page of one survey.

    Parameters
    ----------
    driver : Chrome
    link : str
        The survey's address.
    """

    def __init__(self, driver: webdriver.Chrome, link: str) -> None:
        self.driver = driver
        self.link = link

    def open(self) -> None:
        """Open the page, and wait until it has asked, sent or refused."""
        self.driver.get(self.link)
        self.wait(lambda: not self.all(".starting"))

    def open_afresh(self) -> None:
        """Open the page on a device that remembers nothing."""
        forget(self.driver, self.link)
        self.open()

    def wait(self, condition: Callable[[], object]) -> None:
        """Wait until something holds: look often at first, and less and less often then."""
        end, pause = time.monotonic() + PATIENCE, 0.01
        while True:
            with suppress(NoSuchElementException):
                if condition():
                    return
            if time.monotonic() > end:
                raise TimeoutException
            time.sleep(pause)
            pause = min(1.5 * pause, 0.2)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector: str = "main") -> str:
        return self.one(selector).text

    def click(self, selector: str) -> None:
        """Press what stands there and is not covered.

        A script presses it, in a tenth of the time that a mouse takes: `point` is the mouse.
        """
        # To the browser it is a person's: it leads back only to pages that a person has left.
        pressed = self.driver.execute_cdp_cmd(
            "Runtime.evaluate",
            {
                "expression": PRESS.replace("SELECTOR", json.dumps(selector)),
                "userGesture": True,
                "returnByValue": True,
            },
        )
        assert "exceptionDetails" not in pressed, (selector, pressed)
        if not pressed["result"]["value"]:
            self.point(selector)

    def point(self, selector: str) -> None:
        """Click by the mouse."""
        element = self.one(selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def answer(self, choices: list[str], typed: dict[str, str] | None = None) -> None:
        """Tick the inputs of these ids, and type into others, going on to their pages.

        A script ticks them, in a third of the time that a mouse takes: `point` is the mouse.
        """
        for id in [*choices, *(typed or {})]:
            self.find(id)
            if id in choices:
                self.open_row(id)
                self.driver.execute_script(TICK, id)
            else:
                self.one(f"#{id}").send_keys((typed or {})[id])

    def open_row(self, id: str) -> None:
        """Open the row of a grid that an input is in, if it was answered and folded."""
        if not self.one(f"#{id}").is_displayed():
            self.click(f".answered:has(#{id}) button")

    def find(self, id: str) -> None:
        """Go on until the element of this id is on the page."""
        while not self.all(f"#{id}"):
            self.proceed()
            assert not self.mistakes(), self.text()

    def mistakes(self) -> list[str]:
        """Return what the summary above the page says is wrong."""
        return [link.text for link in self.all(".panel.warning li") if link.is_displayed()]

    def unanswered(self) -> list[str]:
        """Return the ids of the questions that the page says are not answered."""
        return [field.get_attribute("id") or "" for field in self.all("fieldset.question.wrong")]

    def to_review(self) -> None:
        """Go on until all answers are shown."""
        while not self.all("dl.review"):
            self.proceed()
            assert not self.mistakes(), self.text()

    def screen(self) -> str:
        """Return what the page's program shows: see `docs/contributors.md`."""
        # By a script: an element that was found before the next page came is none of it.
        return str(
            self.driver.execute_script(
                "return document.querySelector('[data-screen]')?.dataset.screen ?? ''"
            )
        )

    def sent_as(self) -> str:
        """Return which page the server sent."""
        return str(
            self.driver.execute_script("return document.querySelector('main')?.dataset.page ?? ''")
        )

    def at_heading(self) -> str:
        """Return whose heading has the focus: the question's id, else the name of the screen."""
        return str(
            self.driver.execute_script(
                "const at = document.activeElement;"
                "const place = at.closest('fieldset') ?? at.closest('[data-screen]');"
                "return at.tagName === 'H2' && place ? place.dataset.screen ?? place.id : ''"
            )
        )

    def show_answers(self) -> None:
        """Have the review show the answers, which it hides at first."""
        if self.all("[data-answers=hidden]"):
            self.click("form > button.quiet")

    def change(self, id: str) -> None:
        """Change the answer to a question from the review."""
        self.show_answers()
        self.click(f"[data-question={id}] button")

    def unfold(self) -> None:
        """Open all that is folded."""
        for summary in self.all("main details:not([open]) > summary"):
            summary.click()

    def reviewed(self) -> dict[str, str]:
        """Return of each question in the review whether it is answered, skipped or kept."""
        self.show_answers()
        return {
            row.get_dom_attribute("data-question") or "": row.get_dom_attribute("data-state") or ""
            for row in self.all("dl.review > div")
        }

    def announced(self) -> dict[str, str]:
        """Return the message that the page says will leave, or has left, the browser."""
        shown = self.one("pre.wire").get_attribute("textContent")
        message: dict[str, str] = json.loads(shown or "")
        return message

    def preview(self) -> dict[str, str]:
        """Open "See exactly what will leave your browser", and return the message."""
        self.to_review()
        if not self.one("form > details").get_property("open"):
            self.click("form > details > summary")
        return self.announced()

    def proceed(self) -> None:
        """Press the button that leads on, and wait for what it may ask the server first."""
        self.click("button[type=submit]")
        self.wait(lambda: not self.all("button[type=submit]:disabled"))

    def send(self) -> str:
        """Go on to the review, send, and return what became of the report."""
        self.to_review()
        self.proceed()
        return self.outcome()

    def outcome(self) -> str:
        """Wait for what became of the report."""
        self.wait(lambda: self.all("[data-outcome]"))
        return self.one("[data-outcome]").get_attribute("data-outcome") or ""

    def saved_receipt(self) -> dict[str, str]:
        """Press "Save the signed receipt", and return what the file holds."""
        self.driver.execute_script(
            "const make = URL.createObjectURL;"
            "URL.createObjectURL = (file) => {"
            "  file.text().then((text) => (window.kept = text));"
            "  return make.call(URL, file);"
            "};"
        )
        self.click("#receipt-signed")
        self.wait(lambda: self.driver.execute_script("return window.kept"))
        receipt: dict[str, str] = json.loads(self.driver.execute_script("return window.kept"))
        return receipt

    def look_for(self, receipt: Path) -> str:
        """Choose a receipt on the page of a board, and return what became of its report."""
        self.driver.execute_script(
            "document.getElementById('on-board').dataset.found = '';"
            "document.getElementById('receipt-file').click();"
        )
        self.one("#receipt-file").send_keys(str(receipt))
        self.wait(lambda: self.all("#on-board:not([data-found=''])"))
        return self.one("#on-board").get_attribute("data-found") or ""

    def remembered(self) -> dict[str, Any]:
        """Return everything that the page keeps on the device."""
        kept: dict[str, Any] = self.driver.execute_script("return {...localStorage}")
        return kept
