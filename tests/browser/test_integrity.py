"""A file that was altered after the page was made is not run, and nothing can be sent."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from deniable.client.audit.engine import BROWSER_FOLDER
from deniable.server import respondent
from deniable.server.integrity import imported
from deniable.server.loopback import loopback
from deniable.survey_file import read
from tests import vectors
from tests.browser.chromium import chromium as started
from tests.browser.chromium import requests
from tests.browser.page import Page
from tests.browser.test_failing_closed import check_sends_nothing

MODULES = sorted({"main.js", *imported(BROWSER_FOLDER, "main.js")})
LOADED = "return performance.getEntriesByType('resource').map((entry) => entry.name)"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the program, to be served and altered."""
    copy = tmp_path / "browser"
    shutil.copytree(BROWSER_FOLDER, copy)
    monkeypatch.setattr(respondent, "BROWSER_FOLDER", copy)
    return copy


@pytest.fixture
def link(folder: Path) -> Iterator[str]:
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
            ("link[rel=modulepreload]", "href"),
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
    assert {name for name in code if name.endswith(".js")} == set(MODULES)
    assert [entry for entry in fresh.get_log("browser") if entry["level"] != "INFO"] == []  # type: ignore[no-untyped-call]  # selenium's gap


@pytest.mark.parametrize("module", MODULES)
def test_an_altered_module_is_not_run(
    folder: Path, link: str, fresh: webdriver.Chrome, module: str
) -> None:
    file = folder / module
    # As harmless as can be: what is refused is any difference at all.
    file.write_text(f"{file.read_text()}\nglobalThis.altered = true;\n")
    fresh.get(link)
    page = Page(fresh, link)
    page.wait(lambda: "This page has not started" in page.text())
    assert "nothing can be sent" in page.text()
    assert fresh.execute_script("return globalThis.altered") is None
    assert not [request for request in requests(fresh) if request.path.endswith("survey.json")]
    check_sends_nothing(fresh)


def test_an_altered_style_is_not_used(folder: Path, link: str, fresh: webdriver.Chrome) -> None:
    file = folder / "style.css"
    file.write_text(f"{file.read_text()}\nmain {{ outline: 7px solid rgb(1, 2, 3); }}\n")
    fresh.get(link)
    page = Page(fresh, link)
    page.wait(lambda: page.all("form"))
    assert page.one("main").value_of_css_property("outline-width") != "7px"
