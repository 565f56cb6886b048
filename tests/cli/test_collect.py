"""Collecting: the schedule of a survey, its waves, and the batches that the desk shows."""

import csv
import io
import json
import os
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from deniable.cli.verify import compare
from deniable.server.intake import access_word
from deniable.server.loopback import loopback
from deniable.server.store import open_store
from deniable.server.store.schedule import NO_SCHEDULE, Schedule, State
from deniable.survey.trial import trial_of
from deniable.survey_file import read
from deniable.text.timestamps import read_moment
from tests.cli.conftest import DOPING, Run, names
from tests.kit import PANEL_TEXT, Running, report
from tests.kit.surveys import CLUB

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
    assert ("Full: it has as many reports as it wants" in said, opens in said) == (True, False)
    said = run("simulate", "doping.yaml", "-n", 5, "--add", *STORE, exits=1).stderr
    assert "is full; 'deniable collect doping --cap none" in said


def test_an_open_link_with_a_cap_is_warned_of(run: Run, stored: None) -> None:
    warning = "Warning: anybody with the link can fill the cap"
    published = ("check", "doping.yaml", "--published", STORE[1])
    assert warning not in run("collect", "doping", *STORE).stdout + run(*published).stdout
    assert names(run("collect", "doping", "--cap", 500, *STORE).stdout, warning)
    assert names(run(*published).stdout, warning)
    assert warning not in run("collect", "doping", "--access-word", "sea-lion", *STORE).stdout
    run("collect", "doping", "--access-word", "none", *STORE)
    run("invite", "doping", "-n", 3, "-o", "codes.csv", *STORE)
    assert warning not in run("collect", "doping", *STORE).stdout


def test_nobody_is_simulated_where_no_report_is_taken(run: Run, server: Running) -> None:
    store = os.environ["DENIABLE_STORE"]
    run("invite", "doping", "-n", 3, "-o", "codes.csv")
    simulate = ("simulate", "doping.yaml", "-n", 3, "--codes", "codes.csv", "--add")
    run("pause", "doping")
    said = run(*simulate, "--url", server.url, exits=1).stderr
    assert names(said, "the survey is paused, so it takes no reports now")
    # No code was spent.
    run("open", "doping")
    run(*simulate, "--url", server.url)
    with closing(open_store(store)) as opened:
        assert opened.count("doping") == 3


def test_a_full_survey_takes_more_or_ends(run: Run, stored: None) -> None:
    run("collect", "doping", "--cap", 20, *STORE)
    run("simulate", "doping.yaml", "-n", 20, *STORE)
    said = run("open", "doping", *STORE, exits=1).stderr
    assert "doping stays full: it has 20 reports, its cap: set a higher cap, or none" in said
    assert "whole batches of 10" in run("open", "doping", "--cap", 25, *STORE, exits=1).stderr
    assert "Open: it takes" in run("open", "doping", "--cap", 30, *STORE).stdout
    run("simulate", "doping.yaml", "-n", 10, "--add", *STORE)
    assert "Full:" in run("collect", "doping", *STORE).stdout
    assert "Closed:" in run("close", "doping", *STORE).stdout


def test_simulated_people_know_the_access_word(run: Run, server: Running) -> None:
    run("collect", "doping", "--access-word", "sea-lion")
    time.sleep(access_word.SECONDS)  # this server may know the survey from another test
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


def test_a_mistyped_name_is_answered_by_no_trial(run: Run, stored: None) -> None:
    with closing(open_store("sqlite:///real.db")) as store:
        store.register(trial_of(SURVEY))
    said = run("collect", "xyzzy", *STORE, exits=1).stderr
    assert "there is no survey 'xyzzy'; there are doping" in said
    assert "trial" not in said


@pytest.fixture
def panel(tmp_path: Path) -> Path:
    file = tmp_path / "panel.yaml"
    file.write_text(PANEL_TEXT)
    return file


def test_check_says_what_one_and_all_reveal(run: Run, panel: Path) -> None:
    said = run("check", str(panel)).stdout
    assert "Waves: asked 3 times." in said
    assert names(said, "0.1000")
    document = json.loads(run("check", str(panel), "--format", "json").stdout)[0]["waves"]
    three = (f"{document['once']:.2f}", "3.00", f"{document['changing']:.2f}")
    assert names(said, *three)
    assert [said.index(number) for number in three] == sorted(map(said.index, three))
    assert "not bounded" not in said
    assert "ask: 1" in said
    panel.write_text(PANEL_TEXT.replace("redraw: 1/10", "redraw: 0"))
    said = run("check", str(panel)).stdout
    assert "not bounded" in said
    assert names(said, "note:", "redraw of 0")


def test_one_wave_has_the_others_people(run: Run, panel: Path) -> None:
    def column(*options: str) -> list[list[str]]:
        text = run("simulate", str(panel), "-n", "50", "--seed", "4", "-o", "-", *options).stdout
        return list(csv.reader(io.StringIO(text)))[1:]

    whole = column()
    parts = [row for wave in "123" for row in column("--wave", wave)]
    assert sorted(whole) == sorted(parts)


