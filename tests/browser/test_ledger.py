"""What a device keeps and shows of what was sent: the ledger and receipts."""

import json
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
from selenium import webdriver

from deniable.text.languages import LANGUAGES
from tests.browser.chromium import requests, save_downloads
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_accessibility import check_with_axe, dark
from tests.browser.test_coming_back import ANSWERS

FILES = {
    "leave.js",
    "language.js",
    "waves.js",
    "device.js",
    "main.js",
    *(f"words-{one}.js" for one in (*LANGUAGES, "waves", "device")),
}

AS_GIVEN = (
    "The server gets 1 of your answers just as you give them. "
    "Anyone who sees what is stored can read them."
)
RAISE = "#ledger .limit + button"


def used(page: Page) -> list[str]:
    """Return how many hundredths of each person's limit the ledger says are used."""
    return [re.findall(r"\d+", line.text)[0] for line in page.all("#ledger .limit")]


def open_ledger(page: Page) -> None:
    page.driver.get(urljoin(page.link, "/device"))
    page.wait(lambda: not page.all("#ledger .warning"))
    if page.all("#ledger .titles"):
        page.click("#ledger .titles")


@pytest.fixture
def sent(design: Page) -> Page:
    """Answer and send."""
    design.answer(ANSWERS)
    assert design.send() == "stored"
    return design


@pytest.mark.promise("ledger")
def test_the_list_names_no_survey_unasked(sent: Page) -> None:
    requests(sent.driver)
    sent.driver.get(urljoin(sent.link, "/device"))
    sent.wait(lambda: sent.all("#ledger [data-survey]"))
    sent.unfold()
    assert "Doping" not in sent.text("main")
    assert "a private window. Then answer once only." in sent.text("main")
    assert "Survey 1" in sent.text("#ledger")
    sent.click("#ledger .titles")
    assert "Doping in your sport" in sent.text("#ledger")
    # It sends nothing.
    made = requests(sent.driver)
    assert {request.method for request in made} == {"GET"}
    assert {request.url.rpartition("/")[2] for request in made} <= FILES | {"device"}


@pytest.mark.promise("ledger")
def test_the_last_screen_forgets_on_request(sent: Page) -> None:
    sent.unfold()
    assert "remembers that this survey was answered here" in sent.text(".known")
    assert "only once, in a private window too" in sent.text(".forget + .hint")
    sent.click(".forget")
    sent.wait(lambda: sent.driver.current_url == "about:blank")
    open_ledger(sent)
    assert sent.screen() == "empty"


@pytest.mark.promise("ledger")
def test_what_was_answered_is_forgotten_when_pressed_twice(sent: Page) -> None:
    other = '{"reported": {"m": 0}, "title": "Another", "spent": 1500000}'
    sent.driver.execute_script("localStorage.setItem('deniable:other', arguments[0])", other)
    open_ledger(sent)
    assert sent.screen() == "surveys"
    # The list comes first, and nothing but the list.
    lines = [row.text.splitlines() for row in sent.all("[data-survey]")]
    assert lines == [["Another", "sent", "Forget"], ["Doping in your sport", "sent", "Forget"]]
    assert "ε" not in sent.text()
    # ε is 4.5 together, and 1 / (1 + e^-4.5) = .98901, rounded up.
    bound, given = (line.text for line in sent.all("#ledger .total"))
    assert bound.startswith("If all your protected answers point to the same thing")
    assert "99 % sure at most" in bound
    # The age was sent as it was given: the bound is not one on it.
    assert given == AS_GIVEN
    sent.unfold()
    # e^3 and e^1.5: .95257 and .81757.
    assert sent.text("#ledger .each dl").splitlines() == [
        "Another",
        "Protected answers: 82 % sure at most",
        "Doping in your sport",
        "Protected answers: 96 % sure at most",
        given,
    ]
    check_with_axe(sent.driver)
    button = "[data-survey=doping] button"
    assert not sent.text("[data-survey=doping] [role=status]")
    sent.click(button)
    assert sent.text("[data-survey=doping] [role=status]")
    assert "deniable:doping" in sent.remembered()
    sent.click(button)
    sent.wait(lambda: not sent.all("[data-survey=doping]"))
    assert set(sent.remembered()) == {"deniable:other"}
    assert sent.driver.switch_to.active_element.tag_name == "h1"


