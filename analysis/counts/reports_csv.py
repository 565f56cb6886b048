"""Noisy reports as a CSV: one row per respondent, one column per item, a report's code per cell.

In a survey with waves the last column is the wave.

The ticks of paper sheets are typed into a CSV with the same columns, as the sheets print them or by
code. It may lack the columns of items that are on no sheet.

The column of a randomised item is its id with ``_noisy`` at the end, so that nobody takes the codes
for answers; the column of a direct item is its bare id. An empty cell means "not asked". There are
no ids and no times, and rows are sorted by value, so that the file does not show who answered when.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Final

from deniable.analysis.counts.data_file import read_rows
from deniable.analysis.counts.rows import (
    Rows,
    join_rows,
    merge_rows,
    repeated,
    split_counted,
    split_rows,
)
from deniable.paper import places_on_sheet, printed
from deniable.report import NOT_ASKED, check_groups
from deniable.survey import Survey
from deniable.survey.grouped import ColumnsRead, absent_in, direct_items
from deniable.survey.items import NOISY
from deniable.survey.questions import Protection
from deniable.survey.waves import COLUMN, code_of
from deniable.text.safety import composed, counted, inert

# Rows per chunk: large enough to count fast, small enough to use little memory.
AT_A_TIME: Final = 65_536

# Most names that a message lists.
_SHOWN: Final = 8


def columns(survey: Survey) -> tuple[str, ...]:
    """Return the name of each item's column, in the order of the items."""
    names = tuple(
        item.id if item.protection is Protection.DIRECT else f"{item.id}{NOISY}"
        for item in survey.items
    )
    if len(set(names)) < len(names):
        shared = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two items would share the column {shared!r}: expected another item id")
    return names


def csv_of(chunks: Iterable[bytes], survey: Survey) -> Iterator[str]:
    """Yield the text of a CSV of reports, sorted by value, in chunks of lines.

    Parameters
    ----------
    chunks : iterable of bytes
        Each of whole reports, as for `deniable.analysis.counts.tally.split_rows`.

    Notes
    -----
    The order of arrival would tell an observer who watched people answer which report is whose.
    Sorted by value, the file is the same for every order of arrival.
    """
    line = io.StringIO(newline="")
    writer = csv.writer(line)

    def written(cells: Iterable[str]) -> str:
        # No code begins like a formula, so reading the file returns what was written.
        writer.writerow(map(inert, cells))
        text = line.getvalue()
        line.seek(0)
        line.truncate()
        return text

    names = [name for name, _ in _cells_of(survey)]
    there = [place for place, name in enumerate(names) if name not in absent_in(survey)]

    def some(cells: Sequence[str]) -> str:
        return written(cells[place] for place in there)

    yield some(names)
    yield from _copied((some(cells), times) for cells, times in _sorted(chunks, survey))


def csv_of_rows(rows: Rows) -> Iterator[str]:
    """Yield the text of a CSV of rows, see `csv_of`."""
    sent = join_rows(rows.answers, rows.waves, rows.survey)
    yield from csv_of((part.tobytes() for part in repeated(sent, rows.times)), rows.survey)


def _copied(lines: Iterable[tuple[str, int]]) -> Iterator[str]:
    """Yield each line as often as its report came, in texts of at most `AT_A_TIME` lines."""
    gathered, count = [], 0
    for line, times in lines:
        left = times
        while left:
            now = min(left, AT_A_TIME - count)
            gathered.append(line * now)
            left, count = left - now, count + now
            if count == AT_A_TIME:
                yield "".join(gathered)
                gathered, count = [], 0
    if gathered:
        yield "".join(gathered)


def _sorted(chunks: Iterable[bytes], survey: Survey) -> Iterator[tuple[list[str], int]]:
    """Return the cells of each different report, and how often it came."""
    answers, waves, came = split_counted(chunks, survey)
    codes = [cells for _, cells in _cells_of(survey)]
    rows = join_rows(answers, waves, survey)
    for row, times in zip(*merge_rows(rows, came), strict=True):
        cells = [known[answer] for known, answer in zip(codes, bytes(row), strict=True)]
        yield cells, int(times)


def _cells_of(survey: Survey) -> list[tuple[str, dict[int, str]]]:
    """Return, for each byte of a row, its column's name and the cell of each value."""
    found = [
        (name, {**{at: one.code for at, one in enumerate(item.reports)}, NOT_ASKED: ""})
        for name, item in zip(columns(survey), survey.items, strict=True)
    ]
    found.append((COLUMN, {wave - 1: code_of(wave) for wave in survey.wave_numbers}))
    return found[: survey.row_length]


