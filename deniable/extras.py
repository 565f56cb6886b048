"""Packages that only some work needs, and what to type where they are missing."""

from __future__ import annotations

import importlib
import shlex
import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Final

NEEDS: Final = {
    "parquet": ("pyarrow>=26",),
    "postgres": ("psycopg[binary]>=3.2.2",),
}
"""The packages of each extra, as pyproject.toml lists them."""


class MissingExtra(ImportError):
    """An extra is not installed. The message says what needs it, and what to type."""

    def __init__(self, what: str, extra: str) -> None:
        self.at_desk = f"{what}; ask who runs this server to install the extra {extra}"
        super().__init__(f"{what}; install the extra {extra}: {how_to_get(extra)}")


def load(module: str, extra: str) -> ModuleType:
    """Import a module that takes a while to load, or say which extra of `NEEDS` has it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MissingExtra(f"this needs the package {package}", extra) from None


def how_to_get(extra: str) -> str:
    """Return the command that installs an extra.

    `extra`: one of `NEEDS`. Result: it names the packages: so it is right for a wheel and for a
    folder, wherever these are now, and asks no index for this program, whose name there somebody
    else could take. It names the interpreter that runs now, so nothing has to be in the path.
    """
    packages = shlex.join(NEEDS[extra])
    if _is_of_pipx():
        return f"pipx inject {shlex.quote(sys.prefix.rpartition('/')[2])} {packages}"
    python = shlex.quote(sys.executable or "python3")
    if find_spec("pip") is None:  # as in an environment that uv made
        return f"uv pip install --python {python} {packages}"
    return f"{python} -m pip install {packages}"


def _is_of_pipx() -> bool:
    """Whether pipx made this environment: it shares its pip with all others beside it."""
    home, venvs, _ = sys.prefix.rpartition("/venvs/")
    return bool(venvs) and any(path.startswith(f"{home}/shared/") for path in sys.path)
