"""Questions to the readers of a page: a guess at first, and exercises."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Guess(NamedTuple):
    """A question that readers answer before the page shows its numbers."""

    question: str
    value: str  # the name of the page's value that answers it
    range: tuple[float, float]  # the least and the greatest possible guess, in the unit
    unit: str = "%"
    step: float = 1
    # Where it stands along the first picture; None if that shows people, who are counted.
    at: float | str | None = None
    seen: tuple[str, ...] = ()  # the series of the first picture that do not answer it
    factor: float = 0.01  # from the unit to that picture
    multiplies: bool = False  # whether the slider does at each step, as that picture's axis
    start: float = 0.5  # where along its way the slider stands at first

    @property
    def least(self) -> float:
        """The least guess that can be drawn: a logarithmic axis has no zero."""
        return max(self.range[0], self.step)

    @property
    def first(self) -> float:
        """The number at which the slider stands at first."""
        low, high = self.range
        if self.multiplies:
            steps = self.least * (high / self.least) ** self.start / self.step
            return float(round(steps) * self.step)
        return low + (high - low) * self.start

    @property
    def drawn(self) -> dict[str, Any]:
        """What the picture has to know to draw it."""
        ends = [self.least * self.factor, self.range[1] * self.factor]
        return {"at": self.at, "seen": self.seen, "range": ends, "factor": self.factor}


class Number(NamedTuple):
    """The right answer to an exercise, as a number."""

    right: float
    within: float = 0  # the largest accepted error
    unit: str = ""


class Pick(NamedTuple):
    """The right answer to an exercise, among wrong ones."""

    right: str
    wrong: tuple[str, ...]

    @property
    def options(self) -> list[str]:
        """The right answer and the wrong ones, sorted, so that the order reveals nothing."""
        return sorted((self.right, *self.wrong))


@dataclass(frozen=True)
class Exercise:
    """An exercise on the page, with its answer."""

    question: str
    answer: str
    settings: Mapping[str, str] = field(default_factory=dict)  # where the page shows the answer
    check: Number | Pick | None = None
