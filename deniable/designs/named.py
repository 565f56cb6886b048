"""How a design gets the name under which a survey file or a command asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeVar

from deniable.channel import Channel

Design = TypeVar("Design", bound=Callable[..., Channel])


class Named(NamedTuple):
    """A design with its name.

    `example`: values of its parameters, with which a form begins. `has_yes`: whether its truths are
    no and yes. The truths of others are the answers in their order.
    """

    design: Callable[..., Channel]
    example: Mapping[str, object]
    has_yes: bool


NAMED: Final[dict[str, Named]] = {}
"""The designs by their names, as their modules are imported."""


def named(*also: str, has_yes: bool = False, **example: object) -> Callable[[Design], Design]:
    """Make a function a design that a survey file or a command may name.

    Parameters
    ----------
    also : str
        Further names for it.
    has_yes : bool
        Whether its truths are no and yes.
    **example : object
        By parameter, a value that a file may give it.
    """

    def decorate(design: Design) -> Design:
        for name in (design.__name__, *also):
            NAMED[name] = Named(design, example, has_yes)
        return design

    return decorate
