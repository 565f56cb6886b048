"""Take the pictures of the documentation: ``python -m tools.pictures``."""

import doctest
import io
import re
import shlex
import time
from base64 import b64encode
from collections.abc import Sequence
from contextlib import chdir
from functools import partial, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote, urljoin

from click.testing import CliRunner
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By

from deniable.cli.main import commands
from deniable.server.desk.editor.starters import ready_questions
from deniable.server.desk.live import session
from tests.browser.chromium import chromium, run_before_every_page
from tests.browser.desk_stations import a_meeting, desks
from tests.browser.looks import Look, emulate, resize, screenshot, show_as_usual, whole_page
from tests.browser.page import Page, follow
from tests.browser.serving import Served, serving
from tests.browser.study_walk import Walk, study
from tests.kit import at, url_for
from tests.kit.surveys import everybody_answers_all
from tests.test_docs import PYTHON, SAVED, save_files

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"

COMMANDS = (
    "simulate {survey} -n 2000 --rate answer.yes=20% --seed 7 --store sqlite:///{store}",
    "close {survey} --store sqlite:///{store}",
)
"""The commands that README runs on its survey. A closed survey holds no report back."""

# The picture shows a no that is sent as a yes, whose chance is one in four.
NO_SENT_AS_YES = "crypto.getRandomValues = (words) => words.fill(4_000_000_000);"

PHONE = Look(375, "light")

SMALL = (360, 640)
"""A small phone, on which a question has to fit."""

GAP = 40

SCALE = 1.5

PANEL, PANEL_SCALE = (300, 420), 1.6
"""A panel's size in CSS pixels. Three panels must be readable on a page of 830 pixels."""

HANDS, WALL = (375, 720), (1280, 720)

LED = "return document.body.dataset.step === 'point'"

CAPTIONS = ("You answer No", "Your browser sends Yes", "21 % of 2,000 meant yes")

SCHEMES = ("light", "dark")

COMPONENT = 800
"""The width of a page whose parts are shown as components."""

STUDY = (1000, 680)
"""The size of a picture of the desk with a study."""

SHEET = """
body { background: #fff; display: flex; font: 1.4rem system-ui, sans-serif; gap: 12px;
  margin: 12px; }
figure { margin: 0; }
figcaption { font-weight: bold; padding: 0 0 12px; text-align: center; }
img { border: 1px solid #888; border-radius: 12px; display: block; width: 300px; }
b { align-self: center; color: #b33c00; font-size: 2.4rem; }
"""


def respondents_side(served: Served) -> list[Image.Image]:
    """Answer no, and take pictures of the answer and of the report that will leave the browser."""
    with chromium() as driver:
        run_before_every_page(driver, NO_SENT_AS_YES)
        page = Page(driver, served.links[0])
        resize(driver, *PANEL)
        page.open()
        page.answer(["answer-0"])
        answered = panel(driver, "fieldset")
        page.preview()
        return [answered, panel(driver, "form > details dl")]


def panel(driver: webdriver.Chrome, selector: str) -> Image.Image:
    """Take a picture of a small phone, scrolled to a part of the page."""
    resize(driver, *PANEL, PANEL_SCALE)
    part = driver.find_element(By.CSS_SELECTOR, selector)
    driver.execute_script("document.activeElement.blur(); arguments[0].scrollIntoView()", part)
    return screenshot(driver, *PANEL, PANEL_SCALE)


def three_panels(panels: Sequence[Image.Image]) -> Image.Image:
    """Join pictures side by side, each below its caption, with arrows between them."""
    shown = zip(CAPTIONS, map(embedded, panels), strict=True)
    figures = "<b>→</b>".join(
        f"<figure><figcaption>{caption}</figcaption><img src='{url}'></figure>"
        for caption, url in shown
    )
    with chromium() as driver:
        driver.get("data:text/html;charset=utf-8," + quote(f"<style>{SHEET}</style>{figures}"))
        width = len(panels) * (PANEL[0] + GAP) + GAP
        resize(driver, width, 100)
        height = driver.execute_script("return document.body.scrollHeight")
        return screenshot(driver, width, height, PANEL_SCALE)


def embedded(picture: Image.Image) -> str:
    """Return a picture as a data URL."""
    written = io.BytesIO()
    picture.save(written, "png")
    return f"data:image/png;base64,{b64encode(written.getvalue()).decode()}"


