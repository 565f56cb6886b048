"""What a test needs from the machine, and what to do when it is not there.

On somebody's laptop a missing program leaves the test out, with a reason that says how to get it.
Under ``CI=true`` it fails, since there a test that silently stopped running is a hole in the proof.

    chromium = needs.program("chromium", "sudo apt-get install chromium chromium-driver")
"""

import os
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest


def program(name: str, how_to_get: str, *, also: Sequence[Path] = ()) -> str:
    """Return the path of a program: beside this Python, as Node is, in PATH, or in `also`."""
    beside = str(Path(sys.executable).parent)
    path = [beside, os.environ.get("PATH", os.defpath), *map(str, also)]
    found = shutil.which(name, path=os.pathsep.join(path))
    return found or _missing(f"the program {name}", how_to_get)


def file(path: Path, how_to_get: str) -> Path:
    """Return a path that must exist, such as one in ``node_modules``."""
    return path if path.exists() else _missing(f"the file {path}", how_to_get)


def peer(module: str, name: str) -> str:
    """Return the Python of the peers' environment, which must have a module of a peer."""
    python = Path(__file__).parents[2] / ".venv-peers" / "bin" / "python"
    if not list(python.parents[1].glob(f"lib/python*/site-packages/{module}")):
        return _missing(f"the package {module}", f"python -m tools.peers {name}")
    return str(python)


def packages(names: Sequence[str], how_to_get: str) -> None:
    """Check that packages are installed, which only some work needs."""
    for name in names:
        if find_spec(name) is None:
            _missing(f"the package {name}", how_to_get)


def _missing(what: str, how_to_get: str) -> NoReturn:
    reason = f"needs {what}, which is not here; get it by: {how_to_get}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
