"""The types of values in a survey file, and how each is read from YAML."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from deniable import designs, exact
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
    check_logo_side,
    is_day,
)
from deniable.survey.questions import QuestionType
from deniable.text.languages import LANGUAGES
from deniable.text.safety import shortened

FREE_TEXT: Final = {"text", "free_text", "freetext", "string", "textarea", "comment", "open"}
"""Words for a type of free text, which no randomisation can protect."""

OTHER_TYPES: Final = {
    "likert": QuestionType.GRID,
    "matrix": QuestionType.GRID,
    "checkbox": QuestionType.MANY,
    "checkboxes": QuestionType.MANY,
    "multiple": QuestionType.MANY,
    "radio": QuestionType.SINGLE,
    "scale": QuestionType.SINGLE,
    "integer": QuestionType.NUMBER,
    "numeric": QuestionType.NUMBER,
}
"""What other programs call the types."""

OTHER_KEYS: Final = {
    "options": "answers",
    "choices": "answers",
    "label": "text",
    "question": "text",
    "kind": "type",
}
"""What other programs call the keys of a question."""

TYPES: Final = f"{', '.join(list(QuestionType)[:-1])} or {list(QuestionType)[-1]}"
_LEAST_REACH: Final = Fraction(1, 2)
"""The least percentage points of an interval: a smaller value needs more people than any study has,
and is probably meant as a part of 1."""

_MOST_DIGITS: Final = 15
"""The most digits of a whole number."""

MOST_OF_TITLE: Final = 300
"""The most characters of a title, which is also the title of a page's tab."""

_CODE_SCHEMA: Final = {"type": ["string", "number", "boolean"]}
_NUMBER_SCHEMA: Final = {"type": ["number", "string"], "pattern": r"^[0-9./eE+-]+$"}

_GROUPED: Final = re.compile(r"[-+]?[1-9][0-9]{0,2}\.[0-9]{2}0")
"""A number such as 5.000, which means five thousand in half of Europe."""

_PHONE: Final = re.compile(r"[+(]?[0-9][0-9 ()/.-]+")
_ADDRESS: Final = re.compile(r"[a-z]+:\S|www\.", re.IGNORECASE)
_TRUTH_VALUES: Final = frozenset({"true", "false", "yes", "no", "on", "off"})
"""Truth values that people write in place of a text."""


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


def _number_in(fits: Callable[[Fraction], bool], expected: str) -> Callable[[object], Fraction]:
    """Return a function that reads a number which fits; otherwise its error says `expected`."""

    def read(value: object) -> Fraction:
        number = _number(value)
        if not fits(number):
            raise ValueError(f"expected {expected}, found {value}")
        return number

    return read


_share = _number_in(lambda one: 0 <= one <= 1, "a share from 0 to 1, such as 1/12")
_positive = _number_in(lambda one: one > 0, "a number above 0")
_points = _number_in(lambda one: 0 < one < 100, "percentage points above 0 and below 100")


def _reach(value: object) -> Fraction:
    number = _points(value)
    if number < _LEAST_REACH:
        raise ValueError(
            f"expected percentage points such as 5, found {value}: did you mean "
            f"{float(100 * number):g}?"
        )
    return number


def _two_shares(value: object) -> tuple[Fraction, Fraction]:
    if isinstance(value, list) and len(value) == 2:
        low, high = map(_points, value)
        if max(low, high) < 1:
            raise ValueError(
                f"expected two shares in percent, such as [10, 25], found {value[0]} and "
                f"{value[1]}: did you mean [{float(100 * low):g}, {float(100 * high):g}]?"
            )
        if low != high:
            return low, high
    raise ValueError(f"expected two shares in percent, such as [10, 25], found {describe(value)}")


def _count(value: object) -> int:
    if isinstance(value, str) and value.isdigit() and len(value) > _MOST_DIGITS:
        raise ValueError(
            f"expected a whole number of at most {_MOST_DIGITS} digits, found one of {len(value):,}"
        )
    if not (isinstance(value, str) and value.isascii() and value.isdigit() and int(value)):
        raise ValueError(f"expected a whole number above 0, found {describe(value)}")
    return int(value)


