"""A researcher writes a survey in the editor: a mistake, its mending, the cost, and publishing."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from deniable.server.desk.editor.starters import BLANK
from tests.browser.checks import problems
from tests.browser.chromium import chromium as started
from tests.browser.looks import SEEN_WHOLE, Look, show_on
from tests.browser.page import PATIENCE
from tests.browser.serving import Served, serving
from tests.browser.test_accessibility import check_with_axe
from tests.kit import url_for

pytestmark = pytest.mark.promise("drafts")

TO = """for (let up = arguments[0]; up; up = up.parentElement) if ("open" in up) up.open = true;
    arguments[0].focus()"""
"""Opens the card that a control is in, of which one at a time is open, and goes there."""

PRESS = "document.getElementById(arguments[0]).click()"

LAST = BLANK.count("\n") + 1
"""The line after the text that a draft begins with."""


def waiting(desk: webdriver.Chrome) -> WebDriverWait[webdriver.Chrome]:
    """Wait, also while the page is loaded anew between finding an element and reading it."""
    return WebDriverWait(desk, PATIENCE, ignored_exceptions=[StaleElementReferenceException])


@pytest.fixture
def written() -> Iterator[tuple[Served, webdriver.Chrome]]:
    """Serve no survey at all, and open a browser that has signed in at the desk."""
    with serving() as served, started() as driver:
        served.enter_desk(driver)
        yield served, driver


@pytest.fixture
def desk(written: tuple[Served, webdriver.Chrome]) -> webdriver.Chrome:
    """Begin a draft, and wait for its form."""
    _, desk = written
    desk.find_element(By.CSS_SELECTOR, "#write button").click()
    waiting(desk).until(lambda _: desk.find_element(By.ID, "add").is_displayed())
    return desk


def test_a_survey_is_written_and_published(written: tuple[Served, webdriver.Chrome]) -> None:
    served, desk = written
    wait = waiting(desk)

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

    check_with_axe(desk)
    desk.find_element(By.CSS_SELECTOR, "#write button").click()
    wait.until(lambda _: desk.find_element(By.ID, "tab-text").is_displayed())
    desk.find_element(By.ID, "tab-text").click()
    wait.until(lambda _: desk.find_element(By.ID, "editor").is_displayed())
    # A mistake is shown where it is, as one types.
    editor(".cm-content")[0].click()
    press("order: rando", control=Keys.END)
    wait.until(lambda _: found(f'li[data-line="{LAST}"][data-column="8"]'))
    assert [one.text for one in editor(".cm-lintRange-error")] == ["rando"]
    # What it cost before the mistake stays, and says so.
    assert found("#costs.old tbody tr")
    for look in (Look(375, "dark"), Look(1280, "light")):
        show_on(desk, look)
        check_with_axe(desk)
        assert not any(problems(desk, "no wider than the screen").values())
    # The button beside it leads there.
    desk.find_element(By.CSS_SELECTOR, "#checked li a").click()
    press(Keys.END)
    press("m")
    wait.until(lambda _: found("tbody tr") and not found("#costs.old"))
    assert editor(".cm-line")[LAST - 1].text == "order: random"
    # The cost follows the number of people.
    (before,) = found("tbody tr td[data-label=Interval]")
    desk.find_element(By.ID, "tab-form").click()
    wait.until(lambda _: desk.find_element(By.ID, "plan-card").is_displayed())
    desk.find_element(By.CSS_SELECTOR, "#plan-card > summary").click()
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
    wait.until(lambda _: desk.find_element(By.TAG_NAME, "h1").text == "My survey")
    assert not desk.current_url.startswith(served.desk)


def test_keys_alone_change_the_questions(desk: webdriver.Chrome) -> None:
    """What has the focus keeps it, or hands it to what takes its place."""
    wait = WebDriverWait(desk, PATIENCE, 0.05)
    listed = "return [...document.querySelectorAll('#cards > li')].map((one) => one.id.slice(2))"

    def press(id: str, *keys: str, then: list[str], focus: str) -> None:
        one = desk.switch_to.active_element
        if id:
            one = wait.until(lambda _: desk.find_element(By.ID, id))
            desk.execute_script(TO, one)
        one.send_keys(*keys)
        wait.until(lambda _: desk.execute_script(listed) == then)
        wait.until(lambda _: desk.switch_to.active_element.get_attribute("id") == focus)

    press("add", Keys.ENTER, then=["q1"], focus="add")
    press("add-single", Keys.ENTER, then=["q1", "q2"], focus="q-q2-text")
    press("q-q2-handle", Keys.ARROW_UP, then=["q2", "q1"], focus="q-q2-handle")
    press("q-q1-up", Keys.SPACE, then=["q1", "q2"], focus="q-q1-handle")
    press("q-q1-copy", Keys.ENTER, then=["q1", "q3", "q2"], focus="q-q3-text")
    press("q-q3-remove", Keys.ENTER, then=["q1", "q2"], focus="q-q2-handle")
    assert "Undo brings it back" in desk.find_element(By.ID, "saved").text
    press("", Keys.CONTROL, "z", then=["q1", "q3", "q2"], focus="q-q2-handle")
    typed = (Keys.CONTROL, "a", Keys.NULL, "ill", Keys.ENTER)
    press("q-q2-id", *typed, then=["q1", "q3", "ill"], focus="q-ill-id")
    assert desk.find_element(By.ID, "q-ill-card").get_attribute("open") is not None


def test_what_is_typed_stays_while_a_name_follows(desk: webdriver.Chrome) -> None:
    """Letter by letter nothing is renamed; then the next field keeps focus and letters."""
    wait = WebDriverWait(desk, PATIENCE, 0.05)
    cards = "return [...document.querySelectorAll('#cards > li')].map((one) => one.dataset.id)"
    field = desk.find_element(By.ID, "q-q1-text")
    desk.execute_script(TO, field)
    field.send_keys(Keys.CONTROL, "a", Keys.NULL, "Did you sign?")
    time.sleep(0.5)
    assert desk.execute_script(cards) == ["q1"]
    more = desk.find_element(By.ID, "more-q-q1-answers")
    more.click()
    more.send_keys("Of")
    wait.until(lambda _: desk.execute_script(cards) == ["sign"])
    there = desk.switch_to.active_element
    assert there.get_attribute("id") == "more-q-sign-answers"
    there.send_keys("ten")
    assert (there, there.get_attribute("value")) == (more, "Often")
    often = "q-sign-answers-often"
    # Saved, and left before the desk has answered: it is one answer, and one Undo removes it.
    there.send_keys(Keys.CONTROL, "s", Keys.NULL, Keys.TAB)
    wait.until(lambda _: desk.find_elements(By.ID, often))
    wait.until(lambda _: desk.find_element(By.ID, "saved").text == "Saved.")
    assert len(desk.find_elements(By.CSS_SELECTOR, "#cards .lines > li")) == 3
    desk.find_element(By.ID, "undo").click()
    wait.until(lambda _: not desk.find_elements(By.ID, often))
    desk.find_element(By.ID, "undo").click()
    wait.until(lambda _: desk.execute_script(cards) == ["q1"])


@pytest.mark.slow
def test_two_questions_become_one_answer(desk: webdriver.Chrome) -> None:
    """The first tick says nothing yet: what is edited after it must reach the desk as well."""
    wait = waiting(desk)
    desk.execute_script(PRESS, "add-single")
    ticks = [f"whole-together-1-{place}" for place in (1, 2)]
    wait.until(lambda _: desk.find_elements(By.ID, ticks[1]))
    # What the desk has said last.
    drawn = "return [...document.querySelectorAll('#form :is(:default, option:default)')]"
    for id in ticks:
        desk.execute_script(PRESS, id)
        time.sleep(0.3)
    wait.until(lambda _: {*ticks} <= {*desk.execute_script(f"{drawn}.map(({{ id }}) => id)")})
    # Two at once: what comes back of the first knows nothing of the second.
    desk.execute_script(
        "for (const [name, value] of [['order', 'random'], ['pages', 'one']]) {"
        " const one = document.getElementById(`whole-${name}`); one.value = value;"
        " for (const type of ['input', 'change'])"
        "  one.dispatchEvent(new Event(type, { bubbles: true })); }"
    )
    values = f"{drawn}.map(({{ value }}) => value)"
    wait.until(lambda _: {"random", "one"} <= {*desk.execute_script(values)})


@pytest.mark.slow
def test_undo_goes_back_beyond_a_chosen_way(desk: webdriver.Chrome) -> None:
    wait, text = waiting(desk), "return editing.text.value"
    page = desk.current_url
    desk.execute_script(PRESS, "add-single")
    wait.until(lambda _: desk.find_elements(By.ID, "whole-together-1-2"))
    desk.execute_script(PRESS, "find")
    button = (By.CSS_SELECTOR, "#ways-table ~ tbody button")
    wait.until(lambda _: desk.find_elements(*button))
    before = desk.execute_script("return document.querySelector('[data-before]').dataset.before")
    desk.find_element(*button).click()
    wait.until(lambda _: desk.find_elements(By.CSS_SELECTOR, "p.done"))
    desk.get(page)
    saved = wait.until(lambda _: desk.find_element(By.ID, "saved"))
    wait.until(lambda _: "Undo goes back" in saved.text)
    assert desk.execute_script(text) != before
    desk.execute_script(PRESS, "undo")
    wait.until(lambda _: saved.text == "Saved.")
    desk.get(page)
    assert desk.execute_script(text) == before


@pytest.mark.slow
def test_no_press_loses_a_follow_up(desk: webdriver.Chrome) -> None:
    wait = waiting(desk)

    def needs(part: str) -> WebElement:
        return desk.find_element(By.CSS_SELECTOR, f"#cards > li:last-child .need {part}")

    desk.find_element(By.ID, "add").click()
    desk.find_element(By.ID, "add-yes_no").click()
    wait.until(lambda _: desk.find_elements(By.CSS_SELECTOR, "#cards > li:last-child .need"))
    wait.until(lambda _: needs("select").is_displayed())
    text = desk.find_element(By.ID, "text")
    assert not text.is_displayed()
    needs("option:nth-child(2)").click()
    # Nothing is ticked for the author, so that a press ticks.
    wait.until(lambda _: desk.find_elements(By.CSS_SELECTOR, ".need input"))
    assert not needs("input").is_selected()
    shown = "#cards > li:last-child .a-needs > .wrong"
    wait.until(lambda _: desk.find_elements(By.CSS_SELECTOR, shown))
    # Before the author leaves the group, no red says that nothing is ticked.
    red = f"{shown}, #verdict, #remarks, #cards > li:last-child summary > .wrong"
    needs("select").send_keys(Keys.TAB)
    assert not any(one.is_displayed() for one in desk.find_elements(By.CSS_SELECTOR, red))
    desk.find_element(By.ID, "study-name").click()
    assert "choose one or more" in desk.find_element(By.CSS_SELECTOR, shown).text
    for ticked in (True, False, True):
        needs("input").click()
        wait.until(lambda _: bool(desk.find_elements(By.CSS_SELECTOR, shown)) != ticked)  # noqa: B023  now
        assert needs("input").is_selected() == ticked
        assert needs("select").get_attribute("value") != ""


ONCE_SENT = """
    const [sent, ask] = [arguments[0], window.fetch];
    window.fetch = async (...asked) => {
      const answer = await ask(...asked);
      sent();
      await new Promise((go) => setTimeout(go, 3000));
      return answer;
    };"""
"""Waits until the desk has kept a text; its answer stays on the way."""


def test_a_slow_answer_is_nobody_else_s_change(desk: webdriver.Chrome) -> None:
    title = desk.find_element(By.ID, "first-title")
    title.send_keys(Keys.CONTROL, "a", Keys.NULL, "First", Keys.TAB)
    desk.execute_async_script(ONCE_SENT)
    title.send_keys(Keys.CONTROL, "a", Keys.NULL, "Second", Keys.TAB)
    desk.find_element(By.ID, "publish").click()
    waiting(desk).until(lambda _: desk.current_url.endswith("/publish"))
    assert "Second" in desk.find_element(By.TAG_NAME, "main").text


@pytest.mark.slow
def test_each_answer_keeps_its_line_or_says(
    written: tuple[Served, webdriver.Chrome], desk: webdriver.Chrome
) -> None:
    """Answers are renamed, moved, deleted and added; a comment goes only if somebody saves."""
    served, _ = written
    wait = WebDriverWait(desk, PATIENCE, 0.05)
    saved = desk.execute_script("return editing.text.value")
    commented = saved.replace("answers: [No, Yes]", "answers:\n    - No # not yet\n    - Yes\n")
    with served.opened() as store:
        (draft,) = store.drafts()
        store.keep_draft(replace(draft, text=commented))
    desk.refresh()
    listed = "return [...document.querySelectorAll('#q-q1-answers textarea')]"

    def press(id: str, *keys: str, then: list[str], focus: str) -> None:
        one = wait.until(lambda _: desk.find_element(By.ID, id))
        desk.execute_script(TO, one)
        one.send_keys(*keys)
        wait.until(lambda _: desk.execute_script(f"{listed}.map(({{ value }}) => value)") == then)
        wait.until(lambda _: desk.switch_to.active_element.get_attribute("id") == focus)

    typed = (Keys.CONTROL, "a", Keys.NULL, "Yes, once", Keys.TAB)
    renamed = "q-q1-answers-yes_once"
    press("q-q1-answers-yes-text", *typed, then=["No", "Yes, once"], focus=f"{renamed}-drop")
    handle = f"{renamed}-handle"
    press(handle, Keys.ARROW_UP, then=["Yes, once", "No"], focus=handle)
    more, four = ("Often\nNow", Keys.SHIFT, Keys.TAB), ["Yes, once", "No", "Often", "Now"]
    press("more-q-q1-answers", *more, then=four, focus="q-q1-answers-no-drop")
    assert desk.find_element(By.ID, "lost").text == ""
    press(
        "q-q1-answers-no-drop",
        Keys.ENTER,
        then=[four[0], *four[2:]],
        focus="q-q1-answers-often-text",
    )
    lost = desk.find_element(By.ID, "lost")
    assert lost.find_element(By.TAG_NAME, "code").text == "# not yet"
    for look in (Look(375, "dark"), Look(1280, "light")):
        show_on(desk, look)
        check_with_axe(desk)
        assert not any(problems(desk, "no wider than the screen").values())
    # Nothing of it is saved by itself: not even after the time that a draft is saved in.
    time.sleep(1.5)
    with served.opened() as store:
        assert "No # not yet" in store.draft(draft.id).text
    desk.find_element(By.ID, "save").click()
    wait.until(lambda _: "Saved" in desk.find_element(By.ID, "saved").text)
    assert lost.text == ""
    with served.opened() as store:
        assert "    - Yes, once\n    - Often\n    - Now\n" in store.draft(draft.id).text


@pytest.mark.slow
def test_lines_typed_in_haste_are_added_once(desk: webdriver.Chrome) -> None:
    """Two fields of one list are left before the desk has answered of either."""
    desk.execute_script(
        """
        for (const [id, said] of arguments[0]) {
          const field = document.getElementById(id);
          field.value = said;
          for (const type of ["input", "change"])
            field.dispatchEvent(new Event(type, { bubbles: true }));
        }
        """,
        [
            ["first-title", "Haste"],
            ["q-q1-answers-yes-text", "Often"],
            ["more-q-q1-answers", "Rarely\nNever"],
        ],
    )

    def lines(_: object = None) -> list[str]:
        areas = desk.find_elements(By.CSS_SELECTOR, "#q-q1-answers textarea")
        return [str(one.get_attribute("value")) for one in areas]

    wait = waiting(desk)
    wait.until(lambda _: len(lines()) > 3 and desk.find_element(By.ID, "saved").text == "Saved.")
    assert lines() == ["No", "Often", "Rarely", "Never"]


@pytest.mark.slow
def test_a_changed_field_loses_its_old_mistake(desk: webdriver.Chrome) -> None:
    wait = waiting(desk)
    typed = """
        const field = document.getElementById("plan-within");
        field.value = arguments[0];
        field.dispatchEvent(new Event("input", { bubbles: true }));
        return document.querySelectorAll("#plan-within-field .wrong, #remarks li").length
        """
    for wrong in ("many", "few"):  # what is wrong again is said again
        assert desk.execute_script(typed, wrong) == 0
        found = (By.CSS_SELECTOR, "#plan-within-field .wrong")
        wait.until(lambda _: desk.find_elements(*found))  # noqa: B023  now


def test_the_phone_follows_the_open_card(
    written: tuple[Served, webdriver.Chrome], request: pytest.FixtureRequest
) -> None:
    show_on(written[1], Look(375, "light"))  # which the draft begins on
    desk: webdriver.Chrome = request.getfixturevalue("desk")
    show_on(desk, Look(1280, "light"))
    # The frame may be replaced in this very moment.
    wait = WebDriverWait(desk, PATIENCE, ignored_exceptions=[WebDriverException])

    def shows(words: str) -> None:
        def seen(_: object) -> bool:
            desk.switch_to.default_content()
            phones = desk.find_elements(By.CSS_SELECTOR, "#beside iframe")
            desk.switch_to.frame(phones[-1])
            return words in desk.execute_script("return document.body.innerText")

        wait.until(seen)
        desk.switch_to.default_content()

    shows("Say in a few words")
    desk.find_element(By.ID, "add").click()
    desk.find_element(By.ID, "add-number").click()
    shows("Your question")
    desk.find_element(By.CSS_SELECTOR, "#q-q1-card > summary").click()
    shows("Have you ever")
    opened = desk.find_elements(By.CSS_SELECTOR, "#form > .card[open], #cards .card[open]")
    assert [one.get_attribute("id") for one in opened] == ["q-q1-card"]


def test_the_count_leads_on_and_its_button_helps(desk: webdriver.Chrome) -> None:
    wait = waiting(desk)
    desk.find_element(By.CSS_SELECTOR, "#whole:not([open]) > summary").click()
    desk.find_element(By.ID, "whole-waves-count").send_keys("2", Keys.TAB)
    count = (By.CSS_SELECTOR, "#verdict a")
    wait.until(lambda _: desk.find_elements(*count))
    # Of waves one field is enough.
    assert desk.find_element(By.ID, "whole-waves-redraw").get_attribute("value") == "1/10"
    assert not desk.find_elements(By.CSS_SELECTOR, "#whole .wrong")
    desk.execute_script("document.getElementById('whole').open = false")
    desk.find_element(*count).click()
    focused = desk.switch_to.active_element
    assert focused.get_attribute("id") == "whole-waves-redraw"
    assert focused.is_displayed()
    # What the warning says stands there, and the field is described by it.
    beside = (By.ID, focused.get_attribute("aria-describedby") or "")
    assert "People will read, in red" in desk.find_element(*beside).text
    take = desk.find_element(By.ID, "whole-waves-redraw-free")
    chance = take.get_attribute("value")
    desk.execute_script("arguments[0].click()", take)
    redraw = (By.ID, "whole-waves-redraw")
    wait.until(lambda _: desk.find_element(*redraw).get_attribute("value") == chance)
    wait.until(lambda _: not desk.find_elements(*beside))
    title = desk.find_element(By.ID, "first-title")
    desk.execute_script("arguments[0].select()", title)
    title.send_keys("Exams", Keys.TAB)
    wait.until(lambda _: desk.title.startswith("Exams: draft"))
    # The warning comes into sight, and not only the field above it.
    desk.execute_script("document.getElementById('plan-card').open = true")
    people = desk.find_element(By.ID, "plan-people")
    people.send_keys(Keys.CONTROL, "a", Keys.NULL, "20", Keys.TAB)
    wide = (By.CSS_SELECTOR, ".protection p.warning")
    wait.until(lambda _: desk.find_elements(*wide))
    desk.find_element(*count).click()
    said = desk.find_element(*wide)
    assert "Too wide to be of use" in said.text
    wait.until(lambda _: desk.execute_script(SEEN_WHOLE, wide[1]))
