"""``invite``: codes for one report each, from a terminal, and a simulation that uses them."""

import csv
import os
import stat
from contextlib import closing
from pathlib import Path

import pytest

from deniable.server.store import open_store
from deniable.server.store.invitations import Invited
from tests.cli.conftest import DOPING, Run

STORE = ("--store", "sqlite:///real.db")


def invited() -> Invited | None:
    with closing(open_store("sqlite:///real.db")) as store:
        return store.invited("doping")


def test_codes_are_written_and_used_by_a_simulation(run: Run, stored: None) -> None:
    Path("survey.yaml").write_text(DOPING)
    assert "needs no code" in run("invite", "doping", *STORE).stdout
    run("invite", "doping", "-n", 30, "-o", "codes.csv", *STORE)
    with Path("codes.csv").open(newline="") as lines:
        rows = [*csv.DictReader(lines)]
    assert [*rows[0]] == ["code"]
    assert len({row["code"] for row in rows}) == 30
    assert invited() == Invited(30, 0)
    assert stat.S_IMODE(Path("real.db.keys").stat().st_mode) == 0o600
    without = run("simulate", "survey.yaml", "-n", 5, *STORE, exits=1)
    assert "by invitation" in without.stderr
    few = run("simulate", "survey.yaml", "-n", 31, "--codes", "codes.csv", *STORE, exits=1)
    assert "found 30" in few.stderr
    run("simulate", "survey.yaml", "-n", 30, "--codes", "codes.csv", *STORE)
    assert "20 of them" in run("invite", "doping", *STORE).stdout
    again = run(
        "simulate", "survey.yaml", "-n", 5, "--add", "--codes", "codes.csv", *STORE, exits=1
    )
    assert "have been used" in again.stderr
    run("invite", "doping", "--end", *STORE)
    assert invited() is None


@pytest.mark.promise("code-lists")
@pytest.mark.parametrize("file", ["codes.csv", "slips.html"])
def test_nobody_else_reads_a_list_of_codes(run: Run, stored: None, file: str) -> None:
    before = os.umask(0o022)
    try:
        command = ("invite", "doping", "-n", 3, "--url", "https://survey.example.org", *STORE)
        run(*command, "-o", file)
        assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
        # Whoever could read what was there before sees nothing of these.
        Path(file).chmod(0o644)
        run(*command, "-o", file, "--force")
        assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_slips_need_the_address_that_they_lead_to(run: Run, stored: None) -> None:
    assert "--url" in run("invite", "doping", "-n", 2, "-o", "s.html", *STORE, exits=2).stderr
    assert invited() is None
    url = "https://survey.example.org"
    run("invite", "doping", "-n", 2, "-o", "s.html", "--url", url, *STORE)
    page = Path("s.html").read_text()
    assert page.count("<svg") == 2
    assert "<style>" in page
    assert "http" not in page.replace(url, "").replace("http://www.w3.org/2000/svg", "")
