"""The tables, and how an older store becomes a newer one."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from deniable.server.store import StoreError
from deniable.server.store.sql import tables
from deniable.server.store.store import Store
from deniable.server.store.upgrading import upgrade
from tests.server.store.engines import SQLITE, brought_up_to_date

pytestmark = pytest.mark.promise("no-sender")


def columns_of(path: Path) -> dict[str, list[tuple[str, str, int, int]]]:
    """Return name, type, "may not be empty" and place in the key of each table's columns."""
    with closing(sqlite3.connect(path)) as db:
        names = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {
            name: [
                (column, kind, required, key)
                for _, column, kind, required, _, key in db.execute(f"PRAGMA table_info({name})")
            ]
            for (name,) in names
        }


def test_a_store_has_exactly_these_columns(store: Store, tmp_path: Path) -> None:
    # The allow-list: a column about a respondent, a time or a sequence fails here.
    assert columns_of(tmp_path / "store.db") == {
        "surveys": [
            ("slug", "TEXT", 1, 1),
            ("revision", "TEXT", 1, 0),
            ("state", "TEXT", 1, 0),
            ("wave", "INTEGER", 1, 0),
            ("opens", "INTEGER", 1, 0),
            ("closes", "INTEGER", 1, 0),
            ("cap", "INTEGER", 1, 0),
            ("pin", "TEXT", 1, 0),
            ("code", "TEXT", 1, 0),
            ("public", "INTEGER", 1, 0),
            ("pile_key", "BLOB", 1, 0),
            ("without_code", "INTEGER", 1, 0),
            # A sum over all reports, whatever order they came in.
            ("seal", "INTEGER", 1, 0),
            ("seen", "TEXT", 1, 0),
            ("deleted", "TEXT", 1, 0),
            ("kind", "TEXT", 1, 0),
            ("parent", "TEXT", 1, 0),
        ],
        "revisions": [
            ("number", "INTEGER", 0, 1),
            ("revision", "TEXT", 1, 0),
            ("survey", "TEXT", 1, 0),
            ("document", "TEXT", 1, 0),
            ("waves", "INTEGER", 1, 0),
            ("batch", "INTEGER", 1, 0),
            ("source", "TEXT", 1, 0),
            ("token_keys", "TEXT", 1, 0),
            ("board_key", "TEXT", 1, 0),
            ("deletes", "TEXT", 1, 0),
        ],
        # Of published reports, which everybody may see: their tokens, and the signed boards.
        "proofs": [("revision", "INTEGER", 1, 1), ("id", "BLOB", 1, 2), ("token", "BLOB", 1, 0)],
        "boards": [
            ("survey", "TEXT", 1, 1),
            ("number", "INTEGER", 1, 2),
            ("reports", "INTEGER", 1, 0),
            ("closed", "INTEGER", 1, 0),
            ("board", "BLOB", 1, 0),
            ("signature", "BLOB", 1, 0),
        ],
        "reports": [("revision", "INTEGER", 1, 1), ("id", "BLOB", 1, 2), ("answers", "BLOB", 1, 0)],
        "held": [("revision", "INTEGER", 1, 1), ("id", "BLOB", 1, 2), ("answers", "BLOB", 1, 0)],
        "tallies": [
            ("revision", "INTEGER", 1, 1),
            ("wave", "INTEGER", 1, 2),
            ("place", "INTEGER", 1, 3),
            ("report", "INTEGER", 1, 4),
            ("count", "INTEGER", 1, 0),
        ],
        # Of sheets of paper all together, and of no report.
        "piles": [("survey", "TEXT", 1, 1), ("mac", "BLOB", 1, 2)],
        # Nothing of a report, and nothing of when.
        "invitations": [
            ("survey", "TEXT", 1, 1),
            ("code_hash", "BLOB", 1, 2),
        ],
        # Which codes are spent in which wave, and a hash of what chance had blinded.
        "issued": [
            ("survey", "TEXT", 1, 1),
            ("wave", "INTEGER", 1, 2),
            ("code_hash", "BLOB", 1, 3),
            ("asked", "BLOB", 1, 0),
        ],
        # About the people at the desk, and nothing of a respondent.
        "sign_ins": [
            ("token_hash", "BLOB", 1, 1),
            ("expires", "INTEGER", 1, 0),
            ("user", "TEXT", 1, 0),
        ],
        "users": [("name", "TEXT", 1, 1), ("role", "TEXT", 1, 0), ("password", "TEXT", 1, 0)],
        "shares": [("survey", "TEXT", 1, 1), ("user", "TEXT", 1, 2), ("role", "TEXT", 1, 0)],
        "sessions": [
            ("token_hash", "BLOB", 1, 1),
            ("user", "TEXT", 1, 0),
            ("device", "TEXT", 1, 0),
            ("since", "INTEGER", 1, 0),
            ("ends", "INTEGER", 1, 0),
        ],
        "drafts": [
            ("id", "TEXT", 1, 1),
            ("owner", "TEXT", 1, 0),
            ("survey", "TEXT", 1, 0),
            ("text", "TEXT", 1, 0),
        ],
        "meetings": [
            ("id", "TEXT", 1, 1),
            ("code", "TEXT", 1, 0),
            ("owner", "TEXT", 1, 0),
            ("ends", "INTEGER", 1, 0),
            ("state", "TEXT", 1, 0),
            ("joined", "INTEGER", 1, 0),
        ],
        "tokens": [
            ("token_hash", "BLOB", 1, 1),
            ("user", "TEXT", 1, 0),
            ("name", "TEXT", 1, 0),
            ("scope", "TEXT", 1, 0),
            ("since", "INTEGER", 1, 0),
            ("ends", "INTEGER", 1, 0),
        ],
    }


