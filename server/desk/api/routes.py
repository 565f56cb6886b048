"""The operations of the HTTP API: what the desk's pages show, as JSON and CSV.

The adversary is a script whose token has fewer rights than it needs, or a page of another site in a
researcher's browser. Every request needs the right of its route. Only tokens count here, never a
cookie, so no form needs protection from other sites.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, NoReturn

from flask import Response, abort, jsonify, request
from werkzeug.exceptions import HTTPException, TooManyRequests, Unauthorized

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.privacy.disclosure import shown_answers
from deniable.server.desk.api.operations import CHOICES, JSON, PREFIX, Api
from deniable.server.desk.auth.sessions import hash_of
from deniable.server.desk.context import context, desk_url, store
from deniable.server.desk.editor.lint_worker import BUSY, the_checker
from deniable.server.desk.editor.preview import TakenError
from deniable.server.desk.editor.publish import publish
from deniable.server.desk.permissions import Person, Right, person_of, signed_in
from deniable.server.desk.results.files import estimates_file, reports_file
from deniable.server.desk.results.query import WrongChoiceError, choice_of
from deniable.server.desk.results.study import snapshot_of, study_of
from deniable.server.store import StoreError, StoreUnavailable
from deniable.server.store.accounts import Role
from deniable.server.store.invitations import ResponseRate
from deniable.server.store.schedule import SET, State
from deniable.server.web.problems import problem
from deniable.survey.questions import Protection
from deniable.survey.wordings import MEDIA_TYPE
from deniable.survey_file import plan_of

api = Api("api", __name__, url_prefix=PREFIX)


_NEW_STATE: Final = {
    "type": "object",
    "required": ["state"],
    "properties": {"state": {"enum": [*SET]}},
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Told:
    """A survey."""

    slug: str
    title: str
    revision: str
    number: str
    revisions: list[str]
    state: State
    wave: int
    waves: int
    epsilon: float
    reports: int
    response: ResponseRate | None
    plan: dict[str, Any]
    delete_reports: str | None
    deleted: str | None
    role: Role | None


@dataclass(frozen=True)
class Registered:
    """A survey, and what was noticed in its file."""

    survey: Told
    notes: list[str]


@dataclass(frozen=True)
class Counted:
    """How often an item was reported as what; None stands for direct answers of few people."""

    item: str
    column: str
    protection: Protection
    asked: int
    counts: dict[str, int | None]


@dataclass(frozen=True)
class Tallied:
    """The tally of a survey."""

    survey: str
    title: str
    revision: str
    n: int
    wave: int
    items: list[Counted]


_DETAILS: Final[Mapping[int, str]] = {
    HTTPStatus.BAD_REQUEST: "The request could not be understood.",
    HTTPStatus.FORBIDDEN: "Your account or this token may not do this.",
    HTTPStatus.NOT_FOUND: "There is no such address, survey, revision or item that you may see.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address takes other methods: see Allow.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The request is too large.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong on the server.",
}


def is_for_scripts(path: str) -> bool:
    """Return whether an address belongs to the API, and not to a page."""
    return path.startswith("/api/")


def problem_of(error: HTTPException, *headers: tuple[str, str]) -> Response:
    """Return an error as a problem response; common statuses have texts of their own."""
    status = HTTPStatus(error.code or HTTPStatus.INTERNAL_SERVER_ERROR)
    known = _DETAILS.get(status, error.description or "")
    detail = f"{error.what}." if isinstance(error, WrongChoiceError) else known
    answer = problem(status, detail, *headers)
    return Response(answer.body, status, answer.headers)


def person_by_token() -> Person:
    """Return the person whose token the script shows, or refuse; limit wrong tokens."""
    shown = request.authorization
    if shown is None or shown.type != "bearer" or not shown.token:
        _refuse_token("A token is needed: Authorization: Bearer TOKEN.", "")
    hashed = hash_of(shown.token)
    person = person_of(store, store.token(hashed, int(time.time())))
    if person is None:
        if pause := context().tokens.take(hashed.hex()):
            later = TooManyRequests(f"Too many wrong tokens. Try again in {pause} seconds.")
            abort(problem_of(later, ("Retry-After", str(pause))))
        _refuse_token("The token is wrong, or has ended.", ', error="invalid_token"')
    return person


def _refuse_token(detail: str, why: str) -> NoReturn:
    challenge = ("WWW-Authenticate", f'Bearer realm="deniable"{why}')
    abort(problem_of(Unauthorized(detail), challenge))


@api.operation("/surveys", list[Told], needs=Right.SIGNED_IN)
def surveys() -> Response:
    """List the surveys that you may see."""
    person = signed_in()
    own = [one.survey.slug for one in store.surveys() if person.role_in(one.survey)]
    return jsonify([_describe_survey(slug) for slug in own])


@api.operation("/surveys/<slug>", Told, needs=Right.READ)
def survey(slug: str) -> Response:
    """Describe a survey: its revisions, its state, and how many reports the desk shows."""
    return jsonify(_describe_survey(slug))


@api.operation(
    "/surveys/<slug>/document", str, media_type=MEDIA_TYPE, query=("revision",), needs=Right.READ
)
def document(slug: str) -> Response:
    """Give the survey as devices read it. The SHA-256 of its first line is the revision."""
    return Response(choice_of(slug).survey.to_json(), mimetype=MEDIA_TYPE)


@api.operation("/surveys/<slug>/tally", Tallied, query=("revision", "wave"), needs=Right.READ)
def tally(slug: str) -> Response:
    """Count how often each item was reported as what. Direct answers of few people are null."""
    choice, study = choice_of(slug), study_of(slug)
    survey, found = choice.survey, study.tally(choice.wave)
    told = shown_answers(survey, found.counts, study.min_cell_size)
    items = []
    for item, name, shown in zip(survey.items, columns(survey), told, strict=True):
        counted = zip(item.reports, shown.counts, shown.hidden, strict=True)
        counts = {report.code: None if hide else int(count) for report, count, hide in counted}
        items.append(Counted(item.id, name, item.protection, int(shown.counts.sum()), counts))
    return jsonify(Tallied(survey.slug, survey.title, survey.revision, found.n, choice.wave, items))


@api.operation("/surveys/<slug>/estimates.json", dict[str, Any], query=CHOICES, needs=Right.READ)
def estimates_json(slug: str) -> Response:
    """Estimate a survey, each of its waves and their changes."""
    return estimates_file(slug, "json")


@api.operation(
    "/surveys/<slug>/estimates.csv", str, media_type="text/csv", query=CHOICES, needs=Right.READ
)
def estimates_csv(slug: str) -> Response:
    """Give the same estimates as a CSV, a row each."""
    return estimates_file(slug, "csv")


@api.operation(
    "/surveys/<slug>/reports.csv",
    str,
    media_type="text/csv",
    query=("revision", "direct"),
    needs=Right.READ,
)
def reports(slug: str) -> Response:
    """Give the noisy reports that the desk shows, by value."""
    return reports_file(slug)


@api.operation("/surveys/<slug>/state", Told, takes={JSON: _NEW_STATE}, needs=Right.CHANGE)
def state(slug: str) -> Response:
    """Open, pause or close a survey."""
    sent = request.get_json(force=True, silent=True)
    if not (isinstance(sent, dict) and sent.keys() == {"state"} and sent["state"] in SET):
        said = "Expected an object with a state, which is open, paused or closed."
        abort(HTTPStatus.UNPROCESSABLE_ENTITY, said)
    try:
        store.set_state(slug, State(sent["state"]))
    except ValueError as reason:
        abort(HTTPStatus.CONFLICT, f"The survey stays {store.state(slug)}: {reason}.")
    return jsonify(_describe_survey(slug))


@api.operation(
    "/surveys/<slug>",
    Registered,
    takes={"application/yaml": {"type": "string"}},
    creates=True,
    needs=Right.REGISTER,
)
def register(slug: str) -> Response:
    """Register a survey file: a new survey, which is then open and yours, or a new revision."""
    try:
        text = request.get_data().decode("utf-8-sig")
    except UnicodeDecodeError:
        abort(HTTPStatus.UNPROCESSABLE_ENTITY, "A survey file is expected to be in UTF-8.")
    # In the checker's process, which is ended if a text takes too long.
    checked = the_checker().check(text, 1)
    mistakes, notes = (
        [f"{one['line']}:{one['column']}: {one['message']}" for one in checked[found]]
        for found in ("mistakes", "notes")
    )
    if mistakes:
        abort(HTTPStatus.UNPROCESSABLE_ENTITY, "\n".join(mistakes))
    survey = None if checked["failed"] else the_checker().compile(text)
    if survey is None:
        abort(HTTPStatus.SERVICE_UNAVAILABLE, checked["failed"] or BUSY)
    if survey.slug != slug:
        said = f"The survey file is of {survey.slug!r}, and the address of {slug!r}."
        abort(HTTPStatus.UNPROCESSABLE_ENTITY, said)
    try:
        is_new = publish(survey, text)
    except TakenError:
        abort(HTTPStatus.FORBIDDEN)  # by another account, since the rights were checked
    except StoreUnavailable:
        raise
    except StoreError as mistake:
        abort(HTTPStatus.CONFLICT, str(mistake).partition(": ")[2])
    response = jsonify(Registered(_describe_survey(slug, Role.OWNER), notes))
    response.status_code = HTTPStatus.CREATED if is_new else HTTPStatus.OK
    return response


def _describe_survey(slug: str, role: Role | None = None) -> Told:
    survey, promise = store.survey(slug), store.retentions().get(slug)
    plan, invited = plan_of(store.source(slug, survey.revision)), store.invited(slug)
    return Told(
        slug=slug,
        title=survey.title,
        revision=survey.revision,
        number=survey.check_number,
        revisions=store.revisions(slug),
        state=store.state(slug),
        wave=store.wave(slug),
        waves=survey.waves,
        epsilon=survey.epsilon,
        reports=snapshot_of(slug).count(),
        response=invited.rate(survey, store.wave(slug)) if invited else None,
        plan=plan.model_dump(mode="json", exclude_none=True),
        delete_reports=promise.day if promise else None,
        deleted=(promise.deleted or None) if promise else None,
        role=role or signed_in().role_in(survey),
    )


@api.get("/openapi.json", needs=Right.EVERYBODY)
def openapi() -> Response:
    """Return the OpenAPI document."""
    return jsonify(api.described(desk_url()))