def way_of_a_respondent(served: Served) -> Image.Image:
    """Take pictures of a respondent's screens from first to last, as on a phone."""
    with chromium() as driver:
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        page = Page(driver, served.links[1])
        page.open()
        screens = [whole_page(driver, PHONE)]
        # The fourth question, with its numbers.
        for answers in (["no_ticket-1"], ["risks-1"], ["fear-0-2", "fear-1-0"]):
            page.proceed()
            page.answer(answers)
        page.proceed()
        page.answer(["drinks-2"])
        screens.append(whole_page(driver, PHONE))
        page.proceed()
        page.answer(["age-1"])
        page.proceed()
        screens.append(whole_page(driver, PHONE))
        page.send()
        screens.append(whole_page(driver, PHONE))
    return reduce(beside, screens)


def first_screens() -> None:
    """Take pictures of a first screen, a question and a last screen on a small phone."""
    texts = [
        (ROOT / "examples" / f"{name}.yaml").read_text() for name in ("doping", "journeys", "shops")
    ]
    with serving(*texts) as served, chromium() as driver:
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        english, *others = served.links
        page = Page(driver, english)
        page.open_afresh()
        taken = [screenshot(driver, *SMALL)]
        page.proceed()
        taken.append(screenshot(driver, *SMALL))
        page.answer(["doped-0"])
        page.to_review()
        page.send()
        taken.append(screenshot(driver, *SMALL))
        for link, language in zip(others, ("de", "ar"), strict=True):
            driver.get("about:blank")
            page = Page(driver, f"{link}#lang={language}")
            page.open_afresh()
            taken.append(screenshot(driver, *SMALL))
    picture = reduce(beside, taken).quantize(64)
    picture.save(PICTURES / "first-screens.png", optimize=True)


def researchers_side(served: Served) -> tuple[Image.Image, Image.Image]:
    """Take pictures of the question's results: on a phone, and with its details."""
    with chromium() as driver:
        served.enter_desk(driver)
        resize(driver, *PANEL)
        driver.get(served.desk + url_for("results.page", slug=served.surveys[0].slug))
        # In so small a picture, the study's name above would hide the question.
        driver.execute_script("document.querySelector('.study').style.position = 'static'")
        estimated = panel(driver, "section.question")
        screenshot(driver, 1000, 480, SCALE)
        question = driver.find_element(By.CSS_SELECTOR, "section.question")
        details = question.find_element(By.CSS_SELECTOR, "details")
        driver.execute_script(
            "arguments[1].open = true; arguments[0].scrollIntoView()", question, details
        )
        return estimated, screenshot(driver, 1000, 480, SCALE)


def way_of_a_study() -> None:
    """Take a picture of each step of a study, from the form to the packet."""

    def look(driver: webdriver.Chrome, name: str, selector: str) -> None:
        resize(driver, *STUDY)
        part = driver.find_element(By.CSS_SELECTOR, selector)
        driver.execute_script("document.activeElement.blur(); arguments[0].scrollIntoView()", part)
        if driver.find_elements(By.CSS_SELECTOR, "iframe"):
            time.sleep(3)  # of another site: nothing here tells when it is drawn
        screenshot(driver, *STUDY).quantize(64).save(PICTURES / f"study-{name}.png", optimize=True)
        show_as_usual(driver)

    with TemporaryDirectory() as folder, serving() as served, chromium(alone=True) as driver:
        served.enter_desk(driver)
        study(served, Walk(driver, look), Path(folder), lambda _: None)


def way_of_a_lesson() -> None:
    """Take a picture of a meeting of 28: a phone with its answer, the presenter, the projector."""
    with serving(ready_questions()["last-digit"]) as served, served.opened() as store:
        meeting = a_meeting(store, "", served.surveys[0], people=27)
        with chromium() as driver:
            run_before_every_page(driver, NO_SENT_AS_YES)
            resize(driver, *HANDS)
            emulate(driver, {"prefers-reduced-motion": "reduce"})
            page = Page(driver, urljoin(served.links[0], at(meeting.slug())))
            page.open()
            page.answer(["last_digit-0"])
            page.proceed()
            page.wait(lambda: page.is_there(".fell[data-sent]"))
            page.click("details.secret summary")
            driver.execute_script("document.activeElement.blur(); scrollTo(0, 0)")
            phone = screenshot(driver, *HANDS)
        with chromium() as driver:
            served.enter_desk(driver)
            session.change(store, meeting.id, partial(session.go, step="point"))
            shown = []
            for address, size in (("live.page", HANDS), ("projector.page", WALL)):
                resize(driver, *size)
                driver.get(served.desk + url_for(address, meeting=meeting.id))
                page.wait(partial(driver.execute_script, LED))
                shown.append(screenshot(driver, *size))
    picture = reduce(beside, [phone, *shown]).quantize(128)
    picture.save(PICTURES / "lesson.png", optimize=True)


