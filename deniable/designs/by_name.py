"""The designs that a survey file or a command may name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from fractions import Fraction
from functools import partial
from typing import Any, Final

from deniable import exact
from deniable.channel import Channel
from deniable.designs import binary, block, categorical, literature, numeric, programme
from deniable.designs.named import NAMED
from deniable.text.doors import placed

_MODULES: Final = [
    module.__name__ for module in (binary, categorical, literature, block, numeric, programme)
]


def _place(name: str) -> tuple[bool, int]:
    """Return a key that sorts second names last, and modules from simple to special."""
    design = NAMED[name].design
    return name != design.__name__, _MODULES.index(design.__module__)


BY_NAME: Final[Mapping[str, Callable[..., Channel]]] = {
    name: NAMED[name].design for name in sorted(NAMED, key=_place)
}
"""The designs by their names in survey files and commands."""

HAVE_YES: Final = frozenset(name for name, row in NAMED.items() if row.has_yes)
"""Designs whose truths are no and yes. The truths of others are the answers in their order."""

NUMBER_OF_ANSWERS: Final = ("k", "levels")
"""Parameters that a question's number of answers decides."""

# YAML 1.1 reads an unquoted yes or no as a truth value, also where it is a parameter's name.
_AS_TYPED: Final[Mapping[object, str]] = {True: "yes", False: "no"}


def from_mapping(
    design: Mapping[str, Mapping[str, object] | None], answers: int | None = None
) -> Channel:
    """Build the channel of a design that is written as its name and parameters.

    Parameters
    ----------
    design : mapping
        One key of `BY_NAME`, with the design's parameters by name (None if all of them have
        defaults). Numbers may be numbers or strings such as ``"1/4"``.
    answers : int, optional
        Number of truths that the channel must have; by default any. With it, a parameter ``k`` or
        ``levels`` may be left out.

    Raises
    ------
    ValueError
        If the design or a parameter is unknown, a parameter is missing, malformed or out of range,
        or the design is for another number of answers. The message names the design.

    Examples
    --------
    >>> from_mapping({"forced_response": {"truth": "2/3", "yes": "1/2"}}).epsilon
    1.609438
    >>> from_mapping({"kuk": {"yes": "0.8", "no": "0.2", "draws": "3"}}).reports
    4
    """
    name, parameters = name_and_parameters(design, BY_NAME)
    given = arguments_of(name, BY_NAME[name], parameters, READERS, answers)
    with placed(name):
        channel = BY_NAME[name](**given)
    if answers is not None and channel.truths != answers:
        raise ValueError(
            f"{name} gives a channel for {channel.truths} answers, "
            f"but the question has {answers} (counting 'skipped', and 'does not apply' "
            "where it has 'ask_if')"
        )
    return channel


def name_and_parameters(design: object, known: Collection[str]) -> tuple[str, Mapping[str, object]]:
    """Return the name of a design that is written with its parameters, and these.

    Parameters
    ----------
    design : object
        A value from a file: a mapping of one name to its parameters by name, or to None.
    known : collection of str
        The names that it may have.
    """
    if not isinstance(design, Mapping) or len(design) != 1:
        raise ValueError(
            "expected one design with its parameters, such as "
            f"{{forced_response: {{truth: 2/3, yes: 1/2}}}}, found {design!r}"
        )
    ((name, parameters),) = design.items()
    if name not in known:
        near = get_close_matches(str(name), known, n=1) or [
            one for one in known if one.startswith(f"{name}_".lower())
        ]
        hint = (
            f"did you mean {' or '.join(map(repr, near))}?"
            if near
            else f"there are {', '.join(known)}"
        )
        raise ValueError(f"found no design {name!r}: {hint}")
    if parameters is None:
        return name, {}
    if not isinstance(parameters, Mapping):
        raise ValueError(f"{name}: expected parameters by name, found {parameters!r}")
    return name, parameters


def arguments_of(
    name: str,
    made_by: Callable[..., object],
    parameters: Mapping[str, object],
    readers: Mapping[str, Callable[[object], object]],
    answers: int | None = None,
) -> dict[str, Any]:
    """Read the parameters as the design declares them.

    Parameters
    ----------
    readers : mapping
        The reader of a parameter, by its type in the design's signature.
    answers : int, optional
        As for `from_mapping`.
    """
    accepted = inspect.signature(made_by).parameters
    given: dict[str, Any] = {}
    if answers is not None:
        given |= {parameter: answers for parameter in NUMBER_OF_ANSWERS if parameter in accepted}
    for key, value in parameters.items():
        parameter = _AS_TYPED.get(key, key)
        if parameter not in accepted:
            raise ValueError(
                f"{name} has no parameter {parameter!r}: expected {', '.join(accepted)}"
            )
        with placed(f"{name}: {parameter}"):
            given[parameter] = readers[accepted[parameter].annotation](value)
    for parameter, declared in accepted.items():
        if declared.default is declared.empty and parameter not in given:
            raise ValueError(f"{name} needs the parameter {parameter!r}")
    return given


def _number(value: object) -> Fraction:
    if not isinstance(value, Fraction | int | float | str) or isinstance(value, bool):
        raise ValueError(f"expected a number such as 0.25 or 1/4, found {value!r}")
    return exact.fraction(value)


def _integer(value: object) -> int:
    number = _number(value)
    if number.denominator != 1:
        raise ValueError(f"expected a whole number, found {value!r}")
    return number.numerator


def _list_of(what: str, read: Callable[[object], object], value: object) -> list[object]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"expected a list of {what}, found {value!r}")
    return [read(entry) for entry in value]


_numbers: Final = partial(_list_of, "numbers", _number)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a name, found {value!r}")
    return value


def _truth_value(value: object) -> bool:
    if value not in (True, False, "true", "false"):
        raise ValueError(f"expected true or false, found {value!r}")
    return value in (True, "true")


READERS: Final[Mapping[str, Callable[[object], object]]] = {
    "Number": _number,
    "Number | None": _number,
    "int": _integer,
    "bool": _truth_value,
    "Sequence[Number]": _numbers,
    "Sequence[Sequence[Number]]": partial(_list_of, "rows of numbers", _numbers),
    "str | None": _text,
}
"""The reader of a parameter in a file, by its type in the design's signature."""
