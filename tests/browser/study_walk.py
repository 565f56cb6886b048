"""A study by hand, in a browser at the desk: from the form to both programs of its zip."""

import csv
import shutil
import subprocess
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from deniable.cli.main import commands
from tests.browser.page import PATIENCE, Page
from tests.browser.serving import Served
from tests.kit import url_for

SLUG = "practices"

LONG = 4 * PATIENCE
"""Seconds to wait: a number's new design takes the desk seconds, with nothing beside it."""

BEFORE, AFTER = 441, 362
"""People who answer before a typo is corrected, and after it."""

GERMAN = {
    "Practices": "Praktiken",
    "A study of what researchers do.": "Eine Studie darüber, was Forschende tun.",
    "Have you changed a hypothesis after the results?": "Haben Sie eine Hypothese nach den "
    "Ergebnissen geändert?",
    "No": "Nein",
    "Yes": "Ja",
    "In which field do you work?": "In welchem Fach arbeiten Sie?",
    "Humanities": "Geisteswissenschaften",
    "Life": "Lebenswissenschaften",
    "Natural": "Naturwissenschaften",
    "Social": "Sozialwissenschaften",
    "Did your superviser know?": "Wusste Ihre Betreuung davon?",
    "I had none": "Ich hatte keine",
    "What have you done?": "Was haben Sie getan?",
    "Left data out": "Daten weggelassen",
    "Stopped early": "Früh aufgehört",
    "Rounded a p-value": "Einen p-Wert gerundet",
    "What do you earn, in euros?": "Was verdienen Sie, in Euro?",
    "Which is true of you?": "Was trifft auf Sie zu?",
    "I made data up": "Ich habe Daten erfunden",
    "I never made data up": "Ich habe nie Daten erfunden",
    "How often?": "Wie oft?",
    "Never": "Nie",
    "Once": "Einmal",
    "Often": "Oft",
}

STUDY = {
    "direct": ("In which field do you work?", "Humanities\nLife\nNatural\nSocial"),
    "single": ("Did your superviser know?", "No\nYes\nI had none"),
    "many": ("What have you done?", "Left data out\nStopped early\nRounded a p-value"),
    "number": ("What do you earn, in euros?", None),
    "statement": ("Which is true of you?", None),
    "grid": ("How often?", None),
}
"""By kind: words and answers; with the question of a new draft they are seven."""

NAMES = {
    **{"direct": "field", "single": "superviser_know", "many": "done"},
    **{"number": "earn_in_euros", "statement": "q_true", "grid": "often"},
}
"""By kind: the name that follows a question's words."""

HYPOTHESIS, FIELD, TRUE = "changed_a_hypothesis", NAMES["direct"], NAMES["statement"]


@dataclass
class Walk:
    """A desk in a browser, and each click, key command and filled field there."""

    desk: webdriver.Chrome
    look: Callable[[webdriver.Chrome, str, str], None]  # at a page, from a selector on
    steps: list[str] = field(default_factory=list)

    def one(self, selector: str) -> WebElement:
        """Wait until an element is shown."""
        # A page may be drawn anew in this very moment.
        wait = WebDriverWait(self.desk, LONG, ignored_exceptions=[StaleElementReferenceException])
        found = wait.until(
            lambda _: next((one for one in self.all(selector) if one.is_displayed()), None)
        )
        assert found is not None
        return found

    def all(self, selector: str) -> list[WebElement]:
        return self.desk.find_elements(By.CSS_SELECTOR, selector)

    def seen(self, selector: str) -> WebElement:
        self.steps.append(selector)
        found = self.one(selector)
        self.desk.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
        return found

    def click(self, selector: str) -> None:
        self.seen(selector).click()

    def type(self, selector: str, text: str) -> None:
        self.seen(selector).send_keys(Keys.CONTROL, "a", Keys.NULL, text, Keys.TAB)

    def choose(self, selector: str, value: str) -> None:
        Select(self.seen(selector)).select_by_value(value)

    def publish(self) -> None:
        self.click("#publish")
        wait = WebDriverWait(self.desk, LONG)
        wait.until(lambda _: self.desk.current_url.endswith("/publish"))
        self.click("#publish")
        there = url_for("collection.page", slug=SLUG)
        wait.until(lambda _: self.desk.current_url.endswith(there))


