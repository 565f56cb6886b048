"""What only PostgreSQL promises: its server, passwords, tables, and what a thief of it reads."""

import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from deniable import Report
from deniable.server.store import (
    Outcome,
    State,
    Store,
    StoreError,
    StoreUnavailable,
    files_of,
    open_store,
)
from deniable.server.store.postgres.address import name_of
from deniable.server.store.postgres.connections import _BREATH, Connection
from deniable.server.store.postgres.engine import open_database
from deniable.server.store.sql.database import Cursor, Damaged
from deniable.survey import Survey
from tests.kit import report, reports_in, surveys, until
from tests.server.store.cluster import CLUSTER
from tests.server.store.engines import POSTGRES, inside


@pytest.mark.slow
@pytest.mark.promise("in-its-place")
def test_a_database_that_comes_back_has_lost_nothing(store: Store, survey: Survey) -> None:
    first, second = report(survey), report(survey)
    assert store.insert_reports([first]) == [Outcome.STORED]
    CLUSTER.stop()  # as a crash does
    try:
        for use in (lambda: store.insert_reports([second]), store.check_place, store.users):
            with pytest.raises(StoreUnavailable, match="cannot be reached") as refused:
                use()
            assert second.id.hex() not in str(refused.value)
    finally:
        CLUSTER.start()
    # Without trying in vain first.
    time.sleep(_BREATH)
    assert store.insert_reports([second, first]) == [Outcome.STORED, Outcome.REPEATED]
    assert reports_in(store).keys() == {first.id, second.id}


@pytest.mark.slow
def test_a_recovering_database_is_spared(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    # PostgreSQL recovers from a crash once nobody knocks, and gives up after five seconds.
    knocks = []
    connect = psycopg.connect

    def count(*given: Any, **settings: Any) -> psycopg.Connection:
        knocks.append(1)
        return connect(*given, **settings)

    CLUSTER.stop()
    monkeypatch.setattr(psycopg, "connect", count)
    try:
        start = time.monotonic()
        for _ in range(200):
            with pytest.raises(StoreUnavailable, match="cannot be reached"):
                store.users()
        assert len(knocks) <= 1 + 4 * (time.monotonic() - start)
    finally:
        monkeypatch.undo()
        CLUSTER.start()
    time.sleep(_BREATH)
    assert store.users() == []


def test_a_database_error_is_no_damage(store: Store) -> None:
    for code, damaged in (("XX000", False), ("XX001", True), ("XX002", True)):
        with (
            pytest.raises(StoreUnavailable) as said,
            inside(store).lend() as db,
        ):
            db.run(f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{code}'; END $$")
        assert isinstance(said.value, Damaged) == damaged == ("damaged" in str(said.value))


def test_a_closed_connection_is_not_used_again(store: Store, survey: Survey) -> None:
    store.insert_reports([report(survey)])
    CLUSTER.admin().execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'deniable'"
    )
    assert store.insert_reports([report(survey)]) == [Outcome.STORED]


@pytest.mark.promise("no-password")
def test_no_name_or_error_has_a_password(tmp_path: Path, survey: Survey) -> None:
    address = POSTGRES.url(tmp_path).replace("deniable@", "deniable:hunter2@")
    with closing(open_store(f"{address}&password=hunter2&sslpassword=hunter2")) as store:
        store.register(survey)
        assert "hunter2" not in store.name
        with closing(open_store(store.name, create=False)) as again:
            assert again.surveys() == store.surveys()
    for wrong in (
        address.replace("/postgres?", "/none?"),
        address.replace("search_path%3D", "search_path%3Dx"),
        f"{address}&unknown=1",
        "postgresql://ann:hunter2@[host/study",
        "postgresql://ann:hunter2%zz@localhost/study",
        "postgresql:ann:hunter2@localhost/study",
        "postgres://ann:hunter2@localhost/study",
        "postgresql+psycopg://ann:hunter2@localhost/study",
    ):
        with pytest.raises((StoreError, StoreUnavailable)) as refused:
            open_store(wrong)
        assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("postgresql://ann:a%40b@h:1/d", "postgresql://ann@h:1/d"),
        ("postgresql://h1,h2/d?target_session_attrs=read-write&password=x", None),
        (
            "postgresql:///d?options=-c%20search_path%3Ds",
            "postgresql:///d?options=-c%20search_path%3Ds",
        ),
    ],
)
def test_a_name_is_the_address_without_its_secret(address: str, name: str | None) -> None:
    expected = name or "postgresql://h1,h2/d?target_session_attrs=read-write"
    assert name_of(address) == expected
    assert name_of(expected) == expected
    assert files_of(address) == []


