"""An older store becomes a newer one: alone, after a backup, and only if somebody asks for it."""

import contextlib
import os
import signal
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from deniable.report import Report
from deniable.server.store import (
    Outcome,
    Store,
    StoreError,
    StoreOutdated,
    StoreUnavailable,
    open_store,
)
from deniable.server.store.backups import restore
from deniable.server.store.opening import age_of
from deniable.server.store.postgres import schema as schema_of_postgres
from deniable.server.store.sqlite import schema, versions
from deniable.server.store.upgrading import upgrade
from deniable.survey import Survey
from tests.server.calling import report
from tests.server.store.cluster import CLUSTER
from tests.server.store.engines import ENGINES, POSTGRES, SQLITE, Engine, brought_up_to_date
from tests.server.stored import reports_in

pytestmark = pytest.mark.promise("upgrade")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path) -> Iterator[None]:
    """Work in the test's folder, where backups of databases are kept."""
    (tmp_path / "backups").mkdir()
    with contextlib.chdir(tmp_path / "backups"):
        yield


@pytest.mark.parametrize("reading", [True, False])
def test_an_older_store_is_left_alone_and_says_what_to_do(
    engine: Engine, tmp_path: Path, survey: Survey, reading: bool
) -> None:
    engine.write_first_version(tmp_path, survey)
    before = engine.image(tmp_path)
    for create in (True, False):
        with pytest.raises(
            StoreOutdated, match=r"version 1, expected version .* 'deniable upgrade"
        ):
            open_store(engine.url(tmp_path), create=create, read_only=reading)
    assert engine.image(tmp_path) == before


def test_an_upgrade_keeps_a_backup_that_both_engines_take(
    engine: Engine, tmp_path: Path, survey: Survey
) -> None:
    engine.write_first_version(tmp_path, survey)
    done = brought_up_to_date(engine.url(tmp_path), tmp_path)
    assert done.age.found == 1
    assert done.kept.name in ("store.db.v1.backup", "postgres.v1.backup")
    assert stat.S_IMODE(done.kept.stat().st_mode) == 0o600
    with closing(sqlite3.connect(f"file:{done.kept}?mode=ro&immutable=1", uri=True)) as db:
        # Of the version that it was, for the release that wrote it.
        as_file = 1 if engine is SQLITE else schema_of_postgres.AS_FILE[0]
        assert db.execute("PRAGMA user_version").fetchone() == (as_file,)
    with closing(open_store(engine.url(tmp_path), create=False)) as store:
        kept = reports_in(store)
        assert kept == {bytes(16): b"\0"}
        assert store.check() == []
    for other in ENGINES:
        with closing(open_store(other.url(tmp_path, f"again-{other.name}"))) as again:
            assert restore(done.kept, again) == 1
            assert reports_in(again) == kept
            assert again.survey("doping") == survey
    assert upgrade(engine.url(tmp_path)) is None


def test_a_backup_that_is_there_stays(tmp_path: Path, survey: Survey) -> None:
    (tmp_path / "store.db.v1.backup").write_text("of somebody's")
    SQLITE.write_first_version(tmp_path, survey)
    done = brought_up_to_date(SQLITE.url(tmp_path), tmp_path)
    assert done.kept == tmp_path / "store.db.v1-2.backup"
    assert (tmp_path / "store.db.v1.backup").read_text() == "of somebody's"


