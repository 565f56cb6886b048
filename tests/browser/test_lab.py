"""The lab in a real browser: what is turned is seen at once, kept in the address, and said."""

from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from deniable.lab.page import Page
from tests.browser.checks import CHECKS, axe_problems, nameless, problems
from tests.browser.chromium import chromium, requests
from tests.browser.conftest import serves
from tests.browser.desk_stations import OPEN_ALL
from tests.browser.looks import SEEN_WHOLE, Look, show_as_usual, show_on
from tests.browser.page import PATIENCE
from tests.browser.serving import Served
from tests.kit.surveys import EXAMPLES

pytestmark = pytest.mark.promise("lab")

ASKED = CHECKS.keys() - {"no asterisks", "an error is in the title", "targets of 44 pixels"}
"""The code has asterisks, titles of books have colons, and a desk is pointed at with a mouse."""


lab = serves(EXAMPLES / "classroom.yaml")


@pytest.fixture(scope="module")
def driver() -> Iterator[webdriver.Chrome]:
    with chromium() as driver:
        driver.set_window_size(1280, 1000)  # a narrow window's sliders stay below its pictures
        yield driver


def settle(driver: webdriver.Chrome, query: str = "") -> None:
    """Wait until the page shows what is set, without a guess if it asks for one."""
    driver.execute_script("document.getElementById('no-guess').click()")
    script = "return document.querySelector('form[data-lab]').dataset.shown ?? null"
    WebDriverWait(driver, PATIENCE).until(
        lambda _: (shown := driver.execute_script(script)) is not None and query in shown
    )


def seen(driver: webdriver.Chrome) -> dict[str, str]:
    """Return the values of the page, which are folded, by name."""
    rows = driver.find_elements(By.CSS_SELECTOR, "[data-value]")
    return {
        f"{row.get_attribute('data-value')}": text.replace("\u00a0", " ")
        for row in rows
        for text in [f"{row.find_element(By.TAG_NAME, 'dd').get_attribute('textContent')}"]
    }


def lab_page(slug: str) -> Page:
    # Every process of the browser's tests reads this file, and the pages take a second to load.
    from deniable.lab.pages import PAGES  # noqa: PLC0415

    return PAGES[slug]


def computed(page: Page, **given: str) -> dict[str, str]:
    return {value.name: value.text for value in page.shown(page.read(given)).values}


def complaints(driver: webdriver.Chrome) -> list[str]:
    """Return what the browser complained of, such as what the policy of the page forbids."""
    said = driver.get_log("browser")  # type: ignore[no-untyped-call]
    return [one["message"] for one in said]


@pytest.mark.slow
def test_what_keys_turn_is_kept_in_the_address(lab: Served, driver: webdriver.Chrome) -> None:
    page = lab_page("coins")
    driver.get(f"{lab.desk}/lab/coins?story=lie&truth=0.75")
    settle(driver)
    assert seen(driver) == computed(page, story="lie", truth="0.75")
    assert not driver.find_element(By.ID, "yes").is_displayed()
    requests(driver)
    # Faster than answers come: what is shown in the end is where the slider stands.
    driver.find_element(By.ID, "truth").send_keys(Keys.ARROW_RIGHT * 5)
    settle(driver, "truth=0.8")
    driver.find_element(By.ID, "truth").send_keys(Keys.ARROW_RIGHT)
    settle(driver, "truth=0.81")
    assert seen(driver) == computed(page, story="lie", truth="0.81")
    assert driver.find_element(By.CSS_SELECTOR, "output[for=truth]").text == "0.81"
    assert "story=lie" in driver.current_url
    assert "truth=0.81" in driver.current_url
    shown = page.shown(page.read({"story": "lie", "truth": "0.81"}))
    driver.execute_script(OPEN_ALL)
    assert driver.find_element(By.ID, "said").text == "\n".join(shown.said)
    assert driver.find_element(By.ID, "code").text == shown.code
    table = driver.find_element(By.CSS_SELECTOR, "[data-records=table] tbody").text
    assert table == "\n".join(" ".join(row) for row in shown.records[0].table.rows)
    table = driver.find_element(By.CSS_SELECTOR, "[data-picture=classes] tbody").text
    assert table == "\n".join(" ".join(row) for row in shown.pictures[1].table.rows)
    driver.refresh()
    settle(driver)
    assert seen(driver) == computed(page, story="lie", truth="0.81")
    assert axe_problems(driver) == []
    assert complaints(driver) == []


