"""What everybody may have of a survey that publishes its reports: boards, and what was asked.

A board is given out as it was signed, whole: whoever looks for their own report on it tells nobody
which it is. Nothing here is made for who asks.
"""

from collections.abc import Callable
from http import HTTPStatus

from flask import Blueprint, Response, abort, jsonify

from deniable.server.respondent.views import views
from deniable.server.store import Store
from deniable.server.store.catalogue import Catalogue
from deniable.survey import Survey
from deniable.survey.wordings import MEDIA_TYPE


def add_boards(
    pages: Blueprint,
    store: Store,
    catalogue: Catalogue,
    find: Callable[[str], Survey],
    page: Callable[..., str],
) -> None:
    """Add the boards of surveys, and the revisions that their reports are to."""

    def published(address: str) -> Survey:
        survey = find(address)
        if not survey.is_published:
            abort(HTTPStatus.NOT_FOUND)
        return survey

    @pages.get("/<survey:address>/board")
    def board_page(address: str) -> str:
        # The receipt stays in the browser, which looks for its report there.
        parts = ("invitation.js", "board.js", "main.js")
        return page("board.html", views(published(address)), parts)

    @pages.get("/<survey:address>/boards.json")
    def boards(address: str) -> Response:
        survey = published(address)
        return jsonify(
            survey=survey.slug,
            revisions=store.revisions(survey.slug),
            signatures=[signature.hex() for signature in store.board_signatures(survey.slug)],
        )

    @pages.get("/<survey:address>/boards/<int:number>.json")
    def board(address: str, number: int) -> Response:
        survey = published(address)
        try:
            return Response(store.board(survey.slug, number), mimetype="application/json")
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)

    @pages.get("/<survey:address>/revisions/<revision>.json")
    def revision(address: str, revision: str) -> Response:
        survey = published(address)
        try:
            written = catalogue.remembered(survey.slug, revision).to_json()
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)
        return Response(written, mimetype=MEDIA_TYPE)
