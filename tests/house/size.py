"""``make size``: lines by room, and the number of things that two people have to know.

Counted are the tracked text files, but for catalogues (``.po``), data, locks, checksums, licences,
and what is vendored or built (``static/vendor``). Symbolic links are nobody's lines.
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

ROOT: Final = Path(__file__).parents[2]
LEFT_OUT: Final = (".po", ".csv", ".gz", ".lock", ".sha256", ".png", ".svg", "lock.json", "LICENSE")
ALIKE: Final = ("lab", "cli", "examples")
"""Folders whose modules are of one kind: pages of the lab, commands, examples."""
KINDS: Final = {"js": "script", "ts": "script", "css": "style", "html": "template", "md": "docs"}
PRINTED: Final = {"docs/promises.md"}
"""Pages that a command prints: their words are not counted with those that somebody writes."""
TABLES_PRINTED: Final = {
    "docs/coverage.md": "",
    "docs/precision.md": "",
    "docs/speed.md": "",
}
"""Pages whose tables with these words above a command prints; the rest somebody writes."""
BLOCKS: Final = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where statements hold others."""
COLUMNS: Final = ("lines", "code", "docstring", "comment", *dict.fromkeys(KINDS.values()), "other")


@cache
def files(root: Path = ROOT) -> dict[str, str]:
    """Return what counts: the text by the path."""
    listed = subprocess.check_output(["git", "ls-files"], cwd=root, text=True).splitlines()
    return {
        name: path.read_text(encoding="utf-8")
        for name in listed
        for path in [root / name]
        if path.is_file() and not path.is_symlink()
        if not name.endswith(LEFT_OUT) and "/vendor/" not in name
    }


