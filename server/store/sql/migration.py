"""The one migration: from the version before this one, the same in both engines.

Nothing was released before version 16, so that no older store is brought up to date.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from deniable.server.store.sql import tables
from deniable.server.store.sql.database import Database
from deniable.survey.document import canonical_json
from deniable.survey.kind import (
    MeetingQuestion,
    Parent,
    kind_of,
    parent_document,
    parent_name,
    trial_slug,
)

_UPGRADES_OLDER: Final = "7858722"
"""The last commit that brings older stores up to version 16."""

_TRIAL: Final = re.compile(r"trial-(.+)")
_QUESTION: Final = re.compile(r"meeting-([a-z0-9]+)-(\d+)-(\d+)(?:-(direct|prior))?")
"""What a survey was stood in its name, which no other survey could have."""


class SchemaMismatch(Exception):
    """What was found is no store, or of a version that this program cannot read."""


def check_version(found: int, before: int) -> None:
    """Refuse a store that is neither of this version nor of the one before, as an engine counts."""
    this = tables.VERSION
    if found > this:
        raise SchemaMismatch(
            f"found a store of version {found}, expected at most version {this}: it was "
            "written by a newer deniable; update this one"
        )
    if found not in (before, this):
        raise SchemaMismatch(
            f"found a store of version {found}, expected version {before} or {this}: bring it "
            f"to version {before} first, with 'deniable upgrade' of commit {_UPGRADES_OLDER}"
        )


def migrate(db: Database, types: Mapping[str, str]) -> None:
    """Bring a store of the version before to this one, in a transaction of the caller's."""
    for change, _ in tables.CHANGES:
        db.execute(change.format_map(types))
    _rewrite_documents(db)


def undo(db: Database, types: Mapping[str, str]) -> None:
    """Make tables of the version before of empty ones of this version."""
    for _, undoing in reversed(tables.CHANGES):
        db.execute(undoing.format_map(types))


def _rewrite_documents(db: Database) -> None:
    """Write documents as this version does: the name of a revision is the hash of its document."""
    rows = db.execute("SELECT number, survey, document FROM revisions").fetchall()
    for number, slug, text in rows:
        if "\n" in text:
            continue  # of this version: a line for its law, and others for its words
        document = json.loads(text)
        parent, name = _meant(slug)
        told = {} if parent is None else parent_document(parent)
        changed = _without_wave({**document, "survey": name, **told})
        if changed == document:
            continue
        written = canonical_json(changed)
        named = (hashlib.sha256(written).hexdigest(), name)
        db.execute(
            "UPDATE surveys SET revision = ?, slug = ?, kind = ?, parent = ? "
            "WHERE revision = (SELECT revision FROM revisions WHERE number = ?)",
            (*named, kind_of(parent), parent_name(parent), number),
        )
        db.execute(
            "UPDATE revisions SET revision = ?, survey = ?, document = ? WHERE number = ?",
            (*named, written.decode(), number),
        )
        for table in ("piles", "shares"):
            db.execute(f"UPDATE {table} SET survey = ? WHERE survey = ?", (name, slug))  # noqa: S608
        if "waves" in document:
            items = len(changed["items"])
            db.execute("DELETE FROM tallies WHERE revision = ? AND place = ?", (number, items))
            # A board names the revision of each report, and is signed: the next one is the first.
            db.execute("DELETE FROM boards WHERE survey = ?", (slug,))


def _without_wave(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out the question that was the wave, the last one; a row of a report stays as it was."""
    if "waves" not in document:
        return document
    return {**document, **{key: document[key][:-1] for key in ("questions", "items")}}


def _meant(slug: str) -> tuple[Parent, str]:
    """Return the parent that a name stood for, and the name now."""
    if found := _TRIAL.fullmatch(slug):
        return found[1], trial_slug(found[1])
    if found := _QUESTION.fullmatch(slug):
        asks: Any = found[4] or "randomised"
        question = MeetingQuestion(found[1].upper(), int(found[2]), int(found[3]), asks)
        return question, question.slug
    return None, slug