def write(walk: Walk) -> None:
    """Write the questions of the study, one of which is moved, and one deleted by mistake."""
    walk.click("#write button")
    walk.type("#first-title", "Practices")
    walk.type("#first-introduction", "A study of what researchers do.")
    walk.type("#first-organisation", "Institute of Metascience")
    walk.click("#q-q1-card > summary")
    walk.type("#q-q1-text", "Have you changed a hypothesis after the results?")
    for at, (kind, (words, answers)) in enumerate(STUDY.items(), start=2):
        walk.click("#add")
        walk.one(f"#add-{kind}").click()  # without a scroll, at which the menu may turn over
        walk.type(f"#q-q{at}-text", words)
        id = f"q-{NAMES[kind]}"
        if answers:
            walk.type(f"#more-{id}-answers", answers)
        if at == 3:
            walk.choose(f"#{id}-ask_if-1-item", HYPOTHESIS)
            walk.click(f'#{id}-card .need input[value="yes"]')
        elif kind == "number":
            walk.type(f"#{id}-max", "200")
        elif kind == "statement":
            walk.type(f"#{id}-statements-0", "I never made data up")
            walk.type(f"#{id}-statements-1", "I made data up")
    walk.type("#q-often-answers > li:last-child textarea", "Often")
    walk.seen(f"#q-{FIELD}-handle").send_keys(Keys.ARROW_UP)
    walk.one(f"#cards > li:first-child#q-{FIELD}")
    assert walk.desk.switch_to.active_element.get_attribute("id") == f"q-{FIELD}-handle"
    walk.click("#q-often-remove")
    walk.one(f"#cards > li:last-child#q-{TRUE}")
    walk.click("#undo")
    walk.one("#q-often")
    walk.click("#plan-card > summary")
    walk.type("#plan-people", "800")
    walk.click("#whole > summary")
    slide = (
        "arguments[0].value = 6; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))"
    )
    walk.desk.execute_script(slide, walk.seen("#whole-epsilon"))


def translate(walk: Walk) -> None:
    """Fill the column of a second language."""
    walk.click("#tab-languages")
    walk.choose("#new-language", "de")
    walk.click("#add-language")
    walk.one("#languages textarea[lang=de]")
    for cell in walk.all("#languages textarea[lang=de]"):
        id = str(cell.get_attribute("id"))
        (row,) = cell.find_elements(By.XPATH, "ancestor::tr")
        text = row.find_element(By.CSS_SELECTOR, "textarea").get_attribute("value") or ""
        if not cell.get_attribute("value") and text in GERMAN:
            walk.type(f"#{id}", GERMAN[text])


def study(served: Served, walk: Walk, folder: Path, visit: Callable[[str], None]) -> int:
    """Make a study, have people answer it and analyse it; return how many steps it took.

    `visit`: follows a link that was given out before the typo was corrected.
    """
    desk = walk.desk
    parameters = {"behavior": "allow", "downloadPath": str(folder)}
    desk.execute_cdp_cmd("Browser.setDownloadBehavior", parameters)
    write(walk)
    walk.look(desk, "1-form", f"#q-{HYPOTHESIS}-card")
    translate(walk)
    walk.look(desk, "2-languages", "#missing")
    walk.publish()
    walk.look(desk, "3-open", "h1")
    people = invite(walk, folder)
    walk.look(desk, "4-merge-file", "#merge")
    answer(served, people[:BEFORE], folder, seed=4)
    correct(walk)
    visit(people[0]["link"])
    answer(served, people[BEFORE:], folder, seed=5)
    collect(walk)
    analyse(walk)
    read_packet(walk)
    walk.click("[data-step=Paper] a")
    walk.click(f"input[value={FIELD}]")
    reproduce(download(walk, folder), BEFORE + AFTER)
    return len(walk.steps)


def invite(walk: Walk, folder: Path) -> list[dict[str, str]]:
    """Make a merge file of a list of people; return its lines."""
    walk.click("a[href$='invitations#merge']")
    names = "\n".join(f"Person {number}" for number in range(BEFORE + AFTER))
    walk.desk.execute_script("arguments[0].value = arguments[1]", walk.seen("#people"), names)
    walk.click("#merging [name=confirmed]")
    walk.click("#merging button")
    with arrived(folder, "*-merge.csv").open(encoding="utf-8-sig", newline="") as lines:
        return [*csv.DictReader(lines)]


