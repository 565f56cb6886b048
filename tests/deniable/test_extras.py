"""What is said where a package is missing: a command that works, for an extra that there is."""

import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from deniable.extras import NEEDS, how_to_get

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def test_the_extras_are_those_of_the_project() -> None:
    assert {extra: [*packages] for extra, packages in NEEDS.items()} == {
        extra: packages for extra, packages in EXTRAS.items() if extra != "dev"
    }
    with pytest.raises(KeyError):
        how_to_get("figures")


@pytest.mark.parametrize("extra", NEEDS)
def test_the_command_installs_the_extra_here(extra: str) -> None:
    assert shlex.split(how_to_get(extra)) == [
        *(sys.executable, "-m", "pip", "install"),
        *NEEDS[extra],
    ]


def test_in_pipx_s_environment_pipx_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/home/ada/.local/share/pipx/venvs/deniable")
    assert "pipx" not in how_to_get("parquet"), "a folder of somebody's that is called venvs"
    shared = "/home/ada/.local/share/pipx/shared/lib/python3.12/site-packages"
    monkeypatch.setattr(sys, "path", [*sys.path, shared])
    assert how_to_get("parquet") == "pipx inject deniable 'pyarrow>=26'"


def test_without_pip_uv_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.extras.find_spec", lambda name: None)
    told = f"uv pip install --python {sys.executable} 'pyarrow>=26'"
    assert how_to_get("parquet") == told


def test_nobody_is_sent_to_an_index_for_this_program() -> None:
    """No index has it, and whatever takes its name there would be installed."""
    told = re.compile(r"pip(?:x)? install[^\n`]*?\bdeniable\b(?!-)")
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    for room in ("analysis", "cli", "client", "server"):
        pages += (ROOT / room).rglob("*.py")
    found = [f"{page.name}: {line}" for page in pages for line in told.findall(page.read_text())]
    assert found == []
