"""What is installed is what is in the tree: a room or sub-package must not be forgotten."""

import hashlib
import json
import re
import tomllib
from pathlib import Path

import pytest

from deniable.server.desk.editor.starters import (
    examples,
    published_questions,
)

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_every_package_in_the_tree_is_installed() -> None:
    in_the_tree = {
        ".".join([package, *init.parent.relative_to(ROOT / folder).parts])
        for package, folder in SETTINGS["package-dir"].items()
        for init in (ROOT / folder).rglob("__init__.py")  # which does not follow links
    }
    assert set(SETTINGS["packages"]) == in_the_tree


def test_every_room_is_linked_into_the_package() -> None:
    for package, folder in SETTINGS["package-dir"].items():
        linked = ROOT / package.replace(".", "/")
        assert linked.resolve() == ROOT / folder


def test_the_examples_are_installed_beside_the_package() -> None:
    shipped = ROOT / "deniable" / "examples"
    assert shipped.resolve() == ROOT / "examples"
    # What setuptools copies of them, and what the desk and `deniable new` offer.
    patterns = [one for one in SETTINGS["package-data"]["deniable"] if "/" in one]
    copied = {path for pattern in patterns for path in (ROOT / "deniable").glob(pattern)}
    assert copied == {
        *(shipped / f"{name}.yaml" for name in examples()),
        shipped / "classroom" / "questions.yaml",
        *(shipped / "published" / f"{name}.yaml" for name in published_questions()),
        shipped / "interviews.csv",
        *(ROOT / "deniable" / "deploy").iterdir(),
        *(path for path in (ROOT / "deniable" / "docs").rglob("*.*") if path.is_file()),
    }


@pytest.mark.parametrize(
    ("folder", "bundle"), [("server/desk/static", "codemirror"), ("lab/static", "plot")]
)
def test_a_bundle_is_the_one_that_its_digest_names(folder: str, bundle: str) -> None:
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
