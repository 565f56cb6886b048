"""The projector's page, for a machine where nobody has signed in: anyone with its link may look."""

from http import HTTPStatus

from flask import Blueprint, Response, abort, render_template

from deniable.classroom.steps import step_of
from deniable.server.desk.context import or_404, qr_code, respondents_url, store
from deniable.server.desk.live.state import class_of, moment_of, show_on_phones, spoken_in
from deniable.server.desk.permissions import Right
from deniable.server.store.meetings import Meeting

projector = Blueprint("projector", __name__, url_prefix="/desk/projector")


@projector.get("/<meeting>", needs=Right.EVERYBODY)
def page(meeting: str) -> str:
    """Show the projector's page."""
    found = or_404(store.meeting, meeting)
    spoken = spoken_in(store.survey(found.slug()), found.language)
    return render_template(
        "desk/projector.html",
        meeting=found,
        layout=step_of(found.step).layout,
        joining=join_address(respondents_url(), found),
        spoken=spoken,
        _=spoken.html,
    )


@projector.get("/<meeting>/scene.json", needs=Right.EVERYBODY)
def scene(meeting: str) -> Response:
    """Return what the projector shows now; answer 404 after the meeting, which ends the page."""
    found = or_404(store.meeting, meeting)
    try:
        there = class_of(store, found)
        show_on_phones(store, found, there)
        return Response(moment_of(found, there), mimetype="application/json")
    except KeyError:  # its question is being removed, to be asked again
        abort(HTTPStatus.SERVICE_UNAVAILABLE)


@projector.get("/<meeting>/qr.svg", needs=Right.EVERYBODY)
def qr(meeting: str) -> Response:
    """Draw the QR code of the link by which phones join."""
    return qr_code(join_address(respondents_url(), or_404(store.meeting, meeting))[0])


def join_address(respondents_url: str, meeting: Meeting) -> tuple[str, str]:
    """Return the link by which phones join a meeting, and the address where people type its code.

    Examples
    --------
    >>> join_address("http://10.0.0.2:8000/", Meeting("a", "K7M4RX", 0, ()))
    ('http://10.0.0.2:8000/join/K7M4RX', '10.0.0.2:8000/join')
    """
    address = f"{respondents_url.rstrip('/')}/join"
    return f"{address}/{meeting.code}", address.partition("://")[2]
