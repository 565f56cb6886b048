"""``python -m tools.mutation MODULE TESTS...``: the share of small faults that the tests notice.

A fault is a changed comparison, a whole number one too high, ``and`` for ``or``, ``+`` for ``-``,
or ``None`` returned. A seeded sample of a module's faults is tried, each in a process of its own
that imports the altered module and runs the tests until one fails. The files do not change, so
programs that a test starts have no fault.
"""

import ast
import contextlib
import copy
import importlib.machinery
import os
import random
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
import numpy  # noqa: F401  loaded once for all processes
import pytest
import scipy.stats  # noqa: F401

SWAPPED: Final[dict[type[ast.AST], type[Any]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip


def faults(tree: ast.Module) -> Iterator[tuple[int, str, ast.Module]]:
    """Yield every fault: its line, the change in words, and the altered module."""
    for place, node in enumerate(ast.walk(tree)):
        for change in _changes(node):
            altered = copy.deepcopy(tree)
            twin = next(other for at, other in enumerate(ast.walk(altered)) if at == place)
            before = ast.unparse(twin)
            change(twin)
            yield getattr(node, "lineno", 0), f"{before}  →  {ast.unparse(twin)}", altered


def _changes(node: ast.AST) -> list[Any]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        return [lambda n: n.ops.__setitem__(0, SWAPPED[type(n.ops[0])]())]
    if isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in SWAPPED:
        return [lambda n: setattr(n, "op", SWAPPED[type(n.op)]())]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return [lambda n: setattr(n, "value", n.value + 1)]
    if isinstance(node, ast.Return) and node.value is not None:
        return [lambda n: setattr(n, "value", ast.Constant(None))]
    return []


def is_noticed(path: Path, altered: ast.Module, tests: Sequence[str], seconds: int) -> bool:
    """Return whether the tests fail on an altered module, or take more than `seconds`."""
    process = os.fork()
    if process == 0:
        signal.alarm(seconds)
        with contextlib.suppress(BaseException):
            os._exit(_run(path, altered, tests))
        os._exit(3)
    return os.waitpid(process, 0)[1] != 0


def _run(path: Path, altered: ast.Module, tests: Sequence[str]) -> int:
    loader = importlib.machinery.SourceFileLoader
    honest = loader.get_code

    def get_code(self: Any, name: str) -> Any:
        if Path(self.path).resolve() == path:
            return compile(ast.fix_missing_locations(altered), str(path), "exec")
        return honest(self, name)

    loader.get_code = get_code  # type: ignore[method-assign, assignment]
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    return pytest.main(
        ["-x", "-q", "-m", "not slow and not evidence", "-p", "no:cacheprovider", *tests]
    )


@click.command()
@click.argument("module", type=click.Path(exists=True, path_type=Path))
@click.argument("tests", nargs=-1, required=True)
@click.option("--count", default=60, show_default=True, help="Faults to try.")
@click.option("--seed", default=1, show_default=True)
@click.option("--seconds", default=300, show_default=True, help="A run that is longer has failed.")
def main(module: Path, tests: tuple[str, ...], count: int, seed: int, seconds: int) -> None:
    """Print the faults that nothing notices, and the share of those that something does."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    if not sys.platform.startswith("linux"):
        raise click.ClickException("Processes are forked, which this system does not do safely.")
    if is_noticed(module.resolve(), tree, tests, seconds):
        raise click.ClickException("The tests fail without any fault.")
    every = [*faults(tree)]
    chosen = random.Random(seed).sample(every, min(count, len(every)))
    noticed = 0
    for line, what, altered in sorted(chosen, key=lambda fault: fault[:2]):
        if is_noticed(module.resolve(), altered, tests, seconds):
            noticed += 1
        else:
            print(f"{module}:{line}  {what}", flush=True)
    print(f"{module}: {noticed} of {len(chosen)} noticed (of {len(every)}, seed {seed})")


if __name__ == "__main__":
    main()
