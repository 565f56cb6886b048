"""Optional packages, and the command that installs a missing one."""

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
    """An extra is not installed; the message says what needs it and how to install it."""

    def __init__(self, what: str, extra: str) -> None:
        self.at_desk = f"{what}; ask who runs this server to install the extra {extra}"
        super().__init__(f"{what}; install the extra {extra}: {how_to_get(extra)}")


def load(module: str, extra: str) -> ModuleType:
    """Import an optional module, or raise `MissingExtra` with the extra of `NEEDS` that has it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MissingExtra(f"this needs the package {package}", extra) from None


def how_to_get(extra: str) -> str:
    """Return the command that installs an extra.

    `extra`: one of `NEEDS`. Result: a command that names the packages. So it works for a wheel and
    for a folder, wherever they are now, and asks no index for this program, whose name another
    author could take there. It names the running interpreter, so nothing has to be on the path.
    """
    packages = shlex.join(NEEDS[extra])
    if _is_of_pipx():
        return f"pipx inject {shlex.quote(sys.prefix.rpartition('/')[2])} {packages}"
    python = shlex.quote(sys.executable or "python3")
    if find_spec("pip") is None:  # an environment made by uv
        return f"uv pip install --python {python} {packages}"
    return f"{python} -m pip install {packages}"


def _is_of_pipx() -> bool:
    """Return whether pipx made this environment: it shares its pip with its neighbours."""
    home, venvs, _ = sys.prefix.rpartition("/venvs/")
    return bool(venvs) and any(path.startswith(f"{home}/shared/") for path in sys.path)
