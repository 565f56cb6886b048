"""What is loaded into each program's process, from its start to its last page."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deniable.server.store import Store
from tests.kit import at, url_for

pytestmark = pytest.mark.promise("intake-apart")

ROOT = Path(__file__).parents[2]

# Composes a program on a store, asks it for pages, and says what was loaded by then.
USE = """
import asyncio, json, sys
from deniable.server.{program} import open_program
from deniable.server.settings import Settings
from tests.kit import Caller, event_loop

program = open_program(Settings(sys.argv[1], "127.0.0.1", 0, "http://localhost", "http://x", "http://y"))
started = sorted(sys.modules)
with event_loop() as loop:
    call = Caller(program.gateway, loop)
    statuses = [call(path).status for path in sys.argv[2:]]
    program.close()
print(json.dumps([started, sorted(sys.modules), statuses]))
"""

FIGURES = {"matplotlib", "pandas"}
STATISTICS = {"scipy", "deniable.analysis", "deniable.analysis.results"}
OF_A_NEW_STORE = {"pydantic", "yaml"}


def loaded(program: str, store: Store, *paths: str) -> tuple[set[str], set[str], list[int]]:
    """Return what a fresh process has loaded at its start and at its end, and what it answered."""
    process = subprocess.run(
        [sys.executable, "-c", USE.format(program=program), f"sqlite:///{store.name}", *paths],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    started, ended, statuses = json.loads(process.stdout)
    return {*started}, {*ended}, statuses


def test_respondents_program_never_loads_analysis_or_desk(store: Store) -> None:
    paths = [
        "/",
        "/device",
        at("doping"),
        at("doping", "privacy"),
        at("doping", "sheet"),
        at("doping", "reports"),
    ]
    started, ended, statuses = loaded("respondents_program", store, *paths)
    assert statuses == [200, 200, 200, 200, 200, 405]
    assert "deniable.server.intake.group_commit" in started
    assert not started & OF_A_NEW_STORE
    assert not ended & (FIGURES | STATISTICS)
    assert not [name for name in ended if name.startswith("deniable.server.desk")]


def test_the_desk_loads_late_and_no_writer(store: Store) -> None:
    started, ended, statuses = loaded(
        "desk_program", store, url_for("surveys.index"), url_for("results.page")
    )
    assert statuses == [401, 401]
    assert not started & (FIGURES | STATISTICS | OF_A_NEW_STORE | {"flask", "werkzeug"})
    assert ended >= STATISTICS
    # What takes longest to load waits for whoever asks for it.
    assert not ended & (FIGURES | {"scipy.optimize", "scipy.stats"})
    for room in ("intake", "respondent"):
        assert not [name for name in ended if name.startswith(f"deniable.server.{room}")]
