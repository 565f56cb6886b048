"""What is said in Python, at the command line and at the desk names what its own reader can do."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from deniable.cli.main import commands
from deniable.text.doors import RefusalError, at_command, at_desk, retold
from tests.results.snapshot import kept

ROOT = Path(__file__).parents[2]
NAMES = "|".join(commands.list_commands(click.Context(commands)))
COMMAND = re.compile(rf"(?<![\w-])--(?:[a-z]|\Z)|\bdeniable (?:{NAMES})\b")
PYTHON = re.compile(r"\.\w+\(|\b[a-z_]+\(\)|\b(?!levels|df)[a-z_]+=(?![a-z])")

SHARED = ("analysis", "deniable", "publication", "reanalysis", "results", "study")
"""Rooms whose texts are read at every door."""

OF_NO_DOOR = {
    "--design": "the name of a dictionary that a command makes of its options",
    "deniable tally": "the name of a format",
    "uv pip install --python ": "who installs a package types it",
    "the hash of each other file: `sha256sum --check SHA256SUMS`": "another program's",
}
DESK, PAGES = ROOT / "server" / "desk", ROOT / "templates" / "desk"
NOT_OF_PAGES = {DESK / "editor" / "starters.py", DESK / "manual" / "printed.py"}
"""Files that commands read too, and the manual's page of each command."""

OF_ARRAYS = (
    "analysis/counts/labels.py",
    "analysis/regression/fit.py",
    "analysis/regression/formula.py",
    "reanalysis/arms.py",
)
"""Modules whose errors are of arrays, which only Python has."""


def said_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each text of a module, but for docstrings, with the door that reads it; "" if all."""
    tree, door = ast.parse(path.read_text()), dict[int, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            door[id(node.value)] = "nobody"
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RefusalError":
            for one in node.keywords:
                door |= {id(part): one.arg or "" for part in ast.walk(one.value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield door.get(id(node), ""), node.value


@pytest.mark.parametrize("room", SHARED)
def test_no_text_names_what_another_door_has(room: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {text}"
        for path in (ROOT / room).rglob("*.py")
        if path.resolve() == path
        for door, text in said_in(path)
        if (door not in ("command", "nobody") and COMMAND.search(text) and text not in OF_NO_DOOR)
        or (door in ("command", "desk") and PYTHON.search(text))
    ]
    assert not found


def test_no_shared_error_names_a_call_of_python() -> None:
    for room in SHARED:
        for path in (ROOT / room).rglob("*.py"):
            named = str(path.relative_to(ROOT))
            if path.resolve() != path or named in OF_ARRAYS:
                continue
            text = path.read_text()
            if "ValueError" not in text:
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ValueError":
                    for one in ast.walk(node):
                        if isinstance(one, ast.Constant) and isinstance(one.value, str):
                            assert not PYTHON.search(one.value), f"{named}: {one.value}"


def test_the_desk_names_no_command() -> None:
    """But the page of those who cannot sign in, who work on the server, and a board's letter."""
    for path in {*DESK.rglob("*.py")} - NOT_OF_PAGES:
        for door, text in said_in(path):
            assert door == "nobody" or not COMMAND.search(text), f"{path.name}: {text}"
    for path in {*PAGES.rglob("*.html")} - {*PAGES.rglob("*_style.html")}:
        found = COMMAND.search(re.sub(r"(?s)\{#.*?#\}", "", path.read_text()))
        assert not found or path.name in ("sign_in.html", "ethics.html"), path.name


def test_a_store_names_whole_commands() -> None:
    """Python has no other way to look after a store, and the desk says whom to ask."""
    for path in (ROOT / "server" / "store").rglob("*.py"):
        for door, text in said_in(path):
            found = COMMAND.search(text)
            quoted = found and text[: found.end()].count("'deniable ")
            assert door == "nobody" or not found or quoted, f"{path.name}: {text}"


def test_no_kept_result_names_what_another_door_has() -> None:
    for part, found in kept()["parts"].items():
        other = COMMAND if part.endswith(("desk", "Python")) else None
        other = PYTHON if part.endswith("command") else other
        for name, result in found.items():
            for text in [result] if isinstance(result, str) else map(str, result):
                assert other is None or not other.search(text), f"{part}, {name}: {text}"


def test_a_repeated_refusal_has_each_reader_s_text() -> None:
    refusal = RefusalError("found 2", python="in Python", command="by --one", desk="below")
    found = retold(refusal, "column 'q': {}. Nobody was asked.".format)
    assert str(found) == "column 'q': found 2: in Python. Nobody was asked."
    assert at_command(found) == "column 'q': found 2: by --one. Nobody was asked."
    assert at_desk(found) == "column 'q': found 2: below. Nobody was asked."
    assert str(retold(ValueError("no"), str.upper)) == at_desk(ValueError("NO"))
