"""Collecting: the schedule, the access word, and sheets of paper."""

import base64
import json
from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
from selenium import webdriver

from deniable.server.desk.surveys.slips import link_with
from deniable.server.store import Store, store_url
from deniable.server.store.invitations import new_codes
from deniable.server.store.keys import invite, key_file
from deniable.server.store.schedule import NO_SCHEDULE, Schedule
from tests.browser.checks import axe_problems, problems
from tests.browser.conftest import serves
from tests.browser.looks import LOOKS, Look, on_screen, show_as_usual, show_on
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_coming_back import ANSWERS
from tests.kit import report
from tests.kit.surveys import EXAMPLES


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
        assert axe_problems(page.driver, colours_alone=look.scheme == "dark") == []
        assert not any(problems(page.driver, "no wider than the screen").values())
    show_as_usual(page.driver)


@pytest.mark.promise("cap")
def test_who_comes_while_it_is_full_is_asked_nothing(
    served: Served, store: Store, design: Page
) -> None:
    slug, cdp = served.surveys[0].slug, design.driver.execute_cdp_cmd
    cdp("Network.setBlockedURLs", {"urls": ["*state.json"]})
    design.open_afresh()
    design.wait(lambda: design.screen() == "offline")
    survey = store.survey(slug)
    store.insert_reports([report(survey) for _ in range(survey.batch)])
    store.set_schedule(slug, Schedule(cap=survey.batch))
    cdp("Network.setBlockedURLs", {"urls": []})
    design.click("main button")
    # The server's own page says it, and loads no program that asks.
    design.wait(lambda: design.all("[data-page=full]"))
    assert not design.all("form")
    check_looks(design)
    store.set_schedule(slug, NO_SCHEDULE)
    design.open_afresh()
    design.wait(lambda: design.screen() == "start")


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


discs = serves(DISCS)


def test_a_sheet_is_black_and_printed_alone(discs: Served, chromium: webdriver.Chrome) -> None:
    sheet = Page(chromium, f"{discs.links[0]}sheet")
    chromium.get(sheet.link)
    with on_screen(chromium, Look(900, "dark")):
        numbers = [one.value_of_css_property("fill") for one in sheet.all(".spinner text")]
        assert {*numbers} == {"rgb(0, 0, 0)"}
        body = sheet.one("body")
        assert body.value_of_css_property("background-color") == "rgba(255, 255, 255, 1)"
        assert body.value_of_css_property("color") == "rgba(0, 0, 0, 1)"
    assert sheet.one(".screen-only").is_displayed()
    sheet.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not sheet.one(".screen-only").is_displayed()
        printed = sheet.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
        # A4 in points, 210 × 297 mm, as the style sheet asks for.
        assert b"/MediaBox [0 0 594.95996 841.91998]" in base64.b64decode(printed["data"])
    finally:
        sheet.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
