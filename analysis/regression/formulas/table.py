"""The table of covariates that a formula makes of data, and of new data afterwards."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.columns import MOST_NUMBERED, cell_of, tidied, typed
from deniable.analysis.counts.data_file import listed
from deniable.analysis.numerics import memory
from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.regression.formulas.functions import ALIAS
from deniable.analysis.regression.formulas.reader import Column, Formula, formulaic
from deniable.text.near import meant
from deniable.text.safety import composed

if TYPE_CHECKING:
    import pandas as pd

NO_ROWS: Final = "expected rows that have all values of the formula, found none"

# Whole numbers up to here are exact.
_EXACT: Final = 2.0**53

# What an evaluation of a formula's calls may raise, beside the library's own errors.
_MISTAKES: Final = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)


_UNITS: Final = {"M": "[days since 1970-01-01]", "m": "[days]"}
"""The numbers that dates and times are, by the kind of their dtype, as terms name them."""

_DAY: Final = 86_400
"""Seconds of a day."""

_Levels: TypeAlias = tuple[Any, ...] | str | None
"""What a column held: groups of these levels, dates or times in a unit, or numbers (None)."""


@dataclass(frozen=True, eq=False)
class Table:
    """Covariates of the rows that miss none of them. Made by `table_of`.

    `names`: of the columns. `rows`: places of the rows in the data frame. `values`, shape
    (rows, columns).
    """

    formula: Formula
    names: tuple[str, ...]
    rows: npt.NDArray[np.int64]
    values: FloatArray
    _specification: Any
    _kinds: Mapping[Column, _Levels]

    def of(self, frame: pd.DataFrame) -> FloatArray:
        """Return the covariates of other people, made as those of the fit.

        Raises
        ------
        ValueError
            If a column is missing, has a gap, holds texts where the fit had numbers, or a level
            that the fit did not have; it says what was found, and what was known.
        """
        columns = {composed(str(name)): name for name in frame.columns}
        missing = [name for name in self.formula.names if name not in columns]
        if missing:
            raise ValueError(
                f"expected the columns {', '.join(self.formula.names)} in the data to predict for, "
                f"found no {', '.join(map(repr, missing))}; there are {', '.join(columns)}"
            )
        data = {
            f"column_{place}_": _as_fitted(frame[columns[column.name]], column, self._kinds[column])
            for place, column in enumerate(self.formula.columns)
            if column in self._kinds
        }
        made = _build(self.formula, self._specification.get_model_matrix, data, len(frame))
        values = np.asarray(made.to_numpy(dtype=np.float64))
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            row, column = bad[0].tolist()
            raise ValueError(
                f"the data to predict for: expected finite covariates, found "
                f"{values[row, column]} of {self.names[column]} in row {row}"
            )
        return values


def table_of(formula: Formula, frame: pd.DataFrame, times: IntArray | None = None) -> Table:
    """Make the table of covariates of a data frame whose rows are numbered.

    `times`: by number, how many people each row is; by default one.
    """
    names = [*formula.names]
    frame = tidied(frame, names)
    there = frame[names].notna()
    for name in names:
        if len(frame) and not there[name].any():
            raise ValueError(f"{NO_ROWS}: {name!r} is empty throughout")
    frame = frame[there.all(axis=1).to_numpy()]
    if not len(frame):
        raise ValueError(NO_ROWS)
    data: dict[str, Any] = {}
    kinds: dict[Column, _Levels] = {}
    for place, column in enumerate(formula.columns):
        if column.name in names:
            values, kind = _read_column(frame[column.name], column)
            data[f"column_{place}_"], kinds[column] = values, kind
    people = len(frame) if times is None else int(times[frame.index].sum())
    levels = {column: len(kind) for column, kind in kinds.items() if isinstance(kind, tuple)}
    _check_groups(formula, levels, frame, people)
    formula.check_columns(levels)
    _check_memory(frame[names], formula.most_columns(levels), times)
    _check_levels(formula, kinds)
    library = formulaic()

    def make(data: Any, **options: Any) -> Any:
        terms = library.Formula(list(formula.terms))
        specification = library.ModelSpec.from_spec(terms, output="pandas")
        if times is not None:
            state = _column_statistics(formula, data, times[frame.index], options)
            specification = specification.update(transform_state=state)
        return specification.get_model_matrix(data, **options)

    made = _build(formula, make, data, len(frame))
    units = {column: kind for column, kind in kinds.items() if isinstance(kind, str)}
    found = Table(
        formula=formula,
        names=tuple(formula.said(str(name), units) for name in made.columns),
        rows=frame.index.to_numpy(),
        values=made.to_numpy(dtype=np.float64),
        _specification=made.model_spec,
        _kinds=kinds,
    )
    _check_finite(found, [str(name) for name in made.columns], frame, times)
    return found


def _check_groups(
    formula: Formula, levels: Mapping[Column, int], frame: pd.DataFrame, people: int
) -> None:
    """Refuse groups that are all alike, or too many for so many people."""
    for column, groups in levels.items():
        name = column.name
        different = frame[name].unique()
        if len(different) == 1:
            raise ValueError(
                f"expected people who differ in {name!r}, found {str(different[0])!r} of all: "
                "leave it out of the formula"
            )
        if groups > MOST_NUMBERED and 2 * groups > people:
            raise ValueError(
                f"{groups:,} groups for {people:,} people: is {name!r} a date or an id? Expected "
                f"at most {people // 2:,} groups"
            )
    least = formula.fewest_columns(levels)
    if (needed := sum(least.values())) > people:
        term = max(least, key=least.__getitem__)
        raise ValueError(
            f"expected at most {people:,} columns for {people:,} people, found at least "
            f"{needed:,}: {term} alone makes {least[term]:,}"
        )


def _check_finite(
    table: Table, made: Sequence[str], frame: pd.DataFrame, times: IntArray | None
) -> None:
    """Refuse a term that has no value for some people, as a logarithm has none below 0."""
    bad = ~np.isfinite(table.values)
    if not bad.any():
        return
    place = int(bad.any(axis=0).argmax())
    rows = np.flatnonzero(bad[:, place])
    weights = np.ones(len(frame), dtype=np.int64) if times is None else times[frame.index]
    names = {table.formula.columns[int(at)].name for at in ALIAS.findall(made[place])}
    where = " and ".join(f"{name} is {frame[name].iloc[rows[0]]}" for name in sorted(names))
    raise ValueError(
        f"expected finite covariates, found {table.values[rows[0], place]} of "
        f"{table.names[place]} for {weights[rows].sum():,} of {weights.sum():,} people, first "
        f"where {where}"
    )


def _check_memory(frame: pd.DataFrame, columns: int, times: IntArray | None) -> None:
    """Refuse a table that does not fit into memory, before it is made."""
    room = memory.left()
    if len(frame) <= memory.most_rows(columns, room):
        return
    different = {str(name): int(frame[name].nunique()) for name in frame.columns}
    finest = max(different.items(), key=lambda one: one[1], default=None)
    raise memory.too_much(len(frame), columns, room, None if times is None else finest)


def _column_statistics(
    formula: Formula, data: pd.DataFrame, times: IntArray, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what functions use of a whole column, such as its mean, column by column."""
    state: dict[str, Any] = {}
    for text, factor in formula.of_columns.items():
        own = [name for name in data.columns if re.search(rf"\b{name}\b", text)]
        people = data[own].loc[np.repeat(data.index, times)].reset_index(drop=True)
        terms = formulaic().Formula([type(formula.terms[0])([factor])])
        made = formulaic().model_matrix(terms, people, output="pandas", **options)
        state |= made.model_spec.transform_state
    return state