def test_a_store_has_nothing_beside_its_tables_but_an_index_of_revisions(
    store: Store, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "store.db")) as db:
        others = db.execute("SELECT type, tbl_name FROM sqlite_schema WHERE type <> 'table'")
        assert others.fetchall() == [("index", "revisions")]


@pytest.mark.parametrize(
    "table",
    [
        *("surveys", "reports", "held", "tallies", "piles", "drafts", "invitations", "issued"),
        *("meetings", "proofs", "boards"),
        *("sign_ins", "users", "shares", "sessions", "tokens"),
    ],
)
def test_rows_that_people_make_have_no_number(store: Store, tmp_path: Path, table: str) -> None:
    # A rowid counts up: it would number respondents in the order of their arrival.
    with (
        closing(sqlite3.connect(tmp_path / "store.db")) as db,
        pytest.raises(sqlite3.OperationalError, match="no such column: rowid"),
    ):
        db.execute(f"SELECT rowid FROM {table}")


def test_every_table_is_strict(store: Store, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "store.db")) as db:
        assert {strict for *_, strict in db.execute("PRAGMA table_list") if strict} == {1}
        loose = "SELECT name FROM pragma_table_list WHERE NOT strict AND name NOT LIKE 'sqlite_%'"
        assert db.execute(loose).fetchall() == []


def test_an_old_store_ends_with_the_columns_of_a_new_one(store: Store, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    SQLITE.write_before(tmp_path / "old")
    brought_up_to_date(SQLITE.url(tmp_path / "old"), tmp_path)
    old = {name: {*columns} for name, columns in columns_of(tmp_path / "old" / "store.db").items()}
    new = {name: {*columns} for name, columns in columns_of(tmp_path / "store.db").items()}
    assert old == new


def test_a_migration_that_fails_changes_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    SQLITE.make_later(monkeypatch)
    monkeypatch.setattr(tables, "CHANGES", (*tables.CHANGES, ("SELECT nothing()", "")))
    before = SQLITE.image(tmp_path)
    with pytest.raises(StoreError):
        upgrade(SQLITE.url(tmp_path))
    assert [*tmp_path.iterdir()] == [tmp_path / "store.db"]
    assert SQLITE.image(tmp_path) == before
