"""What is installed is what is in the tree: a room or sub-package must not be forgotten."""

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
