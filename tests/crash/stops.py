"""Stops, as operators, terminals and systemd ask for them: each ends soon, and loses nothing."""

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field

from deniable.server.settings import STOPPING
from tests.crash.campaign import Count, compared, count_since, numbers_of, wait_for
from tests.crash.places import SURVEY, Site
from tests.crash.senders import Senders
from tests.kit import Starting

SECONDS = 20.0
"""In which a server ends, however it is asked, on a busy machine too."""

REPEATED = 9
"""Times that somebody asks who is impatient, within some milliseconds."""

MOMENTS = ("in its start", "at rest", "under reports")

BETWEEN = 30
"""Reports that are acknowledged before each stop of a server that answers."""


@dataclass(frozen=True)
class _Way:
    """How a server is stopped: a group as a terminal or systemd does, one as an operator does."""

    moment: str
    repeated: bool
    group: bool


@dataclass
class _Seen:
    times: int = 0
    longest: float = 0.0
    wrong: list[str] = field(default_factory=list)


def stop(place: Site, stops: int, chance: random.Random) -> list[Count]:
    """Stop servers at random moments, a third of the times in each of `MOMENTS`."""
    senders = Senders(SURVEY, random.Random(chance.random()))
    counts = []
    with place.begun(harmed=False) as first:
        begun = time.monotonic()
        first.ready()
        takes = time.monotonic() - begun
    for place_in_order, moment in enumerate(MOMENTS):
        before, seen = numbers_of(senders), _Seen()
        with senders.sending():
            for number in range(place_in_order, stops, len(MOMENTS)):
                # Each way equally often.
                way = _Way(moment, repeated=number // 3 % 2 == 1, group=number // 6 % 2 == 0)
                _stop_one(place, senders, way, takes, chance, seen)
            senders.ports = [place.serve(harmed=False)]
            wait_for(senders, before[0] + BETWEEN)
        done = f"stopped {moment}; the longest stop took {seen.longest:.1f} s"
        one = compared(place, senders, done, seen.times, *dict.fromkeys(seen.wrong))
        counts.append(count_since(one, before))
        senders.ports = []
    return counts


def _stop_one(
    place: Site, senders: Senders, way: _Way, takes: float, chance: random.Random, seen: _Seen
) -> None:
    senders.ports = []
    with place.begun(harmed=False) as server:
        in_start = way.moment == MOMENTS[0]
        if in_start:
            time.sleep(chance.uniform(0, takes))
            number = signal.SIGTERM  # the others have a meaning of their own in an interpreter
        else:
            acknowledged = len(senders.ledger.acknowledged)
            senders.ports = [server.ready().port]
            wait_for(senders, acknowledged + BETWEEN)
            if way.moment == MOMENTS[1]:
                senders.ports = []
            time.sleep(chance.uniform(0, 0.3))
            number = chance.choice(STOPPING)
        begun = time.monotonic()
        _ask(server, number, group=way.group, times=REPEATED if way.repeated else 1)
        try:
            code = server.process.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            seen.wrong.append(f"it did not end in {SECONDS:g} s: {way}")
        else:
            # Before it listens to signals, it ends by them, and has begun nothing.
            if code != 0 and not (in_start and code == -signal.SIGTERM):
                seen.wrong.append(f"exit code {code}")
            if _is_there(server.process.pid):
                seen.wrong.append("a process of it was left")
        seen.longest = max(seen.longest, time.monotonic() - begun)
        if said := server.output.read_text():
            seen.wrong.append(f"it said: {said}")
            server.output.write_text("")
    seen.times += 1


def _ask(server: Starting, number: signal.Signals, *, group: bool, times: int) -> None:
    send = os.killpg if group else os.kill
    for _ in range(times):
        with suppress(ProcessLookupError):
            send(server.process.pid, number)
        time.sleep(0.0005)


def _is_there(group: int) -> bool:
    """Return whether a process of a group is left; they end together, so within a moment."""
    end = time.monotonic() + 1
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.01)
    return True