def read_reports(
    lines: Iterable[str],
    survey: Survey,
    *,
    beside: Collection[str] = (),
    found: ColumnsRead | None = None,
) -> Iterator[bytes]:
    """Read reports strictly.

    Parameters
    ----------
    lines : iterable of str
        Such as a text file opened with ``newline=""``. The columns may come in any order. Blank
        lines are skipped. Cells are separated by commas, semicolons or tabs, as in the first line.
        Each holds the code of a report, or what a sheet prints for it (`deniable.paper.printed`).
        Any cell but a wave's may be empty. The columns of items that are on no sheet may all be
        missing together.
    beside : collection of str
        Other columns, such as weights, which are skipped.
    found : ColumnsRead, optional
        Takes in which direct columns there are, and in which groups; then some may be missing.

    Yields
    ------
    bytes
        The reports of up to 65,536 respondents, for `deniable.analysis.counts.tally.split_rows`.

    Raises
    ------
    ValueError
        If a column is missing, unknown or doubled, a row and the header have different numbers of
        cells, a cell holds no report of its item, or answers of one joint report cannot all be
        true. The message gives the line, the column, what was found and what was expected.
    UnicodeDecodeError
        If `lines` is a file that was opened with the wrong encoding.
    """
    reader = read_rows(lines)
    cells = _cells_of(survey)
    names = [name for name, _ in cells]
    bytes_of = [{cell: byte for byte, cell in known.items()} for _, known in cells]
    for known, item in zip(bytes_of, survey.items, strict=False):  # a wave is no item
        # A cell that is both a code and a printed text is the code: exported files hold codes.
        known |= {**{composed(text): at for text, at in printed(survey, item).items()}, **known}
    direct = {item.id: item for item in direct_items(survey)}
    try:
        header = next(reader, [])
        positions = _positions(header, names, _left_out(header, survey, found), beside)
        chunk = bytearray()
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise ValueError(f"expected {counted(len(header), 'cell')}, found {len(row)}")
            for name, known, position in zip(names, bytes_of, positions, strict=True):
                cell = "" if position is None else row[position]
                if cell not in known and found is not None and name in direct:
                    byte = found.byte_of(direct[name], cell)
                    if byte is not None:
                        known[cell] = byte
                if cell not in known:
                    raise ValueError(
                        f"column {name!r}: expected one of {_names_in_words(known)}, found {cell!r}"
                    )
                chunk.append(known[cell])
            if survey.groups:
                # An export also has reports to other revisions, which may ask a part of a group.
                check_groups(bytes(chunk[-len(names) :][: len(survey.items)]), survey, partly=True)
            if len(chunk) >= AT_A_TIME * len(names):
                yield bytes(chunk)
                chunk.clear()
    except UnicodeDecodeError:
        raise  # a ValueError too, but about the file's encoding, not about a line
    except (ValueError, csv.Error) as mistake:
        # The header of an empty file is missing from line 1, although no line was read.
        raise ValueError(f"line {max(reader.line_num, 1)}: {mistake}") from None
    yield bytes(chunk)


def reports_of(chunks: Iterable[bytes], found: ColumnsRead) -> tuple[Survey, bytes]:
    """Read all reports of a file; return the survey that it is of, and the reports to that."""
    answers, waves = split_rows(b"".join(chunks), found.survey)
    survey, told = found.told(answers)
    return survey, join_rows(told, waves, survey).tobytes()


def _left_out(header: Sequence[str], survey: Survey, found: ColumnsRead | None) -> frozenset[str]:
    """Return the columns that may be missing: those of items on no sheet, if all are missing.

    So may direct columns where what is found of them is taken in.
    """
    on_sheet = places_on_sheet(survey)
    others = {name for place, name in enumerate(columns(survey)) if place not in on_sheet}
    missing = others if others.isdisjoint(header) else set[str]()
    if found is not None:
        direct = {item.id for item in direct_items(survey)}
        found.there |= direct & {name.removeprefix("\ufeff") for name in header}
        missing |= direct
    return frozenset(missing)


def _positions(
    header: Sequence[str],
    names: Sequence[str],
    optional: Container[str],
    beside: Collection[str],
) -> list[int | None]:
    """Return the position of each item's cell in a row; None if the item has no column."""
    # Spreadsheets put a byte-order mark before the first column's name.
    found = [name.removeprefix("\ufeff") for name in header]
    if not {*found} & {*names} and not any(_near(name, names) for name in found):
        first = _names_in_words(name for name in names if name not in optional)
        raise ValueError(
            f"expected names of columns, such as {first}, found {_names_in_words(found) or 'none'}"
        )
    missing = [name for name in names if name not in found and name not in optional]
    mistakes = [
        *(f"no column {name!r}" for name in missing),
        *(
            f"an unknown column {name!r}{_near(name, missing)}"
            for name in found
            if name not in {*names, *beside}
        ),
        *(f"column {name!r} twice" for name in names if found.count(name) > 1),
    ]
    if mistakes:
        raise ValueError(f"found {_shortened(mistakes)}")
    return [found.index(name) if name in found else None for name in names]


def _near(name: str, missing: Sequence[str]) -> str:
    near = get_close_matches(name, missing, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _names_in_words(names: Iterable[str]) -> str:
    return _shortened([repr(name) for name in names])


def _shortened(parts: Sequence[str]) -> str:
    """List the first few parts and the last: in a full list of a hundred a mistake is lost."""
    if len(parts) <= _SHOWN:
        return ", ".join(parts)
    return f"{', '.join(parts[: _SHOWN - 1])}, …, {parts[-1]} ({len(parts)} in all)"
