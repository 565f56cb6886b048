"""Counts by order, by labels, or as a column still to be counted.

In a list, the order gives the report of each count. In a dictionary, a pandas Series or DataFrame,
the labels give it, and the order means nothing: ``value_counts()`` sorts by frequency. If nothing
tells which report a label is, the counts are an error, not a guess. pandas is not imported.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable import roles
from deniable.analysis.counts.data_file import BINARY, MISSING, listed
from deniable.analysis.numerics.arrays import IntArray
from deniable.channel import Channel

Counts: TypeAlias = npt.ArrayLike | Mapping[Any, Any]
"""Counts of reports in order, by labels (a dictionary, a pandas Series or DataFrame), or a column
of reports."""

Codes: TypeAlias = Sequence[Hashable]
"""What each report of a channel is called, in the order of the channel's columns."""

Groups: TypeAlias = Sequence[Counts] | Mapping[Any, Counts] | npt.ArrayLike
"""Counts of several groups, or a table with one row per group, such as a pandas DataFrame."""

MOST_REPORTS: Final = 2**53
"""The most reports in all: beyond it, floating point leaves out whole numbers."""


def in_order(
    counts: Counts, sizes: Sequence[int], codes: Sequence[Codes | None] | None = None
) -> npt.ArrayLike:
    """Return counts in the order of the channels' reports.

    `counts`: counts in the order of the reports return unchanged. Counts with labels are sorted by
    label; a report without a label came 0 times. The labels of several items are tuples, or for two
    items a table's rows and columns. A column of reports, one per respondent, is counted without
    its missing cells. `sizes`: how many reports each item's channel has. `codes`: what the reports
    of each item are called, in the order of its channel's columns; no and yes may come in either
    order. Labels that are report numbers, from 0, need no codes; nor do no and yes (or false and
    true, n and y, in any case) for two reports. Result: of shape `sizes` if the counts had labels
    or were a column.
    """
    items = len(sizes)
    given = [None] * items if codes is None else list(codes)
    if len(given) != items:
        raise ValueError(f"expected the codes of {items} items, found those of {len(given)}")
    named = [
        None if each is None else _check_codes(each, size)
        for each, size in zip(given, sizes, strict=True)
    ]
    if is_labelled(counts):
        labelled = _labelled(counts)
        if items == 1 and not isinstance(counts, Mapping) and not _is_table(counts):
            values = [value for _, value in labelled]
            _refuse_numbers([label for label, _ in labelled], values, sizes[0], named[0])
            if _is_column(labelled, named[0]):
                return _counted(values, sizes[0], named[0])
        return _placed(labelled, sizes, named)
    plain = np.asarray(counts)
    if items == 1 and plain.ndim == 1:
        if len(plain) != sizes[0]:
            _refuse_numbers([], plain.tolist(), sizes[0], named[0])
        if _is_plain_column(plain, sizes[0], named[0]):
            return _counted(plain.tolist(), sizes[0], named[0])
    return plain


def one_a_group(counts: Any) -> list[Any]:
    """Return the counts of each group: a table's rows, or a sequence's or mapping's items."""
    if _is_table(counts):
        columns = list(counts.columns)
        if len(set(columns)) < len(columns):
            raise ValueError(f"expected different labels, found {listed(columns)}")
        return [dict(zip(columns, row, strict=True)) for row in np.asarray(counts).tolist()]
    if isinstance(counts, Mapping):
        return list(counts.values())
    if is_labelled(counts):
        raise ValueError(
            "expected the counts of each group, found one labelled column; a table has a row a "
            "group and a column a report, such as pandas.crosstab(group, report)"
        )
    return list(counts)


def is_labelled(counts: object) -> bool:
    """Return whether counts have labels: a mapping, or a pandas object."""
    return hasattr(counts, "keys") and hasattr(counts, "items")


def whole(number: int, what: str) -> int:
    """Return a number of things as an int, and reject fractions and numbers below 1."""
    try:
        found = operator.index(number)
    except TypeError:
        raise ValueError(
            f"expected a whole number of {what}s, given as an integer, found {number!r}"
        ) from None
    if found < 1:
        raise ValueError(f"expected at least 1 {what}, found {found}")
    return found


