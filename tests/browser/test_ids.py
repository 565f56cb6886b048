"""Elements have ids by place: no name in a document is one, or hides a method of a form."""

import pytest
from selenium import webdriver

from tests.browser.page import Page
from tests.browser.serving import serving

pytestmark = pytest.mark.promise("document")

PROPERTIES = """
const found = new Set(Object.getOwnPropertyNames(Object.prototype));
const elements = ["form", "fieldset", "input", "div"].map((tag) => document.createElement(tag));
for (const one of [...elements, document]) for (const key in one) found.add(key);
return [...found].filter((key) => /^[a-z][a-z0-9_]*$/.test(key)).sort();
"""

OF_PLACES = r"""
const form = document.querySelector("#page-survey form");
const ids = [...form.querySelectorAll("[id]")].map(({ id }) => id);
const labels = [...form.querySelectorAll("label")];
return new Set(ids).size === ids.length
  && ids.every((id) => /^question-\d+(-\d+)*(-[a-z]+)?(-\d+)?$/.test(id))
  && form.querySelectorAll("[name]").length === 0
  && labels.every((one) => one.closest("fieldset").contains(one.control));
"""


def written(names: list[str]) -> str:
    """Write a survey whose questions have these ids; all but the first follow one answer to it."""
    asked = "text: T, type: single, answers: [No, Yes], protection: direct"
    more = "".join(f"  - {{id: {one}, {asked}, ask_if: {{first: yes}}}}\n" for one in names)
    start = "version: 1\nsurvey: ids\ntitle: Names\npages: one\nquestions:\n"
    return f"{start}  - {{id: first, {asked}}}\n{more}"


def arrives(page: Page, names: list[str]) -> None:
    """See that the report of each answer to the first question arrives."""
    for truth in (0, 1):
        page.open_afresh()
        page.answer([f"first-{truth}"])
        assert page.driver.execute_script(OF_PLACES)
        page.answer([f"{name}-1" for name in names if truth])
        page.to_review()
        assert page.announced()["answers"].startswith(f"0{truth}")
        assert page.send() == "stored"


@pytest.mark.parametrize(
    "every", [40, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_a_report_arrives_whatever_questions_are_called(
    chromium: webdriver.Chrome, every: int
) -> None:
    chromium.get("about:blank")
    found = chromium.execute_script(PROPERTIES)
    assert {"after", "append", "closest", "constructor", "elements", "remove"} <= {*found}
    names = [*dict.fromkeys([*found[::every], "after", "append", "remove", "closest"])]
    with serving(written(names)) as served:
        arrives(Page(chromium, served.links[0]), names)
