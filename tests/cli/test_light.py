"""Commands that estimate nothing do not wait for the analysis to be loaded."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from deniable.server.store import open_store
from deniable.survey_file import read
from tests.cli.conftest import DOPING

HEAVY = {"deniable.analysis", "scipy", "pandas", "matplotlib"}

LIGHT = {
    "schema": "",
    "sheet": "doping.yaml",
    "sign-in": "--store study.db",
    "user": "add ada --store study.db",
    "close": "doping --store study.db",
    "open": "doping --store study.db",
    "wave": "doping 2 --yes --store study.db",
}
"""The commands that load none of it, neither at import nor as they run, each with arguments that
lead it to its end."""

RUN = """
import sys
from deniable.cli.main import commands
for words in " ".join(sys.argv[1:]).split(" then "):
    commands(words.split(), standalone_mode=False)
    print("loaded", *sys.modules, file=sys.stderr)
"""


@pytest.fixture
def store(folder: Path) -> None:
    with closing(open_store("sqlite:///study.db")) as store:
        store.register(read(f"{DOPING}waves: {{count: 2, redraw: 1/10}}\n").survey)


def test_a_command_without_estimates_loads_no_analysis(store: None) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", RUN, " then ".join(" ".join(line) for line in LIGHT.items())],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout
    # One after the other in one process: whoever loads it first is the one.
    said = (line.split() for line in ended.stderr.splitlines())
    loaded = [{*modules} & HEAVY for word, *modules in said if word == "loaded"]
    assert dict(zip(LIGHT, loaded, strict=True)) == {command: set() for command in LIGHT}


def test_a_command_that_estimates_is_seen_to_load_it() -> None:
    # That the test above can fail.
    ended = subprocess.run(
        [sys.executable, "-c", RUN, "estimate", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert {"deniable.analysis", "scipy"} <= set(ended.stderr.split())
