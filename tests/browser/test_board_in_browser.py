"""A receipt that a respondent saved finds its report on the board, in the browser alone."""

import json
import time
from pathlib import Path

import pytest
from selenium import webdriver

from deniable.server.store import State
from tests.browser.page import Page
from tests.browser.serving import serving
from tests.browser.test_collecting_in_browser import check_looks
from tests.cli.test_board import FILE

pytestmark = pytest.mark.promise("board")

IN_TWO_LANGUAGES = (
    FILE.replace("title: Seen", "languages: [en, de]\ntitle: {en: Seen, de: Gesehen}")
    .replace("text: Did you?", 'text: {en: "Did you?", de: "Haben Sie?"}')
    .replace("{no: No, yes: Yes}", "{no: {en: No, de: Nein}, yes: {en: Yes, de: Ja}}")
)


def test_a_receipt_finds_its_report(tmp_path: Path, chromium: webdriver.Chrome) -> None:
    with serving(IN_TWO_LANGUAGES) as served, served.opened() as store:
        page = Page(chromium, served.links[0])
        page.open_afresh()
        # Everybody reads it before they answer.
        assert "public list" in page.text(".facts")
        page.proceed()
        page.answer(["doped-0"])
        page.to_review()
        page.proceed()
        page.wait(lambda: page.all("#receipt-signed"))
        check_looks(page)
        # Another file is made meanwhile, and takes nothing from this one.
        page.click("details.receipt summary")
        receipt = page.saved_receipt()
        (mine,) = served.reports(store.survey("seen"))
        assert receipt["id"] == mine
        kept = tmp_path / "receipt.json"
        # Also when the survey is over.
        store.set_state("seen", State.CLOSED)
        deadline = time.monotonic() + 20
        while store.due_boards() and time.monotonic() < deadline:
            time.sleep(0.2)
        # In another language than the page is written in first.
        chromium.get(page.link.partition("#")[0] + "board#lang=de")
        page.wait(lambda: page.all("#receipt-file"))
        for answers, found in (("02", "forged"), (receipt["answers"], "found")):
            # A file of the same name, chosen again, is looked at again.
            kept.write_text(json.dumps({**receipt, "answers": answers}))
            assert page.look_for(kept) == found
        check_looks(page)
