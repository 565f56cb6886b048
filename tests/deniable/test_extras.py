"""What is said where a package is missing: a command that works, for an extra that there is."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from deniable.extras import NEEDS, how_to_get

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", NEEDS)
def test_it_is_an_extra_of_this_program(extra: str) -> None:
    packages = {re.split("[><=]", one)[0] for one in EXTRAS[extra]}
    assert packages == set(NEEDS[extra])
    assert f"{sys.executable} -m pip install -e '.[{extra}]'" in how_to_get(extra)


def test_every_extra_for_users_can_be_asked_for() -> None:
    assert set(NEEDS) == set(EXTRAS) - {"dev"}
    with pytest.raises(KeyError):
        how_to_get("figures")


def test_nobody_is_sent_to_an_index_for_this_program() -> None:
    """No index has it, and whatever takes its name there would be installed."""
    told = re.compile(r"pip(?:x)? install[^\n`]*?\bdeniable\b(?!-)")
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    for room in ("analysis", "cli", "client", "server"):
        pages += (ROOT / room).rglob("*.py")
    found = [f"{page.name}: {line}" for page in pages for line in told.findall(page.read_text())]
    assert found == []
