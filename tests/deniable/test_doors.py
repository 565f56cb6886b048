"""The front door of the analysis: what a notebook finds behind ``deniable.analysis``."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import deniable
from deniable import analysis as da
from deniable.doors import door, imports_for_types
from deniable.study import open_study

ROOT = Path(__file__).parents[2]
DOORS = ["deniable.analysis"] + [
    f"deniable.analysis.{room}"
    for room in ("joint", "numerics", "planning", "privacy", "regression", "sampling")
]

INNER_MODULES = {
    "always_valid", "change_words", "coefficient_figure", "counting", "headlines",
    "intervals", "inversion", "joint.correlation_interval", "joint.joint_likelihood", "marking",
    "mean_of_waves", "numerics.arrays", "numerics.inverting",
    "planning.advice", "pooling", "regression.design", "regression.latent_class",
    "regression.likelihood", "regression.maximise", "regression.truth", "sampling.effective",
    "sampling.of_items", "trend_figure",
}  # fmt: skip
"""What the other modules, the desk and the command line share; it is behind no door."""

INNER_NAMES = {
    "data_file": {"read_rows", "separator"},
    "disclosure": {
        "Cells", "Everybody", "Rows", "Sorted", "Together", "TooFewError", "cells_of",
        "direct_places", "mean_tells_cells", "numbered", "patterns_of", "waves_of",
    },
    "estimation": {"share_methods", "least_noise", "check_counts", "ends_of", "share_of"},
    "figures": {"drawn"},
    "following": {"p_values_of_shares", "p_value", "contradictions"},
    "joint.groups": {"estimates", "two_groups", "each_group", "end_method"},
    "joint.tables": {"check_joint_counts"},
    "likelihood": {"maximum_likelihood", "check_profile", "profile_interval", "profile_ends"},
    "means": {"mean_method"},
    "numerics.convergence": {"where_certain"},
    "planning.significance": {"binomial_rejects", "two_binomials_reject", "enough_by_hoeffding"},
    "planning.widths": {"report_rates"},
    "regression.fit": {"Regression"},
    "regression.goodness": {"goodness_of_fit"},
    "regression.inference": {
        "chi_square", "covariance", "leaning", "variances", "direction_of_separation",
        "profile_interval",
    },
    "regression.links": {"Link", "find_link"},
    "regression.prediction": {"predict", "predict_answer", "marginal_effects"},
    "reports_csv": {"columns"},
    "results": {"item_results", "numbers", "ends_or_why", "number_or_none", "results_of"},
    "sampling.debiased": {"Item", "for_squares"},
    "sampling.design_based": {"Units"},
}  # fmt: skip
"""The same of single functions, beside others that are offered."""


def defined(path: Path) -> set[str]:
    """Return the public functions and classes that a module defines."""
    return {
        node.name
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    }


def modules() -> dict[str, Path]:
    """Return the modules of the analysis by name, without the packages themselves."""
    folder = ROOT / "analysis"
    return {
        ".".join(path.relative_to(folder).with_suffix("").parts): path
        for path in folder.rglob("*.py")
        if path.name != "__init__.py"
    }


def reachable() -> set[int]:
    """Return everything behind the front door: a name of it, or of a room that it offers."""
    offered = [getattr(da, name) for name in da.__all__]
    rooms = [room for room in offered if isinstance(room, ModuleType)]
    inside = [
        getattr(room, name)
        for room in rooms
        for name in getattr(room, "__all__", [name for name in vars(room) if name[0] != "_"])
    ]
    return {id(each) for each in (*offered, *inside)}


@pytest.mark.parametrize("name", sorted(set(modules()) - INNER_MODULES))
def test_every_public_function_is_reachable_through_the_front_door(name: str) -> None:
    module = importlib.import_module(f"deniable.analysis.{name}")
    public = defined(modules()[name])
    inner = INNER_NAMES.get(name, set())
    assert inner <= public
    behind = reachable()
    assert {each for each in public if id(getattr(module, each)) not in behind} == inner


def test_what_is_said_to_be_inner_is_there() -> None:
    assert set(modules()) >= INNER_MODULES | set(INNER_NAMES)


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
