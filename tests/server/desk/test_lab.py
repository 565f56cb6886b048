"""The lab's pages and numbers: for everybody, bounded, kept, and a few at a time."""

import html
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from deniable.lab import pages
from deniable.lab.page import Page
from deniable.lab.taught import COURSES
from deniable.server.desk import lab
from tests.kit import Caller, first_of

pytestmark = pytest.mark.promise("lab")


def test_the_map_leads_to_every_page(desk: Caller) -> None:
    answer = desk("/lab")
    text = answer.text
    assert "Set-Cookie" not in dict(answer.headers)
    assert 'href="/desk/help/"' in text
    for slug, page in pages.PAGES.items():
        assert f'href="/lab/{slug}"' in text
        assert html.escape(page.summary) in text


@pytest.mark.parametrize("slug", first_of(pages.PAGES, 4))
def test_a_page_shows_its_numbers_without_any_script(desk: Caller, slug: str) -> None:
    page = pages.PAGES[slug]
    given = dict(page.exercises[0].settings)
    query = "&".join(f"{name}={value}" for name, value in given.items())
    # A number and its sign of percent stay on one line.
    text = html.unescape(desk(f"/lab/{slug}?{query}").text).replace("\u00a0", " ")
    shown = page.shown(page.read(given))
    for value in shown.values:
        assert f'data-value="{value.name}"><dt>{value.label}</dt><dd>{value.text}</dd>' in text
    for picture in shown.pictures:
        assert f">{picture.table.rows[-1][-1]}</td>" in text
    assert shown.code in text
    for exercise in page.exercises:
        assert exercise.answer in text
    assert "<math" in text


@pytest.mark.parametrize("slug", pages.PAGES)
def test_the_answer_is_the_page_s_part(desk: Caller, slug: str) -> None:
    page, answer = desk(f"/lab/{slug}"), desk(f"/lab/{slug}/answer")
    assert answer.status == 200
    for part in answer.text.split("<!-- part -->"):
        assert part.strip() in page.text
    assert answer.text.count("<!-- part -->") == 3 + answer.text.count("<figure ")
    # A picture's numbers come without its table, which stands beside it.
    shown = pages.PAGES[slug].answer(pages.PAGES[slug].read({}))
    drawn = re.findall("data-drawn='(.*)'", answer.text)
    assert [json.loads(one) for one in drawn] == [
        json.loads(json.dumps({**picture, "table": None})) for picture in shown["pictures"]
    ]
    assert "Set-Cookie" not in dict(answer.headers)
    assert len(answer.body) < 50_000


def test_a_platform_s_link_answers_as_before(desk: Caller) -> None:
    for ending in ("", "/answer"):
        plain, added = (
            desk(f"/lab/coins{ending}?truth=0.3{more}")
            for more in ("", "&utm_source=moodle&fbclid=1")
        )
        assert (added.status, plain.status) == (200, 200)
        assert added.body == plain.body


@pytest.mark.parametrize("query", ["truth=2", "story=dice", "truth=0.5001", "k=%00"])
def test_impossible_settings_of_a_page_are_refused(desk: Caller, query: str) -> None:
    for path in ("/lab/coins", "/lab/coins/answer"):
        page = desk(f"{path}?{query}")
        assert page.status == 422
        assert "expected" in page.text
        assert "dice" not in page.text


@pytest.mark.parametrize("path", ["/lab/other", "/lab/other/answer"])
def test_there_are_no_other_pages_and_files(desk: Caller, path: str) -> None:
    assert desk(path).status == 404


def test_cells_may_come_singly_without_a_script(desk: Caller) -> None:
    letters = "ynnnyynnnnya"
    together = desk(f"/lab/again/answer?what=tables&tables={letters}")
    one_by_one = "&".join(f"tables={letter}" for letter in letters)
    assert desk(f"/lab/again/answer?what=tables&{one_by_one}").body == together.body
    page = desk(f"/lab/again?what=tables&{one_by_one}").text.replace("\u00a0", " ")
    chosen = re.findall(r'<option value="(.)" selected>', page)
    assert "".join(chosen) == letters
    again = pages.PAGES["again"]
    (records,) = again.shown(again.read({"what": "tables", "tables": letters})).records
    assert records.id == "channel"
    assert f"<td>{records.table.rows[1][2]}</td>" in page
    for wrong in ("tables=y", f"tables={letters}y", "flip=0.1&flip=0.2", "how=all&how=all"):
        assert desk(f"/lab/again/answer?what=tables&{wrong}").status == 422


def test_the_map_has_every_path_and_course(desk: Caller) -> None:
    text = html.unescape(desk("/lab").text)
    for path in pages.PATHS:
        assert all(f": {stop.what}</li>" in text for stop in path.stops)
    for course, slugs in COURSES:
        assert course.title in text
        links = "".join(f'<li><a href="/lab/{slug}">[^<]*</a></li>' for slug in slugs)
        assert re.search(f"<ul>{links}</ul>", text)


NOTHING: dict[str, Any] = {
    **{"said": [], "values": [], "pictures": [], "code": ""},
    "records": [{"id": "empty", "table": {"columns": [], "rows": []}}],
}


def test_one_answer_is_worked_out_once(desk: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    lab._cached_answer.cache_clear()

    def answer(_: Page, settings: object) -> dict[str, Any]:
        asked.append(settings)
        return NOTHING

    monkeypatch.setattr(Page, "answer", answer)
    for query in ("", "truth=0.5", "truth=0.50", "k=4&truth=0.5"):
        assert desk(f"/lab/coins/answer?{query}").status == 200
    assert len(asked) == 1
    lab._cached_answer.cache_clear()


def test_few_are_worked_out_at_one_time(desk: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go = threading.Semaphore(0), threading.Event()

    def slow(*_: object) -> dict[str, Any]:
        begun.release()
        assert go.wait(30)
        return NOTHING

    monkeypatch.setattr(lab, "_PATIENCE", 0.01)
    monkeypatch.setattr(Page, "answer", slow)
    lab._cached_answer.cache_clear()
    with ThreadPoolExecutor(2) as threads:
        busy = [threads.submit(desk, f"/lab/coins/answer?k={k}") for k in (2, 3)]
        for _ in busy:
            assert begun.acquire(timeout=30)
        assert desk("/lab/coins/answer?k=5").status == 503
        go.set()
        assert [one.result().status for one in busy] == [200, 200]
    lab._cached_answer.cache_clear()
