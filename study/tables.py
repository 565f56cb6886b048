"""Data files of other programs, as the text of a CSV: one way in for all that reads columns."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from deniable.extras import load
from deniable.text.safety import AS_UTF8

if TYPE_CHECKING:
    import pandas as pd

TEXTS: Final = (".csv", ".tsv", ".txt")
"""Endings of a CSV."""

MOST_CELLS: Final = 50_000_000
"""Of a Parquet file: a small one can stand for more than fits into any memory."""

_ELSE: Final = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), "save the sheet as a CSV in UTF-8"),
    **dict.fromkeys((".rdata", ".rda", ".rds"), "write the data frame with write.csv() in R"),
    **dict.fromkeys((".sas7bdat", ".xpt", ".por", ".zsav"), "save it as a CSV, .sav or .dta"),
}


@dataclass(frozen=True)
class DataTable:
    """A data file.

    `text`: as a CSV, with the labels of values in place of their codes; what is missing is empty.
    `labels`: of variables, by their names.
    """

    text: str = field(repr=False)
    labels: Mapping[str, str] = field(default_factory=dict)


def is_data(path: str | Path) -> bool:
    """Whether a name is that of a data file, by its ending."""
    ending = Path(path).suffix.lower()
    return ending in {*TEXTS, *READERS, *_ELSE}


def read_table(path: str | Path) -> DataTable:
    """Read a CSV, or a file of SPSS, Stata or Parquet, by its ending.

    Raises
    ------
    FileNotFoundError
        If it is not there.
    ValueError
        If it cannot be read as what its ending says, or has another one.
    ImportError
        If the package that reads it is not installed.
    """
    ending = Path(path).suffix.lower()
    if ending in _ELSE:
        raise ValueError(
            f"expected a CSV or a file that ends in {', '.join(READERS)}, found {ending}: "
            f"{_ELSE[ending]}"
        )
    content = Path(path).read_bytes()
    if ending not in READERS:
        return table_of(content)
    try:
        return READERS[ending](str(path))
    except ImportError:
        raise
    except Exception as mistake:  # noqa: BLE001  each library has errors of its own
        said = str(mistake).splitlines()[0] if str(mistake) else type(mistake).__name__
        raise ValueError(f"this is no {ending} file that can be read: {said}") from None


def table_of(content: bytes) -> DataTable:
    """Read the bytes of a CSV. Line ends are kept: a cell between quotes may hold some."""
    try:
        return DataTable(content.decode("utf-8-sig"))
    except UnicodeDecodeError as mistake:
        line = 1 + content.count(b"\n", 0, mistake.start)
        raise ValueError(
            f"line {line}: expected a CSV in UTF-8, found the byte 0x{content[mistake.start]:02x}: "
            f"{AS_UTF8}"
        ) from None


def table_of_frame(frame: pd.DataFrame) -> DataTable:
    """Take the cells of a data frame, as a file of it would have them."""
    columns = [frame.iloc[:, place].astype(object).tolist() for place in range(frame.shape[1])]
    return DataTable(_written([str(name) for name in frame.columns], columns))


def in_order(name: str) -> tuple[float, str]:
    """Sort numbers by size, and before words."""
    try:
        return float(name), name
    except ValueError:
        return math.inf, name


def _sav(path: str) -> DataTable:
    import pyreadstat  # noqa: PLC0415  it takes a while to load

    return _labelled(*pyreadstat.read_sav(path, apply_value_formats=True))


def _dta(path: str) -> DataTable:
    import pyreadstat  # noqa: PLC0415  it takes a while to load

    return _labelled(*pyreadstat.read_dta(path, apply_value_formats=True))


def _labelled(frame: Any, about: Any) -> DataTable:
    columns = [frame[name].astype(object).tolist() for name in frame.columns]
    labels = {name: text for name, text in about.column_names_to_labels.items() if text}
    return DataTable(_written(list(frame.columns), columns), labels)


def _parquet(path: str) -> DataTable:
    parquet = load("pyarrow.parquet", "parquet")
    about = parquet.read_metadata(path)
    if (cells := about.num_rows * about.num_columns) > MOST_CELLS:
        raise ValueError(f"expected at most {MOST_CELLS:,} cells, found {cells:,}")
    table = parquet.read_table(path)
    return DataTable(_written(table.column_names, [one.to_pylist() for one in table.columns]))


def _written(names: Sequence[str], columns: Iterable[Sequence[object]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(names)
    writer.writerows(map(_cell, row) for row in zip(*columns, strict=True))
    return text.getvalue()


def _cell(value: object) -> str:
    """Write a value; SPSS and Stata have whole numbers as 1.0."""
    if value is None or value != value:  # noqa: PLR0124  nan is unlike itself
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


READERS: Final[Mapping[str, Callable[[str], DataTable]]] = {
    ".sav": _sav,
    ".dta": _dta,
    ".parquet": _parquet,
}
"""What reads a file, by its ending."""
