"""What scripts ask of the desk over HTTP: the same as its pages, as JSON and CSV.

The adversary is a script with a token of somebody who may do less than it asks for, and a page of
another site in somebody's browser. Every request passes the one table of permissions. Tokens
alone count here, never a cookie, so no form needs protection from other sites. What a request says
is checked against `operations` before anything else.
"""

import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, Final, NoReturn

from flask import Blueprint, Response, abort, jsonify, request
from werkzeug.exceptions import HTTPException

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.privacy.disclosure import shown_answers
from deniable.results.files import FORMATS
from deniable.server.desk.api.openapi import PREFIX, open_api
from deniable.server.desk.api.operations import OPERATIONS, Operation, Schema
from deniable.server.desk.auth.sessions import hash_of
from deniable.server.desk.context import context, desk_url, store
from deniable.server.desk.editor.lint_worker import BUSY, the_checker
from deniable.server.desk.editor.preview import TakenError
from deniable.server.desk.editor.publish import publish
from deniable.server.desk.permissions import Person, person_of, signed_in
from deniable.server.desk.results.files import estimates_file, reports_file
from deniable.server.desk.results.query import query
from deniable.server.store import StoreError, StoreUnavailable
from deniable.server.store.accounts import Role
from deniable.server.store.schedule import SET, State
from deniable.server.web.problems import problem
from deniable.survey.wordings import MEDIA_TYPE
from deniable.survey_file import Mistake, SurveyFileError, plan_of

_DETAILS: Final[Mapping[int, str]] = {
    HTTPStatus.FORBIDDEN: "Your account or this token may not do this.",
    HTTPStatus.NOT_FOUND: "There is no such address, survey, revision or item that you may see.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address takes other methods: see Allow.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The request is too large.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong on the server.",
}


def is_for_scripts(path: str) -> bool:
    """Return whether an address belongs to the API, and not to a page."""
    return path.startswith("/api/")


def as_problem(status: int, detail: str = "", *headers: tuple[str, str]) -> Response:
    """Answer with a problem (RFC 9457)."""
    told = detail or _DETAILS.get(status, "The request could not be understood.")
    answer = problem(HTTPStatus(status), told, *headers)
    return Response(answer.body, int(answer.status), answer.headers)


def problem_of(error: HTTPException) -> Response:
    """Answer with what went wrong: in our own words, but for a choice that cannot be analysed."""
    status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
    wrong = status == HTTPStatus.UNPROCESSABLE_ENTITY
    return as_problem(status, error.description or "" if wrong else "")


class WrongTokenError(Exception):
    """A request without a good token: whether one was sent, and the seconds to wait."""

    def __init__(self, pause: int, *, sent: bool) -> None:
        super().__init__()
        self.pause = pause
        self.sent = sent


def person_by_token() -> Person:
    """Return whose script it is, or raise `WrongTokenError`; wrong tokens are slowed down."""
    shown = request.authorization
    if shown is None or shown.type != "bearer" or not shown.token:
        raise WrongTokenError(0, sent=False)
    hashed = hash_of(shown.token)
    person = person_of(store, store.token(hashed, int(time.time())))
    if person is None:
        raise WrongTokenError(context().tokens.take(hashed.hex()), sent=True)
    return person


def wrong_token(error: WrongTokenError) -> Response:
    """Answer a request without a good token."""
    if error.pause:
        return as_problem(
            HTTPStatus.TOO_MANY_REQUESTS,
            f"Too many wrong tokens. Try again in {error.pause} seconds.",
            ("Retry-After", str(error.pause)),
        )
    challenge = 'Bearer realm="deniable"' + (', error="invalid_token"' if error.sent else "")
    return as_problem(
        HTTPStatus.UNAUTHORIZED,
        "The token is wrong, or has ended."
        if error.sent
        else "A token is needed: Authorization: Bearer TOKEN.",
        ("WWW-Authenticate", challenge),
    )


