import http.client
import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from deniable.report import Report
from deniable.server.store import open_store
from tests import surveys
from tests.server.calling import report
from tests.server.running import running
from tests.server.sending import load, send
from tests.server.stored import reports_in

ROUNDS = 10


@pytest.mark.slow
def test_what_is_acknowledged_survives_kill_9_exactly_once(tmp_path: Path) -> None:
    questions = (surveys.single(f"q{number}") for number in range(4))
    survey = surveys.survey(*questions, batch=10)
    chance = random.Random(0)
    statuses: dict[Report, int] = {}
    for _ in range(ROUNDS):
        with (
            running(tmp_path, [survey]) as server,
            load(
                server.port, 8, lambda: report(survey, bytes(chance.choices((0, 1), k=4)))
            ) as sent,
        ):
            time.sleep(chance.uniform(0.3, 1.2))
            server.kill()
        statuses |= sent
    acknowledged = [one for one, status in statuses.items() if status == 201]
    unknown = [one for one, status in statuses.items() if status == 0]
    assert len(acknowledged) + len(unknown) == len(statuses)
    assert len(acknowledged) > 100 * ROUNDS
    assert unknown, "no kill hit a request under way"

    store = open_store(f"sqlite:///{tmp_path}/store.db")
    before = reports_in(store)
    with closing(sqlite3.connect(tmp_path / "store.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    shown = list(store.snapshot_answers("doping", survey.revision))
    snapshot = store.snapshot("doping")
    assert snapshot.count() == sum(map(len, shown)) // 4 == max(0, len(before) // 10 - 1) * 10
    assert before.keys() <= {one.id for one in statuses}
    assert all(before.get(one.id) == one.answers for one in acknowledged)

    with running(tmp_path, [survey]) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        # A device that heard nothing sends the same bytes again, and learns what is true.
        for one in unknown:
            assert send(connection, one) == (200 if one.id in before else 201)
        for one in acknowledged[:: len(acknowledged) // 100]:
            assert send(connection, one) == 200
        connection.close()
        assert server.stop() == 0
    after = reports_in(store)
    store.close()
    assert len(after) == len(statuses)
    assert after == {one.id: one.answers for one in statuses}
