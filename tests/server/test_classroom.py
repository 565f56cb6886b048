"""A whole class at once, by the protocol: phones join and answer, the projector follows."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from deniable.client.connection import Connection
from deniable.server.desk.live import session
from deniable.server.store import Store, open_store
from deniable.server.store.meetings import Meeting
from tests import surveys
from tests.addresses import at
from tests.server.calling import report
from tests.server.running import Running, running
from tests.server.students import Follower, Student, all_at_once

pytestmark = pytest.mark.promise("class-limit")


@contextmanager
def a_class(folder: Path) -> Iterator[tuple[Running, Store, Meeting]]:
    """Begin a meeting on a server of its own, with the usual limit for each network."""
    survey = surveys.survey()
    with (
        running(folder, [survey], limit=(300, False)) as server,
        closing(open_store(f"sqlite:///{folder}/store.db", create=False)) as store,
    ):
        yield server, store, session.begin_meeting(store, "", survey)


def go_to(store: Store, meeting: Meeting, step: str) -> None:
    session.change(store, meeting.id, lambda now: session.go(now, step))


def play(folder: Path, size: int) -> tuple[float, float]:
    """Play the question with so many students.

    Return after how many seconds all answers were acknowledged, and how much later the projector
    showed them all. A test waits.
    """
    with a_class(folder) as (server, store, meeting):
        students = [Student(server.url, meeting.code, place % 2) for place in range(size)]
        with Follower(server.desk_url, meeting.id) as projector:
            all_at_once(students, Student.join)
            _poll(students[0])
            projector.until(lambda one: (one["count"], one["counted"]) == (size, "joined"))
            begun = time.monotonic()
            go_to(store, meeting, "question")
            all_at_once(students, Student.answer)
            answered = max(one.acknowledged for one in students)
            seen = projector.until(lambda one: one["scene"]["n"] == size)
            # What came is what was sent, bit by bit, and another survey takes reports meanwhile.
            sent = [one.sent.answers[0] for one in students if one.sent]
            assert session.counts_of(store, meeting.slug()) == (sent.count(0), sent.count(1))
            assert _send_to_another(server, store) == 201
        return answered - begun, seen - answered


def _poll(student: Student) -> None:
    """Ask once where the class is, as each phone does all the time: then phones are counted."""
    time.sleep(1.1)
    with closing(Connection(student.origin)) as connection:
        connection.get(f"/join/{student.code}/step.json")


def _send_to_another(server: Running, store: Store) -> int:
    survey = store.survey("doping")
    with closing(Connection(server.url, waits=())) as connection:
        answer = connection.post(at("doping", "reports"), report(survey).to_json(), {})
    return answer.status


@pytest.mark.parametrize("size", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_a_class_answers_and_the_projector_follows(tmp_path: Path, size: int) -> None:
    play(tmp_path, size)
