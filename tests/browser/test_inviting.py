"""A researcher invites people by a list, and sets a closing time, far from the server."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from deniable.server.store.invitations import Invited
from deniable.text.timestamps import read_moment
from tests.browser.chromium import chromium as started
from tests.browser.page import PATIENCE
from tests.browser.serving import Served, serving
from tests.server.desk.urls import url_for

ROOT = Path(__file__).parents[2]

LIST = "name,email,ward\n" + "".join(f"Nurse {n},n{n}@example.org,A\n" for n in range(1, 121))


@pytest.fixture(scope="module")
def doping() -> Iterator[tuple[Served, webdriver.Chrome]]:
    with serving(ROOT / "examples" / "doping.yaml") as served, started() as driver:
        served.enter_desk(driver)
        yield served, driver


def test_a_closing_time_is_in_local_time(doping: tuple[Served, webdriver.Chrome]) -> None:
    served, desk = doping
    desk.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "America/New_York"})
    desk.get(served.desk + url_for("collection.page"))
    clock = (By.ID, "clock")
    WebDriverWait(desk, PATIENCE).until(
        lambda _: "America/New_York" in desk.find_element(*clock).text
    )
    closes = desk.find_element(By.ID, "closes")
    desk.execute_script("arguments[0].value = '2098-10-31T12:00'", closes)
    desk.find_element(By.CSS_SELECTOR, ".fields button").click()
    WebDriverWait(desk, PATIENCE).until(lambda _: desk.find_elements(By.CLASS_NAME, "done"))
    with served.opened() as store:
        assert store.schedule("doping").closes == read_moment("2098-10-31T16:00Z")
    shown = desk.find_element(By.ID, "closes")
    WebDriverWait(desk, PATIENCE).until(
        lambda _: shown.get_attribute("value") == "2098-10-31T12:00"
    )


def test_no_header_gets_a_link(doping: tuple[Served, webdriver.Chrome], tmp_path: Path) -> None:
    served, desk = doping
    wait = WebDriverWait(desk, PATIENCE)
    people = tmp_path / "people.csv"
    people.write_text(LIST)
    desk.execute_cdp_cmd(
        "Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    desk.get(served.desk + url_for("invitations.page"))
    found = desk.find_element(By.ID, "people-found")
    wait.until(lambda _: desk.find_element(By.ID, "merging").is_displayed())
    desk.find_element(By.ID, "people-file").send_keys(str(people))
    wait.until(lambda _: found.text)
    told = "120 people; first: Nurse 1, n1@example.org, A. Columns: name, email, ward."
    assert found.text == told
    desk.find_element(By.CSS_SELECTOR, "#merging [name=confirmed]").click()
    make = desk.find_element(By.CSS_SELECTOR, "#merging > button")
    make.click()
    # What the page says of the survey follows, and a second press makes no second link.
    # Read in one step: the section may be replaced between finding it and reading it.
    invited = "return document.getElementById('invited')?.innerText ?? ''"
    wait.until(lambda _: "This survey is by invitation" in desk.execute_script(invited))
    assert not make.is_enabled()
    assert not desk.find_elements(By.NAME, "confirmed")
    end = time.monotonic() + PATIENCE
    while not (made := [*tmp_path.glob("*-merge.csv")]) and time.monotonic() < end:
        time.sleep(0.1)
    head, *lines = made[0].read_text().splitlines()
    assert head == "name,email,ward,link"
    assert len(lines) == 120
    with served.opened() as store:
        assert store.invited("doping") == Invited(120, 0)
