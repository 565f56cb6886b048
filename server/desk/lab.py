"""The lab's pages, which everybody may see: all their data are simulated.

The adversary overloads the machine. So a page has finitely many settings (each slider has its
positions), answers are cached, and only two are computed at once.
"""

import json
import threading
from collections.abc import Mapping
from functools import lru_cache, partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Response, abort, render_template, request, send_from_directory

import deniable.lab
from deniable.lab.export import Exported
from deniable.lab.inputs import Setting
from deniable.lab.page import Value
from deniable.lab.pages import CHAPTERS, PAGES, PATHS
from deniable.lab.said import number, unbroken
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
    if page not in PAGES:
        abort(HTTPStatus.NOT_FOUND)
    try:
        return page_html(page, _given())
    except ValueError as error:
        raise WrongChoiceError(f"The page has no such setting: {error}") from None


def page_html(slug: str, given: Mapping[str, str], file: Exported | None = None) -> str:
    """Return a page as HTML; `file`: its answers in a file beside it, for a file server."""
    slugs = list(PAGES)
    place = slugs.index(slug)
    return render_template(
        "lab/page.html",
        page=PAGES[slug],
        shown=json.loads(_answer(slug, given)),
        right=_guessed(slug),
        given=given,
        beside=[PAGES.get(one) for one in (["", *slugs][place], [*slugs, ""][place + 1])],
        file=file,
        number=partial(number, digits=6),
        unbroken=unbroken,
    )


@lab.get("/lab/<page>.json", needs=Right.EVERYBODY)
def numbers(page: str) -> Response:
    """Return the numbers of a page as JSON."""
    if page not in PAGES:
        abort(HTTPStatus.NOT_FOUND)
    try:
        return Response(_answer(page, _given()), mimetype="application/json")
    except ValueError as error:
        text = json.dumps({"error": str(error)})
        return Response(text, HTTPStatus.BAD_REQUEST, mimetype="application/json")


def _given() -> dict[str, str]:
    # Without a script, the cells of a table come as repeated parameters.
    return {name: "".join(values) for name, values in request.args.lists()}


@lru_cache
def _guessed(page: str) -> Value:
    """Return the value that readers guess before a page shows it."""
    values = PAGES[page].shown(PAGES[page].read({})).values
    return next(one for one in values if one.name == PAGES[page].guess.value)


def _answer(page: str, given: Mapping[str, str]) -> str:
    """Return a page's numbers as JSON; raise `ValueError` if it has no such settings."""
    return _kept(page, tuple(PAGES[page].read(given).items()))


@lru_cache(maxsize=_KEPT)
def _kept(page: str, settings: tuple[tuple[str, Setting], ...]) -> str:
    if not _AT_ONCE.acquire(timeout=_PATIENCE):
        abort(HTTPStatus.SERVICE_UNAVAILABLE)
    try:
        answer: dict[str, Any] = PAGES[page].answer(dict(settings))
        return json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    finally:
        _AT_ONCE.release()
