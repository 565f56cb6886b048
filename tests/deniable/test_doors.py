"""The front door of the analysis: what a notebook finds behind ``deniable.analysis``."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import deniable
from deniable.doors import door, imports_for_types
from deniable.study import open_study

ROOT = Path(__file__).parents[2]
DOORS = ["deniable.analysis"] + [
    f"deniable.analysis.{room}"
    for room in ("joint", "numerics", "planning", "privacy", "regression", "sampling")
]


@pytest.mark.parametrize("package", DOORS)
def test_a_door_offers_what_editors_see_and_says_so(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__file__ is not None
    seen = imports_for_types(Path(module.__file__).read_text())
    assert sorted(seen) == sorted(module.__all__)
    assert {name for name in dir(module) if not name.startswith("__")} == set(module.__all__)
    for name, home in seen.items():
        if home == package:
            expected: object = importlib.import_module(f"{package}.{name}")
        else:
            expected = getattr(importlib.import_module(home), name)
        assert getattr(module, name) is expected
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018  asking for it is the test


@pytest.mark.parametrize("package", DOORS)
def test_no_name_is_that_of_a_module_which_an_import_would_put_in_its_place(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__file__ is not None
    names = {
        name
        for name, home in imports_for_types(Path(module.__file__).read_text()).items()
        if home != package
    }
    assert not names & {path.stem for path in Path(module.__file__).parent.glob("*")}


def test_the_door_loads_what_is_asked_for_and_not_before() -> None:
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


def test_a_door_reads_only_the_imports_for_types() -> None:
    source = "import os\nif TYPE_CHECKING:\n    from a.b import c, d\n    from e import f\nelse:\n"
    assert imports_for_types(source + "    from g import h\n") == {"c": "a.b", "d": "a.b", "f": "e"}
    get, names = door("deniable.analysis.joint")
    assert callable(get("crosstab"))
    assert "crosstab" in names()


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_imports_from_the_two_doors_alone(page: Path) -> None:
    lines = re.findall(r"^(?:>>> |\.\.\. )?((?:from|import) deniable\b.*)$", page.read_text(), re.M)
    for line in lines:
        assert re.match(r"from deniable(\.analysis)? import |import deniable$", line), line


def test_the_first_package_offers_what_it_lists_and_the_tab_key_completes_it() -> None:
    assert {*deniable.__all__} <= {*dir(deniable)}
    assert deniable.open is open_study
    for name in deniable.__all__:
        assert getattr(deniable, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        deniable.opne  # noqa: B018
