"""Which part of a survey's reports a tally is of: the shards, by the first byte of a report's id.

A device draws the id of its report once, and sends the same bytes again if no acknowledgement came.
So a report that is sent again falls into the same shard, wherever it is stored. Two tallies that
have no shard in common have no report in common, and may be added. Two that share one are refused:
one of their reports could be in both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, TypeAlias

Shards: TypeAlias = frozenset[int]
"""First bytes of ids."""

ALL: Final[Shards] = frozenset(range(256))


def width(parts: int) -> int:
    """Return how many first bytes each of so many equal parts has."""
    if parts < 1 or 256 % parts:
        raise ValueError(f"expected 1, 2, 4, 8, 16, 32, 64, 128 or 256 parts, found {parts}")
    return 256 // parts


def said(shards: Collection[int]) -> str:
    """Say which shards, as ids in hex digits begin."""
    firsts = sorted(one for one in shards if one - 1 not in shards)
    lasts = sorted(one for one in shards if one + 1 not in shards)
    return ", ".join(
        f"{first:02x}" if first == last else f"{first:02x}-{last:02x}"
        for first, last in zip(firsts, lasts, strict=True)
    )


def read(text: str) -> Shards:
    """Read what `said` says; anything else is a ValueError."""
    found: set[int] = set()
    for part in text.split(","):
        ends = re.findall(r"^([0-9a-fA-F]{2})(?:-([0-9a-fA-F]{2}))?$", part.strip())
        first, last = (int(ends[0][0], 16), int(ends[0][1] or ends[0][0], 16)) if ends else (1, 0)
        if first > last:
            raise ValueError(
                "expected the first two hex digits of ids, such as 00-0f or 00-0f,80, "
                f"found {text!r}"
            )
        found |= {*range(first, last + 1)}
    return frozenset(found)


def refuse_common(some: Shards, others: Iterable[int], where: str) -> None:
    """Refuse two parts that a report could both be in."""
    common = some & frozenset(others)
    if common:
        raise ValueError(
            f"{where}: the reports whose ids begin with {said(common)} are in another tally "
            "already; a report could be counted twice. Expected tallies of different shards"
        )