@pytest.fixture
def begun(run: Run, panel: Path, tmp_path: Path) -> str:
    """Make a store in which the first wave has five reports, and return its URL."""
    store = f"sqlite:///{tmp_path / 'panel.db'}"
    run("simulate", str(panel), "-n", "5", "--wave", "1", "--store", store)
    return store


def wave_of(store: str) -> int:
    with closing(open_store(store)) as opened:
        return opened.wave("panel")


def test_a_wave_is_begun_and_named(run: Run, panel: Path, begun: str) -> None:
    with_store = ("--store", begun)
    assert names(run("wave", "panel", *with_store).stdout, "panel", "wave 1 of 3", "5 reports")
    said = run("wave", "panel", "2", "--yes", *with_store)
    assert names(said.stdout, "panel", "wave 2 of 3", "0 reports", "5")
    assert said.stderr == ""
    # What cannot be done is not asked about.
    refused = run("wave", "panel", "1", *with_store, exits=1)
    assert names(refused.stderr, "after 2", "found 1")
    refused = run("wave", "panel", "4", *with_store, exits=1)
    assert names(refused.stderr, "up to 3")
    assert wave_of(begun) == 2
    refused = run("simulate", str(panel), "-n", "5", "--wave", "1", "--add", *with_store, exits=1)
    assert names(refused.stderr, "after 2")


def test_without_a_terminal_only_yes_ends_waves(run: Run, begun: str) -> None:
    for typed in (None, "y\n"):
        refused = run("wave", "panel", "2", "--store", begun, typed=typed, exits=2)
        assert names(refused.stderr, "Wave 1 of panel", "5 reports", "--yes")
        assert wave_of(begun) == 1


@pytest.mark.usefixtures("at_a_terminal")
def test_at_a_terminal_somebody_must_end_waves(run: Run, begun: str) -> None:
    ask = partial(run, "wave", "panel", "2", "--store", begun)
    for typed in ("n\n", "\n"):
        refused = ask(typed=typed, exits=1)
        assert names(refused.stderr, "Wave 1 of panel", "5 reports", "wave 2?", "wave 1 of panel")
        assert wave_of(begun) == 1
    # The end of the input, or Ctrl-C.
    ask(typed="", exits=130)
    assert wave_of(begun) == 1
    assert names(ask(typed="y\n").stdout, "panel", "wave 2 of 3")
    assert wave_of(begun) == 2


@pytest.mark.usefixtures("at_a_terminal")
def test_ending_a_wave_without_reports_is_warned_of(run: Run, begun: str) -> None:
    warning = "Warning: wave 2 of panel has no reports."
    assert warning not in run("wave", "panel", "2", "--yes", "--store", begun).stderr
    refused = run("wave", "panel", "3", "--store", begun, typed="n\n", exits=1)
    assert warning in refused.stderr
    assert names(refused.stderr, "0 reports", "wave 3?")
    assert warning in run("wave", "panel", "3", "--yes", "--store", begun).stderr


def test_simulated_people_end_no_running_wave(run: Run, panel: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'served.db'}"
    with closing(open_store(store)) as opened:
        opened.register(read(PANEL_TEXT).survey)  # as by a server, to which nobody has reported yet
    simulate = partial(run, "simulate", str(panel), "-n", "5", "--store", store)
    for options in ([], ["--wave", "2"]):
        refused = simulate(*options, exits=1)
        assert "wave 1 of 'panel' is on, and people of wave" in refused.stderr
        assert wave_of(store) == 1
    simulate("--wave", "1")
    assert wave_of(store) == 1
    simulate("--wave", "2", "--add")
    assert wave_of(store) == 2


NOTE = "Note: this sees each report as soon as it arrives: 27, of which the desk shows 10."


@pytest.fixture
def store(folder: Path) -> None:
    """Make a store with a survey and 27 reports to it, two of them of doctors."""
    (folder / "club.yaml").write_text(CLUB)
    survey = read(CLUB).survey
    store = open_store("sqlite:///club.db")
    store.register(survey)
    for number in range(27):
        role = 0 if number < 15 else 1 if number < 25 else 2
        store.insert_reports([report(survey, bytes([number % 2, role]))])
    store.close()


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "command", [("estimate", "club"), ("export", "club"), ("open", "club")], ids=lambda one: one[0]
)
def test_a_command_sees_single_reports_and_says_so(run: Run, command: tuple[str, ...]) -> None:
    said = run(*command, "--store", "club.db")
    assert NOTE in " ".join(said.stderr.split())
    assert "Note" not in said.stdout
    assert "27" in said.stdout or len(said.stdout.splitlines()) == 28


@pytest.mark.usefixtures("store")
def test_nothing_is_said_where_the_desk_shows_all(run: Run) -> None:
    for _ in range(2):
        assert run("close", "club", "--store", "club.db").stderr == ""
        assert run("estimate", "club", "--store", "club.db").stderr == ""


@pytest.mark.usefixtures("store")
@pytest.mark.promise("batches")
def test_one_report_at_a_time_is_warned_of(run: Run, folder: Path) -> None:
    (folder / "single.yaml").write_text(CLUB.replace("title:", "batch: 1\ntitle:"))
    said = " ".join(run("check", "single.yaml").stdout.split())
    assert "People will read: “The results page shows what you send as soon as it arrives." in said
    assert "People will read" not in run("check", "club.yaml").stdout
