"""A report that waits on a device is taken after an upgrade, as it was written before it.

What was written is frozen (`tests.vectors.waiting`): from the first release on it stays so. The
browser's part is in `tests/client/browser/core/waiting.test.js`.
"""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from deniable.report import Report
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.respondents_program import create_respondents_program
from deniable.server.store import Store, open_store
from deniable.server.store.postgres.engine import open_database
from deniable.server.store.sqlite.engine import open_file
from deniable.study import Study
from tests.kit import Caller, reports_in
from tests.server.store.engines import ENGINES, SQLITE, Engine, brought_up_to_date
from tests.vectors import waiting

pytestmark = pytest.mark.promise("upgrade")

FROZEN = waiting.read()

SLUG = FROZEN["rows"]["surveys"]["slug"]


def write_frozen(engine: Engine, folder: Path) -> None:
    """Write the store of the release that was frozen."""
    database: Any
    if engine is SQLITE:
        path = folder / "store.db"
        open_file(path).close()
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
    assert Study.of(survey, upgraded.answers(SLUG, survey.revision), "frozen").n == 1
