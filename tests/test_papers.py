"""The papers of the project: what only its owner can fill in, and how it is cited."""

import re
import tomllib
from pathlib import Path

import yaml

from deniable import __version__
from deniable.publication.citation import AUTHORS, SOFTWARE

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())

MARK = re.compile(r"OWNER: ([^`(.\n]+)")


def test_every_mark_for_the_owner_is_listed_once_and_stands_once() -> None:
    papers = [*ROOT.glob("*.*"), *(ROOT / "docs").glob("*.md"), *(ROOT / "deploy").glob("*")]
    marks = sorted(
        (mark.strip(), str(path.relative_to(ROOT)))
        for path in papers
        if path.suffix in {".md", ".toml", ".cff", ".env", ".service"}
        for mark in MARK.findall(path.read_text())
    )
    told = (ROOT / "CONTRIBUTING.md").read_text().partition("only the owner can fill in")[2]
    assert marks == sorted(re.findall(r"^\| ([^|]+) \| `([^`|]+)` \|$", told, re.MULTILINE))
    assert len(marks) == len({mark for mark, _ in marks}) > 4


def test_the_program_is_cited_alike_everywhere() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert (CITATION["title"], CITATION["version"]) == (PROJECT["name"], __version__)
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["authors"] == PROJECT["authors"] == [{"name": AUTHORS}]
    for part in (AUTHORS, CITATION["title"], __version__, PROJECT["license"]):
        assert part in SOFTWARE


def test_an_index_can_lead_to_the_project() -> None:
    urls = PROJECT["urls"]
    assert urls["Documentation"].startswith(urls["Repository"])
    assert {"Typing :: Typed", "Intended Audience :: Science/Research"} <= {*PROJECT["classifiers"]}