def check_whole(given: npt.NDArray[Any]) -> IntArray:
    """Copy counts, and reject numbers that are not counts."""
    if given.dtype.kind not in "iu":
        raise ValueError(
            f"expected counts that are integers, found {given.dtype}: {given.tolist()}"
        )
    if given.min(initial=0) < 0:
        raise ValueError(f"expected counts of at least 0, found {given.min()}")
    in_all = given.sum(dtype=np.float64)
    if in_all > MOST_REPORTS:
        raise ValueError(f"expected at most 2^53 reports in all, found some {in_all:.3g}")
    if not given.any():
        raise ValueError("expected at least one report, found none: all counts are 0")
    counted = given.astype(np.int64)
    counted.flags.writeable = False
    return counted


def _check_codes(codes: Codes, size: int) -> tuple[Hashable, ...]:
    named = tuple(codes)
    if len(named) != size or len(set(named)) != size or isinstance(codes, str):
        raise ValueError(
            f"expected {size} different codes, one for each report of the channel, "
            f"found {listed([codes] if isinstance(codes, str) else named)}"
        )
    return tuple(roles.no_then_yes(named))


def _is_table(counts: object) -> bool:
    return is_labelled(counts) and hasattr(counts, "columns") and hasattr(counts, "index")


def _labelled(counts: Any) -> list[tuple[Any, Any]]:
    """Return pairs of label and value; a label of a table is a pair of its row and column."""
    if not _is_table(counts):
        return list(counts.items())
    labels = product(list(counts.index), list(counts.columns))
    return list(zip(labels, np.asarray(counts).ravel().tolist(), strict=True))


def _refuse_numbers(
    labels: list[Any], values: list[Any], size: int, codes: tuple[Hashable, ...] | None
) -> None:
    """Reject numbers that could be counts or a column of reports, if nothing tells which."""
    reports = codes if codes is not None else tuple(range(size))
    cells = [value for value in values if not _is_missing(value)]
    if not cells or any(isinstance(cell, str) or cell not in reports for cell in cells):
        return
    truth_values = _all_bool(cells)
    known = all(label in reports for label in labels) and not truth_values
    if labels and known and labels == list(range(len(labels))) and not _all_bool(labels):
        raise ValueError(
            f"found {listed(values)}, which can be the counts of {len(values)} reports or a "
            f"column of what {len(values)} respondents reported: expected a dictionary of counts, "
            "such as collections.Counter(column)"
        )
    if codes is None and not (labels and known):
        shown = [False, True] if truth_values and size == 2 else list(reports)
        raise ValueError(
            f"found {listed(values)}, which looks like a column of reports, one a respondent: "
            f"expected codes={shown} beside it, what each report is called in the order of the "
            "channel's columns"
        )


def _all_bool(values: Iterable[object]) -> bool:
    return all(isinstance(value, bool | np.bool_) for value in values)


def _is_column(labelled: list[tuple[Any, Any]], codes: tuple[Hashable, ...] | None) -> bool:
    """Return whether values belong to respondents: a pandas Series of reports, not of counts."""
    values = [value for _, value in labelled]
    if any(isinstance(value, str) for value in values):
        return True
    if codes is None or not set(values) <= set(codes):
        return False
    return _all_bool(values) or not {label for label, _ in labelled} <= set(codes)


def _is_plain_column(
    values: npt.NDArray[Any], size: int, codes: tuple[Hashable, ...] | None
) -> bool:
    """Return whether an array is a column of reports, not of counts."""
    kind = values.dtype.kind
    if kind in "US" or (kind == "O" and any(isinstance(value, str) for value in values.tolist())):
        return True
    if codes is None or not set(values.tolist()) <= set(codes):
        return False
    if len(values) == size and kind != "b":
        raise ValueError(
            f"expected counts or a column of the codes {listed(codes)}, found {values.tolist()}, "
            "which can be both: give the counts by their labels, as a dictionary"
        )
    return True


