"""The process that takes reports is replaced: its memory is gone, and nothing else is."""

import http.client
import json
import os
import re
import secrets
import subprocess
import sys
import threading
import time
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Self

import pytest

from deniable.crypto.blind import blind
from deniable.report import ID_BYTES, Report
from deniable.server.half_hours import HalfHours
from deniable.server.respondents_program import open_program
from deniable.server.settings import Settings
from deniable.server.store import Store, open_store
from deniable.server.store.invitations import new_codes
from deniable.server.worker import HEAD_TIMEOUT, LEAVING
from deniable.survey import Survey
from tests.kit import (
    LOST,
    MARKS,
    PUBLIC,
    Caller,
    DrawnBefore,
    Running,
    at,
    by_invitation,
    event_loop,
    first_of,
    needs,
    report,
    reports_in,
    running,
    send,
    send_alone,
    started,
    surveys,
    until,
)
from tests.server.test_connections import HALF_A_REPORT, HALF_IN_CHUNKS, begin
from tests.server.test_serving import children_of

ROOT = Path(__file__).parents[2]

OURS = b"\xd5\x1f\x9a\xc4\x77\x0e"
"""How the ids of this test's reports begin, so that they are found in any memory."""

TRACES = {
    "address": rb"198\.19\.\d+\.\d+",  # 198.18.0.0 is a constant of Python
    "browser": rb"Browser-[0-9a-f]{8}",
    "report as sent": OURS.hex().encode() + rb"[0-9a-f]{20}",
    "report as stored": re.escape(OURS) + rb"[^\0]{10}",
}


PAGE = os.sysconf("SC_PAGESIZE")
PIECE = 512 * PAGE


