"""The seam: what every store does, whichever engine it has.

Nobody outside this room knows more of a store than this. `tests/server/store/test_contract.py`
holds every promise, and takes the engine as its parameter.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

from deniable.kind import Kind
from deniable.report import Report
from deniable.server.store.accounts import Accounts
from deniable.server.store.boards import Boards
from deniable.server.store.drafts import Drafts
from deniable.server.store.invitations import Invitations
from deniable.server.store.meetings import Meetings
from deniable.server.store.piles import Piles
from deniable.server.store.records import Outcome, Snapshot, SurveyCopy, SurveyRecord, TableCopy
from deniable.server.store.retention import Retention
from deniable.server.store.terms import State, Terms
from deniable.survey import Survey


class Store(Accounts, Boards, Drafts, Invitations, Meetings, Piles):
    """Surveys, reports, sheets (`Piles`), `Invitations`, people at the desk, and what is theirs.

    Safe to use from many threads, and from several processes at once. Each method may raise
    `StoreUnavailable`.

    Attributes
    ----------
    name : str
        What messages call it: its address without anything secret, as ``--store`` takes it.
    """

    name: str

    @abstractmethod
    def close(self) -> None:
        """Give back what it holds; what is in use is given back as soon as that ends."""

    @abstractmethod
    def check_place(self) -> None:
        """Check that the store is still where its address says, and of this program's version.

        What is written to one that was deleted, moved or replaced is lost, or lies where nobody
        looks for it; what a program writes into tables of another version, nobody understands. So
        every method that writes checks this too, before it says that it has.

        Raises
        ------
        StoreUnavailable
            If it is not. As soon as it is there again, it can be used again.
        """

    @abstractmethod
    def try_writing(self) -> None:
        """Try a write, as far as to the disk, and take it back: no table is changed.

        Raises
        ------
        StoreUnavailable
            If a report could not be stored now.
        """

    @abstractmethod
    def faults(self) -> list[str]:
        """Say what of the place where the store lies breaks its promises, in a sentence each.

        Who may read it, whether what is written is durable, what is logged, whether there is room.
        """

    # ------------------------------------------------------------------ surveys

    @abstractmethod
    def marks(self) -> list[str]:
        """Return the marks of the private keys that the open surveys need now."""

    @abstractmethod
    def register(self, survey: Survey, source: str = "") -> Survey:
        """Make this the current revision of its survey; a new survey is open.

        Reports to older revisions stay, and so do state and wave: serving a closed survey again
        does not open it. A survey by invitation stays so, and keeps its keys.

        Parameters
        ----------
        survey : Survey
        source : str
            The survey file that it was compiled from, to be edited at the desk; empty if it is not
            known. One that is known already stays then.

        Returns
        -------
        Survey
            The revision that is current now: with keys, if the survey is by invitation.

        Raises
        ------
        StoreError
            If a wave is on that this revision does not have; or if the survey is by invitation, and
            this revision has another number of waves; or if it has reports, and this revision is
            published where the ones before were not, or not published where they were, or would
            keep them longer than those who answered were told.
        """

    @abstractmethod
    def surveys(self) -> list[SurveyRecord]:
        """Return every survey, by slug."""

    @abstractmethod
    def survey(self, slug: str) -> Survey:
        """Return the current revision of a survey.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def current_revision(self, slug: str) -> str:
        """Return the hash of a survey's current revision.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def revision(self, slug: str, revision: str) -> Survey:
        """Return a revision of a survey, current or not.

        Raises
        ------
        KeyError
            If there is no such revision of that survey.
        """

    @abstractmethod
    def revisions(self, slug: str) -> list[str]:
        """Return the hash of every revision of a survey, the newest first.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def source(self, slug: str, revision: str) -> str:
        """Return the survey file of a revision; empty if it is not known.

        Raises
        ------
        KeyError
            If there is no such revision of that survey.
        """

    def state(self, slug: str) -> State:
        """Return how a survey stands at this moment.

        Raises
        ------
        KeyError
            If there is no such survey.
        """
        kept, terms = self.kept_state(slug), self.terms(slug)
        state = terms.state(kept, time.time(), lambda: self.count(slug))
        return State.TRIAL if state is State.OPEN and self.kind(slug) == "trial" else state

    @abstractmethod
    def kind(self, slug: str) -> Kind:
        """Return what a survey is; KeyError if there is none."""

    @abstractmethod
    def kept_state(self, slug: str) -> State:
        """Return what the owner of a survey set, which is in `SET`.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def set_state(self, slug: str, state: State) -> None:
        """Open, pause or close a survey, and `settle` what came in until now.

        When it is closed, the snapshot takes in what was held back, if that is a batch at least.

        Raises
        ------
        KeyError
            If there is no such survey.
        ValueError
            If it shall open, but its time is over, it is full, or its reports were deleted as it
            promised, or if it shall be paused and is closed. The message says which.
        """

    @abstractmethod
    def terms(self, slug: str) -> Terms:
        """Return the terms of a survey's collection; a new survey has none.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def set_terms(self, slug: str, terms: Terms) -> None:
        """Set all terms of a survey's collection, and close it if they say that it is over.

        Raises
        ------
        KeyError
            If there is no such survey.
        ValueError
            If another survey has that code, or the cap is not of whole batches.
        """

    @abstractmethod
    def survey_of_code(self, code: str) -> str:
        """Return the slug of the survey that a short code leads to.

        Raises
        ------
        KeyError
            If there is none.
        """

    @abstractmethod
    def close_due(self) -> list[str]:
        """Close every open or paused survey whose time is over, and return their slugs.

        Reports are refused from that moment on by themselves. This lets the snapshot take in what
        was held back, so the writer of reports asks for it again and again. It writes nothing where
        nothing is due.
        """

    @abstractmethod
    def is_public(self, slug: str) -> bool:
        """Return whether everybody may see a survey's results; not unless its owner said so.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def set_public(self, slug: str, *, public: bool) -> None:
        """Let everybody see a survey's results, or no longer. A copy of it begins without.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def wave(self, slug: str) -> int:
        """Return which wave of a survey is on; 1 if it has none.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def begin_wave(self, slug: str, wave: int) -> None:
        """End the wave that is on and begin a later one, and `settle` what came in until now.

        The snapshot takes in what was held back, as when a survey is closed.
        Only forwards: a device that has answered a wave sends nothing to it, or to one before it.

        Raises
        ------
        KeyError
            If there is no such survey.
        ValueError
            If the survey has no such wave, or it is not a later one.
        """

    @abstractmethod
    def delete(self, slug: str) -> bool:
        """Delete a survey for good, in one transaction, and `settle`.

        All of it goes: revisions, reports, snapshot and shares, and its trial with all of that.

        Returns
        -------
        bool
            False if nothing is left of it to read, but a reader was in the way of overwriting it
            on disk: the next `settle` does it.

        Raises
        ------
        KeyError
            If there is neither such a survey nor a trial of it.
        """

    @abstractmethod
    def retentions(self, *, held: bool = False) -> dict[str, Retention]:
        """Return by slug what the surveys promise of their reports that name a day for them.

        Without those that are `held` back, for the desk: they could tell when one came.
        """

    @abstractmethod
    def delete_due(self, today: str, *, believed: bool = False) -> bool:
        """Delete the reports of each survey whose day has come, and close it for good.

        All that was counted of them goes too, and the survey's trial. Reports that come again are
        refused. The day is kept as that of the last look. Where the clock jumped, nothing is
        changed (`Retention.is_doubted`), unless it is `believed`. Returns what `delete` does.
        """

    # ------------------------------------------------------------------ the snapshot

    @abstractmethod
    def snapshot(self, slug: str) -> Snapshot:
        """Return what the desk may know of a survey's reports; it need not be counted anew.

        Reports to each revision, and those of each wave, are held back by themselves: each of them
        is in the snapshot by none or by a batch at least, and grows by whole batches while the
        survey is open (`deniable.server.store.batches`).

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def snapshot_answers(self, slug: str, revision: str) -> Iterator[bytes]:
        """Read the answers of the reports in the snapshot; otherwise as `answers`."""

    # ------------------------------------------------------------------ reports

    @abstractmethod
    def count(self, slug: str, revision: str | None = None) -> int:
        """Return how many reports a survey has, or one revision of it, to the last one.

        Not for the desk, and so for `count_of_wave` and `answers`: whoever asks again and again
        learns when each report came. A class alone is told how many have answered.

        Raises
        ------
        KeyError
            If there is no such survey, or no such revision.
        """

    @abstractmethod
    def count_of_wave(self, slug: str, wave: int) -> int:
        """Return how many reports of a wave there are, to all revisions; 0 if there are no waves.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def answers(self, slug: str, revision: str) -> Iterator[bytes]:
        """Read the answers of every report to a revision.

        Yields
        ------
        bytes
            The answers of some thousand whole reports, one after the other, in the order of their
            random keys; those that are held back come by themselves. Each report comes once, all
            as they are at the moment when the reading begins.

        Raises
        ------
        KeyError
            If there is no such revision of that survey.
        """

    @abstractmethod
    def insert_batch(
        self,
        reports: Sequence[Report],
        keys: Sequence[str | None] | None = None,
        tokens: Sequence[bytes] | None = None,
    ) -> list[Outcome]:
        """Store reports in one durable transaction.

        Parameters
        ----------
        reports : sequence of Report
            Checked already: each fits the revision that it names.
        keys : sequence of (str or None), optional
            The mark of the key by which the token of each is good, as the caller has checked. A
            survey by invitation takes a report only with the key of the wave that is on, and an
            id only once, whichever revision it comes with. What is sent again is known by its id.
        tokens : sequence of bytes, optional
            What is kept with each, to be published with it; empty for those that need none.

        Returns
        -------
        list of Outcome
            One for each, in the same order. When this returns, what it says is on disk.

        Raises
        ------
        StoreUnavailable
            Nothing of the batch is stored then, or at least nothing may be acknowledged.
        """

    # ------------------------------------------------------------------ copies

    @abstractmethod
    def copying(self, slug: str) -> AbstractContextManager[SurveyCopy]:
        """Read all of a survey as it stands at one moment, for `adopt` of another store.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def adopt(self, copy: SurveyCopy) -> int:
        """Take over a survey of another store, whole or not at all, and `settle`.

        Returns
        -------
        int
            How many reports it has.

        Raises
        ------
        StoreError
            If the survey is here already: two stores' reports to it are never mixed. If its short
            code leads to another survey here.
        """

    # ------------------------------------------------------------------ moving house

    @abstractmethod
    def is_used_elsewhere(self) -> bool:
        """Return whether something else has the store open, such as a server."""

    @abstractmethod
    def moving_out(self) -> AbstractContextManager[Iterator[TableCopy]]:
        """Read all that another store needs to take this one's place, and keep writers out.

        Who is signed in, and links for signing in, are left behind.
        """

    @abstractmethod
    def copying_all(self) -> AbstractContextManager[Iterator[TableCopy]]:
        """Read the same as `moving_out`, as it stands at one moment, and keep nobody out."""

    @abstractmethod
    def move_in(self, tables: Iterator[TableCopy]) -> int:
        """Take over all of another store, whole or not at all, count it anew, and `settle`.

        Returns
        -------
        int
            How many reports it has.

        Raises
        ------
        StoreError
            If this store is not empty, or the reports do not give the tallies that came with them.
        """

    # ------------------------------------------------------------------ damage

    @abstractmethod
    def check(self, *, seconds: float | None = None) -> list[str]:
        """Look for damage: what lies on the disk is not what was written.

        All tables are read. The reports are counted anew, and compared with their tallies and with
        the sum of their checksums.

        Parameters
        ----------
        seconds : float, optional
            For how long to look. A small store is read whole within a second; of a big one, all but
            the reports is. Without a limit, the engine also says how it lies on the disk.

        Returns
        -------
        list of str
            What is damaged, in a sentence each, with the name of the store; empty if nothing is.

        Raises
        ------
        StoreUnavailable
            If that cannot be said now.
        """

    # ------------------------------------------------------------------ order

    @abstractmethod
    def settle(self, *, wait: bool = True) -> bool:
        """Leave no trace on disk of the order in which reports arrived.

        A thief of the disk could tell from it who of a small group answered when. Random keys do
        not hide it: engines lay records down as they come, and keep a log of what they write.

        Parameters
        ----------
        wait : bool
            Whether to wait a few seconds for another process or a reader in the way. Whoever has
            reports to store meanwhile does not wait: a reader may take all day.

        Returns
        -------
        bool
            False if another process or a reader was in the way: try again later. Nothing is lost.
        """

    @abstractmethod
    def settling(self, *, wait: bool = True) -> Iterator[bool]:
        """Settle part by part, as they are asked for: reports may be stored between two of them.

        Parameters
        ----------
        wait : bool
            As in `settle`.

        Yields
        ------
        bool
            Whether a part is done. If not, the order is still there, and no other part follows.
        """

    @abstractmethod
    def empty_log(self) -> bool:
        """Empty the log of recent writes, the cheap half of `settle`, for use under load.

        It never waits.

        Returns
        -------
        bool
            False if another process or a reader was in the way.
        """