def _checked(operation: Operation, answer: Callable[..., Response]) -> Callable[..., Response]:
    """Have the parameters of an operation checked before it answers."""
    known = {one["name"]: one["schema"] for one in operation.parameters}

    def answered(**path: str) -> Response:
        for name, values in request.args.lists():
            if name not in known:
                there = f"; expected {', '.join(known)}" if known else ""
                _refuse(f"Unknown query parameter{there}.")
            if len(values) > 1:
                _refuse(f"The parameter {name} is there {len(values)} times, expected once.")
            _check(name, known[name], values[0])
        return answer(**path)

    return answered


def _check(name: str, schema: Schema, value: str) -> None:
    if "enum" in schema and value not in schema["enum"]:
        _refuse(f"The parameter {name} is expected to be {' or '.join(schema['enum'])}.")
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        _refuse(f"The parameter {name} is expected to match {schema['pattern']}.")


def _refuse(detail: str, status: HTTPStatus = HTTPStatus.UNPROCESSABLE_ENTITY) -> NoReturn:
    abort(as_problem(status, detail))


def _surveys() -> Response:
    person = signed_in()
    own = [one.survey.slug for one in store.surveys() if person.role_in(one.survey)]
    return jsonify(surveys=[_told(slug) for slug in own])


def _survey(slug: str) -> Response:
    return jsonify(_told(slug))


def _document(slug: str) -> Response:
    return Response(query.survey(slug).to_json(), mimetype=MEDIA_TYPE)


def _tally(slug: str) -> Response:
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


def _state(slug: str) -> Response:
    sent = request.get_json(force=True, silent=True)
    if not (isinstance(sent, dict) and sent.keys() == {"state"} and sent["state"] in SET):
        _refuse("Expected an object with a state, which is open, paused or closed.")
    try:
        store.set_state(slug, State(sent["state"]))
    except ValueError as reason:
        stays = store.state(slug)
        _refuse(f"The survey stays {stays}: {reason}.", HTTPStatus.CONFLICT)
    return jsonify(_told(slug))


def _register(slug: str) -> Response:
    try:
        text = request.get_data().decode("utf-8-sig")
    except UnicodeDecodeError:
        _refuse("A survey file is expected to be in UTF-8.")
    # In the editor's process, which ends a text that takes too long.
    checked = the_checker().check(text, 1)
    mistakes, notes = (
        [Mistake(one["line"], one["column"], one["message"]) for one in checked[found]]
        for found in ("mistakes", "notes")
    )
    if mistakes:
        _refuse(str(SurveyFileError("the survey file", mistakes)))
    survey = None if checked["failed"] else the_checker().compile(text)
    if survey is None:
        _refuse(checked["failed"] or BUSY, HTTPStatus.SERVICE_UNAVAILABLE)
    if survey.slug != slug:
        _refuse(f"The survey file is of {survey.slug!r}, and the address of {slug!r}.")
    try:
        is_new = publish(survey, text)
    except TakenError:
        abort(HTTPStatus.FORBIDDEN)  # by somebody else, since the rights were looked at
    except StoreUnavailable:
        raise
    except StoreError as mistake:
        _refuse(str(mistake).partition(": ")[2], HTTPStatus.CONFLICT)
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


_ANSWERS: Final[Mapping[str, Callable[..., Response]]] = {
    "surveys": _surveys,
    "survey": _survey,
    "document": _document,
    "tally": _tally,
    "reports": reports_file,
    "state": _state,
    "register": _register,
    **{f"estimates_{form}": partial(estimates_file, form=form) for form in FORMATS},
}
"""What answers each operation, by its name."""

api = Blueprint("api", __name__, url_prefix=PREFIX)
for _one in OPERATIONS:
    _answer = _checked(_one, _ANSWERS[_one.name])
    api.add_url_rule(_one.path, _one.name, _answer, methods=[_one.method])


@api.get("/openapi.json")
def openapi() -> Response:
    """Return the OpenAPI document."""
    return jsonify(open_api(desk_url()))
