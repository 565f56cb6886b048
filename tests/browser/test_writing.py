"""A researcher writes a survey in the editor: a mistake, its mending, the cost, and publishing."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from deniable.server.desk.editor.starters import BLANK
from deniable.survey_file import read
from tests.browser.checks import problems
from tests.browser.chromium import chromium as started
from tests.browser.looks import Look, show_on
from tests.browser.page import PATIENCE, follow
from tests.browser.serving import Served, serving
from tests.browser.test_accessibility import check_with_axe
from tests.server.desk.urls import url_for

pytestmark = pytest.mark.promise("drafts")

LAST = BLANK.count("\n") + 1
"""The line after the text that a draft begins with."""


@pytest.fixture
def written() -> Iterator[tuple[Served, webdriver.Chrome]]:
    """Serve no survey at all, and open a browser that has signed in at the desk."""
    with serving() as served, started() as driver:
        served.enter_desk(driver)
        yield served, driver


def turn_to_text(desk: webdriver.Chrome) -> None:
    """Show a draft's text in place of its form."""
    wait = WebDriverWait(desk, PATIENCE)
    wait.until(lambda _: desk.find_element(By.ID, "tab-text").is_displayed())
    desk.find_element(By.ID, "tab-text").click()
    wait.until(lambda _: desk.find_element(By.ID, "editor").is_displayed())


def test_a_survey_is_written_mended_and_published(
    written: tuple[Served, webdriver.Chrome],
) -> None:
    served, desk = written
    wait = WebDriverWait(desk, PATIENCE)

    def press(*keys: str, control: str = "") -> None:
        actions = ActionChains(desk)
        if control:
            actions.key_down(Keys.CONTROL).send_keys(control).key_up(Keys.CONTROL)
        actions.send_keys(*keys).perform()

    def editor(selector: str) -> list[WebElement]:
        root = desk.find_element(By.ID, "editor").shadow_root
        return root.find_elements(By.CSS_SELECTOR, selector)

    def found(selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)"
        return list(desk.execute_script(script, f"#checked {selector}"))

    follow(desk, "main a[href$=drafts]")
    check_with_axe(desk)
    desk.find_element(By.CSS_SELECTOR, "form.choice button").click()
    turn_to_text(desk)
    # A mistake is shown where it is, as one types.
    editor(".cm-content")[0].click()
    press("order: rando", Keys.ESCAPE, control=Keys.END)
    wait.until(lambda _: found(f'li[data-line="{LAST}"][data-column="8"]'))
    assert [one.text for one in editor(".cm-lintRange-error")] == ["rando"]
    assert not found("tbody tr")
    for look in (Look(375, "dark"), Look(1280, "light")):
        show_on(desk, look)
        check_with_axe(desk)
        assert not any(problems(desk, "no wider than the screen").values())
    # The button beside it leads there, and completion mends it.
    desk.find_element(By.CSS_SELECTOR, "#checked li button").click()
    press(Keys.END)
    press(control=Keys.SPACE)
    wait.until(lambda _: editor(".cm-tooltip-autocomplete li"))
    time.sleep(0.2)  # so soon after it has opened, the list takes no key
    press(Keys.ENTER)
    wait.until(lambda _: found("tbody tr"))
    assert editor(".cm-line")[LAST - 1].text == "order: random"
    # The cost follows the number of people.
    (before,) = found("tbody tr td[data-label=Interval]")
    desk.find_element(By.ID, "tab-form").click()
    wait.until(lambda _: desk.find_element(By.ID, "plan-people").is_displayed())
    desk.find_element(By.ID, "plan-people").send_keys("4000", Keys.TAB)
    wait.until(lambda _: found("tbody tr td[data-label=Interval]") != [before])
    (width,) = found("tbody tr td[data-label=Interval]")
    assert float(width[1:4]) == pytest.approx(float(before[1:4]) / 2, abs=0.1)
    # Saving stays on the page, and publishing asks first.
    press(control="s")
    wait.until(lambda _: desk.find_element(By.ID, "saved").text)
    desk.find_element(By.ID, "publish").click()
    wait.until(lambda _: desk.current_url.endswith("/publish"))
    check_with_axe(desk)
    desk.find_element(By.ID, "publish").click()
    wait.until(lambda _: desk.current_url.endswith(url_for("collection.page", slug="my-survey")))
    log = desk.get_log("browser")  # type: ignore[no-untyped-call]  # selenium's gap
    assert [entry for entry in log if entry["level"] == "SEVERE"] == []
    desk.get(desk.find_element(By.CSS_SELECTOR, ".link .copy").text)
    assert desk.find_element(By.TAG_NAME, "h1").text == "My survey"
    assert not desk.current_url.startswith(served.desk)


