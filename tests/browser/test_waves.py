"""A survey that is asked again: what the device keeps, what it sends, and what it never tells."""

import json
from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
from selenium import webdriver

from deniable.server.store import store_url
from deniable.server.store.invitations import new_codes
from deniable.server.store.keys import invite, key_file
from tests.browser.chromium import block, requests
from tests.browser.page import Page
from tests.browser.serving import Served, serving
from tests.kit.surveys import EXAMPLES

pytestmark = pytest.mark.promise("waves")

CHOICES = {"painkillers": 2, "injured": 3, "level": 3}


@pytest.fixture
def panel() -> Iterator[Served]:
    """Serve the survey of the example, anew for each test."""
    with serving(EXAMPLES / "season.yaml") as served:
        yield served


def answer(page: Page, *truths: int) -> None:
    page.answer([f"{id}-{truth}" for id, truth in zip(CHOICES, truths, strict=True)])


def test_after_arrival_nothing_tells_the_report(panel: Served, fresh: webdriver.Chrome) -> None:
    page = Page(fresh, panel.links[0]).open()
    page.unfold()
    assert "Wave 1 of 3" in page.text()
    answer(page, 1, 2, 0)
    page.to_review()
    assert [*page.reviewed()] == [*CHOICES]
    assert page.remembered() == {}
    assert page.send() == "stored"
    page.unfold()
    assert "remembers that this survey was answered here" in page.text(".known")
    assert "a randomised answer for every answer" in page.text(".known + p")
    message = page.announced()
    stored = f"{message['answers']}{int(message['wave'], 16) - 1:02x}"
    assert panel.reports(panel.surveys[0]) == {message["id"]: stored}
    assert message["answers"][-2:] == "00"  # the level as it was given
    assert message["wave"] == "01"
    page.unfold()
    assert "sent as it is: the number of this wave" in page.text(".report")
    kept = page.remembered()
    assert set(kept) == {"deniable:season"}
    assert message["id"] not in kept["deniable:season"]
    assert json.dumps(message["answers"]) not in kept["deniable:season"]
    # Coming back in the same wave asks and sends nothing.
    requests(fresh)
    page.open()
    assert page.outcome() == page.screen() == "answered"
    assert not page.all("main input, main form")
    assert not [made for made in requests(fresh) if made.method == "POST"]
    assert page.remembered() == kept
    # The ledger shows the wave, and what all of them reveal.
    fresh.get(urljoin(page.link, "/device"))
    page.wait(lambda: page.all("#ledger [data-survey=season]"))
    page.unfold()
    text = page.text("#ledger")
    assert "wave 1 of 3" in text
    # By one report, while answers stay, and whatever changes.
    for bound in (": 79 % sure at most", ": 89 % sure at most", "more than 99 % sure"):
        assert bound in text
    assert "If it forgets these answers, later waves draw new ones" in text
    # Three reports, each drawn anew: three times the ε of one, as before *Start*.
    assert "If this browser forgets what it keeps: 98 % sure at most" in text


def test_an_ended_wave_s_report_is_not_called_unsent(
    panel: Served, fresh: webdriver.Chrome
) -> None:
    page = Page(fresh, panel.links[0]).open()
    answer(page, 1, 2, 0)
    page.to_review()
    block(fresh, "*/reports")
    page.proceed()
    page.wait(lambda: page.screen() == "report")
    with panel.opened() as store:
        store.begin_wave("season", 2)
    page.open()
    page.unfold()
    assert "may have arrived too late" in page.text(".protects > ul")
    fresh.get(urljoin(page.link, "/device"))
    page.wait(lambda: page.all("#ledger [data-survey=season]"))
    said = page.text("#ledger [data-survey=season]")
    assert "perhaps came too late" in said
    assert "Send it now" not in said


NO_MORE = "later waves tell no more"
FORGOT = (
    "If you answered an earlier wave, in this or another browser: up to 81 % sure from one answer, "
    "93 % from all. You need not answer again."
)


def test_a_browser_that_forgot_says_so_before_start(panel: Served, fresh: webdriver.Chrome) -> None:
    page = Page(fresh, panel.links[0]).open()
    page.unfold()
    assert NO_MORE in page.text()
    answer(page, 1, 2, 0)
    assert page.send() == "stored"
    with panel.opened() as store:
        store.begin_wave("season", 2)
    page.open()
    page.unfold()
    # It keeps its noise: the promise stands.
    assert "Wave 2 of 3" in page.text()
    assert NO_MORE in page.text()
    assert "in this or another browser" not in page.text()
    page.open_afresh()
    # Before anything is opened.
    assert FORGOT in page.texts(".verdict")
    page.unfold()
    assert "Wave 2 of 3" in page.text()
    assert NO_MORE not in page.text()
    answer(page, 1, 2, 0)
    assert page.send() == "stored"
    with panel.opened() as store:
        assert [store.count_of_wave("season", wave) for wave in (1, 2)] == [1, 1]


@pytest.mark.promise("token")
def test_a_code_of_an_earlier_wave_is_told_to_a_browser_that_forgot(
    panel: Served, fresh: webdriver.Chrome
) -> None:
    codes = new_codes(2)
    with panel.opened() as store:
        invite(store, key_file(store_url(str(panel.store))), "season", codes)
    page = Page(fresh, panel.links[0]).open()
    page.one("#Code-word").send_keys(codes[0])
    answer(page, 1, 2, 0)
    assert page.send() == "stored"
    with panel.opened() as store:
        store.begin_wave("season", 2)
    page.open_afresh()
    page.one("#Code-word").send_keys(codes[0])
    page.proceed()
    page.wait(lambda: page.all("#Code-error:not([hidden])"))
    assert page.text("#Code-error") == f"This code was used in an earlier wave. {FORGOT}"
    # Who goes on has the token by then.
    page.proceed()
    assert page.screen() == "questions"
    answer(page, 1, 2, 0)
    assert page.send() == "stored"
    with panel.opened() as store:
        assert [store.count_of_wave("season", wave) for wave in (1, 2)] == [1, 1]
        store.begin_wave("season", 3)
    # Neither with what the device keeps nor by a code that nobody used is there more to know.
    for code, opened in ((codes[0], page.open), (codes[1], page.open_afresh)):
        opened()
        page.one("#Code-word").send_keys(code)
        page.proceed()
        page.wait(lambda: page.screen() == "questions")
