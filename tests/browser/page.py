"""The respondent's page, as a person uses it."""

import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 20
"""Seconds to wait for what a page should do at once."""

NAMES = """
const placed = (selector) => selector.replace(/#([a-z][a-z0-9_]*)/g, (id, name) => {
    const field = document.querySelector(`fieldset[data-question="${name}"]`);
    return field ? `#${field.id}` : id;
});
const named = (id) => {
    const field = document.getElementById(id)?.closest("fieldset[data-question]");
    return field ? field.dataset.question + id.slice(field.id.length) : id;
};
"""
"""Elements have ids by the place of their question; tests say its id in the survey instead."""

PRESS = f"""
{NAMES}
const press = (selector) => {{
    const one = document.querySelector(placed(selector));
    // In a frame, or where a link leads, it is for the mouse, which waits for the page.
    if (one === null || one.closest("a")) return false;
    one.scrollIntoView({{ block: "center" }});
    const {{ left, top, width, height }} = one.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!one.contains(hit)) throw new Error("nobody can press it");
    one.focus();
    one.click();
    return true;
}};
"""

GO_ON = """
const goOn = async (ids, selector) => {
    if (document.getElementById("page-survey") === null) return null;
    const pause = (time) => new Promise((done) => setTimeout(done, time));
    let input;
    while (ids.length > 0 && (input = document.querySelector(placed(`#${ids[0]}`)))) {
        if (!input.checkVisibility()) press(`.answered:has(#${input.id}) button`);
        if (!input.checkVisibility()) throw new Error(`nobody can see ${input.id}`);
        input.click();
        ids.shift();
        // What it brings or takes away comes a turn later.
        await pause(0);
    }
    const there = ids.length === 0 && (selector === "" || document.querySelector(placed(selector)));
    if (there) return { ids, there: true, mistakes: [] };
    const button = "button[type=submit]";
    if (!press(button)) throw new Error("nothing leads on");
    const end = performance.now() + 20000;
    do await pause(5);
    while (document.querySelector(`${button}:disabled`) && performance.now() < end);
    const mistakes = [...document.querySelectorAll(".panel.warning li")]
        .filter((one) => one.checkVisibility()).map((one) => one.textContent);
    return { ids, there: false, mistakes };
};
"""
"""Tick what is here of the inputs of these ids; with more to come, press the button that leads on.

One call for each page of the survey: each costs as much as what it does there.
"""


def forget(driver: webdriver.Chrome, link: str) -> None:
    """Have the device forget all that the pages of a server keep."""
    if "chrome" not in driver.name:
        driver.get(link)
        driver.execute_script("localStorage.clear()")
        return
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(link))
    driver.execute_cdp_cmd(
        "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage"}
    )


def follow(driver: webdriver.Chrome, selector: str) -> None:
    """Press what leads to another page, and wait until that page is there.

    WebDriver may go on before the browser leaves the page: what comes next would look at the old
    one, or keep a form from being sent.
    """
    before, pressed = (driver.find_element(By.CSS_SELECTOR, one) for one in ("html", selector))
    if pressed.is_displayed():
        pressed.click()
    else:  # from a question nothing leads away but the address bar
        driver.execute_script("arguments[0].click()", pressed)
    WebDriverWait(driver, PATIENCE, 0.05).until(expected_conditions.staleness_of(before))