def _build(formula: Formula, make: Any, data: Mapping[str, Any], rows: int) -> Any:
    """Let the library make a table, and say its mistakes with the columns' own names."""
    import pandas as pd  # noqa: PLC0415  loads slowly

    frame = pd.DataFrame(dict(data), index=pd.RangeIndex(rows))
    try:
        with np.errstate(divide="ignore", invalid="ignore"):  # what is not finite is told of
            return make(frame, context={}, na_action="ignore")
    except (formulaic().errors.FormulaicError, *_MISTAKES) as mistake:
        said = formula.said(str(mistake)).split("\n")[0]
        raise ValueError(f"the formula {formula.written!r}: {said}") from None


def _read_column(values: pd.Series[Any], column: Column) -> tuple[Any, _Levels]:
    """Return a column without gaps as the library gets it, and what it holds."""
    import pandas as pd  # noqa: PLC0415  loads slowly

    if isinstance(values.dtype, pd.CategoricalDtype):
        groups = values.cat.remove_unused_categories()
        return groups.array, tuple(groups.cat.categories.tolist())
    if pd.api.types.is_bool_dtype(values.dtype):
        return values.to_numpy(dtype=np.bool_), (False, True)
    unit = _UNITS.get(values.dtype.kind)
    is_number = pd.api.types.is_numeric_dtype(values.dtype)
    if not column.grouped and (is_number or unit is not None):
        return (values.to_numpy(dtype=np.float64), None) if is_number else (_in_days(values), unit)
    if is_number:
        numbers: npt.NDArray[Any] = values.to_numpy(dtype=np.float64)
        if (numbers == np.floor(numbers)).all() and np.abs(numbers).max() < _EXACT:
            numbers = numbers.astype(np.int64)
        return numbers, tuple(np.unique(numbers).tolist())
    texts = values if unit is None else _as_texts(values)
    return texts.to_numpy(dtype=object), tuple(dict.fromkeys(texts.tolist()))


