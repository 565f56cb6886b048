"""Data files of other programs, read as a CSV: one way in for all that reads columns."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.columns import OBJECTS, cell_of, typed
from deniable.analysis.counts.data_file import CellNumbers, read_cells, separator
from deniable.analysis.counts.reports_csv import AT_A_TIME
from deniable.analysis.counts.rows import count_many
from deniable.analysis.numerics.arrays import IntArray
from deniable.extras import load
from deniable.text.safety import AS_UTF8, composed

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


@dataclass(frozen=True)
class Kind:
    """What is known of a column beside its cells.

    `dtype`: of pandas; None in a CSV, whose cells alone say what they are. `shared`: of SPSS and
    Stata, the codes that have one label, by label; they stand as codes in the cells.
    """

    dtype: Any = None
    shared: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def check(self, name: str) -> None:
        """Refuse a column without a dictionary's entry in which two codes have one label."""
        if self.shared:
            from deniable.survey_file import of_one_label  # noqa: PLC0415  no help needs it

            raise ValueError(f"{of_one_label(name, self.shared)} in a dictionary")

    @property
    def has_texts(self) -> bool:
        """Whether the column is of texts, or of unlike objects."""
        return self.dtype.kind in OBJECTS and not self.groups

    def typed(self, cells: Sequence[Any]) -> Any:
        """Return the cells as what they were in the data frame."""
        import pandas as pd  # noqa: PLC0415  it takes a while to load

        found: pd.Series[Any] = pd.Series([*cells], dtype=object)
        if isinstance(self.dtype, pd.CategoricalDtype):
            return pd.Categorical(found, self.groups)
        if self.dtype.kind == "b":
            return found.map({"True": True, "False": False}).astype("boolean")
        if self.dtype.kind == "M":
            return pd.to_datetime(found, utc=True, format="ISO8601")
        return pd.to_timedelta(found) if self.dtype.kind == "m" else found.astype("float64")

    @property
    def groups(self) -> list[str]:
        """The groups of a categorical column in its order, as cells are written."""
        texts = (composed(cell_of(one).strip()) for one in getattr(self.dtype, "categories", ()))
        return [*dict.fromkeys(texts)]


UNKNOWN: Final = Kind()
"""Of a column of a CSV."""


