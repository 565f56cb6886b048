"""Meetings: classes that answer questions together, for a day at most.

The adversary has a copy of the store: a meeting leads to its questions, whose reports are noise,
and to no respondent. A presenter's input is about the class as a whole. All of it is deleted with
the meeting.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from deniable.server.store.accounts import NOBODY, check_person
from deniable.server.store.part import Part
from deniable.server.store.sql.database import Database, found_row
from deniable.server.store.sql.retention import delete_surveys, slugs_of
from deniable.survey.kind import Asks, MeetingQuestion

JOIN_LETTERS: Final = "CDFHJKMNPQRTVWXY34679"
"""Characters of join codes: no two look or sound alike, and no vowel makes a word."""

JOIN_LENGTH: Final = 6
"""Letters of a join code: one of 86 million, good for a day."""

MOST_JOINED: Final = 1_000
"""Phones that are counted in a meeting."""

LIFETIME: Final = 24 * 60 * 60
"""Seconds after which a meeting is deleted."""

GUESSED: Final = 1
"""Place of the answer in focus, whose share phones guess: of two the second, which is the Yes."""

FIRST_STEP: Final = "waiting"
"""The first step of every question: nobody can answer it yet."""


@dataclass(frozen=True)
class Played:
    """The state of a question in a meeting; places count from 0, all else from 1."""

    run: int = 1  # counts restarts with fresh noise
    round: int = 1  # counts removals of its reports in this run: devices send them again
    stopped: bool = False  # whether it takes no answers now
    closed: bool = False  # whether it takes no direct answers, so that their totals may be shown
    chosen: int = -1  # place of the report that the class selected, or -1
    drawn: int = 1  # counts draws of the simulated classes
    simulated: int = 0  # how many simulated phones answer it, in a rehearsal


@dataclass(frozen=True)
class Meeting:
    """The state of a meeting."""

    id: str  # random and secret: it opens the projector's page
    code: str  # the join code, from `new_join_code`
    ends: int  # when it is deleted, in seconds since 1970
    questions: tuple[Played, ...]
    owner: str = NOBODY
    place: int = 0  # of the current question
    step: str = FIRST_STEP  # of the current question
    asks: Asks | Literal[""] = ""  # what phones are asked now
    language: str = ""  # of the projector; empty for a survey's first
    changes: int = 0  # how often it was changed: phones tell an older step by it
    joined: int = 0  # phones that opened its page; only `count_in` writes it
    shown: str = "null"  # what phones show of the wall, as JSON; only `show_on_phones` writes it

    @property
    def playing(self) -> Played:
        """Return the state of the current question."""
        return self.questions[self.place]

    def question(self, asks: Asks = "randomised") -> MeetingQuestion:
        """Return the current question, or one of the two beside it."""
        return MeetingQuestion(self.code, self.place + 1, self.playing.run, asks)

    def slug(self, asks: Asks = "randomised") -> str:
        """Return the slug of the current question's survey, or of one of the two beside it."""
        return self.question(asks).slug

    @property
    def asked(self) -> str:
        """Return the slug of the survey that phones show now; empty if there is none."""
        return self.slug(self.asks) if self.asks else ""

    @property
    def first(self) -> str:
        """Return the slug of the survey that newcomers answer before `asked`; empty if none is."""
        beside = self.asks in ("direct", "prior")
        return self.slug() if beside and not self.playing.stopped else ""

    def changed(self, **changes: Any) -> Meeting:
        """Return the meeting with changes to the current question."""
        questions = list(self.questions)
        questions[self.place] = replace(self.playing, **changes)
        return replace(self, questions=tuple(questions))

    @property
    def state(self) -> str:
        """Return the meeting's state as JSON."""
        state = {
            "place": self.place,
            "step": self.step,
            "asks": self.asks,
            "language": self.language,
            "changes": self.changes,
            "questions": [asdict(one) for one in self.questions],
        }
        return json.dumps(state, separators=(",", ":"))

    @classmethod
    def read(
        cls, id: str, code: str, owner: str, ends: int, state: str, joined: int, shown: str
    ) -> Meeting:
        """Read the JSON of `state`."""
        stands = json.loads(state)
        questions = tuple(Played(**one) for one in stands.pop("questions"))
        return cls(id, code, ends, questions, owner, **stands, joined=joined, shown=shown)