def marks(driver: webdriver.Chrome) -> tuple[int, int]:
    """Return how many people the first picture shows, and of how many the guess is."""
    people = driver.find_elements(By.CSS_SELECTOR, "#first .plot circle")
    return len(people), len(driver.find_elements(By.CSS_SELECTOR, "#first .guess path"))


@pytest.mark.slow
def test_the_picture_waits_dimmed_for_a_guess(lab: Served, driver: webdriver.Chrome) -> None:
    show_on(driver, Look(1280, "dark"), height=720)
    driver.get(f"{lab.desk}/lab/coins")
    first = driver.find_element(By.ID, "first")
    WebDriverWait(driver, PATIENCE).until(lambda _: first.find_elements(By.CLASS_NAME, "plot"))
    assert driver.execute_script(SEEN_WHOLE, "#first svg.plot")
    assert driver.execute_script(SEEN_WHOLE, "#guess")
    dim = "#first .plot > g:not(.guess)"
    assert driver.find_element(By.CSS_SELECTOR, dim).value_of_css_property("opacity") == "0.55"
    # All people are there, and who sends what cannot be seen yet; the guess is among them.
    assert marks(driver) == (200, 50)
    named = driver.find_element(By.CSS_SELECTOR, "#first .legend li:last-child")
    assert named.text == "where your guess goes"
    hollow = "#first .guess[fill=none] path"
    assert len(driver.find_elements(By.CSS_SELECTOR, hollow)) == 50
    assert not driver.find_elements(By.CSS_SELECTOR, ".plot > g:not(.guess) circle[fill*=tone]")
    driver.find_element(By.ID, "guessed").send_keys(Keys.ARROW_RIGHT)
    assert marks(driver) == (200, 51)
    named = driver.find_element(By.CSS_SELECTOR, "#first .legend li:last-child")
    assert named.text == "your guess"
    assert not driver.find_elements(By.CSS_SELECTOR, hollow)
    assert driver.find_element(By.ID, "waiting").is_displayed()
    assert driver.find_element(By.ID, "guess").get_attribute("aria-describedby") == "waiting"
    for hidden in ("#said", "#numbers", "#further", "#first table"):
        assert not driver.find_element(By.CSS_SELECTOR, hidden).is_displayed(), hidden
    assert axe_problems(driver) == []
    driver.find_element(By.ID, "guess").submit()
    assert marks(driver) == (200, 51)
    settle(driver)
    assert driver.find_element(By.CSS_SELECTOR, dim).value_of_css_property("opacity") == "1"
    assert driver.execute_script(SEEN_WHOLE, "#first svg.plot")
    assert driver.execute_script(SEEN_WHOLE, ".settings")
    assert not driver.find_element(By.ID, "waiting").is_displayed()
    # On a tablet the sliders stand beside the picture, and cover nothing of it.
    show_on(driver, Look(768, "dark"), height=1024)
    assert driver.execute_script(SEEN_WHOLE, "#first svg.plot")
    settings = driver.find_element(By.CLASS_NAME, "settings").rect
    assert settings["x"] + settings["width"] <= first.rect["x"]
    show_on(driver, Look(1280, "light"), height=1000)


@pytest.mark.slow
def test_settings_and_picture_are_in_sight_together(lab: Served, driver: webdriver.Chrome) -> None:
    from deniable.lab.pages import PAGES  # noqa: PLC0415  as below

    show_on(driver, Look(1280, "light"), height=720)
    for slug in PAGES:
        driver.get(f"{lab.desk}/lab/{slug}")
        WebDriverWait(driver, PATIENCE).until(
            lambda _: driver.find_elements(By.CSS_SELECTOR, "#first svg.plot")
        )
        for seen in ("#guess", ".settings", "#first svg.plot"):
            assert driver.execute_script(SEEN_WHOLE, seen), (slug, seen)
        driver.find_element(By.ID, "guess").submit()
        settle(driver)
        for seen in ("#outcome", ".settings", "#first svg.plot"):
            assert driver.execute_script(SEEN_WHOLE, seen), (slug, seen)
    # On a phone the picture is there at once, and the guess is asked for below it.
    show_on(driver, Look(360, "light"), height=740)
    driver.get(f"{lab.desk}/lab/names")
    WebDriverWait(driver, PATIENCE).until(
        lambda _: driver.find_elements(By.CSS_SELECTOR, "#first svg.plot")
    )
    picture = driver.find_element(By.CSS_SELECTOR, "#first svg.plot").rect
    assert picture["y"] + picture["height"] <= driver.find_element(By.ID, "guess").rect["y"]
    show_on(driver, Look(1280, "light"), height=1000)


