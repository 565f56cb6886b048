"""The Python source that a page shows: the lines of the function that computes its numbers."""

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple


class Code(NamedTuple):
    """Source that runs by itself if the lines of `set_lines` are put between its two parts."""

    above: str  # the imports and helpers that the function's lines use
    below: str  # the function's lines


@cache
def code_of(function: Callable[..., Any]) -> Code:
    """Return a function's lines, without its docstring and its last line, `return locals()`."""
    module = inspect.getsource(sys.modules[function.__module__])
    nodes = ast.parse(module).body
    place, whole = next(
        (at, one)
        for at, one in enumerate(nodes)
        if isinstance(one, ast.FunctionDef) and one.name == function.__name__
    )
    docstring, *body, last = whole.body
    used = _used(*body)
    above: list[str] = []
    # A helper is defined above its users, and imports are at the top.
    for node in reversed(nodes[:place]):
        if names := _named(node) & used:
            above.insert(0, _written(node, names, module))
            used |= _used(getattr(node, "value", None) or node)
    lines = module.splitlines()[docstring.end_lineno or 0 : last.lineno - 1]
    return Code("\n".join(above).strip(), textwrap.dedent("\n".join(lines)).strip())


def set_lines(arguments: Mapping[str, object]) -> str:
    """Return the lines that assign the arguments of a page's function."""
    return "\n".join(f"{name} = {value!r}" for name, value in arguments.items())


def _used(*nodes: ast.AST) -> set[str]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []  # such as `lru_cache`, which the page does not need
    return {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}


def _named(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(one.asname or one.name).split(".")[0] for one in node.names}
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    return set()


def _written(node: ast.stmt, names: set[str], module: str) -> str:
    """Return the source of a statement; an import only with the names that are used."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        node.names = [one for one in node.names if (one.asname or one.name).split(".")[0] in names]
        return ast.unparse(node)
    if isinstance(node, ast.AnnAssign):
        (name,) = names
        return f"\n{name} = {ast.get_source_segment(module, node.value or node)}"
    return f"\n{ast.get_source_segment(module, node)}\n"