def _truth_value(value: object) -> bool:
    if value not in ("true", "false"):
        raise ValueError(f"expected true or false, found {describe(value)}")
    return value == "true"


def _filled(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected a text, found {describe(value)}")
    return value.strip()


def _text(value: object) -> str:
    # In a file with `languages`, texts have been replaced by those of one language already.
    if isinstance(value, dict) and value and {*value} <= {*LANGUAGES}:
        raise ValueError(
            "expected a text, found keys and values: texts in several languages need the key "
            "'languages' of the survey, such as [en, de]"
        )
    return _filled(value)


def _join_lines(value: object) -> str:
    # A text over several lines becomes one line, joined by spaces.
    return " ".join(_text(value).splitlines())


def _title(value: object) -> str:
    title = _join_lines(value)
    if len(title) > MOST_OF_TITLE:
        raise ValueError(
            f"expected a title of at most {MOST_OF_TITLE} characters, found {len(title):,}: the "
            "introduction and the purpose have no such limit"
        )
    return title


def _sentences(value: object) -> str:
    text = _text(value)
    if text.lower() in _TRUTH_VALUES:
        raise ValueError(
            f"expected the text that people read, found {text}: leave it out if you need none"
        )
    return text


def _results(value: object) -> str:
    text = " ".join(_sentences(value).splitlines())
    if _ADDRESS.match(text) and not SITE.fullmatch(text):
        raise ValueError(
            "expected a sentence, or an address such as https://example.org/results, found "
            f"{describe(value)}"
        )
    return text


def _choices(value: object) -> dict[str, str] | list[str]:
    """Read texts, or texts by their codes."""
    if isinstance(value, dict):
        return {code: _join_lines(text) for code, text in value.items()}
    if isinstance(value, list):
        return [_join_lines(text) for text in value]
    raise ValueError(f"expected a list of texts, or texts by code, found {describe(value)}")


def _together(value: object) -> list[Any]:
    """Read ids of questions, or several lists of them; `together.read_groups` checks them."""
    if isinstance(value, list) and value:
        return value
    raise ValueError(
        f"expected ids of questions, such as [doped, knew], or several such lists, found "
        f"{describe(value)}"
    )


def _text_in(fits: Callable[[str], object], expected: str) -> Callable[[object], str]:
    """Return a function that reads a text which fits, as it is; otherwise as `_number_in`."""

    def read(value: object) -> str:
        if isinstance(value, str) and fits(value):
            return value
        raise ValueError(f"expected {expected}, found {describe(value)}")

    return read


_site = _text_in(
    lambda one: one == NO_EXIT or SITE.fullmatch(one),
    "an address such as https://example.org/, or none",
)
_panel = _text_in(
    PANEL.fullmatch,
    "an address such as https://panel.example.org/done, without ? and #, so that it is the same "
    "for everybody",
)
_day = _text_in(is_day, "a day such as 2028-01-31")


def _link(value: object) -> str:
    """Read a link; a mail address or a telephone number alone becomes a link."""
    if isinstance(value, str):
        link = f"mailto:{value}" if MAIL.fullmatch(value) else value
        if _PHONE.fullmatch(value):
            link = "tel:" + re.sub(r"(?<=.)\(0\)|[^+0-9]", "", value)
        if LINK.fullmatch(link):
            return link
    raise ValueError(
        "expected a link such as tel:+4930123456, mailto:study@example.org or "
        f"https://example.org/, found {describe(value)}"
    )


def _logo(value: object) -> object:
    check_logo(value)
    check_logo_side(str(value))
    return value


def _colour(value: object) -> object:
    check_colour(value)
    return value


def _type(value: object) -> object:
    if isinstance(value, str) and value.lower() in FREE_TEXT:
        raise ValueError(
            f"expected {TYPES}, found {value!r}: free text cannot be "
            "protected, because a sentence gives its writer away. Randomising needs a fixed list "
            "of answers, so that any of them can be sent. Offer answers to choose from"
        )
    if isinstance(value, str) and (meant := OTHER_TYPES.get(value.lower())):
        raise ValueError(f"expected {TYPES}, found {value!r}: did you mean '{meant}'?")
    return value


def _matching(pattern: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": f"^{pattern}$"})


def _list_of(items: object, least: int = 1, **more: object) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least, **more}


def _mapping_to(values: object, **more: object) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values, "minProperties": 1, **more}


