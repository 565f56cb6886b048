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
from tests.kit import first_of
from tests.kit.surveys import TOGETHER, together

TAPE = [2**31 + place for place in range(4)]
WORDS = [([10, 2**32 - 1],), ([2**32 - 1, 10],), ([3 * 2**30, 3 * 2**30],)]

served = serves(together(2, 2), TOGETHER)
"""Two questions as one answer, and a question with its follow-up."""


@pytest.mark.promise("ledger")
@pytest.mark.parametrize("words", first_of(WORDS))
def test_two_answers_are_sent_as_one(served: Served, words: list[int]) -> None:
    survey = served.surveys[0]
    tape = [*TAPE[:3], words[0], *words]
    with started() as driver:
        script = f"crypto.getRandomValues = (words) => words.set({json.dumps(tape)});"
        run_before_every_page(driver, script)
        page = Page(driver, served.links[0]).open()
        said = "Chance decides once for these answers together: “About q0”, “About q1”."
        assert said in driver.page_source
        page.proceed()
        for choice in ("q0-1", "q1-0"):
            page.answer([choice])
            page.proceed()
        expected = draw_report(survey, [1, 0], vectors.source_of(tape))
        assert page.preview() == json.loads(expected.to_json())
        assert page.send() == "stored"
        (kept,) = page.remembered().values()
        assert json.loads(kept)["spent"] == survey.spent_millionths


@pytest.mark.promise("branches")
def test_contradicting_answers_are_mended_on_screen(served: Served) -> None:
    survey = served.surveys[1]
    tape = [*TAPE, 5, 10, 2**32 - 1]
    with started() as driver:
        script = f"crypto.getRandomValues = (words) => words.set({json.dumps(tape)});"
        run_before_every_page(driver, script)
        page = Page(driver, served.links[1]).open()
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
