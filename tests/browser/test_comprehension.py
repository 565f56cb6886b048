"""Two questions that check comprehension: in the page alone, never a gate, never heard of again."""

import dataclasses
import json
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from deniable.survey_file import read
from deniable.text.sureness import implication
from tests.browser.chromium import requests, run_before_every_page
from tests.browser.conftest import DESIGN, opened
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_coming_back import ANSWERS
from tests.browser.test_failing_closed import check_sends_nothing
from tests.kit import lent, surveys

KNOWN = "crypto.getRandomValues = (words) => words.map((_, place) => words[place] = 1e9 + place);"
"""The same chance in every page: what differs then can only come from the choices."""

RIGHT = ["Clear0-1", "Clear1-0"]
WRONG = ["Clear0-0", "Clear1-1"]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """Serve a survey that asks them on a page of their own."""
    asking = dataclasses.replace(read(DESIGN.read_text()).survey, comprehension=True)
    with lent([asking]) as (server, store):
        yield Served(store, [asking], server.links, server.sign_in)


apart = opened(0)
"""The first page of a survey whose questions have each their own."""


def said(page: Page) -> list[str]:
    """Return what is said of the choice at each of the two."""
    return page.texts("fieldset > [role=status]")


def ticked(page: Page) -> int:
    return len(page.all("[id^=Clear]:checked"))


def test_they_come_between_start_and_first_question(apart: Page) -> None:
    assert not apart.all("[id^=Clear]")
    apart.proceed()
    assert apart.at_heading() == "clear"
    assert len(apart.all("[id^=Clear]")) == 4
    assert not apart.all("progress")
    assert said(apart) == ["", ""]
    assert ticked(apart) == 0
    # Passed by.
    apart.proceed()
    assert apart.at_heading() == "doped"
    progress = apart.one("progress")
    assert [progress.get_dom_attribute(name) for name in ("value", "max")] == ["0", "4"]
    apart.click("button.back")
    apart.wait(lambda: apart.all("[id^=Clear]"))
    apart.click("button.back")
    apart.wait(lambda: apart.screen() == "start")


def test_each_choice_is_explained_and_can_change(served: Served, apart: Page) -> None:
    apart.proceed()
    item = max(
        (item for item in served.surveys[0].items if item.flips),
        key=lambda item: item.epsilon_millionths,
    )
    count = round(100 * float(item.channel.probabilities[0][1]))
    assert 10 < count < 40
    # A browser gives the text of a page with plain spaces.
    sentences = [" ".join(one.split()) for one in implication(served.surveys[0])]
    for id, verdict in (("Clear0-0", "Not quite."), ("Clear0-1", "Right.")):
        apart.click(f"#{id}")
        first, second = said(apart)
        assert first == (
            f"{verdict} Of 100 people whose true answer is “No”, {count} send “Yes”. "
            f"{' '.join(sentences)}"
        )
        assert second == ""
    for id, verdict in (("Clear1-1", "Not quite."), ("Clear1-0", "Right.")):
        apart.click(f"#{id}")
        assert said(apart)[1].startswith(f"{verdict} Your browser mixes chance into each")
        assert "not a lie or a mistake" in said(apart)[1]
    assert ticked(apart) == 2
    # The keyboard suffices.
    apart.one("#Clear0-1").send_keys(Keys.ARROW_UP)
    assert apart.one("#Clear0-0").is_selected()
    assert said(apart)[0].startswith("Not quite.")
    # Leaving forgets them.
    apart.driver.execute_script("dispatchEvent(new Event('pagehide'))")
    apart.proceed()
    assert (ticked(apart), said(apart), apart.remembered()) == (0, ["", ""], {})


def test_what_is_chosen_is_no_gate(served: Served, fresh: webdriver.Chrome) -> None:
    run_before_every_page(fresh, KNOWN)
    page = Page(fresh, served.links[0])
    sent, kept = [], []
    for choices in ([], RIGHT, WRONG):
        page.open_afresh()
        requests(fresh)
        page.proceed()
        for id in choices:
            page.click(f"#{id}")
        page.answer(ANSWERS)
        page.preview()
        assert page.remembered() == {}
        assert fresh.execute_script("return Object.keys(history.state)") == ["depth"]
        assert requests(fresh) == []
        assert "Clear" not in fresh.current_url
        assert page.send() == "stored"
        sent.append([made.body for made in requests(fresh)])
        kept.append(page.remembered())
    assert sent[0] == sent[1] == sent[2]
    assert len(sent[0]) == 1
    assert kept[0] == kept[1] == kept[2]


LATER = """
const later = LATER;
const read = Response.prototype.arrayBuffer;
Response.prototype.arrayBuffer = async function () {
  const said = later[this.url.split("/").pop()];
  return said ? new TextEncoder().encode(said).buffer : read.call(this);
};
"""
"""Give the page what the server says of the survey as it was revised."""


def test_an_older_page_asks_no_check_questions(served: Served, fresh: webdriver.Chrome) -> None:
    """The survey was revised between the page and its document."""
    later = {}
    for name in ("survey.json", "state.json"):
        with urlopen(f"{served.links[0]}{name}") as answer:
            later[name] = answer.read().decode()
    run_before_every_page(fresh, LATER.replace("LATER", json.dumps(later)))
    with lent([surveys.survey(surveys.single(direct=True), slug="doping")]) as (older, _):
        page = Page(fresh, older.links[0]).open()
        assert page.screen() == "refused"
        check_sends_nothing(fresh)