def is_linked(value: object) -> bool:
    """Return whether a value has the keys of a text with a link."""
    return isinstance(value, dict) and not {"text", "link"}.isdisjoint(value)


def with_link(value: object) -> object:
    """Return a text alone in the form of a text with a link."""
    return value if is_linked(value) else {"text": value}


def describe(value: object) -> str:
    """Describe a value for the error of what was found, in the words of the file."""
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
Reach = Annotated[Fraction, BeforeValidator(_reach), WithJsonSchema(_NUMBER_SCHEMA)]
Points = Annotated[Fraction, BeforeValidator(_points), WithJsonSchema(_NUMBER_SCHEMA)]
TwoShares = Annotated[
    tuple[Fraction, Fraction],
    BeforeValidator(_two_shares),
    WithJsonSchema(_list_of(_NUMBER_SCHEMA, 2, maxItems=2)),
]
TrueOrFalse = Annotated[bool, BeforeValidator(_truth_value)]
TEXT_SCHEMA: Final[dict[str, list[dict[str, Any]]]] = {
    "anyOf": [
        _CODE_SCHEMA,
        _mapping_to({"type": "string"}, propertyNames={"enum": list(LANGUAGES)}),
    ]
}
"""A text, or the same in several languages."""

Line = Annotated[str, BeforeValidator(_join_lines), WithJsonSchema(TEXT_SCHEMA)]
Title = Annotated[str, BeforeValidator(_title), WithJsonSchema(TEXT_SCHEMA)]
Text = Annotated[str, BeforeValidator(_text), WithJsonSchema(TEXT_SCHEMA)]
# An ethics packet is in one language: its texts have no translations.
NonBlank = Annotated[str, BeforeValidator(_filled), WithJsonSchema(TEXT_SCHEMA["anyOf"][0])]
Sentences = Annotated[str, BeforeValidator(_sentences), WithJsonSchema(TEXT_SCHEMA)]
Sentence = Annotated[Sentences, AfterValidator(_join_lines)]
Results = Annotated[str, BeforeValidator(_results), WithJsonSchema(TEXT_SCHEMA)]
Choices = Annotated[
    dict[str, str] | list[str],
    BeforeValidator(_choices),
    WithJsonSchema(
        {
            "oneOf": [
                {"type": "array", "items": TEXT_SCHEMA},
                {"type": "object", "additionalProperties": TEXT_SCHEMA},
            ]
        }
    ),
]
Code = Annotated[str, WithJsonSchema(_CODE_SCHEMA)]
Conditions = Annotated[
    dict[str, Any],
    WithJsonSchema(
        _mapping_to(
            {
                "anyOf": [
                    _CODE_SCHEMA,
                    _list_of(_CODE_SCHEMA),
                    {
                        "type": "object",
                        "properties": {"min": _NUMBER_SCHEMA, "max": _NUMBER_SCHEMA},
                        "additionalProperties": False,
                        "minProperties": 1,
                    },
                ]
            }
        )
    ),
]
Known = Annotated[
    Fraction | dict[str, Fraction],
    BeforeValidator(_known),
    WithJsonSchema({"anyOf": [_NUMBER_SCHEMA, _mapping_to(_NUMBER_SCHEMA)]}),
]
_DESIGN_SCHEMA: Final = _mapping_to(
    {"type": "object"}, propertyNames={"enum": list(designs.BY_NAME)}, maxProperties=1
)
Design = Annotated[dict[str, dict[str, Any]], WithJsonSchema(_DESIGN_SCHEMA)]
Languages = Annotated[Any, WithJsonSchema(_list_of({"enum": list(LANGUAGES)}, uniqueItems=True))]
_IDS_SCHEMA: Final = _list_of({"type": "string"}, 2)
SameFact = Annotated[list[Any], WithJsonSchema({**_IDS_SCHEMA, "uniqueItems": True})]
Together = Annotated[
    list[Any],
    BeforeValidator(_together),
    WithJsonSchema({"anyOf": [_IDS_SCHEMA, _list_of(_IDS_SCHEMA)]}),
]
