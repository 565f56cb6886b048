"""An operation of the API: its route, the check of a request, and its OpenAPI description.

A decorator makes operations of the functions of `routes`. A route, its check, the OpenAPI document
and the page of the manual come from one operation, and the schema of an answer from its type, so
none can differ from another.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from flask import Blueprint, Response, abort, request
from pydantic import TypeAdapter

from deniable import __version__
from deniable.server.desk.permissions import Right
from deniable.server.web.body import MAX_BODY
from deniable.server.web.problems import PROBLEM_JSON

Schema: TypeAlias = Mapping[str, Any]
"""A JSON Schema, draft 2020-12."""

Answer: TypeAlias = Callable[..., Response]

PREFIX: Final = "/api/v1"
"""The prefix of the path of every operation."""

JSON: Final = "application/json"

_SLUG: Final = {
    "name": "slug",
    "in": "path",
    "required": True,
    "description": "Name of the survey.",
    "schema": {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,63}$"},
}

_PROBLEM: Final = {"type": "object", "required": ["type", "title", "status", "detail"]}
_REFUSED: Final = {
    "description": "What was expected, and what was found.",
    "content": {PROBLEM_JSON: {"schema": _PROBLEM}},
}


@dataclass(frozen=True)
class Operation:
    """An operation that scripts can call."""

    path: str
    answer: Answer  # its name is the operation's, and its docstring the summary
    kind: type  # of the answer
    needs: Right
    media_type: str = JSON  # of the answer
    query: tuple[Schema, ...] = ()  # as OpenAPI describes parameters
    # The schemas of a request's body, by media type.
    takes: Mapping[str, Schema] = field(default_factory=dict)
    creates: bool = False  # whether it can answer 201 as well

    @property
    def name(self) -> str:
        """The name of its endpoint, without the Blueprint's."""
        return self.answer.__name__

    @property
    def summary(self) -> str:
        """What it does, in a sentence or two."""
        return self.answer.__doc__ or ""

    @property
    def method(self) -> str:
        """PUT for an operation that takes a body, else GET."""
        return "PUT" if self.takes else "GET"

    def answered(self, **path: str) -> Response:
        """Answer a request; refuse unknown and repeated query parameters with 422."""
        known = [one["name"] for one in self.query]
        for name, values in request.args.lists():
            if name not in known:
                there = f"; expected {', '.join(known)}" if known else ""
                abort(HTTPStatus.UNPROCESSABLE_ENTITY, f"Unknown query parameter{there}.")
            if len(values) > 1:
                said = f"The parameter {name} is there {len(values)} times, expected once."
                abort(HTTPStatus.UNPROCESSABLE_ENTITY, said)
        return self.answer(**path)

    def described(self, parts: dict[str, Any]) -> dict[str, Any]:
        """Return its OpenAPI description; add the schemas that it refers to to `parts`."""
        place = "#/components/schemas/{model}"
        schema = TypeAdapter(self.kind).json_schema(mode="serialization", ref_template=place)
        parts |= schema.pop("$defs", {})
        said = {"200": "OK", **({"201": "Created"} if self.creates else {})}
        content = {self.media_type: {"schema": schema}}
        good = {code: {"description": name, "content": content} for code, name in said.items()}
        taken = {media_type: {"schema": schema} for media_type, schema in self.takes.items()}
        return {
            "operationId": self.name,
            "summary": self.summary,
            "parameters": [*([_SLUG] if "<slug>" in self.path else []), *self.query],
            "responses": {**good, "default": _REFUSED},
            **({"requestBody": {"required": True, "content": taken}} if taken else {}),
        }


class Api(Blueprint):
    """The Blueprint of the API, with the one table of its operations."""

    def __init__(self, name: str, import_name: str, *, url_prefix: str) -> None:
        super().__init__(name, import_name, url_prefix=url_prefix)
        self.operations: list[Operation] = []

    def operation(
        self, path: str, kind: type, needs: Right, **more: Any
    ) -> Callable[[Answer], Answer]:
        """Decorate a function as the answer of an operation; `more`: fields of `Operation`."""

        def added(answer: Answer) -> Answer:
            one = Operation(path, answer, kind, needs, **more)
            self.operations.append(one)
            self.add_url_rule(path, one.name, one.answered, methods=[one.method], needs=one.needs)
            return answer

        return added

    def described(self, url: str) -> dict[str, Any]:
        """Return the OpenAPI 3.1 document of a desk at an address."""
        parts: dict[str, Any] = {}
        paths: dict[str, dict[str, Any]] = {}
        for operation in self.operations:
            path = operation.path.replace("<", "{").replace(">", "}")
            paths.setdefault(path, {})[operation.method.lower()] = operation.described(parts)
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
            "components": {
                "schemas": parts,
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            },
        }
