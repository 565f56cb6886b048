"""An access word and a short code, as respondents use them; the owner's pages are looked at too."""

import json
from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
from selenium.webdriver.common.by import By

from deniable.server.desk.surveys.slips import link_with
from deniable.server.store import Store, store_url
from deniable.server.store.invitations import new_codes
from deniable.server.store.keys import invite, key_file
from deniable.server.store.schedule import NO_SCHEDULE, Schedule
from tests.browser.looks import LOOKS, show_as_usual, show_on
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_accessibility import check_with_axe
from tests.browser.test_coming_back import ANSWERS

pytestmark = pytest.mark.promise("cap", "token")


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
