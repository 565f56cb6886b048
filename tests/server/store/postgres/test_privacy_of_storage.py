"""What a thief of the server's folder learns of the order of arrival, once a store is settled."""

import re
import secrets
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from deniable import Report, Survey
from deniable.server.store import State, open_store
from tests.kit import report, surveys
from tests.server.store.cluster import CLUSTER
from tests.server.store.engines import POSTGRES

pytestmark = pytest.mark.promise("no-sender", "order")

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


@pytest.mark.parametrize("batch", [1, 10])
@pytest.mark.usefixtures("may_begin_new_logs")
def test_no_server_file_tells_who_was_first(tmp_path: Path, batch: int) -> None:
    survey = surveys.survey(batch=batch)
    sent = [report(survey, id=MARK + secrets.token_bytes(8)) for _ in range(ARRIVALS)]
    with closing(open_store(POSTGRES.url(tmp_path))) as store:
        store.register(survey)
        for one in sent:
            store.insert_batch([one])
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


@pytest.mark.usefixtures("may_begin_new_logs")
def test_no_server_file_has_what_was_deleted(tmp_path: Path, survey: Survey) -> None:
    secret = b"the hash of a link that was used"
    with closing(open_store(POSTGRES.url(tmp_path))) as store:
        store.add_sign_in(secret, expires=100, now=0)
        store.take_sign_in(secret, now=0)
        assert store.erase_order()
    holding = [f for f in CLUSTER.data.rglob("*") if f.is_file() and secret in f.read_bytes()]
    assert holding == []
