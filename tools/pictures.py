"""Take the pictures of the documentation: ``python -m tools.pictures``."""

import doctest
import io
import re
import shlex
import time
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir, contextmanager
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
from tests.browser.looks import DRAWN, Look, emulate, resize, screenshot, show_as_usual, whole_page
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
NO_SENT_AS_YES = (
    "crypto.getRandomValues = (words) => words.forEach((_, at) => (words[at] = 4e9 + at));"
)

SAME_DRAWS = "crypto.getRandomValues = (words) => words.forEach((_, at) => (words[at] = 1e9 + at));"
"""Which question is drawn, and where a spinner points, are the same in each picture."""

PHONE = Look(375, "light")

SMALL = (360, 640)
"""A small phone, on which a question has to fit."""

GAP = 40

SCALE = 1.5

PANEL, PANEL_SCALE = (330, 614), 1.5
"""A phone, as high as a wall and a desk, one below the other, are beside it."""

HANDS, WALL = (375, 720), (1120, 630)

DESK = (720, 405)
"""In the form of the wall, and small enough that the desk's letters can be read beside it."""

LED = "return document.body.dataset.step === 'point'"

CAPTIONS = (
    "A phone mixes in chance",
    "A wall shows a class what arrived",
    "A desk shows the rate, and never an answer",
)

GALLERY = {
    **{"doping": [], "ward": [], "wellbeing": ["Consent-0"]},
    **{"exams": ["year-0"], "shops": [], "season": []},
}
"""The examples in the gallery, each with what is ticked before its first protected question."""

SCHEMES = ("light", "dark")

COMPONENT = 800
"""The width of a page whose parts are shown as components."""

STUDY = (1280, 800)
"""The size of a picture of the desk with a study, at which a question folds to one line."""

SHEET = """
body { background: #fff; display: grid; font: 1rem system-ui, sans-serif; gap: 14px 18px;
  grid-template-columns: 330px 510px; margin: 12px; }
figure { margin: 0; }
figure:first-child { grid-row: span 2; }
figcaption { font-weight: bold; padding: 0 0 6px; }
img { border: 1px solid #888; border-radius: 10px; display: block; width: 100%; }
"""


def keep(picture: Image.Image, name: str, colours: int = 64) -> None:
    """Keep a picture in a few colours."""
    # The median cut would mix the few pixels of a warm tone, which has a meaning, into the greys.
    few = picture.quantize(colours, method=Image.Quantize.MAXCOVERAGE, kmeans=2)
    few.save(PICTURES / f"{name}.png", optimize=True)


def keep_desk(driver: webdriver.Chrome, name: str, selector: str) -> None:
    """Keep a picture of the desk from a part of its page on."""
    resize(driver, *STUDY)
    driver.execute_async_script(DRAWN)
    part = driver.find_element(By.CSS_SELECTOR, selector)
    driver.execute_script("document.activeElement.blur(); arguments[0].scrollIntoView()", part)
    if driver.find_elements(By.CSS_SELECTOR, "iframe"):
        time.sleep(3)  # of another site: nothing here tells when it is drawn
    keep(screenshot(driver, *STUDY), name)
    show_as_usual(driver)


@contextmanager
def on_phones(names: Iterable[str]) -> Iterator[tuple[Served, webdriver.Chrome]]:
    """Serve some examples to a browser that is touched."""
    texts = [(ROOT / "examples" / f"{name}.yaml").read_text() for name in names]
    with serving(*texts) as served, chromium() as driver:
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        yield served, driver


def respondents_side(served: Served) -> Image.Image:
    """Take a picture of the question, answered, on a phone."""
    with chromium() as driver:
        page = Page(driver, served.links[0])
        resize(driver, *PANEL)
        page.open()
        page.answer(["answer-0"])
        driver.execute_script("document.activeElement.blur(); scrollTo(0, 0)")
        return screenshot(driver, *PANEL, PANEL_SCALE)


def three_sides(pictures: Sequence[Image.Image]) -> Image.Image:
    """Join a phone, a wall and a desk, each below its caption."""
    shown = zip(CAPTIONS, map(embedded, pictures), strict=True)
    figures = "".join(
        f"<figure><figcaption>{caption}</figcaption><img src='{url}'></figure>"
        for caption, url in shown
    )
    with chromium() as driver:
        resize(driver, 882, 100)
        driver.get("data:text/html;charset=utf-8," + quote(f"<style>{SHEET}</style>{figures}"))
        height = driver.execute_script("return document.body.scrollHeight + 12")
        return screenshot(driver, 882, height, PANEL_SCALE)


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


def gallery() -> None:
    """Take a picture of the first question of each survey of the gallery."""
    with on_phones(GALLERY) as (served, driver):
        run_before_every_page(driver, SAME_DRAWS)
        for (name, ticked), link in zip(GALLERY.items(), served.links, strict=True):
            page = Page(driver, link)
            resize(driver, *SMALL)
            page.open_afresh()
            page.proceed()
            if ticked:
                page.answer(ticked)
                page.proceed()
            time.sleep(2)  # until the pointer of a spinner rests
            driver.execute_script("document.activeElement.blur(); scrollTo(0, 0)")
            keep(screenshot(driver, *SMALL), f"gallery-{name}", 32)


def first_screens() -> None:
    """Take pictures of a first screen, a question and a last screen on a small phone."""
    with on_phones(("doping", "journeys", "shops")) as (served, driver):
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
    keep(reduce(beside, taken), "first-screens")


