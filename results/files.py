"""The file formats of estimates: for spreadsheets and for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self, TypeAlias

from deniable.text.safety import inert

Value: TypeAlias = str | float | bool | None
"""The values of a cell; None is an empty cell, and JSON's null."""

Row: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True)
class Export:
    """Estimates laid out in rows, ready for any format.

    `columns`: in order. `rows`: one for each estimate, from columns to cells. `document`: what the
    rows have in common, for formats that have a place for it. `key`: the key of the rows in that
    document.
    """

    columns: tuple[str, ...]
    rows: Sequence[Row]
    document: Mapping[str, Any]
    key: str = "estimates"

    @classmethod
    def of(
        cls,
        columns: Iterable[str],
        rows: Iterable[Row],
        document: Mapping[str, Any],
        key: str = "estimates",
    ) -> Self:
        """Lay out what rows have of the columns; a cell that a row does not have is empty."""
        names = tuple(columns)
        found = [{name: row.get(name) for name in names} for row in rows]
        return cls(names, found, document, key)


@dataclass(frozen=True)
class Format:
    """A format of a file.

    `title`: its usual name. `media_type`: as it is served. `write`: returns the file's content.
    """

    title: str
    media_type: str
    write: Callable[[Export], str | bytes]


def write_csv(export: Export) -> str:
    """Write a CSV (RFC 4180): a header, and a line for each row.

    Numbers have all their digits, truth values are ``true`` and ``false``, and an unknown value is
    an empty cell. Texts are `inert`.
    """
    rows = ([row[name] for name in export.columns] for row in export.rows)
    return csv_of([export.columns, *rows])


def csv_of(rows: Iterable[Iterable[Value]]) -> str:
    """Write rows as a CSV; every CSV of this project except that of reports is written here."""
    file = io.StringIO(newline="")
    csv.writer(file).writerows([_csv_cell(cell) for cell in row] for row in rows)
    return file.getvalue()


def write_json(export: Export) -> str:
    """Write JSON: the document, with the rows under their key."""
    document = _finite({**export.document, export.key: export.rows})
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


FORMATS: Final[dict[str, Format]] = {
    "csv": Format("CSV", "text/csv", write_csv),
    "json": Format("JSON", "application/json", write_json),
}
"""Formats by the ending of a file's name."""


def _csv_cell(value: Value) -> Value:
    if isinstance(value, str):
        return inert(value)
    if isinstance(value, bool):
        return str(value).lower()
    return None if isinstance(value, float) and math.isnan(value) else value


def _finite(value: Any) -> Any:
    """Replace infinities and nan by None, because JSON cannot write them."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
