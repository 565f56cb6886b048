"""Columns of any CSV, and the reports that their cells stand for."""

from __future__ import annotations

import csv
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from deniable import roles
from deniable.analysis.counts.columns import places_of, value_of
from deniable.text.doors import RefusalError
from deniable.text.safety import composed, counted

if TYPE_CHECKING:
    from _csv import Reader

MISSING: Final = frozenset({"", "na", "n/a", "nan", "null", "none", "."})
"""Cells that mean "no answer", in lower case, as R, Stata, pandas and spreadsheets write them."""

BINARY: Final = (("0", "1"), ("no", "yes"), ("false", "true"), ("n", "y"), ("f", "t"))
"""How files write no and yes, in this order and in lower case."""

_SEPARATORS: Final = (",", ";", "\t")
_TOLD: Final = re.compile(r"\ufeff?\"?sep=[,;\t]\"?\s*", re.IGNORECASE)
_SHOWN: Final = 6  # most values that an error lists
_NUMBER: Final = np.dtype(">u4")


@dataclass(frozen=True, eq=False)
class ReportColumn:
    """A column of reports, coded. Made by `code_reports`.

    Parameters
    ----------
    codes : tuple of str
        What each report is called in the file, in the order of the channel's columns.
    reports : ndarray of int64, shape (rows,)
        Index of each row's report, -1 where it is missing.
    """

    codes: tuple[str, ...]
    reports: npt.NDArray[np.int64]

    @property
    def answered(self) -> npt.NDArray[np.bool_]:
        """Whether each row has a report; shape (rows,)."""
        return self.reports >= 0

    def counts(self, among: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.int64]:
        """Count each report; shape (reports,).

        Parameters
        ----------
        among : ndarray of bool, shape (rows,), optional
            The rows to count; all by default.
        """
        rows = self.answered if among is None else self.answered & among
        return np.bincount(self.reports[rows], minlength=len(self.codes)).astype(np.int64)


def separator(header: str) -> str:
    """Return the separator of a CSV's header: a comma if it has none."""
    return max(_SEPARATORS, key=header.count)


def read_rows(lines: Iterable[str]) -> Reader:
    """Read a CSV strictly, with the separator of its first line, and texts in their normal form.

    That line may be one that tells Excel the separator, such as ``sep=;``.
    """
    lines = map(composed, lines)
    first = next(lines, "")
    reader = csv.reader(chain([first], lines), strict=True, delimiter=separator(first))
    if _TOLD.fullmatch(first):
        next(reader)
    return reader


def read_cells(
    lines: Iterable[str], names: Sequence[str] | Callable[[Sequence[str]], Sequence[str]]
) -> Iterator[list[str]]:
    """Yield the cells of some columns of a CSV, row by row, without spaces around them.

    Parameters
    ----------
    lines : iterable of str
        Such as a text file opened with ``newline=""``. Blank lines are skipped. Cells are separated
        by commas, semicolons or tabs, as in the first line.
    names : sequence of str or callable
        Of the columns, or what chooses them from the header.

    Raises
    ------
    ValueError
        If a column is missing or occurs twice, or a row and the header have different numbers of
        cells. The message gives the line.
    UnicodeDecodeError
        If `lines` is a file that was opened with the wrong encoding.
    """
    reader = read_rows(lines)
    try:
        # Spreadsheets put a byte-order mark before the first column's name.
        header = [name.removeprefix("\ufeff").strip() for name in next(reader, [])]
        names = names(header) if callable(names) else names
        check_names(names, header)
        places = [header.index(name) for name in names]
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise ValueError(f"expected {counted(len(header), 'cell')}, found {len(row)}")
            yield [row[place].strip() for place in places]
    except UnicodeDecodeError:
        raise  # a ValueError too, but about the file's encoding, not about a line
    except (ValueError, csv.Error) as mistake:
        raise ValueError(f"line {max(reader.line_num, 1)}: {mistake}") from None


def check_names(names: Iterable[str], header: Sequence[str]) -> None:
    """Refuse a column that a header has not, or twice."""
    for name in names:
        if header.count(name) != 1:
            found = f"{header.count(name)} of that name" if name in header else listed(header)
            raise ValueError(f"expected a column {name!r}, found {found}")


class CellNumbers:
    """Numbers of the different cells of some columns, given while rows are read.

    `known`: by column, the number of each cell. So a row is a few bytes, and equal rows can be
    counted.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Begin with no cells."""
        self.known: dict[str, dict[str, int]] = {name: {} for name in names}
        self._first = {name: array("q") for name in self.known}
        self._rows = 0

    def of(self, rows: Sequence[Sequence[str]]) -> npt.NDArray[np.uint8]:
        """Return the numbers of the cells of the next rows, in bytes."""
        numbers = np.empty((len(rows), len(self.known)), dtype=_NUMBER)
        for place, (name, known) in enumerate(self.known.items()):
            before = len(known)
            numbers[:, place] = [known.setdefault(row[place], len(known)) for row in rows]
            each, first = np.unique(numbers[:, place], return_index=True)
            self._first[name].extend((self._rows + first[each >= before]).tolist())
        self._rows += len(rows)
        return numbers.view(np.uint8).reshape(len(rows), len(self.known) * _NUMBER.itemsize)

    def cells(self, rows: npt.NDArray[np.uint8]) -> dict[str, list[str]]:
        """Return the cells of each column whose numbers, in bytes, are these rows'."""
        columns = np.ascontiguousarray(rows).view(_NUMBER).T
        texts = {name: [*known] for name, known in self.known.items()}
        return {
            name: [texts[name][number] for number in column.tolist()]
            for name, column in zip(self.known, columns, strict=True)
        }

    def first(self, name: str, cell: str) -> int:
        """Return the row, from 0, in which a cell of a column stands first."""
        return self._first[name][self.known[name][cell]]


