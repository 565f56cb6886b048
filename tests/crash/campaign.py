"""Kills at random moments, and a world that misbehaves; what is counted afterwards."""

import http.client
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TypeAlias

from tests.crash.harm import Mode
from tests.crash.places import SURVEY, PostgresSite, Site
from tests.crash.senders import Senders
from tests.kit import report, send

LITTLE = 300
"""Reports before and after each harm."""


@dataclass(frozen=True)
class Count:
    """What was done to a store, and what became of its reports."""

    done: str
    times: int
    acknowledged: int
    refused: int
    unanswered: int
    left: int
    lost: int
    doubled: int
    wrong: tuple[str, ...]

    @property
    def is_good(self) -> bool:
        return not (self.left or self.lost or self.doubled or self.wrong)


def kill(place: Site, kills: int, reports: int, chance: random.Random) -> list[Count]:
    """Kill what can be killed at random moments, while reports come."""
    senders = Senders(SURVEY, random.Random(chance.random()))
    senders.ports = [place.serve()]
    killed: Counter[str] = Counter()
    with senders.sending():
        for number in range(kills):
            wait_for(senders, reports * (number + 1) // kills)
            time.sleep(chance.uniform(0, 0.1))
            # Each kind once before chance takes over.
            victim = (
                [*place.victims][number]
                if number < len(place.victims)
                else chance.choice([*place.victims])
            )
            place.victims[victim](chance)
            killed[victim] += 1
            if place.server is None or place.server.starter.poll() is not None:
                senders.ports = [place.serve()]
        wait_for(senders, reports)
    told = ", ".join(f"{times} of {victim}" for victim, times in killed.items())
    return [compared(place, senders, f"kill -9: {told}", kills)]


def wait_for(senders: Senders, acknowledged: int) -> None:
    last, since = -1, time.monotonic()
    while (now := len(senders.ledger.acknowledged)) < acknowledged:
        if now > last:
            last, since = now, time.monotonic()
        assert time.monotonic() - since < 120, "nothing is acknowledged any more"
        time.sleep(0.01)


def compared(place: Site, senders: Senders, done: str, times: int, *wrong: str) -> Count:
    """Stop the server as an operator does, and compare the store with what people were told."""
    assert place.server is not None
    found = [*wrong, *dict.fromkeys(senders.ledger.surprises)]
    if place.server.starter.poll() is None and place.server.stop() != 0:
        found.append("the server did not stop in peace")
    ledger = senders.ledger
    with place.opened() as store:
        found += store.check()
        with store.copying(SURVEY.slug) as copy:
            rows = [
                row for one in copy.revisions for part in (one.reports, one.held) for row in part
            ]
        shown = store.snapshot(SURVEY.slug).count()
    if not 10 <= len(rows) - shown < 20:
        found.append(f"the desk sees {shown} of {len(rows)}")
    kept = dict(rows)
    if any(ledger.begun.get(id) != answers for id, answers in rows):
        found.append("reports that nobody sent")
    return Count(
        done,
        times,
        len(ledger.acknowledged),
        ledger.refused,
        ledger.unanswered,
        len(ledger.begun) - len(ledger.acknowledged),
        sum(kept.get(id) != answers for id, answers in ledger.acknowledged.items()),
        len(rows) - len(kept),
        tuple(found),
    )


Harmed: TypeAlias = Callable[[Site, Senders], str]
"""Does harm while reports come; returns what went wrong, if anything."""


def suffer(place: Site) -> list[Count]:
    """Do every harm to the store in turn, while reports come."""
    senders = Senders(SURVEY, random.Random(0))
    counts = []
    for done, harm in HARMS.items():
        if harm in NEED_COMPILER and place.harm is None:
            continue
        if harm is _cut and not isinstance(place, PostgresSite):
            continue
        # One store for all: what a harm leaves behind, the next one meets.
        before = numbers_of(senders)
        senders.ports = [place.serve()]
        with senders.sending():
            wait_for(senders, before[0] + LITTLE)
            wrong = harm(place, senders)
            place.revive()
            assert place.server is not None
            if place.server.starter.poll() is not None:
                wrong = wrong or "the server ended by itself"
                senders.ports = [place.serve()]
            wait_for(senders, len(senders.ledger.acknowledged) + LITTLE)
        one = compared(
            place, senders, done.format(away=place.away_means), 1, *([wrong] if wrong else [])
        )
        counts.append(count_since(one, before))
    return counts


def count_since(one: Count, before: tuple[int, int, int]) -> Count:
    """Leave out of a count what the same senders were told before, by `numbers_of`."""
    now = (one.acknowledged, one.refused, one.unanswered)
    acknowledged, refused, unanswered = (a - b for a, b in zip(now, before, strict=True))
    return replace(one, acknowledged=acknowledged, refused=refused, unanswered=unanswered)


def numbers_of(senders: Senders) -> tuple[int, int, int]:
    """Return how many reports were acknowledged, and how often people were refused or unheard."""
    ledger = senders.ledger
    return len(ledger.acknowledged), ledger.refused, ledger.unanswered


def _during(
    senders: Senders, harm: AbstractContextManager[None], seconds: float, *, taken: bool
) -> str:
    """Do harm for some seconds, and say if reports were acknowledged, or were not, against that."""
    with harm:
        time.sleep(0.3)  # what was on its way
        before = len(senders.ledger.acknowledged)
        time.sleep(seconds)
        gained = len(senders.ledger.acknowledged) - before
    if bool(gained) == taken:
        return ""
    return f"{gained} reports were acknowledged meanwhile"


def _disk(mode: Mode, seconds: float) -> Harmed:
    def harm(place: Site, senders: Senders) -> str:
        assert place.harm is not None
        return _during(senders, place.harm.disk(mode), seconds, taken=False)

    return harm


_full = _disk(Mode.FULL, 2)
_read_only = _disk(Mode.READ_ONLY, 2)
_stalled = _disk(Mode.STALLED, 3)


def _killed_while_stalled(place: Site, senders: Senders) -> str:
    """Kill the server while reports are written and not yet on the disk."""
    assert place.harm is not None
    assert place.server is not None
    with place.harm.disk(Mode.STALLED):
        time.sleep(0.5)
        before = len(senders.ledger.acknowledged)
        place.server.kill()
        gained = len(senders.ledger.acknowledged) - before
    place.revive()
    senders.ports = [place.serve()]
    return f"{gained} reports were acknowledged meanwhile" if gained else ""


def _clock(place: Site, senders: Senders) -> str:
    assert place.harm is not None
    years = 10 * 365 * 86400
    for seconds in (years, -years, 3600, -3600, 1, -1):
        wrong = _during(senders, place.harm.clock(seconds), 0.7, taken=True)
        if wrong:
            return wrong
    return ""


def _locked(place: Site, senders: Senders) -> str:
    # Longer than the store waits for others.
    return _during(senders, place.locked(), 7, taken=False)


def _away(place: Site, senders: Senders) -> str:
    return _during(senders, place.away(), 2, taken=False)


def _cut(place: Site, senders: Senders) -> str:
    assert isinstance(place, PostgresSite)
    for _ in range(20):
        place.cut()
        time.sleep(0.05)
    wait_for(senders, len(senders.ledger.acknowledged) + LITTLE)
    return ""


def _two_servers(place: Site, senders: Senders) -> str:
    with place.another("second") as second:
        senders.ports.append(second.port)
        wait_for(senders, len(senders.ledger.acknowledged) + 10 * LITTLE)
        senders.ports.pop()
        time.sleep(0.3)
    return ""


def _counted(place: Site, senders: Senders) -> str:
    """Send reports one after the other, and count what reaches the disk before each answer.

    The others wait meanwhile, so that no other batch is counted.
    """
    assert place.harm is not None
    ports, senders.ports = senders.ports, []
    time.sleep(0.5)
    lazy = 0
    with closing(http.client.HTTPConnection("127.0.0.1", ports[0], timeout=60)) as connection:
        for _ in range(LITTLE):
            one = report(SURVEY)
            syncs = place.harm.syncs
            if send(connection, one) != HTTPStatus.CREATED:
                return "a report was not stored"
            lazy += place.harm.syncs == syncs
            senders.ledger.begun[one.id] = senders.ledger.acknowledged[one.id] = one.answers
    senders.ports = ports
    return f"{lazy} acknowledgements without an fsync" if lazy else ""


HARMS: dict[str, Harmed] = {
    "fsync is counted: one before each acknowledgement": _counted,
    "the disk is full for 2 s": _full,
    "the disk can only be read for 2 s": _read_only,
    "fsync stalls for 3 s": _stalled,
    "fsync stalls, and the server is killed meanwhile": _killed_while_stalled,
    "the clock jumps 10 years, 1 hour, 1 s, on and back": _clock,
    "another program has the store locked for 7 s": _locked,
    "all connections to the database are cut 20 times": _cut,
    "{away}": _away,
    "two servers on one store": _two_servers,
}

NEED_COMPILER = (_full, _read_only, _stalled, _killed_while_stalled, _clock, _counted)
