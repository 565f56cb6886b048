"""Stores found by their addresses, and moved from one to another."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from itertools import product
from pathlib import Path

import pytest

from deniable.server.store import (
    Outcome,
    Store,
    StoreError,
    StoreUnavailable,
    files_of,
    open_store,
    store_url,
    temporary_store,
)
from deniable.server.store.accounts import Role
from deniable.server.store.records import TableCopy
from deniable.survey import Survey
from tests.kit import of_wave, report, reports_in, surveys
from tests.server.store.engines import ENGINES, Engine
from tests.server.store.filled import COUNTS, KNOWN, LEFT, PANEL, SURVEY, fill

WRONG = ["mysql://localhost/x", "store.db", "sqlite:store.db", "sqlite:///", ""]


@pytest.mark.parametrize("bad", [*WRONG, "sqlite:///:memory:"])
def test_another_kind_of_store_is_refused(bad: str) -> None:
    with pytest.raises(StoreError, match=r"found the store .*, expected sqlite:///PATH"):
        open_store(bad)
    with pytest.raises(StoreError, match=r"found the store .*, expected sqlite:///PATH"):
        files_of(bad)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("study.db", "sqlite:///study.db"),
        ("./a folder/study.db", "sqlite:///./a folder/study.db"),
        ("/var/lib/study.db", "sqlite:////var/lib/study.db"),
        ("sqlite:///study.db", "sqlite:///study.db"),
        ("sqlite:study.db", "sqlite:study.db"),
        ("mysql://localhost/x", "mysql://localhost/x"),
    ],
)
def test_a_path_is_a_url_too(text: str, url: str) -> None:
    assert store_url(text) == url


def test_a_temporary_store_is_gone_in_the_end(survey: Survey) -> None:
    with temporary_store() as store:
        store.register(survey)
        assert Path(store.name).is_file()
    assert not Path(store.name).parent.exists()


@pytest.fixture(params=product(ENGINES, ENGINES), ids=lambda pair: f"{pair[0].name}-{pair[1].name}")
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Open a store with all that one can hold, and an empty one."""
    with ExitStack() as stack:
        old, new = (
            stack.enter_context(closing(open_store(engine.url(tmp_path, name))))
            for engine, name in zip(request.param, ("old", "new"), strict=True)
        )
        fill(old)
        yield old, new


def move(old: Store, new: Store) -> int:
    with old.moving_out() as tables:
        return new.move_in(tables)


@pytest.mark.promise("stores")
def test_a_whole_store_moves_and_nobody_signed_in(stores: tuple[Store, Store]) -> None:
    old, new = stores
    assert move(old, new) == sum(COUNTS.values())
    assert new.surveys() == old.surveys()
    assert (new.users(), new.shares("doping")) == (old.users(), old.shares("doping"))
    assert (new.sessions("ann", 2), new.take_sign_in(b"h", 2)) == ([], None)
    for slug in ("doping", "panel"):
        assert new.revisions(slug) == old.revisions(slug)
        assert new.snapshot(slug) == old.snapshot(slug)
        assert reports_in(new, slug) == reports_in(old, slug)
        assert new.wave(slug) == old.wave(slug)
    assert [new.left(slug) for slug in ("doping", "panel")] == [("", 0), (LEFT, 10)]
    # It goes on from there, also with another revision.
    sent = [report(SURVEY), KNOWN, KNOWN._replace(answers=b"\0"), of_wave(PANEL, 2)]
    assert new.insert_reports(sent) == [
        Outcome.STORED,
        Outcome.REPEATED,
        Outcome.CONFLICT,
        Outcome.CLOSED,
    ]
    third = surveys.survey(title="Doping, a third time", batch=10)
    new.register(third)
    assert new.revisions("doping")[0] == third.revision


@pytest.mark.promise("stores")
def test_only_empty_stores_take_in_others(stores: tuple[Store, Store]) -> None:
    old, new = stores
    new.add_user("bob", Role.ADMINISTRATOR)
    with pytest.raises(StoreError, match="holds something already"):
        move(old, new)
    assert (new.surveys(), len(new.users())) == ([], 1)


@pytest.mark.promise("stores")
def test_what_is_counted_otherwise_is_not_kept(stores: tuple[Store, Store]) -> None:
    old, new = stores

    def without_one(tables: Iterator[TableCopy]) -> Iterator[TableCopy]:
        for table in tables:
            if table.name == "reports":
                next(table.rows)
            yield table

    with old.moving_out() as tables, pytest.raises(StoreError, match="do not give the tallies"):
        new.move_in(without_one(tables))
    assert new.surveys() == []
    assert new.users() == []
    assert move(old, new) == sum(COUNTS.values())


@pytest.mark.promise("stores")
def test_nobody_writes_to_a_store_that_moves_out(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.wait_for(100, monkeypatch)
    with closing(open_store(engine.url(tmp_path))) as store:
        store.register(SURVEY)
        with store.moving_out(), pytest.raises(StoreUnavailable, match="another process"):
            store.insert_reports([report(SURVEY)])
        assert store.insert_reports([report(SURVEY)]) == [Outcome.STORED]


@pytest.mark.promise("stores")
def test_a_store_knows_who_has_it_open(engine: Engine, tmp_path: Path) -> None:
    address = engine.url(tmp_path)
    with closing(open_store(address)) as store:
        store.register(SURVEY)
        assert not store.is_used_elsewhere()
        with closing(open_store(address)) as other:
            other.surveys()
            assert store.is_used_elsewhere()
        assert not store.is_used_elsewhere()
        assert store.insert_reports([report(SURVEY)]) == [Outcome.STORED]
