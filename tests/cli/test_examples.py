"""The example surveys load, can be checked and answered, and promise no more than holds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Run

EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_can_be_checked_answered_and_estimated(run: Run, path: Path) -> None:
    (found,) = json.loads(run("check", path, "--format", "json").stdout)
    assert found["notes"] == []
    assert found["epsilon_spent"] <= found["epsilon"]
    run("simulate", path, "-n", 50, "-o", "noise.csv")
    assert "50 respondents" in run("estimate", path, "--reports", "noise.csv").stdout


def test_the_commands_in_the_comments_work(run: Run) -> None:
    commands = [
        line.removeprefix("#   deniable ").split()
        for path in EXAMPLES
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("#   deniable ")
    ]
    assert len(commands) == len(EXAMPLES)
    for command in commands:
        (name,) = [Path(word).stem for word in command if word.endswith(".yaml")]
        run("new", name, "-o", f"{name}.yaml", "--force")
        run(*command)


def test_the_interviews_are_what_their_script_prints() -> None:
    script = ROOT / "examples" / "interviews.py"
    printed = subprocess.run(
        [sys.executable, script],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ).stdout
    assert printed == script.with_suffix(".csv").read_text(encoding="utf-8")
