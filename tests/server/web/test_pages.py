"""What every program of the server shares: bodies of requests, pages, and certificates."""

import asyncio
import threading
import time
from functools import partial
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader

from deniable.server.store import StoreUnavailable
from deniable.server.web import body, pages
from deniable.server.web.pages import compiled_templates
from deniable.server.web.tls import is_alterable
from tests.kit import until


def test_a_body_sent_too_slowly_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "SECONDS", 0.05)

    async def slow() -> bytes:
        await asyncio.sleep(5)
        return b"{}"

    scope: Any = SimpleNamespace(headers={"content-length": "2"})
    protocol: Any = slow
    with pytest.raises(body.BodyError) as refused:
        asyncio.run(body.read_body(scope, protocol))
    assert refused.value.response.status == HTTPStatus.REQUEST_TIMEOUT


def test_an_outage_is_logged_once_and_its_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pages, "_LOOK_EVERY", 0.05)
    away = threading.Event()

    def look() -> str:
        if away.is_set():
            raise StoreUnavailable("it is away")
        return "here"

    app = pages.create_app("away", lambda error: str(error.code), StoreUnavailable, look)
    app.add_url_rule("/", "store", look)
    app.add_url_rule("/memory", "memory", lambda: "here")
    visitor = app.test_client()

    def ended(times: int) -> bool:
        return caplog.text.count("again") == times

    for outage in (1, 2):
        away.set()
        for _ in range(5):
            assert visitor.get("/").status_code == 503
            assert visitor.get("/memory").status_code == 200  # needs no store, and ends nothing
            time.sleep(0.03)
        away.clear()
        until(partial(ended, outage))
        assert visitor.get("/").status_code == 200
    said = [record.getMessage() for record in caplog.records]
    assert said == ["pages cannot be made: it is away", "pages can be made again"] * 2


def _page(folder: Path, *, fails: bool = False) -> str:
    """Show a page as a server does that has just started."""
    templates = Environment(
        loader=FileSystemLoader(folder), bytecode_cache=compiled_templates(folder), autoescape=True
    )
    if fails:
        templates.parse = templates.compile = None  # type: ignore[assignment]
    return templates.get_template("page.html").render(n=7)


@pytest.fixture(autouse=True)
def _compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", False)


def test_a_template_is_compiled_once(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("first {{ n }}")
    assert _page(tmp_path) == "first 7"
    assert _page(tmp_path, fails=True) == "first 7"
    (tmp_path / "page.html").write_text("second {{ n }}")
    assert _page(tmp_path) == "second 7"


def test_pages_need_no_memory_to_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.html").write_text("{{ n }}")
    (tmp_path / "__pycache__").write_text("")
    assert compiled_templates(tmp_path) is None
    assert _page(tmp_path) == "7"
    (tmp_path / "__pycache__").unlink()
    kept = compiled_templates(tmp_path)
    (tmp_path / "__pycache__").rmdir()  # it was there when the server started
    templates = Environment(loader=FileSystemLoader(tmp_path), bytecode_cache=kept, autoescape=True)
    assert templates.get_template("page.html").render(n=7) == "7"
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    assert _page(tmp_path) == "7"
    assert not (tmp_path / "__pycache__").exists()


@pytest.mark.promise("program")
@pytest.mark.parametrize(
    ("url", "alterable"),
    [
        ("http://192.0.2.1:8000", True),
        ("http://survey.example.org", True),
        ("http://127.example.org", True),
        ("http://localhost.example.org", True),
        ("http://[2001:db8::1]:8000", True),
        ("http://127.0.0.1:8000", False),
        ("http://127.8.9.1:8000", False),
        ("http://[::1]:8000", False),
        ("http://localhost:8000", False),
        ("https://survey.example.org", False),
        ("https://192.0.2.1", False),
    ],
)
def test_what_somebody_on_the_way_can_alter(url: str, alterable: bool) -> None:
    assert is_alterable(url) is alterable
