"""What scripts ask of the desk over HTTP: the same as its pages, as JSON and CSV.

The adversary is a script with a token of somebody who may do less than it asks for, and a page of
another site in somebody's browser. Every request is held to the right of its route. Tokens
alone count here, never a cookie, so no form needs protection from other sites.
"""

import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NoReturn

from flask import Response, abort, jsonify, request
from werkzeug.exceptions import HTTPException

from deniable.analysis import intervals
from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.privacy.disclosure import shown_answers
from deniable.server.desk.api.operations import (
    JSON,
    PREFIX,
    STRING,
    Api,
    Schema,
    as_problem,
    object_of,
    refuse,
)
from deniable.server.desk.auth.sessions import hash_of
from deniable.server.desk.context import context, desk_url, store
from deniable.server.desk.editor.lint_worker import BUSY, the_checker
from deniable.server.desk.editor.preview import TakenError
from deniable.server.desk.editor.publish import publish
from deniable.server.desk.permissions import Person, Right, person_of, signed_in
from deniable.server.desk.results.files import estimates_file, reports_file
from deniable.server.desk.results.query import LEVELS, WrongChoiceError, query
from deniable.server.store import StoreError, StoreUnavailable
from deniable.server.store.accounts import Role
from deniable.server.store.schedule import SET, State
from deniable.survey.wordings import MEDIA_TYPE
from deniable.survey_file import Mistake, SurveyFileError, plan_of

api = Api("api", __name__, url_prefix=PREFIX)


def _parameter(name: str, description: str, **schema: object) -> Schema:
    kind = {"type": "string", **schema}
    return {"name": name, "in": "query", "description": description, "schema": kind}


_TEXT: Final[Schema] = {"type": ["string", "null"]}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_WAVE_OF: Final[Schema] = {"type": ["integer", "null"]}
_NUMBER: Final[Schema] = {"type": "number"}
_OBJECT: Final[Schema] = {"type": "object"}
_ROWS: Final[Schema] = {"type": "array", "items": _OBJECT}

_REVISION: Final = _parameter(
    "revision",
    "This revision alone. By default the current one, with the reports to others that answer the "
    "same questions.",
    pattern="^[0-9a-f]{64}$",
)
_WAVE: Final = _parameter(
    "wave",
    "A wave of a survey that has waves; by default the one that is on.",
    pattern="^[1-9][0-9]?$",
)
_LEVEL: Final = _parameter(
    "level", "Confidence level of the intervals, in percent.", enum=[*LEVELS], default="95"
)
_METHOD: Final = _parameter(
    "method", "The kind of interval of a share.", enum=[*intervals.NAMES], default=intervals.DEFAULT
)
_CHOSEN: Final = (_REVISION, _LEVEL, _METHOD)

_SURVEY: Final = object_of(
    "slug title revision number",
    revisions={"type": "array", "items": STRING},
    state={"type": "string", "enum": [*State]},
    wave=_WAVE_OF,
    waves=_WAVE_OF,
    epsilon=_NUMBER,
    reports=_COUNT,
    plan=_OBJECT,
    delete_reports=_TEXT,
    deleted=_TEXT,
    role={"type": "string", "enum": ["owner", "analyst"]},
)
_TALLY: Final = object_of("survey title revision", n=_COUNT, wave=_WAVE_OF, items=_ROWS)
_ESTIMATES: Final = object_of(
    "survey title revision method",
    n=_COUNT,
    epsilon=_NUMBER,
    level=_NUMBER,
    design_followed=_OBJECT,
    estimates=_ROWS,
)
_STATE: Final[Schema] = {
    **object_of("", state={"type": "string", "enum": [*SET]}),
    "additionalProperties": False,
}

_DETAILS: Final[Mapping[int, str]] = {
    HTTPStatus.FORBIDDEN: "Your account or this token may not do this.",
    HTTPStatus.NOT_FOUND: "There is no such address, survey, revision or item that you may see.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address takes other methods: see Allow.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The request is too large.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong on the server.",
}

