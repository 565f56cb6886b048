"""The projector's page, for a machine where nobody has signed in: whoever has its link may look.

The link holds the random id of a meeting. It shows what the class sees, and changes nothing. What
it shows comes as events (`sse`), or is asked for again and again where these do not get
through.
"""

from __future__ import annotations

import io
from http import HTTPStatus

import segno
from flask import Blueprint, Response, abort, render_template, request

from deniable.server.desk.context import respondents_url, store
from deniable.server.desk.live.state import Moment, moment_of
from deniable.server.store.meetings import Meeting

projector = Blueprint("projector", __name__, url_prefix="/desk/projector")


def _find(id: str) -> Meeting:
    try:
        return store.meeting(id)
    except KeyError:
        abort(HTTPStatus.NOT_FOUND)


def _moment(id: str) -> Moment:
    try:
        return moment_of(store, id)
    except KeyError:
        abort(HTTPStatus.NOT_FOUND)


@projector.get("/<meeting>")
def page(meeting: str) -> str:
    """Show the projector's page."""
    found = _find(meeting)
    return render_template(
        "desk/projector.html",
        meeting=found,
        joining=joining(respondents_url(), found),
        moment=_moment(meeting),
    )


@projector.get("/<meeting>/scene.json")
def scene(meeting: str) -> Response:
    """Return what it shows now."""
    now = _moment(meeting)
    response = Response(now.text, mimetype="application/json")
    response.set_etag(now.id)
    response.make_conditional(request)
    return response


@projector.get("/<meeting>/qr.svg")
def qr(meeting: str) -> Response:
    """Draw the QR code of the link by which phones join."""
    drawn = io.BytesIO()
    square = segno.make(joining(respondents_url(), _find(meeting))[0], micro=False)
    square.save(drawn, kind="svg", border=4, light="#fff", xmldecl=False, omitsize=True)
    return Response(drawn.getvalue(), mimetype="image/svg+xml")


def joining(respondents_url: str, meeting: Meeting) -> tuple[str, str]:
    """Return the link by which phones join a meeting, and where people type its code.

    Examples
    --------
    >>> joining("http://10.0.0.2:8000/", Meeting("a", "K7M4RX", 0, ()))
    ('http://10.0.0.2:8000/join/K7M4RX', '10.0.0.2:8000/join')
    """
    address = f"{respondents_url.rstrip('/')}/join"
    return f"{address}/{meeting.code}", address.partition("://")[2]
