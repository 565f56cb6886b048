"""Columns beside the reports: whether their cells are numbers or names of groups."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pandas as pd

MOST_NUMBERED: Final = 10
"""Most different numbers in a column of groups; a column with more is a measurement."""

_SHOWN: Final = 6


def tidied(frame: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    """Return a data frame without spaces around the names of groups.

    `names`: of the columns in use; other columns do not change. Texts among numbers are an error,
    and groups whose names differ only in case give a warning.
    """
    found = frame
    for name in frame.columns:
        if str(name) not in names:
            continue
        column = frame[name]
        if column.dtype.kind != "O" or hasattr(column, "cat"):
            continue
        cells = [one.strip() if isinstance(one, str) else one for one in column]
        different = Counter(one for one in cells if isinstance(one, str))
        refuse_texts(str(name), different)
        warn_of_case(str(name), different)
        found = found.assign(**{str(name): cells})
    return found


def refuse_texts(name: str, different: Mapping[str, int]) -> None:
    """Reject texts in a column of numbers: each number would be a group.

    `different`: how often each cell occurs.
    """
    texts = {cell: times for cell, times in different.items() if not is_number(cell)}
    there, left = sum(different.values()), sum(texts.values())
    if texts and len(different) - len(texts) > MOST_NUMBERED and 2 * left < there:
        shown = ", ".join(f"{cell!r} ({times:,})" for cell, times in [*texts.items()][:_SHOWN])
        more = f" and {len(texts) - _SHOWN} more" * (len(texts) > _SHOWN)
        raise ValueError(
            f"{left:,} of {there:,} cells of {name} are no numbers: {shown}{more}; "
            "expected numbers, or empty cells where a number is missing"
        )


def is_number(cell: str) -> bool:
    """Return whether `float` reads a cell: also nan and inf, and no empty cell."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def warn_of_case(name: str, different: Iterable[str]) -> None:
    """Warn of groups whose names differ only in case: they may be one group."""
    alike: dict[str, list[str]] = {}
    for cell in different:
        alike.setdefault(cell.casefold(), []).append(cell)
    for cells in alike.values():
        if len(cells) > 1:
            named = " and ".join(map(repr, sorted(cells)))
            warnings.warn(
                f"column {name!r}: {named} differ in case alone, and count as {len(cells)} groups",
                stacklevel=2,
            )
