"""The survey check number, and what is said where the link has another one."""

import dataclasses
import hashlib
import sqlite3
from contextlib import closing
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest
from selenium import webdriver

from tests.browser.chromium import requests
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_coming_back import ANSWERS

pytestmark = pytest.mark.promise("check-number")


def opened(driver: webdriver.Chrome, link: str) -> Page:
    """Open a link as from elsewhere: to another fragment of the same page nothing is loaded."""
    page = Page(driver, link.partition("#")[0]).open_afresh()
    driver.get("about:blank")
    driver.get(link)
    page.wait(lambda: not page.all(".starting"))
    return page


def test_it_is_the_hash_of_what_came(served: Served, chromium: webdriver.Chrome) -> None:
    survey = served.surveys[0]
    with urlopen(f"{served.links[0]}survey.json") as answer:
        structure, words = answer.read().split(b"\n")
    revision = hashlib.sha256(structure).hexdigest()
    number = hashlib.sha256(revision.encode() + b"\n" + words).hexdigest()
    shown = " ".join(number[start : start + 4] for start in (0, 4, 8, 12))
    assert survey.shown_number == shown
    page = opened(chromium, served.links[0])
    for link in (page.link, urljoin(page.link, survey.path)):
        page = opened(chromium, link)
        assert page.screen() == "start"
        # It looks like a number of this person, so it is folded and says whose it is.
        assert shown not in page.text()
        page.unfold()
        assert shown in page.text(".compare")
        assert "the same survey as everyone else" in page.text(".compare")
    page.find("doped-1")
    assert not page.all(".compare")
    page.answer(ANSWERS)
    page.to_review()
    page.click("form > details > summary")
    page.click(".compare summary")
    assert shown in page.text(".compare")
    assert page.send() == "stored"
    assert page.announced()["revision"] == revision
    # No server is told of it before it is told of the report.
    requests(chromium)
    page.driver.refresh()
    assert all(number[:16] not in made.url for made in requests(chromium))


def test_another_than_the_link_s_is_named_first(served: Served, chromium: webdriver.Chrome) -> None:
    survey = served.surveys[0]
    page = opened(chromium, f"{served.links[0]}#{'5a' * 8}")
    assert page.screen() == "changed"
    assert survey.shown_number in page.text()
    assert not page.all("main input, main form")
    assert page.remembered() == {}
    page.click("main button")
    page.wait(lambda: page.screen() == "start")
    page.answer(ANSWERS)
    assert page.send() == "stored"
    # As long as somebody likes, up to the whole number.
    number = survey.check_numbers[-1]
    assert opened(chromium, f"{served.links[0]}#{number}").screen() == "start"
    last = "0" if number[-1] != "0" else "1"
    assert opened(chromium, f"{served.links[0]}#{number[:-1]}{last}").screen() == "changed"
    # What cannot be read is not skipped.
    assert opened(chromium, f"{served.links[0]}#{number[:15]}").screen() == "unread"
    assert survey.shown_number in page.text()
    assert not page.all("main input, main form")


@pytest.mark.slow
@pytest.mark.promise("correction")
def test_a_correction_meanwhile_loses_nothing(served: Served, chromium: webdriver.Chrome) -> None:
    survey = served.surveys[0]
    page = opened(chromium, urljoin(served.links[0], survey.path))
    page.answer(ANSWERS)
    try:
        with served.opened() as store:
            before = store.count(survey.slug)
            corrected = store.register(dataclasses.replace(survey, introduction="A word is new."))
            assert page.send() == "stored"
            assert page.announced()["revision"] == survey.revision == corrected.revision
            # The same device by its old link: the correction is shown, and nothing asked again.
            page.driver.get("about:blank")
            page.driver.get(urljoin(served.links[0], survey.path))
            page.wait(lambda: page.screen() == "corrected")
            assert not page.all("[role=alert], .warning")
            shown = [page.text(f"main dl {one}") for one in ("dt", "del", "ins")]
            assert shown == ["Introduction", survey.introduction, "A word is new."]
            assert "The chances stay the same" in page.text()
            assert "do not answer" not in page.text()
            page.click("main button")
            page.wait(lambda: page.outcome() == "answered")
            # Another one reports the same structure.
            page = opened(chromium, urljoin(served.links[0], survey.path))
            page.click("main button")
            page.answer(ANSWERS)
            assert page.send() == "stored"
            assert page.announced()["revision"] == survey.revision
            assert store.count(survey.slug) == before + 2
            assert opened(chromium, urljoin(served.links[0], corrected.path)).screen() == "start"
    finally:
        # No correction is taken back, and other tests have this server after this one.
        with closing(sqlite3.connect(served.store)) as db, db:
            document = (survey.to_json().decode(), survey.revision)
            db.execute("UPDATE revisions SET document = ? WHERE revision = ?", document)
            number = (survey.check_numbers[-1], survey.slug)
            db.execute("UPDATE surveys SET check_number = ? WHERE slug = ?", number)
