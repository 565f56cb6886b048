"""Two processes write to one store, and neither is in the other's way."""

import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from deniable import Report, Survey
from deniable.server.intake.group_commit import QUIET
from deniable.server.store import open_store
from tests.kit import Running, load, report, running, send_alone, sign_in, url_for


class Researcher:
    """Somebody at the desk of a server that runs."""

    def __init__(self, server: Running) -> None:
        self._server = server
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with sign_in(self._opener, server.sign_in) as page:
            self.page = page.read().decode()

    def look(self, path: str) -> str:
        return self._read(f"{self._server.desk_url}{path}")

    def press(self, path: str, **form: str) -> None:
        token = self.page.split('name="csrf_token" value="')[1].split('"')[0]
        data = urllib.parse.urlencode({"csrf_token": token, **form}).encode()
        headers = {"Origin": self._server.desk_url}
        request = urllib.request.Request(f"{self._server.desk_url}{path}", data, headers)
        self._opener.open(request, timeout=60).close()

    def _read(self, url: str) -> str:
        with self._opener.open(url, timeout=60) as response:
            text: str = response.read().decode()
        return text


def test_an_open_desk_keeps_no_order_of_arrival(tmp_path: Path, survey: Survey) -> None:
    with running(tmp_path, [survey]) as server:
        researcher = Researcher(server)
        for _ in range(20):
            assert send_alone(server.port, report(survey)) == 201
        assert "20" in researcher.look(url_for("results.page"))
        log = tmp_path / "store.db-wal"
        end = time.monotonic() + QUIET + 30
        # The desk holds its connections; the writer settles all the same.
        while log.stat().st_size:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert "20" in researcher.look(url_for("results.page"))


@pytest.mark.slow
def test_changes_at_the_desk_cost_no_report(tmp_path: Path, survey: Survey) -> None:
    sent: dict[Report, int]
    with running(tmp_path, [survey]) as server:
        researcher = Researcher(server)
        with load(server.port, 6, lambda: report(survey)) as sent:
            for state in ("closed", "open") * 2:
                researcher.press(url_for("surveys.set_state"), state=state)
                researcher.look(url_for("results.page"))
                time.sleep(0.1)
        assert server.stop() == 0
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    stored = b"".join(store.answers("doping", survey.revision))
    acknowledged = [status for status in sent.values() if status == 201]
    # Closed at times, and never locked out: what was not stored was refused for being closed.
    assert set(sent.values()) <= {201, 410}
    assert {*sent.values()} >= {201, 410}
    assert len(stored) == store.count("doping") == len(acknowledged)
    store.close()
