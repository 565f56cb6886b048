"""Cells of columns: which number each is, which code it stands for, and whether it is a group."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, time
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from deniable.text.safety import composed

if TYPE_CHECKING:
    import pandas as pd

MOST_NUMBERED: Final = 10
"""Most different numbers in a column of groups; a column with more is a measurement."""

_SHOWN: Final = 6

OBJECTS: Final = "OU"
"""The kinds of the dtypes of texts and of Python's objects."""

# Programs sign an exponent, so that 1e3 is a code, and 1e+05 is how R writes 100000.
_NUMBER: Final = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+][0-9]{1,3})?")

_PADDED: Final = re.compile(r"-?0[0-9]+(?:\.[0-9]+)?")
"""A code with leading zeros, such as 007."""


def cell_of(value: object) -> str:
    """Return the text of a value: of a whole number without decimals, of a day without a time.

    SPSS has 1.0 for 1, and pandas 00:00:00 for a day.
    """
    if value is None or value != value:  # noqa: PLR0124  nan is unlike itself
        return ""
    if isinstance(value, datetime) and value.timetz() == time():
        return value.date().isoformat()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def is_number(cell: str) -> bool:
    """Return whether a cell is a number as programs write it; what is written otherwise is a code.

    A number has no leading zeros, no underscore, no digits of other scripts, and an exponent only
    with its sign.

    >>> [is_number(cell) for cell in ("1.0", "-.5", "1e+05")]
    [True, True, True]
    >>> [is_number(cell) for cell in ("01", "1_0", "1e3", "")]
    [False, False, False, False]
    """
    return _NUMBER.fullmatch(cell) is not None


def value_of(cell: str) -> Fraction | None:
    """Return the number that a cell is; None if it is none."""
    return Fraction(cell) if is_number(cell) else None


def places_of(cells: Iterable[str], codes: Mapping[str, int]) -> dict[str, int]:
    """Return the places of the codes, and of the other cells that stand for one of them.

    What no code is called is matched by its value, as 1.0 is the code 1, where that is the value of
    one place alone.
    """
    by_value: dict[Fraction, set[int]] = {}
    for code, place in codes.items():
        if (value := value_of(code)) is not None:
            by_value.setdefault(value, set()).add(place)
    found = {**codes}
    for cell in cells:
        value = value_of(cell)
        alike = set() if value is None else by_value.get(value, set())
        if cell not in codes and len(alike) == 1:
            (found[cell],) = alike
    return found


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a data frame whose columns have texts in their normal form as names."""
    return frame.set_axis([composed(str(name)) for name in frame.columns], axis=1)


def tidied(frame: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    """Return a data frame without spaces around the names of groups, and with typed columns.

    `names`: of the columns in use; other columns do not change. Texts among numbers are an error,
    and groups whose names differ only in case give a warning.
    """
    import pandas as pd  # noqa: PLC0415  it takes a while to load

    found = frame
    for name in [name for name in frame.columns if name in names]:
        column = typed(frame[name])
        if isinstance(column.dtype, pd.CategoricalDtype):
            levels = [*dict.fromkeys(map(_tidy, column.cat.categories))]
            cells = pd.Categorical([*map(_tidy, column)], levels, ordered=column.cat.ordered)
            column = pd.Series(cells, column.index)
        elif column.dtype.kind in OBJECTS:
            column = pd.Series([*map(_tidy, column)], column.index, dtype=object)
            different = Counter(one for one in column if isinstance(one, str))
            refuse_texts(name, different)
            warn_of_case(name, different)
        found = found.assign(**{name: column})
    return found


def _tidy(cell: Any) -> Any:
    return composed(cell.strip()) if isinstance(cell, str) else cell


def refuse_texts(name: str, different: Mapping[str, int]) -> None:
    """Reject texts in a column of numbers: each number would be a group.

    Codes with leading zeros beside others without are no texts. `different`: how often each cell
    occurs.
    """
    texts = {cell: times for cell, times in different.items() if not is_number(cell)}
    there, left = sum(different.values()), sum(texts.values())
    if (
        not all(map(_PADDED.fullmatch, texts))
        and len(different) - len(texts) > MOST_NUMBERED
        and 2 * left < there
    ):
        shown = ", ".join(f"{cell!r} ({times:,})" for cell, times in [*texts.items()][:_SHOWN])
        more = f" and {len(texts) - _SHOWN} more" * (len(texts) > _SHOWN)
        raise ValueError(
            f"{left:,} of {there:,} cells of {name} are no numbers: {shown}{more}; "
            "expected numbers, or empty cells where a number is missing"
        )


def are_numbers(name: str, cells: Collection[str]) -> bool:
    """Return whether the different cells of a file's column are all numbers.

    Raises
    ------
    ValueError
        If two of them are the same number: 1.1 and 1.10 may be two chapters of a book.
    """
    if not all(map(is_number, cells)):
        return False
    known: dict[str, str] = {}
    for cell in cells:
        same = known.setdefault(repr(float(cell)), cell)
        if same != cell:
            raise ValueError(
                f"column {name!r}: {same!r} and {cell!r} are two codes, or one number: expected "
                "numbers that are all written alike, or a dictionary with "
                f"{{{name}: {{protection: direct}}}}, which makes groups of codes"
            )
    return True


def typed(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of Python objects, all numbers, truth values, dates or times, as such a one.

    Periods, such as months, are the names of groups.
    """
    import pandas as pd  # noqa: PLC0415  it takes a while to load

    if isinstance(column.dtype, pd.PeriodDtype):
        return column.astype("string")
    kind = pd.api.types.infer_dtype(column, skipna=True) if column.dtype.kind == "O" else ""
    if kind in ("integer", "floating", "mixed-integer-float", "decimal"):
        return column.where(column.notna(), None).astype("float64")
    if kind == "boolean":
        return column.astype("boolean")
    if kind in ("date", "datetime", "datetime64"):
        return pd.to_datetime(column, utc=True)
    return pd.to_timedelta(column) if kind in ("timedelta", "timedelta64") else column


def warn_of_case(name: str, different: Iterable[str]) -> None:
    """Warn of groups whose names differ only in case: they may be one group."""
    alike: dict[str, list[str]] = {}
    for cell in different:
        alike.setdefault(cell.casefold(), []).append(cell)
    for cells in alike.values():
        if len(cells) > 1:
            named = " and ".join(map(repr, sorted(cells)))
            warnings.warn(
                f"column {name!r}: {named} differ in case alone, and count as {len(cells)} groups",
                stacklevel=2,
            )
