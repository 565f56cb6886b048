"""The tables of a store in PostgreSQL, and how an older one becomes a newer one."""

import contextlib
from contextlib import closing
from pathlib import Path

import pytest

from deniable.server.store import Store, StoreUnavailable, open_store
from deniable.server.store.sql import tables
from deniable.server.store.sqlite.engine import open_file
from deniable.server.store.upgrading import upgrade
from deniable.survey import Survey
from tests.kit import report, reports_in
from tests.server.store.cluster import CLUSTER
from tests.server.store.engines import POSTGRES, brought_up_to_date

pytestmark = pytest.mark.promise("no-sender")


def columns(folder: Path) -> dict[str, list[str]]:
    """Return the names of each table's columns."""
    found: dict[str, list[str]] = {}
    for table, column in CLUSTER.admin().execute(
        "SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid "
        "WHERE relnamespace = to_regnamespace(%s) AND relkind IN ('r', 'p') AND attnum > 0 "
        "AND NOT relispartition ORDER BY relname, attnum",
        (POSTGRES.schema(folder),),
    ):
        found.setdefault(table, []).append(column)
    return found


def test_both_engines_have_the_same_tables_and_columns(store: Store, tmp_path: Path) -> None:
    # Those of SQLite are an allow-list that a test holds: no column is about a respondent.
    with (
        closing(open_file(tmp_path / "store.db")) as other,
        other._engine.lend() as db,
    ):
        tables = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        expected = {
            name: [row[1] for row in db.execute(f"PRAGMA table_info({name})")] for (name,) in tables
        }
    assert columns(tmp_path) == {**expected, "store": ["version"]}


def test_every_table_has_its_rewriting_key(store: Store, tmp_path: Path) -> None:
    without = CLUSTER.admin().execute(
        "SELECT relname FROM pg_class AS t WHERE relnamespace = to_regnamespace(%s) "
        "AND relkind = 'r' AND NOT EXISTS (SELECT FROM pg_index "
        "WHERE indrelid = t.oid AND indisprimary)",
        (POSTGRES.schema(tmp_path),),
    )
    assert without.fetchall() == [("store",)]


@pytest.mark.promise("order")
def test_the_planner_keeps_no_samples(store: Store, survey: Survey, tmp_path: Path) -> None:
    store.insert_batch([report(survey) for _ in range(300)])
    store.add_sign_in(b"h" * 32, expires=9, now=0)
    name = POSTGRES.schema(tmp_path)
    admin = CLUSTER.admin()
    for table in ("reports", "held", "sign_ins", "sessions"):
        admin.execute(f"ANALYZE {name}.{table}".encode())
    sampled = admin.execute(
        "SELECT DISTINCT attname::text FROM pg_stats WHERE schemaname = %s ORDER BY 1", (name,)
    ).fetchall()
    assert {column for (column,) in sampled} == {"expires", "revision"}


def test_a_migration_is_whole_or_not_at_all(
    store: Store, survey: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = report(survey)
    store.insert_batch([sent])
    store.close()
    address = POSTGRES.url(tmp_path)
    with monkeypatch.context() as patch:
        POSTGRES.make_later(patch)
        changes = (*tables.CHANGES[tables.VERSION], ("SELECT 1 / 0", "SELECT 1"))
        patch.setattr(tables, "CHANGES", {tables.VERSION: changes})
        with pytest.raises(StoreUnavailable), contextlib.chdir(tmp_path):
            upgrade(address)
    assert "later" not in columns(tmp_path)
    POSTGRES.make_later(monkeypatch)
    brought_up_to_date(address, tmp_path)
    with closing(open_store(address)) as again:
        assert reports_in(again).keys() == {sent.id}
    assert columns(tmp_path)["later"] == ["x"]
