"""How the project is cited."""

import tomllib
from pathlib import Path

import yaml

from deniable import __version__
from deniable.publication.citation import AUTHORS, SOFTWARE

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def test_the_program_is_cited_alike_everywhere() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert (CITATION["title"], CITATION["version"]) == (PROJECT["name"], __version__)
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["authors"] == PROJECT["authors"] == [{"name": AUTHORS}]
    for part in (AUTHORS, CITATION["title"], __version__, PROJECT["license"]):
        assert part in SOFTWARE
