"""Questions that are randomised as one answer, in a real browser."""

import json

import pytest

from deniable.client.respondent import draw_report
from tests import vectors
from tests.browser.chromium import chromium as started
from tests.browser.chromium import run_before_every_page
from tests.browser.conftest import serves
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.kit.surveys import TOGETHER

served = serves(TOGETHER)


@pytest.mark.promise("branches")
def test_contradicting_answers_are_mended_on_screen(served: Served) -> None:
    survey = served.surveys[0]
    tape = [*(2**31 + place for place in range(4)), 5, 10, 2**32 - 1]
    with started() as driver:
        script = f"crypto.getRandomValues = (words) => words.set({json.dumps(tape)});"
        run_before_every_page(driver, script)
        page = Page(driver, served.links[0]).open()
        said = "Chance decides once for these answers together: “Doped”, “The coach knew”."
        assert said in driver.page_source
        page.proceed()
        for choice in ("doped-0", "slept-1", "knew-1"):
            page.answer([choice])
            page.proceed()
        cannot = "This cannot be true together with your answer to “Doped”. Change one of the two."
        assert page.mistakes() == [cannot]
        assert not page.all("[data-answers]")
        page.answer(["knew-2"])
        page.proceed()
        # Nobody comes by it by changing the other answer afterwards.
        page.change("doped")
        page.answer(["doped-1"])
        page.proceed()
        assert page.mistakes() == []
        assert not page.all("[data-answers]")
        page.proceed()
        assert page.mistakes() == [cannot]
        page.answer(["knew-0"])
        page.proceed()
        expected = draw_report(survey, [1, 1, 0], vectors.source_of(tape))
        assert page.preview() == json.loads(expected.to_json())
        assert page.send() == "stored"
