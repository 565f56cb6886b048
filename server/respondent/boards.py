"""What everybody may have of a survey that publishes its reports: boards, and what was asked.

A board is given out as it was signed, whole: whoever looks for their own report on it tells nobody
which it is. Nothing here is made for who asks.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, abort, jsonify

from deniable.server.respondent.joining import needed
from deniable.server.respondent.program import BROWSER_FOLDER
from deniable.server.respondent.views import views
from deniable.server.store import Store
from deniable.server.store.catalogue import Catalogue
from deniable.survey import Survey

MODULE: Final = "page/board.js"
"""The module of a survey that publishes its reports, and of the page of its board."""


def add_boards(
    pages: Blueprint,
    store: Store,
    catalogue: Catalogue,
    find: Callable[[str], Survey],
    page: Callable[..., str],
) -> None:
    """Add the boards of surveys, and the revisions that their reports are to."""
    said = needed(BROWSER_FOLDER, MODULE, "page/language.js")

    def published(slug: str) -> Survey:
        survey = find(slug)
        if not survey.is_published:
            abort(HTTPStatus.NOT_FOUND)
        return survey

    @pages.get("/s/<slug>/board")
    def board_page(slug: str) -> str:
        # The receipt stays in the browser, which looks for its report there.
        parts = ("invitation.js", "board.js", "main.js")
        return page("board.html", views(published(slug)), parts, said)

    @pages.get("/s/<slug>/boards.json")
    def boards(slug: str) -> Response:
        survey = published(slug)
        return jsonify(
            survey=slug,
            revisions=store.revisions(survey.slug),
            signatures=[signature.hex() for signature in store.board_signatures(slug)],
        )

    @pages.get("/s/<slug>/boards/<int:number>.json")
    def board(slug: str, number: int) -> Response:
        published(slug)
        try:
            return Response(store.board(slug, number), mimetype="application/json")
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)

    @pages.get("/s/<slug>/revisions/<revision>.json")
    def revision(slug: str, revision: str) -> Response:
        published(slug)
        try:
            written = catalogue.remembered(slug, revision).to_json()
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)
        return Response(written, mimetype="application/json")
