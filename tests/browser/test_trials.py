"""A trial in a real browser: in the desk's frame, in a band that says so, and kept nowhere."""

from urllib.parse import urljoin

import pytest
from selenium import webdriver

from deniable.server.desk.editor.preview import begin_trial
from tests.browser.looks import Look, on_screen
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_accessibility import check_with_axe, dark
from tests.kit import at, url_for

pytestmark = pytest.mark.promise("trials")

ANSWERS = ["doped-0", "substances-3", "coach_knew-1", "age-1"]

BAND = ".leave > p.trial"

COVERED = """
const band = document.querySelector("p.trial").getBoundingClientRect();
const button = document.querySelector("main button[type=submit]");
button.scrollIntoView({ block: "nearest" });
const { left, top, width, height } = button.getBoundingClientRect();
const hit = (y) => button.contains(document.elementFromPoint(left + width / 2, y));
return [hit(top + 2), hit(top + height - 2), band.top >= 0 && band.bottom < innerHeight / 4];
"""


@pytest.mark.slow
def test_a_trial_in_a_frame_is_kept_nowhere(served: Served, chromium: webdriver.Chrome) -> None:
    driver, page = chromium, Page(chromium, served.links[0])
    served.enter_desk(driver)
    driver.get(served.desk + url_for("preview.page"))
    page.click("form[action='/desk/surveys/doping/trial'] button")
    page.wait(lambda: page.all("iframe.phone"))
    assert page.one("iframe.phone").rect["width"] == 375 + 20
    check_with_axe(driver)
    dark(driver, on=True)
    check_with_axe(driver)
    dark(driver, on=False)
    driver.switch_to.frame(page.one("iframe.phone"))
    page.wait(lambda: page.screen() == "start")
    assert driver.execute_script("return [innerWidth, innerHeight]") == [375, 667]
    page.answer(ANSWERS)
    page.to_review()
    assert page.one(BAND).is_displayed()
    assert page.send() == "stored"
    # It says what it was and where to go on, and nothing of what a device keeps.
    assert "This was a trial" in page.text()
    assert "open the link again" in page.text()
    assert not page.all("button.forget")
    # Nobody has answered before: neither on reloading nor as the next person.
    page.click(".else button")
    page.wait(lambda: page.screen() == "start")
    assert page.one(BAND).is_displayed()
    assert page.remembered() == {}
    driver.switch_to.default_content()
    driver.refresh()
    assert page.one("#count").get_dom_attribute("data-reports") == "1"
    assert served.reports(served.surveys[0]) == {}


def test_the_band_covers_no_button(served: Served, chromium: webdriver.Chrome) -> None:
    with served.opened() as store:
        begin_trial(store, served.surveys[0])
    page = Page(chromium, urljoin(served.links[0], at("trial.doping")))
    for width, height in ((360, 640), (420, 800)):
        with on_screen(chromium, Look(width, "light"), height):
            page.open_afresh()
            assert chromium.execute_script(COVERED) == [True] * 3
            page.proceed()
            # Under a short question it lies in sight, whole.
            chromium.execute_script("scrollTo(0, 0)")
            assert chromium.execute_script(COVERED) == [True] * 3
