"""Before the first question: what is at stake, pictures of chance, and a short label."""

import json
from typing import Any
from urllib.request import urlopen

from tests.browser.chromium import requests
from tests.browser.page import Page
from tests.browser.serving import Served


def label_of(link: str) -> dict[str, Any]:
    with urlopen(f"{link}/privacy.json") as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_the_implication_comes_first_and_is_the_label_s(kinds: Page, design: Page) -> None:
    for page in (kinds, design):
        page.open()
        text = page.text()
        implication = " ".join(label_of(page.link)["implication"])
        assert text.index(implication) < text.index("Your browser mixes chance")
        # Where questions have pages of their own, there is none on the first one.
        for first in page.all(".question legend")[:1]:
            assert text.index("See how chance protects you") < text.index(first.text)


def test_the_panel_draws_what_the_label_draws(kinds: Page) -> None:
    kinds.click(".trust summary")
    crowds = label_of(kinds.link)["crowds"]
    assert len(crowds) == 2
    drawn = kinds.all(".trust svg.people")
    assert len(drawn) == 2
    for crowd, picture in zip(crowds, drawn, strict=True):
        words = (
            f"Of 100 people whose true answer is “{crowd['truth']}”, {crowd['count']} send "
            f"“{crowd['report']}”."
        )
        assert picture.get_attribute("aria-label") == words
        assert words in kinds.text(".trust")
        filled, others = picture.find_elements("css selector", "path")
        assert (filled.get_attribute("d") or "").count("z") == crowd["count"]
        assert (others.get_attribute("d") or "").count("z") == 100 - crowd["count"]
        assert filled.value_of_css_property("fill") != others.value_of_css_property("fill")
    kinds.driver.get(f"{kinds.link}/privacy")
    served = [svg.get_attribute("outerHTML") for svg in kinds.all("svg")]
    kinds.open()
    built = [svg.get_attribute("outerHTML") for svg in kinds.all(".trust svg")]
    # The ways are the same, in another order.
    assert sorted(map(squeeze, built)) == sorted(map(squeeze, served))


def squeeze(markup: str | None) -> str:
    return "".join((markup or "").split())


def test_the_label_is_short_and_whole(kinds: Page) -> None:
    kinds.click(".trust summary")
    said = kinds.text(".trust")
    # 6 over four questions: e^1.5 = 4.48 to 1, 81.8 in 100; e^6 to 1 is more than 99 in 100.
    for part in (
        "after: 82 in 100 at most",
        "after: more than 99 in 100",
        "If you come back",
        "Who could break it",
    ):
        assert part in said
    assert "In which year" not in said


def test_coins_are_named_where_the_chances_are_theirs(served: Served, design: Page) -> None:
    design.click(".trust summary")
    said = design.text(".trust")
    by_hand = served.surveys[0].items[0].channel
    assert ("It is like" in said) == any(
        abs(by_hand.weights[0][1] * ways / 2**32 % 1) < 1e-6 for ways in (2, 4, 6, 8, 52)
    )


def test_opening_the_panel_asks_nothing_of_any_server_and_breaks_no_policy(kinds: Page) -> None:
    requests(kinds.driver)
    kinds.driver.get_log("browser")  # type: ignore[no-untyped-call]  # selenium's gap
    kinds.click(".trust summary")
    kinds.wait(lambda: kinds.one(".trust svg").is_displayed())
    assert requests(kinds.driver) == []
    assert kinds.driver.get_log("browser") == []  # type: ignore[no-untyped-call]
