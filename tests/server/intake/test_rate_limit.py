"""Who may send how often, from which network, and with which word."""

import asyncio
import gc
import hmac
import itertools
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from deniable.client.connection import Connection
from deniable.client.respondent import Respondent
from deniable.server.desk.live import session
from deniable.server.intake import access_word, rate_limit
from deniable.server.intake.access_word import AccessWords
from deniable.server.intake.networks import NOBODY_KNOWS, behind_proxy, prefix
from deniable.server.intake.rate_limit import AT_ONCE, RateLimit
from deniable.server.settings import IN_A_CLASS, REPORTS_PER_MINUTE
from deniable.server.store import Store, open_store
from deniable.server.store.schedule import NO_SCHEDULE, Schedule
from deniable.survey import Survey
from tests.kit import Caller, Start, at, disk_of, report, running
from tests.server.intake.test_endpoint import assert_problem


@pytest.mark.promise("rate-limit")
@pytest.mark.parametrize(
    "addresses",
    [
        ["192.0.2.1", "192.0.2.1:443", " 192.0.2.1 ", "::ffff:192.0.2.1", "[::ffff:c000:201]:9"],
        ["2001:db8:0:aa00::1", "[2001:db8:0:aaff::2]:443", "2001:db8:0:aa12:1:2:3:4"],
        [
            "",
            "unknown",
            "_hidden",
            "192.0.2",
            "192.0.2.1.5",
            "[]",
            "1:2",
            "192.0.2.1:x",
            "é",
            "::g",
        ],
    ],
)
def test_addresses_of_one_network(addresses: list[str]) -> None:
    assert len({prefix(address) for address in addresses}) == 1


@pytest.mark.promise("rate-limit")
def test_addresses_of_different_networks() -> None:
    addresses = ["192.0.2.1", "192.0.2.2", "2001:db8:0:aa00::1", "2001:db8:0:ab00::1", "unknown"]
    assert len({prefix(address) for address in addresses}) == len(addresses)
    assert prefix("unknown") == NOBODY_KNOWS


@pytest.mark.promise("rate-limit")
@pytest.mark.parametrize(
    ("forwarded", "network"),
    [
        (["192.0.2.1"], "192.0.2.1"),
        (["10.0.0.1, 192.0.2.1"], "192.0.2.1"),
        (["10.0.0.1,10.0.0.2,192.0.2.1:99"], "192.0.2.1"),
        (["10.0.0.1", "192.0.2.1"], "192.0.2.1"),
        (["192.0.2.1, "], "unknown"),
        (["192.0.2.1", ""], "unknown"),
        ([], "unknown"),
    ],
)
def test_a_proxy_s_last_entry_counts(forwarded: list[str], network: str) -> None:
    headers = SimpleNamespace(get_all={"x-forwarded-for": forwarded}.get)
    # Its own address is not even there to be looked at.
    request = SimpleNamespace(headers=headers)
    assert behind_proxy(request) == prefix(network)  # type: ignore[arg-type]


HERE, THERE = prefix("192.0.2.1"), prefix("2001:db8::1")


