import http.client
import random
import time
from pathlib import Path

import pytest

from deniable.report import Report
from deniable.server.store import open_store
from tests import surveys
from tests.server.calling import report
from tests.server.running import running
from tests.server.sending import load, send

ROUNDS = 10


@pytest.mark.slow
def test_what_is_acknowledged_survives_kill_9_exactly_once(tmp_path: Path) -> None:
    survey = surveys.survey(*(surveys.single(f"q{number}") for number in range(4)))
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
    with store._connections.lend() as db:
        before = dict(db.execute("SELECT id, answers FROM reports").fetchall())
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
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
    with store._connections.lend() as db:
        rows = db.execute("SELECT id, answers FROM reports").fetchall()
    store.close()
    assert len(rows) == len(statuses)
    assert dict(rows) == {one.id: one.answers for one in statuses}
