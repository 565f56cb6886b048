"""What is written seldom, in a transaction that the caller commits: surveys and whole copies."""

from __future__ import annotations

from itertools import islice
from typing import Final

from deniable.server.store.records import RevisionCopy, SurveyCopy
from deniable.server.store.sql.boards import write_boards
from deniable.server.store.sql.database import Database
from deniable.server.store.sql.invitations import mark_of_board, marks_of, write_codes
from deniable.server.store.sql.retention import day_of
from deniable.server.store.sql.seals import seal_revision
from deniable.server.store.sql.snapshot import add_to_tally, by_wave
from deniable.server.store.sql.terms import write_terms
from deniable.server.store.terms import State
from deniable.survey import Survey

_ROWS: Final = 10_000
"""Reports that are copied at once."""


def write_survey(db: Database, survey: Survey, source: str) -> None:
    """Make a revision the current one of its survey, which is open if it is new."""
    _write_revision(db, survey, source)
    if source:
        # It may differ from what was kept, by a comment that is in no document.
        db.execute(
            "UPDATE revisions SET source = ? WHERE survey = ? AND revision = ?",
            (source, survey.slug, survey.revision),
        )
    db.execute(
        "INSERT INTO surveys (slug, revision, state) VALUES (?, ?, ?) "
        "ON CONFLICT (slug) DO UPDATE SET revision = excluded.revision",
        (survey.slug, survey.revision, State.OPEN.value),
    )


def write_copy(db: Database, copy: SurveyCopy) -> int:
    """Write a survey that is not there yet with all its reports; return how many there are."""
    count = 0
    numbers = []
    for revision in copy.revisions:
        number = _write_revision(db, revision.survey, revision.source)
        numbers.append(number)
        db.add_rows("held", number, revision.held)
        db.add_rows("proofs", number, revision.tokens)
        count += len(revision.held) + _write_shown(db, number, revision)
    db.execute(
        "INSERT INTO surveys (slug, revision, state, wave, pile_key, seen, deleted) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (copy.slug, copy.revision, copy.state.value, copy.wave, copy.pile_key, *copy.days),
    )
    for number in numbers:
        seal_revision(db, copy.slug, number)
    for mac in copy.piles:
        db.execute("INSERT INTO piles VALUES (?, ?)", (copy.slug, mac))
    write_terms(db, copy.slug, copy.terms)
    write_codes(db, copy.slug, copy.without_code, copy.codes, copy.spent)
    write_boards(db, copy.slug, copy.boards)
    return count


def _write_shown(db: Database, number: int, revision: RevisionCopy) -> int:
    """Write the reports that are in the snapshot, and its tally."""
    count, has_waves = 0, revision.survey.waves is not None
    while rows := list(islice(revision.reports, _ROWS)):
        db.add_rows("reports", number, rows)
        count += len(rows)
        for wave, those in by_wave(rows, has_waves=has_waves):
            add_to_tally(db, number, wave, [answers for _, answers in those])
    return count


def _write_revision(db: Database, survey: Survey, source: str) -> int:
    """Write a revision if it is not there; return its number."""
    db.execute(
        "INSERT INTO revisions (revision, survey, document, waves, batch, source, token_keys, "
        "board_key, deletes) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (revision) DO NOTHING",
        (
            survey.revision,
            survey.slug,
            survey.to_json().decode(),
            survey.waves or 0,
            # People's reports hide in a batch. In a trial there is nobody.
            1 if survey.kind == "trial" else survey.batch,
            source,
            marks_of(survey),
            mark_of_board(survey),
            day_of(survey),
        ),
    )
    row = db.execute("SELECT number FROM revisions WHERE revision = ?", (survey.revision,))
    return int(row.fetchone()[0])
