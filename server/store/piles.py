"""What a store keeps of sheets of paper that were entered, beside their reports.

The adversary has a copy of it all, and wants to know which reports came on paper together, or one
of them. So no report says it. Of each pile there is a hash under a key of the survey, by which the
same pile is known when it comes again. Which reports are of a pile only whoever entered it knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from deniable.report import Report
from deniable.server.store.records import Outcome


class Piles(ABC):
    """The part of a store that is about sheets of paper; errors as of the store."""

    @abstractmethod
    def is_entered(self, slug: str, pile: bytes) -> bool:
        """Return whether this very pile was entered, and not taken back.

        Parameters
        ----------
        slug : str
        pile : bytes
            All that is on the sheets, the same for the same sheets in any order.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def enter(self, reports: Sequence[Report], pile: bytes) -> list[Outcome]:
        """Store the reports of a pile in one durable transaction, and know the pile again.

        The snapshot takes them in now: whoever enters them knows them. They would fill the batch in
        which a stranger's report is to hide.

        Parameters
        ----------
        reports : sequence of Report
            To one revision of a survey; one at least, each checked already.
        pile : bytes

        Returns
        -------
        list of Outcome
            As of `Store.insert_batch`.
        """

    @abstractmethod
    def take_back(self, reports: Sequence[Report], pile: bytes) -> bool:
        """Remove the reports of a pile and forget it, in one durable transaction.

        Parameters
        ----------
        reports : sequence of Report
            All that were entered.
        pile : bytes

        Returns
        -------
        bool
            False if they are not all in the snapshot, or the survey's reports are published: then
            nothing is changed.
        """
