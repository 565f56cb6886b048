"""The tables of a store, from its first version to the current one.

There is no column about a respondent: no address, no browser, no time and no sequence. A test holds
the list of columns, so that adding one is a decision and not an accident.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from typing import Final

from deniable.document import canonical_json
from deniable.server.store.sql.seals import seal_all
from deniable.server.store.sql.snapshot import count_all
from deniable.server.store.sqlite.connections import Connection
from deniable.server.store.sqlite.tables import create_without_rowid, tables_of


def _tables(db: sqlite3.Connection) -> None:
    tables = tables_of(db)
    # The current revision of each survey, and whether it takes reports.
    create_without_rowid(tables, "surveys", {"slug": str, "revision": str, "state": str}, "slug")
    # Every revision that was ever served, so that a page opened before a change loses nothing.
    texts = {"revision": str, "survey": str, "document": str}
    revisions = tables.create_table(
        "revisions", {"number": int, **texts}, pk="number", not_null=texts, strict=True
    )
    revisions.create_index(["revision"], unique=True)
    # The key is random bytes drawn by the device.
    columns = {"revision": int, "id": bytes, "answers": bytes}
    create_without_rowid(tables, "reports", columns, ("revision", "id"))
    # The researcher's one-time links: the hash only, so that a stolen store opens no desk.
    create_without_rowid(tables, "sign_ins", {"token_hash": bytes, "expires": int}, "token_hash")


def _waves(db: sqlite3.Connection) -> None:
    tables = tables_of(db)
    # Which wave of a survey that is asked over time is on. It says of all reports of a wave the
    # same, and each of them says it too: nothing of who sent one.
    tables.table("surveys").add_column("wave", int, not_null_default=1)
    # How many waves a revision has, the last byte of whose reports then says which; 0 if none.
    tables.table("revisions").add_column("waves", int, not_null_default=0)


def _revisions_are_hashes(db: sqlite3.Connection) -> None:
    # A revision was named in its own document; now it is the hash of the bytes that are kept, and
    # served, and says nothing that a server could choose. Reports stay under its number.
    kept = db.execute("SELECT number, revision, document FROM revisions").fetchall()
    for number, old, text in kept:
        document = json.loads(text)
        document.pop("revision", None)
        written = canonical_json(document)
        new = hashlib.sha256(written).hexdigest()
        db.execute(
            "UPDATE revisions SET revision = ?, document = ? WHERE number = ?",
            (new, written.decode(), number),
        )
        db.execute("UPDATE surveys SET revision = ? WHERE revision = ?", (new, old))


def _batches(db: Connection) -> None:
    tables = tables_of(db)
    # By how many reports at once the desk sees more of a revision.
    tables.table("revisions").add_column("batch", int, not_null_default=10)
    # The reports that the desk does not see yet. No report says in which batch it came: all that
    # is to be seen here is which are the last few, until they move.
    columns = {"revision": int, "id": bytes, "answers": bytes}
    create_without_rowid(tables, "held", columns, ("revision", "id"))
    # How often each item (its place in a report) of each revision had each report, in each wave.
    keys = {"revision": int, "wave": int, "place": int, "report": int}
    create_without_rowid(tables, "tallies", {**keys, "count": int}, tuple(keys))
    # The desk has shown all that there is.
    for number, waves in db.execute("SELECT number, waves FROM revisions").fetchall():
        count_all(db, number, has_waves=bool(waves))


def _accounts(db: sqlite3.Connection) -> None:
    tables = tables_of(db)
    # The people at the desk. A password is a hash of argon2id, and empty if there is none.
    create_without_rowid(tables, "users", {"name": str, "role": str, "password": str}, "name")
    # Whose surveys are whose.
    columns = {"survey": str, "user": str, "role": str}
    create_without_rowid(tables, "shares", columns, ("survey", "user"))
    # Who is signed in. The hash of a random token only, as of a link.
    texts, times = {"user": str, "device": str}, {"since": int, "ends": int}
    create_without_rowid(tables, "sessions", {"token_hash": bytes, **texts, **times}, "token_hash")
    # Whom a link signs in: nobody by name, as long as there is no account.
    tables.table("sign_ins").add_column("user", str, not_null_default="")


def _drafts(db: sqlite3.Connection) -> None:
    tables = tables_of(db)
    # The survey files that people write at the desk. Random ids: no row tells which came first.
    columns = {"id": str, "owner": str, "survey": str, "text": str}
    create_without_rowid(tables, "drafts", columns, "id")
    # The survey file of a revision, to be edited further; empty where it is not known.
    tables.table("revisions").add_column("source", str, not_null_default="")


def _terms(db: sqlite3.Connection) -> None:
    surveys = tables_of(db).table("surveys")
    # When a survey takes reports, how many, with which word, and the code that leads to it. All
    # that is said of a report by this is said of every report to the survey.
    for name in ("opens", "closes", "cap"):
        surveys.add_column(name, int, not_null_default=0)
    for name in ("pin", "code"):
        surveys.add_column(name, str, not_null_default="")


def _script_tokens(db: sqlite3.Connection) -> None:
    # What scripts show in place of a session: the hash of a random token only.
    texts, times = {"user": str, "name": str, "scope": str}, {"since": int, "ends": int}
    columns = {"token_hash": bytes, **texts, **times}
    create_without_rowid(tables_of(db), "tokens", columns, "token_hash")


def _public_results(db: sqlite3.Connection) -> None:
    # Whether everybody may see a survey's results. It says nothing of a respondent.
    tables_of(db).table("surveys").add_column("public", int, not_null_default=0)


def _piles(db: sqlite3.Connection) -> None:
    # By which sheets of paper are known again that are entered twice: a hash of all of them
    # together under a random key of the survey, empty as long as none were entered. No report says
    # that it was on paper.
    db.execute("ALTER TABLE surveys ADD COLUMN pile_key BLOB NOT NULL DEFAULT x''")
    columns = {"survey": str, "mac": bytes}
    create_without_rowid(tables_of(db), "piles", columns, ("survey", "mac"))


def _invitations(db: sqlite3.Connection) -> None:
    # Codes for one report each: the hash of each, and whether it is spent. Nothing here is in the
    # table of reports, and nothing of a report is here.
    columns = {"survey": str, "code_hash": bytes, "spent": int}
    create_without_rowid(tables_of(db), "invitations", columns, ("survey", "code_hash"))
    # How many reports that the desk sees came without one, on paper or before there were any.
    tables_of(db).table("surveys").add_column("without_code", int, not_null_default=0)


def _seals(db: Connection) -> None:
    # By which damage to a report is noticed. It says of all reports together what their bytes say,
    # and nothing of their order.
    tables_of(db).table("surveys").add_column("seal", int, not_null_default=0)
    seal_all(db)


def _blind_tokens(db: Connection) -> None:
    tables = tables_of(db)
    # By which keys the tokens of a revision are signed, one for each wave; empty if it needs none.
    tables.table("revisions").add_column("token_keys", str, not_null_default="")
    # Codes without a key open nothing: whoever made them has to make new ones, and until then
    # nobody shall answer who was not invited.
    db.execute("UPDATE surveys SET state = 'closed' WHERE slug IN (SELECT survey FROM invitations)")
    db.execute("DROP TABLE invitations")
    create_without_rowid(
        tables, "invitations", {"survey": str, "code_hash": bytes}, ("survey", "code_hash")
    )
    # Which codes were spent, and a hash of what was signed for it: it was blinded, and so leads to
    # no report.
    columns = {"survey": str, "wave": int, "code_hash": bytes, "asked": bytes}
    create_without_rowid(tables, "issued", columns, ("survey", "wave", "code_hash"))


def _meetings(db: sqlite3.Connection) -> None:
    # Classes that answer together, for a day at most: what leads to a meeting, whose it is, and
    # where it stands. Its questions are surveys; nothing here is of anybody who answered.
    columns = {"id": str, "code": str, "owner": str, "ends": int, "state": str}
    create_without_rowid(tables_of(db), "meetings", columns, "id")
    # How many phones have joined it: a number, and nothing of any of them.
    tables_of(db).table("meetings").add_column("joined", int, not_null_default=0)


def _boards(db: sqlite3.Connection) -> None:
    tables = tables_of(db)
    # By which key the boards of a revision are signed; empty if its reports are not published.
    tables.table("revisions").add_column("board_key", str, not_null_default="")
    # The token that each published report came with. It leads to no code, and everybody may see it.
    columns = {"revision": int, "id": bytes, "token": bytes}
    create_without_rowid(tables, "proofs", columns, ("revision", "id"))
    # What was published: signed, and never changed. Everybody has it, and so knows by which board a
    # report had come.
    sizes = {"survey": str, "number": int, "reports": int, "closed": int}
    create_without_rowid(
        tables, "boards", {**sizes, "board": bytes, "signature": bytes}, ("survey", "number")
    )


def _retention(db: sqlite3.Connection) -> None:
    # The day on which the reports to a revision go, as its document says.
    tables_of(db).table("revisions").add_column("deletes", str, not_null_default="")
    surveys = tables_of(db).table("surveys")
    # The day of the server's last look, by which a jump of the clock is noticed: of each day on
    # which it runs, whether or not a report came. And the day on which the reports went.
    for name in ("seen", "deleted"):
        surveys.add_column(name, str, not_null_default="")


MIGRATIONS: Final[tuple[Callable[[Connection], None], ...]] = (
    _tables,
    _waves,
    _revisions_are_hashes,
    _batches,
    _accounts,
    _drafts,
    _terms,
    _script_tokens,
    _public_results,
    _piles,
    _invitations,
    _seals,
    _blind_tokens,
    _meetings,
    _boards,
    _retention,
)
"""Each takes a store from the version before it to its own; the version is their number. They are
never edited once released. (The migrations of sqlite-utils keep a log with the time of each; a
number in the file's header is all that is needed.)"""
