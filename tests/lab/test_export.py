"""The lab alone: served without a desk, and as files that need no program."""

import functools
import gzip
import http.server
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from deniable.cli.main import commands
from deniable.lab.export import MOST_BYTES, exported, key_of
from deniable.lab.page import Page
from deniable.lab.pages import PAGES
from deniable.server.desk.lab import answer_html
from deniable.server.lab_program import create_lab_app, lab_headers, open_program, write_site
from deniable.server.settings import Settings
from tests.browser.chromium import chromium, requests
from tests.browser.engines import firefox
from tests.browser.test_lab import settle
from tests.kit import Caller, event_loop, first_of
from tests.kit.threads import answering

pytestmark = pytest.mark.promise("lab")


@pytest.mark.parametrize("page", first_of(PAGES.values(), 1, pytest.mark.campaign), ids=PAGES)
def test_a_file_has_the_page_and_its_links(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.lab.export._MOST_ANSWERS", (100, 0))  # 800 take a minute
    app = create_lab_app()
    with app.test_request_context():
        found = exported(page, answer_html)
    assert len(found.file) <= MOST_BYTES
    file = json.loads(gzip.decompress(found.file))
    assert len(file["answers"]) == found.answers
    start = {one.name: one.start for one in page.inputs}
    for exercise in page.exercises:
        assert key_of(page.inputs, {**start, **exercise.settings}) in file["answers"]
        assert all(
            exercise.settings.get(name, places[0]) in places
            for name, places in found.places.items()
        )
    for name, places in found.places.items():
        assert all(page.read(start | {name: place}) for place in places)
    for key in Random(1).sample(sorted(file["answers"]), 3):
        given = dict(one.split("=", 1) for one in key.split("&"))
        whole = "<!-- part -->".join(file["parts"][at] for at in file["answers"][key])
        assert app.test_client().get(f"/lab/{page.slug}/answer?{urlencode(given)}").text == whole


def test_the_lab_alone_needs_no_sign_in() -> None:
    client = create_lab_app().test_client()
    for path in ("/lab", "/lab/coins?utm_source=course", "/lab/again?times=19"):
        page = client.get(path)
        assert page.status_code == 200
        assert "Set-Cookie" not in page.headers
        assert "/desk/" not in page.text.replace("/desk/static/", "")
    assert client.get("/").headers["Location"] == "/lab"
    assert [client.get(path).status_code for path in ("/desk/", "/desk/surveys", "/lab/no")] == [
        404
    ] * 3
    assert "from 1 to 60" in client.get("/lab/again?times=99").text
    assert client.post("/lab/again").status_code == 405
    assert "frame-ancestors *" in dict(lab_headers(https=False))["Content-Security-Policy"]


def test_pages_are_kept_and_failures_are_not() -> None:
    nowhere = Settings()
    with event_loop() as loop:
        call = Caller(open_program(nowhere).gateway, loop)
        kept = {
            path: call(path).headers["Cache-Control"]
            for path in ("/lab/again", "/lab/again?times=99", "/lab/no", "/lab/no/answer")
        }
    assert [*kept.values()] == ["public, max-age=300", *["no-store"] * 3]


def test_an_existing_folder_stays(tmp_path: Path) -> None:
    said = CliRunner().invoke(commands, ["lab", "--export", str(tmp_path)])
    assert (said.exit_code, list(tmp_path.iterdir())) == (1, [])
    assert "is there already" in said.output
    said = CliRunner().invoke(commands, ["lab", "--export", str(tmp_path / "new"), "--serve"])
    assert said.exit_code == 2
    assert "give one of --serve and --export" in said.output


@pytest.mark.slow
def test_an_export_that_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    pages = write_site(tmp_path / "new")
    assert next(pages)[0] == next(iter(PAGES))
    assert not (tmp_path / "new").exists()
    pages.close()
    assert list(tmp_path.iterdir()) == []


def test_a_page_needs_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser loads no module and fetches no file from the disk."""
    monkeypatch.setattr("deniable.server.lab_program.PAGES", {"again": PAGES["again"]})
    monkeypatch.setattr("deniable.lab.export._MOST_ANSWERS", (30,))
    assert [slug for slug, _ in write_site(tmp_path / "lab")] == ["again"]
    with chromium() as driver:
        driver.get((tmp_path / "lab" / "index.html").as_uri())
        assert driver.find_elements(By.CSS_SELECTOR, "#try svg.plot")
        page = PAGES["again"]
        given = next(one.settings for one in page.exercises if one.settings)
        address = (tmp_path / "lab" / "again.html").as_uri()
        driver.get(f"{address}?{urlencode(given)}")
        settle(driver)
        expected = {one["name"]: one["text"] for one in page.answer(page.read(given))["values"]}
        assert driver.execute_script(VALUES) == expected


VALUES = """
const all = [...document.querySelectorAll("[data-value]")];
return Object.fromEntries(all.map((one) => [one.dataset.value, one.lastChild.textContent]));
"""

ASKED = "return performance.getEntriesByType('resource').map((one) => one.name);"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve an exported lab below a folder, as a course's file server does."""
    root = tmp_path_factory.mktemp("site")
    folder = root / "course" / "lab"
    said = CliRunner().invoke(commands, ["lab", "--export", str(folder)])
    assert said.exit_code == 0, said.output
    assert f"{len(PAGES)} pages take a minute or two" in said.output
    assert f"{len(PAGES)} of {len(PAGES)}: " in said.output
    # All of it is there, for whoever serves it.
    assert [one.name for one in folder.parent.iterdir()] == ["lab"]
    assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=root)
    with answering(handler) as origin:
        yield f"{origin}/course/lab/"


@pytest.mark.slow
@pytest.mark.parametrize("engine", [chromium, firefox])
def test_a_file_server_shows_each_page(
    site: str, engine: Callable[[], AbstractContextManager[webdriver.Chrome]]
) -> None:
    with engine() as driver:
        driver.get(site)
        assert len(driver.find_elements(By.CSS_SELECTOR, ".chapters .card a")) == len(PAGES)
        # All in one engine, each as it stands at first and as its last exercise has it.
        for slug, page in [*PAGES.items()][:: 1 if engine is chromium else 4]:
            for given in ({}, *[one.settings for one in page.exercises if one.settings][-1:]):
                driver.get(f"{site}{slug}.html?{urlencode(given)}")
                settle(driver)
                shown = page.answer(page.read(given))
                expected = {one["name"]: one["text"] for one in shown["values"]}
                assert driver.execute_script(VALUES) == expected, (slug, given)
                asked = driver.execute_script(ASKED)
                assert all(one.startswith((site, "data:")) for one in asked), (slug, asked)
        driver.get(f"{site}again.html")
        settle(driver)
        before = driver.execute_script(VALUES)
        driver.find_element(By.ID, "times").send_keys(Keys.RIGHT)
        settle(driver, "times=")
        assert driver.execute_script(VALUES) != before
        if engine is chromium:
            asked = [one.url for one in requests(driver)]
            assert all(one.startswith((site, "data:")) for one in asked), asked
