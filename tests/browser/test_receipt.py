"""The page after a report has arrived, and the receipt: a file, and nothing on this device."""

import json
from pathlib import Path

import pytest
from selenium import webdriver

from tests.browser.chromium import requests, save_downloads
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_accessibility import dark
from tests.browser.test_coming_back import ANSWERS

QUESTION = "Have you used a banned substance in the last 12 months?"


@pytest.fixture
def sent(design: Page) -> Page:
    """Answer and send."""
    design.answer(ANSWERS)
    assert design.send() == "stored"
    return design


def test_the_page_is_calm_and_closed(sent: Page) -> None:
    said = sent.text()
    assert "Thank you. It has arrived." in said
    assert "You are done. You can close this page now." in said
    assert [heading.text for heading in sent.all("main h2")] == ["Thank you. It has arrived."]
    # What was asked and sent, and what is kept, only whoever opens it sees.
    assert QUESTION not in said
    assert not [part for part in sent.all("main details") if part.get_property("open")]
    assert "\u2713" in sent.driver.execute_script(
        "return getComputedStyle(document.querySelector('[data-outcome]'), '::before').content"
    )
    # What harms nobody comes first, and alone is filled: to forget that one answered does not.
    buttons = [one for one in sent.all("main button, main a") if one.is_displayed()]
    filled = [
        one.get_attribute("class")
        for one in buttons
        if one.value_of_css_property("background-color") != "rgba(0, 0, 0, 0)"
    ]
    assert filled == ["clear"]
    kinds = [one.get_attribute("class") for one in buttons]
    assert kinds.index("clear") < kinds.index("quiet forget")
    # The name that the manual uses, and what has happened.
    assert sent.text("details.receipt summary").startswith("Your receipt: what was sent")
    assert "\u00b7" not in sent.text("footer")
    sent.unfold()
    for words in (QUESTION, "It keeps neither your answers nor", "This browser does not keep it."):
        assert words in sent.text()


def test_a_copy_is_saved_unsent(served: Served, fresh: webdriver.Chrome, tmp_path: Path) -> None:
    page = Page(fresh, served.links[0])
    page.open()
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
    (line,) = [line for line in lines if line.startswith(QUESTION)]
    _, sent_as, who = line.split("\t")
    assert sent_as == ("Yes" if message["answers"][:2] == "01" else "No")
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
        assert sent.one("main table").is_displayed()
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
