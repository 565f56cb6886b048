"""``python -m tools.mutation [MODULE TESTS...]``: the share of small faults that tests notice.

A fault is a changed comparison, a whole number one too high, ``and`` for ``or``, ``+`` for ``-``,
or ``None`` returned. A seeded sample of a module's faults is tried, each in a process of its own
that imports the altered module and runs the tests until one fails. The files do not change, so
programs that a test starts have no fault. Without arguments some faults of each module are tried
that a promise rests on, drawn by the hash of the commit.
"""

import ast
import contextlib
import copy
import importlib.machinery
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
import numpy  # noqa: F401  loaded once for all processes
import pytest
import scipy.stats  # noqa: F401

ROOMS: Final = {
    "deniable/channel.py": ("tests/deniable/test_channel.py", "tests/deniable/designs"),
    "deniable/estimator.py": ("tests/deniable/designs", "tests/analysis/test_estimation.py"),
    "deniable/report.py": ("tests/deniable/test_report.py", "tests/server/intake"),
    "deniable/budget.py": ("tests/deniable/test_budget.py", "tests/analysis/planning"),
    "deniable/text/sureness.py": ("tests/deniable/test_sureness.py", "tests/cli/test_check.py"),
    "deniable/survey_file/rules.py": ("tests/deniable/test_survey_file.py", "tests/deniable"),
    "client/branching.py": ("tests/deniable/test_branching.py", "tests/client"),
    "analysis/sampling/calibration.py": ("tests/study/test_sampled.py", "tests/analysis/sampling"),
    "analysis/privacy/disclosure.py": (
        "tests/analysis/test_disclosure.py",
        "tests/publication",
        "tests/server/desk/results",
    ),
    "server/intake/endpoint.py": ("tests/server/intake",),
    "server/store/sql/insertion.py": ("tests/server/store",),
    "server/desk/permissions.py": ("tests/server/desk/test_permissions.py", "tests/server/desk"),
}
"""Modules that promises rest on, each with the quick tests that come to it first."""

ALL: Final = ("deniable", "tests", "--ignore=tests/browser")
"""The quick tests that try what those did not notice; the browser's see no altered module."""

SHARE: Final = 0.95

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
    if isinstance(node, ast.Return) and ast.unparse(node) not in ("return", "return None"):
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
        ["-x", "-q", "-m", "not slow and not campaign", "-p", "no:cacheprovider", *tests]
    )


def chosen(path: Path, count: int, seed: int) -> list[tuple[int, str, ast.Module]]:
    """Draw some of a module's faults, in the order of its lines."""
    every = [*faults(ast.parse(path.read_text(encoding="utf-8")))]
    drawn = random.Random(seed).sample(every, min(count, len(every)))
    return sorted(drawn, key=lambda fault: fault[:2])


@click.command()
@click.argument("module", required=False)
@click.argument("tests", nargs=-1)
@click.option("--count", type=int, help="Faults to try: 60 of one module, 6 of each of all.")
@click.option("--seed", type=int, help="1 for one module, the commit's hash for all.")
@click.option("--seconds", default=1200, show_default=True, help="A run that is longer has failed.")
def main(
    module: str | None, tests: tuple[str, ...], count: int | None, seed: int | None, seconds: int
) -> None:
    """Print the faults that nothing notices, and the share of those that something does.

    Exit code 1 if tests notice fewer than 95 of 100 faults.
    """
    if not sys.platform.startswith("linux"):
        raise click.ClickException("Processes are forked, which this system does not do safely.")
    rooms, beyond = (ROOMS, (ALL,)) if module is None else ({module: tests}, ())
    count = count or (6 if module is None else 60)
    if seed is None:
        commit = subprocess.check_output(["git", "rev-parse", "HEAD"], text=True)
        seed = int(commit[:8], 16) if module is None else 1
    noticed = tried = 0
    for name, those in rooms.items():
        path = Path(name).resolve()
        if is_noticed(path, ast.parse(path.read_text(encoding="utf-8")), those, seconds):
            raise click.ClickException(f"The tests of {name} fail without any fault.")
        for line, what, altered in chosen(path, count, seed):
            tried += 1
            if any(is_noticed(path, altered, some, seconds) for some in (those, *beyond)):
                noticed += 1
            else:
                print(f"{name}:{line}  {what}", flush=True)
        print(f"{name}: {noticed} of {tried} noticed so far (seed {seed})", flush=True)
    sys.exit(noticed < SHARE * tried)


if __name__ == "__main__":
    main()
