"""Whether a regression fits into memory, told before there is none left."""

from __future__ import annotations

import math
import os
import sys
from itertools import islice
from pathlib import Path
from typing import Final

if sys.platform != "win32":
    import resource

# What a fit takes at its peak, as measured: of each row, and of each of its columns.
_OF_ROW: Final = 300
_OF_COLUMN: Final = 40

_GROUP: Final = Path("/sys/fs/cgroup/memory.max")
_OWN: Final = Path("/proc/self/statm")


def left() -> float:
    """Return how many bytes this process may still take; infinite where nothing says it."""
    if sys.platform == "win32":
        return math.inf
    page = os.sysconf("SC_PAGE_SIZE")
    pages = map(int, _OWN.read_text().split()) if _OWN.is_file() else [0] * 6
    addresses, resident, *_, data = (taken * page for taken in islice(pages, 6))
    limits = [os.sysconf("SC_PHYS_PAGES") * page - resident]
    for kind, taken in ((resource.RLIMIT_DATA, data), (resource.RLIMIT_AS, addresses)):
        soft = resource.getrlimit(kind)[0]
        if soft != resource.RLIM_INFINITY:
            limits.append(soft - taken)
    if _GROUP.is_file() and (said := _GROUP.read_text().strip()).isdecimal():
        limits.append(int(said) - resident)
    return float(max(min(limits), 0))


def most_rows(columns: int, room: float) -> float:
    """Return how many rows of so many columns fit into some bytes."""
    return room / (_OF_ROW + _OF_COLUMN * columns)


def too_much(rows: int, columns: int, room: float, finest: tuple[str, int] | None) -> ValueError:
    """Say what does not fit, and what to do.

    `finest`: the column of most different values, and how many; None where rows are not counted.
    """
    need = rows * (_OF_ROW + _OF_COLUMN * columns)
    way = "take fewer people"
    if finest is not None:
        name, different = finest
        way = (
            f"round or group {name!r}, which has {different:,} different values, so that people "
            "who are alike are counted, or take fewer people"
        )
    return ValueError(
        f"this regression needs about {need / 1e9:.2g} GB of memory and {room / 1e9:.2g} GB are "
        f"left, for {rows:,} rows that differ and {columns:,} columns: {way}"
    )
