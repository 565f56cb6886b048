"""A study of data that others collected: their columns, as a dictionary says what they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import yaml

from deniable import designs
from deniable.analysis.counts.columns import places_of, warn_of_case
from deniable.analysis.counts.data_file import (
    MISSING,
    ReportColumn,
    check_names,
    code_reports,
    listed,
    odd,
    place,
)
from deniable.channel import Channel
from deniable.report import NOT_ASKED
from deniable.roles import UNSAID, place_of_yes, said_by, speak, whole, yes_of
from deniable.study.study import Study
from deniable.study.tables import UNKNOWN, DataTable, in_order, read_table, table_of_frame
from deniable.survey.items import Item
from deniable.survey.questions import Protection
from deniable.survey_file import columns_in, decoded, read_dictionary
from deniable.survey_file.rules import codes as codes_of
from deniable.text.doors import RefusalError, placed
from deniable.text.safety import composed

if TYPE_CHECKING:
    import pandas as pd

MOST_GROUPS: Final = 40
"""More are a sign that the column is no grouping but a measurement."""


def open_collected(
    data: str | Path | pd.DataFrame, dictionary: object, beside: Collection[str] | None = None
) -> Study:
    """Open a data file or frame with its dictionary; other columns stand beside the survey.

    `beside`: those of the other columns that are kept; all by default.

    Raises
    ------
    FileNotFoundError
        If one is not there.
    SurveyFileError
        With all mistakes of the dictionary, each with its line.
    ValueError
        If the data cannot be read, or a cell is none of the answers; the message names the column.
    """
    is_file = isinstance(data, str | Path)
    name = str(data) if is_file else "the data frame"
    if isinstance(dictionary, Mapping):
        text, written = json.dumps(dictionary, default=str, ensure_ascii=False), "the dictionary"
    elif isinstance(dictionary, str | Path):
        text, written = decoded(Path(dictionary).read_bytes(), str(dictionary)), str(dictionary)
    else:
        said, such = (f"{data} is a data file", repr(name)) if is_file else ("this is data", "data")
        raise ValueError(
            f"{said}: expected its dictionary as well, which says which column is "
            f"which design, such as open({such}, 'dictionary.yaml')"
        )
    columns = columns_in(text, written)
    kept = None if beside is None else {*beside, *columns}
    with placed(name):
        table = read_table(data, kept) if isinstance(data, str | Path) else table_of_frame(data)
        check_names([one for one in columns if one in table.header], table.header)
        if table.cells and not any(map(len, table.cells.values())):
            raise ValueError("expected a row for each person, found none")
    return collect(table, name, text, written)


def of_design(
    table: DataTable,
    data: str,
    design: Mapping[str, Any] | None,
    column: str,
    *,
    by: str | None = None,
    codes: Sequence[str] | None = None,
    yes: str | None = None,
) -> Study:
    """Make a study of one column, by a dictionary of its design alone; None for one of several.

    `codes`: what the cells are, in the order of the design's reports. `yes`: of two codes, in
    whatever order, the one that is the design's yes.

    Raises
    ------
    ValueError
        If a column is missing, or its cells are not the design's reports; the message says which.
    """
    entries: dict[str, Any] = {}
    called: dict[str, str] = {}
    column, by = composed(column), None if by is None else composed(by)
    codes = None if codes is None else [*map(composed, codes)]
    with placed("line 1"):
        check_names([column, *([] if by is None else [by])], table.header)
    is_coded = design is None or codes is not None
    for name in [*([] if is_coded else [column]), *([] if by is None else [by])]:
        table.kinds.get(name, UNKNOWN).check(name)
    if design is not None:
        entries[column], called[column] = _entry(design, column, table, codes, yes)
    if by is not None:
        groups = len([*filter(_is_there, table.numbers.known[by])])
        if not 2 <= groups <= MOST_GROUPS:
            raise ValueError(f"column {by!r}: expected 2 to {MOST_GROUPS} groups, found {groups}")
        entries[by] = {"protection": "direct"}
    title = {} if design is None else {"title": written(design)}
    made = collect(table, data, yaml.safe_dump({**title, "columns": entries}), "--design")
    return replace(made, called=called)


def _entry(
    design: Mapping[str, Any],
    column: str,
    table: DataTable,
    codes: Sequence[str] | None,
    yes: str | None,
) -> tuple[dict[str, Any], str]:
    """Write a column for a dictionary, and return what stands in it for the design's yes."""
    channel = designs.from_mapping(design)
    has_yes = {*design} <= designs.HAVE_YES
    if codes is not None and has_yes:
        codes = by_role(codes, channel, yes)
    first = partial(table.numbers.first, column)
    found = coded(table.cells[column], column, channel.reports, codes, first=first)
    if not found.answered.any():
        raise ValueError(f"column {column!r}: expected responses, found none")
    names: Sequence[str] = [f"truth {truth}" for truth in range(channel.truths)]
    if channel.truths in (2, channel.reports):
        own = codes if channel.reports == 2 and not has_yes else None
        names = found.codes if channel.truths > 2 else own or ("no", "yes")
    entry: dict[str, Any] = {"design": dict(design), "answers": [*names]}
    if codes is not None:
        entry["reports"] = list(codes)
    return entry, whole(found.codes[1]) if has_yes and speak(channel) else ""


