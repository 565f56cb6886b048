"""What a store keeps of a survey whose noisy reports are published: tokens, and signed boards.

The adversary is the operator, who would drop a report that does not please them. Whoever kept a
board, or a receipt, then has a proof. So a board is written once and stays as it is, and each holds
all that the one before it held. A board shows what the snapshot shows and nothing else: it tells
when a report came no more closely than the desk does, and to everybody no more closely than a
batch of ten: where batches are smaller than usual, there is no board before the survey is closed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deniable.crypto.board import Entry
from deniable.report import Report
from deniable.server.store.invitations import count_shown_of, invited_of
from deniable.server.store.part import Part, current, standing_of
from deniable.server.store.records import BoardCopy, Outcome
from deniable.server.store.schedule import State
from deniable.server.store.sql.checksums import add_to_checksum, checksum_of
from deniable.server.store.sql.database import Database, Row, found_row
from deniable.server.store.sql.revisions import survey_in
from deniable.survey import BATCH, Survey

MORE: Final = 10
"""A board comes whenever one part in so many has come since the last one."""


@dataclass(frozen=True)
class Material:
    """All that the next board of a survey says, at one moment."""

    number: int  # of the board, from 1
    before: bytes | None  # the board before it
    closed: bool  # whether the survey is
    surveys: Mapping[str, Survey]  # each revision, by its hash
    entries: tuple[Entry, ...]  # the reports in the snapshot
    # As `deniable.server.store.invitations.Invited` has them; 0 without invitations
    issued: int
    spent: int


class Boards(Part):
    """Boards: what is published of a survey's reports."""

    def due_boards(self) -> list[str]:
        """Return the slugs of published surveys that need a new board."""
        # Whenever the snapshot has taken in a tenth more, and a batch at least, since the last one,
        # unless batches are smaller than usual; when the survey is closed, if it has taken in
        # anything; and when it is opened again, or a report that is sent then would be looked for
        # on the board of a closed survey.
        with self._engine.lend() as db:
            found = db.execute(
                "SELECT slug, state, batch FROM surveys "
                "JOIN revisions ON revisions.revision = surveys.revision "
                "WHERE board_key <> '' ORDER BY slug"
            ).fetchall()
            return [slug for slug, state, batch in found if _is_due(db, slug, State(state), batch)]

    def board_material(self, slug: str) -> Material:
        """Return what the next board of a survey says."""
        with self._engine.snapshot() as db:
            found = standing_of(db, slug)
            rows = db.execute(
                "SELECT number, document FROM revisions WHERE survey = ? ORDER BY number", (slug,)
            ).fetchall()
            surveys = {number: survey_in(text) for number, text in rows}
            entries = tuple(
                Entry(Report.of_row(survey, bytes(id), bytes(answers)), bytes(token or b""))
                for number, survey in surveys.items()
                for id, answers, token in db.execute(
                    "SELECT reports.id, answers, token FROM reports LEFT JOIN proofs "
                    "ON proofs.revision = reports.revision AND proofs.id = reports.id "
                    "WHERE reports.revision = ?",
                    (number,),
                ).fetchall()
            )
            last = db.execute(
                "SELECT number, board FROM boards WHERE survey = ? ORDER BY number DESC LIMIT 1",
                (slug,),
            ).fetchone()
            invited = invited_of(db, slug)
        number, before = (0, None) if last is None else (int(last[0]), bytes(last[1]))
        # The current revision comes last, whichever was asked first.
        known = sorted(surveys.values(), key=lambda one: one.revision == found[0])
        return Material(
            number + 1,
            before,
            found[1] is State.CLOSED,
            {one.revision: one for one in known},
            entries,
            0 if invited is None else invited.made,
            0 if invited is None else invited.spent,
        )

    def add_board(self, slug: str, number: int, board: BoardCopy) -> bool:
        """Keep a board durably."""
        with self._engine.transaction() as db:
            # Under the lock: another server may have been faster, or the survey may be gone.
            if current(db, slug) is None or len(_signatures(db, slug)) != number - 1:
                return False
            write_board(db, slug, number, board)
        return True

    def board_signatures(self, slug: str) -> list[bytes]:
        """Return the signature of each board of a survey, the first first."""
        with self._engine.lend() as db:
            return _signatures(db, slug)

    def board(self, slug: str, number: int) -> bytes:
        """Return a board as it was written."""
        with self._engine.lend() as db:
            found = "SELECT board FROM boards WHERE survey = ? AND number = ?"
            return bytes(found_row(db, found, slug, number)[0])


