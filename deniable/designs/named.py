"""The decorator that gives a design its name in survey files and commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeVar

from deniable.channel import Channel

Design = TypeVar("Design", bound=Callable[..., Channel])


class Named(NamedTuple):
    """A named design.

    `example`: values of its parameters, with which a form begins. `has_yes`: whether its truths are
    no and yes. The truths of other designs are the answers in their order.
    """

    design: Callable[..., Channel]
    example: Mapping[str, object]
    has_yes: bool


NAMED: Final[dict[str, Named]] = {}
"""The designs by their names; each module adds its own on import."""


def named(*also: str, has_yes: bool = False, **example: object) -> Callable[[Design], Design]:
    """Make a function a design that a survey file or a command may name.

    Parameters
    ----------
    also : str
        Further names for it.
    has_yes : bool
        Whether its truths are no and yes.
    **example : object
        An example value for each parameter.
    """

    def decorate(design: Design) -> Design:
        for name in (design.__name__, *also):
            NAMED[name] = Named(design, example, has_yes)
        return design

    return decorate
