"""Questions that are randomised as one answer, in a real browser."""

import json
from pathlib import Path
from urllib.parse import urljoin

import pytest
from click.testing import CliRunner
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from deniable.cli.main import commands
from deniable.client.respondent import draw_report
from tests import vectors
from tests.browser.chromium import chromium as started
from tests.browser.chromium import run_before_every_page
from tests.browser.conftest import serves
from tests.browser.page import PATIENCE, Page
from tests.browser.serving import Served
from tests.browser.study_walk import SLUG, Walk, download, reproduce
from tests.kit import at
from tests.kit.surveys import TOGETHER, together

CONTENT = ".cm-content"

TAPE = [2**31 + place for place in range(4)]

served = serves(together(2, 2), TOGETHER)
"""Two questions as one answer, and a question with its follow-up."""


@pytest.mark.promise("ledger")
@pytest.mark.parametrize("words", [[10, 2**32 - 1], [2**32 - 1, 10], [3 * 2**30, 3 * 2**30]])
def test_two_answers_are_sent_as_one(served: Served, words: list[int]) -> None:
    survey = served.surveys[0]
    tape = [*TAPE[:3], words[0], *words]
    with started() as driver:
        script = f"crypto.getRandomValues = (words) => words.set({json.dumps(tape)});"
        run_before_every_page(driver, script)
        page = Page(driver, served.links[0])
        page.open()
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
        page = Page(driver, served.links[1])
        page.open()
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


ASKED = f"""\
version: 1
survey: {SLUG}
title: On the ward
epsilon: 2.2
ask: 2
chances: {{error: 1, slept: 1, took: 1}}
together: [error, signed]
questions:
  - {{id: error, text: Made an error, type: single, answers: [No, Yes]}}
  - {{id: signed, text: Signed for others, type: single, answers: [No, Yes]}}
  - {{id: slept, text: Slept on duty, type: single, answers: [No, Yes]}}
  - {{id: took, text: Taken something home, type: single, answers: [No, Yes]}}
"""


@pytest.mark.slow
def test_two_of_three_units_reach_both_programs(served: Served, tmp_path: Path) -> None:
    with started(alone=True) as desk, started() as phone:
        served.enter_desk(desk)
        down = {"behavior": "allow", "downloadPath": str(tmp_path)}
        desk.execute_cdp_cmd("Browser.setDownloadBehavior", down)
        allowed = ["clipboardReadWrite", "clipboardSanitizedWrite"]
        desk.execute_cdp_cmd(
            "Browser.grantPermissions", {"origin": served.desk, "permissions": allowed}
        )
        walk = Walk(desk, lambda *_: None)
        walk.click("#write button")
        walk.click("#tab-text")
        within = walk.one("#editor").shadow_root
        WebDriverWait(desk, PATIENCE).until(lambda _: within.find_elements("css selector", CONTENT))
        desk.execute_async_script(
            "navigator.clipboard.writeText(arguments[0]).then(arguments[1])", ASKED
        )
        within.find_element("css selector", CONTENT).send_keys(Keys.CONTROL, "a", "v")
        walk.one("#checked tbody tr")
        walk.publish()
        link = urljoin(served.links[0], at(SLUG))
        for _ in range(3):
            page = Page(phone, link)
            page.open_afresh()
            asked = list[str]()
            while not page.is_there("[data-answers]"):
                here = page.questions()
                page.answer([f"{id}-1" for id in here])
                asked += here
                page.proceed()
            assert ("error" in asked) == ("signed" in asked)
            assert len(asked) == 2 + ("error" in asked)
            assert page.send() == "stored"
            page.driver.execute_script("localStorage.clear()")
        (tmp_path / "ward.yaml").write_text(ASKED)
        command = f"simulate {tmp_path / 'ward.yaml'} -n 1000 --seed 4 --add --url {link}"
        result = CliRunner().invoke(commands, command.split())
        assert result.exit_code == 0, result.output
        walk.click("button[value=closed]")
        walk.one("button[value=open]")
        walk.click("[data-step=Paper] a")
        folder = download(walk, tmp_path)
        reproduce(folder, 1003)
        assert "error+signed" in (folder / "estimates.csv").read_text()
