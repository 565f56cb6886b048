"""What a store keeps of meetings: a class that answers questions together, for a day at most.

The adversary has a copy of the store: a meeting leads to its questions, whose reports are noise,
and to nobody who answered. What a presenter types is about the class as a whole. All of it
goes with the meeting.
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
"""What join codes are made of: no two look alike or sound alike, and no vowel makes a word."""

JOIN_LENGTH: Final = 6
"""Letters of a join code: one of 86 million, good for a day."""

MOST_JOINED: Final = 1_000
"""Phones that are counted in a meeting."""

LIFETIME: Final = 24 * 60 * 60
"""Seconds after which a meeting is deleted."""

FIRST_STEP: Final = "waiting"
"""Where every question begins: nobody can answer it yet."""


@dataclass(frozen=True)
class Played:
    """A question of a meeting, and how it stands; places count from 0, all else from 1."""

    run: int = 1  # how often it was started anew, for fresh noise
    round: int = 1  # how often its reports were removed in this run: devices send them again
    stopped: bool = False  # whether it takes no answers now
    closed: bool = False  # whether it takes no direct answers: their totals may be shown
    guessing: bool = False  # whether phones are asked what the class believes
    focus: int = 1  # the place of the answer that is looked at
    prior: float = 0.5  # how likely the class thinks it before any report
    chosen: int = -1  # the place of the report that the class points at, or -1
    paper: tuple[int, ...] = ()  # how often each report came on paper
    drawn: int = 1  # how often the made-up classes were drawn


@dataclass(frozen=True)
class Meeting:
    """A meeting as it stands."""

    id: str  # random: whoever has it sees what the projector shows
    code: str  # what people type to join, as `new_join_code` draws it
    ends: int  # when it is deleted, in seconds since 1970
    questions: tuple[Played, ...]
    owner: str = NOBODY
    place: int = 0  # of the question that it is at
    step: str = FIRST_STEP  # of that question
    asks: Asks | Literal[""] = ""  # what phones are asked now
    language: str = ""  # of the projector; empty for a survey's first
    joined: int = 0  # phones that opened its page: `count_in` alone writes it

    @property
    def playing(self) -> Played:
        """The question that it is at."""
        return self.questions[self.place]

    def question(self, asks: Asks = "randomised") -> MeetingQuestion:
        """Return the question that it is at, or one of the two beside it."""
        return MeetingQuestion(self.code, self.place + 1, self.playing.run, asks)

    def slug(self, asks: Asks = "randomised") -> str:
        """Return the name of the survey that it is at, or of one of the two beside it."""
        return self.question(asks).slug

    @property
    def asked(self) -> str:
        """The name of the survey that phones are asked now; empty if there is none."""
        return self.slug(self.asks) if self.asks else ""

    def changed(self, **changes: Any) -> Meeting:
        """Return it with changes to the question that it is at."""
        questions = list(self.questions)
        questions[self.place] = replace(self.playing, **changes)
        return replace(self, questions=tuple(questions))

    @property
    def state(self) -> str:
        """Where it stands, as JSON."""
        state = {
            "place": self.place,
            "step": self.step,
            "asks": self.asks,
            "language": self.language,
            "questions": [asdict(one) for one in self.questions],
        }
        return json.dumps(state, separators=(",", ":"))

    @classmethod
    def read(cls, id: str, code: str, owner: str, ends: int, state: str, joined: int) -> Meeting:
        """Read what `state` wrote."""
        stands = json.loads(state)
        now = {name: stands[name] for name in ("place", "step", "asks", "language")}
        questions = tuple(
            Played(**{**one, "paper": tuple(one["paper"])}) for one in stands["questions"]
        )
        return cls(id, code, ends, questions, owner, **now, joined=joined)


_WRITTEN: Final = "id, code, owner, ends, state"

_FIELDS: Final = f"{_WRITTEN}, joined"


class Meetings(Part):
    """Classes that answer together."""

    def meetings(self, owner: str | None = None) -> list[Meeting]:
        """Return all meetings, or those of somebody, in the order of their random ids."""
        condition = "" if owner is None else "WHERE owner = ?"
        with self._engine.lend() as db:
            rows = db.execute(
                f"SELECT {_FIELDS} FROM meetings {condition} ORDER BY id",  # noqa: S608
                () if owner is None else (owner,),
            ).fetchall()
        return [Meeting.read(*row) for row in rows]

    def meeting(self, id: str) -> Meeting:
        """Return a meeting."""
        with self._engine.lend() as db:
            return _find(db, "id", id)

    def meeting_of_code(self, code: str) -> Meeting:
        """Return the meeting that a join code leads to."""
        if not is_join_code(code):  # what somebody typed may hold what no database can be asked for
            raise KeyError(code)
        with self._engine.lend() as db:
            return _find(db, "code", code)

    def keep_meeting(self, meeting: Meeting) -> None:
        """Write a meeting, in the place of the one that has its id."""
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
        """Add to how many phones have joined a meeting, if there is one of that code."""
        # A number is all that is kept of it: not which phone it was, and not when. So anybody who
        # has the code can say that a phone is new, again and again: up to a full hall.
        with self._engine.transaction() as db:
            db.execute(
                "UPDATE meetings SET joined = CASE WHEN joined + ? < ? THEN joined + ? ELSE ? END "
                "WHERE code = ?",
                (phones, MOST_JOINED, phones, MOST_JOINED, code),
            )

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
    """Return whether that could be a join code."""
    return len(text) == JOIN_LENGTH and {*text} <= {*JOIN_LETTERS}
