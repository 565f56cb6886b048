"""Which tests hold each promise of ``docs/security.md``, by the markers in the tests.

``python -m tests.promises`` writes ``docs/promises.md``. A Python test says
``@pytest.mark.promise("name")``, a module says it by ``pytestmark``, and a JavaScript file by a
line ``// promise: name``.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
PAGE: Final = ROOT / "docs" / "promises.md"

_NAME: Final = re.compile(r"\(`([a-z-]+)`\)")
_COMMENT: Final = re.compile(r"^// promise: (.*)$", re.MULTILINE)

_WAITING: Final = ("pytest.mark.slow", "pytest.mark.campaign")

_HEAD: Final = """\
# The tests of each promise

The names are those of [security.md](security.md). `python -m tests.promises` writes this page from
the markers in the tests.

| promise | held by |
|---|---|
"""


def promised() -> list[str]:
    """Return the names of the promises, in the order of the page."""
    return _NAME.findall((ROOT / "docs" / "security.md").read_text())


def _names(expression: ast.expr) -> list[str]:
    """Return the promises that a decorator, or the value of ``pytestmark``, names."""
    return [
        word.value
        for call in ast.walk(expression)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.promise"
        for word in call.args
        if isinstance(word, ast.Constant) and isinstance(word.value, str)
    ]


def _marks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the promises of a Python file, each with ``::test``, or nothing for the module."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            for decorator in node.decorator_list:
                yield from ((name, f"::{node.name}") for name in _names(decorator))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            yield from ((name, "") for name in _names(node.value))


@cache
def marked(folder: Path = ROOT / "tests") -> dict[str, list[str]]:
    """Return the ids of the tests of each promise that a marker names."""
    found = defaultdict(list)
    for path in sorted(folder.rglob("test_*.py")) + sorted(folder.rglob("*.test.js")):
        text = path.read_text()
        place = path.relative_to(folder.parent).as_posix()
        if path.suffix == ".js":
            for line in _COMMENT.findall(text):
                for name in line.split(", "):
                    found[name].append(place)
        elif "mark.promise(" in text:
            for name, test in _marks(text):
                found[name].append(place + test)
    return dict(found)


def waits(id: str) -> bool:
    """Return whether ``make test`` leaves out all tests of such an id: none is quick."""
    path, _, test = id.partition("::")
    if path.endswith(".js"):
        return False
    body = ast.parse((ROOT / path).read_text()).body
    kept = {f"pytestmark = {mark}" for mark in _WAITING}
    if any(isinstance(node, ast.Assign) and ast.unparse(node) in kept for node in body):
        return True
    return all(
        any(ast.unparse(decorator) in _WAITING for decorator in node.decorator_list)
        for node in body
        if isinstance(node, ast.FunctionDef)
        if node.name == test or (not test and node.name.startswith("test_"))
    )


def page() -> str:
    """Return the page that shows the tests of each promise."""
    tests = marked()
    rows = [
        f"| `{name}` | {', '.join(f'`{test}`' for test in tests[name])} |" for name in promised()
    ]
    return _HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
