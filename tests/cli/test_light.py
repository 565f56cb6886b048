"""Commands that estimate nothing do not wait for the analysis to be loaded."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import click
import pytest

from deniable.cli.main import commands
from deniable.server.store import open_store
from deniable.survey_file import read
from tests.cli.conftest import DOPING

pytestmark = pytest.mark.promise("clear-errors")

HEAVY = {"deniable.analysis", "scipy", "pandas", "matplotlib", "flask", "granian"}

LIGHT = {
    "schema": "",
    "sheet": "doping.yaml",
    "sign-in": "--store study.db",
    "user": "add ada --store study.db",
    "close": "doping --store study.db",
    "open": "doping --store study.db",
    "wave": "doping 2 --yes --store study.db",
    "plan": "doping.yaml",
}
"""The commands that load none of it, neither at import nor as they run, each with arguments that
lead it to its end; the last one estimates, and is seen to load it."""

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
    assert {"deniable.analysis", "scipy"} <= loaded.pop()
    assert dict(zip(LIGHT, loaded, strict=False)) == {command: set() for command in [*LIGHT][:-1]}


OUTSIDE = {*("matplotlib", "flask", "granian", "pandas", "pyarrow", "babel", "jinja2", "pydantic")}
OUTSIDE |= {"scipy.special", "scipy.stats", "scipy.optimize", "scipy.linalg"}
"""What no help needs, of any command."""


def test_helps_load_nothing_heavy() -> None:
    names = commands.list_commands(click.Context(commands))
    words = " then ".join(["--help", *(f"{name} --help" for name in names)])
    ended = subprocess.run(
        [sys.executable, "-c", RUN, words], capture_output=True, text=True, timeout=60, check=True
    )
    first, *others = (
        line.split()[1:] for line in ended.stderr.splitlines() if line.startswith("loaded ")
    )
    needed = {"deniable", "deniable.cli", "deniable.lazy", "deniable.text"}
    needed |= {
        "deniable.text.safety",
        *(f"deniable.cli.{name}" for name in ("failures", "help", "main")),
    }
    assert {name for name in first if name.startswith("deniable")} == needed
    assert not {*first} & {*OUTSIDE, "numpy", "rich", "yaml"}
    # One after the other in one process: whoever loads it first is the one.
    assert len(others) == len(names)
    loaded = {name: {*modules} & OUTSIDE for name, modules in zip(names, others, strict=True)}
    assert loaded == {name: set() for name in names}