def beside(left: Image.Image, right: Image.Image) -> Image.Image:
    """Join two pictures side by side."""
    size = (left.width + GAP + right.width, max(left.height, right.height))
    both = Image.new("RGB", size, "#c9d3d4")
    both.paste(left, (0, 0))
    both.paste(right, (left.width + GAP, 0))
    return both


def components() -> None:
    """Take a picture of each component of the desk, in light and in dark, one below the other."""
    begin, find = "#write button", "#find"
    with desks() as desk:
        driver = desk.driver
        rows = []
        for path, steps, selectors in (
            (url_for("surveys.index"), (), ("body > header", "#surveys", ".starts")),
            (
                url_for("results.page", slug="season"),
                (),
                (".study", ".steps", ".tabs", ".facts", "section.question", "[data-moves]"),
            ),
            (url_for("account.page"), (), (".rows", ".fields")),
            (url_for("surveys.index"), (begin, find), ("#cards", ".ways")),
        ):
            desk.get(path)
            for step in steps:
                follow(driver, step)
            rows += [
                reduce(beside, [_part(driver, selector, one) for one in SCHEMES])
                for selector in selectors
            ]
    picture = Image.new("RGB", (rows[0].width, sum(one.height + GAP for one in rows)), "#c9d3d4")
    top = 0
    for row in rows:
        picture.paste(row, (0, top))
        top += row.height + GAP
    picture.quantize(128).save(PICTURES / "components.png", optimize=True)


def _part(driver: webdriver.Chrome, selector: str, scheme: str) -> Image.Image:
    """Take a picture of a part of the page, with the margin that it has there."""
    whole = whole_page(driver, Look(COMPONENT, scheme))
    top, height = driver.execute_script(
        "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return [box.top + scrollY, box.height]",
        selector,
    )
    return whole.crop((0, max(int(top) - 8, 0), whole.width, int(top + height) + 8))


def course() -> None:
    """Draw the figure at the end of each chapter of the course, by the chapter's own commands."""
    for page in sorted((ROOT / "docs").glob("analysis-*.md")):
        text = page.read_text(encoding="utf-8")
        with TemporaryDirectory() as folder, chdir(folder):
            save_files(text, Path(folder))
            session = doctest.DocTestParser().get_doctest(
                "\n".join(PYTHON.findall(text)), {}, page.name, None, None
            )
            doctest.DocTestRunner(verbose=False).run(session)
            typed = re.findall(r"`deniable ((?:simulate|analyse) .* (?:-o|--figure) \S+)`", text)
            for words in map(shlex.split, typed):
                CliRunner().invoke(commands, words, catch_exceptions=False)
            drawn = Image.open(shlex.split(typed[-1])[-1]).convert("RGBA")
            white = Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn)
            picture = PICTURES / f"course-{page.name.split('-')[1]}.png"
            white.convert("RGB").quantize(64).save(picture, optimize=True)


def main() -> None:
    """Take the pictures."""
    PICTURES.mkdir(exist_ok=True)
    ((_, name, text),) = SAVED.findall((ROOT / "README.md").read_text())
    with TemporaryDirectory() as folder:
        survey = Path(folder, name)
        survey.write_text(text)
        with serving(survey, everybody_answers_all()) as served:
            screens = way_of_a_respondent(served)
            # With all colours, so that amber differs from red.
            screens.save(PICTURES / "screens.png", optimize=True)
            panels = respondents_side(served)
            for command in COMMANDS:
                typed = command.format(survey=survey, store=served.store).split()
                CliRunner().invoke(commands, typed, catch_exceptions=False)
            estimated, results = researchers_side(served)
            results.quantize(128).save(PICTURES / "results.png", optimize=True)
            three = three_panels([*panels, estimated])
            three.quantize(128).save(PICTURES / "both-sides.png", optimize=True)
    first_screens()
    way_of_a_study()
    way_of_a_lesson()
    components()
    course()


if __name__ == "__main__":
    main()
