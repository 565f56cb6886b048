"""What every program of the server shares: bodies of requests, pages, and certificates."""

import asyncio
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from deniable.server.web import body
from deniable.server.web.pages import compiled_templates
from deniable.server.web.tls import is_alterable


def test_only_what_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "SECONDS", 0.3)

    async def work(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "done"

    async def all_of_them() -> list[object]:
        clock = body._Clock(asyncio.get_running_loop())
        jobs = [asyncio.create_task(clock.within(work(seconds))) for seconds in (5, 0.01, 5)]
        await asyncio.sleep(0.2)
        later = asyncio.create_task(clock.within(work(0.2)))  # over when it would be for the others
        jobs[2].cancel()  # by somebody else
        ended = await asyncio.wait_for(asyncio.gather(*jobs, later, return_exceptions=True), 2)
        assert not clock._since
        assert not clock._over
        again = await asyncio.gather(clock.within(work(5)), return_exceptions=True)
        return [*ended, *again]

    slow, quick, cancelled, later, again = asyncio.run(all_of_them())
    assert (quick, later) == ("done", "done")
    assert isinstance(slow, TimeoutError)
    assert isinstance(cancelled, asyncio.CancelledError)
    assert isinstance(again, TimeoutError)


def _page(folder: Path, *, fails: bool = False) -> str:
    """Show a page as a server does that has just started."""
    pages = Environment(
        loader=FileSystemLoader(folder), bytecode_cache=compiled_templates(folder), autoescape=True
    )
    if fails:
        pages.parse = pages.compile = None  # type: ignore[assignment]
    return pages.get_template("page.html").render(n=7)


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
    pages = Environment(loader=FileSystemLoader(tmp_path), bytecode_cache=kept, autoescape=True)
    assert pages.get_template("page.html").render(n=7) == "7"
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
