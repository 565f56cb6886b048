"""A CSV of randomised responses from elsewhere, and what its columns say."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.data_file import (
    MISSING,
    ReportColumn,
    code_reports,
    read_columns,
    separator,
)
from deniable.analysis.list_experiments import (
    CombinedList,
    ListShare,
    combined_list,
    double_list,
    list_share,
)
from deniable.analysis.regression.formula import regress_formula, regress_mixed_formula
from deniable.channel import Channel
from deniable.extras import MissingExtra
from deniable.results.lists import list_result
from deniable.results.regression import Options
from deniable.results.result import Result
from deniable.results.source import Source
from deniable.study.regression import (
    AUTO,
    IDENTITY,
    NAME,
    mixed_regression_of,
    regression_of,
)
from deniable.study.shares import EVERYBODY, Asking, Counted, estimate_item
from deniable.study.tables import in_order
from deniable.survey.items import Item, name_reports
from deniable.survey.questions import Answer, Protection

if TYPE_CHECKING:
    import pandas as pd

Mask: TypeAlias = npt.NDArray[np.bool_]

_DECIMAL_COMMA: Final = re.compile(r"(?:^|[;\t])-?\d+,\d+\s*(?:[;\t]|$)", re.MULTILINE)

_MOST_GROUPS: Final = 40
"""More are a sign that the column is no grouping but a measurement."""


@dataclass(frozen=True)
class DataFile(Source):
    """A CSV of randomised responses."""

    text: str = field(default="", repr=False)


def shares_of_column(  # noqa: PLR0913  each is an option of the command
    file: DataFile,
    column: str,
    codes: Sequence[str] | None,
    *,
    by: str | None,
    values: Sequence[float] | None,
    population: int | None,
    level: float,
    method: str,
) -> Result:
    """Estimate the shares of a column's truths, or the mean of their values."""
    channel = file.channel
    columns = read_columns(io.StringIO(file.text, newline=""), [column, *([by] if by else [])])
    reports = _coded(columns[column], column, channel.reports, codes)
    if not reports.answered.any():
        raise ValueError(f"column {column!r}: expected responses, found none")
    groups = dict(_groups(columns[by], reports)) if by else {EVERYBODY: reports.answered}
    counts = {name: reports.counts(rows) for name, rows in groups.items()}
    return estimate_item(
        file,
        Asking(_item(column, channel, reports.codes), values=values, by=by, population=population),
        {0: Counted(counts, reports.missing)},
        level=level,
        method=method,
    )


def _groups(cells: Sequence[str], reports: ReportColumn) -> Iterator[tuple[Answer, Mask]]:
    """Yield each group that has responses, in order, and which rows are its."""
    labels = np.array(cells)
    names = {str(name) for name in labels[reports.answered] if str(name).lower() not in MISSING}
    if not 2 <= len(names) <= _MOST_GROUPS:
        raise ValueError(f"expected 2 to {_MOST_GROUPS} groups, found {len(names)}")
    for name in sorted(names, key=in_order):
        yield Answer(name, name), labels == name


def _item(column: str, channel: Channel, codes: tuple[str, ...]) -> Item:
    """Describe the column as an item of a survey, so that it is shown as one."""
    if channel.truths == 2:
        names: Sequence[str] = ("no", "yes")
    elif channel.truths == channel.reports:
        names = codes
    else:
        names = [f"truth {truth}" for truth in range(channel.truths)]
    truths = tuple(Answer(name, name) for name in names)
    return Item(
        id=column,
        question=column,
        text=column,
        truths=truths,
        reports=name_reports(truths, channel),
        channel=channel,
        protection=Protection.RANDOMISED,
    )


def shares_of_lists(  # noqa: PLR0913  each is an option of the command
    name: str,
    text: str,
    counts: str,
    arm: str,
    *,
    second: str | None,
    direct: str | None,
    arm_codes: Sequence[str] | None,
    level: float,
) -> Result:
    """Estimate from a list experiment: the columns of the counts, and of who had the long list."""
    beside = [one for one in (second, direct) if one is not None]
    columns = read_columns(io.StringIO(text, newline=""), [counts, arm, *beside])
    long = _coded(columns[arm], arm, 2, arm_codes, "arm").reports
    answered = {one: _whole(columns[one], one) for one in (counts, second) if one is not None}
    if direct is not None:
        answered[direct] = _coded(columns[direct], direct, 2, None).reports
    kept = np.logical_and.reduce([long >= 0, *(of >= 0 for of in answered.values())])
    of = {one: cells[kept] for one, cells in answered.items()}
    found: ListShare | CombinedList
    if second is not None:
        found = double_list(of[counts], of[second], long[kept])
    elif direct is not None:
        found = combined_list(of[counts], long[kept], of[direct])
    else:
        found = list_share(of[counts], long[kept])
    return list_result(name, ", ".join([counts, *beside]), int((~kept).sum()), found, level)