def researchers_side(served: Served) -> tuple[Image.Image, Image.Image]:
    """Take pictures of the question's results: with the page, and with its details."""
    with chromium() as driver:
        served.enter_desk(driver)
        resize(driver, *DESK)
        driver.get(served.desk + url_for("results.page", slug=served.surveys[0].slug))
        question = driver.find_element(By.CSS_SELECTOR, "section.question")
        # Past the half of a line that is above it.
        driver.execute_script("arguments[0].scrollIntoView(); scrollBy(0, 11)", question)
        whole = screenshot(driver, *DESK, WALL[0] / DESK[0])
        screenshot(driver, 1000, 480, SCALE)
        details = question.find_element(By.CSS_SELECTOR, "details")
        driver.execute_script(
            "arguments[1].open = true; arguments[0].scrollIntoView()", question, details
        )
        return whole, screenshot(driver, 1000, 480, SCALE)


def way_of_a_study() -> None:
    """Take a picture of each step of a study, from the form to the packet."""
    with TemporaryDirectory() as folder, serving() as served, chromium(alone=True) as driver:
        served.enter_desk(driver)
        walk = Walk(driver, lambda at, name, part: keep_desk(at, f"study-{name}", part))
        study(served, walk, Path(folder), lambda _: None)


def first_survey() -> None:
    """Take the steps of the first tutorial, and a picture of three of them."""
    with serving() as served, chromium(alone=True) as driver:
        served.enter_desk(driver)
        walk = Walk(driver, lambda *_: None)
        walk.click("#write button")
        walk.type("#first-title", "On the ward")
        walk.type("#first-introduction", "Two questions for nurses, by Example University.")
        walk.click("#q-q1-card > summary")
        walk.type("#q-q1-text", "Have you signed for something that you had not done?")
        walk.click("#add")
        walk.one("#add-direct").click()
        walk.type("#q-q2-text", "On which kind of ward do you work?")
        walk.type("#more-q-kind_of_ward-answers", "Surgery\nMedicine")
        walk.click("#q-signed_for_something-card > summary")
        keep_desk(driver, "first-form", ".tabs")
        walk.click("[data-step=Try] button")
        walk.type("[name=people]", "1000")
        walk.click("form.choice button")
        walk.one("#count[data-reports='1000']")
        keep_desk(driver, "first-trial", "#phone")
        walk.click("#answers ~ p a.button")
        keep_desk(driver, "first-results", ".summing-up")


def way_of_a_lesson() -> Image.Image:
    """Take a picture of a meeting of 28: phone, presenter, projector; return the projector's."""
    with serving(ready_questions()["first-days"]) as served, served.opened() as store:
        meeting = a_meeting(store, "", served.surveys[0], people=27)
        with chromium() as driver:
            run_before_every_page(driver, NO_SENT_AS_YES)
            resize(driver, *HANDS)
            emulate(driver, {"prefers-reduced-motion": "reduce"})
            page = Page(driver, urljoin(served.links[0], at(meeting.slug())))
            page.open()
            page.answer(["first_days-0"])
            page.proceed()
            page.wait(lambda: page.is_there(".fell[data-sent]"))
            page.click("details.secret summary")
            driver.execute_script("document.activeElement.blur(); scrollTo(0, 0)")
            phone = screenshot(driver, *HANDS)
        with chromium() as driver:
            served.enter_desk(driver)
            session.change(store, meeting.id, lambda now: session.go(now, "point"))
            shown = []
            for address, size in (("live.page", HANDS), ("projector.page", WALL)):
                resize(driver, *size)
                driver.get(served.desk + url_for(address, meeting=meeting.id))
                page.wait(partial(driver.execute_script, LED))
                shown.append(screenshot(driver, *size))
    keep(reduce(beside, [phone, *shown]), "lesson", 128)
    return shown[-1]


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
            (url_for("surveys.index"), (), ("body > header", "#surveys")),
            (url_for("editor.drafts"), (), (".starts",)),
            (
                url_for("results.page", slug="season"),
                (),
                (".study", ".steps", ".tabs", ".summing-up", "section.question", "[data-moves]"),
            ),
            (url_for("account.page"), (), (".rows", ".fields")),
            (url_for("editor.drafts"), (begin,), ("#cards",)),
            (url_for("editor.drafts"), (begin, find), ("section:has(> #ways)",)),
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
    keep(picture, "components", 128)


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
    """Draw the figures of the pages on analysis, by the pages' own commands."""
    for page in sorted((ROOT / "docs").glob("analysis*.md")):
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
                if "--figure" in words:
                    drawn = Image.open(words[-1]).convert("RGBA")
                    white = Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn)
                    keep(white.convert("RGB"), f"course-{Path(words[-1]).stem}")


def main() -> None:
    """Take the pictures."""
    PICTURES.mkdir(exist_ok=True)
    wall = way_of_a_lesson()
    ((_, name, text),) = SAVED.findall((ROOT / "README.md").read_text())
    with TemporaryDirectory() as folder:
        survey = Path(folder, name)
        survey.write_text(text)
        with serving(survey, everybody_answers_all()) as served:
            # Enough colours that amber differs from red.
            keep(way_of_a_respondent(served), "screens", 128)
            phone = respondents_side(served)
            for command in COMMANDS:
                typed = command.format(survey=survey, store=served.store).split()
                CliRunner().invoke(commands, typed, catch_exceptions=False)
            desk, results = researchers_side(served)
            keep(results, "results", 128)
            keep(three_sides([phone, wall, desk]), "both-sides", 128)
    gallery()
    first_screens()
    way_of_a_study()
    first_survey()
    components()
    course()


if __name__ == "__main__":
    main()