STUDY = {
    "direct": ("In which field do you work?", "Humanities\nLife\nNatural\nSocial"),
    "single": ("Did your superviser know?", "No\nYes\nI had none"),
    "many": ("What have you done?", "Left data out\nStopped early\nRounded p"),
    "number": ("What do you earn, in euros?", None),
    "statement": ("Which is true of you?", None),
    "grid": ("How often?", "Never\nOnce\nOften"),
}
"""By kind: words and answers; with the question of a new draft they are seven."""


@dataclass
class Walk:
    """A desk in a browser, and each click, key command and filled field there."""

    desk: webdriver.Chrome
    steps: list[str] = field(default_factory=list)

    def one(self, selector: str) -> WebElement:
        """Wait until an element is shown."""
        wait = WebDriverWait(self.desk, PATIENCE)
        found = wait.until(
            lambda _: next((one for one in self.all(selector) if one.is_displayed()), None)
        )
        assert found is not None
        return found

    def all(self, selector: str) -> list[WebElement]:
        return self.desk.find_elements(By.CSS_SELECTOR, selector)

    def seen(self, selector: str) -> WebElement:
        self.steps.append(selector)
        found = self.one(selector)
        self.desk.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
        return found

    def click(self, selector: str) -> None:
        self.seen(selector).click()

    def type(self, selector: str, text: str) -> None:
        self.seen(selector).send_keys(Keys.CONTROL, "a", Keys.NULL, text, Keys.TAB)

    def choose(self, selector: str, value: str) -> None:
        Select(self.seen(selector)).select_by_value(value)

    def publish(self) -> None:
        self.click("#publish")
        wait = WebDriverWait(self.desk, PATIENCE)
        wait.until(lambda _: self.desk.current_url.endswith("/publish"))
        self.click("#publish")
        there = url_for("collection.page", slug="my-survey")
        wait.until(lambda _: self.desk.current_url.endswith(there))


def write(walk: Walk) -> None:
    """Write the questions of the study, one of which is moved, and one deleted by mistake."""
    walk.click("form.choice button")
    walk.type("#first-title", "Practices")
    walk.type("#first-introduction", "A study of what researchers do.")
    walk.type("#first-organisation", "Institute of Metascience")
    walk.type("#q-first-text", "Have you changed a hypothesis after the results?")
    for at, (kind, (words, answers)) in enumerate(STUDY.items(), start=1):
        walk.click(f"#add-{kind}")
        walk.type(f"#q-q{at}-text", words)
        if answers:
            walk.type(f"#q-q{at}-answers", answers)
    walk.choose("#q-q2-ask_if-new-item", "first")
    walk.type("#q-q4-max", "200")
    walk.type("#q-q5-statements", "I made data up\nI never made data up")
    walk.seen("#q-q1-handle").send_keys(Keys.ARROW_UP)
    walk.one("#cards > li:first-child#q-q1")
    assert walk.desk.switch_to.active_element.get_attribute("id") == "q-q1-handle"
    walk.click("#q-q6-remove")
    walk.one("#cards > li:last-child#q-q5")
    walk.click("#undo")
    walk.one("#q-q6")
    walk.type("#plan-people", "800")
    walk.click("#whole summary")
    slide = (
        "arguments[0].value = 6; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))"
    )
    walk.desk.execute_script(slide, walk.seen("#whole-epsilon"))


def translate(walk: Walk) -> None:
    """Fill the column of a second language."""
    walk.click("#tab-languages")
    walk.choose("#new-language", "de")
    walk.click("#add-language")
    walk.one("#languages textarea[lang=de]")
    for cell in walk.all("#languages textarea[lang=de]"):
        id = str(cell.get_attribute("id"))
        if not cell.get_attribute("value") and "organisation" not in id:
            walk.type(f"#{id}", f"Deutsch {id}")


@pytest.mark.slow
def test_a_study_in_two_languages_is_made_and_corrected_in_the_form_alone(
    written: tuple[Served, webdriver.Chrome],
) -> None:
    served, desk = written
    walk = Walk(desk)
    follow(desk, "main a[href$=drafts]")
    write(walk)
    check_with_axe(desk)
    translate(walk)
    check_with_axe(desk)
    walk.publish()
    # A typo is found: its translation is marked, and the rest stays.
    walk.click(f'form[action$="{url_for("editor.edit", slug="my-survey")}"] button')
    walk.click("#q-q2-card summary")
    walk.type("#q-q2-text", "Did your supervisor know?")
    walk.click("#tab-languages")
    walk.one("#languages .mark")
    assert [mark.text for mark in walk.all("#languages .mark")].count("out of date") == 1
    walk.publish()
    with served.opened() as store:
        survey = store.survey("my-survey")
        kept = store.source(survey.slug, survey.revision)
    assert [one.id for one in survey.questions] == [
        "q1",
        "first",
        *(f"q{at}" for at in range(2, 7)),
    ]
    assert survey.languages == ("en", "de")
    assert "superviser" not in kept
    assert read(kept).plan.people == 800
    assert len(walk.steps) <= 70, len(walk.steps)
