"""The result of a list experiment: the share by its lists, directly, and by both."""

from __future__ import annotations

import math
from typing import Final

from deniable.analysis.findings import Interval
from deniable.analysis.list_experiments import CombinedList, ListShare
from deniable.results import files
from deniable.results.numbers import p_said
from deniable.results.result import Result
from deniable.results.table import Column, Row, Section, Table, error, interval_heading
from deniable.text.wording import percent

_DOUBT: Final = 0.05

_NO_EPSILON: Final = (
    "No noise hides a count: ε is unbounded, and who counts all or none of a long list has told."
)


def list_result(
    name: str, asked: str, missing: int, found: ListShare | CombinedList, level: float
) -> Result:
    """Tell the share of a list experiment; `asked`: the columns, in words."""
    told = {"lists": found} if isinstance(found, ListShare) else _by_all(found)
    first = next(iter(told.values()))
    rows: list[files.Row] = []
    shown = []
    for by, one in told.items():
        low, high = map(float, one.interval(level))
        rows.append(
            {
                "by": by,
                "estimate": one.share,
                "standard_error": one.standard_error,
                "low": low,
                "high": high,
                "outside": one.outside,
                "level": level,
                "short": one.n[0],
                "long": one.n[1],
            }
        )
        values = (one.share, Interval(low, high), one.standard_error)
        shown.append(Row(by, values, outside=one.outside))
    columns = (Column("Estimate"), Column(interval_heading(level)), error())
    table = Table(("By",), columns, (Section("", tuple(shown)),))
    short, long = first.n
    head = f"{asked}; {name}: {short:,} with the short list, {long:,} with the long one"
    head += f", {missing:,} missing" if missing else ""
    notes = ["Lists: mean count of the long list less that of the short one.", _NO_EPSILON]
    if isinstance(found, CombinedList):
        notes += ["Both: who says yes directly is believed, and the lists tell of the others."]
        notes += _placebo(found)
    if any(one.outside for one in told.values()):
        notes.append("* outside 0 to 100 %: chance, or the lists were not answered as meant.")
    if math.isnan(rows[0]["low"]):  # type: ignore[arg-type]
        notes.append("No interval: all counts of a list are alike.")
    document = {"data": name, "short": short, "long": long, "missing": missing, "level": level}
    return Result([head, "", table, "", *notes], files.Export(tuple(rows[0]), rows, document))


def _by_all(found: CombinedList) -> dict[str, ListShare]:
    return {"both": found.combined, "direct question": found.direct, "lists": found.conventional}


def _placebo(found: CombinedList) -> list[str]:
    """Say what tests of the assumptions find."""
    said = []
    if found.among_yes is not None:
        p = found.among_yes.p_value(1)
        said.append(
            f"Of those who said yes directly, the lists find {percent(found.among_yes.share)} "
            f"(100 % expected, p {p_said(p)}){_verdict(p)}"
        )
    p = found.of_list.p_value()
    said.append(
        f"Direct yes after the long list less that after the short one: "
        f"{percent(found.of_list.share)} (0 % expected, p {p_said(p)}){_verdict(p)}"
    )
    return said


def _verdict(p: float) -> str:
    return ": do not use both together." if p < _DOUBT else "."
