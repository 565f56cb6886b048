"""Take the pictures of the documentation: ``python -m tests.browser.pictures``."""

from __future__ import annotations

from functools import reduce
from pathlib import Path

from click.testing import CliRunner
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from deniable.cli.main import commands
from tests.browser.chromium import chromium, run_before_every_page
from tests.browser.looks import Look, screenshot, whole_page
from tests.browser.page import Page
from tests.browser.serving import Served, serving

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
SURVEY = ROOT / "examples" / "doping.yaml"
JOURNEYS = ROOT / "examples" / "journeys.yaml"

SIMULATE = "simulate {survey} -n 2000 --rate doped.yes=0.2 --seed 7 --store sqlite:///{store}"

# The picture shows a no that is sent as a yes, which chance does one time in four.
NO_SENT_AS_YES = "crypto.getRandomValues = (words) => words.fill(4_000_000_000);"

PHONE = Look(375, "light")

GAP = 40

SCALE = 1.5


def respondents_side(served: Served) -> Image.Image:
    """Answer no, and see what will leave the browser."""
    with chromium() as driver:
        run_before_every_page(driver, NO_SENT_AS_YES)
        page = Page(driver, served.links[0])
        page.open()
        page.answer(["doped-0"])
        page.preview()
        page.show_answers()
        screenshot(driver, 420, 900, SCALE)
        driver.execute_script("document.querySelector('dl.review').scrollIntoView()")
        return screenshot(driver, 420, 900, SCALE)


def way_of_a_respondent(served: Served) -> Image.Image:
    """Go from the first screen to the last, as on a phone."""
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


def researchers_side(served: Served) -> Image.Image:
    """Sign in, and look at the results of the question."""
    with chromium() as driver:
        served.enter_desk(driver)
        driver.get(served.desk + "/desk/doping")
        screenshot(driver, 1000, 900, SCALE)
        question = driver.find_element(By.CSS_SELECTOR, "section.question")
        question.find_element(By.CSS_SELECTOR, "summary").click()
        figure = question.find_element(By.CSS_SELECTOR, "img")
        WebDriverWait(driver, 20).until(lambda _: figure.get_property("naturalWidth"))
        driver.execute_script("arguments[0].scrollIntoView()", question)
        return screenshot(driver, 1000, 900, SCALE)


def beside(left: Image.Image, right: Image.Image) -> Image.Image:
    """Put two pictures beside each other."""
    size = (left.width + GAP + right.width, max(left.height, right.height))
    both = Image.new("RGB", size, "#c9d3d4")
    both.paste(left, (0, 0))
    both.paste(right, (left.width + GAP, 0))
    return both


def main() -> None:
    """Take the pictures."""
    PICTURES.mkdir(exist_ok=True)
    with serving(SURVEY, JOURNEYS) as served:
        screens = way_of_a_respondent(served)
        # All its colours: amber is to be told from red.
        screens.save(PICTURES / "screens.png", optimize=True)
        command = SIMULATE.format(survey=SURVEY, store=served.store)
        CliRunner().invoke(commands, command.split(), catch_exceptions=False)
        results = researchers_side(served)
        results.quantize(128).save(PICTURES / "results.png", optimize=True)
        both = beside(respondents_side(served), results)
        both.quantize(128).save(PICTURES / "both-sides.png", optimize=True)


if __name__ == "__main__":
    main()
