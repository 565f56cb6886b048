"""A store that nobody else has open, of this version or an older one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from deniable.server.store.sql.database import Database


class Alone(NamedTuple):
    """A store inside a transaction, which nobody else can open until it ends.

    Parameters
    ----------
    name : str
        As `deniable.server.store.store.Store.name`.
    db : Database
    version : int
    tables : mapping of (str: tuple of str)
        The columns of each table.
    place : Path
        What a copy of it is named after.
    migrate : callable
        Brings it to this program's version.
    """

    name: str
    db: Database
    version: int
    tables: Mapping[str, tuple[str, ...]]
    place: Path
    migrate: Callable[[], None]
