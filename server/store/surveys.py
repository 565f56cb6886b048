"""Surveys: their revisions, their state, and their deletion."""

from functools import partial

from deniable.server.store.clock import Moment, utc_day
from deniable.server.store.errors import StoreError
from deniable.server.store.invitations import with_keys
from deniable.server.store.part import Part, current, left_of, standing_of
from deniable.server.store.records import SurveyRecord
from deniable.server.store.schedule import Schedule, State
from deniable.server.store.sql.addresses import check_unused, listed, was_there
from deniable.server.store.sql.database import Database, Unreadable, found_row
from deniable.server.store.sql.retention import (
    Retention,
    close_for_good,
    day_of,
    day_told,
    days_of,
    delete_reports,
    delete_surveys,
    read_retentions,
)
from deniable.server.store.sql.revisions import (
    check_seen,
    following,
    number_of,
    source_of,
    survey_in,
    was_changed,
    write_survey,
)
from deniable.server.store.sql.schedule import (
    close_survey,
    count_taken,
    doubts,
    due,
    keep_doubt,
    needs_a_look,
    read_standing,
    state_now,
    write_schedule,
)
from deniable.server.store.sql.snapshot import publish_held
from deniable.survey import Survey
from deniable.survey.address import address_of
from deniable.survey.kind import parent_name, trial_slug


