"""``deniable analyse`` for data from elsewhere: columns with a design, and other methods."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import click
import yaml

from deniable import designs, study
from deniable.analysis.regression.formulas import reader
from deniable.analysis.sampling.calibration import MarginError
from deniable.cli.failures import blamed
from deniable.cli.output import STDOUT
from deniable.reanalysis.methods import METHODS, Asked, Method, method_of
from deniable.results.regression import Options
from deniable.results.result import Result
from deniable.study.regression import AUTO, aliases_of
from deniable.study.tables import DataTable, is_data, read_table, table_of
from deniable.study.weighing import Weighing
from deniable.text.safety import shortened


def of_file(asked: SimpleNamespace, typed: Collection[str], how_drawn: Mapping[str, Any]) -> Result:
    """Analyse the columns of a data file; `how_drawn`: the arguments of `Study.weights`."""
    if asked.design is None and asked.lists is None:
        raise click.UsageError(
            "data from elsewhere need --design: how they were randomised; or --dictionary, or "
            "--list for a list experiment."
        )
    if asked.data != STDOUT and not Path(asked.data).is_file():
        raise click.UsageError(f"File {asked.data!r} does not exist.")
    with explained(asked.data, asked.margins):
        design = None if asked.design is None else _written(asked.design)
        name = None if design is None else _name_of(design)
        method = method_of(name, typed)
        if method is None:
            _check_of_one(asked, typed)
        else:
            _check_method(method, name, typed)
        _check_of_design(asked, design, method)
        if method is None:
            return _analyse_by_design(asked, design or {}, how_drawn)
        return _analyse_by_method(method, asked, design, how_drawn)


def _name_of(design: dict[str, Any]) -> str:
    known = dict.fromkeys([*designs.BY_NAME, *(name for one in METHODS for name in one.designs)])
    with blamed("--design", click.UsageError):
        return designs.name_and_parameters(design, known)[0]


_SAID: Final = {"lists": "list", "second_list": "second-list"}
"""The command line's names of options whose parameters have another name."""

_OF_EVERY_FILE: Final = {"data", "level", "form", "output", "force", "figure", "narrow"}


def _option(name: str) -> str:
    return f"--{_SAID.get(name, name)}"


def _check_of_one(asked: SimpleNamespace, typed: Collection[str]) -> None:
    """Reject options of other methods, and options without those that they need."""
    for method in METHODS:
        for option in sorted(method.own & {*typed}):
            raise click.UsageError(f"{_option(option)} needs {_option(str(method.chosen_by))}.")
    if asked.yes is not None and asked.codes is None:
        raise click.UsageError("--yes needs --codes.")
    if asked.within is not None and asked.formula is None:
        raise click.UsageError("--within needs --formula.")
    if asked.formula is not None and (asked.by, asked.values) != (None, None):
        raise click.UsageError("--formula cannot be used with --by or --values.")


def _check_method(method: Method, design: str | None, typed: Collection[str]) -> None:
    """Reject options that a method does not take, and name an option that it lacks."""
    chosen = method.chosen_by
    by = _option(chosen) if chosen in typed and chosen is not None else f"--design {design}"
    for option, what in method.needs.items():
        if option not in typed:
            raise click.UsageError(f"{by} needs {_option(option)}: {what}.")
    known = _OF_EVERY_FILE | method.own | method.takes | {chosen}
    for option in sorted({*typed} - known):
        raise click.UsageError(f"{_option(option)} cannot be used with {by}.")


def _check_of_design(
    asked: SimpleNamespace, design: dict[str, Any] | None, method: Method | None
) -> None:
    """Reject a malformed design, and a choice of columns that does not name one response."""
    if design is None:
        return
    if asked.formula is not None and not all(part.strip() for part in asked.formula.split("~", 1)):
        raise click.UsageError(
            f"--formula: expected a response and its covariates, such as 'doped ~ age', found "
            f"{asked.formula!r}."
        )
    if (asked.formula is None) == (asked.column is None):
        raise click.UsageError("expected one of --column and --formula.")
    with blamed("--design", click.UsageError):
        (designs.from_mapping if method is None else method.read)(design)


def _analyse_by_method(
    method: Method,
    asked: SimpleNamespace,
    design: dict[str, Any] | None,
    how_drawn: Mapping[str, Any],
) -> Result:
    """Analyse with a method that only data from elsewhere have."""
    from deniable.study.collected import of_design  # noqa: PLC0415  it loads what reads surveys

    column = asked.lists or asked.column or reader.sides_of(asked.formula)[0]
    found = of_design(_read_table(asked.data, None), asked.data, None, column).each()
    found = found.weights(**how_drawn) if how_drawn else found
    options = Options(asked.link, asked.errors, asked.ends, asked.level)
    return method.result(
        found.beside,
        found.source,
        Asked(
            design=design,
            column=asked.column,
            formula=asked.formula,
            codes=listed(asked.codes),
            yes=asked.yes,
            arm=asked.arm,
            arms=listed(asked.arms),
            nuisance=asked.nuisance,
            lists=asked.lists,
            second_list=asked.second_list,
            direct=asked.direct,
            sample=found.sample,
            kinds=found.kinds,
            options=replace(options, link="logit" if asked.link == AUTO else asked.link),
        ),
    )


