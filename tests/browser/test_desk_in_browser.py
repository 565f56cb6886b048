"""The researcher in a real browser: signs in, invites people, sees estimates beside noise."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from deniable.cli.main import commands
from deniable.server.store.accounts import Role
from deniable.server.store.invitations import Invited
from deniable.text.timestamps import read_moment
from tests.browser.checks import axe_problems
from tests.browser.chromium import chromium as started
from tests.browser.chromium import requests
from tests.browser.conftest import KINDS
from tests.browser.desk_stations import OPEN_ALL
from tests.browser.looks import Look, on_screen
from tests.browser.page import PATIENCE, follow
from tests.browser.serving import Served, serving
from tests.browser.test_accessibility import check_with_axe, dark
from tests.kit import at, until, url_for
from tests.kit.surveys import EXAMPLES

RESPONDENTS = 300


@pytest.fixture(scope="module")
def answered() -> Iterator[Served]:
    """Serve a survey that has reports."""
    with serving(KINDS) as served:
        command = f"simulate {KINDS} -n {RESPONDENTS} --seed 1 --store sqlite:///{served.store}"
        result = CliRunner().invoke(commands, command.split())
        assert result.exit_code == 0, result.output
        yield served


@pytest.fixture(scope="module")
def desk(answered: Served) -> Iterator[webdriver.Chrome]:
    """Open a browser that has signed in by the printed link."""
    # The clipboard is the one device's that is in front.
    with started(alone=True) as driver:
        answered.enter_desk(driver)
        with answered.opened() as store:
            # Whoever came by the printed link is the first account now.
            store.add_user("ada", Role.ADMINISTRATOR)
            store.add_user("ana.analyst@example.org", Role.ANALYST)
            store.add_user("olu", Role.OWNER)
            store.share("kinds", "olu", Role.OWNER)
            store.set_public("kinds", public=True)
        yield driver


CUT = """return [...document.querySelectorAll(".scroll")]
    .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"""
"""What can be read by scrolling sideways only."""


def is_drawn(figure: WebElement) -> bool:
    return int(figure.parent.execute_script("return arguments[0].naturalWidth", figure)) > 100


def test_the_link_is_copied_by_a_button(answered: Served, desk: webdriver.Chrome) -> None:
    desk.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"origin": answered.desk, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
    )
    desk.get(answered.desk + url_for("collection.page", slug="kinds"))
    button = desk.find_element(By.CSS_SELECTOR, "button[data-copies=link]")
    WebDriverWait(desk, PATIENCE).until(lambda _: button.is_displayed())
    button.click()
    WebDriverWait(desk, PATIENCE).until(lambda _: button.text == "Copied")
    desk.execute_script(OPEN_ALL)
    square = desk.find_element(By.CSS_SELECTOR, "img.square")
    WebDriverWait(desk, PATIENCE).until(lambda _: is_drawn(square))
    copied = desk.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    survey = answered.surveys[0]
    assert copied == answered.links[0].removesuffix(at(survey.slug)) + survey.path


@pytest.mark.slow
def test_results_show_estimates_beside_the_noise(answered: Served, desk: webdriver.Chrome) -> None:
    desk.get(answered.desk + url_for("surveys.index"))
    requests(desk)
    follow(desk, "#surveys th a[href$='/kinds']")
    cards = desk.find_elements(By.CSS_SELECTOR, "section.question")
    assert len(cards) == len(answered.surveys[0].questions)
    strips = [one.find_element(By.CSS_SELECTOR, ".strip[role=img]") for one in cards]
    # Each card has its figure, at the same place; what more there is to draw is in the details.
    assert len({(one.rect["x"], one.rect["width"]) for one in strips}) == 1
    assert all(one.rect["width"] > 200 for one in strips)
    figures = desk.find_elements(By.CSS_SELECTOR, "section.question img")
    assert 0 < len(figures) < len(cards)
    # None of them is fetched before somebody opens the details of its question.
    assert not [made for made in requests(desk) if ".svg?" in made.url]
    for figure in figures:
        question = figure.find_element(By.XPATH, "ancestor::section")
        assert question.find_element(By.CSS_SELECTOR, ".headlines .estimate").is_displayed()
        question.find_element(By.CSS_SELECTOR, "summary").click()
        WebDriverWait(figure, PATIENCE).until(is_drawn)
        assert "Figure of the table below" in (figure.get_attribute("alt") or "")
    desk.execute_script(OPEN_ALL)
    header = desk.find_element(By.CSS_SELECTOR, "thead").text
    assert "Observed" in header
    assert "Estimate" in header
    assert "95 % interval" in header
    assert all(made.url.startswith(answered.desk + "/") for made in requests(desk))


@pytest.mark.slow
def test_the_planner_s_slider_moves_its_tables(answered: Served, desk: webdriver.Chrome) -> None:
    desk.get(answered.desk + url_for("planner.page", slug="kinds", prior="20"))
    heading = desk.find_element(By.ID, "as-asked").text
    assert "1,000" in heading
    slider = desk.find_element(By.CSS_SELECTOR, "input[type=range]")
    slider.send_keys(Keys.END)
    WebDriverWait(desk, PATIENCE).until(lambda _: "n=1000000" in desk.current_url)
    assert "1,000,000" in desk.find_element(By.ID, "as-asked").text
    # What was chosen before stays, and the address alone gives the same tables.
    shown = desk.find_element(By.ID, "planned").text
    assert "20 in 100 becomes" in shown
    desk.refresh()
    assert desk.find_element(By.ID, "planned").text == shown


def test_everybody_can_use_the_results(answered: Served, desk: webdriver.Chrome) -> None:
    """In every look; `test_desk_stations` looks at all pages in the slow tests."""
    dark(desk, on=False)
    desk.get(answered.desk + url_for("results.page", slug="kinds"))
    desk.execute_script(OPEN_ALL)
    check_with_axe(desk)
    dark(desk, on=True)
    assert axe_problems(desk, colours_alone=True) == []
    for width in (320, 375, 1000):
        with on_screen(desk, Look(width, "dark")):
            assert not desk.execute_script(CUT), width
            script = "return document.documentElement.scrollWidth"
            assert desk.execute_script(script) <= width


LIST = "name,email,ward\n" + "".join(f"Nurse {n},n{n}@example.org,A\n" for n in range(1, 121))


@pytest.fixture(scope="module")
def doping() -> Iterator[tuple[Served, webdriver.Chrome]]:
    with serving(EXAMPLES / "doping.yaml") as served, started() as driver:
        served.enter_desk(driver)
        yield served, driver


@pytest.mark.slow
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


@pytest.mark.slow
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
    until(lambda: [*tmp_path.glob("*-merge.csv")])
    (made,) = tmp_path.glob("*-merge.csv")
    head, *lines = made.read_text().splitlines()
    assert head == "name,email,ward,link"
    assert len(lines) == 120
    with served.opened() as store:
        assert store.invited("doping") == Invited(120, {})
