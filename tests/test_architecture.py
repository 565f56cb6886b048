"""The house: imports point at the vocabulary, and data flows one way."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from deniable.server.store import Store
from tools.size import circles, product, statements

ROOT = Path(__file__).parent.parent
ROOMS = {
    "deniable": "",
    "client": "deniable",
    "analysis": "deniable",
    "classroom": "deniable analysis lab",
    "lab": "deniable analysis",
    "publication": "deniable analysis results templates",
    "reanalysis": "deniable analysis results study",
    "results": "deniable analysis",
    "study": "deniable analysis results server",
    "server": "deniable analysis classroom client lab publication results study templates",
    "cli": "deniable analysis classroom client lab publication reanalysis results server study",
}
"""What each room may import. The server reaches into the client's for the folder of browser files,
and for the made-up people who answer trials."""

DOES_IO = {"io", "os", "pathlib", "socket", "sqlite3", "subprocess", "urllib", "http", "requests"}
"""What the vocabulary keeps away from."""


def sources(room: str) -> list[Path]:
    """Return the Python files of a room, without the links to the other rooms."""
    found = (ROOT / room).rglob("*.py")
    return [path for path in found if not any(parent.is_symlink() for parent in path.parents)]


@pytest.fixture(scope="module", autouse=True)
def end_of_the_trees() -> Iterator[None]:
    """Forget a million nodes, which each collection of garbage would look at."""
    yield
    product.cache_clear()


def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a module; one that git does not know yet is read by itself."""
    return product().get(path.relative_to(ROOT).as_posix()) or ast.parse(path.read_text())


