"""A file that was altered after the page was made is not run, and nothing can be sent."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Response, request
from selenium import webdriver

from deniable.server import respondent
from deniable.server.compression import compressed
from deniable.server.loopback import loopback
from deniable.survey_file import read
from tests import vectors
from tests.browser.chromium import chromium as started
from tests.browser.page import Page
from tests.browser.test_failing_closed import check_sends_nothing

JOURNEYS = Path(__file__).parents[2] / "examples" / "journeys.yaml"
"""A survey in several languages."""

LOADED = "return performance.getEntriesByType('resource').map((entry) => entry.name)"

Change = Callable[[bytes], bytes]


@pytest.fixture
def on_the_way(monkeypatch: pytest.MonkeyPatch) -> dict[str, Change]:
    """Alter files between the server and the browser, as a cache or a proxy could."""
    changes: dict[str, Change] = {}

    def altered(response: Response) -> Response:
        change = changes.get(request.path)
        if change is not None and response.status_code == 200:
            response.set_data(change(response.get_data()))
        return compressed(response)

    monkeypatch.setattr(respondent, "compressed", altered)
    return changes


@pytest.fixture
def link(on_the_way: dict[str, Change]) -> Iterator[str]:
    with loopback(read(vectors.survey_file()).survey) as link:
        yield link


@pytest.fixture
def fresh() -> Iterator[webdriver.Chrome]:
    """Start a browser that has none of the files yet."""
    with started() as driver:
        yield driver


def test_the_page_names_the_hash_of_whatever_it_loads(link: str, fresh: webdriver.Chrome) -> None:
    page = Page(fresh, link)
    page.open()
    named = {
        element.get_dom_attribute(address): element.get_dom_attribute("integrity")
        for selector, address in (
            ("script", "src"),
            ("link[rel=stylesheet]", "href"),
        )
        for element in page.all(selector)
    }
    assert all((named[file] or "").startswith("sha256-") for file in named)
    loaded = {
        address.split("/client/")[1]
        for address in fresh.execute_script(LOADED)
        if "/client/" in address
    }
    code = {name for name in loaded if not name.endswith(".svg")}
    assert {f"/client/{name}" for name in code} == named.keys()
    assert code == {"main.js", "style.css"}
    assert [entry for entry in fresh.get_log("browser") if entry["level"] != "INFO"] == []  # type: ignore[no-untyped-call]  # selenium's gap


ALTERED: dict[str, Change] = {
    # As harmless as can be: what is refused is any difference at all.
    "more at the end": lambda program: program + b"\nglobalThis.altered = true;\n",
    "more at the start": lambda program: b"globalThis.altered=true;" + program,
    "other chances": lambda program: program.replace(b"sum>word", b"sum>=word"),
    "one letter less": lambda program: program.rstrip()[:-1],
}


@pytest.mark.parametrize("how", ALTERED)
def test_an_altered_program_is_not_run(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome, how: str
) -> None:
    on_the_way["/client/main.js"] = ALTERED[how]
    fresh.get(link)
    page = Page(fresh, link)
    page.wait(lambda: "This page has not started" in page.text())
    assert "nothing can be sent" in page.text()
    assert fresh.execute_script("return globalThis.altered") is None
    check_sends_nothing(fresh)


def test_an_altered_part_that_is_loaded_later_is_not_run(
    on_the_way: dict[str, Change], fresh: webdriver.Chrome
) -> None:
    on_the_way["/client/language.js"] = ALTERED["more at the end"]
    with loopback(read(JOURNEYS.read_text()).survey) as link:
        fresh.get(link)
        page = Page(fresh, link)
        page.wait(lambda: "not started" in page.text() or page.all("form"))
        fresh.execute_async_script("setTimeout(arguments[0], 500)")
        assert fresh.execute_script("return globalThis.altered") is None
        check_sends_nothing(fresh)


def test_an_altered_program_of_the_ledger_is_not_run(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome
) -> None:
    on_the_way["/client/device.js"] = ALTERED["more at the start"]
    fresh.get(link.replace("/s/doping", "/device"))
    assert "small program that has not loaded" in Page(fresh, link).text()
    assert fresh.execute_script("return globalThis.altered") is None


def test_what_is_altered_on_the_way_would_otherwise_be_run(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome
) -> None:
    """The tests above do alter something."""
    on_the_way["/client/main.js"] = ALTERED["more at the end"]
    on_the_way["/s/doping"] = lambda page: re.sub(rb' integrity="[^"]*"', b"", page)
    page = Page(fresh, link)
    page.open()
    assert fresh.execute_script("return globalThis.altered") is True


def test_an_altered_style_is_not_used(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome
) -> None:
    more = b"main{outline:7px solid rgb(1,2,3)}"
    on_the_way["/client/style.css"] = lambda style: style + more
    fresh.get(link)
    page = Page(fresh, link)
    page.wait(lambda: page.all("form"))
    assert page.one("main").value_of_css_property("outline-width") != "7px"
