"""A survey that is asked again: what the device keeps, what it sends, and what it never tells."""

import json
from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
from selenium import webdriver

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
