"""Collecting: the schedule, the access word, and sheets of paper."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from deniable.server.desk.surveys.slips import link_with
from deniable.server.respondent.sheet import sheet_page
from deniable.server.store import Store, store_url
from deniable.server.store.invitations import new_codes
from deniable.server.store.keys import invite, key_file
from deniable.server.store.schedule import NO_SCHEDULE, Schedule
from deniable.survey_file import read
from tests.browser.chromium import requests
from tests.browser.looks import LOOKS, Look, on_screen, show_as_usual, show_on
from tests.browser.page import Page
from tests.browser.serving import Served, serving
from tests.browser.test_accessibility import check_with_axe
from tests.browser.test_coming_back import ANSWERS
from tests.kit.surveys import EXAMPLES
from tests.server.respondent.test_sheet import PAPER


@pytest.fixture
def store(served: Served) -> Iterator[Store]:
    with served.opened() as opened:
        yield opened
        for record in opened.surveys():
            opened.set_schedule(record.survey.slug, NO_SCHEDULE)


def check_looks(page: Page) -> None:
    """Check what is shown on every screen."""
    for look in LOOKS:
        show_on(page.driver, look)
        check_with_axe(page.driver)
        width = page.driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= look.width
    show_as_usual(page.driver)


@pytest.mark.promise("cap", "token")
@pytest.mark.slow
def test_a_wrong_access_word_can_be_mended(served: Served, store: Store, kinds: Page) -> None:
    slug = served.surveys[1].slug
    before = len(served.reports(served.surveys[1]))
    # The page was opened before there was a word.
    store.set_schedule(slug, Schedule(access_word="sea-lion-7"))
    kinds.answer(
        ["medicine-1", "offered-0", "sleep-0-0", "sleep-1-0", "drinks-decline-0", "year-0"]
    )
    assert not kinds.all("#Pin-word")
    kinds.to_review()
    kinds.proceed()
    # So it is loaded anew, and asks for the word of the report that waits.
    kinds.wait(lambda: kinds.all("[data-outcome=pin] ~ div #Pin-word"))
    check_looks(kinds)
    word = kinds.one("#Pin-word")
    word.send_keys("sea-lion")
    word.submit()
    kinds.wait(lambda: kinds.all("[data-outcome=pin] ~ div #Pin-word"))
    assert len(served.reports(served.surveys[1])) == before
    waiting = kinds.remembered()
    assert "unsent" in str(waiting)
    kinds.one("#Pin-word").send_keys(" Sea-LION-\u0667")
    kinds.click("[data-outcome=pin] ~ div button")
    kinds.wait(lambda: kinds.all("[data-outcome=stored]"))
    assert len(served.reports(served.surveys[1])) == before + 1
    assert "sea-lion" not in str(kinds.remembered())


@pytest.mark.promise("cap", "token")
def test_the_word_comes_first_and_waits_alone(served: Served, store: Store, design: Page) -> None:
    slug = served.surveys[0].slug
    store.set_schedule(slug, Schedule(access_word="sea-lion"))
    design.open_afresh()
    design.proceed()
    assert design.unanswered()[0] == "Pin"
    check_looks(design)
    design.one("#Pin-word").send_keys("sea-lions")
    design.answer(ANSWERS)
    design.to_review()
    assert "sea-lion" not in str(design.remembered())
    design.proceed()
    design.wait(lambda: design.all("[data-outcome=pin]"))
    assert "sea-lions" in str(design.remembered())
    design.open()
    design.wait(lambda: design.all("[data-outcome=pin] ~ div #Pin-word"))
    design.one("#Pin-word").send_keys("sea-lion")
    design.click("[data-outcome=pin] ~ div button")
    design.wait(lambda: design.all("[data-outcome=stored]"))


@pytest.mark.promise("cap", "token")
@pytest.mark.slow
def test_a_code_is_typed_on_the_home_page(served: Served, design: Page) -> None:
    driver = design.driver
    driver.get(urljoin(design.link, "/"))
    check_looks(design)
    field = next(one for one in design.all("input[name=code]") if one.is_displayed())
    field.send_keys("bcd fh")
    field.submit()
    design.wait(lambda: "/j" in driver.current_url)
    assert [one for one in design.all("[id^=unknown]") if one.is_displayed()]
    check_looks(design)
    field = next(one for one in design.all("input[name=code]") if one.is_displayed())
    field.send_keys(served.surveys[0].address.strip("/").lower())
    field.submit()
    design.wait(lambda: design.screen() == "start")
    assert driver.current_url.endswith(served.surveys[0].address)
    driver.get(design.link.partition("#")[0] + "poster")
    square = driver.find_element(By.CSS_SELECTOR, "img.square")
    assert driver.execute_script("return arguments[0].complete", square)
    assert square.size["width"] > 100
    check_looks(design)


@pytest.mark.promise("cap", "token")
def test_a_code_becomes_a_token_for_one_report(served: Served, store: Store, design: Page) -> None:
    slug = served.surveys[0].slug
    before = store.count(slug)
    codes = new_codes(2)
    invite(store, key_file(store_url(str(served.store))), slug, codes)
    link = link_with(urljoin(design.link, store.survey(slug).path), codes[0])
    try:
        design.open_afresh()
        # No browser sends what stands behind "#" to anybody.
        design.driver.get(link)
        design.driver.refresh()
        design.wait(lambda: design.all("#Code-word"))
        field = design.one("#Code-word")
        assert field.get_attribute("value") == codes[0]
        check_looks(design)
        field.clear()
        design.proceed()
        assert design.unanswered()[0] == "Code"
        # A typing mistake is told before anything is asked, and mended.
        field = design.one("#Code-word")
        field.send_keys(codes[1][:-1])
        design.proceed()
        design.wait(lambda: design.all("#Code-error:not([hidden])"))
        assert design.unanswered() == ["Code"]
        check_looks(design)
        design.one("#Code-word").send_keys(codes[1][-1])
        design.proceed()
        design.wait(lambda: "token" in str(design.remembered()))
        # The token is there now. A page that is opened again needs no code, and answers with it.
        (entry,) = design.remembered().values()
        kept = json.loads(entry)["admission"]
        assert [*kept] == ["key", "id", "token"]
        design.driver.refresh()
        design.wait(lambda: design.screen() == "start")
        assert not design.all("#Code-word")
        design.answer(ANSWERS)
        design.to_review()
        design.proceed()
        design.wait(lambda: design.all("[data-outcome=stored]"))
        assert store.count(slug) == before + 1
        left = str(design.remembered())
        for secret in (codes[1], kept["token"], kept["id"]):
            assert secret not in left
        # In another browser the code has been used.
        design.open_afresh()
        design.driver.get(link.replace(codes[0], codes[1]))
        design.driver.refresh()
        design.wait(lambda: design.all("#Code-word"))
        design.proceed()
        design.wait(lambda: design.all("#Code-error:not([hidden])"))
    finally:
        store.end_invitations(slug)


DISCS = (EXAMPLES / "exams.yaml").read_text(encoding="utf-8").replace("ask: 1 ", "# ")


@pytest.fixture(scope="module", params=[PAPER, DISCS], ids=["coins", "discs"])
def collected(request: pytest.FixtureRequest) -> Iterator[Served]:
    with serving(request.param) as served:
        yield served


@pytest.fixture
def sheet(collected: Served, chromium: webdriver.Chrome) -> Page:
    page = Page(chromium, f"{collected.links[0]}sheet")
    requests(chromium)
    page.driver.get(page.link)
    return page


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 900])
def test_nothing_is_wider_than_the_screen(sheet: Page, width: int) -> None:
    assert excess(sheet.driver, width) == 0


def excess(driver: webdriver.Chrome, width: int) -> int:
    """Return by how many pixels the page is wider than a screen of that width."""
    script = "const { scrollWidth, clientWidth } = document.documentElement;"
    with on_screen(driver, Look(width, "light")):
        wider: int = driver.execute_script(f"{script} return scrollWidth - clientWidth")
        return wider


def test_is_black_on_white_on_dark_screens(sheet: Page) -> None:
    with on_screen(sheet.driver, Look(900, "dark")):
        for number in sheet.all(".spinner text"):
            assert number.value_of_css_property("fill") == "rgb(0, 0, 0)"
        body = sheet.one("body")
        assert body.value_of_css_property("background-color") == "rgba(255, 255, 255, 1)"
        assert body.value_of_css_property("color") == "rgba(0, 0, 0, 1)"


def test_what_is_for_the_screen_is_not_printed(sheet: Page) -> None:
    assert sheet.one(".screen-only").is_displayed()
    sheet.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not sheet.one(".screen-only").is_displayed()
        printed = sheet.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
        # A4 in points, 210 × 297 mm, as the style sheet asks for.
        assert b"/MediaBox [0 0 594.95996 841.91998]" in base64.b64decode(printed["data"])
    finally:
        sheet.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_everybody_can_use_it_without_another_server(sheet: Page) -> None:
    check_with_axe(sheet.driver)
    origin = urljoin(sheet.link, "/")
    made = [one.url for one in requests(sheet.driver)]
    assert made
    assert all(url.startswith(origin) for url in made)
    assert sheet.one(".box").value_of_css_property("border-top-style") == "solid"


def test_a_file_by_itself_looks_the_same(sheet: Page, tmp_path: Path) -> None:
    file = tmp_path / "sheet.html"
    file.write_text(sheet_page(read(PAPER).survey, standalone=True))
    sheet.driver.get(file.as_uri())
    assert sheet.one(".box").value_of_css_property("border-top-style") == "solid"
    check_with_axe(sheet.driver)