_REALM: Final = 'Bearer realm="deniable"'


def is_for_scripts(path: str) -> bool:
    """Return whether an address belongs to the API, and not to a page."""
    return path.startswith("/api/")


def problem_of(error: HTTPException) -> Response:
    """Answer with what went wrong: in our own words, but for a choice that cannot be analysed."""
    status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
    if isinstance(error, WrongChoiceError):
        wrong = status == HTTPStatus.BAD_REQUEST
        return as_problem(HTTPStatus.UNPROCESSABLE_ENTITY if wrong else status, f"{error.what}.")
    described = error.description if status == HTTPStatus.UNPROCESSABLE_ENTITY else None
    known = _DETAILS.get(status, "The request could not be understood.")
    return as_problem(status, described or known)


def person_by_token() -> Person:
    """Return whose script it is, or refuse the request; wrong tokens are slowed down."""
    shown = request.authorization
    if shown is None or shown.type != "bearer" or not shown.token:
        _refuse_token("A token is needed: Authorization: Bearer TOKEN.", _REALM)
    hashed = hash_of(shown.token)
    person = person_of(store, store.token(hashed, int(time.time())))
    if person is None:
        if pause := context().tokens.take(hashed.hex()):
            refuse(
                f"Too many wrong tokens. Try again in {pause} seconds.",
                HTTPStatus.TOO_MANY_REQUESTS,
                ("Retry-After", str(pause)),
            )
        _refuse_token("The token is wrong, or has ended.", f'{_REALM}, error="invalid_token"')
    return person


def _refuse_token(detail: str, challenge: str) -> NoReturn:
    refuse(detail, HTTPStatus.UNAUTHORIZED, ("WWW-Authenticate", challenge))


@api.operation(
    "/surveys", object_of("", surveys={"type": "array", "items": _SURVEY}), needs=Right.SIGNED_IN
)
def surveys() -> Response:
    """List the surveys that you may see."""
    person = signed_in()
    own = [one.survey.slug for one in store.surveys() if person.role_in(one.survey)]
    return jsonify(surveys=[_told(slug) for slug in own])


@api.operation("/surveys/<slug>", _SURVEY, needs=Right.READ)
def survey(slug: str) -> Response:
    """Tell the revisions of a survey, its state, and how many reports the desk shows."""
    return jsonify(_told(slug))


@api.operation(
    "/surveys/<slug>/document", STRING, media_type=MEDIA_TYPE, query=(_REVISION,), needs=Right.READ
)
def document(slug: str) -> Response:
    """Give the survey as devices read it. The SHA-256 of its first line is the revision."""
    return Response(query.survey(slug).to_json(), mimetype=MEDIA_TYPE)


@api.operation("/surveys/<slug>/tally", _TALLY, query=(_REVISION, _WAVE), needs=Right.READ)
def tally(slug: str) -> Response:
    """Count how often each item was reported as what. Direct answers of few people are null."""
    survey = query.survey(slug)
    wave, least = query.wave(survey), query.least(survey)
    found = query.tally(survey, wave or 0)
    told = shown_answers(survey, found.counts, least)
    items = [
        {
            "item": item.id,
            "column": name,
            "protection": item.protection.value,
            "asked": int(shown.counts.sum()),
            "counts": {
                report.code: None if hide else int(count)
                for report, count, hide in zip(
                    item.reports, shown.counts, shown.hidden, strict=True
                )
            },
        }
        for item, name, shown in zip(survey.items, columns(survey), told, strict=True)
    ]
    return jsonify(
        survey=survey.slug,
        title=survey.title,
        revision=survey.revision,
        n=found.n,
        wave=wave,
        items=items,
    )


@api.operation("/surveys/<slug>/estimates.json", _ESTIMATES, query=_CHOSEN, needs=Right.READ)
def estimates_json(slug: str) -> Response:
    """Estimate a survey, each of its waves and their changes."""
    return estimates_file(slug, "json")