def keep_tokens(
    db: Database, reports: Sequence[Report], tokens: Sequence[bytes], outcomes: Sequence[Outcome]
) -> None:
    """Keep the tokens of the reports that were stored, in the transaction of the reports."""
    kept: dict[tuple[str, str], list[Row]] = {}
    for report, token, outcome in zip(reports, tokens, outcomes, strict=True):
        if token and outcome is Outcome.STORED:
            kept.setdefault((report.survey, report.revision), []).append((report.id, token))
    for (slug, revision), rows in kept.items():
        number = db.execute(
            "SELECT number FROM revisions WHERE survey = ? AND revision = ?", (slug, revision)
        ).fetchone()
        # By key, so that the log of writes does not show who of a batch came first.
        db.add_rows("proofs", int(number[0]), sorted(rows))
        add_to_checksum(db, slug, checksum_of(rows))


def tokens_of(db: Database, number: int) -> tuple[Row, ...]:
    """Return the id and the token of each report to a revision that came with one."""
    rows = db.execute("SELECT id, token FROM proofs WHERE revision = ? ORDER BY id", (number,))
    return tuple((bytes(id), bytes(token)) for id, token in rows.fetchall())


def boards_of(db: Database, slug: str) -> tuple[BoardCopy, ...]:
    """Return all boards of a survey, the first first."""
    rows = db.execute(
        "SELECT board, signature, reports, closed FROM boards WHERE survey = ? ORDER BY number",
        (slug,),
    )
    return tuple(
        BoardCopy(bytes(board), bytes(signature), int(reports), bool(closed))
        for board, signature, reports, closed in rows.fetchall()
    )


def write_board(db: Database, slug: str, number: int, board: BoardCopy) -> None:
    """Write one of what `boards_of` returned."""
    db.execute(
        "INSERT INTO boards VALUES (?, ?, ?, ?, ?, ?)",
        (slug, number, board.reports, int(board.closed), board.written, board.signature),
    )


def is_published(db: Database, slug: str) -> bool:
    """Return whether the reports of a survey are published."""
    row = db.execute(
        "SELECT board_key FROM revisions JOIN surveys ON surveys.revision = revisions.revision "
        "WHERE slug = ?",
        (slug,),
    ).fetchone()
    return row is not None and bool(row[0])


def _is_due(db: Database, slug: str, state: State, batch: int) -> bool:
    shown = count_shown_of(db, slug)
    row = db.execute(
        "SELECT reports, closed FROM boards WHERE survey = ? ORDER BY number DESC LIMIT 1", (slug,)
    ).fetchone()
    before, said_closed = (0, False) if row is None else (int(row[0]), bool(row[1]))
    closed = state is State.CLOSED
    if closed or said_closed:
        return shown > (before if closed == said_closed else 0)
    (least,) = db.execute(
        "SELECT min(batch) FROM revisions "
        "WHERE survey = ? AND number IN (SELECT revision FROM tallies)",
        (slug,),
    ).fetchone()
    enough = max(batch, -(-before // MORE))
    return shown - before >= enough and min(batch, least) >= BATCH


def _signatures(db: Database, slug: str) -> list[bytes]:
    rows = db.execute("SELECT signature FROM boards WHERE survey = ? ORDER BY number", (slug,))
    return [bytes(signature) for (signature,) in rows.fetchall()]
