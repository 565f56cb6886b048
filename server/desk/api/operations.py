"""An operation of the API: its route, the check of what a request says, and its description.

The functions of `routes` become operations where they stand. A route, its check, the OpenAPI
document and the page of the manual come from one operation, so none can differ from another.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, NoReturn, TypeAlias

from flask import Blueprint, Response, abort, request

from deniable import __version__
from deniable.server.desk.permissions import Right
from deniable.server.web.body import MAX_BODY
from deniable.server.web.problems import PROBLEM_JSON, problem

Schema: TypeAlias = Mapping[str, Any]
"""A schema as JSON Schema has it, draft 2020-12."""

Answer: TypeAlias = Callable[..., Response]

PREFIX: Final = "/api/v1"
"""Before the path of every operation."""

JSON: Final = "application/json"

STRING: Final = {"type": "string"}


def object_of(strings: str, **others: Schema) -> Schema:
    """Write the schema of an object with these strings, and others."""
    properties = {**dict.fromkeys(strings.split(), STRING), **others}
    return {"type": "object", "required": [*properties], "properties": properties}


_SLUG: Final = {
    "name": "slug",
    "in": "path",
    "required": True,
    "description": "Name of the survey.",
    "schema": {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,63}$"},
}

_PROBLEM: Final = object_of("type title detail", status={"type": "integer"})
_REFUSED: Final = {
    "description": "What was expected, and what was found.",
    "content": {PROBLEM_JSON: {"schema": _PROBLEM}},
}


@dataclass(frozen=True)
class Operation:
    """Something that scripts can ask for."""

    path: str
    answer: Answer  # its name is the operation's, and its docstring the summary
    schema: Schema  # of what is answered
    needs: Right
    media_type: str = JSON  # of the same
    query: tuple[Schema, ...] = ()  # as OpenAPI describes parameters
    takes: Mapping[str, Schema] = field(
        default_factory=dict
    )  # what a request carries, by its media type
    creates: bool = False  # whether it can answer 201 as well

    @property
    def name(self) -> str:
        """The name of its route, after that of the API."""
        return self.answer.__name__

    @property
    def summary(self) -> str:
        """What it does, in a sentence or two."""
        return self.answer.__doc__ or ""

    @property
    def method(self) -> str:
        """What carries something changes something."""
        return "PUT" if self.takes else "GET"

    def answered(self, **path: str) -> Response:
        """Answer a request whose parameters are as they are described."""
        known = {one["name"]: one["schema"] for one in self.query}
        for name, values in request.args.lists():
            if name not in known:
                there = f"; expected {', '.join(known)}" if known else ""
                refuse(f"Unknown query parameter{there}.")
            if len(values) > 1:
                refuse(f"The parameter {name} is there {len(values)} times, expected once.")
            if values[0] not in known[name].get("enum", values):
                refuse(
                    f"The parameter {name} is expected to be {' or '.join(known[name]['enum'])}."
                )
            if not re.fullmatch(pattern := known[name].get("pattern", ".*"), values[0]):
                refuse(f"The parameter {name} is expected to match {pattern}.")
        return self.answer(**path)

    def described(self) -> dict[str, Any]:
        """Describe it as OpenAPI does."""
        good = {"200": "OK", **({"201": "Created"} if self.creates else {})}
        content = {self.media_type: {"schema": self.schema}}
        taken = {media_type: {"schema": schema} for media_type, schema in self.takes.items()}
        return {
            "operationId": self.name,
            "summary": self.summary,
            "parameters": [*([_SLUG] if "<slug>" in self.path else []), *self.query],
            "responses": {
                **{code: {"description": said, "content": content} for code, said in good.items()},
                "default": _REFUSED,
            },
            **({"requestBody": {"required": True, "content": taken}} if taken else {}),
        }


class Api(Blueprint):
    """The routes of the API, with the one table of what they are."""

    def __init__(self, name: str, import_name: str, *, url_prefix: str) -> None:
        super().__init__(name, import_name, url_prefix=url_prefix)
        self.operations: list[Operation] = []

    def operation(
        self, path: str, schema: Schema, needs: Right, **more: Any
    ) -> Callable[[Answer], Answer]:
        """Make an operation of the function that answers it, with the fields of `Operation`."""

        def added(answer: Answer) -> Answer:
            one = Operation(path, answer, schema, needs, **more)
            self.operations.append(one)
            self.add_url_rule(path, one.name, one.answered, methods=[one.method], needs=one.needs)
            return answer

        return added

    def described(self, url: str) -> dict[str, Any]:
        """Write the OpenAPI 3.1 document of a desk at an address."""
        paths: dict[str, dict[str, Any]] = {}
        for operation in self.operations:
            path = operation.path.replace("<", "{").replace(">", "}")
            paths.setdefault(path, {})[operation.method.lower()] = operation.described()
        return {
            "openapi": "3.1.0",
            "info": {
                "title": "The research desk of deniable",
                "version": __version__,
                "description": "Surveys under local differential privacy: noisy reports, estimates "
                f"and tallies, as the desk shows them. A request has at most {MAX_BODY} bytes.",
            },
            "servers": [{"url": f"{url.rstrip('/')}{PREFIX}"}],
            "security": [{"token": []}],
            "paths": paths,
            "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        }


def as_problem(status: int, detail: str, *headers: tuple[str, str]) -> Response:
    """Answer with a problem (RFC 9457)."""
    answer = problem(HTTPStatus(status), detail, *headers)
    return Response(answer.body, int(answer.status), answer.headers)


def refuse(
    detail: str, status: int = HTTPStatus.UNPROCESSABLE_ENTITY, *headers: tuple[str, str]
) -> NoReturn:
    """End the request with a problem."""
    abort(as_problem(status, detail, *headers))
