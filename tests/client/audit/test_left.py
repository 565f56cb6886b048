"""What a browser has left on a device: anything that names the page, but what may be there."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from deniable.client.audit.left import left_on

pytestmark = pytest.mark.promise("audit")

HOST = "127.0.0.1:8000"
PAGE, EMPTY = f"http://{HOST}/ABC/", f"http://{HOST}/0123456789abcdef"
ADDRESS = "the browser's history keeps an address that is not the page's"


def profile(folder: Path, addresses: Sequence[str] = (PAGE, EMPTY), **settings: object) -> Path:
    """Make what an honest visit leaves, and more settings of the site."""
    own = folder / "Default"
    (own / "Local Storage").mkdir(parents=True)
    (own / "Local Storage" / "000003.log").write_bytes(b"_http://127.0.0.1:8000\0\1deniable:")
    (own / "elsewhere").write_bytes(b"http://127.0.0.1:80/, http://127.0.0.2:8000/")
    # What the browser keeps of any page.
    (own / "annotations").write_text(f"{PAGE} {EMPTY}")
    exceptions = {"site_engagement": {f"http://{HOST},*": {}}, **settings}
    kept = {"profile": {"content_settings": {"exceptions": exceptions}}, "zoom": 1}
    (own / "Preferences").write_text(json.dumps(kept))
    with closing(sqlite3.connect(own / "History")) as history, history:
        history.execute("CREATE TABLE urls (url TEXT)")
        others = ("http://elsewhere.example/",)
        history.executemany(
            "INSERT INTO urls VALUES (?)", [(url,) for url in (*addresses, *others)]
        )
    return folder


def test_what_an_honest_visit_leaves_may_be_there(tmp_path: Path) -> None:
    assert left_on(profile(tmp_path), {PAGE}, EMPTY) == []


@pytest.mark.parametrize("content", [f"of {PAGE}".encode(), HOST.encode("utf-16-le")])
def test_any_other_file_that_names_the_page_is_said(tmp_path: Path, content: bytes) -> None:
    place = profile(tmp_path) / "Default" / "Told" / "db"
    place.parent.mkdir()
    place.write_bytes(content)
    (said,) = left_on(tmp_path, {PAGE}, EMPTY)
    assert said == "it leaves something on the device, in Told"


def test_so_is_an_empty_folder_of_that_name(tmp_path: Path) -> None:
    (profile(tmp_path) / "Default" / "IndexedDB" / "http_127.0.0.1_8000.leveldb").mkdir(
        parents=True
    )
    assert left_on(tmp_path, {PAGE}, EMPTY) == ["it leaves something on the device, in IndexedDB"]


def test_a_store_beside_one_that_may_be_there_is_said(tmp_path: Path) -> None:
    for name, content in (("QuotaManager", f"http://{HOST}/"), ("2/db", HOST)):
        file = tmp_path / "Default" / "WebStorage" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    assert left_on(profile(tmp_path), {PAGE}, EMPTY) == [
        "it leaves something on the device, in WebStorage: 2"
    ]


def test_a_setting_of_the_site_is_said(tmp_path: Path) -> None:
    found = left_on(profile(tmp_path, notifications={f"http://{HOST},*": {}}), {PAGE}, EMPTY)
    assert found == ["it leaves something on the device, in Preferences: notifications"]


def test_an_address_that_was_there_for_a_moment_is_said(tmp_path: Path) -> None:
    found = left_on(profile(tmp_path, (PAGE, EMPTY, f"{PAGE}#told")), {PAGE}, EMPTY)
    assert found == [ADDRESS]


def test_a_history_that_is_not_whole_holds_nothing(tmp_path: Path) -> None:
    (profile(tmp_path) / "Default" / "History").write_bytes(b"not a database")
    assert left_on(tmp_path, {PAGE}, EMPTY) == []
    assert left_on(tmp_path / "nothing", {PAGE}, EMPTY) == []