def test_nothing_is_upgraded_that_somebody_has_open(
    store: Store, engine: Engine, tmp_path: Path, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    engine.hasten(monkeypatch)
    for read_only in (False, True):
        with (
            closing(open_store(engine.url(tmp_path), read_only=read_only)) as opened,
            monkeypatch.context() as patch,
        ):
            assert opened.count("doping") == 0
            engine.make_later(patch)
            with pytest.raises(StoreError, match="another program has this store open"):
                upgrade(engine.url(tmp_path))
            assert opened.count("doping") == 0
            assert not [*Path().iterdir(), *tmp_path.glob("*.backup")]
    engine.make_later(monkeypatch)
    assert upgrade(engine.url(tmp_path)) is not None


def test_nobody_opens_a_store_while_it_is_upgraded(
    store: Store, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deniable.server.store.opening import alone  # noqa: PLC0415

    store.close()
    engine.hasten(monkeypatch)
    for read_only in (False, True):
        with alone(engine.url(tmp_path)) as held:
            assert held.version == age_of_this(engine)
            with pytest.raises(StoreUnavailable, match="another process is using it"):
                open_store(engine.url(tmp_path), read_only=read_only)
    open_store(engine.url(tmp_path)).close()


def age_of_this(engine: Engine) -> int:
    return schema.VERSION if engine is SQLITE else len(schema_of_postgres.MIGRATIONS)


def test_a_program_takes_nothing_for_a_store_of_another_version_and_refuses_nothing_for_good(
    store: Store, engine: Engine, tmp_path: Path, survey: Survey
) -> None:
    """As if it was upgraded by somebody who could not see that it is in use."""
    first, second = report(survey), report(survey)
    store.insert_batch([first])
    unknown = Report("doping", "0" * 64, bytes(16), b"\0")
    engine.set_version(tmp_path, 1)
    for use in (
        lambda: store.insert_batch([second]),
        lambda: store.insert_batch([unknown]),
        lambda: store.revision("doping", "0" * 64),
        lambda: store.current_revision("another"),
        lambda: store.terms("another"),
        store.check_place,
    ):
        with pytest.raises(StoreUnavailable, match=r"found a store of version \d+, expected"):
            use()
    engine.set_version(tmp_path, 0)
    assert store.insert_batch([second, first]) == [Outcome.STORED, Outcome.REPEATED]
    with pytest.raises(KeyError):
        store.revision("doping", "0" * 64)


def test_a_store_that_is_damaged_is_not_upgraded(
    store: Store, engine: Engine, tmp_path: Path, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.insert_batch([report(survey)])
    store.close()
    spoil = "UPDATE {}surveys SET seal = seal + 1"
    if engine is SQLITE:
        with closing(sqlite3.connect(tmp_path / "store.db")) as db, db:
            db.execute(spoil.format(""))
    else:
        CLUSTER.admin().execute(spoil.format(POSTGRES.schema(tmp_path) + ".").encode())
    before = (tmp_path / "store.db").read_bytes() if engine is SQLITE else None
    with monkeypatch.context() as patch:
        engine.make_later(patch)
        with pytest.raises(StoreError, match=r"sum that was kept.*Nothing was changed.*restore"):
            upgrade(engine.url(tmp_path))
    assert age_of(engine.url(tmp_path)).found == age_of_this(engine)
    assert before is None or (tmp_path / "store.db").read_bytes() == before
    assert not [*Path().iterdir(), *tmp_path.glob("*.backup")]


def test_a_crash_in_an_upgrade_leaves_the_store_as_it_was(
    store: Store, engine: Engine, tmp_path: Path, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = report(survey)
    store.insert_batch([sent])
    store.close()
    child = os.fork()
    if child == 0:
        engine.make_later(monkeypatch)
        monkeypatch.setattr(
            "deniable.server.store.upgrading.count_anew",
            lambda _: os.kill(os.getpid(), signal.SIGKILL),  # all is migrated, and not committed
        )
        upgrade(engine.url(tmp_path))
        os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    with closing(open_store(engine.url(tmp_path), create=False)) as again:
        assert reports_in(again).keys() == {sent.id}
        assert again.check() == []
    engine.make_later(monkeypatch)
    assert brought_up_to_date(engine.url(tmp_path), tmp_path).age.found == age_of_this(engine) - 1


def test_each_version_of_postgresql_has_the_tables_of_a_version_of_sqlite(tmp_path: Path) -> None:
    assert len(schema_of_postgres.AS_FILE) == len(schema_of_postgres.MIGRATIONS)
    assert schema_of_postgres.AS_FILE[-1] == schema.VERSION
    url = POSTGRES.url(tmp_path)
    from deniable.server.store.postgres.connections import PostgresConnections  # noqa: PLC0415
    from deniable.server.store.postgres.versions import columns_of  # noqa: PLC0415

    with closing(PostgresConnections(url)) as connections, connections.lend() as db:
        for version, as_file in enumerate(schema_of_postgres.AS_FILE):
            db.run(schema_of_postgres.MIGRATIONS[version])
            path = tmp_path / f"{version}.db"
            path.touch()
            with versions.new(path, as_file) as file:
                expected = {name: {*names} for name, names in versions.columns_of(file).items()}
            found = {name: {*names} for name, names in columns_of(db).items()}
            assert found == {**expected, "store": {"version"}}


def test_where_nothing_can_be_locked_nothing_is_upgraded(
    tmp_path: Path, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(37, "No locks available")

    SQLITE.write_first_version(tmp_path, survey)
    before = SQLITE.image(tmp_path)
    monkeypatch.setattr("fcntl.lockf", no_locks)
    with pytest.raises(StoreError, match=r"no file can be locked here \(No locks available\)"):
        upgrade(SQLITE.url(tmp_path))
    assert SQLITE.image(tmp_path) == before


def test_a_server_that_might_not_be_seen_is_said(
    engine: Engine, tmp_path: Path, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.write_first_version(tmp_path, survey)
    # Those of PostgreSQL have shared a lock from the first version on.
    assert bool(age_of(engine.url(tmp_path)).unseen) is (engine is SQLITE)
    monkeypatch.setattr(versions, "_LAST_UNPROMISED", 0)
    assert not age_of(engine.url(tmp_path)).unseen
    monkeypatch.setattr(versions, "is_over_network", lambda _: True)
    assert ("network file system" in age_of(engine.url(tmp_path)).unseen) is (engine is SQLITE)
