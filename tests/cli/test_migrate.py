"""``deniable migrate``: whole, counted anew, and never while somebody writes."""

from contextlib import closing
from pathlib import Path

from deniable.server.store import open_store
from tests.cli.conftest import Run
from tests.kit import report, reports_in, surveys
from tests.server.store.engines import POSTGRES

SURVEY = surveys.survey()


def filled(address: str) -> dict[bytes, bytes]:
    """Make a store with reports in it, and return them."""
    with closing(open_store(address)) as store:
        store.register(SURVEY)
        store.insert_batch([report(SURVEY) for _ in range(1200)])
        return reports_in(store)


def kept(address: str) -> tuple[dict[bytes, bytes], object]:
    with closing(open_store(address, create=False)) as store:
        return reports_in(store), store.snapshot(SURVEY.slug)


def test_a_store_moves_to_postgresql_and_back(run: Run, tmp_path: Path) -> None:
    sent = filled(f"sqlite:///{tmp_path}/old.db")
    there = POSTGRES.url(tmp_path).replace("deniable@", "deniable:hunter2@")
    result = run("migrate", f"{tmp_path}/old.db", there)
    assert "1,200 reports" in result.output
    assert "hunter2" not in result.output
    result = run("migrate", there, f"{tmp_path}/back.db")
    old, new, back = map(
        kept, (f"sqlite:///{tmp_path}/old.db", there, f"sqlite:///{tmp_path}/back.db")
    )
    assert old[0] == sent
    assert old == new == back


def test_a_store_in_use_stays_there(run: Run, tmp_path: Path) -> None:
    filled(f"sqlite:///{tmp_path}/old.db")

    def refused(busy: str) -> None:
        with closing(open_store(busy)) as store:
            assert isinstance(store.surveys(), list)
            result = run("migrate", f"{tmp_path}/old.db", there, exits=1)
        assert "another program has this store open" in result.output

    there = POSTGRES.url(tmp_path)
    for busy in (f"sqlite:///{tmp_path}/old.db", there):
        refused(busy)
    with closing(open_store(there)) as store:
        assert not store.surveys()
