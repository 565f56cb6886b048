"""Data that others collected, as a survey: it can be analysed, but never asked."""

from __future__ import annotations

from functools import cached_property

from deniable.survey.document import revision_of
from deniable.survey.questions import Question
from deniable.survey.survey import Survey


class Collected(Survey):
    """A survey whose answers exist, and to whose respondents this program promised nothing.

    So ε may be unbounded, as with designs of the literature that no survey file can have.
    """

    @cached_property
    def spent_millionths(self) -> int:
        """0: this program made no promise to its respondents."""
        return 0

    @property
    def epsilon(self) -> float:
        """The sum of ε over all randomised columns."""
        return sum(item.epsilon or 0.0 for item in self.items)

    def epsilon_of(self, question: Question) -> float | None:
        """Return the ε of a column; None if it was asked directly."""
        (item,) = self.items_of(question)
        return item.epsilon

    @cached_property
    def revision(self) -> str:
        """SHA-256 of its items: it has no document for devices."""
        return revision_of(repr(self.items).encode())

    @cached_property
    def check_numbers(self) -> tuple[str, ...]:
        """The only check number of the data."""
        return (self.revision,)
