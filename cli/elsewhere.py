"""What ``analyse`` makes of data from elsewhere: columns with a design, and list experiments."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import click
import yaml

from deniable import designs, study
from deniable.analysis import scrambling
from deniable.analysis.regression.formulas import reader
from deniable.analysis.sampling.calibration import MarginError
from deniable.cli.output import STDOUT
from deniable.results.regression import Options
from deniable.results.result import Result
from deniable.study.lists import shares_of_lists
from deniable.study.regression import AUTO, aliases_of
from deniable.study.tables import DataTable, is_data, read_table, table_of
from deniable.text.safety import AS_UTF8, shortened

_OF_LISTS: Final = frozenset({"second_list", "direct"})
_WITH_LISTS: Final = _OF_LISTS | {
    *("data", "lists", "arm", "arms", "level", "form", "output", "force", "figure"),
}
"""Options that a list experiment has, and those that it can be used with."""


def of_file(asked: SimpleNamespace, typed: Collection[str], how_drawn: Mapping[str, Any]) -> Result:
    """Analyse the columns of a data file; `how_drawn`: as `Study.weights` takes it."""
    if asked.design is None and asked.lists is None:
        raise click.UsageError(
            "data from elsewhere need --design: how they were randomised; or --dictionary, or "
            "--list for a list experiment."
        )
    if asked.data != STDOUT and not Path(asked.data).is_file():
        raise click.UsageError(f"File {asked.data!r} does not exist.")
    if asked.lists is not None:
        return _of_lists(asked, typed)
    for name in sorted(_OF_LISTS & {*typed}):
        raise click.UsageError(f"--{name.replace('_', '-')} needs --list.")
    with explained(asked.data, asked.margins):
        design = _written(asked.design)
        _check_of_design(asked, design)
        return _of_design(asked, design, how_drawn)


def _check_of_design(asked: SimpleNamespace, design: dict[str, Any]) -> None:
    """Refuse options that do not belong together, and a design that cannot be read."""
    known = dict.fromkeys([*designs.BY_NAME, *designs.ARMS_BY_NAME, *scrambling.BY_NAME])
    try:
        name, _ = designs.name_and_parameters(design, known)
    except ValueError as mistake:
        raise click.UsageError(f"--design: {mistake}") from None
    is_scrambled = name in scrambling.BY_NAME
    if asked.arm is None and name in designs.ARMS_BY_NAME and name not in designs.BY_NAME:
        raise click.UsageError(
            f"--design: {name} has several arms: expected --arm, the column that says in which "
            "arm each person was."
        )
    if asked.arm is None and (asked.arms, asked.nuisance) != (None, None):
        raise click.UsageError("--arms and --nuisance need --arm.")
    if asked.formula is not None and not all(part.strip() for part in asked.formula.split("~", 1)):
        raise click.UsageError(
            f"--formula: expected a response and its covariates, such as 'doped ~ age', found "
            f"{asked.formula!r}."
        )
    if asked.yes is not None and asked.codes is None:
        raise click.UsageError("--yes needs --codes.")
    if asked.within is not None and (asked.formula is None or asked.arm is not None):
        raise click.UsageError("--within needs --formula, and no --arm.")
    if (asked.formula is None) == (asked.column is None):
        raise click.UsageError("expected one of --column and --formula.")
    if is_scrambled and asked.formula is not None:
        raise click.UsageError("scrambled numbers have a mean: expected --column.")
    unlike = "--formula" if asked.formula is not None else "--arm" if asked.arm is not None else ""
    unlike = f"--design {name}" if is_scrambled else unlike
    if unlike and (asked.by, asked.values) != (None, None):
        raise click.UsageError(f"{unlike} cannot be used with --by or --values.")
    of_arms = designs.from_mapping if asked.arm is None else designs.arms_from_mapping
    try:
        (scrambling.from_mapping if is_scrambled else of_arms)(design)
    except ValueError as mistake:
        raise click.UsageError(f"--design: {mistake}") from None


def _of_design(
    asked: SimpleNamespace, design: dict[str, Any], how_drawn: Mapping[str, Any]
) -> Result:
    """Ask a study of one column, whose dictionary is its design."""
    from deniable.study.collected import by_role, of_design  # noqa: PLC0415  it loads what reads surveys

    table, codes = _read(asked.data), listed(asked.codes)
    column = asked.column or reader.sides_of(asked.formula)[0]
    is_one = asked.arm is None and next(iter(design)) not in scrambling.BY_NAME
    given = design if is_one else None
    if asked.arm is not None and codes is not None:
        of = designs.arms_from_mapping(design).channels[0]
        codes = [*by_role(codes, of, asked.yes)]
    found = of_design(table, asked.data, given, column, by=asked.by, codes=codes, yes=asked.yes)
    found = found.weights(**how_drawn) if how_drawn else found
    if asked.column is not None and is_one:
        groups = None if asked.by is None else found.two(column, asked.by)[1]
        values = _numbers(asked.values)
        return found.estimated(found.item(column), groups, asked.level, asked.method, values)
    if asked.column is not None and asked.arm is None:
        return found.scrambled(column, design, level=asked.level)
    formula, nuisance = asked.formula or column, asked.nuisance or "~ 1"
    terms = f"{formula.partition('~')[2]} + {nuisance.partition('~')[2]}"
    aliases = aliases_of(terms, [column, *found.beside])
    named = {short: found.beside[name] for short, name in aliases.items()}
    found = replace(found, beside={**found.beside, **named})
    options = Options(asked.link, asked.errors, asked.ends, asked.level)
    if asked.arm is None:
        fitted = found.regression(formula, options, asked.within)
        return replace(fitted, aliases=aliases).result
    options = replace(options, link="logit" if asked.link == AUTO else asked.link)
    return found.arms(
        formula,
        arm=asked.arm,
        design=design,
        codes=codes,
        arm_codes=listed(asked.arms),
        nuisance=nuisance,
        options=options,
    )


def refuse_data(data: str) -> None:
    """Refuse a data file in the place of a survey."""
    if is_data(data):
        raise click.UsageError(
            f"{data} is a data file: expected --dictionary with --item and the like, or --design "
            "with --column or --formula."
        )


def collected(data: str, dictionary: str) -> study.Study:
    """Open a data file with its dictionary."""
    if not Path(data).is_file():
        raise click.UsageError(f"File {data!r} does not exist.")
    try:
        with _told(data):
            return study.open_study(data, dictionary)
    except (ValueError, ImportError) as mistake:
        raise click.ClickException(str(mistake)) from None


def _of_lists(asked: SimpleNamespace, typed: Collection[str]) -> Result:
    """Estimate from a list experiment."""
    wrong = sorted({*typed} - _WITH_LISTS)
    if wrong:
        raise click.UsageError(f"--{wrong[0].replace('_', '-')} cannot be used with --list.")
    if asked.arm is None:
        raise click.UsageError("--list needs --arm: the column that says who had the long list.")
    if asked.direct is not None and asked.second_list is not None:
        raise click.UsageError("expected one of --direct and --second-list.")
    with explained(asked.data):
        return shares_of_lists(
            asked.data,
            _read(asked.data).text,
            asked.lists,
            asked.arm,
            second=asked.second_list,
            direct=asked.direct,
            arm_codes=listed(asked.arms),
            level=asked.level,
        )


@contextmanager
def explained(data: str, margins: str | None = None) -> Iterator[None]:
    """Say of every mistake where it was found, and what it warns of.

    `data`, `margins`: the files; margins that cannot hold are not a mistake of the data.
    """
    try:
        with _told(data):
            yield
    except UnicodeDecodeError:
        raise click.ClickException(f"{data}: expected a CSV in UTF-8: {AS_UTF8}") from None
    except (ValueError, ArithmeticError, ImportError) as mistake:
        where = margins if isinstance(mistake, MarginError) and margins else data
        raise click.ClickException(f"{where}: {mistake}") from None


@contextmanager
def _told(data: str) -> Iterator[None]:
    """Say once of what a data file warns."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", UserWarning)
        yield
    for said in dict.fromkeys(str(one.message) for one in warned):
        click.echo(f"{data}: {said}", err=True)


def _read(path: str) -> DataTable:
    if path != STDOUT:
        return read_table(path)
    with click.open_file(path, "rb") as file:
        return table_of(file.read())


def _numbers(values: str | None) -> list[float] | None:
    try:
        return None if values is None else [float(value) for value in values.split(",")]
    except ValueError:
        raise click.UsageError(
            f"--values: expected numbers separated by commas, found {values!r}."
        ) from None


def listed(codes: str | None) -> list[str] | None:
    """Divide what commas separate."""
    return None if codes is None else [code.strip() for code in codes.split(",")]


def _written(design: str) -> dict[str, Any]:
    """Read a design as a survey file writes it: ``name``, or ``name: {parameter: value}``."""
    try:
        # The base loader leaves every number as it was written, so that 2/3 and 0.1 stay exact.
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