def _analyse_by_design(
    asked: SimpleNamespace, design: dict[str, Any], how_drawn: Mapping[str, Any]
) -> Result:
    """Analyse a column with its design, perhaps in groups, or fit the regression of a formula."""
    from deniable.study.collected import of_design  # noqa: PLC0415  it loads what reads surveys

    column = asked.column or reader.sides_of(asked.formula)[0]
    codes = listed(asked.codes)
    table = _read_table(asked.data, columns_named(asked, how_drawn))
    found = of_design(table, asked.data, design, column, by=asked.by, codes=codes, yes=asked.yes)
    found = found.weights(**how_drawn) if how_drawn else found
    if asked.column is not None:
        groups = None if asked.by is None else found.two(column, asked.by)[1]
        values = _numbers(asked.values)
        return found.estimated(found.item(column), groups, asked.level, asked.method, values)
    aliases = aliases_of(asked.formula.partition("~")[2], [column, *found.beside])
    named = {short: found.beside[name] for short, name in aliases.items()}
    kinds = {short: found.kinds[name] for short, name in aliases.items() if name in found.kinds}
    found = replace(found, beside={**found.beside, **named}, kinds={**found.kinds, **kinds})
    options = Options(asked.link, asked.errors, asked.ends, asked.level)
    fitted = found.regression(asked.formula, options, asked.within)
    return replace(fitted, aliases=aliases).result


def columns_named(asked: SimpleNamespace, how_drawn: Mapping[str, Any]) -> Sequence[str] | None:
    """Return the columns that options name, so that no other is kept; None if that is unknown."""
    names = [asked.column, asked.by, asked.within, *Weighing(**how_drawn).columns]
    if asked.formula is not None:
        try:
            response, terms = reader.sides_of(asked.formula)
            names += [response, *reader.names_in(terms)]
        except ValueError:  # it is told when the formula is read
            return None
        if re.search(r"(?<![\w.])\.(?![\w.])", terms):
            return None  # a dot means all columns
    return [name for name in names if name is not None]


def refuse_data(data: str) -> None:
    """Reject a data file in the place of a survey."""
    if is_data(data):
        raise click.UsageError(
            f"{data} is a data file: expected --dictionary with --item and the like, or --design "
            "with --column or --formula."
        )


def collected(data: str, dictionary: str, beside: Collection[str] | None) -> study.Study:
    """Open a data file with its dictionary; `beside`: the other columns to keep, if not all."""
    from deniable.study.collected import open_collected  # noqa: PLC0415  it loads what reads surveys

    if not Path(data).is_file():
        raise click.UsageError(f"File {data!r} does not exist.")
    with blamed(), _warn_once(data):
        return open_collected(data, dictionary, beside)


@contextmanager
def explained(data: str, margins: str | None = None) -> Iterator[None]:
    """Turn errors into click's, with the file they are in, and print warnings."""
    with blamed(data), _warn_once(data):
        try:
            yield
        except MarginError:
            with blamed(margins or data):
                raise
        except ArithmeticError as failed:
            raise ValueError(str(failed)) from None


@contextmanager
def _warn_once(data: str) -> Iterator[None]:
    """Print each warning about a data file once."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", UserWarning)
        yield
    for said in dict.fromkeys(str(one.message) for one in warned):
        click.echo(f"{data}: {said}", err=True)


def _read_table(path: str, kept: Collection[str] | None) -> DataTable:
    if path != STDOUT:
        return read_table(path, kept)
    with click.open_file(path, "rb") as file:
        return table_of(file.read(), kept)


def _numbers(values: str | None) -> list[float] | None:
    try:
        return None if values is None else [float(value) for value in values.split(",")]
    except ValueError:
        raise click.UsageError(
            f"--values: expected numbers separated by commas, found {values!r}."
        ) from None


def listed(codes: str | None) -> list[str] | None:
    """Split codes at commas; None stays None."""
    return None if codes is None else [code.strip() for code in codes.split(",")]


def _written(design: str) -> dict[str, Any]:
    """Read a design as a survey file writes it: ``name``, or ``name: {parameter: value}``."""
    try:
        # The base loader keeps every number as text, so that 2/3 and 0.1 stay exact.
        written = yaml.load(design, Loader=yaml.BaseLoader)  # noqa: S506  it makes strings only
    except (yaml.YAMLError, RecursionError):
        written = None
    if isinstance(written, str):
        written = {written: {}}
    if not isinstance(written, dict) or len(written) != 1:
        raise click.UsageError(
            "--design: expected a design by name with its parameters, such as "
            f'"forced_response: {{truth: 2/3, yes: 1/2}}", found {shortened(design)}.'
        )
    return written