def test_shares_are_in_percent(lab: Served, driver: webdriver.Chrome) -> None:
    driver.get(f"{lab.desk}/lab/adversary?prior=0.29")
    settle(driver)
    assert driver.find_element(By.CSS_SELECTOR, "output[for=prior]").text == "29 %"
    ticks = driver.find_elements(By.CSS_SELECTOR, "#first svg.plot text")
    assert [one.text for one in ticks].count("100 %") == 2


def test_more_is_folded_and_drawn_when_opened(lab: Served, driver: webdriver.Chrome) -> None:
    driver.get(f"{lab.desk}/lab/choosing?epsilon=0.2")
    settle(driver)
    titles = driver.find_elements(By.CSS_SELECTOR, ".part > summary :is(h2, h3)")
    assert [one.text for one in titles] == [
        *("Further pictures and tables", "The numbers", "The formula", "Exercises"),
        *("The code", "Sources"),
    ]
    assert not driver.find_elements(By.CSS_SELECTOR, ".part[open]")
    assert driver.find_elements(By.CSS_SELECTOR, "#first [data-picture=chances] svg.plot")
    titles[0].click()
    along = "#rest [data-picture=along] svg.plot"
    WebDriverWait(driver, PATIENCE).until(lambda _: driver.find_elements(By.CSS_SELECTOR, along))
    assert driver.find_element(By.CSS_SELECTOR, along).rect["width"] > 600


def test_a_guess_comes_first_then_one_answers(lab: Served, driver: webdriver.Chrome) -> None:
    page = lab_page("coins")
    driver.get(f"{lab.desk}/lab/coins")
    guess = driver.find_element(By.ID, "guess")
    WebDriverWait(driver, PATIENCE).until(lambda _: guess.is_displayed())
    name = driver.find_element(By.CSS_SELECTOR, "#first svg.plot").get_attribute("aria-label")
    told = f"{name} {driver.find_element(By.CSS_SELECTOR, '#first figcaption').text}"
    assert "waits for your guess" in told
    driver.find_element(By.ID, "guessed").send_keys(Keys.ARROW_RIGHT * 3)
    guess.submit()
    said = driver.find_element(By.ID, "outcome").text
    assert said == f"It is more. You guessed 53 of 100, and it is {computed(page)['if_true']}."
    settle(driver, "truth=0.5")
    (exercises,) = driver.find_elements(By.XPATH, "//summary[h3='Exercises']")
    exercises.click()
    for place, typed, verdict, is_open in (
        (0, "many", "Type a number, such as 12.5 or 1/20.", False),
        (0, "29,5", "Not so. Try again", False),
        (0, "0.3 %", "Not so. The answer says why.", True),
        (0, "30 %", "Right.", True),
        (3, None, "Right.", True),
    ):
        exercise = driver.find_elements(By.CSS_SELECTOR, "form.exercise")[place]
        if typed is not None:
            field = exercise.find_element(By.NAME, "said")
            field.clear()
            field.send_keys(typed)
        else:
            right = exercise.get_attribute("data-right")
            (option,) = exercise.find_elements(By.CSS_SELECTOR, f"[value='{right}']")
            driver.execute_script("arguments[0].click()", option)
        driver.execute_script("arguments[0].requestSubmit()", exercise)
        assert exercise.find_element(By.CSS_SELECTOR, ".verdict").text.startswith(verdict)
        answer = exercise.find_element(By.CSS_SELECTOR, ":scope > details p")
        assert answer.is_displayed() is is_open
    driver.refresh()
    settle(driver)
    assert not driver.find_element(By.ID, "guess").is_displayed()
    assert complaints(driver) == []


