"""The lab's pages, which everybody may see: all their data are simulated.

The adversary overloads the machine. So a page has finitely many settings (each slider has its
positions), answers are cached, and only two are computed at once.
"""

import threading
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Response, abort, render_template, request, send_from_directory

import deniable.lab
from deniable.lab.export import Exported
from deniable.lab.inputs import Setting
from deniable.lab.pages import CHAPTERS, PAGES, PATHS
from deniable.lab.said import number, percent, unbroken
from deniable.lab.taught import COURSES
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.query import WrongChoiceError

_STATIC: Final = Path(deniable.lab.__file__).parent / "static"

_KEPT: Final = 2048
"""Maximum number of answers in the cache, of some 10 kB each."""

_AT_ONCE: Final = threading.BoundedSemaphore(2)
_PATIENCE: Final = 0.3
"""Seconds that a request waits for its turn, in a thread that the desk's own pages need too."""


lab = Blueprint("lab", __name__)


@lab.get("/lab/static/<path:filename>", needs=Right.EVERYBODY)
def static(filename: str) -> Response:
    """Return a static file of the lab's pages."""
    return send_from_directory(_STATIC, filename)


@lab.get("/lab", needs=Right.EVERYBODY)
def contents() -> str:
    """List the lab's pages, for this server or for a site of files."""
    return render_template(
        "lab/contents.html",
        pages=PAGES,
        chapters=CHAPTERS,
        paths=PATHS,
        courses=COURSES,
    )


@lab.get("/lab/<page>", needs=Right.EVERYBODY)
def page(page: str) -> str:
    """Show a page of the lab."""
    return _write_page(page, page_html)


@lab.get("/lab/<page>/answer", needs=Right.EVERYBODY)
def answer(page: str) -> str:
    """Show what comes out on a page, for its script, which has the rest already."""
    return _write_page(page, lambda slug, given: answer_html(_answer(slug, given)))


def _write_page(page: str, write: Callable[[str, Mapping[str, str]], str]) -> str:
    if page not in PAGES:
        abort(HTTPStatus.NOT_FOUND)
    # Without a script, the cells of a table come as repeated parameters.
    given = {name: "".join(values) for name, values in request.args.lists()}
    try:
        return write(page, given)
    except ValueError as error:
        raise WrongChoiceError(f"The page has no such setting: {error}") from None


def page_html(slug: str, given: Mapping[str, str], file: Exported | None = None) -> str:
    """Return a page as HTML; `file`: with its answers, where there is no server."""
    slugs = list(PAGES)
    place = slugs.index(slug)
    return render_template(
        "lab/page.html",
        page=PAGES[slug],
        shown=_answer(slug, given),
        given=given,
        beside=[PAGES.get(one) for one in (["", *slugs][place], [*slugs, ""][place + 1])],
        file=file,
        number=partial(number, digits=6),
        percent=lambda share: unbroken(percent(share)),
        unbroken=unbroken,
    )


def answer_html(shown: Mapping[str, Any]) -> str:
    """Return what comes out on a page as HTML, without the rest of the page."""
    return render_template("lab/answer.html", shown=shown, unbroken=unbroken)


def _answer(page: str, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return what a page shows; raise `ValueError` if it has no such settings."""
    return _cached_answer(page, tuple(PAGES[page].read(given).items()))


@lru_cache(maxsize=_KEPT)
def _cached_answer(page: str, settings: tuple[tuple[str, Setting], ...]) -> Mapping[str, Any]:
    if not _AT_ONCE.acquire(timeout=_PATIENCE):
        abort(HTTPStatus.SERVICE_UNAVAILABLE)
    try:
        return PAGES[page].answer(dict(settings))
    finally:
        _AT_ONCE.release()
