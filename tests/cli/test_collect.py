"""``collect`` and ``delete``: the schedule and the end of a survey, from a terminal."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deniable.cli import delete
from deniable.cli.verify import compare
from deniable.server.loopback import loopback
from deniable.server.store import open_store
from deniable.server.store.schedule import NO_SCHEDULE, Schedule, State
from deniable.server.store.sql import retention
from deniable.survey.about import About
from deniable.survey.trial import trial_of
from deniable.survey_file import read
from deniable.text.timestamps import read_moment
from tests.cli.conftest import DOPING, Run, Server, names
from tests.server.calling import report

STORE = ("--store", "sqlite:///real.db")
SURVEY = read(DOPING).survey


def schedule() -> Schedule:
    with closing(open_store("sqlite:///real.db")) as store:
        return store.schedule("doping")


def test_what_is_named_is_set_and_what_is_not_stays(run: Run, stored: None) -> None:
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


def test_simulated_people_know_the_access_word(run: Run, serve: Callable[..., Server]) -> None:
    server = serve("doping.yaml", *STORE)
    run("collect", "doping", "--access-word", "sea-lion", *STORE)
    simulate = ("simulate", "doping.yaml", "-n", 3, "--add", "--url", server.origin)
    assert "answered 401" in run(*simulate, "--access-word", "other", exits=1).stderr
    run(*simulate, "--access-word", "sea-lion")
    assert "--url" in run("simulate", "doping.yaml", "-n", 3, "--access-word", "x", exits=2).stderr
    with closing(open_store("sqlite:///real.db")) as store:
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


@pytest.fixture(autouse=True)
def answered(run: Run) -> None:
    run("simulate", "doping.yaml", "-n", 30, "--store", "deniable.db")


def test_a_script_has_to_say_so(run: Run) -> None:
    said = run("delete", "doping", exits=1).stderr
    assert names(said, "'doping'", "30 reports", "--yes")
    assert run("export", "doping").stdout.count("\n") == 31


@pytest.mark.parametrize(("typed", "exits"), [("doping\n", 0), ("Doping\n", 1), ("yes\n", 1)])
def test_the_name_is_typed(
    run: Run, monkeypatch: pytest.MonkeyPatch, typed: str, exits: int
) -> None:
    monkeypatch.setattr(delete, "somebody_is_there", lambda: True)
    store = open_store("sqlite:///deniable.db")
    store.register(trial_of(read(DOPING).survey))
    said = run("delete", "doping", typed=typed, exits=exits).stderr
    assert names(said, "30 reports", "and its trial", "Backups")
    assert [record.survey.slug for record in store.surveys()] == (
        [] if exits == 0 else ["doping", "trial.doping"]
    )
    store.close()


def test_a_trial_is_never_meant_where_nothing_is_named(run: Run) -> None:
    store = open_store("sqlite:///deniable.db")
    store.register(trial_of(read(DOPING).survey))
    store.close()
    assert run("export").stdout.count("\n") == 31
    assert run("export", "trial.doping").stdout.count("\n") == 1


def test_reports_go_when_their_day_has_come(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = replace(read(DOPING).survey, slug="kept", about=About(delete_reports="2999-01-31"))
    with closing(open_store("sqlite:///deniable.db")) as store:
        store.register(kept)
        store.insert_batch([report(kept) for _ in range(7)])
    run("backup", "deniable.db", "study.backup")
    assert "no day has come" in run("delete", "--due").stdout
    assert "are deleted" not in run("estimate", "kept").stderr
    monkeypatch.setattr(retention, "utc_day", lambda: "2999-01-20")
    for command in ("estimate", "export", "close"):
        assert names(run(command, "kept").stderr, "are deleted on 2999-01-31, as the survey")
    monkeypatch.setattr(retention, "utc_day", lambda: "2999-02-02")
    # Restored into a folder of its own, so that the backup stays as it was.
    Path("other").mkdir()
    said = run("restore", "study.backup", "other/new.db").stdout
    assert names(said, "37 reports", "'kept' were deleted")
    assert "30 reports" in run("backup", "other/new.db", "other/new.backup").stdout
    said = run("delete", "--due").stdout
    assert names(said, "'kept' were deleted", "2999-01-31", "Copies elsewhere")
    assert "30 reports" in run("restore", "study.backup", "newer.db").stdout
    assert "deleted on 2999-02-02" in run("export", "kept").stderr
    assert "deleted on 2999-02-02" in run("open", "kept", exits=1).stderr
    for wrong in (("delete",), ("delete", "kept", "--due")):
        assert "--due" in run(*wrong, exits=2).stderr