def answer(served: Served, people: list[dict[str, str]], folder: Path, seed: int) -> None:
    """Have simulated devices answer by the links of people."""
    with served.opened() as store:
        survey = store.survey(SLUG)
        (folder / "study.yaml").write_text(store.source(SLUG, survey.revision))
    codes = [(one["link"].partition("code=")[2], one["link"]) for one in people]
    (folder / "codes.csv").write_text("\n".join(["code,link", *map(",".join, codes)]))
    command = f"simulate {folder / 'study.yaml'} -n {len(people)} --seed {seed} --add --codes"
    rates = ["--rate", f"{HYPOTHESIS}.yes=25%", "--rate", f"{TRUE}.yes=10%"]
    link = people[0]["link"].partition("#")[0]
    typed = [*command.split(), str(folder / "codes.csv"), *rates, "--url", link]
    result = CliRunner().invoke(commands, typed)
    assert result.exit_code == 0, result.output


def correct(walk: Walk) -> None:
    """Correct the typo and one in a row: translations are marked, and all is counted on."""
    walk.click("[data-step=Write] button")
    walk.click("#q-superviser_know-card summary")
    walk.type("#q-superviser_know-text", "Did your supervisor know?")
    more = Walk(walk.desk, walk.look)  # beyond the study's task: not counted
    more.click("#q-often-card summary")
    more.seen("#q-often-rows-first_row-text").clear()
    more.type("#q-often-rows-first_row-text", "First rows")
    walk.click("#tab-languages")
    walk.one("#languages .mark")
    assert [mark.text for mark in walk.all("#languages .mark")].count("out of date") == 1
    walk.click("#publish")
    walk.one("#corrections")
    walk.look(walk.desk, "5-correction", "h1")
    walk.click("#publish")
    walk.one("#schedule")


def collect(walk: Walk) -> None:
    """Look how it goes, and close the survey."""
    walk.click("[data-step=Collect] a")
    walk.look(walk.desk, "6-collect", "h1")
    walk.click("[data-step=Open] a")
    walk.click("button[value=closed]")
    walk.one("button[value=open]")
    walk.click("[data-step=Analyse] a")
    assert walk.one("dl.facts").text == f"People who answered\n{BEFORE + AFTER}"
    walk.look(walk.desk, "7-results", "section.question")


def analyse(walk: Walk) -> None:
    """Compare, cross and regress."""
    for kind, chosen in (
        ("compare", {"item": HYPOTHESIS, "by": FIELD}),
        ("cross", {"first": HYPOTHESIS, "second": TRUE}),
        ("regress", {"formula": f"earn_in_euros ~ {FIELD}"}),
    ):
        walk.click(f"nav.tabs a[href*='/{kind}']")
        for name, value in chosen.items():
            if kind == "regress":
                walk.type(f"form [name={name}]", value)
            else:
                walk.choose(f"form [name={name}]", value)
        walk.click("main form.choice button")
        walk.one("#found")
        assert walk.all("main tbody tr")
        if kind != "regress":
            walk.look(walk.desk, {"compare": "8-compare", "cross": "9-cross"}[kind], "form.choice")


def read_packet(walk: Walk) -> None:
    """Read the packet in German, and the preregistration."""
    walk.click("[data-step=Ethics] a")
    walk.choose("[name=language]", "de")
    walk.click("form.screen button")
    assert "Praktiken" in walk.one("html[lang=de] h1").text
    walk.look(walk.desk, "10-packet", "h1")
    walk.click("nav.screen a[href*=preregistration]")
    assert "800 Befragte geplant" in walk.one("main").text


def download(walk: Walk, folder: Path) -> Path:
    """Download the zip with what is ticked on its page, and unpack it."""
    walk.click("button[formaction]")
    with zipfile.ZipFile(arrived(folder, "*.zip")) as archive:
        archive.extractall(folder)
        return folder / archive.namelist()[0].partition("/")[0]


def arrived(folder: Path, pattern: str) -> Path:
    """Wait for a file that is downloaded."""
    end = time.monotonic() + LONG
    while not (found := [*folder.glob(pattern)]):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found[0]


def reproduce(folder: Path, people: int) -> None:
    """Run the program of the zip where R is installed: it recomputes its estimates."""
    if rscript := shutil.which("Rscript"):
        program = [rscript, str(folder / "reproduce.R")]
        ended = subprocess.run(program, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert "All is as it should be." in ended.stdout
    assert (folder / "reports.csv").read_text().count("\n") == people + 1


def lead_in(desk: webdriver.Chrome, link: str) -> None:
    """Follow a link of before the correction: the page shows what was corrected, and goes on."""
    page = Page(desk, link).open_afresh()
    assert page.screen() == "corrected"
    page.click("[data-screen=corrected] button")
    assert page.screen() == "start"
