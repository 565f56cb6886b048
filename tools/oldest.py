"""An environment of the lower bounds in pyproject.toml, to check that the tests pass with them.

``python -m tools.oldest .venv-oldest`` makes the environment if it does not exist or pyproject.toml
has changed since; `make test-slow` runs in it the slow tests, and the quick ones that
``python -m tools.oldest`` names.
"""

import hashlib
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
NEWEST: Final = ("mypy", "pandas-stubs", "ruff", "schemathesis", "scipy-stubs", "types-")
"""Tools that the environment lacks; schemathesis needs newer versions of some packages."""

ENGINES: Final = ("duckdb", "pyspark")
"""Packages that read an export in a slow test: the newest versions."""

CHOICE: Final = (
    "tests/analysis/regression",
    "tests/cli/test_check.py",
    "tests/cli/test_estimate.py",
    "tests/deniable/test_survey_file.py",
    "tests/publication",
    "tests/results",
    "tests/server/desk/test_pages.py",
    "tests/study",
)
"""Quick tests that reach most of the packages, in two minutes."""


def requirements(text: str) -> Iterator[str]:
    """Yield the oldest version of each package, and the newest of packages for tests alone."""
    project = tomllib.loads(text)["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    tools = [one for one in extras.pop("dev") if not one.startswith(("deniable[", *NEWEST))]
    bounds = {*project["dependencies"], *(one for extra in extras.values() for one in extra)}
    yield from sorted(bound.replace(">=", "==") for bound in bounds)
    yield from tools
    yield from ENGINES


def make(folder: Path) -> None:
    """Make the environment, unless one of this pyproject.toml exists."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    stamp, made_of = folder / "made-of", hashlib.sha256(text.encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == made_of:
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    quiet = ("--quiet", "--disable-pip-version-check")
    pip = (str(folder.resolve() / "bin" / "python"), "-m", "pip", "install", *quiet)
    subprocess.run([*pip, "setuptools>=77", "wheel", *requirements(text)], check=True)
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "-e", ROOT], check=True)
    stamp.write_text(made_of)


def main() -> None:
    """Make the environment in the named folder; without one, print the paths of `CHOICE`."""
    if sys.argv[1:]:
        make(Path(sys.argv[1]))
    else:
        sys.stdout.write(" ".join(CHOICE))


if __name__ == "__main__":
    main()
