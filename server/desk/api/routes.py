"""What scripts ask of the desk over HTTP: the same as its pages, as JSON and CSV.

The adversary is a script with a token of somebody who may do less than it asks for, and a page of
another site in somebody's browser. Every request passes the one table of rights (`rights`). Tokens
alone count here, never a cookie, so no form needs protection from other sites. What a request says
is checked against the table of the API (`api_table`) before anything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, Final, NoReturn

import numpy as np
from flask import Blueprint, Response, abort, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.privacy.cells import hidden_cells
from deniable.questions import Protection
from deniable.results.files import FORMATS
from deniable.server.desk.api.openapi import PREFIX, open_api
from deniable.server.desk.api.operations import OPERATIONS, Operation, Parameter
from deniable.server.desk.auth.script_access import WrongTokenError
from deniable.server.desk.editor.registration import TakenError, publish
from deniable.server.desk.permissions import signed_in
from deniable.server.desk.results.compare import KINDS, analysis_file
from deniable.server.desk.results.files import REPORTS, estimates_file, reports_file
from deniable.server.desk.results.query import Chooser
from deniable.server.desk.results.snapshot import pooled
from deniable.server.store import Store, StoreError, StoreUnavailable
from deniable.server.store.accounts import Role
from deniable.server.store.keys import KeyFile
from deniable.server.store.terms import SET, State
from deniable.server.web.problems import problem
from deniable.survey_file import SurveyFileError, read

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


def create_api(
    store: Store, keys: KeyFile, chooser: Chooser, desk_url: Callable[[], str]
) -> Blueprint:
    """Make the API, its document and its page.

    Parameters
    ----------
    store : Store
    keys : KeyFile
        Where the keys of boards are made.
    chooser : Chooser
    desk_url : callable
        Returns the address at which scripts reach the desk.
    """
    api = Blueprint("api", __name__, url_prefix="/api")

    @api.get("")
    def guide() -> str:
        alike: dict[tuple[str, str], list[Operation]] = {}
        for operation in OPERATIONS:
            alike.setdefault(operation.stem, []).append(operation)
        return render_template("desk/api.html", alike=[*alike.values()], prefix=PREFIX)

    @api.get("/v1/openapi.json")
    def openapi() -> Response:
        return jsonify(open_api(desk_url()))

    answers = _Answers(store, keys, chooser).by_name()
    for operation in OPERATIONS:
        api.add_url_rule(
            f"/v1{operation.path}",
            operation.name,
            _checked(operation, answers[operation.name]),
            methods=[operation.method],
        )
    return api


def _checked(operation: Operation, answer: Callable[..., Response]) -> Callable[..., Response]:
    """Have the parameters of an operation checked before it answers."""

    def answered(**path: str) -> Response:
        known = {parameter.name: parameter for parameter in operation.parameters}
        for name, values in request.args.lists():
            if name not in known:
                there = f"; expected {', '.join(known)}" if known else ""
                _refuse(f"There is another parameter than there can be{there}.")
            if len(values) > 1:
                _refuse(f"The parameter {name} is there {len(values)} times, expected once.")
            _check(known[name], values[0])
        for parameter in operation.parameters:
            if parameter.required and parameter.name not in request.args:
                _refuse(f"The parameter {parameter.name} is missing.")
        return answer(**path)

    return answered


def _check(parameter: Parameter, value: str) -> None:
    schema = parameter.schema
    if "enum" in schema and value not in schema["enum"]:
        _refuse(f"The parameter {parameter.name} is expected to be {' or '.join(schema['enum'])}.")
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        _refuse(f"The parameter {parameter.name} is expected to match {schema['pattern']}.")
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        _refuse(f"The parameter {parameter.name} has 1 to {schema['maxLength']} characters.")


def _refuse(detail: str, status: HTTPStatus = HTTPStatus.UNPROCESSABLE_ENTITY) -> NoReturn:
    abort(as_problem(status, detail))


class _Answers:
    """Answers each operation."""

    def __init__(self, store: Store, keys: KeyFile, chooser: Chooser) -> None:
        self._store = store
        self._keys = keys
        self._chooser = chooser

    def by_name(self) -> dict[str, Callable[..., Response]]:
        """Return what answers each operation, by its name."""
        return {
            "surveys": self.surveys,
            "survey": self.survey,
            "document": self.document,
            "tally": self.tally,
            "set_state": self.set_state,
            "register": self.register,
            **{
                f"estimates_{form}": partial(estimates_file, self._chooser, form=form)
                for form in FORMATS
            },
            **{
                f"reports_{form}": partial(reports_file, self._chooser, form=form)
                for form in REPORTS
            },
            **{
                f"{kind}_{form}": partial(analysis_file, self._chooser, kind, form=form)
                for kind in KINDS
                for form in FORMATS
            },
        }

    def surveys(self) -> Response:
        person = signed_in()
        own = [one.survey.slug for one in self._store.surveys() if person.role_in(one.survey)]
        return jsonify(surveys=[self._told(slug) for slug in own])

    def survey(self, slug: str) -> Response:
        return jsonify(self._told(slug))

    def document(self, slug: str) -> Response:
        return Response(self._chooser.survey(slug).to_json(), mimetype="application/json")

    def tally(self, slug: str) -> Response:
        chooser = self._chooser
        survey = chooser.survey(slug)
        wave, least = chooser.wave(survey), chooser.least(survey)
        found = pooled(chooser.snapshot(slug), survey, chooser.revisions(survey), wave or 0)
        asked = {question.id for question in survey.asked_questions}
        items = []
        for item, name, counts in zip(survey.items, columns(survey), found.counts, strict=True):
            if item.question not in asked:
                continue  # which wave it is
            hidden = np.zeros(len(counts), dtype=bool)
            if item.protection is Protection.DIRECT:
                hidden = hidden_cells(counts, least)
                if survey.question(item.question).is_number and hidden.any():
                    hidden[:] = True
            items.append(
                {
                    "item": item.id,
                    "column": name,
                    "protection": item.protection.value,
                    "asked": int(counts.sum()),
                    "counts": {
                        report.code: None if hide else int(count)
                        for report, count, hide in zip(item.reports, counts, hidden, strict=True)
                    },
                }
            )
        return jsonify(
            survey=survey.slug,
            title=survey.title,
            revision=survey.revision,
            n=found.n,
            wave=wave,
            items=items,
        )

    def set_state(self, slug: str) -> Response:
        sent = request.get_json(force=True, silent=True)
        if not (isinstance(sent, dict) and sent.keys() == {"state"} and sent["state"] in SET):
            _refuse("Expected an object with a state, which is open, paused or closed.")
        try:
            self._store.set_state(slug, State(sent["state"]))
        except ValueError as reason:
            stays = self._store.state(slug)
            _refuse(f"The survey stays {stays}: {reason}.", HTTPStatus.CONFLICT)
        return jsonify(self._told(slug))

    def register(self, slug: str) -> Response:
        try:
            text = request.get_data().decode("utf-8-sig")
            file = read(text, "the survey file")
        except UnicodeDecodeError:
            _refuse("A survey file is expected to be in UTF-8.")
        except SurveyFileError as error:
            _refuse(str(error))
        if file.survey.slug != slug:
            _refuse(f"The survey file is of {file.survey.slug!r}, and the address of {slug!r}.")
        try:
            is_new = publish(self._store, self._keys, signed_in(), file.survey, text)
        except TakenError:
            abort(HTTPStatus.FORBIDDEN)  # by somebody else, since the rights were looked at
        except StoreUnavailable:
            raise
        except StoreError as mistake:
            _refuse(str(mistake).partition(": ")[2], HTTPStatus.CONFLICT)
        response = jsonify(
            survey=self._told(slug, Role.OWNER), notes=[str(note) for note in file.notes]
        )
        response.status_code = HTTPStatus.CREATED if is_new else HTTPStatus.OK
        return response

    def _told(self, slug: str, role: Role | None = None) -> dict[str, Any]:
        store = self._store
        survey, promise = store.survey(slug), store.retentions().get(slug)
        return {
            "slug": slug,
            "title": survey.title,
            "revision": survey.revision,
            "revisions": store.revisions(slug),
            "state": store.state(slug),
            "wave": None if survey.waves is None else store.wave(slug),
            "waves": survey.waves,
            "epsilon": survey.epsilon,
            "reports": self._chooser.snapshot(slug).count(),
            "delete_reports": promise.day if promise else None,
            "deleted": (promise.deleted or None) if promise else None,
            "role": role or signed_in().role_in(survey),
        }