@cache
def product(root: Path = ROOT) -> dict[str, ast.Module]:
    """Return the Python modules outside the tests."""
    chosen = {path for path in files(root) if path.endswith(".py") and path[:6] != "tests/"}
    return {path: ast.parse(files(root)[path]) for path in sorted(chosen)}


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Walk over all statements, but not into what they are made of."""
    for block in BLOCKS:
        for node in getattr(tree, block, ()):
            yield node
            yield from statements(node)


def spans(nodes: Iterable[ast.expr | ast.stmt]) -> set[int]:
    """Return the lines on which pieces of code stand."""
    return {line for n in nodes for line in range(n.lineno, (n.end_lineno or n.lineno) + 1)}


def code_docstring_comment(text: str) -> tuple[set[int], set[int], set[int]]:
    """Return which lines of Python are which; what explains an attribute is a docstring too."""
    alone = (node for node in statements(ast.parse(text)) if isinstance(node, ast.Expr))
    told = spans(n for n in alone if isinstance(getattr(n.value, "value", None), str))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    hashes = {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
    rows = enumerate(text.splitlines(), 1)
    code = {row for row, line in rows if line.strip() and line.lstrip()[0] != "#"} - told
    return code, told, hashes - code - told


def lines(root: Path = ROOT) -> dict[str, Counter[str]]:
    """Return the lines of each room by kind; ``lines`` is all of them, blank ones included."""
    rooms: dict[str, Counter[str]] = {}
    for path, text in files(root).items():
        counts = rooms.setdefault(path.split("/")[0] if "/" in path else "(root)", Counter())
        counts["lines"] += text.count("\n")
        if path.endswith(".py"):
            parts = zip(COLUMNS[1:4], code_docstring_comment(text), strict=True)
            counts.update({kind: len(rows) for kind, rows in parts})
        else:
            counts[KINDS.get(path.rsplit(".")[-1], "other")] += text.count("\n")
    return rooms


def long_functions(root: Path = ROOT, most: int = 60) -> Iterator[str]:
    """Name the functions with more lines of code than that."""
    for path, tree in product(root).items():
        for node in statements(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if (node.end_lineno or 0) - node.lineno < most:
                continue
            rows = code_docstring_comment(files(root)[path])[0] & spans([node])
            if len(rows) > most:
                yield f"{path}:{node.lineno} {node.name} {len(rows)}"


def long_modules(root: Path = ROOT, most: int = 500) -> Iterator[str]:
    """Name the modules with more lines than that."""
    counts = {path: files(root)[path].count("\n") for path in product(root)}
    return (f"{path} {count}" for path, count in counts.items() if count > most)


def crowded_folders(root: Path = ROOT, most: int = 20) -> Iterator[str]:
    """Name the folders with more unlike modules than that side by side."""
    beside = Counter(str(Path(path).parent) for path in product(root) if "__init__" not in path)
    large = ((folder, count) for folder, count in beside.items() if count > most)
    return (f"{folder} {count}" for folder, count in large if folder not in ALIKE)


def circles(root: Path = ROOT) -> Iterator[str]:
    """Name the modules that import themselves by way of others, and those between two such.

    What is imported for types alone counts. Packages' tables of contents do not.
    """
    trees = {path[:-3].removeprefix("deniable/"): tree for path, tree in product(root).items()}
    known = {path.replace("/", "."): tree for path, tree in trees.items() if "__init__" not in path}
    arrows = {name: {*_imports(tree)} & known.keys() for name, tree in known.items()}
    before = 0
    while before != len(arrows):  # drop what imports nothing of the others, or is not imported
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


def _by_hand(page: str, text: str) -> str:
    """Leave out what is printed: what ``tests.test_docs`` compares, and tables of benchmarks."""
    text = re.sub(r"(?ms)^```text\n.*?^```", "", text)
    shown = r"(?ms)^```(?:console|python\n>>>).*?^```"
    text = re.sub(shown, lambda m: "".join(_TYPED.findall(m[0])), text)
    head = TABLES_PRINTED.get(page)
    return text if head is None else re.sub(rf"(?m)^\|.*{head}.*\n(?:\|.*\n?)*", "", text)


_TYPED: Final = re.compile(r"(?m)^(?:\$|>>>|\.\.\.) .*\n")


def rendered(root: Path = ROOT) -> Counter[str]:
    """Count the words of the manual that ``make docs`` has built, and apart those of docstrings."""
    counts: Counter[str] = Counter()
    for page in (root / "build" / "manual").rglob("*.html"):
        if page.name not in ("genindex.html", "py-modindex.html", "search.html"):
            shown = "".join(re.findall(r"(?s)<article.*?</article>", page.read_text("utf-8")))
            shown = re.sub(r"</?(?:a|b|code|em|i|span|strong|sub|sup)\b[^>]*>", "", shown)
            words = unescape(re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", shown)).split()
            docstrings = page.parent.name == "reference" and page.stem in ("python", "analysis")
            counts["of docstrings" if docstrings else "of the manual"] += len(words)
    return counts


def numbers(root: Path = ROOT) -> dict[str, int]:
    """Return what has a ceiling."""
    sizes = Counter({path: text.count("\n") for path, text in files(root).items()})
    tests = sum(count for path, count in sizes.items() if path.startswith("tests/"))
    pages = {p for p in files(root) if p == "README.md" or p[:5] + p[-3:] == "docs/.md"} - PRINTED
    texts = [_by_hand(page, files(root)[page]) for page in pages]
    nodes = [(path, node) for path, tree in product(root).items() for node in statements(tree)]
    marks = (m for p, n in nodes if "/store/" in p for m in getattr(n, "decorator_list", ()))
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "lines outside the tests": sizes.total() - tests,
        "lines of tests": tests,
        "words of docs": sum(len(text.split()) for text in texts),
        "classes": sum(isinstance(node, ast.ClassDef) for _, node in nodes),
        "abstract store methods": sum(ast.unparse(m).endswith("abstractmethod") for m in marks),
        "functions above 60 code lines": len([*long_functions(root)]),
        "modules above 500 lines": len([*long_modules(root)]),
        "folders above 20 unlike modules": len([*crowded_folders(root)]),
        "modules in import circles": len([*circles(root)]),
        "dependencies": len(project["dependencies"]),
    }


def report(root: Path = ROOT) -> Iterator[str]:
    """Write a table of the rooms, the numbers, and the names behind those that should be 0."""
    yield f"{'room':12}" + "".join(f"{kind:>10}" for kind in COLUMNS)
    for name, counts in sorted(lines(root).items(), key=lambda room: -room[1]["lines"]):
        yield f"{name:12}" + "".join(f"{counts[kind]:>10,}" for kind in COLUMNS)
    yield from (f"{count:>10,}  {name}" for name, count in numbers(root).items())
    yield from (f"{count:>10,}  rendered words {kind}" for kind, count in rendered(root).items())
    for names in (long_functions, long_modules, crowded_folders, circles):
        yield from (f"{'':12}{name}" for name in names(root))


if __name__ == "__main__":
    print("\n".join(report()))  # noqa: T201
