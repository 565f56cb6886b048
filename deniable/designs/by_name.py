"""The designs that a survey file or a command may name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Final

from deniable import exact
from deniable.channel import Channel
from deniable.designs.binary import forced_response, truth_or_lie, warner
from deniable.designs.categorical import custom, k_ary, truth_or_random

BY_NAME: Final[Mapping[str, Callable[..., Channel]]] = {
    design.__name__: design
    for design in (warner, truth_or_random, truth_or_lie, forced_response, k_ary, custom)
}
"""The designs that a survey file may name."""


def from_name(name: str, parameters: Mapping[str, object], answers: int) -> Channel:
    """Build the channel that a survey file asks for by a design's name.

    Parameters
    ----------
    name : str
        A key of `BY_NAME`.
    parameters : mapping
        The design's parameters by name. ``k`` may be left out: it is the number of answers.
    answers : int
        Number of answers that the channel must have as truths.

    Returns
    -------
    Channel

    Raises
    ------
    ValueError
        If the design or a parameter is unknown, a parameter is missing or out of range, or the
        design is for another number of answers.
    """
    if name not in BY_NAME:
        raise ValueError(f"expected one of {', '.join(BY_NAME)}, found {name!r}")
    accepted = inspect.signature(BY_NAME[name]).parameters
    given = {"k": answers, **parameters} if "k" in accepted else dict(parameters)
    for parameter in given:
        if parameter not in accepted:
            raise ValueError(
                f"{name} has no parameter {parameter!r}: expected {', '.join(accepted)}"
            )
    for parameter, declared in accepted.items():
        if declared.default is declared.empty and parameter not in given:
            raise ValueError(f"{name} needs the parameter {parameter!r}")
    if "k" in given and given["k"] != answers:
        given["k"] = int(exact.fraction(str(given["k"])))
    channel = BY_NAME[name](**given)
    if channel.truths != answers:
        raise ValueError(
            f"{name} gives a channel for {channel.truths} answers, "
            f"but the question has {answers} (counting 'prefer not to say')"
        )
    return channel
