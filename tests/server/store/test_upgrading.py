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

from deniable import Report, Survey
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
from deniable.server.store.sql import tables
from deniable.server.store.sqlite import versions
from deniable.server.store.upgrading import upgrade
from tests.kit import report, reports_in, tables_in
from tests.server.store.cluster import CLUSTER
from tests.server.store.engines import ENGINES, POSTGRES, SQLITE, Engine, brought_up_to_date, inside
from tests.server.store.filled import COUNTS, KNOWN, fill

pytestmark = pytest.mark.promise("upgrade")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path) -> Iterator[None]:
    """Work in the test's folder, where backups of databases are kept."""
    (tmp_path / "backups").mkdir()
    with contextlib.chdir(tmp_path / "backups"):
        yield


@pytest.mark.parametrize("reading", [True, False])
def test_an_older_store_is_left_alone(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reading: bool
) -> None:
    engine.write_before(tmp_path, monkeypatch)
    before = engine.image(tmp_path)
    for create in (True, False):
        with pytest.raises(
            StoreOutdated, match=r"version 1, expected version 2.* 'deniable upgrade"
        ):
            open_store(engine.url(tmp_path), create=create, read_only=reading)
    assert engine.image(tmp_path) == before


def test_an_upgrade_s_backup_fits_both_releases(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        engine.write_before(tmp_path, patch)
        kept = brought_up_to_date(engine.url(tmp_path), tmp_path)
        assert kept.name in ("store.db.v1.backup", "postgres.v1.backup")
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        with closing(sqlite3.connect(f"file:{kept}?mode=ro&immutable=1", uri=True)) as db:
            assert db.execute("PRAGMA user_version").fetchone() == (1,)
        with closing(open_store(engine.url(tmp_path), create=False)) as store:
            rows = tables_in(store, backed_up=True)
        for other in ENGINES:
            with closing(open_store(other.url(tmp_path, f"again-{other.name}"))) as again:
                assert restore(kept, again) == sum(COUNTS.values())
                assert tables_in(again) == rows
                assert again.check() == []
        assert upgrade(engine.url(tmp_path)) is None
    # And the release that wrote the store.
    with closing(open_store(engine.url(tmp_path, "as-it-was"))) as again:
        assert restore(kept, again) == sum(COUNTS.values())
        assert tables_in(again) == rows


def test_nothing_is_lost(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_store(engine.url(tmp_path))) as store:
        fill(store)
        before = tables_in(store)
    engine.make_later(monkeypatch)
    brought_up_to_date(engine.url(tmp_path), tmp_path)
    with closing(open_store(engine.url(tmp_path), create=False)) as store:
        assert tables_in(store) == before
        assert store.check() == []
        # And it goes on from there: a report that came before the upgrade is known.
        new = report(store.survey("doping"))
        assert store.insert_reports([KNOWN, new]) == [Outcome.REPEATED, Outcome.STORED]


def test_a_store_passes_through_every_version_between(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.write_before(tmp_path, monkeypatch)
    monkeypatch.setattr(tables, "VERSION", 3)
    monkeypatch.setattr(tables, "TABLES", tables.TABLES.replace("later (x", "later (y integer, x"))
    added = ("ALTER TABLE later ADD COLUMN y integer", "ALTER TABLE later DROP COLUMN y")
    monkeypatch.setattr(tables, "CHANGES", {**tables.CHANGES, 3: (added,)})
    kept = brought_up_to_date(engine.url(tmp_path), tmp_path)
    assert ".v1.backup" in kept.name
    with (
        closing(open_store(engine.url(tmp_path), create=False)) as store,
        inside(store).lend() as db,
    ):
        assert {*inside(store).columns(db)["later"]} == {"x", "y"}


@pytest.mark.parametrize("difference", [-4, 1])
def test_a_store_of_an_unknown_version_is_refused(
    store: Store, engine: Engine, tmp_path: Path, difference: int
) -> None:
    store.close()
    engine.set_version(tmp_path, difference)
    before = engine.image(tmp_path)
    told = "at most version 1: .* newer" if difference > 0 else "at least version 1: .* restore"
    for use in (open_store, upgrade, age_of):
        with pytest.raises(StoreError, match=rf"version {1 + difference}, expected {told}"):
            use(engine.url(tmp_path))
    assert engine.image(tmp_path) == before


def test_a_backup_that_is_there_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "store.db.v1.backup").write_text("of somebody's")
    SQLITE.write_before(tmp_path, monkeypatch)
    kept = brought_up_to_date(SQLITE.url(tmp_path), tmp_path)
    assert kept == tmp_path / "store.db.v1-2.backup"
    assert (tmp_path / "store.db.v1.backup").read_text() == "of somebody's"


def test_nothing_is_upgraded_that_somebody_has_open(
    store: Store, engine: Engine, tmp_path: Path, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    for read_only in (False, True):
        with (
            closing(open_store(engine.url(tmp_path), read_only=read_only)) as opened,
            monkeypatch.context() as patch,
        ):
            assert opened.count("doping") == 0
            engine.make_later(patch)
            engine.wait_for(100, patch)  # only here: a busy database notices late who has gone
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
    for read_only in (False, True):
        with alone(engine.url(tmp_path)) as held, monkeypatch.context() as patch:
            assert held.version == tables.VERSION
            engine.wait_for(100, patch)
            with pytest.raises(StoreUnavailable, match="another process is using it"):
                open_store(engine.url(tmp_path), read_only=read_only)
    open_store(engine.url(tmp_path)).close()


def test_another_version_s_store_is_never_refused_for_good(
    store: Store, engine: Engine, tmp_path: Path, survey: Survey
) -> None:
    """As if it was upgraded by somebody who could not see that it is in use."""
    first, second = report(survey), report(survey)
    store.insert_reports([first])
    unknown = Report("doping", "0" * 64, bytes(16), b"\0")
    engine.set_version(tmp_path, 1)
    for use in (
        lambda: store.insert_reports([second]),
        lambda: store.insert_reports([unknown]),
        lambda: store.revision("doping", "0" * 64),
        lambda: store.current_revision("another"),
        lambda: store.schedule("another"),
        store.check_place,
    ):
        with pytest.raises(StoreUnavailable, match=r"found a store of version \d+, expected"):
            use()
    engine.set_version(tmp_path, 0)
    assert store.insert_reports([second, first]) == [Outcome.STORED, Outcome.REPEATED]
    with pytest.raises(KeyError):
        store.revision("doping", "0" * 64)


def test_a_store_that_is_damaged_is_not_upgraded(
    store: Store, engine: Engine, tmp_path: Path, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.insert_reports([report(survey)])
    store.close()
    spoil = "UPDATE {}checksums SET reports = reports + 1"
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
    assert age_of(engine.url(tmp_path)).found == tables.VERSION
    assert before is None or (tmp_path / "store.db").read_bytes() == before
    assert not [*Path().iterdir(), *tmp_path.glob("*.backup")]


def test_a_crash_in_an_upgrade_changes_nothing(
    store: Store, engine: Engine, tmp_path: Path, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = report(survey)
    store.insert_reports([sent])
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
    kept = brought_up_to_date(engine.url(tmp_path), tmp_path)
    assert f".v{tables.VERSION - 1}" in kept.name


def test_a_migration_is_whole_or_not_at_all(
    store: Store, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    before = engine.image(tmp_path)
    with monkeypatch.context() as patch:
        engine.make_later(patch)
        changes = (*tables.CHANGES[tables.VERSION], ("SELECT nothing()", "SELECT 1"))
        patch.setattr(tables, "CHANGES", {tables.VERSION: changes})
        with pytest.raises((StoreError, StoreUnavailable)):
            upgrade(engine.url(tmp_path))
    assert engine.image(tmp_path) == before
    assert not [*Path().iterdir(), *tmp_path.glob("*.backup")]


def test_unlockable_is_not_upgraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(37, "No locks available")

    SQLITE.write_before(tmp_path, monkeypatch)
    before = SQLITE.image(tmp_path)
    monkeypatch.setattr("fcntl.lockf", no_locks)
    with pytest.raises(StoreError, match=r"no file can be locked here \(No locks available\)"):
        upgrade(SQLITE.url(tmp_path))
    assert SQLITE.image(tmp_path) == before


def test_an_unseen_server_is_warned_of(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.write_before(tmp_path, monkeypatch)
    assert not age_of(engine.url(tmp_path)).unseen
    monkeypatch.setattr(versions, "is_over_network", lambda _: True)
    assert ("network file system" in age_of(engine.url(tmp_path)).unseen) is (engine is SQLITE)
