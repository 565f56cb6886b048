"""The API as OpenAPI 3.1 describes it, written from the table of its operations."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

from deniable import __version__
from deniable.server.desk.api.operations import OPERATIONS, SLUG, Operation
from deniable.server.desk.permissions import RIGHTS, Right
from deniable.server.web.body import MAX_BODY
from deniable.server.web.problems import PROBLEM_JSON

PREFIX: Final = "/api/v1"
"""Before the path of every operation."""

_PROBLEM: Final = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}


def open_api(url: str) -> dict[str, Any]:
    """Write the document of a desk at an address, as JSON has it."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        path = operation.path.replace("<", "{").replace(">", "}")
        paths.setdefault(path, {})[operation.method.lower()] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "The research desk of deniable",
            "version": __version__,
            "description": "Surveys under local differential privacy: noisy reports, estimates and "
            f"tallies, as the desk shows them. A request has at most {MAX_BODY} bytes.",
        },
        "servers": [{"url": f"{url.rstrip('/')}{PREFIX}"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Problem": _PROBLEM},
        },
    }


def refusals(operation: Operation) -> Iterator[HTTPStatus]:
    """Return with which statuses an operation can refuse, in ascending order."""
    found = {
        HTTPStatus.UNAUTHORIZED,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        *(status for status in operation.also if status >= HTTPStatus.BAD_REQUEST),
    }
    if operation.of_survey:
        found.add(HTTPStatus.NOT_FOUND)
    if RIGHTS[f"api.{operation.name}"] in (Right.CHANGE, Right.REGISTER):
        found.add(HTTPStatus.FORBIDDEN)
    if operation.body is not None:
        found.add(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    yield from sorted(found)


def _described(operation: Operation) -> dict[str, Any]:
    slug = {"name": "slug", "in": "path", "required": True, "description": "Name of the survey."}
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [
            *(
                [{**slug, "schema": {"type": "string", "pattern": SLUG}}]
                if operation.of_survey
                else []
            ),
            *(
                {
                    "name": one.name,
                    "in": "query",
                    "required": one.required,
                    "description": one.description,
                    "schema": one.schema,
                }
                for one in operation.parameters
            ),
        ],
        "responses": _responses(operation),
    }
    if operation.body is not None:
        described["requestBody"] = {
            "required": True,
            "description": operation.body.description,
            "content": {operation.body.media_type: {"schema": operation.body.schema}},
        }
    return described


def _responses(operation: Operation) -> dict[str, Any]:
    good = [HTTPStatus.OK, *(one for one in operation.also if one < HTTPStatus.BAD_REQUEST)]
    content = {operation.media_type: {"schema": operation.schema}}
    wrong = {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        **{str(int(one)): {"description": one.phrase, "content": content} for one in good},
        **{
            str(int(one)): {"description": one.phrase, "content": wrong}
            for one in refusals(operation)
        },
    }
