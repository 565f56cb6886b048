"""The house: imports point at the vocabulary, and data flows one way."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = {
    "deniable": set[str](),
    "client": {"deniable"},
    "analysis": {"deniable"},
    "server": {"deniable", "analysis", "client", "templates"},
    "cli": {"deniable", "client", "server", "analysis"},
}
"""What each room may import. The server reaches into the client's for the folder of browser files,
and for nothing else."""

DOES_IO = {"io", "os", "pathlib", "socket", "sqlite3", "subprocess", "urllib", "http", "requests"}
"""What the vocabulary keeps away from."""


def sources(room: str) -> list[Path]:
    """Return the Python files of a room, without the links to the other rooms."""
    return [path for path in (ROOT / room).rglob("*.py") if not is_linked(path)]


def is_linked(path: Path) -> bool:
    return any(parent.is_symlink() for parent in path.parents)


def imports(path: Path) -> set[str]:
    """Return the full names of what a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def room_of(name: str) -> str | None:
    """Return the room that an imported name lies in."""
    parts = name.split(".")
    if parts[0] != "deniable":
        return None
    inner = parts[1] if len(parts) > 1 else ""
    return inner if inner in {*ROOMS, "templates"} else "deniable"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    assert sources(room)
    for path in sources(room):
        reached = {room_of(name) for name in imports(path)} - {None, room, "deniable"}
        assert reached <= ROOMS[room], path


def test_the_server_takes_nothing_of_the_client_but_its_folder() -> None:
    for path in sources("server"):
        inside = {name for name in imports(path) if name.startswith("deniable.client.")}
        assert not inside, path


def test_the_vocabulary_does_no_input_or_output() -> None:
    for path in sources("deniable"):
        assert not {name.split(".")[0] for name in imports(path)} & DOES_IO, path
        assert "open(" not in path.read_text(), path


def test_only_the_python_side_of_the_client_is_python() -> None:
    suffixes = {path.suffix for path in (ROOT / "client" / "browser").rglob("*") if path.is_file()}
    assert suffixes == {".js", ".css", ".svg"}