@dataclass(frozen=True)
class About:
    """What a file or frame says of its columns, by their names.

    `labels`: of variables. `kinds`: of columns that have a dtype. `shared`: the codes that have one
    label, by label.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    shared: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)


NOTHING: Final = About()
"""Of a CSV."""


@dataclass(frozen=True, eq=False)
class DataTable:
    """A data file, whose rows were counted while they were read.

    `header`: the names of all columns. `cells`: of each column that is kept, in each row.
    `times`, shape (rows,): how often each row came; None if each came once, as in a short file.
    `numbers`: the different cells of each column. `labels`: of variables, by their names. `kinds`:
    what is known of columns beside their cells.
    """

    header: tuple[str, ...]
    cells: Mapping[str, Sequence[str]] = field(repr=False)
    times: IntArray | None = field(repr=False)
    numbers: CellNumbers = field(repr=False)
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)
    kinds: Mapping[str, Kind] = field(default_factory=dict, repr=False)


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
                return _count_rows(text, kept=kept)
        except UnicodeDecodeError:
            raise not_in_utf8(Path(path).read_bytes()) from None
    try:
        lines, about = READERS[ending](str(path))
        return _count_rows(lines, about, kept)
    except ImportError:
        raise
    except Exception as mistake:  # noqa: BLE001  each library has errors of its own
        said = str(mistake).splitlines()[0] if str(mistake) else type(mistake).__name__
        raise ValueError(f"this is no {ending} file that can be read: {said}") from None


def table_of(content: bytes, kept: Collection[str] | None = None) -> DataTable:
    """Read the bytes of a CSV. Line ends are kept: a cell between quotes may hold some."""
    try:
        return _count_rows(io.StringIO(content.decode(), newline=""), kept=kept)
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
    names = [str(name) for name in frame.columns]
    return _count_rows(_lines(names, rows), About(kinds=_kinds(names, frame)))


def _count_rows(
    lines: Iterable[str], about: About = NOTHING, kept: Collection[str] | None = None
) -> DataTable:
    """Read a CSV, and count its equal rows."""
    header, names = list[str](), list[str]()

    def chosen(found: Sequence[str]) -> Sequence[str]:
        header.extend(name for name in found if name)
        once = [name for name in header if header.count(name) == 1]
        wanted = None if kept is None else {*map(composed, kept)}
        wanted = wanted if wanted is not None and wanted <= {*once} else None
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
    shared = {name: _shared(of, numbers.known.get(name, {})) for name, of in about.shared.items()}
    kinds = {
        name: replace(about.kinds.get(name, UNKNOWN), shared=shared.get(name, {}))
        for name in {**about.kinds, **shared}
    }
    return DataTable(tuple(header), numbers.cells(counted), times, numbers, about.labels, kinds)


def _shared(labels: Mapping[str, Sequence[str]], known: dict[str, int]) -> dict[str, list[str]]:
    """Return the labels of several codes that occur, with these; of a single one write the label.

    `known`: the numbers of the column's cells.
    """
    there = {label: [code for code in codes if code in known] for label, codes in labels.items()}
    alone = {codes[0]: label for label, codes in there.items() if len(codes) == 1}
    numbered = {alone.get(cell, cell): number for cell, number in known.items()}
    known.clear()
    known.update(numbered)
    return {label: codes for label, codes in there.items() if len(codes) > 1}


def in_order(name: str) -> tuple[float, str]:
    """Sort numbers by size, and before words."""
    try:
        return float(name), name
    except ValueError:
        return math.inf, name


def _labelled(reader: str, path: str) -> tuple[Iterator[str], About]:
    import pyreadstat  # noqa: PLC0415  it takes a while to load

    read: Any = getattr(pyreadstat, reader)
    first, about = read(path, row_limit=AT_A_TIME)
    named, shared = dict[str, dict[Any, str]](), dict[str, dict[str, list[str]]]()
    for name, labels in about.variable_value_labels.items():
        texts = {code: composed(text) for code, label in labels.items() if (text := label.strip())}
        often = Counter(texts.values())
        named[name] = {code: text for code, text in texts.items() if often[text] == 1}
        for code, text in texts.items():
            if often[text] > 1:
                shared.setdefault(name, {}).setdefault(text, []).append(cell_of(code))
    parts = pyreadstat.read_file_in_chunks(read, path, chunksize=AT_A_TIME)
    columns = (
        [
            [named[name].get(cell, cell) for cell in cells] if name in named else cells
            for name, cells in zip(about.column_names, _columns(frame), strict=True)
        ]
        for frame, _ in parts
    )
    rows = (row for part in columns for row in zip(*part, strict=True))
    # What labels make of numbers is seen in the cells.
    kinds = {of: kind for of, kind in _kinds(about.column_names, first).items() if of not in named}
    variables = {name: text for name, text in about.column_names_to_labels.items() if text}
    return _lines(about.column_names, rows), About(variables, kinds, shared)


def _columns(frame: pd.DataFrame) -> Iterator[Sequence[object]]:
    each = (frame.iloc[:, place] for place in range(frame.shape[1]))
    return (column.astype(object).where(column.notna(), None).tolist() for column in each)


def _kinds(names: Sequence[str], frame: pd.DataFrame) -> dict[str, Kind]:
    each = (typed(frame.iloc[:, place]).dtype for place in range(frame.shape[1]))
    return {composed(name.strip()): Kind(dtype) for name, dtype in zip(names, each, strict=True)}


def _parquet(path: str) -> tuple[Iterator[str], About]:
    parquet = load("pyarrow.parquet", "parquet")
    file = parquet.ParquetFile(path)
    if (cells := file.metadata.num_rows * len(file.schema_arrow.names)) > MOST_CELLS:
        raise ValueError(f"expected at most {MOST_CELLS:,} cells, found {cells:,}")
    names = file.schema_arrow.names
    kinds = dict[str, Kind]()
    for first in islice(file.iter_batches(AT_A_TIME), 1):
        kinds = _kinds(names, first.to_pandas())
    # Each part of a file has its own categories, so that the order of all is unknown.
    kinds = {name: Kind(np.dtype(object)) if one.groups else one for name, one in kinds.items()}
    parts = ([one.to_pylist() for one in part] for part in file.iter_batches(AT_A_TIME))
    rows = (row for part in parts for row in zip(*part, strict=True))
    return _lines(names, rows), About(kinds=kinds)


def _lines(names: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield the lines of a CSV of rows, with the labels of values in place of their codes."""
    for row in chain([names], rows):
        line = io.StringIO(newline="")
        csv.writer(line).writerow(map(cell_of, row))
        yield line.getvalue()


READERS: Final[Mapping[str, Callable[[str], tuple[Iterator[str], About]]]] = {
    ".sav": partial(_labelled, "read_sav"),
    ".dta": partial(_labelled, "read_dta"),
    ".parquet": _parquet,
}
"""What reads a file as the lines of a CSV, with what else it says, by its ending."""