class Surveys(Part):
    """Surveys, their revisions, and the state of their collection."""

    def marks(self) -> list[str]:
        """Return the marks of the private keys that surveys need now, except closed ones."""
        rows = self._rows(
            "SELECT token_keys FROM revisions JOIN surveys ON surveys.revision = "
            "revisions.revision AND surveys.slug = revisions.survey WHERE state <> ?",
            State.CLOSED,
        )
        return sorted({mark for (marks,) in rows for mark in marks.split()})

    def register(self, survey: Survey, source: str = "", *, seen: str | None = None) -> Survey:
        """Store this as the current revision of its survey, and return it as it is kept.

        `seen`: the revision that it must replace, else a `SurveyChanged`; empty for none yet, and
        None to skip the check. A new survey is open; another keeps its state.
        """
        # Reports to older revisions stay, and so do state and wave: serving a closed survey again
        # does not open it. A survey by invitation stays so, and keeps its keys.
        with self._engine.lend() as db:
            known, meant = current(db, survey.slug), self._with_keys(db, survey)
            kept = source_of(db, meant.slug, meant.revision)
        is_current = known is not None and known[0] == meant.revision
        if is_current and self.survey(survey.slug) == meant and (source or kept) == kept:
            return meant  # the usual case when a server starts
        if known is not None and self.survey(survey.slug).is_named != survey.is_named:
            raise StoreError(
                f"{self.name}: {survey.slug!r} has links already, expected 'address' as it was; "
                "give it another name"
            )
        was_kept = survey.keeps_noise and known is not None
        if was_kept and not self.survey(survey.slug).same_people:
            raise StoreError(
                f"{self.name}: those who answered {survey.slug!r} were told that each device "
                "answers one wave, expected 'people: others' as before; give it another name"
            )
        with self._engine.transaction() as db:
            check_seen(db, survey.slug, seen)
            known = current(db, survey.slug)
            if known is not None and known[2] > survey.waves:
                raise StoreError(
                    f"{self.name}: wave {known[2]} of {survey.slug!r} is on, expected a survey of "
                    f"at least as many waves, found {survey.waves}"
                )
            meant = self._with_keys(db, survey)
            if known is not None and known[3:] != (meant.kind, parent_name(meant.parent)):
                raise StoreError(
                    f"{self.name}: {meant.slug!r} is the name of something else than this "
                    f"{meant.kind}; give it another name"
                )
            if known is None:
                check_unused(db, self.name, meant)
            self._check_told(db, meant)
            write_survey(db, meant, source)
        return meant

    def _check_told(self, db: Database, survey: Survey) -> None:
        """Refuse to keep reports longer than their respondents were told."""
        day, told = survey.about.delete_reports, day_told(db, survey.slug)
        if told and (not day or day > told):
            raise StoreError(
                f"{self.name}: {survey.slug!r} has reports, expected {told} as 'delete_reports', "
                f"or an earlier day, found {day or 'none'}: those who answered were told that day; "
                "give it another name"
            )

    def _with_keys(self, db: Database, survey: Survey) -> Survey:
        try:
            kept = with_keys(db, survey)
        except ValueError:
            raise StoreError(
                f"{self.name}: {survey.slug!r} is by invitation, expected as many waves as before: "
                "each has a key of its own; remove all codes first"
            ) from None
        try:
            return following(db, kept)
        except ValueError as mistake:
            raise StoreError(f"{self.name}: {survey.slug!r}: {mistake}") from None

    def surveys(self) -> list[SurveyRecord]:
        """Return every survey, by slug."""
        with self._engine.lend() as db:
            kinds = listed(db)
        return [SurveyRecord(self.survey(slug), self.state(slug)) for slug, _ in kinds]

    def slug_at(self, address: str) -> str:
        """Return the slug of a survey that has or may have this address, without its document."""
        with self._found_in_its_place(), self._engine.lend() as db:
            kinds = dict(listed(db))
            slugs = {address_of(slug, kind): slug for slug, kind in kinds.items()}
            slugs |= {address_of(slug, named=True): slug for slug in kinds}
            return slugs[address]

    def survey(self, slug: str) -> Survey:
        """Return the current revision of a survey."""
        return self.revision(slug, self.current_revision(slug))

    def revision(self, slug: str, revision: str) -> Survey:
        """Return the survey in a revision, current or not."""
        with self._found_in_its_place(), self._engine.lend() as db:
            document, check_number = db.execute(
                "SELECT document, coalesce(check_number, '') FROM revisions LEFT JOIN surveys "
                "ON slug = survey AND surveys.revision = revisions.revision WHERE number = ?",
                (number_of(db, slug, revision),),
            ).fetchone()
            if was_changed(document, revision, check_number):
                raise Unreadable(f"survey {slug!r}: the text of a revision was changed")
            return survey_in(document)

    def current_wording(self, slug: str) -> tuple[str, str]:
        """Return the current revision of a survey, and its wording by the check number."""
        with self._found_in_its_place(), self._engine.lend() as db:
            row = found_row(db, "SELECT revision, check_number FROM surveys WHERE slug = ?", slug)
        return str(row[0]), str(row[1])

    def revisions(self, slug: str) -> list[str]:
        """Return the hash of every revision of a survey, the newest first."""
        self.current_revision(slug)
        sql = "SELECT revision FROM revisions WHERE survey = ? ORDER BY number DESC"
        return [revision for (revision,) in self._rows(sql, slug)]

    def source(self, slug: str, revision: str) -> str:
        """Return the survey file of a revision; empty if unknown."""
        with self._engine.lend() as db:
            number_of(db, slug, revision)
            return source_of(db, slug, revision)

    def state(self, slug: str) -> State:
        """Return the state of a survey now."""
        with self._found_in_its_place(), self._engine.lend() as db:
            state, kind = state_now(db, slug, self._moment(db))
        return State.TRIAL if state is State.OPEN and kind == "trial" else state

    def set_state(self, slug: str, state: State) -> None:
        """Open, pause or close a survey and `erase_order`; a ``ValueError`` says why it may not."""
        # When it closes, the snapshot takes in the held-back reports, if they are at least a batch.
        with self._engine.transaction() as db:
            found = standing_of(db, slug)
            if state is State.OPEN:
                _check_may_open(db, slug, self._moment(db).now)
            elif state is State.PAUSED and found[1] is State.CLOSED:
                raise ValueError("it has ended, so it cannot be paused")
            db.execute("UPDATE surveys SET state = ? WHERE slug = ?", (state, slug))
            if state is State.CLOSED:
                publish_held(db, slug)
        self.erase_order()

    def schedule(self, slug: str) -> Schedule:
        """Return the schedule of a survey; a new one has `NO_SCHEDULE`."""
        with self._found_in_its_place(), self._engine.lend() as db:
            return read_standing(db, slug)[2]

    def set_schedule(self, slug: str, schedule: Schedule) -> None:
        """Set the schedule of a survey, and close the survey if its time is over."""
        survey = self.survey(slug)
        schedule.check(survey.batch, day_of(survey))
        with self._engine.transaction() as db:
            write_schedule(db, slug, schedule)
            if slug in due(db, self._moment(db)):
                close_survey(db, slug)
        self.erase_order()

    def close_due(self) -> list[str]:
        """Close every open or paused survey whose time is over, and return their slugs."""
        # Reports are refused from that moment on without this. This lets the snapshot take in the
        # held-back reports, so the writer of reports calls it again and again. It writes nothing if
        # no survey is due.
        with self._engine.lend() as db:
            if not due(db, self._moment(db)):
                return []
        with self._engine.transaction() as db:
            # Again, under the lock: a schedule may have changed.
            slugs = due(db, self._moment(db))
            for slug in slugs:
                close_survey(db, slug)
        return slugs

    def look_at_clock(self, *, believed: bool = False) -> Moment:
        """Keep what a jump crossed, and today as the last day once the clock is steady.

        With `believed`, a person says that it is right. Return the moment after this.
        """
        # It writes on each day once, whether or not a report came, and after a jump: at once, as
        # the process that takes reports may be replaced before the clock is steady.
        with self._engine.lend() as db:
            moment = self._moment(db)
            is_steady = believed or self.clock.is_steady
            if not (moment.is_doubted or believed or needs_a_look(db, moment)):
                return moment
            today = utc_day(moment.now) if is_steady else ""
            changed = [*doubts(db, moment, today, believed=believed)]
        if changed:
            with self._engine.transaction() as db:
                for slug, seen, doubted in changed:
                    keep_doubt(db, slug, seen, doubted)
        if is_steady:
            self.clock.believe()
        return self.clock.moment()

    def is_public(self, slug: str) -> bool:
        """Return whether everybody may see a survey's results; by default nobody may."""
        with self._engine.lend() as db:
            return bool(found_row(db, "SELECT public FROM surveys WHERE slug = ?", slug)[0])

    def set_public(self, slug: str, *, public: bool) -> None:
        """Make a survey's results public, or private again. A copy of the survey begins private."""
        with self._engine.transaction() as db:
            changed = db.execute(
                "UPDATE surveys SET public = ? WHERE slug = ?", (int(public), slug)
            )
        if not changed.rowcount:
            raise KeyError(slug)

    def left(self, slug: str) -> tuple[str, int]:
        """Return the direct columns that left already, and below how many people were hidden."""
        with self._engine.lend() as db:
            return left_of(db, slug)

    def keep_left(self, slug: str, columns: str, below: int, before: str) -> bool:
        """Keep which direct columns left, unless others left since (`before`): then return False.

        The number of people never falls.
        """
        with self._engine.transaction() as db:
            changed = db.execute(
                "UPDATE surveys SET columns_left = ?, "
                "hidden_below = CASE WHEN hidden_below > ? THEN hidden_below ELSE ? END "
                "WHERE slug = ? AND columns_left = ?",
                (columns, below, below, slug, before),
            )
        return bool(changed.rowcount)

    def wave(self, slug: str) -> int:
        """Return the current wave of a survey."""
        return self._standing(slug)[2]

    def begin_wave(self, slug: str, wave: int) -> None:
        """End the current wave, begin a later one, and `erase_order`."""
        # The snapshot takes in the held-back reports, as when a survey closes. Waves only go
        # forward: a device that has answered a wave sends nothing to it, or to an earlier one.
        last = self.survey(slug).waves
        if wave > last:
            raise ValueError(f"expected a wave up to {last}, the last of {slug!r}, found {wave}")
        with self._engine.transaction() as db:
            changed = db.execute(
                "UPDATE surveys SET wave = ? WHERE slug = ? AND wave < ?", (wave, slug, wave)
            )
            if changed.rowcount:
                publish_held(db, slug)
        if not changed.rowcount:
            on = self.wave(slug)
            raise ValueError(f"expected a wave after {on}, which is on, found {wave}")
        self.erase_order()

    def delete(self, slug: str) -> bool:
        """Delete a survey for good and `erase_order`; False if erasing must be tried again."""
        # Revisions, reports, snapshot and shares are deleted, and the same of its trial.
        with self._engine.transaction() as db:
            deleted = delete_surveys(db, [slug, trial_slug(slug)])
        if not deleted:
            raise KeyError(slug)
        return self.erase_order()

    def was_deleted(self, slug: str) -> bool:
        """Return whether a survey of this name was deleted: no other survey can have the name."""
        with self._engine.lend() as db:
            return current(db, slug) is None and was_there(db, address_of(slug))

    def retentions(self, *, held: bool = False) -> dict[str, Retention]:
        """Return by slug each survey's promise about its reports, if it names a day."""
        # The desk gets them without `held` reports, which could show when a report came.
        with self._engine.lend() as db:
            return read_retentions(db, held=held)

    def delete_due(self) -> bool:
        """Delete the reports of each survey whose day has come, and close it for good."""
        # Their tallies and the survey's trial are deleted too. Reports that are sent again are
        # refused. What a jump of the clock has made due stays. Returns the same as `delete`.
        deleted = []
        with self._engine.transaction() as db:
            moment = self._moment(db)
            for slug, found in read_retentions(db, held=True).items():
                if found.is_due(moment):
                    deleted.append(slug)
                    delete_reports(db, (slug,))
                    close_for_good(db, slug, utc_day(moment.now))
            delete_surveys(db, [*map(trial_slug, deleted)])
        return not deleted or self.erase_order()


def _check_may_open(db: Database, slug: str, now: float) -> None:
    """Refuse to open a survey that would close again at once."""
    schedule = read_standing(db, slug)[2]
    if deleted := days_of(db, slug)[2]:
        raise ValueError(
            f"its reports were deleted on {deleted}, as it promised: a new survey needs another "
            "name"
        )
    if schedule.is_over(now):
        raise ValueError("its time to close is over: set another one first, or none")
    if schedule.is_full(partial(count_taken, db, slug)):
        raise ValueError(f"it has {schedule.cap:,} reports, its cap: set a higher cap, or none")
