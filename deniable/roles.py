"""Which of two labels is the *yes* of a design: told by what it says, and never by its place.

Designs of the literature are about a yes and a no, and most treat the two differently. So what
stands beside such a design, answers or the cells of a file, has to say which of the two is its yes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from deniable.channel import Channel

if TYPE_CHECKING:
    from deniable.survey.questions import Question

T = TypeVar("T")

_YES: Final = frozenset({"yes", "ja", "sí", "si", "oui", "نعم", "true", "1", "y", "t"})
_NO: Final = frozenset({"no", "nein", "non", "لا", "false", "0", "n", "f"})
_WHOLE: Final = re.compile(r"(\d+)\.0+")


def whole(cell: str) -> str:
    """Write a whole number as such; with a gap, columns of 0 and 1 are kept as 0.0 and 1.0.

    >>> whole("1.0"), whole("0.5"), whole("No")
    ('1', '0.5', 'No')
    """
    found = _WHOLE.fullmatch(cell)
    return found[1] if found else cell


def plain(label: object) -> str:
    """Return a label as it is compared: without case, without spaces around it, 1.0 as 1.

    >>> plain(" Yes"), plain("1.0"), plain(True)
    ('yes', '1', 'true')
    """
    return whole(unicodedata.normalize("NFC", str(label)).strip().casefold())


def says_yes(label: object) -> bool | None:
    """Say whether a label says yes or no, in one of the pages' languages or as files do.

    `label`: a text, a number or a truth value. Result: None if it says neither.

    >>> says_yes("Ja"), says_yes("FALSE"), says_yes("1.0"), says_yes("Yes, often")
    (True, False, True, None)
    """
    said = plain(label)
    return True if said in _YES else False if said in _NO else None


def place_of_yes(labels: Sequence[object]) -> int | None:
    """Return which of two labels says yes while the other one says no; None if they do not.

    >>> place_of_yes(["Oui", "Non"]), place_of_yes(["No", "Yes"]), place_of_yes(["Yes", "Often"])
    (0, 1, None)
    """
    said = [*map(says_yes, labels)]
    return said.index(True) if sorted(map(str, said)) == ["False", "True"] else None


def no_then_yes(codes: Sequence[T]) -> Sequence[T]:
    """Return what two reports are called with the no first, where the words tell; else as given.

    >>> no_then_yes(["yes", "no"]), no_then_yes([1, 0]), no_then_yes(["b", "a"])
    (['no', 'yes'], [0, 1], ['b', 'a'])
    """
    return codes[::-1] if len(codes) == 2 and place_of_yes(codes) == 0 else codes


def yes_of(question: Question) -> int | None:
    """Return which answer of a question is the yes of a design; None if nothing tells.

    What the survey file says counts first, then what people read, then the codes.
    """
    offered = question.offered
    if len(offered) != 2 or len(question.truths) != 2:
        return None
    if question.yes:
        return [one.code for one in offered].index(question.yes)
    read = place_of_yes([one.text for one in offered])
    return place_of_yes([one.code for one in offered]) if read is None else read


def speak(channel: Channel) -> bool:
    """Say whether each of two reports is likelier if it is the truth, so that it is called so.

    The reports of the crosswise model, say, are called otherwise.
    """
    rows = channel.weights
    return channel.truths == channel.reports == 2 and rows[0][1] < rows[1][1]


def treats_alike(channel: Channel) -> bool:
    """Say whether it makes no difference which of two answers is the yes of a channel.

    So it is where both are flipped alike, and the reports are called like the answers.
    """
    return channel.is_symmetric and speak(channel)


def yes_first(channel: Channel) -> Channel:
    """Return a design's channel of no and yes for answers of which the first one is the yes.

    Two reports turn with the truths, so that those that are called like these still are. More of
    them keep their order: they are numbers.
    """
    turned = [row[::-1] if channel.reports == 2 else row for row in channel.weights[::-1]]
    return Channel(turned)


def unsaid(labels: Sequence[str], how: str) -> str:
    """Say that nothing tells which of two labels is the yes of a design, and what would.

    `how`: what says it, with ``{}`` in the place of the label.
    """
    told = " or ".join(how.format(label) for label in labels)
    return f"the words do not say which of the two is the design's yes: expected {told}"
