"""One survey, the whole way: from the first line of its file to the numbers of a paper.

A researcher does it all at the desk, in a real browser. The respondents are five in real browsers,
one after the other, and 1,000 simulated ones.
"""

import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from deniable.cli.main import commands
from tests.browser.checks import problems
from tests.browser.chromium import chromium as started
from tests.browser.looks import Look, show_as_usual, show_on
from tests.browser.page import Page
from tests.browser.serving import Served, serving
from tests.browser.test_accessibility import check_with_axe
from tests.server.desk.urls import url_for

SURVEY = """\
version: 1
survey: ward
title: On the ward
introduction: A few questions, in five minuts.
epsilon: 2.2
ask: 2
chances: {error: 1, slept: 1, took: 1}
together: [error, signed]
questions:
  - id: error
    text: Have you made an error that nobody noticed?
    type: single
    answers: [No, Yes]
  - id: signed
    text: Have you signed for something that you did not do?
    type: single
    answers: [No, Yes]
  - {id: slept, text: Slept on duty, type: single, answers: [No, Yes]}
  - {id: took, text: Taken something home, type: single, answers: [No, Yes]}
  - id: ward
    text: Which ward do you work on?
    type: single
    answers: {a: Surgery, b: Medicine}
    protection: direct
  - id: years
    text: How many years have you worked here?
    type: number
    min: 0
    max: 4
    protection: direct
"""

CORRECTED = SURVEY.replace("minuts", "minutes")

MISTAKE = "type: singel"


WORD = "sea-lion-7"

SIMULATED = 500
"""Before the typo is corrected, and as many after it."""

ALL = 2 * SIMULATED + 5

OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