def _in_days(values: pd.Series[Any]) -> FloatArray:
    """Return times, or how long after 1970 began in Greenwich dates are, in days."""
    import pandas as pd  # noqa: PLC0415  loads slowly

    if values.dtype.kind == "M":
        values = pd.to_datetime(values, utc=True) - pd.Timestamp(0, tz="UTC")
    return np.asarray(values.dt.total_seconds().to_numpy(dtype=np.float64) / _DAY)


def _as_texts(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return dates or times as the names of groups."""
    import pandas as pd  # noqa: PLC0415  loads slowly

    if values.dtype.kind == "M":
        values = pd.to_datetime(values, utc=True).dt.tz_localize(None)
    return values.map(cell_of)


def _as_fitted(values: pd.Series[Any], column: Column, levels: _Levels) -> Any:
    """Return a column of new data as the fit had it, or say how it differs."""
    name, values = column.name, typed(values)
    unit = _UNITS.get(values.dtype.kind)
    if isinstance(levels, str) and levels != unit and not values.isna().any():
        raise ValueError(
            f"expected {name!r} in {levels.strip('[]')}, as in the data of the fit, found "
            f"{values.dtype} in the data to predict for"
        )
    if isinstance(levels, tuple) and unit is not None:
        values = _as_texts(values)
    cells = [one.strip() if isinstance(one, str) else one for one in values.tolist()]
    gaps = np.flatnonzero(values.isna().to_numpy())
    if len(gaps):
        raise ValueError(
            f"expected a value of {name!r} in every row of the data to predict for, found none in "
            f"row {gaps[0]}"
        )
    if isinstance(levels, str):
        return _in_days(values)
    if levels is None:
        for row, cell in enumerate(cells):
            if isinstance(cell, str) or not isinstance(cell, int | float | np.number | np.bool_):
                raise ValueError(
                    f"expected numbers in {name!r}, as in the data of the fit, found {cell!r} in "
                    f"row {row} of the data to predict for"
                )
        return np.array(cells, dtype=np.float64)
    known = dict(zip(levels, levels, strict=True))
    if all(isinstance(level, str) for level in levels):
        # A study holds the codes of groups as texts, whatever they are in a data frame.
        cells = [texts if (texts := cell_of(cell)) in known else cell for cell in cells]
    for row, cell in enumerate(cells):
        if cell not in known:
            raise ValueError(
                f"expected {name!r} to be one of {_said(levels)}, as in the data of the fit, "
                f"found {cell!r} in row {row} of the data to predict for{_near(cell, known)}"
            )
    found = [known[cell] for cell in cells]
    if all(isinstance(level, bool) for level in levels):
        return np.array(found, dtype=np.bool_)
    if all(isinstance(level, int) for level in levels):
        return np.array(found, dtype=np.int64)
    return np.array(found, dtype=object)


def _near(cell: Any, known: Mapping[Any, Any]) -> str:
    texts = [level for level in known if isinstance(level, str)]
    if not isinstance(cell, str) or not texts:
        return ""
    said = meant(cell, texts, otherwise="")
    folded = [level for level in texts if level.strip().casefold() == cell.strip().casefold()]
    if folded:
        return f"; did you mean {folded[0]!r}?"
    return f"; {said}" if said.startswith("did") else ""


def _said(levels: Sequence[Any]) -> str:
    return listed(sorted(levels, key=str), most=12)


def _check_levels(formula: Formula, kinds: Mapping[Column, _Levels]) -> None:
    """Refuse levels in a formula that are not those of the data: they would count as the first."""
    for term in formula.terms:
        for factor in term.factors:
            if not factor.expr.startswith("C("):
                continue
            call = ast.parse(factor.expr, mode="eval").body
            assert isinstance(call, ast.Call)  # noqa: S101  as it begins
            column = formula.columns[int(ast.unparse(call.args[0]).split("_")[1])]
            seen = [*(kinds[column] or ())]
            listed = [one.value for one in call.keywords if one.arg == "levels"]
            known = ast.literal_eval(listed[0]) if listed else seen
            left = [level for level in seen if level not in known]
            if left:
                raise ValueError(
                    f"expected levels= of {column.name!r} to hold all of its values, found "
                    f"{_said(left)} in the data and not among {_said(known)}"
                )
            for level in [*known, *_bases(call)]:
                if level not in seen:
                    raise ValueError(
                        f"there is no {level!r} in {column.name!r}; there are {_said(seen)}"
                    )


def _bases(call: ast.Call) -> list[Any]:
    """Return the reference levels that a contrast names."""
    contrasts = [*call.args[1:], *(one.value for one in call.keywords if one.arg == "contrasts")]
    return [
        ast.literal_eval(value)
        for contrast in contrasts
        if isinstance(contrast, ast.Call)
        for value in [*contrast.args, *(one.value for one in contrast.keywords)]
    ]
