"""The tables, and how an older store becomes a newer one."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from deniable.server.store import Store, StoreError, open_store
from deniable.server.store.sql import tables
from deniable.server.store.upgrading import upgrade
from tests.server.store.engines import SQLITE, brought_up_to_date

pytestmark = pytest.mark.promise("no-sender")

COLUMNS = {
    # The seal is a sum over all reports, whatever order they came in.
    "surveys": (
        "slug TEXT key 1, revision TEXT, state TEXT, wave INTEGER, opens INTEGER, "
        "closes INTEGER, cap INTEGER, pin TEXT, code TEXT, public INTEGER, "
        "without_code INTEGER, seal INTEGER, seen TEXT, deleted TEXT, kind TEXT, parent TEXT"
    ),
    "revisions": (
        "number INTEGER? key 1, revision TEXT, survey TEXT, document TEXT, waves INTEGER, "
        "batch INTEGER, source TEXT, token_keys TEXT, deletes TEXT"
    ),
    "reports": "revision INTEGER key 1, id BLOB key 2, answers BLOB",
    "held": "revision INTEGER key 1, id BLOB key 2, answers BLOB",
    "tallies": (
        "revision INTEGER key 1, wave INTEGER key 2, place INTEGER key 3, "
        "report INTEGER key 4, count INTEGER"
    ),
    # Nothing of a report, and nothing of when.
    "invitations": "survey TEXT key 1, code_hash BLOB key 2",
    # Which codes are spent in which wave, and a hash of what chance had blinded.
    "issued": "survey TEXT key 1, wave INTEGER key 2, code_hash BLOB key 3, asked BLOB",
    # About the people at the desk, and nothing of a respondent.
    "sign_ins": "token_hash BLOB key 1, expires INTEGER, user TEXT",
    "users": "name TEXT key 1, role TEXT, password TEXT",
    "shares": "survey TEXT key 1, user TEXT key 2, role TEXT",
    "sessions": "token_hash BLOB key 1, user TEXT, device TEXT, since INTEGER, ends INTEGER",
    "drafts": "id TEXT key 1, owner TEXT, survey TEXT, text TEXT",
    "meetings": "id TEXT key 1, code TEXT, owner TEXT, ends INTEGER, state TEXT, joined INTEGER",
    "tokens": (
        "token_hash BLOB key 1, user TEXT, name TEXT, scope TEXT, since INTEGER, ends INTEGER"
    ),
}
"""Name, type and place in the key of each column; "?" where it may be empty."""


def columns_of(path: Path) -> dict[str, str]:
    """Return the columns of each table, written as in `COLUMNS`."""
    with closing(sqlite3.connect(path)) as db:
        names = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {
            name: ", ".join(
                f"{column} {kind}{'' if required else '?'}{f' key {key}' if key else ''}"
                for _, column, kind, required, _, key in db.execute(f"PRAGMA table_info({name})")
            )
            for (name,) in names
        }


def test_a_store_has_exactly_these_columns(store: Store, tmp_path: Path) -> None:
    # The allow-list: a column about a respondent, a time or a sequence fails here.
    assert columns_of(tmp_path / "store.db") == COLUMNS


def test_a_store_has_one_index_beside_its_tables(store: Store, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "store.db")) as db:
        others = db.execute("SELECT type, tbl_name FROM sqlite_schema WHERE type <> 'table'")
        assert others.fetchall() == [("index", "revisions")]


@pytest.mark.parametrize(
    "table",
    [
        *("surveys", "reports", "held", "tallies", "drafts", "invitations", "issued"),
        *("meetings", "sign_ins", "users", "shares", "sessions", "tokens"),
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


def test_old_stores_gain_new_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").mkdir()
    SQLITE.write_before(tmp_path / "old", monkeypatch)
    open_store(SQLITE.url(tmp_path)).close()
    brought_up_to_date(SQLITE.url(tmp_path / "old"), tmp_path)
    old, new = (
        {name: {*columns.split(", ")} for name, columns in columns_of(folder / "store.db").items()}
        for folder in (tmp_path / "old", tmp_path)
    )
    assert old == new


def test_no_half_migration(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.close()
    SQLITE.make_later(monkeypatch)
    changes = (*tables.CHANGES[tables.VERSION], ("SELECT nothing()", ""))
    monkeypatch.setattr(tables, "CHANGES", {tables.VERSION: changes})
    before = SQLITE.image(tmp_path)
    with pytest.raises(StoreError):
        upgrade(SQLITE.url(tmp_path))
    assert [*tmp_path.iterdir()] == [tmp_path / "store.db"]
    assert SQLITE.image(tmp_path) == before
