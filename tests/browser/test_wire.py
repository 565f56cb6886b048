"""What a network observer sees: when something is sent, and how long it is."""

import re
from collections.abc import Iterator

import pytest
from selenium import webdriver

from tests.browser.chromium import chromium as started
from tests.browser.chromium import run_before_every_page
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.wire import Heard, relay
from tests.kit import at

pytestmark = pytest.mark.promise("silence")

QUIET = "setTimeout(arguments[0], 700)"
"""Long enough for whatever a page does by itself, such as asking for its icon."""


@pytest.fixture(scope="module")
def listened(served: Served) -> Iterator[tuple[Heard, str]]:
    with relay(served.links[1]) as heard:
        yield heard


@pytest.fixture
def page(listened: tuple[Heard, str], chromium: webdriver.Chrome) -> Page:
    page = Page(chromium, listened[1]).open_afresh()
    chromium.execute_async_script(QUIET)
    return page


@pytest.fixture
def heard(listened: tuple[Heard, str], page: Page) -> Heard:
    listened[0].forget()
    return listened[0]


ANSWERED: list[tuple[list[str], dict[str, str]]] = [
    (["medicine-0", "offered-2", "sleep-0-0", "sleep-1-0", "year-0"], {"drinks-0": "0"}),
    (["medicine-1", "offered-0", "sleep-0-2", "sleep-1-2", "year-1"], {"drinks-0": "7"}),
    (
        ["medicine-1", "offered-0", "offered-1", "sleep-0-1", "sleep-1-0", "year-2"],
        {"drinks-0": "3"},
    ),
    (["medicine-2", "offered-3", "sleep-0-2", "sleep-1-1", "drinks-decline-0", "year-0"], {}),
    (["medicine-0", "offered-1", "sleep-0-0", "sleep-1-2", "drinks-decline-0", "year-2"], {}),
]
"""Everything and nothing, few and many, said and declined."""


def test_nothing_is_sent_between_opening_and_sending(page: Page, heard: Heard) -> None:
    page.answer(*ANSWERED[1])
    page.answer(ANSWERED[3][0])
    page.unfold()
    page.click(".pretend button")
    page.preview()
    page.show_answers()
    page.click("dl.review button")
    page.driver.back()
    page.to_review()
    page.driver.execute_async_script(QUIET)
    assert (bytes(heard.sent), bytes(heard.received)) == (b"", b"")
    assert page.send() == "stored"
    assert heard.sent.count(b" HTTP/1.1\r\n") == 1
    assert heard.sent.startswith(f"POST {at('kinds', 'reports')} HTTP/1.1\r\n".encode())


def test_no_request_tells_a_topic(listened: tuple[Heard, str], chromium: webdriver.Chrome) -> None:
    heard, link = listened
    heard.forget()
    page = Page(chromium, link).open_afresh()
    seen = []
    for go_on in (lambda: page.answer(*ANSWERED[0]), page.to_review, page.send):
        seen.append((chromium.title, chromium.current_url.split("#")[0]))
        go_on()
    assert {*seen, (chromium.title, chromium.current_url.split("#")[0])} == {("Survey", link)}
    heads = re.findall(rb"(?:GET|POST) .+?\r\n\r\n", heard.sent, re.DOTALL)
    assert len(heads) > 3
    assert [head for head in heads if b"kinds" in head.lower()] == []


@pytest.mark.promise("lengths")
def test_all_answers_are_as_long(listened: tuple[Heard, str], chromium: webdriver.Chrome) -> None:
    heard, link = listened
    lengths, reports = set(), set()
    for choices, typed in ANSWERED:
        page = Page(chromium, link).open_afresh()
        page.answer(choices, typed)
        page.to_review()
        chromium.execute_async_script(QUIET)
        heard.forget()
        assert page.send() == "stored"
        reports.add(page.announced()["answers"])
        lengths.add((len(heard.sent), len(heard.received)))
    assert len(reports) >= 3  # a direct question has three answers
    assert len(lengths) == 1


COUNTED = """
globalThis.counts = { drawn: 0, filled: 0, read: 0, predictable: 0 };
const fill = crypto.getRandomValues.bind(crypto);
crypto.getRandomValues = (words) => {
  counts.drawn += 1;
  counts.filled += words.length;
  return fill(words);
};
const random = Math.random;
Math.random = () => {
  counts.predictable += 1;
  return random();
};
const counting = (table) =>
  new Proxy(table, {
    get: (target, name, receiver) => {
      if (/^[0-9]+$/.test(String(name))) counts.read += 1;
      return Reflect.get(target, name, receiver);
    },
  });
const parse = JSON.parse;
JSON.parse = (text, reviver) => {
  const survey = parse(text, reviver);
  for (const item of survey?.items ?? []) item.weights = counting(item.weights.map(counting));
  return survey;
};
"""
"""Counts what is drawn, and how often a weight of a channel is read."""


def counts(page: Page) -> dict[str, int]:
    found: dict[str, int] = page.driver.execute_script("return { ...counts }")
    return found


@pytest.mark.promise("drawn-first")
def test_all_is_drawn_first_and_read_alike(served: Served) -> None:
    survey = served.surveys[1]
    looked_up = set()
    with started() as driver:
        run_before_every_page(driver, COUNTED)
        page = Page(driver, served.links[1])
        for choices, typed in ANSWERED:
            page.open_afresh()
            opened = counts(page)
            # Four words of the id, and one for each item.
            assert (opened["drawn"], opened["filled"]) == (1, 4 + len(survey.items))
            page.answer(choices, typed)
            page.to_review()
            reviewed = counts(page)
            assert page.send() == "stored"
            sent = counts(page)
            for key in ("drawn", "filled", "predictable"):
                assert sent[key] == opened[key], key
            # Of what is read to show the report, too: as much for every one.
            looked_up.add((reviewed["read"] - opened["read"], sent["read"] - reviewed["read"]))
    ((shown, _),) = looked_up
    assert shown > 0
