"""List experiments from elsewhere, by the columns of a data file."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.data_file import MISSING, read_columns
from deniable.analysis.list_experiments import (
    CombinedList,
    ListShare,
    combined_list,
    double_list,
    list_share,
)
from deniable.results.lists import list_result
from deniable.results.result import Result
from deniable.roles import no_then_yes
from deniable.study.arms import coded


def shares_of_lists(  # noqa: PLR0913  each is an option of the command
    name: str,
    text: str,
    counts: str,
    arm: str,
    *,
    second: str | None,
    direct: str | None,
    arm_codes: Sequence[str] | None,
    level: float,
) -> Result:
    """Estimate from a list experiment: the columns of the counts, and of who had the long list."""
    beside = [one for one in (second, direct) if one is not None]
    columns = read_columns(io.StringIO(text, newline=""), [counts, arm, *beside])
    long = coded(columns[arm], arm, 2, arm_codes and no_then_yes(arm_codes), "arm").reports
    answered = {one: _whole(columns[one], one) for one in (counts, second) if one is not None}
    if direct is not None:
        answered[direct] = coded(columns[direct], direct, 2, None).reports
    kept = np.logical_and.reduce([long >= 0, *(of >= 0 for of in answered.values())])
    of = {one: cells[kept] for one, cells in answered.items()}
    found: ListShare | CombinedList
    if second is not None:
        found = double_list(of[counts], of[second], long[kept])
    elif direct is not None:
        found = combined_list(of[counts], long[kept], of[direct])
    else:
        found = list_share(of[counts], long[kept])
    return list_result(name, ", ".join([counts, *beside]), int((~kept).sum()), found, level)


def _whole(cells: Sequence[str], column: str) -> npt.NDArray[np.int64]:
    """Read counts; -1 where one is missing."""
    for row, cell in enumerate(cells):
        if not cell.isdecimal() and cell.lower() not in MISSING:
            raise ValueError(
                f"column {column!r}: expected how many statements each person counted, found "
                f"{cell!r} in row {row + 1}"
            )
    return np.array([int(cell) if cell.isdecimal() else -1 for cell in cells], dtype=np.int64)
