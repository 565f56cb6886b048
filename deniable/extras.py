"""Packages that only some work needs, and what to type where they are missing."""

from __future__ import annotations

import shlex
import sys
from typing import Final

NEEDS: Final = {
    "formula": ("formulaic", "pandas"),
    "audit": ("websocket-client",),
    "paper": ("pandas", "pyreadstat"),
    "parquet": ("pyarrow",),
    "duckdb": ("duckdb", "pyarrow"),
    "spark": ("pyarrow", "pyspark"),
    "postgres": ("psycopg[binary]",),
}
"""The packages of each extra, as pyproject.toml lists them."""


def how_to_get(extra: str) -> str:
    """Say what to type to install an extra.

    Parameters
    ----------
    extra : str
        One of `NEEDS`.

    Returns
    -------
    str
        A command and where to type it. It names the interpreter that runs now, so that nothing has
        to be in the path, and this folder instead of a name in an index: no index has this program,
        and whoever took its name there would be installed.

    Raises
    ------
    KeyError
        If there is no such extra.
    """
    if extra not in NEEDS:
        raise KeyError(extra)
    python = shlex.quote(sys.executable or "python3")
    return f"{python} -m pip install -e '.[{extra}]' (typed in the folder that deniable came in)"