class Desk:
    """The desk in a browser that has signed in."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.origin = origin

    def get(self, path: str) -> None:
        self.page.driver.get(self.origin + path)

    def press(self, selector: str, then: str) -> None:
        """Press something, and wait until the address ends so."""
        self.page.click(selector)
        self.page.wait(lambda: re.split("[?#]", self.page.driver.current_url)[0].endswith(then))

    def more(self, page: str) -> None:
        """Go to another page of the survey, by its way on the one that is shown."""
        self.page.driver.execute_script(OPEN_ALL)
        self.press(f"nav a[href$='/{page}']", f"/{page}")

    def look(self) -> None:
        """Look at the page as it is on a phone and on a desk."""
        self.page.driver.execute_script(OPEN_ALL)
        for look in (Look(375, "dark"), Look(1280, "light")):
            show_on(self.page.driver, look)
            check_with_axe(self.page.driver)
            assert not any(problems(self.page.driver, "no wider than the screen").values())
        show_as_usual(self.page.driver)

    def in_editor(self, selector: str) -> list[WebElement]:
        return self.page.one("#editor").shadow_root.find_elements(By.CSS_SELECTOR, selector)

    def open_text(self) -> None:
        """Turn to the text of the draft."""
        self.page.wait(
            lambda: self.page.all("#tab-text") and self.page.one("#tab-text").is_displayed()
        )
        self.page.click("#tab-text")
        self.page.wait(lambda: self.page.one("#editor").is_displayed())

    def write(self, text: str) -> None:
        """Paste a text into the editor, in place of what is there."""
        self.page.wait(lambda: self.in_editor(".cm-content"))
        paste = "navigator.clipboard.writeText(arguments[0]).then(arguments[1])"
        self.page.driver.execute_async_script(paste, text)
        self.in_editor(".cm-content")[0].click()
        keys = ActionChains(self.page.driver)
        keys.key_down(Keys.CONTROL).send_keys("av").key_up(Keys.CONTROL).perform()

    def checked(self, selector: str) -> list[WebElement]:
        return self.page.all(f"#checked {selector}")

    def publish(self) -> set[str]:
        """Publish the draft; return the questions that go on being counted."""
        self.press("#publish", "/publish")
        counted = {
            one.get_attribute("data-question") or ""
            for one in self.page.all("[aria-labelledby=same] li")
        }
        self.press("#publish", url_for("collection.page", slug="ward"))
        return counted


@pytest.fixture
def served() -> Iterator[Served]:
    """Serve no survey at all."""
    with serving() as running:
        yield running


@pytest.fixture
def desk(served: Served, tmp_path: Path) -> Iterator[Desk]:
    with started(alone=True) as driver:
        parameters = {"behavior": "allow", "downloadPath": str(tmp_path)}
        driver.execute_cdp_cmd("Browser.setDownloadBehavior", parameters)
        permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"]
        driver.execute_cdp_cmd(
            "Browser.grantPermissions", {"origin": served.desk, "permissions": permissions}
        )
        served.enter_desk(driver)
        yield Desk(Page(driver, served.desk), served.desk)


def write_with_a_mistake_and_mend_it(desk: Desk) -> None:
    desk.press("main a[href$=drafts]", "/drafts")
    desk.page.click("form.choice button")
    desk.open_text()
    desk.write(SURVEY.replace("type: single", MISTAKE, 1))
    desk.page.wait(lambda: desk.checked("li[data-line='12']"))
    desk.page.click("#checked li[data-line='12'] button")
    keys = ActionChains(desk.page.driver)
    keys.send_keys(*[Keys.DELETE] * len("singel"), "single", Keys.ESCAPE).perform()
    desk.page.wait(lambda: desk.checked("tbody tr") and not desk.checked("li[data-line]"))


def plan(desk: Desk) -> None:
    desk.press("#plan", "/plan")
    assert "1,000" in desk.page.text("#as-asked")
    draft = desk.page.driver.current_url.split("/")[-2]
    for packet in (False, True):
        if packet:
            desk.press("#ethics", "/ethics")
        desk.press(f"a[href$='{draft}']", draft)
        desk.open_text()


def preview(desk: Desk) -> None:
    driver = desk.page.driver
    # A narrow screen has no room for the page of respondents beside the draft.
    driver.set_window_size(1280, 900)
    driver.refresh()
    desk.page.wait(lambda: "about:" not in str(desk.page.one("iframe.phone").get_attribute("src")))
    driver.switch_to.frame(desk.page.one("iframe.phone"))
    desk.page.wait(lambda: desk.page.screen() == "start")
    driver.switch_to.default_content()
    desk.look()
    desk.press("#try", url_for("preview.page", slug="trial.ward"))
    desk.look()
    driver.switch_to.frame(desk.page.one("iframe.phone"))
    desk.page.wait(lambda: desk.page.screen() == "start")
    answer(desk.page)
    assert desk.page.send() == "stored"
    driver.switch_to.default_content()
    driver.refresh()
    assert desk.page.one("#count").get_attribute("data-reports") == "1"
    desk.press("li[data-step=Write] a", driver.current_url.rpartition("=")[2])


def open_by_invitation(desk: Desk, folder: Path) -> list[str]:
    """Open the survey to who has the word and a code; return a line of the table for each code."""
    assert desk.publish() == set()
    desk.page.one("#access-word").send_keys(WORD)
    desk.page.click("#schedule ~ form.fields button")
    desk.page.wait(lambda: desk.page.all(".done"))
    desk.press("section a[href$='/invitations']", "/invitations")
    number = desk.page.one("#number")
    number.clear()
    number.send_keys(str(ALL))
    desk.page.click("[aria-labelledby=make] [name=confirmed]")
    desk.page.click("button[value=csv]")
    header, *lines = arrived(folder, "*.csv").read_text().splitlines()
    assert header.split(",") == ["code", "link"]
    return lines


OWN = {"error": 0, "signed": 1, "slept": 0, "took": 1, "ward": 0, "years": 2}


def answer(page: Page) -> None:
    """Answer whatever chance has drawn: both of the pair, or neither."""
    asked: list[str] = []
    while not page.is_there("[data-answers]"):
        here = [one.get_attribute("id") or "" for one in page.all("fieldset.question")]
        here = [id for id in here if id in OWN]  # and not the access word
        page.answer([f"{id}-{OWN[id]}" for id in here])
        asked += here
        page.proceed()
    assert ("error" in asked) == ("signed" in asked)
    assert len(asked) == 4 + ("error" in asked)


def answer_as_somebody(driver: webdriver.Chrome, line: str, *, was_corrected: bool = False) -> None:
    """Follow the link of a code, as on a device of one's own."""
    page = Page(driver, line.partition(",")[2])
    driver.get("about:blank")  # what differs behind the sign "#" alone loads nothing anew
    page.open_afresh()
    if was_corrected:  # since the link was made, and so the page says
        assert page.screen() == "corrected"
        page.click("[data-screen=corrected] button")
    while not page.all("#Pin-word"):
        page.proceed()
    page.one("#Pin-word").send_keys(WORD)
    answer(page)
    assert page.send() == "stored"


