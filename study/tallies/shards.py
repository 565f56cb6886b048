"""Which part of a survey's reports a tally is of: the shards, by the first byte of a report's id.

A device draws the id of its report once, and sends the same bytes again if no acknowledgement came.
So a report that is sent again falls into the same shard, wherever it is stored. Two tallies that
have no shard in common have no report in common, and may be added. Two that share one are refused:
one of their reports could be in both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, TypeAlias

Shards: TypeAlias = frozenset[int]
"""First bytes of ids."""

ALL: Final[Shards] = frozenset(range(256))


def width(parts: int) -> int:
    """Return how many first bytes each of so many equal parts has.

    Raises
    ------
    ValueError
        If there are no such parts.
    """
    if parts < 1 or 256 % parts:
        raise ValueError(f"expected 1, 2, 4, 8, 16, 32, 64, 128 or 256 parts, found {parts}")
    return 256 // parts


def ranges(shards: Collection[int]) -> list[tuple[int, int]]:
    """Return shards as ranges, from the first to the last of each.

    Examples
    --------
    >>> ranges({0, 1, 2, 7})
    [(0, 2), (7, 7)]
    """
    found: list[tuple[int, int]] = []
    for shard in sorted(shards):
        if found and found[-1][1] == shard - 1:
            found[-1] = (found[-1][0], shard)
        else:
            found.append((shard, shard))
    return found


def said(shards: Collection[int]) -> str:
    """Say which shards, as ids in hex digits begin.

    Examples
    --------
    >>> said(range(16)), said({255})
    ('00-0f', 'ff')
    """
    return ", ".join(
        f"{first:02x}" if first == last else f"{first:02x}-{last:02x}"
        for first, last in ranges(shards)
    )


def read(text: str) -> Shards:
    """Read what `said` says.

    Raises
    ------
    ValueError
        If it is something else.

    Examples
    --------
    >>> sorted(read("00-02, ff"))
    [0, 1, 2, 255]
    """
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            one, other = _byte(first), _byte(last) if dash else _byte(first)
            if one > other:
                raise ValueError
        except ValueError:
            raise ValueError(
                "expected the first two hex digits of ids, such as 00-0f or 00-0f,80, "
                f"found {text!r}"
            ) from None
        found |= set(range(one, other + 1))
    return frozenset(found)


def refuse_common(some: Shards, others: Iterable[int], where: str) -> None:
    """Refuse two parts that a report could both be in.

    Raises
    ------
    ValueError
        If they have a shard in common.
    """
    common = some & frozenset(others)
    if common:
        raise ValueError(
            f"{where}: the reports whose ids begin with {said(common)} are in another tally "
            "already; a report could be counted twice. Expected tallies of different shards"
        )


def _byte(digits: str) -> int:
    if len(digits) != 2 or not digits.isascii() or not digits.isalnum():
        raise ValueError(digits)
    return int(digits, 16)
