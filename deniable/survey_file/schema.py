"""The keys of a survey file, and what each of them holds by itself.

Every field is optional here, so that a mistake in one never hides a mistake in another; what must
be there, and what must hold between fields, is in `rules`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Any, Final, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    create_model,
)

from deniable import designs, exact
from deniable.designs import families
from deniable.survey import NO_EXIT
from deniable.survey.about import (
    COLOUR,
    LINK,
    LOGO,
    MAIL,
    PANEL,
    SITE,
    check_colour,
    check_logo,
    is_day,
)
from deniable.survey.questions import QuestionType
from deniable.survey_file.meanings import explain
from deniable.text.languages import LANGUAGES
from deniable.text.safety import shortened

FREE_TEXT: Final = {"text", "free_text", "freetext", "string", "textarea", "comment", "open"}
"""What people write when they want free text, which no randomisation can protect."""

_TYPES: Final = f"{', '.join(list(QuestionType)[:-1])} or {list(QuestionType)[-1]}"
_NUMBER_SCHEMA: Final = {"type": ["number", "string"], "pattern": r"^[0-9./eE+-]+$"}


_GROUPED: Final = re.compile(r"[-+]?[1-9][0-9]{0,2}\.[0-9]{2}0")
"""A number such as 5.000, which is five thousand in half of Europe."""


def _number(value: object) -> Fraction:
    if not isinstance(value, str):
        raise ValueError(f"expected a number such as 0.25 or 1/4, found {describe(value)}")
    if _GROUPED.fullmatch(value.strip()):
        whole, short = value.replace(".", ""), value.strip().rstrip("0").rstrip(".")
        raise ValueError(
            f"expected {whole} or {short}, found {value}: a dot before three digits can stand for "
            "thousands or for a decimal point"
        )
    return exact.fraction(value)


def _known(value: object) -> Fraction | dict[str, Fraction]:
    """Read the share of yes, or shares by the codes of answers."""
    if isinstance(value, dict):
        return {str(code): _share(share) for code, share in value.items()}
    return _share(value)


def _share(value: object) -> Fraction:
    number = _number(value)
    if not 0 <= number <= 1:
        raise ValueError(f"expected a share from 0 to 1, such as 1/12, found {value}")
    return number


def _positive(value: object) -> Fraction:
    number = _number(value)
    if number <= 0:
        raise ValueError(f"expected a number above 0, found {value}")
    return number


def _points(value: object) -> Fraction:
    number = _number(value)
    if not 0 < number < 100:
        raise ValueError(f"expected percentage points above 0 and below 100, found {value}")
    return number


def _two_shares(value: object) -> tuple[Fraction, Fraction]:
    if isinstance(value, list) and len(value) == 2:
        low, high = map(_points, value)
        if low != high:
            return low, high
    raise ValueError(f"expected two shares in percent, such as [10, 25], found {describe(value)}")


def _count(value: object) -> int:
    if not (isinstance(value, str) and value.isascii() and value.isdigit() and int(value)):
        raise ValueError(f"expected a whole number above 0, found {describe(value)}")
    return int(value)


def _truth_value(value: object) -> bool:
    if value not in ("true", "false"):
        raise ValueError(f"expected true or false, found {describe(value)}")
    return value == "true"


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected a text, found {describe(value)}")
    return value.strip()


def _line(value: object) -> str:
    """Texts that stand on one line: what is written over several is joined by spaces."""
    return " ".join(_text(value).splitlines())


def _choices(value: object) -> dict[str, str] | list[str]:
    """Texts, or texts by the code under which they are exported."""
    if isinstance(value, dict):
        return {code: _line(text) for code, text in value.items()}
    if isinstance(value, list):
        return [_line(text) for text in value]
    raise ValueError(f"expected a list of texts, or texts by code, found {describe(value)}")


def _together(value: object) -> list[Any]:
    """Ids of questions, or several lists of them: `together.read_groups` checks which."""
    if isinstance(value, list) and value:
        return value
    raise ValueError(
        f"expected ids of questions, such as [doped, knew], or several such lists, found "
        f"{describe(value)}"
    )


def _site(value: object) -> str:
    """Read an address to leave for, or that there is none."""
    if value == NO_EXIT or (isinstance(value, str) and SITE.fullmatch(value)):
        return str(value)
    raise ValueError(
        f"expected an address such as https://example.org/, or none, found {describe(value)}"
    )


def _link(value: object) -> str:
    """Read a link; a bare mail address is one, too."""
    if isinstance(value, str):
        link = f"mailto:{value}" if MAIL.fullmatch(value) else value
        if LINK.fullmatch(link):
            return link
    raise ValueError(
        "expected a link such as tel:+4930123456, mailto:study@example.org or "
        f"https://example.org/, found {describe(value)}"
    )


def _panel(value: object) -> str:
    if isinstance(value, str) and PANEL.fullmatch(value):
        return value
    raise ValueError(
        "expected an address such as https://panel.example.org/done, without ? and #, so that it "
        f"is the same for everybody, found {describe(value)}"
    )


def _day(value: object) -> str:
    if isinstance(value, str) and is_day(value):
        return value
    raise ValueError(f"expected a day such as 2028-01-31, found {describe(value)}")


def _logo(value: object) -> object:
    check_logo(value)
    return value


def _colour(value: object) -> object:
    check_colour(value)
    return value


def _type(value: object) -> object:
    if isinstance(value, str) and value.lower() in FREE_TEXT:
        raise ValueError(
            f"expected {_TYPES}, found {value!r}: free text cannot be "
            "protected, because a sentence gives its writer away. Randomising needs a fixed list "
            "of answers, so that any of them can be sent. Offer answers to choose from"
        )
    return value


def _matching(pattern: str) -> WithJsonSchema:
    """Describe a text that matches a pattern from its first letter to its last."""
    return WithJsonSchema({"type": "string", "pattern": f"^{pattern}$"})


def describe(value: object) -> str:
    """Say what was found, in the words of the file."""
    if value is None or value == "":
        return "nothing"
    if isinstance(value, str):
        return shortened(value)
    return "a list" if isinstance(value, list) else "keys and values"


Type = Annotated[
    QuestionType,
    BeforeValidator(_type),
    WithJsonSchema({"enum": list(QuestionType), "type": "string"}),
]
Number = Annotated[Fraction, BeforeValidator(_number), WithJsonSchema(_NUMBER_SCHEMA)]
Positive = Annotated[Fraction, BeforeValidator(_positive), WithJsonSchema(_NUMBER_SCHEMA)]
Count = Annotated[int, BeforeValidator(_count), WithJsonSchema({"type": "integer", "minimum": 1})]
Site = Annotated[str, BeforeValidator(_site), _matching(f"(?:{SITE.pattern}|{NO_EXIT})")]
Link = Annotated[str, BeforeValidator(_link), _matching(f"(?:{LINK.pattern}|{MAIL.pattern})")]
Panel = Annotated[str, BeforeValidator(_panel), _matching(PANEL.pattern)]
Day = Annotated[str, BeforeValidator(_day), WithJsonSchema({"type": "string", "format": "date"})]
Logo = Annotated[str, BeforeValidator(_logo), _matching(LOGO.pattern)]
Colour = Annotated[str, BeforeValidator(_colour), _matching(COLOUR.pattern)]
Points = Annotated[Fraction, BeforeValidator(_points), WithJsonSchema(_NUMBER_SCHEMA)]
TwoShares = Annotated[
    tuple[Fraction, Fraction],
    BeforeValidator(_two_shares),
    WithJsonSchema({"type": "array", "items": _NUMBER_SCHEMA, "minItems": 2, "maxItems": 2}),
]
TrueOrFalse = Annotated[bool, BeforeValidator(_truth_value)]
_TEXT_SCHEMA: Final = {
    "anyOf": [
        {"type": ["string", "number", "boolean"]},
        {
            "type": "object",
            "propertyNames": {"enum": list(LANGUAGES)},
            "additionalProperties": {"type": "string"},
            "minProperties": 1,
        },
    ]
}
"""A text, or the same in several languages."""

Line = Annotated[str, BeforeValidator(_line), WithJsonSchema(_TEXT_SCHEMA)]
Text = Annotated[str, BeforeValidator(_text), WithJsonSchema(_TEXT_SCHEMA)]
Choices = Annotated[
    dict[str, str] | list[str],
    BeforeValidator(_choices),
    WithJsonSchema(
        {
            "oneOf": [
                {"type": "array", "items": _TEXT_SCHEMA},
                {"type": "object", "additionalProperties": _TEXT_SCHEMA},
            ]
        }
    ),
]
Conditions = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {
                "anyOf": [
                    {"type": ["string", "number", "boolean"]},
                    {
                        "type": "array",
                        "minItems": 1,
                        "items": {"type": ["string", "number", "boolean"]},
                    },
                    {
                        "type": "object",
                        "properties": {"min": _NUMBER_SCHEMA, "max": _NUMBER_SCHEMA},
                        "additionalProperties": False,
                        "minProperties": 1,
                    },
                ]
            },
        }
    ),
]
Known = Annotated[
    Fraction | dict[str, Fraction],
    BeforeValidator(_known),
    WithJsonSchema(
        {
            "anyOf": [
                _NUMBER_SCHEMA,
                {"type": "object", "additionalProperties": _NUMBER_SCHEMA, "minProperties": 1},
            ]
        }
    ),
]
Design = Annotated[
    dict[str, dict[str, Any]],
    WithJsonSchema(
        {
            "type": "object",
            "propertyNames": {"enum": list(designs.BY_NAME)},
            "additionalProperties": {"type": "object"},
            "minProperties": 1,
            "maxProperties": 1,
        }
    ),
]

Languages = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": "array",
            "items": {"enum": list(LANGUAGES)},
            "minItems": 1,
            "uniqueItems": True,
        }
    ),
]


def _config(title: str, *required: str) -> ConfigDict:
    return ConfigDict(extra="forbid", title=title, json_schema_extra={"required": [*required]})


Together = Annotated[
    list[Any],
    BeforeValidator(_together),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "array", "items": {"type": "string"}, "minItems": 2},
                {
                    "type": "array",
                    "items": {"type": "array", "items": {"type": "string"}, "minItems": 2},
                    "minItems": 1,
                },
            ]
        }
    ),
]


class QuestionFields(BaseModel):
    """The keys of a question."""

    model_config = _config("Question", "id", "text", "type")

    id: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")] | None = None
    text: Text | None = None
    hint: Text | None = None
    type: Type | None = None
    answers: Choices | None = None
    rows: Choices | None = None
    min: Number | None = None
    max: Number | None = None
    step: Positive | None = None
    levels: Count | None = None
    ask: Count | None = None
    order: Literal["random"] | None = None
    prefer_not_to_say: TrueOrFalse | None = None
    style: Literal["statement"] | None = None
    statements: Choices | None = None
    known: Known | None = None
    ask_if: Conditions | None = None
    protection: Literal["randomised", "direct"] | None = None
    weight: Positive | None = None
    flip: Number | None = None
    epsilon: Positive | None = None
    design: Design | None = None
    family: Literal[tuple(families.NUMBERS)] | None = (  # type: ignore[valid-type]
        None
    )


class WavesFields(BaseModel):
    """The keys of `waves`."""

    model_config = _config("Waves", "count", "redraw")

    count: Count | None = None
    redraw: Number | None = None


class PlanFields(BaseModel):
    """The keys of `plan`: what a study expects and wants to learn."""

    model_config = _config("Plan")

    people: Count | None = None
    within: Points | None = None
    one: Annotated[Points, Field(gt=50)] | None = None
    groups: TwoShares | None = None
    until: Day | None = None


_BLANKS: Final = (
    *("people", "consent", "server", "readers", "kept", "backups", "controller", "officer"),
    *("basis", "rights", "assessment", "receivers", "responsible", "storage", "archive"),
    *("licence", "costs", "hypotheses", "exclusions", "stopping"),
)
_TEXTS: Any = dict.fromkeys(_BLANKS, (Text | None, None))
PacketFields: type[BaseModel] = create_model("Packet", __config__=_config("Packet"), **_TEXTS)
"""The keys of `packet`: the blanks of `publication.board.blanks`."""


class LinkedFields(BaseModel):
    """The keys of a text that can lead somewhere: `contact` and `help`."""

    model_config = _config("Linked", "text")

    text: Line | None = None
    link: Link | None = None


class SurveyFields(BaseModel):
    """The keys of a survey file."""

    model_config = _config("deniable survey", "version", "survey", "title", "questions")

    version: Annotated[Literal["1"], WithJsonSchema({"const": 1})] | None = None
    survey: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")] | None = None
    title: Line | None = None
    introduction: Text | None = None
    purpose: Line | None = None
    minutes: Count | None = None
    organisation: Line | None = None
    contact: Any = None
    help: Any = None
    results: Line | None = None
    delete_reports: Day | None = None
    panel: Panel | None = None
    logo: Logo | None = None
    colour: Colour | None = None
    consent: Text | None = None
    epsilon: Positive | None = None
    split: Literal["equal", "weight", "even", "optimal"] | None = None
    ask: Count | None = None
    together: Together | None = None
    chances: dict[str, Count] | None = None
    order: Literal["random"] | None = None
    branch: Literal["hidden"] | None = None
    exit: Site | None = None
    pages: Literal["one", "each"] | None = None
    waves: Any = None
    plan: Any = None
    packet: Any = None
    # Read before all others, by `texts.divide`: here for the schema and the list of keys.
    languages: Languages | None = None
    comprehension: TrueOrFalse | None = None
    address: Literal["named"] | None = None
    batch: Count | None = None
    publish: TrueOrFalse | None = None
    questions: list[Any] | None = None


READ_APART: Final = {"waves", "languages", "plan", "packet"}
"""Keys that hold anything as far as the fields are concerned: others read them, and complain."""

EXPECTED: Final = {
    "id": "a lower-case letter, then letters, digits and _ (64 at most)",
    "survey": "lower-case letters, digits and - (64 at most)",
    "type": _TYPES,
    "protection": "randomised or direct",
    "split": "equal, weight, even or optimal",
    "pages": "one (for all questions) or each (question on its own)",
    "address": "named, or no 'address' for one that does not tell the topic",
    "order": "random, or no 'order' for the order in the file",
    "chances": "whole numbers by what is drawn, such as {doped: 3, offered.epo: 1}",
    "branch": "hidden, or no 'branch' to show follow-ups to everybody",
    "style": "statement, or no 'style' for a question with its answers",
    "ask_if": "earlier questions with the answers that this one needs, such as {doped: yes}",
    "version": "1",
    "count": "a whole number of waves",
    "one": "above 50, which somebody thought before, and below 100",
    "redraw": "a probability such as 1/10, or 0",
    "questions": "a list of questions",
    "family": f"a family of designs: {', '.join(families.NUMBERS)}",
    "design": f"a design by name with its parameters: {', '.join(designs.BY_NAME)}",
}
"""What a field expects, where its type alone does not say it well."""

MISSING: Final = {
    "redraw": "expected the key 'redraw', found none. A device keeps one noisy answer for each "
    "possible answer. In each wave it reports this one or, with the probability 'redraw', another "
    "one. With 0 it always reports this one. That is the most precise, but two different reports "
    "of one person show that their answer changed, and someone who has the device can read the "
    "answer from a report. A larger value such as 1/10 hides this, and costs precision. There is "
    "no default, because you have to choose",
}
"""What is said of a missing key that needs more than its name."""


def required(model: type[BaseModel]) -> list[str]:
    """Return the keys that must be written."""
    extra: Any = model.model_config["json_schema_extra"]
    return [*extra["required"]]


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a survey file, for editors that complete and check as one types."""
    schema = SurveyFields.model_json_schema()
    question = QuestionFields.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["properties"]["waves"] = WavesFields.model_json_schema()
    schema["properties"]["plan"] = PlanFields.model_json_schema()
    schema["properties"]["packet"] = PacketFields.model_json_schema()
    for key in ("contact", "help"):
        schema["properties"][key] = {"anyOf": [_TEXT_SCHEMA, LinkedFields.model_json_schema()]}
    schema["properties"]["questions"] = {"type": "array", "minItems": 1, "items": question}
    explain(schema)
    return schema
