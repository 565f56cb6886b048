"""What a store keeps of the surveys that people write at the desk, before these are published.

The adversary has a copy of it all, perhaps of a later day: what was removed is not in it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from deniable.server.store.accounts import NOBODY


@dataclass(frozen=True)
class Draft:
    """A survey file that somebody writes.

    Parameters
    ----------
    id : str
        Random, so that it says nothing of other drafts.
    text : str
        As it was typed, with all its mistakes.
    owner : str
        The name of an account, or `NOBODY` where there is none.
    survey : str
        Slug of the survey that it was published as, or begun from; empty if there is none.
    """

    id: str
    text: str
    owner: str = NOBODY
    survey: str = ""


class Drafts(ABC):
    """The part of a store that is about drafts; errors as of the store."""

    @abstractmethod
    def drafts(self, owner: str | None = None) -> list[Draft]:
        """Return all drafts, or those of somebody, in the order of their random ids."""

    @abstractmethod
    def draft(self, id: str) -> Draft:
        """Return a draft.

        Raises
        ------
        KeyError
            If there is none of that id.
        """

    @abstractmethod
    def keep_draft(self, draft: Draft) -> None:
        """Write a draft, in the place of the one that has its id.

        Raises
        ------
        KeyError
            If its owner has no account; nobody needs one where there are no accounts.
        """

    @abstractmethod
    def remove_draft(self, id: str) -> None:
        """Remove a draft, and leave nothing of it on disk.

        Raises
        ------
        KeyError
            If there is none of that id.
        """
