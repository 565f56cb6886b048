"""What packages offer, when it is loaded, and what is said where one is missing."""

import importlib
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

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
    assert shlex.split(how_to_get(extra)) == [sys.executable, "-m", "pip", "install", *NEEDS[extra]]


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


def test_no_index_is_named_for_this_program() -> None:
    """No index has it, and whatever takes its name there would be installed."""
    told = re.compile(r"pip(?:x)? install[^\n`]*?\bdeniable\b(?!-)")
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    for room in ("analysis", "cli", "client", "server"):
        pages += (ROOT / room).rglob("*.py")
    found = [f"{page.name}: {line}" for page in pages for line in told.findall(page.read_text())]
    assert found == []


OFFERING = sorted(
    stub.parent.relative_to(ROOT).as_posix()
    for room in ("deniable", "analysis", "study")
    for stub in (ROOT / room).rglob("__init__.pyi")
    if not any(parent.is_symlink() for parent in stub.parents)
)


@pytest.mark.parametrize("folder", OFFERING)
def test_a_package_offers_what_its_stub_lists(folder: str) -> None:
    package = "deniable" if folder == "deniable" else f"deniable.{folder.removeprefix('deniable/')}"
    module = importlib.import_module(package.replace("/", "."))
    modules = {path.stem for path in (ROOT / folder).glob("*")}
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert name not in modules or isinstance(getattr(module, name), ModuleType)
    assert {*module.__all__} <= {*dir(module)}
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        module.nothing  # noqa: B018  asking for it is the test


def test_only_what_is_asked_for_is_loaded() -> None:
    program = (
        "import sys\n"
        "from deniable import analysis as da\n"
        "dir(da)\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "print(sorted(loaded & {'scipy', 'matplotlib', 'pandas'}))\n"
        "da.estimate\n"
        "print('scipy' in sys.modules, 'deniable.analysis.regression.fit' in sys.modules)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert run.stdout.splitlines() == ["[]", "True False"]
