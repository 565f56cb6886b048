"""An operation of the API: its route, the check of a request, and its OpenAPI description.

A decorator makes operations of the functions of `routes`. A route, its check, the OpenAPI document
and the page of the manual come from one operation, and the schemas of what it takes and answers
from their types, so none can differ from another.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from flask import Blueprint, Response, abort, request
from pydantic import TypeAdapter

from deniable import __version__
from deniable.analysis import intervals
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.query import LEVELS
from deniable.server.web.body import MAX_BODY
from deniable.server.web.problems import PROBLEM_JSON

Schema: TypeAlias = Mapping[str, Any]
"""A JSON Schema, draft 2020-12."""

Handler: TypeAlias = Callable[..., Response]

PREFIX: Final = "/api/v1"
"""The prefix of the path of every operation."""

JSON: Final = "application/json"

MEANINGS: Final = {
    "slug": "Name of the survey.",
    "revision": "This revision alone. By default the current one, with the reports to others that "
    "answer the same questions.",
    "wave": "A wave, from 1; by default the one that is on.",
    "level": "Confidence level of the intervals, in percent.",
    "method": "The kind of interval of a share.",
    "direct": "The direct columns, such as sex,age:18-39+40-80; by default all of which no "
    "combination is rare.",
}
"""The parameters that an operation may have: the first is part of its path."""

CHOICES: Final = ("revision", "level", "method")
"""The query parameters of estimates."""

_VALUES: Final[Mapping[str, Schema]] = {
    "slug": {"pattern": "^[a-z0-9][a-z0-9-]{0,63}$"},
    "level": {"enum": [*LEVELS], "default": "95"},
    "method": {"enum": [*intervals.NAMES], "default": intervals.DEFAULT},
}

_REFUSED: Final = {
    "description": "What was expected, and what was found.",
    "content": {PROBLEM_JSON: {"schema": {"required": ["type", "title", "status", "detail"]}}},
}


def _parameter(name: str, *, in_path: bool = False) -> Schema:
    place = {"in": "path", "required": True} if in_path else {"in": "query"}
    schema = {"type": "string", **_VALUES.get(name, {})}
    return {"name": name, **place, "description": MEANINGS[name], "schema": schema}


@dataclass(frozen=True)
class Operation:
    """An operation that scripts can call."""

    path: str
    answer: Handler  # its name is the operation's, and its docstring the summary
    kind: type  # of the answer
    needs: Right
    media_type: str = JSON  # of the answer
    query: tuple[str, ...] = ()  # names of `MEANINGS`
    # The schemas of a request's body, by media type.
    takes: Mapping[str, Schema] = field(default_factory=dict)
    creates: bool = False  # whether it can answer 201 as well

    @property
    def method(self) -> str:
        """PUT for an operation that takes a body, else GET."""
        return "PUT" if self.takes else "GET"

    def answered(self, **path: str) -> Response:
        """Answer a request; refuse unknown and repeated query parameters with 422."""
        for name, values in request.args.lists():
            if name not in self.query:
                there = f"; expected {', '.join(self.query)}" if self.query else ""
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
        path = [_parameter("slug", in_path=True)] if "<slug>" in self.path else []
        return {
            "operationId": self.answer.__name__,
            "summary": self.answer.__doc__,
            "parameters": [*path, *map(_parameter, self.query)],
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
    ) -> Callable[[Handler], Handler]:
        """Decorate a function as the answer of an operation; `more`: fields of `Operation`."""

        def added(answer: Handler) -> Handler:
            one = Operation(path, answer, kind, needs, **more)
            self.operations.append(one)
            self.add_url_rule(
                path, answer.__name__, one.answered, methods=[one.method], needs=one.needs
            )
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
