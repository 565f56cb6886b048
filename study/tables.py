"""Data files of other programs, read as a CSV: one way in for all that reads columns."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.data_file import CellNumbers, read_cells, separator
from deniable.analysis.counts.reports_csv import AT_A_TIME
from deniable.analysis.counts.rows import count_many
from deniable.analysis.numerics.arrays import IntArray
from deniable.extras import load
from deniable.text.safety import AS_UTF8

if TYPE_CHECKING:
    import pandas as pd

TEXTS: Final = (".csv", ".tsv", ".txt")
"""Endings of a CSV."""

MOST_CELLS: Final = 50_000_000
"""Of a Parquet file: a small one can stand for more than fits into any memory."""

_COMMA: Final = re.compile(r"^(-?\d+),(?=\d+$)")

_ELSE: Final = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), "save the sheet as a CSV in UTF-8"),
    **dict.fromkeys((".rdata", ".rda", ".rds"), "write the data frame with write.csv() in R"),
    **dict.fromkeys((".sas7bdat", ".xpt", ".por", ".zsav"), "save it as a CSV, .sav or .dta"),
}


@dataclass(frozen=True, eq=False)
class DataTable:
    """A data file, whose rows were counted while they were read.

    `header`: the names of all columns. `cells`: of each column that is kept, in each row.
    `times`, shape (rows,): how often each row came; None if each came once, as in a short file.
    `numbers`: the different cells of each column. `labels`: of variables, by their names.
    """

    header: tuple[str, ...]
    cells: Mapping[str, Sequence[str]] = field(repr=False)
    times: IntArray | None = field(repr=False)
    numbers: CellNumbers = field(repr=False)
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)


def is_data(path: str | Path) -> bool:
    """Whether a name is that of a data file, by its ending."""
    ending = Path(path).suffix.lower()
    return ending in {*TEXTS, *READERS, *_ELSE}


def read_table(path: str | Path, kept: Collection[str] | None = None) -> DataTable:
    """Read a CSV, or a file of SPSS, Stata or Parquet, by its ending.

    Parameters
    ----------
    kept : collection of str, optional
        Columns that are enough; all are kept if one of them is missing, so that errors name them.

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
    if ending not in READERS:
        try:
            with Path(path).open(encoding="utf-8", newline="") as text:
                return _count_rows(text, kept)
        except UnicodeDecodeError:
            raise not_in_utf8(Path(path).read_bytes()) from None
    try:
        lines, labels = READERS[ending](str(path))
        return _count_rows(lines, kept, labels)
    except ImportError:
        raise
    except Exception as mistake:  # noqa: BLE001  each library has errors of its own
        said = str(mistake).splitlines()[0] if str(mistake) else type(mistake).__name__
        raise ValueError(f"this is no {ending} file that can be read: {said}") from None


def table_of(content: bytes, kept: Collection[str] | None = None) -> DataTable:
    """Read the bytes of a CSV. Line ends are kept: a cell between quotes may hold some."""
    try:
        return _count_rows(io.StringIO(content.decode(), newline=""), kept)
    except UnicodeDecodeError:
        raise not_in_utf8(content) from None


def not_in_utf8(content: bytes) -> ValueError:
    """Return the error of a file that is not in UTF-8, with the first line that is not."""
    try:
        content.decode()
    except UnicodeDecodeError as mistake:
        line, byte = 1 + content.count(b"\n", 0, mistake.start), content[mistake.start]
        return ValueError(
            f"line {line}: expected a CSV in UTF-8, found the byte 0x{byte:02x}: {AS_UTF8}"
        )
    return ValueError("the file changed while it was read")


def table_of_frame(frame: pd.DataFrame) -> DataTable:
    """Take the cells of a data frame, as a file of it would have them."""
    rows = zip(*_columns(frame), strict=True)
    return _count_rows(_lines([str(name) for name in frame.columns], rows))


def _count_rows(
    lines: Iterable[str],
    kept: Collection[str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> DataTable:
    """Read a CSV, and count its equal rows."""
    header, names = list[str](), list[str]()

    def chosen(found: Sequence[str]) -> Sequence[str]:
        header.extend(name for name in found if name)
        once = [name for name in header if header.count(name) == 1]
        wanted = None if kept is None or {*kept} - {*once} else {*kept}
        names.extend(name for name in once if wanted is None or name in wanted)
        return names

    lines = iter(lines)
    first = next(lines, "")
    rows = read_cells(chain([first], lines), chosen)
    if separator(first) != ",":
        # Spreadsheets that separate cells by semicolons write 0.5 as 0,5.
        rows = ([_COMMA.sub(r"\1.", cell) for cell in row] for row in rows)
    part = [*islice(rows, AT_A_TIME)]  # by which the header has been read
    if not header:
        raise ValueError("expected a header with the names of columns, found none")
    numbers = CellNumbers(names)

    def held() -> Iterator[npt.NDArray[np.uint8]]:
        yield numbers.of(part)
        while more := [*islice(rows, AT_A_TIME)]:
            yield numbers.of(more)

    counted, times = count_many(held())
    return DataTable(tuple(header), numbers.cells(counted), times, numbers, labels or {})


def in_order(name: str) -> tuple[float, str]:
    """Sort numbers by size, and before words."""
    try:
        return float(name), name
    except ValueError:
        return math.inf, name


def _labelled(reader: str, path: str) -> tuple[Iterator[str], Mapping[str, str]]:
    import pyreadstat  # noqa: PLC0415  it takes a while to load

    read: Any = getattr(pyreadstat, reader)
    _, about = read(path, metadataonly=True)
    labels = {name: text for name, text in about.column_names_to_labels.items() if text}
    parts = pyreadstat.read_file_in_chunks(
        read, path, chunksize=AT_A_TIME, apply_value_formats=True
    )
    rows = (row for frame, _ in parts for row in zip(*_columns(frame), strict=True))
    return _lines(about.column_names, rows), labels


def _columns(frame: pd.DataFrame) -> Iterator[Sequence[object]]:
    return (frame.iloc[:, place].astype(object).tolist() for place in range(frame.shape[1]))


def _parquet(path: str) -> tuple[Iterator[str], Mapping[str, str]]:
    parquet = load("pyarrow.parquet", "parquet")
    file = parquet.ParquetFile(path)
    if (cells := file.metadata.num_rows * len(file.schema_arrow.names)) > MOST_CELLS:
        raise ValueError(f"expected at most {MOST_CELLS:,} cells, found {cells:,}")
    parts = ([one.to_pylist() for one in part] for part in file.iter_batches(AT_A_TIME))
    rows = (row for part in parts for row in zip(*part, strict=True))
    return _lines(file.schema_arrow.names, rows), {}


def _lines(names: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield the lines of a CSV of rows, with the labels of values in place of their codes."""
    for row in chain([names], rows):
        line = io.StringIO(newline="")
        csv.writer(line).writerow(map(_cell, row))
        yield line.getvalue()


def _cell(value: object) -> str:
    """Return the text of a value of SPSS or Stata, which write whole numbers as 1.0."""
    if value is None or value != value:  # noqa: PLR0124  nan is unlike itself
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


READERS: Final[Mapping[str, Callable[[str], tuple[Iterator[str], Mapping[str, str]]]]] = {
    ".sav": partial(_labelled, "read_sav"),
    ".dta": partial(_labelled, "read_dta"),
    ".parquet": _parquet,
}
"""What reads a file as the lines of a CSV, with the labels of variables, by its ending."""
