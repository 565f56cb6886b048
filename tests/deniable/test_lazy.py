"""What packages offer, and that it is loaded when it is first used."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import deniable
from deniable.study import open_study

ROOT = Path(__file__).parents[2]
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


def test_a_notebook_opens_a_study() -> None:
    assert deniable.open is open_study
