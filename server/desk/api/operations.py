"""What scripts can ask of the desk: the one table of the API.

The routes come from it, and so do the check of what a request says, the OpenAPI document and the
page of the manual. So none of these can differ from another.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from deniable.analysis import intervals
from deniable.results.files import FORMATS
from deniable.server.desk.results.query import LEVELS
from deniable.server.store.schedule import SET, State
from deniable.survey.wordings import MEDIA_TYPE

Schema: TypeAlias = Mapping[str, Any]
"""A schema as JSON Schema has it, draft 2020-12."""

SLUG: Final = "^[a-z0-9][a-z0-9-]{0,63}$"
"""What the name of a survey looks like."""

JSON: Final = "application/json"


@dataclass(frozen=True)
class Operation:
    """Something that scripts can ask for."""

    name: str
    path: str
    summary: str
    media_type: str
    schema: Schema
    parameters: tuple[Schema, ...] = ()  # as OpenAPI describes them
    takes: tuple[str, Schema] | None = None  # the media type of what a request carries
    creates: bool = False  # whether it can answer 201 as well

    @property
    def method(self) -> str:
        """What carries something changes something."""
        return "GET" if self.takes is None else "PUT"

    @property
    def of_survey(self) -> bool:
        """Whether it is about the survey of its address."""
        return "<slug>" in self.path


def _document(strings: str, **others: Schema) -> Schema:
    properties = {**dict.fromkeys(strings.split(), _STRING), **others}
    return {"type": "object", "required": [*properties], "properties": properties}


def _one_of(names: Iterable[str], default: str) -> Schema:
    return {"type": "string", "enum": [*names], "default": default}


def _parameter(name: str, description: str, schema: Schema) -> Schema:
    return {"name": name, "in": "query", "description": description, "schema": schema}


_STRING: Final[Schema] = {"type": "string"}
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
    {"type": "string", "pattern": "^[0-9a-f]{64}$"},
)
_WAVE: Final = _parameter(
    "wave",
    "A wave of a survey that has waves; by default the one that is on.",
    {"type": "string", "pattern": "^[1-9][0-9]?$"},
)
_LEVEL: Final = _parameter(
    "level", "Confidence level of the intervals, in percent.", _one_of(LEVELS, "95")
)
_METHOD: Final = _parameter(
    "method", "The kind of interval of a share.", _one_of(intervals.NAMES, intervals.DEFAULT)
)

_SURVEY: Final = _document(
    "slug title revision number",
    revisions={"type": "array", "items": _STRING},
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
_TALLY: Final = _document("survey title revision", n=_COUNT, wave=_WAVE_OF, items=_ROWS)
_ESTIMATES: Final = _document(
    "survey title revision method",
    n=_COUNT,
    epsilon=_NUMBER,
    level=_NUMBER,
    design_followed=_OBJECT,
    estimates=_ROWS,
)
_STATE: Final[Schema] = {
    **_document("", state={"type": "string", "enum": [*SET]}),
    "additionalProperties": False,
}

OPERATIONS: Final = (
    Operation(
        "surveys",
        "/surveys",
        "The surveys that you may see.",
        JSON,
        _document("", surveys={"type": "array", "items": _SURVEY}),
    ),
    Operation(
        "survey",
        "/surveys/<slug>",
        "A survey: its revisions, its state, and how many reports the desk shows.",
        JSON,
        _SURVEY,
    ),
    Operation(
        "document",
        "/surveys/<slug>/document",
        "The survey as devices read it. The SHA-256 of its first line is the revision.",
        MEDIA_TYPE,
        _STRING,
        (_REVISION,),
    ),
    Operation(
        "tally",
        "/surveys/<slug>/tally",
        "How often each item was reported as what, noise included. Direct answers of few people "
        "are null.",
        JSON,
        _TALLY,
        (_REVISION, _WAVE),
    ),
    *(
        Operation(
            f"estimates_{form}",
            f"/surveys/<slug>/estimates.{form}",
            "The estimates of a survey, of each of its waves and of their changes.",
            format_.media_type,
            _ESTIMATES if form == "json" else _STRING,
            (_REVISION, _LEVEL, _METHOD),
        )
        for form, format_ in FORMATS.items()
    ),
    Operation(
        "reports",
        "/surveys/<slug>/reports.csv",
        "The noisy reports that the desk shows, sorted by value. Rare direct answers are left out.",
        "text/csv",
        _STRING,
        (_REVISION,),
    ),
    Operation(
        "state",
        "/surveys/<slug>/state",
        "Open, pause or close a survey.",
        JSON,
        _SURVEY,
        takes=(JSON, _STATE),
    ),
    Operation(
        "register",
        "/surveys/<slug>",
        "Register a survey file of this name: a new survey, which is then open and yours, or a new "
        "revision.",
        JSON,
        _document("", survey=_SURVEY, notes={"type": "array", "items": _STRING}),
        takes=("application/yaml", _STRING),
        creates=True,
    ),
)
"""All that scripts can ask for."""