def test_who_is_not_let_in_learns_why(tmp_path: Path) -> None:
    address = POSTGRES.url(tmp_path)
    for wrong, why in (
        (address.replace("/postgres?", "/none?"), 'database "none" does not exist'),
        (address.replace("deniable@", "somebody@"), 'role "somebody" does not exist'),
    ):
        with pytest.raises(StoreUnavailable, match=why):
            open_store(wrong)


@contextmanager
def altered(what: str, back: str) -> Iterator[None]:
    for statement in (what, "SELECT pg_reload_conf()"):
        CLUSTER.admin().execute(statement.encode())
    yield
    for statement in (back, "SELECT pg_reload_conf()"):
        CLUSTER.admin().execute(statement.encode())


def test_any_role_s_acknowledged_report_is_on_disk(tmp_path: Path, survey: Survey) -> None:
    address = POSTGRES.url(tmp_path)
    with (
        altered(
            "ALTER ROLE deniable SET synchronous_commit = off",
            "ALTER ROLE deniable RESET synchronous_commit",
        ),
        closing(open_database(address)) as store,
        inside(store).lend() as db,
    ):
        assert db.execute("SHOW synchronous_commit").fetchone() == ("on",)


def test_a_server_that_skips_its_disk_is_refused(tmp_path: Path) -> None:
    address = POSTGRES.url(tmp_path)

    def is_refused() -> bool:
        try:
            open_store(address).close()
        except StoreError as error:
            assert "fsync = off" in str(error)  # noqa: PT017
            return True
        return False

    with altered("ALTER SYSTEM SET fsync = off", "ALTER SYSTEM RESET fsync"):
        until(is_refused)
    until(lambda: not is_refused())


def test_texts_that_cannot_be_kept_are_absent(store: Store) -> None:
    for call in (lambda: store.user("a\0b"), lambda: store.survey("a\0b")):
        with pytest.raises(KeyError):
            call()


