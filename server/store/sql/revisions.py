"""Revisions of surveys, in a transaction that the caller commits."""

from deniable.crypto.blind import mark_of
from deniable.report import REVISION
from deniable.server.store.errors import SurveyChanged
from deniable.server.store.schedule import State
from deniable.server.store.sql.database import Database, Unreadable, found_row
from deniable.server.store.sql.retention import day_of
from deniable.survey import Survey
from deniable.survey.document import revision_of
from deniable.survey.kind import parent_name
from deniable.survey.revisions import follow
from deniable.survey.wordings import chain


def survey_in(document: str) -> Survey:
    """Read the document of a revision; raise `Unreadable` if it is damaged."""
    try:
        return Survey.from_json(document.encode())
    except Exception as error:  # damage may leave anything
        raise Unreadable("the text of a revision") from error


def was_changed(document: str, revision: str, check_number: str = "") -> bool:
    """Return whether damage changed the document of a revision, and of a check number if given."""
    lines = document.split("\n")
    if revision_of(lines[0].encode()) != revision:
        return True
    return len(lines) > 1 and bool(check_number) and chain(lines)[-1] != check_number


def write_survey(db: Database, survey: Survey, source: str) -> None:
    """Make a revision the current one of its survey; a new survey is open."""
    write_revision(db, survey, source)
    if source:
        # It may differ from the stored file by a comment, which is in no document.
        db.execute(
            "UPDATE revisions SET source = ? WHERE survey = ? AND revision = ?",
            (source, survey.slug, survey.revision),
        )
    db.execute(
        "INSERT INTO surveys (slug, revision, state, kind, parent) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (slug) DO UPDATE SET revision = excluded.revision",
        (survey.slug, survey.revision, State.OPEN, survey.kind, parent_name(survey.parent)),
    )
    write_check_number(db, survey)


def write_check_number(db: Database, survey: Survey) -> None:
    """Store which wording is current."""
    db.execute(
        "UPDATE surveys SET check_number = ? WHERE slug = ?", (survey.check_number, survey.slug)
    )


def check_seen(db: Database, slug: str, seen: str | None) -> None:
    """Refuse to publish if the current check number is not `seen` (empty: no survey), if given."""
    row = db.execute(
        "SELECT document FROM revisions JOIN surveys ON surveys.revision = revisions.revision "
        "WHERE slug = ? AND survey = slug",
        (slug,),
    ).fetchone()
    if seen not in (None, "" if row is None else chain(row[0].split("\n"))[-1]):
        raise SurveyChanged(f"{slug!r} has changed since it was seen")


def following(db: Database, survey: Survey) -> Survey:
    """Return a survey with the wordings of its stored revision, or else of the current one."""
    row = db.execute(
        "SELECT document FROM revisions JOIN surveys ON slug = survey "
        "WHERE slug = ? AND revisions.revision IN (?, surveys.revision) "
        "ORDER BY CASE WHEN revisions.revision = ? THEN 0 ELSE 1 END",
        (survey.slug, survey.revision, survey.revision),
    ).fetchone()
    return survey if row is None else follow(survey, survey_in(row[0]))


def write_revision(db: Database, survey: Survey, source: str) -> int:
    """Write a revision, or its new wordings if it exists; return its number."""
    db.execute(
        "INSERT INTO revisions (revision, survey, document, waves, batch, source, token_keys, "
        "deletes) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
        # The revision is the same, and the new document has all its wordings.
        "ON CONFLICT (revision) DO UPDATE SET document = excluded.document",
        (
            survey.revision,
            survey.slug,
            survey.to_json().decode(),
            survey.waves,
            survey.shown_batch,
            source,
            " ".join(mark_of(key) for key in survey.token_keys),
            day_of(survey),
        ),
    )
    row = db.execute("SELECT number FROM revisions WHERE revision = ?", (survey.revision,))
    number = int(row.fetchone()[0])
    db.execute("INSERT INTO checksums (revision) VALUES (?) ON CONFLICT DO NOTHING", (number,))
    return number


def number_of(db: Database, slug: str, revision: str) -> int:
    """Return a revision's number in the key of its reports; or raise KeyError."""
    if not REVISION.fullmatch(revision):  # a database refuses some characters
        raise KeyError(revision)
    sql = "SELECT number FROM revisions WHERE survey = ? AND revision = ?"
    return int(found_row(db, sql, slug, revision)[0])


def source_of(db: Database, slug: str, revision: str) -> str:
    """Return the survey file of a revision; empty if it or the revision is unknown."""
    row = db.execute(
        "SELECT source FROM revisions WHERE survey = ? AND revision = ?", (slug, revision)
    ).fetchone()
    return "" if row is None else str(row[0])
