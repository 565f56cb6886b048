"""An estimate in each form: a row of a table, the cells of a file, and what its marks mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from deniable.analysis.findings import SET, Change, Contrast, Finding, Mean, Share
from deniable.results.files import Value
from deniable.results.table import (
    COUNT,
    POINTS,
    SHARE,
    CellFormat,
    Column,
    Row,
    decimals,
    interval_column,
    quantities,
    standard_error_column,
)

OUTSIDE: Final = (
    "* below 0 or above 100 %. Chance can cause this. It is not cut off, because that "
    "would bias it; its interval may begin or end there."
)

NARROW: Final = (
    "† less than a third of the interval is possible. That part looks more certain than it is."
)

NARROW_RATIO: Final = (
    "† of a ratio: less than a third of what lies between the interval and the estimate is "
    "possible. The interval looks more certain than it is."
)

DIVIDED_BY_NOTHING: Final = (
    "–: no estimate, because it is divided by what may be 0: the 95 % interval of that holds 0. "
    "The interval is what the reports do not rule out."
)

EFFECTIVE: Final = (
    "Effective n: how many people, each drawn by themselves and counting alike, would tell as "
    "much; n over it is the design effect (deff). Above n, the strata, margins or weights make the "
    "estimate more precise than drawing alike."
)

ESTIMATE_CELLS: Final = ("estimate", "standard_error", "low", "high")
"""The cells of an estimate and its error."""

EFFECTIVE_CELLS: Final = ("effective_n", "design_effect")
"""The further cells of a sample with weights, strata or clusters: see `EFFECTIVE`."""

EFFECTIVE_COLUMNS: Final = (
    Column("Effective n", COUNT, of="effective_n"),
    Column("deff", decimals(2), of="design_effect"),
)
"""The further columns of a sample with weights, strata or clusters."""


def has_design_effect(found: Iterable[Finding]) -> bool:
    """Return whether any estimate is from a sample with weights, strata or clusters."""
    return any(one.design_effect is not None for one in found)


def estimate_columns(
    heading: str,
    level: float,
    found: Iterable[Finding],
    *others: Column,
    kind: CellFormat | None = None,
) -> tuple[Column, ...]:
    """Return the columns of estimates, of their intervals and standard errors, and others.

    Those of a sample come last if any of the estimates has a design effect.
    """
    of_each = (
        Column(heading, kind, of="estimate"),
        interval_column(level, kind),
        standard_error_column(kind),
        *others,
    )
    return (*of_each, *EFFECTIVE_COLUMNS * has_design_effect(found))


def name_of(one: Share | Mean | Change | Contrast) -> str:
    """Return the text of the answer that an estimate is about."""
    return "Mean" if one.answer is None else one.answer.text


def row_of(one: Share | Mean | Change | Contrast, columns: Sequence[Column]) -> Row:
    """Make the row of an estimate; a difference has no star, because its table explains none."""
    is_difference = isinstance(one, Change | Contrast)
    if one.answer is None:
        kind = quantities(one.greatest if is_difference else one.span)
    else:
        kind = POINTS if is_difference else SHARE
    return named_row(name_of(one), one, columns, kind, outside=one.outside and not is_difference)


def named_row(
    name: str,
    one: Finding,
    columns: Sequence[Column],
    kind: CellFormat = SHARE,
    *,
    outside: bool | None = None,
) -> Row:
    """Make a row with what the columns show of an estimate; `outside`: if not the estimate's."""
    said = {"interval": SET, "standard_error": None} if one.is_set else {}
    values = tuple(said.get(column.of, getattr(one, column.of, None)) for column in columns)
    marked = one.outside if outside is None else outside
    return Row(name, values, kind, outside=marked, narrow=one.narrow)


def cells(one: Finding, level: float) -> dict[str, Value]:
    """Return the cells of an estimate in a file."""
    of_finding = ("maximum_likelihood", "clipped", "outside", "narrow", "p_value", "n")
    names = (*ESTIMATE_CELLS, *of_finding, *EFFECTIVE_CELLS)
    found: dict[str, Value] = {name: getattr(one, name) for name in names}
    return found | {"level": level, "method": SET if one.is_set else one.method}


def cells_of_test(statistic: str, value: float | None, p_value: float | None) -> dict[str, Value]:
    """Return the cells of a test in a file, which is no estimate."""
    return {
        "statistic": statistic,
        "estimate": value,
        "p_value": p_value,
        "outside": False,
        "narrow": False,
    }