@api.operation(
    "/surveys/<slug>/estimates.csv", STRING, media_type="text/csv", query=_CHOSEN, needs=Right.READ
)
def estimates_csv(slug: str) -> Response:
    """Give the same estimates as a CSV, a row each."""
    return estimates_file(slug, "csv")


@api.operation(
    "/surveys/<slug>/reports.csv",
    STRING,
    media_type="text/csv",
    query=(_REVISION,),
    needs=Right.READ,
)
def reports(slug: str) -> Response:
    """Give the noisy reports that the desk shows, by value. Rare direct answers are left out."""
    return reports_file(slug)


@api.operation("/surveys/<slug>/state", _SURVEY, takes={JSON: _STATE}, needs=Right.CHANGE)
def state(slug: str) -> Response:
    """Open, pause or close a survey."""
    sent = request.get_json(force=True, silent=True)
    if not (isinstance(sent, dict) and sent.keys() == {"state"} and sent["state"] in SET):
        refuse("Expected an object with a state, which is open, paused or closed.")
    try:
        store.set_state(slug, State(sent["state"]))
    except ValueError as reason:
        stays = store.state(slug)
        refuse(f"The survey stays {stays}: {reason}.", HTTPStatus.CONFLICT)
    return jsonify(_told(slug))


@api.operation(
    "/surveys/<slug>",
    object_of("", survey=_SURVEY, notes={"type": "array", "items": STRING}),
    takes={"application/yaml": STRING},
    creates=True,
    needs=Right.REGISTER,
)
def register(slug: str) -> Response:
    """Register a survey file: a new survey, which is then open and yours, or a new revision."""
    try:
        text = request.get_data().decode("utf-8-sig")
    except UnicodeDecodeError:
        refuse("A survey file is expected to be in UTF-8.")
    # In the editor's process, which ends a text that takes too long.
    checked = the_checker().check(text, 1)
    mistakes, notes = (
        [Mistake(one["line"], one["column"], one["message"]) for one in checked[found]]
        for found in ("mistakes", "notes")
    )
    if mistakes:
        refuse(str(SurveyFileError("the survey file", mistakes)))
    survey = None if checked["failed"] else the_checker().compile(text)
    if survey is None:
        refuse(checked["failed"] or BUSY, HTTPStatus.SERVICE_UNAVAILABLE)
    if survey.slug != slug:
        refuse(f"The survey file is of {survey.slug!r}, and the address of {slug!r}.")
    try:
        is_new = publish(survey, text)
    except TakenError:
        abort(HTTPStatus.FORBIDDEN)  # by somebody else, since the rights were looked at
    except StoreUnavailable:
        raise
    except StoreError as mistake:
        refuse(str(mistake).partition(": ")[2], HTTPStatus.CONFLICT)
    response = jsonify(survey=_told(slug, Role.OWNER), notes=[*map(str, notes)])
    response.status_code = HTTPStatus.CREATED if is_new else HTTPStatus.OK
    return response


def _told(slug: str, role: Role | None = None) -> dict[str, Any]:
    survey, promise = store.survey(slug), store.retentions().get(slug)
    return {
        "slug": slug,
        "title": survey.title,
        "revision": survey.revision,
        "number": survey.number,
        "revisions": store.revisions(slug),
        "state": store.state(slug),
        "wave": None if survey.waves is None else store.wave(slug),
        "waves": survey.waves,
        "epsilon": survey.epsilon,
        "reports": query.snapshot(slug).count(),
        "plan": plan_of(store.source(slug, survey.revision)).model_dump(
            mode="json", exclude_none=True
        ),
        "delete_reports": promise.day if promise else None,
        "deleted": (promise.deleted or None) if promise else None,
        "role": role or signed_in().role_in(survey),
    }


@api.get("/openapi.json", needs=Right.EVERYBODY)
def openapi() -> Response:
    """Return the OpenAPI document."""
    return jsonify(api.described(desk_url()))