class Page:
    """The respondent's page of one survey."""

    def __init__(self, driver: webdriver.Chrome, link: str) -> None:
        self.driver = driver
        self.link = link

    def open(self) -> "Page":
        """Open the page, wait until it has asked, sent or refused, and return it."""
        # WebKit's driver comes back while the page that was open, often the same, still is.
        self.driver.execute_script("window.before = true")
        self.driver.get(self.link)
        opened = "return !window.before && document.querySelector('.starting') === null"
        self.wait(lambda: self.driver.execute_script(opened))
        return self

    def open_afresh(self) -> "Page":
        """Open the page on a device that remembers nothing, and return it."""
        forget(self.driver, self.link)
        return self.open()

    def cut_off(self) -> None:
        """Let the page that is open send nothing more.

        It tries again by itself, and a block is lifted before a page that is left is gone.
        """
        self.driver.execute_script("window.fetch = () => Promise.reject(new TypeError())")

    def wait(self, condition: Callable[[], object]) -> None:
        """Wait until something holds: look often at first, and less and less often then.

        What a look met while the page changed under it is no answer: it is raised at the end.
        """
        end, pause = time.monotonic() + PATIENCE, 0.01
        while True:
            met: WebDriverException | None = None
            try:
                if condition():
                    return
            except WebDriverException as error:
                met = error
            if time.monotonic() > end:
                raise TimeoutException from met
            time.sleep(pause)
            pause = min(1.5 * pause, 0.2)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, self.placed(selector))

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, self.placed(selector))

    def placed(self, selector: str) -> str:
        """Return a selector with the ids that elements have by the places of their questions."""
        if "#" not in selector:
            return selector
        return str(self.driver.execute_script(f"{NAMES} return placed(arguments[0])", selector))

    def is_there(self, selector: str) -> bool:
        """Return whether the page has one: in less time than `all` and `one` take."""
        script = f"{NAMES} return document.querySelector(placed(arguments[0])) !== null"
        return bool(self.driver.execute_script(script, selector))

    def text(self, selector: str = "main") -> str:
        return self.one(selector).text

    def texts(self, selector: str) -> list[str]:
        """Return what can be read of each, all at one moment: a page may draw itself anew."""
        texts: list[str] = self.driver.execute_script(
            f"{NAMES} return [...document.querySelectorAll(placed(arguments[0]))]"
            ".map((one) => one.checkVisibility() ? one.innerText : '')",
            selector,
        )
        return [one.replace("\xa0", " ").strip() for one in texts]

    def click(self, selector: str) -> None:
        """Press what stands there and is not covered.

        A script presses it, in a tenth of the time that a mouse takes: `point` is the mouse.
        """
        if not self._run(PRESS, f"press({json.dumps(selector)})"):
            self.point(selector)

    def _run(self, script: str, call: str) -> Any:
        """Run a script as if a person had done what it does, and return what a call returns."""
        if "chrome" not in self.driver.name:
            return self._run_by_driver(script, call)
        # To the browser it is a person's: it leads back only to pages that a person has left.
        done = self.driver.execute_cdp_cmd(
            "Runtime.evaluate",
            {
                "expression": f"{{ {script} {call} }}",
                "userGesture": True,
                "returnByValue": True,
                "awaitPromise": True,
            },
        )
        assert "exceptionDetails" not in done, (script, done)
        return done["result"].get("value")

    def _run_by_driver(self, script: str, call: str) -> Any:
        done = self.driver.execute_async_script(
            f"const [done] = arguments; {script} (async () => {call})()"
            ".then((value) => done({ value }), (error) => done({ error: String(error) }))"
        )
        assert "error" not in done, (call, done)
        return done.get("value")

    def point(self, selector: str) -> None:
        """Click by the mouse."""
        element = self.one(selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def answer(self, choices: list[str], typed: dict[str, str] | None = None) -> None:
        """Tick the inputs of these ids, and type into others, going on to their pages.

        A script ticks them, in a third of the time that a mouse takes: `point` is the mouse.
        """
        self._go_on(choices)
        for id, text in (typed or {}).items():
            self.find(id)
            self.one(f"#{id}").send_keys(text)

    def find(self, id: str) -> None:
        """Go on until the element of this id is on the page."""
        self._go_on([], f"#{id}")

    def to_review(self) -> None:
        """Go on until all answers are shown."""
        self._go_on([], "[data-answers]")

    def _go_on(self, ids: list[str], selector: str = "") -> None:
        """Tick inputs, and go on until something is on the page."""
        there = False
        while not there:
            script = PRESS + GO_ON, f"goOn({json.dumps(ids)}, {json.dumps(selector)})"
            # In a frame only the driver finds it.
            found = self._run(*script) or self._run_by_driver(*script)
            assert not found["mistakes"], self.text()
            ids, there = found["ids"], found["there"]

    def mistakes(self) -> list[str]:
        """Return what the summary above the page says is wrong."""
        shown: list[str] = self.driver.execute_script(
            "return [...document.querySelectorAll('.panel.warning li')]"
            ".filter((one) => one.checkVisibility()).map((one) => one.innerText.trim())"
        )
        return shown

    def unanswered(self) -> list[str]:
        """Return the ids of the questions that the page says are not answered."""
        fields: list[str] = self.driver.execute_script(
            "return [...document.querySelectorAll('fieldset.question.wrong')]"
            ".map(({ id, dataset }) => dataset.question ?? id)"
        )
        return fields

    def questions(self) -> list[str]:
        """Return the ids of the questions that can be seen."""
        fields: list[str] = self.driver.execute_script(
            "return [...document.querySelectorAll('fieldset.question')]"
            ".filter((one) => one.checkVisibility())"
            ".map(({ id, dataset }) => dataset.question ?? id)"
        )
        return fields

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

    def focused(self) -> str:
        """Return the id of what has the focus."""
        return str(self.driver.execute_script(f"{NAMES} return named(document.activeElement.id)"))

    def ticked(self) -> set[str]:
        """Return the ids of the inputs that are ticked."""
        ticked = "[...document.querySelectorAll('main input:checked')].map(({ id }) => named(id))"
        return {*self.driver.execute_script(f"{NAMES} return {ticked}")}

    def at_heading(self) -> str:
        """Return whose heading has the focus: the question's id, else the name of the screen."""
        return str(
            self.driver.execute_script(
                "const at = document.activeElement;"
                "const place = at.closest('fieldset') ?? at.closest('[data-screen]');"
                "const { screen, question } = place?.dataset ?? {};"
                "return at.tagName === 'H2' && place ? screen ?? question ?? place.id : ''"
            )
        )

    def show_answers(self) -> None:
        """Have the review show the answers, which it hides at first."""
        if self.is_there("[data-answers=hidden]"):
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
        """Return of each question in the review whether it is answered or kept."""
        self.show_answers()
        # As pairs: of an object the driver would sort the names.
        rows: list[tuple[str, str]] = self.driver.execute_script(
            "return [...document.querySelectorAll('dl.review > div')]"
            ".map(({ dataset }) => [dataset.question ?? '', dataset.state ?? ''])"
        )
        return dict(rows)

    def announced(self) -> dict[str, str]:
        """Return the message that the page says will leave, or has left, the browser."""
        shown = self.driver.execute_script("return document.querySelector('pre.wire').textContent")
        message: dict[str, str] = json.loads(shown)
        return message

    def preview(self) -> dict[str, str]:
        """Open "See the message, and what it tells", and return the message."""
        self.to_review()
        if not self.one("form > details").get_property("open"):
            self.click("form > details > summary")
        return self.announced()

    def proceed(self) -> None:
        """Press the button that leads on, and wait for what it may ask the server first."""
        self.click("button[type=submit]")
        self.wait(lambda: not self.is_there("button[type=submit]:disabled"))

    def send(self) -> str:
        """Go on to the review, send, and return what became of the report."""
        self.to_review()
        self.proceed()
        return self.outcome()

    def outcome(self) -> str:
        """Wait for what became of the report."""
        became = "return document.querySelector('[data-outcome]')?.dataset.outcome"
        self.wait(lambda: self.driver.execute_script(became) is not None)
        return str(self.driver.execute_script(became))

    def remembered(self) -> dict[str, Any]:
        """Return everything that the page keeps on the device."""
        kept: dict[str, Any] = self.driver.execute_script("return {...localStorage}")
        return kept
