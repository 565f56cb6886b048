"""What both programs' pages have in common."""

from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from deniable.server.web.pages import compiled_templates


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


def test_a_template_is_compiled_once_and_not_at_each_start(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("first {{ n }}")
    assert _page(tmp_path) == "first 7"
    assert _page(tmp_path, fails=True) == "first 7"
    (tmp_path / "page.html").write_text("second {{ n }}")
    assert _page(tmp_path) == "second 7"


def test_pages_are_shown_where_nothing_can_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
