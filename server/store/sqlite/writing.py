"""What is written seldom, in a transaction that the caller commits: surveys and whole copies."""

from __future__ import annotations

from typing import Final

from deniable.server.store.records import SurveyCopy
from deniable.server.store.sql.boards import write_boards
from deniable.server.store.sql.invitations import mark_of_board, marks_of, write_codes
from deniable.server.store.sql.retention import day_of
from deniable.server.store.sql.seals import seal_revision
from deniable.server.store.sql.snapshot import count_all, count_shown
from deniable.server.store.sql.terms import write_terms
from deniable.server.store.sqlite.connections import Connection
from deniable.server.store.sqlite.tables import tables_of
from deniable.server.store.terms import State
from deniable.survey import Survey

_ROWS: Final = 300
"""Rows of one statement; with three columns each it stays below 999 values, which every SQLite
takes."""


def write_survey(db: Connection, survey: Survey, source: str) -> None:
    """Make a revision the current one of its survey, which is open if it is new."""
    tables = tables_of(db)
    tables.table("revisions").insert(_revision(survey, source), ignore=True)
    if source:
        # It may differ from what was kept, by a comment that is in no document.
        db.execute(
            "UPDATE revisions SET source = ? WHERE survey = ? AND revision = ?",
            (source, survey.slug, survey.revision),
        )
    surveys = tables.table("surveys")
    if surveys.count_where("slug = ?", [survey.slug]):
        surveys.update(survey.slug, {"revision": survey.revision})
    else:
        row = {"slug": survey.slug, "revision": survey.revision, "state": State.OPEN.value}
        surveys.insert(row)


def write_copy(db: Connection, copy: SurveyCopy) -> int:
    """Write a survey that is not there yet with all its reports; return how many there are."""
    tables = tables_of(db)
    count = 0
    numbers = []
    for revision in copy.revisions:
        survey = revision.survey
        number = tables.table("revisions").insert(_revision(survey, revision.source)).last_pk
        assert isinstance(number, int)  # noqa: S101  for mypy: the key of that table
        numbers.append(number)
        db.add_rows("proofs", number, revision.tokens)
        for table, rows in (("reports", revision.reports), ("held", revision.held)):
            tables.table(table).insert_all(
                ({"revision": number, "id": id, "answers": answers} for id, answers in rows),
                batch_size=_ROWS,
            )
        count_all(db, number, has_waves=survey.waves is not None)
        count += count_shown(db, number) + len(revision.held)
    row = {"slug": copy.slug, "revision": copy.revision, "state": copy.state.value}
    days = dict(zip(("seen", "deleted"), copy.days, strict=True))
    tables.table("surveys").insert({**row, **days, "wave": copy.wave, "pile_key": copy.pile_key})
    for number in numbers:
        seal_revision(db, copy.slug, number)
    tables.table("piles").insert_all({"survey": copy.slug, "mac": mac} for mac in copy.piles)
    write_terms(db, copy.slug, copy.terms)
    write_codes(db, copy.slug, copy.without_code, copy.codes, copy.spent)
    write_boards(db, copy.slug, copy.boards)
    return count


def _revision(survey: Survey, source: str) -> dict[str, object]:
    return {
        "revision": survey.revision,
        "survey": survey.slug,
        "document": survey.to_json().decode(),
        "waves": survey.waves or 0,
        # People's reports hide in a batch. In a trial there is nobody.
        "batch": 1 if survey.kind == "trial" else survey.batch,
        "source": source,
        "token_keys": marks_of(survey),
        "board_key": mark_of_board(survey),
        "deletes": day_of(survey),
    }
