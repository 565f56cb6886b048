"""Panels from the command line: check, simulate, wave, estimate."""

import csv
import io
import json
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from deniable.cli import state
from deniable.server.store import open_store
from deniable.survey_file import read
from tests.cli.conftest import Run, names
from tests.kit import PANEL_TEXT


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
    three = (f"{document['once']:.6f}", "3.000000", f"{document['changing']:.6f}")
    assert names(said, *three)
    assert [said.index(number) for number in three] == sorted(map(said.index, three))
    assert "not bounded" not in said
    assert "ask: 1" in said
    panel.write_text(PANEL_TEXT.replace("redraw: 1/10", "redraw: 0"))
    said = run("check", str(panel)).stdout
    assert "not bounded" in said
    assert names(said, "note:", "redraw of 0")


def test_a_panel_is_estimated_wave_by_wave(run: Run, panel: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'panel.db'}"
    said = run(
        "simulate", str(panel), "-n", "500", "--seed", "1", "--change", "50",
        "-r", "doped.yes=30%", "--store", store,
    ).stdout  # fmt: skip
    assert names(said, "1,500 reports", "500", "wave 3")
    assert "wave_1" not in said
    said = run("estimate", "panel", "--store", store).stdout
    assert "1,500 reports of 3 waves" in said
    assert "Wave 3 of 3: 500 respondents" in said
    assert "Change from wave to wave" in said
    assert "2 to 3" in said
    assert "that of two independent samples" in said
    document = json.loads(run("estimate", "panel", "--store", store, "--format", "json").stdout)
    assert document["n_by_wave"] == {"1": 500, "2": 500, "3": 500}


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


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the input be somebody who can be asked."""
    monkeypatch.setattr(state, "somebody_is_there", lambda: True)


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
