"""The respondent's pages, and the program that they load.

Nothing here sets a cookie, reads a session or keeps anything: these pages only hand out. Reports go
to the intake, which never reaches Flask.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import Any, Final

from flask import Blueprint, Response, abort, render_template, request

import deniable.client
from deniable.paper import places_on_sheet
from deniable.server.catalogue import Catalogue
from deniable.server.compression import compressed
from deniable.server.drawing import people
from deniable.server.integrity import program_hashes
from deniable.server.joining import modules
from deniable.server.label import privacy_label
from deniable.server.program import program_files, served
from deniable.server.records import State
from deniable.server.sheet import sheet_page
from deniable.server.store import Store
from deniable.server.words import View, shown, spoken, views
from deniable.survey import NEUTRAL_SITE, Survey

BROWSER_FOLDER: Final = Path(deniable.client.__file__).parent / "browser"
"""The only folder of which files are served; the Python beside it is not."""

MEDIA_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
"""The only kinds of files that are served. Named here, since a machine's own list may call
JavaScript something that no browser runs."""


def create_respondent(store: Store, catalogue: Catalogue) -> Blueprint:
    """Make the respondent's pages.

    Parameters
    ----------
    store : Store
    catalogue : Catalogue
        Of the same store.

    Returns
    -------
    Blueprint
    """
    pages = Blueprint("respondent", __name__)
    pages.after_request(compressed)
    # Once, at start: a file that is altered while the server runs is served to nobody.
    files = {file.name: served(file) for file in program_files(BROWSER_FOLDER)}
    hashes = program_hashes(BROWSER_FOLDER)
    said_by = {
        start: modules(BROWSER_FOLDER, start) for start in ("main.js", "device.js", "leave.js")
    }

    @pages.app_context_processor
    def loaded() -> dict[str, Any]:
        return {"program": hashes}

    def find(slug: str) -> Survey:
        try:
            return catalogue.current(slug)
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)

    def page(template: str, shown_views: tuple[View, ...], start: str, **more: object) -> str:
        """Render a page with a program, and with what that says in the page's languages."""
        words = spoken(shown_views, said_by[start])
        return render_template(template, **shown(shown_views), start=start, spoken=words, **more)

    @pages.get("/")
    def home() -> str:
        # Which surveys there are is for those who were given a link to know.
        return render_template("home.html", **shown(views(None)))

    @pages.get("/device")
    def device() -> str:
        # The list itself is on the device, and the page only shows it there.
        return page("device.html", views(None), "device.js", neutral_site=NEUTRAL_SITE)

    @pages.get("/s/<slug>")
    def survey(slug: str) -> tuple[str, HTTPStatus]:
        found = find(slug)
        if store.state(slug) is State.CLOSED:
            return page("closed.html", views(found), "leave.js"), HTTPStatus.GONE
        wave = None if found.waves is None else store.wave(slug)
        return page("respondent.html", views(found), "main.js", wave=wave), HTTPStatus.OK

    @pages.get("/s/<slug>/survey.json")
    def document(slug: str) -> Response:
        found = find(slug)
        response = _json(found.document)
        response.set_etag(found.revision)
        response.make_conditional(request)
        return response

    @pages.get("/s/<slug>/privacy")
    def privacy(slug: str) -> Response:
        found = find(slug)
        accepted = request.accept_mimetypes
        if accepted.best_match(["text/html", "application/json"]) == "application/json":
            response = _json(_label(found))
        else:
            text = page(
                "privacy.html",
                views(found, privacy_label),
                "leave.js",
                people=people,
                on_paper=bool(places_on_sheet(found)),
            )
            response = Response(text)
        response.vary.add("Accept")
        return response

    @pages.get("/s/<slug>/privacy.json")
    def privacy_as_json(slug: str) -> Response:
        return _json(_label(find(slug)))

    @pages.get("/s/<slug>/sheet")
    def sheet(slug: str) -> str:
        return sheet_page(find(slug))

    @pages.get("/client/<path:name>")
    def client(name: str) -> Response:
        media_type = MEDIA_TYPES.get(PurePosixPath(name).suffix)
        if media_type is None:
            abort(HTTPStatus.NOT_FOUND)
        content = files.get(name)
        if content is None:
            abort(HTTPStatus.NOT_FOUND)
        response = Response(content, mimetype=media_type)
        response.add_etag()
        response.make_conditional(request)
        return response

    return pages


def _label(survey: Survey) -> dict[str, Any]:
    """Return the privacy label for programs, in the first of the survey's languages."""
    first = views(survey)[0]
    return privacy_label(first.survey or survey, first.words).document()


def _json(value: dict[str, Any]) -> Response:
    return Response(json.dumps(value, ensure_ascii=False), mimetype="application/json")
