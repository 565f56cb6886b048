"""The first button lies within the first screen of a phone, for every example in every language."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from tests.browser.chromium import run_before_every_page
from tests.browser.conftest import serves
from tests.browser.looks import Look, on_screen
from tests.browser.page import Page
from tests.browser.serving import Served, serving
from tests.kit import at, first_of

pytestmark = pytest.mark.promise("label")

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
LANGUAGES = ("en", "de", "fr", "es", "ar")
LOWEST = {375: 590, 360: 620, 320: 720}
"""By the width of a screen, how low the button may end; text is larger here than on a phone."""

MEASURED = """
const button = document.querySelector("main button[type=submit]");
return [button.getBoundingClientRect().bottom + scrollY,
        parseFloat(getComputedStyle(document.body).fontSize)];
"""

TOO_WIDE = (
    "const { scrollWidth, clientWidth } = document.documentElement;return scrollWidth - clientWidth"
)

UNDER_THE_BAR = """
document.activeElement.scrollIntoView();
return [document.querySelector(".leave").getBoundingClientRect().bottom,
        document.activeElement.getBoundingClientRect().top];
"""


def in_every_language(text: str) -> Iterator[str]:
    """Write a survey so that its first screen is seen in each language of the program.

    Where the survey has no text in it, the program speaks it around texts of another language.
    """
    (slug,) = re.findall(r"^survey: (.*)$", text, re.MULTILINE)
    if "languages:" not in text:
        for language in LANGUAGES:
            mine = f"survey: {slug}-{language}\nlanguages: [{language}]"
            yield text.replace(f"survey: {slug}", mine, 1)
    else:
        yield text
        if "fr" not in re.findall(r"\b..\b", text.partition("languages:")[2].partition("]")[0]):
            others = re.sub(r"\ben(?=[:,])", "fr", re.sub(r"\bde(?=[:,])", "es", text))
            yield others.replace(f"survey: {slug}", f"survey: {slug}-others")


served = serves(*(text for path in EXAMPLES for text in in_every_language(path.read_text())))


@pytest.mark.slow
@pytest.mark.parametrize(("width", "step"), first_of([(360, 5), (375, 1), (360, 1), (320, 1)]))
def test_the_first_button_is_in_sight(
    served: Served, chromium: webdriver.Chrome, width: int, step: int
) -> None:
    """Of a fifth of the surveys, each language among them, and in the slow tests of all."""
    found = {}
    with on_screen(chromium, Look(width, "light"), 640):
        for survey, link in [*zip(served.surveys, served.links, strict=True)][::step]:
            for language in survey.languages or ("en",):
                page = Page(chromium, f"{link}#lang={language}")
                chromium.get("about:blank")
                page.open_afresh()
                found[survey.slug, language] = chromium.execute_script(MEASURED)
    assert {language for _, language in found} == {*LANGUAGES}
    assert not {name: at for name, at in found.items() if at[0] > LOWEST[width]}


@pytest.mark.slow
def test_words_of_double_size_fit(served: Served, chromium: webdriver.Chrome) -> None:
    """At 320 pixels: no sideways scroll, and what has the focus lies below "Leave quickly"."""
    (link,) = (one for one in served.links if at("ward-de") in one)
    with on_screen(chromium, Look(320, "light"), 568):
        page = Page(chromium, link).open_afresh()
        chromium.execute_script("document.documentElement.style.fontSize = '200%'")
        for _ in range(3):
            assert chromium.execute_script(TOO_WIDE) <= 0
            page.proceed()
            page.answer(["error-0"] if page.is_there("#error") else [])
            bar, focused = chromium.execute_script(UNDER_THE_BAR)
            assert bar <= focused + 1


NAMED = """
const focused = document.activeElement;
return [focused.closest("details").open, focused.textContent.split(". Unprotected")[0]];
"""


def test_unprotected_questions_are_named_at_a_press(
    served: Served, chromium: webdriver.Chrome
) -> None:
    (link,) = (one for one in served.links if at("ward-en") in one)
    Page(chromium, link).open_afresh()
    assert not chromium.execute_script("return document.querySelector('.protects').open")
    chromium.find_element("css selector", ".verdict.open .link").click()
    asked = ("Which kind of ward do you work on?", "How many years have you worked as a nurse?")
    named = ", ".join(f"“{question}”" for question in asked)
    assert chromium.execute_script(NAMED) == [True, f"Sent unchanged: {named}"]


LOGO = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAA"
    "CklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)

OF_THE_INSTITUTION = """
const logo = document.querySelector(".logo");
const button = document.querySelector("main button[type=submit]");
return [logo.src, logo.naturalWidth, logo.clientHeight, getComputedStyle(button).backgroundColor];
"""


@pytest.mark.slow
def test_the_institution_shows_logo_and_colour(chromium: webdriver.Chrome) -> None:
    text = (EXAMPLES[0].parent / "doping.yaml").read_text()
    with serving(f'{text}\nlogo: {LOGO}\ncolour: "#7a1f5c"\n') as running:
        Page(chromium, running.links[0]).open_afresh()
        found = chromium.execute_script(OF_THE_INSTITUTION)
    assert found == [LOGO, 1, 48, "rgb(122, 31, 92)"]


CLOCK_SAYS_CLOSED = """
const read = Response.prototype.arrayBuffer;
globalThis.asked = 0;
Response.prototype.arrayBuffer = async function () {
  const bytes = await read.call(this);
  if (!this.url.endsWith("/state.json")) return bytes;
  const state = JSON.parse(new TextDecoder().decode(bytes));
  if (state.closes !== null) throw new Error("it has no time to close at");
  asked += 1;
  const now = asked > 1 ? "SERVER" : state.state;
  return new TextEncoder().encode(JSON.stringify({ ...state, closes: 1, state: now })).buffer;
};
"""


@pytest.mark.parametrize("state", ["closed", "open"])
def test_only_the_server_says_that_a_survey_has_closed(
    served: Served, fresh: webdriver.Chrome, state: str
) -> None:
    run_before_every_page(fresh, CLOCK_SAYS_CLOSED.replace("SERVER", state))
    page = Page(fresh, served.links[0]).open_afresh()
    page.wait(lambda: fresh.execute_script("return asked") == 2)
    page.proceed()
    said = fresh.execute_script("return document.querySelector('main').textContent")
    assert ("has closed" in said) == (state == "closed")
    # It was asked once more, however many screens follow.
    assert fresh.execute_script("return asked") == 2