class Clock:
    """Stands still unless it is told."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> int:
        return round(self.seconds * 1e9)


@pytest.fixture
def still() -> Iterator[asyncio.AbstractEventLoop]:
    """Have a loop, as the intake does, which does not go on by itself."""
    loop = asyncio.new_event_loop()
    asyncio._set_running_loop(loop)
    yield loop
    asyncio._set_running_loop(None)
    loop.close()


@pytest.fixture
def clock(still: asyncio.AbstractEventLoop) -> Clock:
    return Clock()


@pytest.mark.promise("rate-limit")
@pytest.mark.parametrize("per_minute", [1, 7, 300])
def test_so_many_and_then_one_by_one(clock: Clock, per_minute: int) -> None:
    limit, at_once = RateLimit(per_minute, clock=clock), min(per_minute, AT_ONCE)
    assert [limit.take(HERE) for _ in range(at_once)] == [0] * at_once
    assert limit.take(HERE) == -(-60 // per_minute)
    assert limit.take(THERE) == 0
    for _ in range(10):
        clock.seconds += 60 / per_minute - 0.001
        assert limit.take(HERE) > 0
        clock.seconds += 0.001
        assert limit.take(HERE) == 0
    clock.seconds += 60
    assert [limit.take(HERE) > 0 for _ in range(at_once + 1)] == [False] * at_once + [True]


@pytest.mark.promise("class-limit")
def test_a_class_answers_at_once(clock: Clock) -> None:
    limit = RateLimit(IN_A_CLASS, IN_A_CLASS, clock=clock)
    assert [limit.take(HERE) for _ in range(IN_A_CLASS)] == [0] * IN_A_CLASS
    assert limit.take(HERE) == 1


@pytest.mark.promise("rate-limit")
@pytest.mark.parametrize(("people", "within", "last"), [(800, 0, 210), (120, 5, 60)])
def test_a_lecture_hall_gets_through(clock: Clock, people: int, within: int, last: int) -> None:
    # They press the button in so many seconds, and do as they are told, as `submission.js` does.
    limit, waits = RateLimit(REPORTS_PER_MINUTE, clock=clock), [1, 2, 4, 8, 15]
    due = {person: (within * person / people, 0) for person in range(people)}
    done: dict[int, float] = {}
    while due:
        person, (at, tries) = min(due.items(), key=lambda entry: (entry[1], entry[0]))
        clock.seconds = 1000 + at
        pause = limit.take(HERE)
        if pause == 0:
            done[person] = at
            del due[person]
        else:
            assert pause <= 60
            due[person] = (at + max(waits[tries], pause), tries + 1)  # six tries are in silence
    assert within or sum(at == 0 for at in done.values()) == AT_ONCE == 60
    assert max(done.values()) <= last


@pytest.mark.slow
@pytest.mark.promise("rate-limit")
def test_120_of_one_network_arrive_within_a_minute(tmp_path: Path, survey: Survey) -> None:
    def send_one(place: int, origin: str) -> None:
        time.sleep(5 * place / 120)
        with closing(Connection(origin)) as connection:
            Respondent(connection, survey.address).send(report(survey))

    by_default = (REPORTS_PER_MINUTE, False)
    with (
        running(tmp_path, [survey], limit=by_default) as server,
        ThreadPoolExecutor(120) as threads,
    ):
        begin = time.monotonic()
        for sent in [threads.submit(send_one, place, server.url) for place in range(120)]:
            sent.result()
        assert time.monotonic() - begin < 60
    with closing(open_store(f"sqlite:///{tmp_path}/store.db")) as store:
        assert store.count(survey.slug) == 120


@pytest.mark.promise("rate-limit")
@pytest.mark.promise("networks")
def test_a_key_lives_as_long_as_its_process(clock: Clock) -> None:
    first, next_one = RateLimit(1, clock=clock), RateLimit(1, clock=clock)
    assert [first.take(HERE), first.take(HERE), next_one.take(HERE)] == [0, 60, 0]
    # Another key: the same network has another name.
    assert not first._buckets.keys() & next_one._buckets.keys()


@pytest.mark.promise("rate-limit")
@pytest.mark.promise("networks")
def test_no_part_of_an_address_is_kept(clock: Clock) -> None:
    limit = RateLimit(1, clock=clock)
    for network in (HERE, THERE):
        limit.take(network)
    held = [limit.__dict__.values(), *limit._buckets.items()]
    for kept in itertools.chain(held, gc.get_referents(*limit._buckets.values())):
        assert repr(HERE)[2:-1] not in repr(kept)
        assert repr(THERE)[2:-1] not in repr(kept)
    assert [len(name) for name in limit._buckets] == [16, 16]


@pytest.mark.promise("rate-limit")
def test_full_buckets_are_forgotten(clock: Clock) -> None:
    limit = RateLimit(300, clock=clock)
    for number in range(100):
        limit.take(prefix(f"192.0.2.{number}"))
    assert len(limit._buckets) == 100
    clock.seconds += 0.21
    limit.take(THERE)
    assert len(limit._buckets) == 1


@pytest.mark.promise("rate-limit")
def test_many_networks_shut_nobody_out(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MOST_NETWORKS", 10)
    limit = RateLimit(1, clock=clock)
    assert limit.take(HERE) == 0
    for number in range(9):
        assert limit.take(prefix(f"198.51.100.{number}")) == 0
    assert limit.take(HERE) > 0
    for number in range(100):
        assert limit.take(prefix(f"203.0.113.{number}")) == 0
        assert len(limit._buckets) == 10
    # What was forgotten for their sake begins again.
    assert limit.take(HERE) == 0


@pytest.mark.promise("rate-limit")
def test_too_many_reports_are_sent_away(start: Start, store: Store, survey: Survey) -> None:
    call = start(reports_per_minute=2)
    mine = report(survey)
    assert call.send(mine, sender="192.0.2.1:999").status == 201
    # What is sent again counts, and so does what is no report: the body is not read before.
    assert call.send(mine, sender="192.0.2.1:998").status == 200
    refused = call.send(report(survey), sender="192.0.2.1:997")
    assert refused.status == 429
    assert refused.headers["Retry-After"] == "30"
    assert b"192" not in refused.body
    assert call.send(b"{", sender="[2001:db8::1]:999").status == 400
    assert call.send(report(survey), sender="[2001:db8:0:1::2]:999").status == 201
    assert call.send(report(survey), sender="[2001:db8:0:ff::3]:999").status == 429
    assert store.count("doping") == 2
    # Pages, and what is refused by its head, count for nothing.
    assert call(at("doping"), sender="192.0.2.1:9").status == 200
    assert call.send(report(survey), slug="none", sender="192.0.2.1:9").status == 404


@pytest.mark.promise("rate-limit")
def test_without_a_limit_no_sender_is_looked_at(start: Start, survey: Survey) -> None:
    # `tests.kit.calling` fails whoever asks for an address that it was not given.
    assert start(reports_per_minute=0).send(report(survey)).status == 201
    proxied = start(reports_per_minute=1, behind_proxy=True)
    for entry in ("192.0.2.1", "192.0.2.2", "192.0.2.1, 192.0.2.3"):
        assert proxied.send(report(survey), X_Forwarded_For=entry).status == 201
    assert proxied.send(report(survey), X_Forwarded_For="192.0.2.3").status == 429
    # Not known: all of them together.
    assert proxied.send(report(survey)).status == 201
    assert proxied.send(report(survey), X_Forwarded_For="nobody").status == 429


@pytest.mark.promise("rate-limit")
@pytest.mark.promise("class-limit")
def test_a_class_has_a_limit_of_its_own(start: Start, store: Store, survey: Survey) -> None:
    meeting = session.begin_meeting(store, "", survey)
    session.change(store, meeting.id, lambda now: session.go(now, "question"))
    asked = store.survey(meeting.slug())
    call, here = start(reports_per_minute=2), "192.0.2.1:9"
    # As many as a class of 300 sends at once; the survey beside it has its own two, and no more.
    for _ in range(300):
        assert call.send(report(asked), slug=asked.slug, sender=here).status == 201
    statuses = [call.send(report(survey), sender=here).status for _ in range(3)]
    assert statuses == [201, 201, 429]
    assert call.send(report(asked), slug=asked.slug, sender=here).status == 201


TOMORROW = 4_099_680_000


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every request ask the store for the word."""
    monkeypatch.setattr(access_word, "SECONDS", 0.0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.promise("access-word")
def test_only_who_has_the_word_sends_a_report(
    respondents: Caller, store: Store, survey: Survey
) -> None:
    store.set_schedule("doping", Schedule(access_word="sea-lion"))
    mine = report(survey)
    for typed in ({}, {"Survey_Pin": "sea-lions"}, {"Survey_Pin": ""}, {"Survey_Pin": "séa-lion"}):
        answer = respondents.send(mine, **typed)
        assert_problem(answer, 401)
        assert answer.headers["WWW-Authenticate"] == "Survey-Pin"
        assert "sea-lion" not in answer.text
    assert store.count("doping") == 0
    assert respondents.send(mine, Survey_Pin=" Sea-LION").status == 201
    assert respondents.send(mine, Survey_Pin="sea-lion").status == 200
    store.set_schedule("doping", NO_SCHEDULE)
    assert respondents.send(report(survey)).status == 201


@pytest.mark.usefixtures("at_once")
@pytest.mark.promise("access-word")
def test_words_are_compared_in_constant_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.set_schedule("doping", Schedule(access_word="sea-lion"))
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", compare)
    assert [AccessWords(store).fits("doping", word) for word in ("sea-lion", "x", None)] == [
        True,
        False,
        False,
    ]
    assert compared == [(b"sea-lion", typed) for typed in (b"sea-lion", b"x", b"")]


@pytest.mark.usefixtures("at_once")
@pytest.mark.promise("access-word")
def test_a_word_is_a_second_old_at_most(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_word, "SECONDS", 1.0)
    now = 100.0
    known = AccessWords(store, lambda: now)
    assert known.fits("doping", None)
    store.set_schedule("doping", Schedule(access_word="sea-lion"))
    assert known.fits("doping", None)
    now += 1
    assert not known.fits("doping", None)


@pytest.mark.usefixtures("at_once")
@pytest.mark.promise("access-word")
def test_guesses_count_as_reports_do(start: Start, store: Store, survey: Survey) -> None:
    store.set_schedule("doping", Schedule(access_word="sea-lion"))
    respondents = start(reports_per_minute=3)
    guesses = [
        respondents.send(report(survey), sender="192.0.2.1:1", Survey_Pin=f"word-{number}").status
        for number in range(5)
    ]
    assert guesses == [401, 401, 401, 429, 429]


@pytest.mark.usefixtures("at_once")
@pytest.mark.promise("access-word")
def test_no_report_has_the_word(respondents: Caller, store: Store, survey: Survey) -> None:
    store.set_schedule("doping", Schedule(access_word="sea-lion"))
    for _ in range(5):
        respondents.send(report(survey), Survey_Pin="sea-lion")
    store.erase_order()
    # Once: among the schedule of the survey.
    held = disk_of(store)
    assert held.count(b"sea-lion") == 1


@pytest.mark.usefixtures("at_once")
@pytest.mark.promise("access-word")
def test_the_intake_says_why_it_takes_nothing(
    respondents: Caller, store: Store, survey: Survey
) -> None:
    mine = report(survey)
    store.set_schedule("doping", Schedule(opens=TOMORROW))
    # A device tries again, and loses nothing.
    assert_problem(respondents.send(mine), 503)
    store.set_schedule("doping", Schedule(cap=10))
    store.insert_reports([report(survey) for _ in range(9)])
    assert respondents.send(mine).status == 201
    answer = respondents.send(report(survey))
    assert_problem(answer, 503)
    assert respondents.send(mine).status == 200
    store.set_schedule("doping", Schedule(closes=1))
    assert_problem(respondents.send(report(survey)), 410)