@pytest.mark.slow
def test_keys_edit_a_table_and_show_differences(lab: Served, driver: webdriver.Chrome) -> None:
    page = lab_page("again")
    driver.get(f"{lab.desk}/lab/again?what=tables")
    settle(driver)
    # What moves the numbers alone stands above them, in their fold.
    driver.find_element(By.CSS_SELECTOR, "#numbers summary").click()
    cells = driver.find_elements(By.CSS_SELECTOR, "select[name=tables]")
    letters = "".join(f"{cell.get_attribute('value')}" for cell in cells)
    assert seen(driver) == computed(page, what="tables", tables=letters)
    # Fay, who is in both tables, leaves the second one; the address has all cells as one word.
    changed = f"{letters[:-1]}a"
    cells[-1].send_keys(Keys.ARROW_DOWN)
    settle(driver, f"tables={changed}")
    assert f"tables={changed}" in driver.current_url
    assert seen(driver) == computed(page, what="tables", tables=changed)
    driver.find_element(By.ID, "how").send_keys(Keys.ARROW_DOWN * 2)
    settle(driver, "how=all")
    shown = page.shown(page.read({"what": "tables", "tables": changed, "how": "all"}))
    driver.execute_script(OPEN_ALL)
    table = driver.find_element(By.CSS_SELECTOR, "[data-records=channel] tbody").text
    assert table == "\n".join(" ".join(row) for row in shown.records[0].table.rows)
    driver.refresh()
    settle(driver)
    assert seen(driver) == computed(page, what="tables", tables=changed, how="all")
    driver.get(f"{lab.desk}/lab/totals")
    settle(driver)
    driver.execute_script(OPEN_ALL)
    (marked,) = driver.find_elements(By.CSS_SELECTOR, "[data-records=tracker] tr.marked")
    totals = lab_page("totals")
    (tracker,) = totals.shown(totals.read({})).records
    assert marked.text == " ".join(tracker.table.rows[tracker.marked[0]])
    assert complaints(driver) == []


@pytest.mark.slow
def test_every_page_can_be_used_by_everybody(lab: Served, driver: webdriver.Chrome) -> None:
    from deniable.lab.pages import PAGES  # noqa: PLC0415  as above

    for slug in ("", *PAGES):
        check_that_everybody_can_use(lab, driver, slug)


def check_that_everybody_can_use(lab: Served, driver: webdriver.Chrome, slug: str) -> None:
    requests(driver)
    driver.get(f"{lab.desk}/lab/{slug}" if slug else f"{lab.desk}/lab")
    if slug:
        settle(driver)
        assert seen(driver) == computed(lab_page(slug))
        for picture in driver.find_elements(By.CSS_SELECTOR, ".drawing svg.plot"):
            assert picture.rect["width"] > 100
            drawn = "path[d*='L'], circle, rect, path[d*='C']"
            assert picture.find_elements(By.CSS_SELECTOR, drawn)
    else:
        dots = "#try svg.plot circle"
        WebDriverWait(driver, PATIENCE).until(
            lambda _: len(driver.find_elements(By.CSS_SELECTOR, dots)) == 100
        )
        driver.find_element(By.ID, "no").click()
        assert driver.find_element(By.ID, "came").is_displayed()
        assert len(driver.find_elements(By.CSS_SELECTOR, dots)) == 100
        assert len(driver.find_elements(By.CSS_SELECTOR, ".chapters .card")) == 4
    for place, look in enumerate((Look(375, "dark"), Look(1280, "light"))):
        show_on(driver, look)
        driver.execute_script(OPEN_ALL)
        assert axe_problems(driver, colours_alone=place > 0) == [], slug
        found = problems(driver, *ASKED)
        assert {check: those for check, those in found.items() if those} == {}, slug
        assert nameless(driver) == [], slug
    show_as_usual(driver)
    # It works where there is no other network: nothing is asked of anybody else.
    asked = requests(driver)
    assert asked
    assert all(one.url.startswith(f"{lab.desk}/") for one in asked)
    assert complaints(driver) == []