@cache
def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in statements(tree_of(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def room_of(name: str) -> str | None:
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
        assert reached <= {*ROOMS[room].split()}, path


def test_the_server_takes_little_of_the_client() -> None:
    for path in sources("server"):
        inside = {name for name in imports(path) if name.startswith("deniable.client.")}
        # Made-up people answer trials, also of a meeting, and nothing else that is in a store.
        assert not inside or path.parts[-2:] == ("editor", "preview.py"), path


def test_the_desk_asks_studies_and_not_stores() -> None:
    # So that neither room needs the other to be understood: the one is given what the other reads.
    asking = {path.relative_to(ROOT).parts[:2] for path in sources("server") if _of(path, "study")}
    assert asking == {("server", "desk")}
    opening = {path.name for path in sources("study") if _of(path, "server")}
    assert opening == {"opening.py"}


def _of(path: Path, room: str) -> bool:
    return any(room_of(name) == room for name in imports(path))


def test_the_vocabulary_does_no_input_or_output() -> None:
    for path in sources("deniable"):
        assert not {name.split(".")[0] for name in imports(path)} & DOES_IO, path
        assert "open(" not in path.read_text(), path


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert [*circles()] == []


def test_the_client_s_browser_folder_has_no_python() -> None:
    suffixes = {path.suffix for path in (ROOT / "client" / "browser").rglob("*") if path.is_file()}
    assert suffixes == {".js", ".css"}


@cache
def graph() -> dict[str, set[str]]:
    """Return which modules each module imports, anywhere in it."""
    files = {module_name(path): path for room in ROOMS for path in sources(room)}
    return {name: imports(path) & files.keys() for name, path in files.items()}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] != "deniable":
        parts = ("deniable", *parts)
    return ".".join(parts).removesuffix(".__init__")


def reachable(start: str, modules: Mapping[str, set[str]]) -> set[str]:
    """Return all that is loaded when a module is, packages on the way included."""
    found: set[str] = set()
    todo = [start]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        parents = [name.rsplit(".", level)[0] for level in range(1, name.count(".") + 1)]
        todo += [*modules[name], *parents]
    return found


SERVER = {"store": "", "web": "", **dict.fromkeys(("intake", "respondent", "desk"), "store web")}
"""What each room of the server may import of the others: none knows another one's public."""


@pytest.mark.parametrize("room", SERVER)
def test_a_server_s_room_imports_what_it_may(room: str) -> None:
    inside = [name for name in graph() if name.startswith(f"deniable.server.{room}.")]
    assert inside
    for name in inside:
        reached = {
            other.split(".")[2] for other in graph()[name] if other.startswith("deniable.server.")
        }
        assert reached <= {room, *SERVER[room].split()}, name


def test_all_rooms_of_the_server_are_held() -> None:
    packages = {init.parent.name for init in (ROOT / "server").glob("*/__init__.py")}
    assert packages == set(SERVER)


def test_the_programs_share_store_and_web_alone() -> None:
    modules = graph()
    theirs = reachable("deniable.server.respondents_program", modules)
    ours = reachable("deniable.server.desk_program", modules)
    assert {"deniable.server.intake.group_commit", "deniable.server.respondent.pages"} <= theirs
    assert {"deniable.server.desk.results.routes", "deniable.analysis.results"} <= ours
    for name in theirs:
        assert not name.startswith(("deniable.analysis", "deniable.server.desk")), name
    for name in ours:
        assert not name.startswith(("deniable.server.intake", "deniable.server.respondent")), name


@pytest.mark.promise("no-cookies")
def test_nothing_that_serves_respondents_can_touch_a_cookie() -> None:
    files = [
        *sources("server/intake"),
        *sources("server/respondent"),
        *sources("server/web"),
        ROOT / "server" / "respondents_program.py",
    ]
    assert len(files) > 15
    # It says which headers nobody should send; the server itself does not load it.
    files.remove(ROOT / "server" / "respondent" / "known_headers.py")
    for path in files:
        for node in ast.walk(tree_of(path)):
            for name in _names(node):
                assert not re.search("cookie|^session|secret_key", name, re.IGNORECASE), path


@pytest.mark.promise("networks")
def test_one_module_alone_can_read_a_sender_s_address() -> None:
    readers = {
        path.relative_to(ROOT).as_posix()
        for path in sources("server")
        for node in ast.walk(tree_of(path))
        if (isinstance(node, ast.Attribute) and ast.unparse(node).endswith("scope.client"))
        or (isinstance(node, ast.Constant) and re.match("(x-)?forwarded", str(node.value), re.I))
    }
    assert readers == {"server/intake/networks.py"}


def _names(node: ast.AST) -> list[str]:
    """Return what a piece of code names: variables, attributes, headers, settings."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.alias):
        return [node.name]
    if isinstance(node, ast.keyword):
        return [node.arg or ""]
    # One word: sentences, which are shown to people, and docstrings may speak of cookies.
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value:
        return [node.value]
    return []


BEHIND_THE_SEAM = (
    "psycopg",
    "sqlite3",
    "deniable.server.store.postgres",
    "deniable.server.store.sql",  # and so sqlite
)


def outside_the_store() -> list[Path]:
    """Return the Python files that ask the store for everything."""
    store = ROOT / "server" / "store"
    return [path for room in ROOMS for path in sources(room) if store not in path.parents]


EXPORT = ROOT / "publication" / "database.py"
"""Writes a database that is an export, and no store: it knows nothing of one."""


def test_nobody_but_the_store_knows_its_engines() -> None:
    assert not [name for name in imports(EXPORT) if room_of(name) == "server"]
    for path in outside_the_store():
        if path == EXPORT:
            continue
        assert not [name for name in imports(path) if name.startswith(BEHIND_THE_SEAM)], path


def test_only_store_and_option_speak_of_sqlite() -> None:
    # No address is built or taken apart, no file listed, no error caught.
    speaking = {path for path in outside_the_store() if "sqlite" in path.read_text().lower()}
    assert speaking == {ROOT / "cli" / "options.py", EXPORT, EXPORT.with_name("__init__.py")}


def test_a_store_shows_nothing_of_an_engine() -> None:
    told = {name for name in dir(Store) if not name.startswith("_")}
    assert "name" in told
    assert not told & {"path", "file", "files", "url", "connection"}
