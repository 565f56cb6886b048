"""Two publics, two origins: what a respondent's browser keeps, no page of the desk can read.

The adversary is a script in a page of the desk, of somebody who answered in the same browser. The
desk's own policy would let it do nothing at all; here that policy is switched off, so that what
remains is the wall between origins alone. Each way is tried as well on a page of the respondents'
own origin, where it leads to what is kept: it is a way.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from selenium import webdriver

from tests.browser.chromium import chromium as started
from tests.browser.chromium import heed_no_policy
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.kit import url_for

pytestmark = pytest.mark.promise("two-origins")

MARK = "what-is-kept"

KEEP = """
const [mark, done] = arguments;
localStorage.setItem(mark, mark);
sessionStorage.setItem(mark, mark);
document.cookie = `${mark}=${mark}; path=/`;
const opening = indexedDB.open(mark, 1);
opening.onupgradeneeded = () => opening.result.createObjectStore(mark).put(mark, mark);
opening.onsuccess = () => { opening.result.close(); done(); };
"""

WAYS = {
    "its storage": "return JSON.stringify({ ...localStorage, ...sessionStorage })",
    "its databases": "return JSON.stringify(await indexedDB.databases())",
    "a request": """
        return (await fetch(link, { credentials: "include" })).text()""",
    "a request without asking": """
        return (await fetch(link, { mode: "no-cors", credentials: "include" })).text()""",
    "a frame": """
        const frame = document.createElement("iframe");
        frame.src = site;
        document.body.append(frame);
        await new Promise((loaded) => frame.addEventListener("load", loaded));
        return JSON.stringify({ ...frame.contentWindow.localStorage })""",
    "a window": """
        const opened = window.open(site);
        for (let wait = 0; wait < 20; wait += 1) {
          await new Promise((later) => setTimeout(later, 100));
          if (opened.location.href === site && opened.document.readyState === "complete") break;
        }
        return JSON.stringify({ ...opened.localStorage })""",
    "the same domain": """
        document.domain = "127.0.0.1";
        const frame = document.createElement("iframe");
        frame.src = site;
        document.body.append(frame);
        await new Promise((loaded) => frame.addEventListener("load", loaded));
        return JSON.stringify({ ...frame.contentWindow.localStorage })""",
}
"""Ways to what is kept, or to what the page shows; `site` is a page of the respondents' origin, and
`link` one that names the survey."""

REFUSED_TO_ALL = {"a frame", "the same domain"}
"""No page may frame one of the respondents', not even their own: Chromium heeds that part of a
policy also where it is told to heed none."""

TRY = """
const [site, link, done] = arguments;
(async () => { %s })().then(done, (error) => done(`refused: ${error.name}`));
"""


@pytest.fixture(scope="module")
def lawless(served: Served) -> Iterator[webdriver.Chrome]:
    """Sign in, in a browser that heeds no page's policy of what it may load, run or send."""
    with started(alone=True) as driver:
        heed_no_policy(driver)
        served.enter_desk(driver)
        yield driver


@pytest.fixture
def kept(served: Served, lawless: webdriver.Chrome) -> Iterator[Page]:
    """Answer a survey in that browser, and keep a mark besides, wherever something can be kept."""
    page = Page(lawless, served.links[0]).open_afresh()
    lawless.execute_async_script(KEEP, MARK)
    first = lawless.current_window_handle
    yield page
    for other in {*lawless.window_handles} - {first}:
        lawless.switch_to.window(other)
        lawless.close()
    lawless.switch_to.window(first)


def attempt(served: Served, driver: webdriver.Chrome, way: str) -> str:
    """Try a way from the page that is open, and return what it led to."""
    site = served.links[0] + "/privacy"
    result: Any = driver.execute_async_script(TRY % WAYS[way], site, f"{served.links[0]}privacy")
    return str(result)


@pytest.mark.slow
def test_no_desk_page_reads_a_respondent_s_memory(served: Served, kept: Page) -> None:
    for way in WAYS:
        kept.driver.get(served.desk + url_for("surveys.index"))
        assert kept.driver.execute_script("return location.origin") == served.desk
        result = attempt(served, kept.driver, way)
        assert MARK not in result, way
        assert served.surveys[0].title not in result, way
        assert "deniable" not in result, way


@pytest.mark.slow
def test_the_respondents_own_pages_could(served: Served, kept: Page) -> None:
    """The ways above are ways."""
    for way in sorted({*WAYS} - REFUSED_TO_ALL):
        kept.driver.get(f"{served.links[0]}privacy")
        result = attempt(served, kept.driver, way)
        assert MARK in result or served.surveys[0].title in result, way
