"""The desk's page about a survey's collection: how people get to it, and when it takes reports.

The adversary is haste: a time in the wrong zone, a survey that closes unseen, an access word that
was printed with a mistake. So the page shows every time in full, with its zone, before and after it
is set. It shows the access word in plain letters: all respondents have it from the owner, who has
to be able to hand it out again.
"""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import NamedTuple

from flask import Blueprint, Response, abort, render_template, request
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.context import attachment, find_survey, link_of, qr_code, see_other, store
from deniable.server.desk.permissions import Right
from deniable.server.store.schedule import (
    FIELDS,
    Schedule,
    read_schedule,
    told_of_cap,
    told_schedule,
    written_schedule,
)
from deniable.text.timestamps import zone_at

collection = Blueprint("collection", __name__, url_prefix="/desk/surveys/<slug>")


class _Times(NamedTuple):
    """The fields of the schedule as typed, as moments for browsers, and the server's zone."""

    typed: Mapping[str, str]
    moments: Mapping[str, str]
    zone: str


@collection.get("/collect", needs=Right.CHANGE_SURVEY)
def page(slug: str, mistake: str = "", typed: Mapping[str, str] | None = None) -> str:
    """Show how people get to a survey, and when it takes reports."""
    survey, schedule, state = find_survey(slug), store.schedule(slug), store.state(slug)
    return render_template(
        "desk/collect.html",
        survey=survey,
        invited=store.invited(slug),
        state=state,
        told=[
            *told_schedule(schedule, state),
            *told_of_cap(schedule, is_by_invitation=survey.is_by_invitation),
        ],
        mistake=mistake,
        times=_Times(
            typed or written_schedule(schedule),
            typed or _moments(schedule),
            zone_at(int(time.time())),
        ),
        link=link_of(survey),
        has_file=bool(store.source(slug, survey.revision)),
    )


def _moments(schedule: Schedule) -> dict[str, str]:
    # In UTC, as ISO 8601, which a browser in any zone can read.
    return {
        name: "" if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
        for name, seconds in (("opens", schedule.opens), ("closes", schedule.closes))
    }


@collection.post("/collect", needs=Right.CHANGE_SURVEY)
def set_schedule(slug: str) -> BaseResponse | tuple[str, HTTPStatus]:
    """Set when a survey takes reports."""
    typed = {name: request.form.get(name, "") for name in FIELDS}
    try:
        store.set_schedule(slug, read_schedule(typed, store.schedule(slug)))
    except ValueError as mistake:
        return page(slug, str(mistake), typed), HTTPStatus.UNPROCESSABLE_ENTITY
    return see_other("collection.page", "The schedule is saved.", slug=slug)


@collection.get("/survey.yaml", needs=Right.CHANGE_SURVEY)
def survey_file(slug: str) -> Response:
    """Return the survey file of the current revision as a download."""
    text = store.source(slug, find_survey(slug).revision)
    if not text:  # a survey that came as a document has none
        abort(HTTPStatus.NOT_FOUND)
    return attachment(text, "application/yaml", f"{slug}.yaml")


@collection.get("/qr.svg", needs=Right.READ)
def qr(slug: str) -> Response:
    """Draw the QR code of the respondents' link."""
    return qr_code(link_of(find_survey(slug)))