def test_a_reader_outlasts_a_rewrite_of_its_tables(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deniable.server.store.postgres.order._AT_ONCE", 1)  # each by itself
    sent = [report(survey) for _ in range(50)]
    store.insert_reports(sent)
    with closing(open_store(store.name)) as other, inside(store).snapshot() as db:
        db.execute("SELECT 1")  # the moment that it sees
        assert not other.erase_order(wait=False)
        rows = db.execute("SELECT id FROM reports UNION ALL SELECT id FROM held").fetchall()
    assert {id for (id,) in rows} == {one.id for one in sent}


def test_others_write_between_the_parts_of_settling(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deniable.server.store.postgres.order._AT_ONCE", 1)  # each by itself
    store.insert_reports([report(survey) for _ in range(50)])
    with closing(open_store(store.name)) as other:
        done = []
        for part in store.erase_order_in_parts():
            done.append(part)
            assert other.insert_reports([report(survey)]) == [Outcome.STORED]
    assert len(done) > 8
    assert all(done)
    assert store.count(survey.slug) == 50 + len(done)


WRITER = """
import secrets, sys
from deniable.report import Report
from deniable.server.store import open_store
store = open_store(sys.argv[1], create=False)
revision = store.current_revision("doping")
for number in range(60):
    batch = [Report("doping", revision, secrets.token_bytes(16), b"\\1") for _ in range(7)]
    store.insert_reports(batch)
    if number % 20 == 19:
        store.erase_order(wait=False)
store.close()
"""


@pytest.mark.promise("many-servers")
@pytest.mark.slow
def test_several_processes_keep_one_snapshot_and_lose_nothing(tmp_path: Path) -> None:
    survey = surveys.survey(batch=10)
    with closing(open_store(POSTGRES.url(tmp_path))) as store:
        store.register(survey)
        command = [sys.executable, "-c", WRITER, store.name]
        writers = [subprocess.Popen(command) for _ in range(3)]
        while any(writer.poll() is None for writer in writers):
            assert store.snapshot("doping").count() % 10 == 0
            shown = b"".join(store.snapshot_rows("doping", survey.revision))
            assert len(shown) % 10 == 0
        assert [writer.returncode for writer in writers] == [0, 0, 0]
        assert store.count("doping") == len(reports_in(store)) == 3 * 60 * 7
        assert store.snapshot("doping").count() == 3 * 60 * 7 - 10
        assert store.erase_order()
        assert store.count("doping") == 3 * 60 * 7


def test_a_batch_waits_once_for_all_beside_it(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[bool] = []
    send = Connection.execute

    def count(db: Connection, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        if not sql.startswith("SELECT"):
            sent.append(db.raw.info.pipeline_status == psycopg.pq.PipelineStatus.ON)
        return send(db, sql, values)

    monkeypatch.setattr(Connection, "execute", count)
    store.insert_reports([report(survey)])
    assert sent
    assert all(sent)


def test_one_fault_fails_all(store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = report(survey), report(survey)
    with monkeypatch.context() as patch:
        patch.setattr(
            "deniable.server.store.sql.insertion.add_to_checksums",
            lambda db, *_, **__: db.execute(
                "UPDATE checksums SET reports = 1 / (reports - reports)"
            ),
        )
        with pytest.raises(StoreUnavailable):
            store.insert_reports([first])
    assert reports_in(store) == {}
    assert store.insert_reports([first, second]) == [Outcome.STORED, Outcome.STORED]


def test_known_ids_are_looked_up_by_key(store: Store, survey: Survey) -> None:
    store.insert_reports([report(survey) for _ in range(50)])
    plans: list[str] = []

    class Explaining:
        def __init__(self, raw: psycopg.Connection) -> None:
            self._raw = raw

        def execute(self, sql: bytes, values: Sequence[Any]) -> psycopg.Cursor:
            plans.extend(line for (line,) in self._raw.execute(b"EXPLAIN " + sql, values))
            return self._raw.execute(sql, values)

    with inside(store).lend() as db:
        explained = Connection(Explaining(db.raw), db.place)  # type: ignore[arg-type]
        assert not explained.has_any("reports", 1, [bytes(16), bytes(range(16))])
    keys = [line for line in plans if "Index Cond" in line]
    assert keys
    assert all("id = given.id" in line for line in keys)
    assert not any("Filter" in line and "id = " in line for line in plans)


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


@pytest.mark.promise("no-sender")
def test_both_engines_have_the_same_tables_and_columns(store: Store, tmp_path: Path) -> None:
    # Those of SQLite are an allow-list that a test holds: no column is about a respondent.
    with (
        closing(open_store(f"sqlite:///{tmp_path}/store.db")) as other,
        other._engine.lend() as db,
    ):
        tables = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        expected = {
            name: [row[1] for row in db.execute(f"PRAGMA table_info({name})")] for (name,) in tables
        }
    assert columns(tmp_path) == {**expected, "store": ["version"]}


@pytest.mark.promise("no-sender")
def test_every_table_has_its_rewriting_key(store: Store, tmp_path: Path) -> None:
    without = CLUSTER.admin().execute(
        "SELECT relname FROM pg_class AS t WHERE relnamespace = to_regnamespace(%s) "
        "AND relkind = 'r' AND NOT EXISTS (SELECT FROM pg_index "
        "WHERE indrelid = t.oid AND indisprimary)",
        (POSTGRES.schema(tmp_path),),
    )
    assert without.fetchall() == [("store",)]


@pytest.mark.promise("no-sender")
@pytest.mark.promise("order")
def test_the_planner_keeps_no_samples(store: Store, survey: Survey, tmp_path: Path) -> None:
    store.insert_reports([report(survey) for _ in range(300)])
    store.add_sign_in(b"h" * 32, expires=9, now=0)
    name = POSTGRES.schema(tmp_path)
    admin = CLUSTER.admin()
    for table in ("reports", "held", "sign_ins", "sessions"):
        admin.execute(f"ANALYZE {name}.{table}".encode())
    sampled = admin.execute(
        "SELECT DISTINCT attname::text FROM pg_stats WHERE schemaname = %s ORDER BY 1", (name,)
    ).fetchall()
    assert {column for (column,) in sampled} == {"expires", "revision"}


RIGHTS = ("pg_checkpoint TO", "EXECUTE ON FUNCTION pg_switch_wal() TO")
ARRIVALS = 400
MARK = b"the mark"


@pytest.fixture
def may_begin_new_logs(tmp_path: Path) -> Iterator[None]:
    """Give the role the two rights that the operator's guide names."""
    POSTGRES.url(tmp_path)  # so that the server runs
    for right in RIGHTS:
        CLUSTER.admin().execute(f"GRANT {right} deniable".encode())
    yield
    for right in RIGHTS:
        CLUSTER.admin().execute(f"REVOKE {right.replace(' TO', ' FROM')} deniable".encode())


def orders(sent: list[Report]) -> dict[str, float]:
    """Return how far the places of the reports in each file go with their arrival, from -1 to 1."""
    arrivals = {one.id: arrival for arrival, one in enumerate(sent)}
    found = {}
    for file in sorted(file for file in CLUSTER.data.rglob("*") if file.is_file()):
        last = {
            arrivals[match[0]]: match.start()
            for match in re.finditer(MARK + b".{8}", file.read_bytes(), re.DOTALL)
            if match[0] in arrivals
        }
        if len(last) > 10:
            places = [last[arrival] for arrival in sorted(last)]
            ranks = np.argsort(np.argsort(places))
            order = float(np.corrcoef(ranks, range(len(ranks)))[0, 1])
            found[str(file.relative_to(CLUSTER.data))] = order
    return found


@pytest.mark.slow
@pytest.mark.promise("no-sender", "order")
@pytest.mark.parametrize("batch", [1, 10])
@pytest.mark.usefixtures("may_begin_new_logs")
def test_no_server_file_tells_who_was_first(tmp_path: Path, batch: int) -> None:
    survey = surveys.survey(batch=batch)
    sent = [report(survey, id=MARK + secrets.token_bytes(8)) for _ in range(ARRIVALS)]
    with closing(open_store(POSTGRES.url(tmp_path))) as store:
        store.register(survey)
        for one in sent:
            store.insert_reports([one])
        CLUSTER.admin().execute("CHECKPOINT")
        before = orders(sent)
        assert max(map(abs, before.values())) > 0.95, (
            "the thief does not see an order that is there"
        )
        store.set_state("doping", State.CLOSED)
        after = orders(sent)
    # What is left are the slices and their indexes, and no log of writes. Each slice has about 50
    # reports in the order of their keys: all in all, a standard deviation of 1/20.
    assert {name.split("/")[0] for name in after} == {"base"}
    assert len(after) >= 16
    assert abs(np.mean([*after.values()])) < 0.3


@pytest.mark.promise("no-sender", "order")
@pytest.mark.usefixtures("may_begin_new_logs")
def test_no_server_file_has_what_was_deleted(tmp_path: Path, survey: Survey) -> None:
    secret = b"the hash of a link that was used"
    with closing(open_store(POSTGRES.url(tmp_path))) as store:
        store.add_sign_in(secret, expires=100, now=0)
        store.take_sign_in(secret, now=0)
        assert store.erase_order()
    holding = [f for f in CLUSTER.data.rglob("*") if f.is_file() and secret in f.read_bytes()]
    assert holding == []
