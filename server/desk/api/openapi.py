"""The API as OpenAPI 3.1 describes it, written from the table of its operations."""

from typing import Any, Final

from deniable import __version__
from deniable.server.desk.api.operations import OPERATIONS, SLUG, Operation
from deniable.server.web.body import MAX_BODY
from deniable.server.web.problems import PROBLEM_JSON

PREFIX: Final = "/api/v1"
"""Before the path of every operation."""

_PROBLEM: Final = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        **{key: {"type": "string"} for key in ("type", "title", "detail")},
        "status": {"type": "integer"},
    },
}

_SLUG: Final = {
    "name": "slug",
    "in": "path",
    "required": True,
    "description": "Name of the survey.",
    "schema": {"type": "string", "pattern": SLUG},
}

_REFUSED: Final = {
    "description": "What was expected, and what was found.",
    "content": {PROBLEM_JSON: {"schema": _PROBLEM}},
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
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _described(operation: Operation) -> dict[str, Any]:
    content = {operation.media_type: {"schema": operation.schema}}
    good = {"200": "OK", **({"201": "Created"} if operation.creates else {})}
    described = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [*([_SLUG] if operation.of_survey else []), *operation.parameters],
        "responses": {
            **{status: {"description": said, "content": content} for status, said in good.items()},
            "default": _REFUSED,
        },
    }
    if operation.takes is not None:
        media_type, schema = operation.takes
        described["requestBody"] = {"required": True, "content": {media_type: {"schema": schema}}}
    return described