def _whole(cells: Sequence[str], column: str) -> npt.NDArray[np.int64]:
    """Read counts; -1 where one is missing."""
    for row, cell in enumerate(cells):
        if not cell.isdecimal() and cell.lower() not in MISSING:
            raise ValueError(
                f"column {column!r}: expected how many statements each person counted, found "
                f"{cell!r} in row {row + 1}"
            )
    return np.array([int(cell) if cell.isdecimal() else -1 for cell in cells], dtype=np.int64)


def _coded(
    cells: Sequence[str],
    column: str,
    reports: int,
    codes: Sequence[str] | None,
    of: str = "report",
) -> ReportColumn:
    """Find what the cells stand for; a mistake names their column."""
    try:
        return code_reports(cells, reports, codes, of)
    except ValueError as mistake:
        raise ValueError(f"column {column!r}: {mistake}") from None


def regression_of_columns(  # noqa: PLR0913  each is an option of the command
    file: DataFile,
    formula: str,
    codes: Sequence[str] | None,
    *,
    within: str | None = None,
    link: str,
    errors: str,
    ends: str,
    level: float,
    arm: str | None = None,
    arm_codes: Sequence[str] | None = None,
    nuisance: str = "~ 1",
) -> Result:
    """Regress a column of randomised responses on other columns."""
    if link == IDENTITY:
        raise ValueError("the link identity is for the numbers of a survey, whose values are known")
    link = "logit" if link == AUTO else link
    response, frame, aliases = _frame(file, f"{formula} + {nuisance.partition('~')[2]}", codes)
    answers = codes if codes is not None and len(codes) == file.channel.truths else None
    options = Options(link, errors, ends, level)
    if within is not None:
        mixed = regress_mixed_formula(formula, frame, file.channel, within, link=link)
        return mixed_regression_of(
            file, mixed, response, options, answers=answers, aliases=aliases
        ).result
    asked = None if arm is None else _coded_arms(file, arm, arm_codes)
    fit = regress_formula(
        formula,
        frame,
        file.channel if file.arms is None else file.arms,
        arm=None if asked is None else np.where(asked.answered, asked.reports, np.nan),
        link=link,
        nuisance=nuisance,
    )
    more = {"arm": arm, "nuisance": nuisance} if arm is not None else {}
    return regression_of(
        file,
        fit,
        response,
        options,
        answers=answers,
        aliases=aliases,
        asked=asked,
        more=more,
    ).result


def _frame(
    file: DataFile, formula: str, codes: Sequence[str] | None
) -> tuple[str, pd.DataFrame, dict[str, str]]:
    """Read the data; return the response's name, the frame and what stands for which column."""
    try:
        import pandas as pd  # noqa: PLC0415  only this needs it, and it takes a while to load
    except ImportError:
        raise MissingExtra("a formula needs the package pandas", "formula") from None
    response = formula.partition("~")[0].strip().strip("`")
    try:
        sep = separator(file.text.partition("\n")[0])
        # Spreadsheets that separate cells by semicolons write 0.5 as 0,5.
        decimal = "," if sep != "," and _DECIMAL_COMMA.search(file.text) else "."
        frame = pd.read_csv(io.StringIO(file.text), sep=sep, decimal=decimal)
        # Once more as it is written: pandas may read 0 and 1 with a missing one as 0.0 and 1.0.
        written = pd.read_csv(io.StringIO(file.text), sep=sep, dtype=str, keep_default_na=False)
    except pd.errors.ParserError as mistake:
        raise ValueError(str(mistake).removeprefix("Error tokenizing data. C error: ")) from None
    except pd.errors.EmptyDataError:
        raise ValueError("expected a CSV with a header, found an empty file") from None
    if response in frame.columns:
        cells = [cell.strip() for cell in written[response]]
        column = _coded(cells, response, file.channel.reports, codes)
        frame[response] = np.where(column.answered, column.reports, np.nan)
    aliases = _aliases(formula.partition("~")[2], [str(name) for name in frame.columns])
    for short, name in aliases.items():
        frame[short] = frame[name]
    return response, frame, aliases


def _coded_arms(file: DataFile, arm: str, codes: Sequence[str] | None) -> ReportColumn:
    """Return in which arm each respondent was."""
    assert file.arms is not None  # noqa: S101  for the type checker: the command makes sure
    cells = read_columns(io.StringIO(file.text, newline=""), [arm])[arm]
    return _coded(cells, arm, len(file.arms.channels), codes, "arm")


def _aliases(terms: str, columns: Sequence[str]) -> dict[str, str]:
    """Find the columns that a formula calls by the last part of their names, as age for cov.age."""
    found = {}
    for quoted, plain, call in NAME.findall(terms):
        name = quoted or plain
        if name in columns or call:
            continue
        meant = [column for column in columns if column.rpartition(".")[2] == name]
        if len(meant) > 1:
            raise ValueError(
                f"the formula's {name!r} could be any of the columns {', '.join(meant)}: "
                "expected a whole name"
            )
        if not meant:
            raise ValueError(
                f"expected the formula's variables to be columns, found {name!r}; there are "
                f"{', '.join(columns)}"
            )
        found[name] = meant[0]
    return found
