"""The sheet in a real browser: accessible, no wider than a phone, black on white when printed."""

import base64
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from selenium import webdriver

from deniable.server.respondent.sheet import sheet_page
from deniable.survey_file import read
from tests.browser.chromium import requests
from tests.browser.looks import Look, on_screen
from tests.browser.page import Page
from tests.browser.serving import Served, serving
from tests.browser.test_accessibility import check_with_axe
from tests.kit.surveys import EXAMPLES
from tests.server.respondent.test_sheet import PAPER

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
