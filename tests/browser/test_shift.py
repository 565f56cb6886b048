"""Nothing moves when the program starts, what leads on is at the thumb, and nothing hides there."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import run_before_every_page
from tests.browser.looks import Look, show_as_usual, show_on
from tests.browser.page import Page
from tests.browser.serving import Served, serving

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))

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

COVERED = """
const at = document.activeElement;
const { top, bottom } = at.getBoundingClientRect();
const button = document.querySelector("form > [type=submit]").getBoundingClientRect();
const ended = at.matches("form > [type=submit], body");
return [ended, bottom > button.top && top < button.bottom, button.bottom <= innerHeight];
"""

TICK = """
const all = [...document.querySelectorAll("form fieldset:not(:has(fieldset))")];
for (const one of all) one.querySelector("input").click();
"""


@pytest.fixture(scope="module")
def examples() -> Iterator[Served]:
    with serving(*EXAMPLES) as served:
        yield served


@pytest.mark.parametrize("size", [(412, 823), (1280, 800)], ids=str)
def test_no_example_moves_when_its_program_starts(
    examples: Served, fresh: webdriver.Chrome, size: tuple[int, int]
) -> None:
    run_before_every_page(fresh, WATCH)
    show_on(fresh, Look(size[0], "light"), size[1])
    moved = {}
    for survey, link in zip(examples.surveys, examples.links, strict=True):
        fresh.get("about:blank")
        page = Page(fresh, link)
        page.open()
        assert page.is_there("form")
        moved[survey.slug] = fresh.execute_async_script(SETTLED)
    assert {slug: shift for slug, shift in moved.items() if shift > 0.05} == {}


def test_what_leads_on_stays_at_the_thumb_and_covers_no_line_in_focus(
    examples: Served, chromium: webdriver.Chrome
) -> None:
    slugs = [survey.slug for survey in examples.surveys]
    page = Page(chromium, examples.links[slugs.index("wellbeing")])
    # As low as a screen may be on which it stays there.
    show_on(chromium, Look(375, "light"), 480)
    page.open_afresh()
    page.proceed()
    for number in range(5):
        chromium.execute_script(TICK)
        page.proceed()
        assert page.screen() == "questions"
        chromium.execute_script("document.querySelector('.exit').focus()")
        ended = False
        while not ended:
            chromium.switch_to.active_element.send_keys(Keys.TAB)
            ended, covered, in_sight = chromium.execute_script(COVERED)
            assert in_sight, number
            assert ended or not covered, number
    show_as_usual(chromium)
