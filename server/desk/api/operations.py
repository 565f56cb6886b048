"""What scripts can ask of the desk: the one table of the API.

The routes come from it, and so do the check of what a request says, the OpenAPI document and the
page for people. So none of these can differ from another.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from deniable.analysis import intervals
from deniable.analysis.regression.formulas.reader import MOST_CHARACTERS
from deniable.results.files import FORMATS
from deniable.server.desk.results.compare import KINDS
from deniable.server.desk.results.files import REPORTS
from deniable.server.desk.results.query import LEVELS
from deniable.server.store.schedule import SET, State
from deniable.survey.wordings import MEDIA_TYPE

Schema: TypeAlias = Mapping[str, Any]
"""A schema as JSON Schema has it, draft 2020-12."""

SLUG: Final = "^[a-z0-9][a-z0-9-]{0,63}$"
"""What the name of a survey looks like."""


@dataclass(frozen=True)
class Parameter:
    """A text behind the question mark of an address, by ``enum``, ``pattern`` or ``maxLength``."""

    name: str
    description: str
    schema: Schema
    required: bool = False


@dataclass(frozen=True)
class Body:
    """What a request carries."""

    media_type: str
    description: str
    schema: Schema


@dataclass(frozen=True)
class Operation:
    """Something that scripts can ask for: `also` is how it can answer besides 200."""

    name: str
    method: str
    path: str
    summary: str
    media_type: str
    schema: Schema
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    also: tuple[HTTPStatus, ...] = ()

    @property
    def stem(self) -> tuple[str, str]:
        """The method, and the path without its ending: the same for the forms of one thing."""
        return self.method, re.sub(r"\.\w+$", "", self.path)

    @property
    def of_survey(self) -> bool:
        """Whether it is about the survey of its address."""
        return "<slug>" in self.path


def _one_of(names: Mapping[str, object] | tuple[str, ...], default: str) -> Schema:
    return {"type": "string", "enum": [*names], "default": default}


def _text(most: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": most}


def _document(properties: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "required": [*properties], "properties": properties}


_STRING: Final[Schema] = {"type": "string"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_ROWS: Final[Schema] = {"type": "array", "items": {"type": "object"}}

_REVISION: Final = Parameter(
    "revision",
    "This revision alone. By default the current one, with the reports to others that answer the "
    "same questions.",
    {"type": "string", "pattern": "^[0-9a-f]{64}$"},
)
_WAVE: Final = Parameter(
    "wave",
    "A wave of a survey that has waves; by default the one that is on.",
    {"type": "string", "pattern": "^[1-9][0-9]?$"},
)
_LEVEL: Final = Parameter(
    "level", "Confidence level of the intervals, in percent.", _one_of(LEVELS, "95")
)
_METHOD: Final = Parameter(
    "method", "The kind of interval of a share.", _one_of(intervals.NAMES, intervals.DEFAULT)
)

_SURVEY: Final[Schema] = _document(
    {
        "slug": _STRING,
        "title": _STRING,
        "revision": _STRING,
        "number": _STRING,
        "revisions": {"type": "array", "items": _STRING},
        "state": {"type": "string", "enum": [*State]},
        "wave": {"type": ["integer", "null"]},
        "waves": {"type": ["integer", "null"]},
        "epsilon": {"type": "number"},
        "reports": _COUNT,
        "plan": {"type": "object"},
        "delete_reports": {"type": ["string", "null"]},
        "deleted": {"type": ["string", "null"]},
        "role": {"type": "string", "enum": ["owner", "analyst"]},
    }
)
_OF_REVISION: Final[Mapping[str, Schema]] = {
    "survey": _STRING,
    "title": _STRING,
    "revision": _STRING,
    "n": _COUNT,
}

_WRONG: Final = (HTTPStatus.UNPROCESSABLE_ENTITY,)


def _files() -> Iterator[Operation]:
    estimates = _document(
        {
            **_OF_REVISION,
            "epsilon": {"type": "number"},
            "level": {"type": "number"},
            "method": _STRING,
            "design_followed": {"type": "object"},
            "estimates": _ROWS,
        }
    )
    for form, format_ in sorted(FORMATS.items(), reverse=True):
        yield Operation(
            f"estimates_{form}",
            "GET",
            f"/surveys/<slug>/estimates.{form}",
            "The estimates of a survey, of each of its waves and of their changes.",
            format_.media_type,
            estimates if form == "json" else _STRING,
            (_REVISION, _LEVEL, _METHOD),
        )
    for form, (_, media_type) in REPORTS.items():
        yield Operation(
            f"reports_{form}",
            "GET",
            f"/surveys/<slug>/reports.{form}",
            "The noisy reports that the desk shows, sorted by value. Rare direct answers are left "
            "out.",
            media_type,
            _STRING,
            (_REVISION,),
        )
    for kind in KINDS.values():
        parameters = [
            Parameter(
                field.name,
                f"{field.label}{', as the id of an item' if field.is_item else ''}.",
                _one_of(field.names, field.default) if field.names else _text(MOST_CHARACTERS),
                required=not field.is_folded,
            )
            for field in kind.fields
        ] + [_METHOD] * kind.has_method
        for form, format_ in sorted(FORMATS.items(), reverse=True):
            yield Operation(
                f"{kind.name}_{form}",
                "GET",
                f"/surveys/<slug>/{kind.name}.{form}",
                kind.summary,
                format_.media_type,
                {"type": "object"} if form == "json" else _STRING,
                (*parameters, _REVISION, _WAVE, _LEVEL),
                also=_WRONG,
            )


OPERATIONS: Final = (
    Operation(
        "surveys",
        "GET",
        "/surveys",
        "The surveys that you may see.",
        "application/json",
        _document({"surveys": {"type": "array", "items": _SURVEY}}),
    ),
    Operation(
        "survey",
        "GET",
        "/surveys/<slug>",
        "A survey: its revisions, its state, and how many reports the desk shows.",
        "application/json",
        _SURVEY,
    ),
    Operation(
        "document",
        "GET",
        "/surveys/<slug>/document",
        "The survey as devices read it. The SHA-256 of its first line is the revision.",
        MEDIA_TYPE,
        _STRING,
        (_REVISION,),
    ),
    Operation(
        "tally",
        "GET",
        "/surveys/<slug>/tally",
        "How often each item was reported as what, noise included. Direct answers of few people "
        "are null.",
        "application/json",
        _document({**_OF_REVISION, "wave": {"type": ["integer", "null"]}, "items": _ROWS}),
        (_REVISION, _WAVE),
        also=_WRONG,
    ),
    *_files(),
    Operation(
        "paper",
        "GET",
        "/surveys/<slug>/paper.zip",
        "The zip for a paper: noisy reports, results, methods, and programs that work them out.",
        "application/zip",
        {"type": "string", "format": "binary"},
        (
            Parameter(
                "direct",
                "Ids of the direct columns that are published, with commas between them.",
                _text(MOST_CHARACTERS),
            ),
            _REVISION,
            _LEVEL,
        ),
        also=_WRONG,
    ),
    Operation(
        "set_state",
        "PUT",
        "/surveys/<slug>/state",
        "Open, pause or close a survey.",
        "application/json",
        _SURVEY,
        body=Body(
            "application/json",
            "The state.",
            {
                **_document({"state": {"type": "string", "enum": [*SET]}}),
                "additionalProperties": False,
            },
        ),
        also=(HTTPStatus.CONFLICT, *_WRONG),
    ),
    Operation(
        "register",
        "PUT",
        "/surveys/<slug>",
        "Register a survey file: a new survey, which is then open and yours, or a new revision.",
        "application/json",
        _document({"survey": _SURVEY, "notes": {"type": "array", "items": _STRING}}),
        body=Body("application/yaml", "A survey file, whose survey has this name.", _STRING),
        also=(HTTPStatus.CREATED, HTTPStatus.CONFLICT, HTTPStatus.SERVICE_UNAVAILABLE, *_WRONG),
    ),
)
"""All that scripts can ask for."""
