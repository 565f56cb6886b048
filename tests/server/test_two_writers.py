"""Several at once: two processes on a store, and people who wait."""

import asyncio
import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from deniable import Report, Survey
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.respondents_program import create_respondents_program
from deniable.server.store import State, Store, open_store
from deniable.server.store.postgres.engine import open_database
from deniable.study import Study
from tests.kit import Caller, load, report, reports_in, running
from tests.server.store.engines import ENGINES, SQLITE, Engine, brought_up_to_date
from tests.vectors import waiting


@pytest.mark.slow
def test_closing_and_opening_costs_no_report(tmp_path: Path, survey: Survey) -> None:
    with (
        running(tmp_path, [survey]) as server,
        closing(open_store(f"sqlite:///{tmp_path}/store.db")) as store,
    ):
        with load(server.port, 6, lambda: report(survey)) as sent:
            for state in (State.CLOSED, State.OPEN) * 2:
                store.set_state("doping", state)
                time.sleep(0.1)
        assert server.stop() == 0
        # Closed at times, and never locked out: what was not stored was refused for being closed.
        assert {*sent.values()} == {201, 410}
        acknowledged = {one.id for one, status in sent.items() if status == 201}
        assert reports_in(store).keys() == acknowledged


FROZEN = waiting.read()

SLUG = FROZEN["rows"]["surveys"]["slug"]


def write_frozen(engine: Engine, folder: Path) -> None:
    """Write the store of the release that was frozen."""
    database: Any
    if engine is SQLITE:
        path = folder / "store.db"
        open_store(f"sqlite:///{path}").close()
        database, mark = sqlite3.connect(path), "?"
    else:
        database, mark = psycopg.connect(engine.url(folder), autocommit=True), "%s"
        open_database(engine.url(folder)).close()
    with closing(database), database:
        for table, row in FROZEN["rows"].items():
            marks = ", ".join([mark] * len(row))
            insert = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})"  # noqa: S608
            database.execute(insert, [*row.values()])


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.name)
def upgraded(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Store]:
    """Open the store of the frozen release after an upgrade, to a later version than this one."""
    engine = request.param
    write_frozen(engine, tmp_path)
    engine.make_later(monkeypatch)
    brought_up_to_date(engine.url(tmp_path), tmp_path)
    with closing(open_store(engine.url(tmp_path), create=False)) as store:
        yield store


@pytest.mark.promise("upgrade")
def test_an_upgrade_takes_waiting_reports(upgraded: Store, loop: asyncio.AbstractEventLoop) -> None:
    body = FROZEN["body"].encode()
    with contextlib.closing(GroupCommit(upgraded)) as commit:
        call = Caller(create_respondents_program(upgraded, commit), loop)
        assert call.send(body, slug=SLUG).status == 201
        assert call.send(body, slug=SLUG).status == 200
    sent = json.loads(body)
    assert reports_in(upgraded, SLUG) == {bytes.fromhex(sent["id"]): bytes.fromhex(sent["answers"])}
    # And it counts for what is asked now.
    survey = upgraded.survey(SLUG)
    assert Report.from_json(body).revision == survey.revision
    assert Study.of(survey, upgraded.rows(SLUG, survey.revision), "frozen").n == 1
