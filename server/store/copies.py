"""Copies of a survey or a whole store, from one store to another."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Final

from deniable.report import ID_BYTES
from deniable.server.store.errors import StoreError
from deniable.server.store.invitations import codes_of, write_codes
from deniable.server.store.part import Part, current, left_of, standing_of
from deniable.server.store.records import RevisionCopy, SurveyCopy, TableCopy
from deniable.server.store.sql.addresses import check_unused
from deniable.server.store.sql.checksums import add_to_checksums, checksum_of
from deniable.server.store.sql.database import Database, StoredReport
from deniable.server.store.sql.reading import count_anew, read_records, split
from deniable.server.store.sql.retention import days_of
from deniable.server.store.sql.revisions import survey_in, write_check_number, write_revision
from deniable.server.store.sql.schedule import read_standing, write_schedule
from deniable.server.store.sql.snapshot import add_to_tally, by_wave, held_reports
from deniable.server.store.sql.table_copies import fill_tables, read_for_backup, read_tables
from deniable.survey.kind import parent_name

_AT_ONCE: Final = 10_000
"""Reports that are copied at once."""


class Copies(Part):
    """Copies of a survey or of the whole store, to and from other stores."""

    @contextmanager
    def copying(self, slug: str) -> Iterator[SurveyCopy]:
        """Read a whole survey at one moment, for `adopt` of another store."""
        with self._engine.snapshot() as db:
            found = standing_of(db, slug)
            rows = db.execute(
                "SELECT number, document, source FROM revisions WHERE survey = ? ORDER BY number",
                (slug,),
            ).fetchall()
            without_code, codes, spent = codes_of(db, slug)
            yield SurveyCopy(
                slug,
                *found[:3],
                schedule=read_standing(db, slug)[2],
                codes=codes,
                spent=spent,
                without_code=without_code,
                days=days_of(db, slug),
                left=left_of(db, slug),
                revisions=tuple(
                    RevisionCopy(
                        survey_in(document),
                        tuple(held_reports(db, number)),
                        self._reports(db, number),
                        source,
                    )
                    for number, document, source in rows
                ),
            )

    def adopt(self, copy: SurveyCopy) -> int:
        """Take over a survey from another store, completely or not at all, and `erase_order`."""
        with self._engine.transaction() as db:
            if current(db, copy.slug) is not None:
                raise StoreError(
                    f"{self.name}: holds the survey {copy.slug!r} already; give another store"
                )
            check_unused(db, self.name, copy.revisions[0].survey)
            count = _write_copy(db, copy)
        self.erase_order()
        return count

    @contextmanager
    def moving_out(self) -> Iterator[Iterator[TableCopy]]:
        """Read all that another store needs to replace this one, and lock out writers."""
        # Sessions and sign-in links are not copied.
        with self._engine.transaction(), self.copying_all() as tables:
            yield tables

    @contextmanager
    def copying_all(self) -> Iterator[Iterator[TableCopy]]:
        """Read the same as `moving_out`, at one moment, without locking out writers."""
        with self._engine.snapshot() as db:
            yield read_tables(db, self._engine.columns(db))

    @contextmanager
    def copying_for_backup(self) -> Iterator[Iterator[TableCopy]]:
        """Read the same as `copying_all`, without telling which reports are held back."""
        with self._engine.snapshot() as db:
            yield read_for_backup(db, self._engine.columns(db))

    def move_in(self, tables: Iterator[TableCopy]) -> int:
        """Take over another store, completely or not at all, recount it, and `erase_order`."""
        with self._engine.transaction() as db:
            fill_tables(self.name, db, self._engine.columns(db), tables)
            count, faults = count_anew(db)
            if faults:
                raise StoreError(f"{self.name}: {'; '.join(faults)}")
            self._engine.go_on_counting(db)
        self.erase_order()
        return count

    def _reports(self, db: Database, number: int) -> Iterator[StoredReport]:
        with self._engine.explained():  # the reader's transaction is not this store's
            for table, records in read_records(db, number):
                if table == "reports":
                    yield from ((one[:ID_BYTES], one[ID_BYTES:]) for one in split(records))


def _write_copy(db: Database, copy: SurveyCopy) -> int:
    """Write a new survey with all its reports; return how many there are."""
    count = 0
    for revision in copy.revisions:
        number = write_revision(db, revision.survey, revision.source)
        db.add_rows("held", number, revision.held)
        _add_to_checksum(db, number, revision.held)
        count += len(revision.held) + _write_shown(db, number, revision)
    db.execute(
        "INSERT INTO surveys "
        "(slug, revision, state, wave, seen, doubted, deleted, columns_left, hidden_below, "
        "kind, parent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(copy.slug, copy.revision, copy.state, copy.wave, *copy.days, *copy.left),
            *(copy.revisions[0].survey.kind, parent_name(copy.revisions[0].survey.parent)),
        ),
    )
    for revision in copy.revisions:
        if revision.survey.revision == copy.revision:
            write_check_number(db, revision.survey)
    write_schedule(db, copy.slug, copy.schedule)
    write_codes(db, copy.slug, copy.without_code, copy.codes, copy.spent)
    return count


def _write_shown(db: Database, number: int, revision: RevisionCopy) -> int:
    """Write the reports in the snapshot and its tally; return how many there are."""
    count, waves = 0, revision.survey.waves
    while reports := list(islice(revision.reports, _AT_ONCE)):
        db.add_rows("reports", number, reports)
        _add_to_checksum(db, number, reports)
        count += len(reports)
        for wave, those in by_wave(reports, waves):
            add_to_tally(db, number, wave, [row for _, row in those], waves)
    return count


def _add_to_checksum(db: Database, number: int, reports: Sequence[StoredReport]) -> None:
    add_to_checksums(db, number, reports=checksum_of(map(b"".join, reports)))
