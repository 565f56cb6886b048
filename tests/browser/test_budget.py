"""The page is small: what a phone has to load before it can ask is less than 60 kB, all told."""

import re
from pathlib import Path

import deniable.client
from tests.browser.chromium import requests
from tests.browser.page import Page

BUDGET = 60_000
"""Bytes, uncompressed, of the page and all that it loads, the survey's own document aside."""

FOLDER = Path(deniable.client.__file__).parent / "browser"

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
    assert len(loaded) > 10
    sizes = paged.driver.execute_async_script(SIZES, sorted(loaded))
    assert isinstance(sizes, list), sizes
    assert 30_000 < sum(sizes) < BUDGET


def test_every_file_that_is_served_is_loaded_by_a_page() -> None:
    """What no page loads would be read by nobody, and would not count."""
    loaded = {
        name
        for module in FOLDER.glob("*.js")
        for name in re.findall(r'(?:from |import\()"\./([a-z]+\.js)"', module.read_text())
    }
    assert {path.name for path in FOLDER.glob("*.js")} == loaded | {"main.js", "device.js"}