def memory_of(process: int) -> Iterator[bytes]:
    """Yield what a process can have written: the pages that it has in memory or in swap."""
    here = Path(f"/proc/{process}")
    with (
        (here / "mem").open("rb", buffering=0) as memory,
        (here / "pagemap").open("rb", buffering=0) as pages,
    ):
        for first, last in re.findall(r"(?m)^(\w+)-(\w+) rw", (here / "maps").read_text()):
            for start in range(int(first, 16), int(last, 16), PIECE):
                length = min(PIECE, int(last, 16) - start)
                pages.seek(start // PAGE * 8)
                # The two highest bits: present, or swapped. A heap may reserve much more.
                if any(one >> 62 for one in array("Q", pages.read(length // PAGE * 8))):
                    memory.seek(start)
                    yield memory.read(length)


def traces(processes: Iterable[int], codes: Iterable[str]) -> dict[str, int]:
    """Count the traces of people in the memory of processes."""
    found: dict[str, set[bytes]] = {name: set() for name in (*TRACES, "code")}
    for process in processes:
        for part in memory_of(process):
            for name, pattern in TRACES.items():
                found[name].update(re.findall(pattern, part))
            found["code"].update(code.encode() for code in codes if code.encode() in part)
    return {name: len(some) for name, some in found.items() if some}


def post(server: Running, path: str, body: bytes, person: int) -> int:
    """Send something as a proxy hands it on, over a connection of its own."""
    headers = {
        "Content-Type": "application/json",
        "X-Forwarded-For": f"198.19.{person // 250}.{person % 250 + 1}",
        "User-Agent": f"Browser-{secrets.token_hex(4)}",
    }
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        connection.request("POST", path, body, headers)
        return connection.getresponse().status


def of_a_person(survey: Survey) -> Report:
    return report(survey, id=OURS + secrets.token_bytes(ID_BYTES - len(OURS)))


def read_memory(folder: Path, survey: Survey, people: int, head_timeout: float) -> None:
    """Have people answer, replace the process, and look for them before and after."""
    club = surveys.survey(surveys.single("q"), slug="club")
    DrawnBefore(folder / "store.db.keys")
    codes = new_codes(30)
    with running(folder, [survey, club], limit=(300, True), head_timeout=head_timeout) as server:
        with closing(open_store(f"sqlite:///{folder}/store.db")) as store:
            by_invitation(store, "club", codes)
        for person in range(people):
            body = of_a_person(survey).to_json()
            assert post(server, at("doping", "reports"), body, person) == 201
        for person, code in enumerate(codes):
            blinded = blind(PUBLIC[0], secrets.token_bytes(ID_BYTES)).blinded.hex()
            asked = {"key": MARKS[0], "code": code, "blinded": blinded}
            assert post(server, at("club", "tokens"), json.dumps(asked).encode(), person) == 200
        # The process that starts the workers saw none of them; the worker has them all.
        program = server.programs()["respondents_program"]
        assert traces([program], codes) == {}
        assert traces([server.worker()], codes).keys() == {*TRACES, "code"}
        server.replace_worker()
        # What is found between two full half hours is what these hold, without a request since.
        assert len(children_of(program)) == 1
        assert traces([program, server.worker()], codes) == {}
        assert server.stop() == 0
        assert server.output.read_bytes() == b""


@pytest.mark.promise("forgets")
@pytest.mark.parametrize(
    ("people", "head_timeout"), [(40, 0.5), pytest.param(400, HEAD_TIMEOUT, marks=pytest.mark.slow)]
)
def test_the_processes_that_serve_respondents_forget_who_sent(
    tmp_path: Path, survey: Survey, people: int, head_timeout: float
) -> None:
    if os.geteuid() == 0:
        read_memory(tmp_path, survey, people, head_timeout)
        return
    # Nobody but the superuser may read it: so be that, in a namespace of this test's own.
    unshare = needs.program("unshare", "sudo apt-get install util-linux")
    told = f"{people}-{head_timeout}"
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        f"{__file__}",
        "-k",
        f"forget_who_sent and {told}",
    ]
    subprocess.run([unshare, "--map-root-user", *words], check=True, cwd=ROOT)


class Senders:
    """People who send report after report, each over one connection while that is kept."""

    def __init__(self, port: int, survey: Survey, pauses: Iterable[float]) -> None:
        self._port, self._survey = port, survey
        self._stop = threading.Event()
        self.said: Counter[int] = Counter()
        self.acknowledged: set[bytes] = set()
        self._threads = [threading.Thread(target=self._send, args=(one,)) for one in pauses]

    def _send(self, pause: float) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        while not self._stop.wait(pause):
            mine = report(self._survey)
            try:
                status = send(connection, mine)
            except LOST:
                status = 0
                connection.close()
            self.said[status] += 1
            if status == 201:
                self.acknowledged.add(mine.id)
        connection.close()

    def __enter__(self) -> Self:
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for one in self._threads:
            one.join()


PAUSES = [0.0, 0.0, 0.01, 0.01, 0.1, 0.3]


@pytest.mark.promise("durable")
@pytest.mark.parametrize("times", first_of([1, 4], 1))
def test_who_sends_meanwhile_notices_nothing(tmp_path: Path, survey: Survey, times: int) -> None:
    with running(tmp_path, [survey], head_timeout=0.5) as server:
        with Senders(server.port, survey, PAUSES) as senders:
            for _ in range(times):
                server.replace_worker()
        assert {*senders.said} == {201}
        assert server.stop() == 0
        assert server.output.read_bytes() == b""
    with closing(open_store(f"sqlite:///{tmp_path}/store.db")) as store:
        assert {*reports_in(store)} == senders.acknowledged


@pytest.mark.promise("durable")
def test_a_stop_meanwhile_loses_nothing(tmp_path: Path, survey: Survey) -> None:
    with running(tmp_path, [survey]) as server:
        with Senders(server.port, survey, PAUSES) as senders:
            server.is_due.set()
            program = server.programs()["respondents_program"]
            until(lambda: len(children_of(program)) == 2)
            assert server.stop() == 0
        assert server.output.read_bytes() == b""
    with closing(open_store(f"sqlite:///{tmp_path}/store.db")) as store:
        stored = {*reports_in(store)}
    assert senders.acknowledged <= stored
    assert not list(tmp_path.glob("store.db-*"))  # the log, which holds the order of arrival


@pytest.mark.promise("slow-senders", "forgets")
@pytest.mark.slow
def test_nobody_keeps_the_old_process_up(tmp_path: Path, survey: Survey) -> None:
    with running(tmp_path, [survey]) as server, ExitStack() as stack:
        clients = [begin(server.port, half, stack) for half in (HALF_A_REPORT, HALF_IN_CHUNKS)]
        stop = threading.Event()

        def drip() -> None:
            while not stop.wait(0.5):
                with suppress(OSError):
                    clients[1].sendall(b"1\r\n \r\n")

        dripping = threading.Thread(target=drip)
        dripping.start()
        begun = time.monotonic()
        server.replace_worker()
        assert time.monotonic() - begun < LEAVING + 4
        stop.set()
        dripping.join()
        assert send_alone(server.port, report(survey)) == 201


@pytest.mark.slow
def test_a_new_one_that_cannot_start_leaves_the_old_one(tmp_path: Path, survey: Survey) -> None:
    with running(tmp_path, [survey], head_timeout=0.5) as server:
        old = server.worker()
        store, away = tmp_path / "store.db", tmp_path / "away.db"
        store.rename(away)
        server.is_due.set()
        until(lambda: b"was not replaced" in server.output.read_bytes())
        away.rename(store)
        assert server.worker() == old
        until(lambda: send_alone(server.port, report(survey)) == 201)
        server.replace_worker()
        assert send_alone(server.port, report(survey)) == 201
        assert b"Traceback" not in server.output.read_bytes()


def test_a_process_says_whether_an_order_of_arrival_is_left(store: Store, survey: Survey) -> None:
    settings = Settings(f"sqlite:///{store.name}")
    with event_loop() as loop:
        first = open_program(settings)
        assert Caller(first.gateway, loop).send(report(survey).to_json()).status == 201
        second = open_program(replace(settings, follows=True))
        assert first.leave() is True
        third = open_program(replace(settings, follows=True))
        assert second.leave() is False
        third.inherit()
        assert third.leave() is True


def test_who_opens_the_reports_address_behind_a_proxy_gets_a_page(respondents: Caller) -> None:
    found = [
        respondents(at("doping", "reports"), headers=headers)
        for headers in ({}, {"Sec-Fetch-Site": "none"}, {"Accept": "text/html"})
    ]
    assert [one.headers["Content-Type"].partition(";")[0] for one in found] == [
        "application/problem+json",
        "text/html",
        "text/html",
    ]


HALF_HOUR = 1800.0


class Clocks:
    """A clock, which may jump, and a steady one."""

    def __init__(self, now: float) -> None:
        self.now, self.steady, self.slept = now, 0.0, 0
        self.jumps: dict[int, float] = {}

    def sleep(self, seconds: float) -> None:
        self.slept += 1
        self.now += seconds + self.jumps.pop(self.slept, 0.0)
        self.steady += seconds


@pytest.mark.parametrize("jump", [0.0, 0.4, -0.4, 61.0, -61.0, 5_000.0, -5_000.0, 1e9, -1e9])
def test_half_hours_come_by_the_clock_and_never_late(jump: float) -> None:
    clocks = Clocks(1_900_000_000.0)
    clocks.jumps = {70: jump}
    due = HalfHours(lambda: clocks.now, lambda: clocks.steady, clocks.sleep)
    at, steady = [], [0.0]
    for _ in range(8):
        due.wait()
        at.append(clocks.now % HALF_HOUR)
        steady.append(clocks.steady)
        clocks.sleep(20.0)  # while the old one leaves
    pauses = [late - early for early, late in pairwise(steady)]
    assert max(pauses) <= HALF_HOUR
    # One at another time at most, or once the one before it has left.
    assert sum(one > 20.0 for one in at) <= 1
    assert len(steady) - 1 <= clocks.steady // HALF_HOUR + 2


@pytest.mark.promise("forgets")
def test_no_crash_writes_memory_to_a_file() -> None:
    script = """
import ctypes, os, resource
from deniable.server.private_memory import keep_memory_private
keep_memory_private()
if os.fork():
    os.wait()
print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), resource.getrlimit(resource.RLIMIT_CORE), flush=True)
"""
    shown = subprocess.check_output([sys.executable, "-c", script], text=True, cwd=ROOT)
    assert shown == 2 * "0 (0, 0)\n"


@pytest.mark.slow
@pytest.mark.promise("forgets")
def test_each_process_of_a_server_says_so_itself(tmp_path: Path, survey: Survey) -> None:
    with started(tmp_path, [survey]) as server:
        programs = [*server.programs().values()]
        processes = [server.starter.pid, *programs, *(children_of(programs[0]))]
        for process in processes:
            limits = Path(f"/proc/{process}/limits").read_text()
            assert re.search(r"Max core file size +0 +0 ", limits)
        assert send_alone(server.port, of_a_person(survey)) == 201
        assert traces([server.starter.pid, programs[0]], []) == {}
