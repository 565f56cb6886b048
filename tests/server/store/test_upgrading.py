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
from deniable.server.store.sql import tables
from deniable.server.store.sqlite import versions
from deniable.server.store.upgrading import upgrade
from deniable.survey import Survey
from tests.server.calling import report
from tests.server.store import version_16
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
    engine: Engine, tmp_path: Path, reading: bool
) -> None:
    engine.write_before(tmp_path)
    before = engine.image(tmp_path)
    for create in (True, False):
        with pytest.raises(
            StoreOutdated, match=r"version 16, expected version .* 'deniable upgrade"
        ):
            open_store(engine.url(tmp_path), create=create, read_only=reading)
    assert engine.image(tmp_path) == before


def test_an_upgrade_keeps_a_backup_that_both_engines_take(engine: Engine, tmp_path: Path) -> None:
    engine.write_before(tmp_path)
    kept = brought_up_to_date(engine.url(tmp_path), tmp_path)
    assert kept.name in ("store.db.v16.backup", "postgres.v16.backup")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with closing(sqlite3.connect(f"file:{kept}?mode=ro&immutable=1", uri=True)) as db:
        # Of the version that it was, for the release that wrote it.
        assert db.execute("PRAGMA user_version").fetchone() == (16,)
    for other in ENGINES:
        with closing(open_store(other.url(tmp_path, f"again-{other.name}"))) as again:
            assert restore(kept, again) == 172
            told = {**version_16.expected(), "signed in": []}  # a backup has no sessions
            assert version_16.numbers(again) == told
            assert again.check() == []
    assert upgrade(engine.url(tmp_path)) is None


@pytest.mark.promise("correction")
def test_every_number_of_an_older_store_is_equal_after_the_upgrade(
    engine: Engine, tmp_path: Path
) -> None:
    engine.write_before(tmp_path)
    brought_up_to_date(engine.url(tmp_path), tmp_path)
    with closing(open_store(engine.url(tmp_path), create=False)) as store:
        assert version_16.numbers(store) == version_16.expected()
        assert store.check() == []
        # And it goes on from there: a report that came before the upgrade is known.
        with store.copying("doping") as copy:
            revision = copy.revisions[0].survey
            ((id, answers), *_) = copy.revisions[0].reports
        known = Report("doping", revision.revision, id, answers)
        new = report(store.survey("doping"), bytes(5))
        assert store.insert_batch([known, new]) == [Outcome.REPEATED, Outcome.STORED]
        # What was said by a name is said by columns: trials and questions go with what they are of.
        store.remove_meeting("a")
        for slug in ("doping", "panel"):
            store.delete(slug)
        assert [one.survey.slug for one in store.surveys()] == ["seen"]


@pytest.mark.parametrize("difference", [-4, 1])
def test_a_store_of_any_other_version_is_refused_with_what_upgrades_it(
    store: Store, engine: Engine, tmp_path: Path, difference: int
) -> None:
    store.close()
    engine.set_version(tmp_path, difference)
    told = (
        "expected at most version 17: .* newer"
        if difference > 0
        else "or 17: .* commit [0-9a-f]{7}"
    )
    for use in (open_store, upgrade, age_of):
        with pytest.raises(StoreError, match=rf"version {17 + difference}, {told}|{told}"):
            use(engine.url(tmp_path))


def test_a_backup_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "store.db.v16.backup").write_text("of somebody's")
    SQLITE.write_before(tmp_path)
    kept = brought_up_to_date(SQLITE.url(tmp_path), tmp_path)
    assert kept == tmp_path / "store.db.v16-2.backup"
    assert (tmp_path / "store.db.v16.backup").read_text() == "of somebody's"


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
            assert held.version == tables.VERSION
            with pytest.raises(StoreUnavailable, match="another process is using it"):
                open_store(engine.url(tmp_path), read_only=read_only)
    open_store(engine.url(tmp_path)).close()


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
        lambda: store.schedule("another"),
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
    assert age_of(engine.url(tmp_path)).found == tables.VERSION
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
    kept = brought_up_to_date(engine.url(tmp_path), tmp_path)
    assert f".v{tables.VERSION - 1}" in kept.name


def test_where_nothing_can_be_locked_nothing_is_upgraded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(37, "No locks available")

    SQLITE.write_before(tmp_path)
    before = SQLITE.image(tmp_path)
    monkeypatch.setattr("fcntl.lockf", no_locks)
    with pytest.raises(StoreError, match=r"no file can be locked here \(No locks available\)"):
        upgrade(SQLITE.url(tmp_path))
    assert SQLITE.image(tmp_path) == before


def test_a_server_that_might_not_be_seen_is_said(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.write_before(tmp_path)
    assert not age_of(engine.url(tmp_path)).unseen
    monkeypatch.setattr(versions, "is_over_network", lambda _: True)
    assert ("network file system" in age_of(engine.url(tmp_path)).unseen) is (engine is SQLITE)