def by_role(codes: Sequence[str], channel: Channel, yes: str | None = None) -> Sequence[str]:
    """Return the names of two reports of a design, its yes last; other numbers as given.

    Reports that do not speak for a truth, such as those of the crosswise model, have an order only.
    `yes`: the one that is the yes; by default what the words say.

    Raises
    ------
    ValueError
        If the words do not say it; the message says how to.
    """
    if yes is not None and (len(codes) != 2 or yes not in codes):
        raise ValueError(
            f"expected one of two codes as the yes, found {yes!r} beside {listed(codes)}"
        )
    if len(codes) != 2 or channel.reports != 2:
        return codes
    found = place_of_yes(codes) if yes is None else [*codes].index(yes)
    if found is None and speak(channel):
        raise RefusalError(
            UNSAID, python=said_by("yes={!r}", codes), command=said_by("--yes {}", codes)
        )
    return codes[::-1] if found == 0 else codes


def coded(
    cells: Sequence[str],
    column: str,
    reports: int,
    codes: Sequence[str] | None,
    of: str = "report",
    first: Callable[[str], int] | None = None,
) -> ReportColumn:
    """Find what the cells stand for; a mistake names their column."""
    with placed(f"column {column!r}"):
        return code_reports(cells, reports, codes, of, first)


def written(design: Mapping[str, Any]) -> str:
    """Write a design in a line, as a survey file has it."""
    said = yaml.safe_dump(dict(design), default_flow_style=True, sort_keys=False, width=10**6)
    return said.strip().removeprefix("{").removesuffix("}").replace("'", "")


def collect(table: DataTable, data: str, text: str, dictionary: str) -> Study:
    """Make a study of a table by the text of its dictionary."""
    cells, known = table.cells, table.numbers.known
    different = {name: sorted(filter(_is_there, of), key=in_order) for name, of in known.items()}
    for name, kind in table.kinds.items():
        if kind.groups:
            different[name].sort(key=kind.groups.index)
    shared = {name: kind.shared for name, kind in table.kinds.items() if kind.shared}
    survey, reports = read_dictionary(text, dictionary, different, table.labels, shared)
    with placed(data):
        columns = [
            _coded(
                table,
                different[one.id],
                one,
                reports.get(one.id),
                has_roles=len(one.truths) != 2 or yes_of(survey.question(one.question)) == 1,
            )
            for one in survey.items
        ]
    for one in survey.items:
        if one.protection is Protection.DIRECT:
            warn_of_case(one.id, different[one.id])
    beside = {name: of for name, of in cells.items() if name not in survey.places}
    rows = len(next(iter(cells.values()), []))
    answers = np.stack(columns, axis=1) if columns else np.zeros((rows, 0), dtype=np.uint8)
    waves = np.ones(rows, dtype=np.int64)
    return Study(survey, answers, waves, data, beside, times=table.times, kinds=table.kinds)


def _coded(
    table: DataTable,
    there: Sequence[str],
    item: Item,
    named: Sequence[str] | None,
    *,
    has_roles: bool,
) -> npt.NDArray[np.uint8]:
    """Find the report of each cell; `has_roles`: whether it is known what a 1 or a yes is."""
    cells = table.cells[item.id]
    if named is None:
        texts = {one.text: at for at, one in enumerate(item.reports)}
        own = {one.code: at for at, one in enumerate(item.reports)}
        # A code that was made of a text, such as c_2 of C++, is no text of another answer.
        made = [*own] == codes_of([*texts])
        places = {**own, **texts} if made else {**texts, **own}
    else:
        places = {name: place for place, name in enumerate(named)}
    known = places_of(there, places)
    unknown = [cell for cell in there if cell not in known]
    if unknown and named is None and has_roles and item.protection is not Protection.DIRECT:
        plain = [*map(whole, cells)]
        with suppress(ValueError):
            column = code_reports(plain, item.channel.reports)
            found = np.where(column.answered, column.reports, NOT_ASKED).astype(np.uint8)
            # What the dictionary names is never something else, as 1 would be by {1: No, 2: Yes}.
            if all(known.get(*pair) == pair[1] for pair in {*zip(cells, found, strict=True)}):
                return found
        strange = {*odd({*plain}, item.channel.reports)}
        unknown = [cell for cell in unknown if whole(cell) in strange] or unknown
    if unknown:
        raise ValueError(
            f"column {item.id!r}: {_wanted(item, named)}, found {listed(unknown)}; "
            f"{place(unknown, partial(table.numbers.first, item.id))}"
        )
    return np.array([known.get(cell, NOT_ASKED) for cell in cells], dtype=np.uint8)


def _wanted(item: Item, named: Sequence[str] | None) -> str:
    """Say what the cells of a column should have been, and what to write if they are right."""
    if named is None and not item.reports_name_truths:
        return (
            f"the {item.channel.reports} reports of this design are not its answers: expected "
            "'reports' in the dictionary, what the cells are called in the design's order"
        )
    texts = named or [one.text for one in item.reports]
    return (
        f"expected cells of {listed(texts)} or empty ones (where codes stand in the data, the "
        "dictionary has answers by code, such as {1: No, 2: Yes})"
    )


def _is_there(cell: str) -> bool:
    return cell.lower() not in MISSING