def spend(page: Page) -> None:
    spent = '{"reported": {"m": 0}, "title": "Another", "spent": 7500000}'
    page.driver.execute_script("localStorage.setItem('deniable:other', arguments[0])", spent)


@pytest.mark.promise("ledger")
def test_another_tab_s_report_counts_first(design: Page) -> None:
    design.answer(ANSWERS)
    spend(design)
    requests(design.driver)
    assert design.send() == design.screen() == "limit"
    assert set(design.remembered()) == {"deniable:other"}
    assert not [made for made in requests(design.driver) if made.method == "POST"]


@pytest.mark.promise("ledger")
def test_above_the_limit_only_a_raise_asks_on(design: Page) -> None:
    """Told the total, by two presses; each person apart, and for all surveys together."""
    spend(design)
    design.open()
    # The promise holds: no alarm. Beside each way on stands what comes of it.
    assert design.screen() == "limit"
    assert not design.all(".warning, [role=alert]")
    assert "could not make sure" not in design.text()
    assert "You lose nothing by stopping here." in design.text(".panel")
    raising, somebody = design.all("main .hint")
    assert "someone who knows all your reports could learn more" in raising.text
    assert "A second report from you would reveal more" in somebody.text
    assert raising.find_element("tag name", "a").get_dom_attribute("href") == "/device"
    # Nothing but the way on for somebody else.
    assert len(design.all("main input, main button")) == len(design.all(".else button")) == 1
    check_with_axe(design.driver)
    open_ledger(design)
    design.unfold()
    assert used(design) == ["75"]
    design.click(RAISE)
    assert "2 times" in design.text(f"{RAISE} + [role=status]")
    assert "deniable:" not in design.remembered()
    design.click(RAISE)
    design.unfold()
    assert used(design) == ["38"]
    design.open()
    assert design.screen() == "start"
    design.answer(ANSWERS)
    assert design.send() == "stored"
    open_ledger(design)
    design.unfold()
    # 10.5 of 20, rounded up.
    assert used(design) == ["53"]


QUESTION = "Have you used a banned substance in the last 12 months?"


def test_a_copy_is_saved_unsent(served: Served, fresh: webdriver.Chrome, tmp_path: Path) -> None:
    page = Page(fresh, served.links[0]).open()
    page.answer(ANSWERS)
    page.send()
    message = page.announced()
    page.unfold()
    save_downloads(fresh, tmp_path)
    requests(fresh)
    page.click("a[download]")
    file = tmp_path / "receipt.txt"
    page.wait(file.exists)
    text = file.read_text(encoding="utf-8-sig")
    lines = text.splitlines()
    assert lines[0] == "Doping in your sport"
    # In words, what it reveals, and the message to the letter.
    sent_as, who = lines[lines.index(QUESTION) + 1 :][:2]
    assert sent_as == f"What was sent {'Yes' if message['answers'][:2] == '01' else 'No'}"
    assert "72 of 100" in who
    assert "28 of 100" in who
    assert "You are not lying" in text
    assert lines[-1] == json.dumps(message, separators=(",", ":"))
    assert message["revision"] == served.surveys[0].revision
    assert [made.url for made in requests(fresh) if not made.url.startswith("blob:")] == []
    assert [entry for entry in fresh.get_log("browser") if entry["level"] != "INFO"] == []  # type: ignore[no-untyped-call]  # selenium's gap
    # It is saved, not kept by the page, and the page is still there.
    assert QUESTION not in str(page.remembered())
    assert page.announced() == message


@pytest.mark.slow
@pytest.mark.promise("everyone")
def test_paper_has_the_receipt_and_no_buttons(sent: Page) -> None:
    sent.unfold()
    sent.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        for selector in (".leave", "main p.ways", "main .else", "footer"):
            assert not sent.one(selector).is_displayed(), selector
        assert not [one for one in sent.all("button:not([hidden])") if one.is_displayed()]
        assert sent.one("main .report dl").is_displayed()
        assert sent.one("pre.wire").is_displayed()
        dark(sent.driver, on=True)
        body = sent.one("body")
        features = [{"name": "prefers-color-scheme", "value": "dark"}]
        sent.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"media": "print", "features": features}
        )
        assert body.value_of_css_property("background-color") == "rgba(255, 255, 255, 1)"
        assert body.value_of_css_property("color") == "rgba(22, 36, 43, 1)"
    finally:
        sent.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
