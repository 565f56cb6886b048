"""What ``analyse`` makes of data from elsewhere: columns with a design, and list experiments."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import click
import yaml

from deniable import designs, study
from deniable.cli.output import STDOUT
from deniable.results.result import Result
from deniable.study import data_file
from deniable.study.tables import is_data, read_table, table_of
from deniable.text.safety import shortened

_OF_LISTS: Final = frozenset({"second_list", "direct"})
_WITH_LISTS: Final = _OF_LISTS | {
    *("data", "lists", "arm", "arms", "level", "form", "output", "force", "figure"),
}
"""Options that a list experiment has, and those that it can be used with."""


def of_file(asked: SimpleNamespace, typed: Collection[str]) -> Result:
    """Analyse the columns of a data file."""
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
    with explained(asked.data):
        file = _file(asked.data, asked.design, several=asked.arm is not None)
        if asked.arm is None and (asked.arms, asked.nuisance) != (None, None):
            raise click.UsageError("--arms and --nuisance need --arm.")
        if asked.within is not None and (asked.formula is None or asked.arm is not None):
            raise click.UsageError("--within needs --formula, and no --arm.")
        if asked.column is not None and asked.formula is None:
            if asked.arm is not None:
                raise click.UsageError('--arm needs --formula, such as "answer ~ 1".')
            return data_file.shares_of_column(
                file,
                asked.column,
                listed(asked.codes),
                by=asked.by,
                values=_numbers(asked.values),
                population=asked.population,
                level=asked.level,
                method=asked.method,
            )
        if asked.formula is None or asked.column is not None:
            raise click.UsageError("expected one of --column and --formula.")
        if (asked.by, asked.values, asked.population) != (None, None, None):
            raise click.UsageError("--formula cannot be used with --by, --values or --population.")
        return data_file.regression_of_columns(
            file,
            asked.formula,
            listed(asked.codes),
            within=asked.within,
            link=asked.link,
            errors=asked.errors,
            ends=asked.ends,
            level=asked.level,
            arm=asked.arm,
            arm_codes=listed(asked.arms),
            nuisance=asked.nuisance or "~ 1",
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
        return study.open_study(data, dictionary)
    except UnicodeDecodeError:
        raise click.ClickException(f"{dictionary}: expected a text in UTF-8") from None
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
        return data_file.shares_of_lists(
            asked.data,
            _read(asked.data),
            asked.lists,
            asked.arm,
            second=asked.second_list,
            direct=asked.direct,
            arm_codes=listed(asked.arms),
            level=asked.level,
        )


@contextmanager
def explained(data: str) -> Iterator[None]:
    """Say of every mistake in the data or the design where it was found, and what it warns of."""
    try:
        with warnings.catch_warnings(record=True) as warned:
            yield
        for said in dict.fromkeys(str(one.message) for one in warned):
            click.echo(f"{data}: {said}", err=True)
    except UnicodeDecodeError:
        raise click.ClickException(f"{data}: expected a CSV in UTF-8") from None
    except (ValueError, ArithmeticError, ImportError) as mistake:
        raise click.ClickException(f"{data}: {mistake}") from None


def _read(path: str) -> str:
    if path != STDOUT:
        return read_table(path).text
    with click.open_file(path, "rb") as file:
        return table_of(file.read()).text


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


def _file(data: str, design: str, *, several: bool) -> data_file.DataFile:
    """Read the data and the design, which has several arms or a single channel."""
    written = _written(design)
    (name,) = written
    if not several and name in designs.ARMS_BY_NAME and name not in designs.BY_NAME:
        raise click.UsageError(
            f"--design: {name} has several arms: expected --arm, the column that says in which "
            "arm each person was."
        )
    try:
        arms = designs.arms_from_mapping(written) if several else None
        channel = designs.from_mapping(written) if arms is None else arms.channels[0]
    except ValueError as mistake:
        raise click.UsageError(f"--design: {mistake}") from None
    return data_file.DataFile(
        name=data, text=_read(data), design=design, channel=channel, arms=arms
    )


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