def code_reports(
    cells: Sequence[str],
    reports: int,
    codes: Sequence[str] | None = None,
    of: str = "report",
    first: Callable[[str], int] | None = None,
) -> ReportColumn:
    """Find the report that each cell stands for.

    Parameters
    ----------
    cells : sequence of str
        Cells in `MISSING`, in any case, have no report.
    reports : int
        How many reports the channel has.
    codes : sequence of str, optional
        What each report is called in the file, in the order of the channel's columns; no and yes
        may come in either order. By default ``0, 1`` or ``no, yes`` or ``false, true`` (in any
        case) for two reports; for more, whole numbers from 0, or from 1 if no cell is 0 and some
        cell is the number of reports.
    of : str
        What messages call the thing that a cell stands for.
    first : callable, optional
        In which row, from 0, a cell stands first; by default the place in `cells`.

    Examples
    --------
    >>> code_reports(["yes", "No", "NA"], 2).reports
    array([ 1,  0, -1])
    >>> code_reports(["often", "never"], 2, ["never", "often"]).counts()
    array([1, 1])
    """
    present = Counter(cell for cell in cells if cell.lower() not in MISSING)
    if codes is None:
        index, names = _guess(present, reports, of, first or cells.index)
    else:
        if len(codes) != reports or len(set(codes)) != reports:
            raise ValueError(
                f"expected {reports} different codes, one for each {of} of the design, "
                f"found {listed(codes)}"
            )
        names = tuple(roles.no_then_yes(codes) if of == "report" else codes)
        index = places_of(present, {code: report for report, code in enumerate(names)})
    unknown = [cell for cell in present if cell not in index]
    if unknown:
        raise ValueError(
            f"expected cells of {listed(names)} or empty ones, found {listed(unknown)}; "
            f"{place(unknown, first or cells.index)}"
        )
    return ReportColumn(names, np.array([index.get(cell, -1) for cell in cells], dtype=np.int64))


def _guess(
    present: Counter[str], reports: int, of: str, first: Callable[[str], int]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the report of each cell and the reports' codes, by the usual spellings."""
    if reports == 2:
        for pair in BINARY:
            if all(roles.plain(cell) in pair for cell in present):
                index = {cell: pair.index(roles.plain(cell)) for cell in present}
                return index, _spelt(pair, index, present)
    values = {cell: value_of(cell) for cell in present}
    if all(value is not None and value.denominator == 1 for value in values.values()):
        index = {cell: int(value) for cell, value in values.items() if value is not None}
        # With two reports, 1 and 2 mean yes and no as often as no and yes: no guess is safe.
        lowest = int(reports > 2 and 0 not in index.values() and reports in index.values())
        numbers = range(lowest, lowest + reports)
        if all(number in numbers for number in index.values()):
            index = {cell: number - lowest for cell, number in index.items()}
            return index, _spelt([str(number) for number in numbers], index, present)
    wrong = odd(present, reports)
    few = reports <= len(present) - len(wrong)  # all others are usual: it is a typo
    give = f"{'mend it, or ' * few}give the cells' codes, in the order of the design's {of}s, by"
    raise RefusalError(
        f"cannot tell which of the {reports} {of}s a cell stands for: expected 0 to "
        f"{reports - 1}{' or no and yes' if reports == 2 else ''}, "
        f"found {listed(wrong if few else present)}; {place(wrong, first)}",
        python=f"{give} {'codes' if of == 'report' else 'arm_codes'}=",
        command=f"{give} --{'codes' if of == 'report' else 'arms'}",
    )


def odd(present: Iterable[str], reports: int) -> list[str]:
    """Return the cells that no file uses for so many reports; all cells if each alone is usual."""
    usual = {*map(str, range(reports + (reports > 2)))}
    usual |= {word for pair in BINARY for word in pair if reports == 2}
    return [cell for cell in present if roles.plain(cell) not in usual] or [*present]


def _spelt(codes: Sequence[str], index: dict[str, int], present: Counter[str]) -> tuple[str, ...]:
    """Return each report's code in its most frequent spelling."""
    spelt = list(codes)
    for cell, _ in reversed(present.most_common()):
        spelt[index[cell]] = cell
    return tuple(spelt)


def place(wrong: Iterable[str], first: Callable[[str], int]) -> str:
    """Return in words the row of the first wrong cell; `first`: where each one stands first."""
    return f"see row {1 + min(map(first, wrong), default=0)} below the header"


def listed(values: Iterable[object], most: int = _SHOWN) -> str:
    """List values for an error message, leaving out the rest of a long list."""
    shown = [repr(value) for value in values]
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return (", ".join(shown[:most]) or "none") + more
