"""Commands that open a store see what the desk does not show yet, and say so."""

from pathlib import Path

import pytest

from deniable.server.store import open_store
from deniable.survey_file import read
from tests.cli.conftest import Run
from tests.kit import report
from tests.kit.surveys import CLUB

NOTE = "Note: this sees each report as soon as it arrives: 27, of which the desk shows 10."


@pytest.fixture(autouse=True)
def store(folder: Path) -> None:
    """Make a store with a survey and 27 reports to it, two of them of doctors."""
    (folder / "club.yaml").write_text(CLUB)
    survey = read(CLUB).survey
    store = open_store("sqlite:///club.db")
    store.register(survey)
    for number in range(27):
        role = 0 if number < 15 else 1 if number < 25 else 2
        store.insert_batch([report(survey, bytes([number % 2, role]))])
    store.close()


@pytest.mark.parametrize(
    "command", [("estimate", "club"), ("export", "club"), ("open", "club")], ids=lambda one: one[0]
)
def test_a_command_sees_single_reports_and_says_so(run: Run, command: tuple[str, ...]) -> None:
    said = run(*command, "--store", "club.db")
    assert NOTE in " ".join(said.stderr.split())
    assert "Note" not in said.stdout
    assert "27" in said.stdout or len(said.stdout.splitlines()) == 28


def test_nothing_is_said_where_the_desk_shows_all(run: Run) -> None:
    for _ in range(2):
        assert run("close", "club", "--store", "club.db").stderr == ""
        assert run("estimate", "club", "--store", "club.db").stderr == ""


@pytest.mark.promise("batches")
def test_one_report_at_a_time_is_warned_of(run: Run, folder: Path) -> None:
    (folder / "single.yaml").write_text(CLUB.replace("title:", "batch: 1\ntitle:"))
    said = " ".join(run("check", "single.yaml").stdout.split())
    assert "People will read: “The results page shows what you send as soon as it arrives." in said
    assert "People will read" not in run("check", "club.yaml").stdout
