"""Reports: their storage, their counts, and their snapshot for the desk."""

from collections.abc import Callable, Iterator, Sequence

from deniable.report import Report
from deniable.server.store.records import Outcome, Snapshot
from deniable.server.store.sql.database import AlreadyThere
from deniable.server.store.sql.insertion import NotAllNew, insert_any, insert_new
from deniable.server.store.sql.reading import read_records, rows_of
from deniable.server.store.sql.revisions import number_of
from deniable.server.store.sql.schedule import count_taken
from deniable.server.store.sql.snapshot import by_wave, held_reports, read_snapshot
from deniable.server.store.surveys import Surveys
from deniable.survey import Survey


class Reports(Surveys):
    """Reports, and the snapshot of them that the desk may see."""

    def snapshot(self, slug: str) -> Snapshot:
        """Return all that the desk may know about a survey's reports."""
        # The reports of each revision and each wave are held back separately: the snapshot has none
        # or at least a batch of them, and grows by whole batches while the survey is open
        # (`deniable.server.store.sql.batches`).
        self.current_revision(slug)
        with self._engine.snapshot() as db:
            return read_snapshot(db, slug)

    def snapshot_rows(self, slug: str, revision: str) -> Iterator[bytes]:
        """Read the rows of the reports in the snapshot; otherwise as `rows`."""
        with self._engine.snapshot() as db:
            for table, records in read_records(db, number_of(db, slug, revision)):
                if table == "reports":
                    yield rows_of(records)

    def count(self, slug: str, revision: str | None = None) -> int:
        """Return the exact number of reports to a survey, or to one revision of it."""
        # Not for the desk, like `count_of_wave` and `rows`: repeated requests would show when
        # each report came. Only a class may see how many have answered.
        self.current_revision(slug)
        with self._engine.snapshot() as db:
            if revision is not None:
                number_of(db, slug, revision)  # or KeyError
            return count_taken(db, slug, revision)

    def count_of_wave(self, slug: str, wave: int) -> int:
        """Return the exact number of reports of a wave, to all revisions."""
        self.current_revision(slug)
        with self._engine.snapshot() as db:
            (shown,) = db.execute(
                "SELECT coalesce(sum(count), 0) FROM tallies "
                "JOIN revisions ON number = tallies.revision "
                "WHERE survey = ? AND wave = ? AND place = 0",
                (slug, wave),
            ).fetchone()
            revisions = db.execute(
                "SELECT number, waves FROM revisions WHERE survey = ?", (slug,)
            ).fetchall()
            held = sum(
                len(dict(by_wave(held_reports(db, number), waves)).get(wave, []))
                for number, waves in revisions
            )
        return int(shown) + held

    def rows(self, slug: str, revision: str) -> Iterator[bytes]:
        """Read `Report.row` of every report to a revision, some thousand of them at a time."""
        # Each once, and all at the moment when the reading begins. After the last one, raise
        # `Damaged` if any is not what was written.
        with self._engine.snapshot() as db:
            for _, records in read_records(db, number_of(db, slug, revision)):
                yield rows_of(records)

    def by_revision(self, slug: str) -> Iterator[tuple[Survey, Iterator[bytes]]]:
        """Yield every revision of a survey with the rows of its reports."""
        for revision in self.revisions(slug):
            yield self.revision(slug, revision), self.rows(slug, revision)

    def insert_reports(
        self,
        reports: Sequence[Report],
        keys: Sequence[str | None] | None = None,
    ) -> list[Outcome]:
        """Store checked reports in one transaction; return each one's outcome, once on disk."""
        # A survey by invitation takes a report only with the mark of the current wave's key, which
        # signed its token, and an id only once, whichever revision it comes with. On an error,
        # nothing is acknowledged.
        given = [None] * len(reports) if keys is None else keys

        def inserted(insert: Callable[..., list[Outcome]]) -> list[Outcome]:
            with self._engine.transaction(ahead=True) as db:
                return insert(db, reports, given, self._moment(db))

        try:
            return inserted(insert_new)
        except (NotAllNew, AlreadyThere):  # rolled back: now one by one, to find each outcome
            return inserted(insert_any)
