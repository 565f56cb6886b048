"""``collect``: the schedule of a survey's collection, from a terminal."""

import os
from contextlib import closing

import pytest

from deniable.cli.verify import compare
from deniable.server.loopback import loopback
from deniable.server.store import open_store
from deniable.server.store.schedule import NO_SCHEDULE, Schedule, State
from deniable.survey_file import read
from deniable.text.timestamps import read_moment
from tests.cli.conftest import DOPING, Run
from tests.kit import Running

STORE = ("--store", "sqlite:///real.db")
SURVEY = read(DOPING).survey


def schedule() -> Schedule:
    with closing(open_store("sqlite:///real.db")) as store:
        return store.schedule("doping")


def test_only_what_is_named_is_set(run: Run, stored: None) -> None:
    times = ("--from", "2098-12-01T08:00", "--until", "2098-12-14T20:00+01:00")
    said = run(
        "collect", "doping", *times, "--cap", 500, "--access-word", "Sea-Lion", *STORE
    ).stdout
    assert schedule() == Schedule(
        read_moment("2098-12-01T08:00"), read_moment("2098-12-14T19:00Z"), 500, "sea-lion"
    )
    assert "1 December 2098, 08:00 (UTC" in said
    assert "500 reports" in said
    before = schedule()
    run("collect", "doping", "--from", "none", "--access-word", "none", *STORE)
    assert schedule() == Schedule(closes=before.closes, cap=before.cap)
    run("collect", "doping", "--until", "none", "--cap", "none", *STORE)
    assert schedule() == NO_SCHEDULE


def test_a_day_alone_is_meant_whole(run: Run, stored: None) -> None:
    said = run("collect", "doping", "--from", "2098-12-01", "--until", "2098-12-14", *STORE).stdout
    begins, ends = read_moment("2098-12-01T00:00"), read_moment("2098-12-14T23:59")
    assert schedule() == Schedule(begins, ends)
    assert "It closes on 14 December 2098, 23:59 (UTC" in said


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("--from", "tomorrow"), "or 2026-12-01T08:00+01:00, found 'tomorrow'"),
        (("--cap", "25"), "whole batches of 10"),
        (("--cap", "-10"), "whole number"),
        (("--access-word", "x"), "expected a word"),
        (("--from", "2098-12-02T08:00", "--until", "2098-12-01T08:00"), "later than"),
    ],
)
def test_a_mistake_says_why(run: Run, stored: None, wrong: tuple[str, ...], message: str) -> None:
    assert message in run("collect", "doping", *wrong, *STORE, exits=1).stderr
    assert schedule() == NO_SCHEDULE


def test_no_time_follows_the_last_day(run: Run) -> None:
    with closing(open_store("sqlite:///real.db")) as store:
        store.register(read(DOPING + "delete_reports: 2098-12-01\n").survey)
    for terms in (("--until", "2098-12-01T00:01Z"), ("--from", "2099-01-01T08:00")):
        said = run("collect", "doping", *terms, *STORE, exits=1).stderr
        assert "expected times before 2098-12-01 (UTC), when all reports are deleted" in said
    assert schedule() == NO_SCHEDULE
    assert "It closes on" in run("collect", "doping", "--until", "2098-12-01T00:00Z", *STORE).stdout
    assert "It closed on" in run("collect", "doping", "--until", "2001-01-01", *STORE).stdout


def test_over_is_closed_to_made_up_reports(run: Run, stored: None) -> None:
    opens = "It stays closed until 'deniable open doping' opens it."
    assert opens not in run("collect", "doping", "--until", "2001-01-01T00:00", *STORE).stdout
    assert "its time to close is over" in run("open", "doping", *STORE, exits=1).stderr
    again = ("--until", "none", "--from", "2098-12-01T08:00")
    assert opens in run("collect", "doping", *again, *STORE).stdout
    # Nothing calls it open, although nobody stops it.
    assert "Planned: it opens on 1 December 2098" in run("open", "doping", *STORE).stdout
    said = run("simulate", "doping.yaml", "-n", 5, *STORE, exits=1).stderr
    assert "is planned; 'deniable collect doping --from none" in said
    run("collect", "doping", "--from", "none", "--cap", 20, *STORE)
    assert "as many reports" in run("simulate", "doping.yaml", "-n", 30, *STORE, exits=1).stderr
    said = run("collect", "doping", *STORE).stdout
    assert ("Full: it has ended" in said, opens in said) == (True, False)
    assert opens in run("collect", "doping", "--cap", "none", *STORE).stdout
    run("open", "doping", *STORE)
    assert opens not in run("collect", "doping", *STORE).stdout


def test_simulated_people_know_the_access_word(run: Run, server: Running) -> None:
    run("collect", "doping", "--access-word", "sea-lion")
    simulate = ("simulate", "doping.yaml", "-n", 3, "--add", "--url", server.url)
    assert "answered 401" in run(*simulate, "--access-word", "other", exits=1).stderr
    run(*simulate, "--access-word", "sea-lion")
    assert "--url" in run("simulate", "doping.yaml", "-n", 3, "--access-word", "x", exits=2).stderr
    with closing(open_store(os.environ["DENIABLE_STORE"])) as store:
        assert store.count("doping") == 3


@pytest.mark.parametrize(
    ("state", "schedule"),
    [
        (State.OPEN, Schedule(access_word="sea-lion")),
        (State.OPEN, Schedule(opens=4_099_680_000)),
        (State.FULL, NO_SCHEDULE),
        (State.PAUSED, NO_SCHEDULE),
    ],
)
@pytest.mark.slow
def test_any_schedule_s_page_passes_as_this_release(state: State, schedule: Schedule) -> None:
    with loopback(SURVEY, state=state, schedule=schedule) as link:
        assert {one.difference for one in compare(link)} == {None}
