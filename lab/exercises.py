"""What readers answer: a guess at first, and exercises."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Guess(NamedTuple):
    """What readers say before the page shows them anything."""

    question: str
    value: str  # which of the page's values answers it
    low: float  # the ends of what can be guessed, in the unit
    high: float
    unit: str = "%"
    scale: float = 100  # how many of the unit the value's number counts for each 1
    step: float = 1


class Number(NamedTuple):
    """The right answer to an exercise, as a number."""

    right: float
    within: float = 0  # how far off an answer may be
    unit: str = ""


class Pick(NamedTuple):
    """The right answer to an exercise, among wrong ones."""

    right: str
    wrong: tuple[str, ...]

    @property
    def options(self) -> list[str]:
        """All of them, in an order that does not tell."""
        return sorted((self.right, *self.wrong))


@dataclass(frozen=True)
class Exercise:
    """Something to find out on the page."""

    question: str
    answer: str
    settings: Mapping[str, str] = field(default_factory=dict)  # where the page shows the answer
    check: Number | Pick | None = None