_WRITTEN: Final = "id, code, owner, ends, state"

_FIELDS: Final = f"{_WRITTEN}, joined, shown"


class Meetings(Part):
    """Classes that answer together."""

    def meetings(self, owner: str | None = None) -> list[Meeting]:
        """Return all meetings, or an owner's, in the order of their random ids."""
        found = self._owned(_FIELDS, "meetings", owner)
        return [Meeting.read(*row) for row in found]

    def meeting(self, id: str) -> Meeting:
        """Return a meeting."""
        with self._engine.lend() as db:
            return _find(db, "id", id)

    def meeting_of_code(self, code: str) -> Meeting:
        """Return the meeting that a join code leads to."""
        if not is_join_code(code):  # typed text may hold characters that a database refuses
            raise KeyError(code)
        with self._engine.lend() as db:
            return _find(db, "code", code)

    def keep_meeting(self, meeting: Meeting) -> None:
        """Write a meeting; replace the meeting with the same id."""
        row = (meeting.id, meeting.code, meeting.owner, meeting.ends, meeting.state)
        with self._engine.transaction() as db:
            check_person(db, meeting.owner)
            if db.execute(
                "SELECT 1 FROM meetings WHERE code = ? AND id <> ?", (meeting.code, meeting.id)
            ).fetchone():
                raise ValueError("this code leads to another meeting already")
            db.execute(
                f"INSERT INTO meetings ({_WRITTEN}) VALUES (?, ?, ?, ?, ?) "  # noqa: S608
                "ON CONFLICT (id) DO UPDATE SET code = excluded.code, owner = excluded.owner, "
                "ends = excluded.ends, state = excluded.state",
                row,
            )

    def count_in(self, code: str, phones: int) -> None:
        """Add to the number of phones that have joined a meeting, if it exists."""
        # Only a number is kept: not which phone joined, nor when. So anybody with the code can
        # claim new phones again and again, up to the maximum.
        with self._engine.transaction() as db:
            db.execute(
                "UPDATE meetings SET joined = CASE WHEN joined + ? < ? THEN joined + ? ELSE ? END "
                "WHERE code = ?",
                (phones, MOST_JOINED, phones, MOST_JOINED, code),
            )

    def show_on_phones(self, id: str, shown: str) -> None:
        """Keep what the phones of a meeting show, if it exists."""
        with self._engine.transaction() as db:
            db.execute("UPDATE meetings SET shown = ? WHERE id = ?", (shown, id))

    def remove_meeting(self, id: str) -> bool:
        """Remove a meeting with all its questions and their reports, and `erase_order`."""
        with self._engine.transaction() as db:
            found = _find(db, "id", id)
            delete_surveys(db, slugs_of(db, found.code))
            db.execute("DELETE FROM meetings WHERE id = ?", (id,))
        return self.erase_order()


def _find(db: Database, column: str, value: str) -> Meeting:
    found = f"SELECT {_FIELDS} FROM meetings WHERE {column} = ?"  # noqa: S608  a name of our own
    return Meeting.read(*found_row(db, found, value))


def new_join_code() -> str:
    """Draw a join code, such as ``K7M4RX``."""
    return "".join(secrets.choice(JOIN_LETTERS) for _ in range(JOIN_LENGTH))


def is_join_code(text: str) -> bool:
    """Return whether a text has the form of a join code."""
    return len(text) == JOIN_LENGTH and {*text} <= {*JOIN_LETTERS}
