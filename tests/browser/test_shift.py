"""Nothing moves when the program starts."""

import pytest
from selenium import webdriver

from tests.browser.chromium import run_before_every_page
from tests.browser.conftest import serves
from tests.browser.looks import Look, show_on
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.kit import first_of
from tests.kit.surveys import EXAMPLES

WATCH = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) shift += value;
}).observe({ type: "layout-shift", buffered: true });
// As in a slow network: what is asked comes once the page was painted without it.
const real = fetch;
window.fetch = async (...what) => {
  await new Promise((painted) =>
    new PerformanceObserver(painted).observe({ type: "paint", buffered: true }));
  return real(...what);
};
"""

SETTLED = """
const [done] = arguments;
const frame = () => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
frame().then(frame).then(() => done(shift));
"""


examples = serves(*sorted(EXAMPLES.glob("*.yaml")))


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), first_of([(412, 823), (1280, 800)]))
def test_no_example_moves_when_its_program_starts(
    examples: Served, fresh: webdriver.Chrome, width: int, height: int
) -> None:
    run_before_every_page(fresh, WATCH)
    show_on(fresh, Look(width, "light"), height)
    moved = {}
    for survey, link in zip(examples.surveys, examples.links, strict=True):
        fresh.get("about:blank")
        page = Page(fresh, link).open()
        assert page.is_there("form")
        moved[survey.slug] = fresh.execute_async_script(SETTLED)
    assert {slug: shift for slug, shift in moved.items() if shift > 0.05} == {}