def simulate(link: str, text: str, lines: list[str], folder: Path, seed: int) -> None:
    file, codes = folder / "ward.yaml", folder / "codes.csv"
    file.write_text(text)
    codes.write_text("\n".join(["code,link", *lines]))
    command = f"simulate {file} -n {SIMULATED} --seed {seed} --rate error.yes=0.3 --add"
    result = CliRunner().invoke(
        commands, [*command.split(), "--codes", str(codes), "--access-word", WORD, "--url", link]
    )
    assert result.exit_code == 0, result.output


def correct_a_typo(desk: Desk) -> None:
    desk.get(url_for("results.page", slug="ward"))
    desk.page.click("li[data-step=Write] button")
    desk.open_text()
    desk.write(CORRECTED)
    assert desk.publish() == {*OWN}


def watch_and_close(desk: Desk) -> None:
    desk.press("nav.steps a[href$=status]", "/status")
    # 10 to 19 are held back while it is open, of both wordings together.
    assert ALL - 19 <= int(desk.page.text("#reports")) <= ALL - 10
    assert len(desk.page.all("section.question")) == len(OWN)
    desk.look()
    desk.press("nav.steps a[href$=collect]", "/collect")
    desk.page.click("button[value=closed]")
    desk.page.wait(lambda: desk.page.all("button[value=open]"))


def look_at_the_results(desk: Desk) -> None:
    desk.press("nav.steps a[href$=ward]", url_for("results.page", slug="ward"))
    # All of them count, although the introduction differs.
    assert f"Reports\n{ALL:,}\n" in desk.page.text("dl.facts")
    desk.look()


def analyse(desk: Desk) -> None:
    for kind, chosen in (
        ("compare", {"item": "error", "by": "ward"}),
        ("cross", {"first": "error", "second": "signed"}),
        ("regress", {"formula": "error ~ years + ward"}),
    ):
        desk.get(url_for("results.page", slug="ward"))
        desk.press(f"nav.ways a[href*='/{kind}']", f"/{kind}")
        for name, value in chosen.items():
            field = desk.page.one(f"form [name={name}]")
            if field.tag_name == "select":
                field.find_element(By.CSS_SELECTOR, f"option[value='{value}']").click()
            else:
                field.clear()
                field.send_keys(value)
        desk.page.click("main form.choice button")
        desk.page.wait(lambda: desk.page.all("#found"))
        assert desk.page.all("main tbody tr")


def download(desk: Desk, folder: Path) -> Path:
    desk.get(url_for("results.page", slug="ward"))
    desk.more("paper")
    for item in ("ward", "years"):
        desk.page.click(f"input[value={item}]")
    desk.page.click("button[formaction]")
    with zipfile.ZipFile(arrived(folder, "*.zip")) as archive:
        archive.extractall(folder)
        return folder / archive.namelist()[0].partition("/")[0]


def arrived(folder: Path, pattern: str) -> Path:
    """Wait for a file that is downloaded."""
    end = time.monotonic() + 20
    while not (found := [*folder.glob(pattern)]):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found[0]


def reproduce(folder: Path) -> None:
    programs = [[sys.executable, "-I", str(folder / "reproduce.py")]]
    if rscript := shutil.which("Rscript"):
        programs.append([rscript, str(folder / "reproduce.R")])
    for program in programs:
        ended = subprocess.run(program, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert "All is as it should be." in ended.stdout
    assert (folder / "reports.csv").read_text().count("\n") == ALL + 1
    assert "error+signed" in (folder / "estimates.csv").read_text()


@pytest.mark.slow
def test_from_an_idea_to_a_paper(
    served: Served, desk: Desk, chromium: webdriver.Chrome, tmp_path: Path
) -> None:
    write_with_a_mistake_and_mend_it(desk)
    plan(desk)
    preview(desk)
    codes = open_by_invitation(desk, tmp_path)
    link = codes[0].partition(",")[2].partition("#")[0]
    for code in codes[:2]:
        answer_as_somebody(chromium, code)
    simulate(link, SURVEY, codes[5 : 5 + SIMULATED], tmp_path, seed=4)
    correct_a_typo(desk)
    simulate(link, CORRECTED, codes[5 + SIMULATED :], tmp_path, seed=5)
    for code in codes[2:5]:
        answer_as_somebody(chromium, code, was_corrected=True)
    watch_and_close(desk)
    look_at_the_results(desk)
    analyse(desk)
    reproduce(download(desk, tmp_path))
    log = desk.page.driver.get_log("browser")  # type: ignore[no-untyped-call]  # selenium's gap
    assert [entry for entry in log if entry["level"] == "SEVERE"] == []
