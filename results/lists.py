"""The result of a list experiment: the share by its lists, directly, and by both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from deniable.analysis.findings import Interval
from deniable.analysis.list_experiments import CombinedList, ListShare
from deniable.results import files
from deniable.results.numbers import p_said
from deniable.results.result import Result
from deniable.results.rows import effective_row
from deniable.results.shares import EFFECTIVE_COLUMNS, effective_cells
from deniable.results.table import (
    SHARE,
    Column,
    Kind,
    Row,
    Section,
    Table,
    error,
    interval_heading,
)
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
    short, long = next(iter(told.values())).n
    head = f"{asked}; {name}: {short:,} with the short list, {long:,} with the long one"
    head += f", {missing:,} missing" if missing else ""
    notes = ["Lists: mean count of the long list less that of the short one.", _NO_EPSILON]
    if isinstance(found, CombinedList):
        notes += ["Both: who says yes directly is believed, and the lists tell of the others."]
        notes += _placebo(found)
    if any(one.outside for one in told.values()):
        notes.append("* outside 0 to 100 %: chance, or the lists were not answered as meant.")
    rows = [
        Told(by, one.share, one.standard_error, Interval(*one.interval(level)), one.outside)
        for by, one in told.items()
    ]
    if math.isnan(rows[0].interval.low):
        notes.append("No interval: all counts of a list are alike.")
    document = {"data": name, "short": short, "long": long, "missing": missing}
    more = {by: {"short": one.n[0], "long": one.n[1]} for by, one in told.items()}
    return told_result([head], "By", rows, notes, document, level, more=more)


class Told(NamedTuple):
    """An estimate under its name; `n`, `design_effect`: as of `findings.Difference`."""

    name: str
    estimate: float
    standard_error: float
    interval: Interval
    outside: bool = False
    n: int | None = None
    design_effect: float | None = None


def told_result(  # noqa: PLR0913  each says something else of the estimates
    head: Sequence[str],
    heading: str,
    found: Sequence[Told],
    notes: Sequence[str],
    document: Mapping[str, Any],
    level: float,
    *,
    kind: Kind = SHARE,
    more: Mapping[str, files.Row] = MappingProxyType({}),
) -> Result:
    """Lay out estimates that have names of their own; `more`: what else their rows have."""
    rows: list[files.Row] = [
        {
            heading.lower(): one.name,
            "estimate": one.estimate,
            "standard_error": one.standard_error,
            **{end: float(at) for end, at in one.interval._asdict().items()},
            "outside": bool(one.outside),
            "level": level,
            **effective_row(one.n, one.design_effect),
            **more.get(one.name, {}),
        }
        for one in found
    ]
    shown = (
        Row(
            one.name,
            (
                *(one.estimate, one.interval, one.standard_error),
                *effective_cells(one.n, one.design_effect),
            ),
            outside=one.outside,
        )
        for one in found
    )
    columns = (
        *(Column("Estimate", kind), Column(interval_heading(level), kind), error(kind)),
        *(EFFECTIVE_COLUMNS if found[0].n is not None else ()),
    )
    table = Table((heading,), columns, (Section("", tuple(shown)),))
    export = files.Export(tuple(rows[0]), rows, {**document, "level": level})
    return Result([*head, "", table, "", *notes], export)


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
