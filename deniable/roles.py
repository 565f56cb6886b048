"""Which of two labels is the *yes* of a design: decided by its meaning, and never by its place.

Designs of the literature have a yes and a no, and most treat the two differently. So the labels
that come with such a design, answers or the cells of a file, have to say which of them is its yes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from deniable.channel import Channel
from deniable.survey.questions import FIXED

if TYPE_CHECKING:
    from deniable.survey.questions import Question

T = TypeVar("T")

_YES: Final = frozenset({"yes", "ja", "sí", "si", "oui", "نعم", "true", "1", "y", "t"})
_NO: Final = frozenset({"no", "nein", "non", "لا", "false", "0", "n", "f"})
_WHOLE: Final = re.compile(r"(0|[1-9][0-9]*)\.0+")


def whole(cell: str) -> str:
    """Write a whole number without decimals: files keep columns with gaps as 0.0 and 1.0.

    >>> whole("1.0"), whole("0.5"), whole("No")
    ('1', '0.5', 'No')
    """
    found = _WHOLE.fullmatch(cell)
    return found[1] if found else cell


def plain(label: object) -> str:
    """Return a label in the form for comparison: lower case, no spaces around it, 1.0 as 1.

    >>> plain(" Yes"), plain("1.0"), plain(True)
    ('yes', '1', 'true')
    """
    return whole(unicodedata.normalize("NFC", str(label)).strip().casefold())


def says_yes(label: object) -> bool | None:
    """Return whether a label means yes or no, in a language of the pages or as in data files.

    `label`: a text, a number or a truth value. Result: None if it means neither.

    >>> says_yes("Ja"), says_yes("FALSE"), says_yes("1.0"), says_yes("Yes, often")
    (True, False, True, None)
    """
    said = plain(label)
    return True if said in _YES else False if said in _NO else None


def place_of_yes(labels: Sequence[object]) -> int | None:
    """Return the place of the label that means yes if the other one means no; None otherwise.

    >>> place_of_yes(["Oui", "Non"]), place_of_yes(["No", "Yes"]), place_of_yes(["Yes", "Often"])
    (0, 1, None)
    """
    said = [*map(says_yes, labels)]
    return said.index(True) if sorted(map(str, said)) == ["False", "True"] else None


def no_then_yes(codes: Sequence[T]) -> Sequence[T]:
    """Return two names with the no first if they mean yes and no; otherwise in the given order.

    >>> no_then_yes(["yes", "no"]), no_then_yes([1, 0]), no_then_yes(["b", "a"])
    (['no', 'yes'], [0, 1], ['b', 'a'])
    """
    return codes[::-1] if len(codes) == 2 and place_of_yes(codes) == 0 else codes


def asked_for(question: Question) -> str:
    """Return the code of the answer that a question with a yes and a no asks for; empty for others.

    The survey file's `yes` counts first, then the answers' texts, then their codes.
    """
    answers = [one for one in question.offered if one.code not in FIXED]
    if len(answers) != 2:
        return ""
    if question.yes:
        return question.yes
    read = place_of_yes([one.text for one in answers])
    place = place_of_yes([one.code for one in answers]) if read is None else read
    return "" if place is None else answers[place].code


def yes_of(question: Question) -> int | None:
    """Return the place of the answer that is the yes of a design; None if it is unknown."""
    yes = asked_for(question) if len(question.truths) == 2 else ""
    return [one.code for one in question.truths].index(yes) if yes else None


def speak(channel: Channel) -> bool:
    """Return whether each of two reports is likelier if it is the truth, so that it has its name.

    The reports of the crosswise model, say, have other names.
    """
    rows = channel.weights
    return channel.truths == channel.reports == 2 and rows[0][1] < rows[1][1]


def treats_alike(channel: Channel) -> bool:
    """Return whether a channel is the same whichever of its two answers is the yes.

    It is if both answers have the same flip probability and the reports have the answers' names.
    """
    return channel.is_symmetric and speak(channel)


def yes_that_counts(question: Question, channel: Channel) -> str:
    """Return the text of a randomised question's yes; empty if the design treats both alike."""
    place = None if treats_alike(channel) else yes_of(question)
    return "" if place is None else question.truths[place].text


def yes_first(channel: Channel) -> Channel:
    """Return a channel of no and yes reordered for answers that begin with the yes.

    Two reports change places like the truths, so that they keep their names. More than two keep
    their order: they are numbers.
    """
    turned = [row[::-1] if channel.reports == 2 else row for row in channel.weights[::-1]]
    return Channel(turned)


UNSAID: Final = "the words do not say which of the two is the design's yes"


def said_by(how: str, labels: Sequence[str]) -> str:
    """Return the remedy where labels do not say which is the yes.

    `how`: how to say it, with ``{}`` in the place of the label.
    """
    return f"expected {' or '.join(how.format(label) for label in labels)}"
