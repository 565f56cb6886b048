"""``make size``: lines by room, and the number of things that two developers have to know.

It counts the tracked text files, except catalogues (``.po``), data, locks, checksums, licences, and
vendored or built files (``static/vendor``). Symbolic links do not count.
"""

import ast
import io
import re
import subprocess
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from html import unescape
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
LEFT_OUT: Final = (".po", ".csv", ".gz", ".lock", ".sha256", ".png", ".svg", "lock.json", "LICENSE")
ALIKE: Final = ("lab", "cli", "examples")
"""Folders with modules of one kind: pages of the lab, commands, examples."""
KINDS: Final = {"js": "script", "ts": "script", "css": "style", "html": "template", "md": "docs"}
PRINTED: Final = {"docs/promises.md"}
"""Pages that a command prints: their words do not count as written ones."""
BLOCKS: Final = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields of a statement that hold other statements."""
COLUMNS: Final = ("lines", "code", "docstring", "comment", *dict.fromkeys(KINDS.values()), "other")


@cache
def files() -> dict[str, str]:
    """Return the text of each counted file by its path."""
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    return {
        name: path.read_text(encoding="utf-8")
        for name in listed
        for path in [ROOT / name]
        if path.is_file() and not path.is_symlink()
        if not name.endswith(LEFT_OUT) and "/vendor/" not in name
    }


@cache
def product() -> dict[str, ast.Module]:
    """Return the syntax tree of each Python module outside the tests."""
    chosen = {path for path in files() if path.endswith(".py") and path[:6] != "tests/"}
    return {path: ast.parse(files()[path]) for path in sorted(chosen)}


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield all statements below a node, without their expressions."""
    for block in BLOCKS:
        for node in getattr(tree, block, ()):
            yield node
            yield from statements(node)


def spans(nodes: Iterable[ast.expr | ast.stmt]) -> set[int]:
    """Return the numbers of the lines of some nodes."""
    return {line for n in nodes for line in range(n.lineno, (n.end_lineno or n.lineno) + 1)}


