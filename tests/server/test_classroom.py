"""A whole class at once, by the protocol: phones join and answer, the projector follows."""

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deniable import Report, Survey
from deniable.client.connection import Connection
from deniable.client.respondent import draw_report
from deniable.server.desk.live import session
from deniable.server.store import open_store
from tests.kit import at, report, running, surveys

pytestmark = pytest.mark.promise("class-limit")


@dataclass
class Student:
    """A phone: it joins, waits until something is asked, and answers that."""

    origin: str
    code: str
    truth: int
    sent: Report | None = None

    def join(self) -> None:
        with closing(Connection(self.origin)) as connection:
            assert connection.get(f"/join/{self.code}").status == 200
            assert connection.get(f"/join/{self.code}/step.json?joins").status == 200

    def answer(self) -> None:
        """Poll as a phone does, a little faster, until there is a question; then answer it."""
        with closing(Connection(self.origin)) as connection:
            while not (asked := _json(connection, f"/join/{self.code}/step.json")["asks"]):
                time.sleep(0.5)
            assert connection.get(at(asked)).status == 200
            survey = Survey.from_json(connection.get(f"{at(asked)}survey.json").body)
            self.sent = draw_report(survey, [self.truth])
            assert connection.post(at(asked, "reports"), self.sent.to_json(), {}).status == 201


def all_at_once(students: Sequence[Student], do: Callable[[Student], None]) -> None:
    """Let every phone do something, each in a thread of its own."""
    with ThreadPoolExecutor(len(students)) as threads:
        list(threads.map(do, students))


def _json(connection: Connection, address: str) -> dict[str, Any]:
    answer = connection.get(address)
    assert answer.status == 200
    found: dict[str, Any] = json.loads(answer.body)
    return found


@pytest.mark.parametrize("size", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_a_class_answers_and_the_projector_follows(tmp_path: Path, size: int) -> None:
    survey = surveys.survey()
    with (
        # A server of its own, with the usual limit for each network.
        running(tmp_path, [survey], limit=(300, False)) as server,
        closing(open_store(f"sqlite:///{tmp_path}/store.db", create=False)) as store,
        closing(Connection(server.desk_url)) as projector,
        closing(Connection(server.url, waits=())) as phone,
    ):
        meeting = session.begin_meeting(store, "", survey)
        students = [Student(server.url, meeting.code, place % 2) for place in range(size)]

        def follows(count: int, counted: str) -> None:
            """Wait until the projector shows that so many have come."""
            end, shown = time.monotonic() + 30, None
            while shown != (count, counted):
                assert time.monotonic() < end, shown
                # Each phone asks all the time where the class is: then phones are counted.
                _json(phone, f"/join/{meeting.code}/step.json")
                moment = _json(projector, f"/desk/projector/{meeting.id}/scene.json")
                shown = (moment["count"], moment["counted"])
                time.sleep(0.1)

        all_at_once(students, Student.join)
        follows(size, "joined")
        session.change(store, meeting.id, lambda now: session.go(now, "question"))
        all_at_once(students, Student.answer)
        follows(size, f"of {size} answered")
        # What came is what was sent, bit by bit, and another survey takes reports meanwhile.
        sent = [one.sent.answers[0] for one in students if one.sent]
        assert session.counts_of(store, meeting.slug()) == (sent.count(0), sent.count(1))
        address = at("doping", "reports")
        assert phone.post(address, report(store.survey("doping")).to_json(), {}).status == 201
