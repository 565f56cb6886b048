"""What is installed is what is in the tree: a room or sub-package must not be forgotten."""

import hashlib
import json
import re
import tomllib
from pathlib import Path

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


def test_the_drawing_library_is_the_bundle_that_its_digest_names() -> None:
    """`make lint` makes it anew from its lock, and compares."""
    vendor = ROOT / "lab" / "static" / "vendor"
    digest, name = (vendor / "plot.js.sha256").read_text().split()
    assert hashlib.sha256((vendor / name).read_bytes()).hexdigest() == digest
    locked = json.loads((ROOT / "scripts" / "plot" / "package-lock.json").read_text())
    licences = (vendor / "plot.LICENSE.txt").read_text()
    packages = re.findall(r"^(@\S+/\S+|[a-z0-9-]+) (\d+\.\d+\.\d+)$", licences, re.MULTILINE)
    assert len(packages) > 10
    for package, version in packages:
        assert locked["packages"][f"node_modules/{package}"]["version"] == version
