"""One noisy report per question and device, and no true answer left behind on it."""

import json

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from tests.browser.chromium import block, open_tab, requests
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_accessibility import check_with_axe

pytestmark = pytest.mark.promise("once")

ANSWERS = ["doped-1", "substances-0", "coach_knew-1", "age-2"]


@pytest.mark.promise("durable")
def test_a_double_click_sends_one_report(served: Served, design: Page) -> None:
    before = served.reports(served.surveys[0])
    design.answer(ANSWERS)
    requests(design.driver)
    design.to_review()
    button = design.one("button[type=submit]")
    design.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    ActionChains(design.driver).double_click(button).perform()
    assert design.outcome() == "stored"
    assert [made.method for made in requests(design.driver)] == ["POST"]
    message = design.announced()
    for _ in range(2):
        design.open()
        assert design.outcome() == "answered"
        assert not design.all("main input")
    assert [made for made in requests(design.driver) if made.method == "POST"] == []
    after = served.reports(served.surveys[0])
    assert after == {**before, message["id"]: message["answers"]}


@pytest.mark.slow
def test_two_tabs_send_one_report(served: Served, design: Page) -> None:
    # The second tab was opened before the first one sent: it must not send a second draw.
    driver = design.driver
    before = len(served.reports(served.surveys[0]))
    first = driver.current_window_handle
    open_tab(driver)
    design.open()
    design.answer(ANSWERS)
    second = driver.current_window_handle
    driver.switch_to.window(first)
    design.answer(ANSWERS)
    design.send()
    kept = design.remembered()
    driver.switch_to.window(second)
    requests(driver)
    assert design.send() == "answered"
    assert [made for made in requests(driver) if made.method == "POST"] == []
    assert design.remembered() == kept
    assert design.screen() == "answered"
    assert len(served.reports(served.surveys[0])) == before + 1
    driver.close()
    driver.switch_to.window(first)


def somebody_else(page: Page) -> None:
    """Go on from the last screen to the first one, as another person."""
    page.unfold()
    page.click(".else button")
    page.wait(lambda: page.screen() == "start")


def test_two_people_on_one_device_stay_apart(served: Served, design: Page) -> None:
    """From the last screen on; both come back; what waits of either is sent, whoever comes."""
    driver, survey = design.driver, served.surveys[0]
    before = served.reports(survey)
    design.answer(ANSWERS)
    assert design.send() == "stored"
    first = design.announced()
    # From the last screen on, at the top of the first one.
    somebody_else(design)
    assert driver.switch_to.active_element.tag_name == "section"
    design.answer(ANSWERS)
    block(driver, "*/reports")
    design.to_review()
    design.proceed()
    design.wait(lambda: design.screen() == "report")
    second = design.announced()
    driver.get("about:blank")
    # A third person's report waits too: as if they had answered there as well.
    third = {**second, "id": "3" * 32}
    driver.get(f"{design.link}privacy")
    driver.execute_script(
        "const kept = JSON.parse(localStorage['deniable:doping:2']);"
        "localStorage['deniable:doping:3'] = JSON.stringify({ ...kept, unsent: arguments[0] });",
        third,
    )
    block(driver)
    design.open()
    design.wait(lambda: "unsent" not in str(design.remembered()))
    assert design.outcome() == "stored"
    assert {first["id"], second["id"]} <= served.reports(survey).keys() - before.keys()
    assert len(served.reports(survey)) == len(before) + 3
    spent = {key: json.loads(value)["spent"] for key, value in design.remembered().items()}
    people = ["deniable:doping", "deniable:doping:2", "deniable:doping:3"]
    assert spent == dict.fromkeys(people, 2999997)
    # Whoever comes back says who they are, and is asked nothing twice.
    requests(driver)
    design.open()
    assert design.screen() == "who"
    assert design.at_heading() == "who"
    check_with_axe(driver)
    buttons = [one.get_dom_attribute("data-person") for one in design.all("main button")]
    assert buttons == ["1", "2", "3", "4"]
    design.click("[data-person='2']")
    assert design.outcome() == "answered"
    assert design.text("main > div > .hint") == "Person 2"
    assert [made for made in requests(driver) if made.method == "POST"] == []
    # What was refused of one person is in nobody else's way.
    driver.execute_script(
        "const kept = JSON.parse(localStorage['deniable:doping']);"
        "const unsent = { ...arguments[0], revision: '0'.repeat(64) };"
        "localStorage['deniable:doping'] ="
        " JSON.stringify({ ...kept, unsent, outcome: 'refused' });",
        first,
    )
    design.open()
    assert design.screen() == "who"
    design.click("[data-person='4']")
    design.wait(lambda: design.screen() == "start")
    assert [made for made in requests(driver) if made.method == "POST"] == []
    design.open()
    design.click("[data-person='1']")
    assert design.outcome() == "refused"
    # Their own second report could reveal more: others find themselves on opening the page.
    assert not design.is_there(".else")