def _counted(
    values: Iterable[Any], size: int, codes: tuple[Hashable, ...] | None
) -> npt.NDArray[np.int64]:
    known = set() if codes is None else set(codes)
    cells = Counter(value for value in values if value in known or not _is_missing(value))
    places = _places(list(cells), size, codes)
    table = np.zeros(size, dtype=np.int64)
    for value, came in cells.items():
        table[places[value]] += came
    return table


def _placed(
    labelled: list[tuple[Any, Any]],
    sizes: Sequence[int],
    codes: Sequence[tuple[Hashable, ...] | None],
) -> npt.NDArray[np.int64]:
    """Sort labelled counts into a table of shape `sizes`."""
    items = len(sizes)
    labels = [label if items > 1 else (label,) for label, _ in labelled]
    if any(not isinstance(label, tuple) or len(label) != items for label in labels):
        found = listed(label for label, _ in labelled)
        raise ValueError(f"expected labels of {items} items each, found {found}")
    places = [
        _places(list(dict.fromkeys(label[item] for label in labels)), size, codes[item])
        for item, size in enumerate(sizes)
    ]
    table = np.zeros(sizes, dtype=np.int64)
    seen = set()
    for label, (_, count) in zip(labels, labelled, strict=True):
        place = tuple(of[each] for of, each in zip(places, label, strict=True))
        shown = label if items > 1 else label[0]
        if place in seen:
            raise ValueError(f"expected one count for each report, found two for {shown!r}")
        if not isinstance(count, int | np.integer) or isinstance(count, bool):
            raise ValueError(f"expected counts that are integers, found {count!r} for {shown!r}")
        if abs(int(count)) > MOST_REPORTS:
            raise ValueError(f"expected at most 2^53 reports in all, found {count} for {shown!r}")
        seen.add(place)
        table[place] = count
    return table


def _places(labels: list[Any], size: int, codes: tuple[Hashable, ...] | None) -> dict[Any, int]:
    if codes is not None:
        of = {code: report for report, code in enumerate(codes)}
        unknown = [label for label in labels if label not in of]
        if unknown:
            raise ValueError(f"expected labels of {listed(codes)}, found {listed(unknown)}")
        return {label: of[label] for label in labels}
    numbers = range(size)
    if all(not isinstance(label, str) and label in numbers for label in labels):
        return {label: numbers.index(label) for label in labels}
    if size == 2 and all(isinstance(label, str) for label in labels):
        for pair in BINARY:
            if all(roles.plain(label) in pair for label in labels):
                return {label: pair.index(roles.plain(label)) for label in labels}
    raise ValueError(
        f"cannot tell which of the {size} reports a label is of: expected codes= with what each "
        f"report is called, in the order of the channel's columns, found labels {listed(labels)}"
    )


def _is_missing(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in MISSING
    if isinstance(value, float):
        return math.isnan(value)
    # pandas writes NA and NaT.
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def check_counts(
    counts: Counts, channel: Channel, codes: Codes | None = None
) -> npt.NDArray[np.int64]:
    """Return how often each report of a channel came, and reject counts that do not fit."""
    if not isinstance(channel, Channel):
        raise TypeError(f"expected counts and then a channel, found a {type(channel).__name__}")
    given = np.asarray(in_order(counts, [channel.reports], None if codes is None else [codes]))
    if given.shape != (channel.reports,):
        raise ValueError(
            f"expected {channel.reports} counts, one a report of the channel, "
            f"found an array of shape {given.shape}"
        )
    counted = check_whole(given)
    check_sendable(counted, channel)
    return counted


def check_sendable(counts: npt.NDArray[np.int64], channel: Channel, of: str = "") -> None:
    """Reject counts of a report that no truth can send; `of`: what they are of, before the text."""
    impossible = np.flatnonzero((counts > 0) & ~channel.probabilities.any(axis=0))
    if len(impossible):
        raise ValueError(
            f"{of}expected no report {impossible[0]}, which no truth can send, "
            f"found {counts[impossible[0]]} of it"
        )
