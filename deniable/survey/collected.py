"""What others asked and collected, as a survey: it can be analysed, and never be asked."""

from __future__ import annotations

from functools import cached_property

from deniable.survey.document import revision_of
from deniable.survey.questions import Question
from deniable.survey.survey import Survey


class Collected(Survey):
    """A survey of which the answers are there, and nobody was promised anything by this program.

    So ε may be unbounded, as designs of the literature are that no survey file can have.
    """

    @cached_property
    def spent_millionths(self) -> int:
        """Nothing is spent of a promise that nobody made."""
        return 0

    @property
    def epsilon(self) -> float:
        """The most that all randomised columns together may give away."""
        return sum(item.epsilon or 0.0 for item in self.items)

    def epsilon_of(self, question: Question) -> float | None:
        """Return the most that a column gives away; None if it was asked directly."""
        (item,) = self.items_of(question)
        return item.epsilon

    @cached_property
    def revision(self) -> str:
        """SHA-256 of its items: no device is sent a document of it."""
        return revision_of(repr(self.items).encode())

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Its only check number."""
        return (self.revision,)
