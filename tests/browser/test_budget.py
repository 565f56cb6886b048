"""The page is small: what a phone has to load before it can ask is less than 60 kB, all told."""

import pytest

from deniable.server.program import served
from deniable.server.respondent import BROWSER_FOLDER
from tests.browser.chromium import requests
from tests.browser.page import Page

BUDGET = 60_000
"""Bytes, uncompressed, of the page and all that it loads, the survey's own document aside."""

PART = 4_000
"""Bytes of what only some surveys need, each part of it."""

SIZES = """
const [urls, done] = arguments;
Promise.all(urls.map(async (url) => (await (await fetch(url)).arrayBuffer()).byteLength))
  .then(done, (error) => done(String(error)));
"""


def test_the_page_and_all_that_it_loads_stay_within_the_budget(paged: Page) -> None:
    paged.driver.get("about:blank")
    requests(paged.driver)
    paged.open()
    loaded = {made.url for made in requests(paged.driver)} - {f"{paged.link}/survey.json"}
    # The page, its program, its style and, if the browser has none of it yet, its icon.
    assert 3 <= len(loaded) <= 4
    sizes = paged.driver.execute_async_script(SIZES, sorted(loaded))
    assert isinstance(sizes, list), sizes
    assert 30_000 < sum(sizes) < BUDGET


@pytest.mark.parametrize("part", ["comprehension.js", "language.js", "waves.js"])
def test_what_only_some_surveys_need_is_small(part: str) -> None:
    assert len(served(BROWSER_FOLDER / part)) < PART