def code_docstring_comment(text: str) -> tuple[set[int], set[int], set[int]]:
    """Return the lines of code, docstrings (also of attributes) and comments in Python."""
    alone = (node for node in statements(ast.parse(text)) if isinstance(node, ast.Expr))
    told = spans(n for n in alone if isinstance(getattr(n.value, "value", None), str))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    hashes = {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
    rows = enumerate(text.splitlines(), 1)
    code = {row for row, line in rows if line.strip() and line.lstrip()[0] != "#"} - told
    return code, told, hashes - code - told


def lines() -> dict[str, Counter[str]]:
    """Return the number of lines of each room by kind; ``lines`` includes blank ones."""
    rooms: dict[str, Counter[str]] = {}
    for path, text in files().items():
        counts = rooms.setdefault(path.split("/")[0] if "/" in path else "(root)", Counter())
        counts["lines"] += text.count("\n")
        if path.endswith(".py"):
            parts = zip(COLUMNS[1:4], code_docstring_comment(text), strict=True)
            counts.update({kind: len(rows) for kind, rows in parts})
        else:
            counts[KINDS.get(path.rsplit(".")[-1], "other")] += text.count("\n")
    return rooms


def long_functions() -> Iterator[str]:
    """Name the functions with more than 60 lines of code."""
    for path, tree in product().items():
        for node in statements(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if (node.end_lineno or 0) - node.lineno < 60:
                continue
            rows = code_docstring_comment(files()[path])[0] & spans([node])
            if len(rows) > 60:
                yield f"{path}:{node.lineno} {node.name} {len(rows)}"


def long_modules() -> Iterator[str]:
    """Name the modules with more than 500 lines."""
    counts = {path: files()[path].count("\n") for path in product()}
    return (f"{path} {count}" for path, count in counts.items() if count > 500)


def crowded_folders() -> Iterator[str]:
    """Name the folders with more than 20 modules, except those with modules of one kind."""
    beside = Counter(str(Path(path).parent) for path in product() if "__init__" not in path)
    large = ((folder, count) for folder, count in beside.items() if count > 20)
    return (f"{folder} {count}" for folder, count in large if folder not in ALIKE)


def circles() -> Iterator[str]:
    """Name the modules in import circles, and those between two circles.

    Imports for types alone count. Packages' ``__init__`` modules do not.
    """
    trees = {path[:-3].removeprefix("deniable/"): tree for path, tree in product().items()}
    known = {path.replace("/", "."): tree for path, tree in trees.items() if "__init__" not in path}
    arrows = {name: {*_imports(tree)} & known.keys() for name, tree in known.items()}
    before = 0
    while before != len(arrows):  # drop modules that import no other one left, or are not imported
        before, inward = len(arrows), set().union(*arrows.values())
        kept = {name for name, reached in arrows.items() if reached} & inward
        arrows = {name: arrows[name] & kept for name in kept}
    return iter(sorted(arrows))


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.removeprefix("deniable.") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = f"{node.module}.".removeprefix("deniable.")
            yield from (module + alias.name for alias in node.names)
            yield module[:-1]


def _typed_commands(text: str) -> str:
    """Leave out printed output, which ``tests.test_docs`` checks; keep typed commands."""
    text = re.sub(r"(?ms)^```text\n.*?^```", "", text)
    shown = r"(?ms)^```(?:console|python\n>>>).*?^```"
    return re.sub(shown, lambda m: "".join(_TYPED.findall(m[0])), text)


_TYPED: Final = re.compile(r"(?m)^(?:\$|>>>|\.\.\.) .*\n")


def rendered() -> Counter[str]:
    """Count the words of the manual that ``make docs`` has built, those of docstrings apart."""
    counts: Counter[str] = Counter()
    for page in (ROOT / "build" / "manual").rglob("*.html"):
        if page.name not in ("genindex.html", "py-modindex.html", "search.html"):
            shown = "".join(re.findall(r"(?s)<article.*?</article>", page.read_text("utf-8")))
            shown = re.sub(r"</?(?:a|b|code|em|i|span|strong|sub|sup)\b[^>]*>", "", shown)
            words = unescape(re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", shown)).split()
            docstrings = page.parent.name == "reference" and "." in page.stem
            counts["of docstrings" if docstrings else "of the manual"] += len(words)
    return counts


def numbers() -> dict[str, int]:
    """Return the sizes of the project, and the numbers of things that are too large."""
    sizes = Counter({path: text.count("\n") for path, text in files().items()})
    tests = sum(count for path, count in sizes.items() if path.startswith("tests/"))
    pages = {p for p in files() if p == "README.md" or p[:5] + p[-3:] == "docs/.md"} - PRINTED
    texts = [_typed_commands(files()[page]) for page in pages]
    nodes = [(path, node) for path, tree in product().items() for node in statements(tree)]
    marks = (m for p, n in nodes if "/store/" in p for m in getattr(n, "decorator_list", ()))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "lines outside the tests": sizes.total() - tests,
        "lines of tests": tests,
        "words of docs": sum(len(text.split()) for text in texts),
        "classes": sum(isinstance(node, ast.ClassDef) for _, node in nodes),
        "abstract store methods": sum(ast.unparse(m).endswith("abstractmethod") for m in marks),
        "functions above 60 code lines": len([*long_functions()]),
        "modules above 500 lines": len([*long_modules()]),
        "folders above 20 unlike modules": len([*crowded_folders()]),
        "modules in import circles": len([*circles()]),
        "dependencies": len(project["dependencies"]),
    }


def report() -> Iterator[str]:
    """Yield the lines of the report: the rooms, the numbers, and the names of large things."""
    yield f"{'room':12}" + "".join(f"{kind:>10}" for kind in COLUMNS)
    for name, counts in sorted(lines().items(), key=lambda room: -room[1]["lines"]):
        yield f"{name:12}" + "".join(f"{counts[kind]:>10,}" for kind in COLUMNS)
    yield from (f"{count:>10,}  {name}" for name, count in numbers().items())
    yield from (f"{count:>10,}  rendered words {kind}" for kind, count in rendered().items())
    for names in (long_functions, long_modules, crowded_folders, circles):
        yield from (f"{'':12}{name}" for name in names())


if __name__ == "__main__":
    print("\n".join(report()))
