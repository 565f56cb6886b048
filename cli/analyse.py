"""``deniable analyse``: rates and regressions from randomised responses collected anywhere."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
import yaml

from deniable import designs
from deniable.analysis.formats import FORMATS
from deniable.analysis.regression.fit import METHODS
from deniable.cli import analyse_regression, analyse_shares
from deniable.cli.analysed import Analysed, DataFile
from deniable.cli.estimate_options import (
    KINDS,
    figure_target,
    form_of,
    format_option,
    level_option,
    method_option,
)
from deniable.cli.help import ending
from deniable.cli.options import (
    force_option,
    output_option,
)
from deniable.cli.output import STDOUT, target
from deniable.plain import shortened

LINKS = ("logit", "probit", "cloglog", "cauchit")
ERRORS = ("expected", "observed", "opg", "sandwich")


@click.command(
    epilog=ending(
        'deniable analyse nigeria.csv --column rr.q1 --design "forced_response: '
        '{truth: 2/3, yes: 1/2}"',
        "deniable analyse answers.csv --column q1 --design truth_or_random --by region",
        'deniable analyse answers.csv --formula "q1 ~ age + female" --design "warner: {flip: 0.3}"',
    )
)
@click.argument(
    "data",
    metavar="DATA",
    type=click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True),
)
@click.option("--column", metavar="NAME", help="The column of the randomised responses.")
@click.option(
    "--formula",
    metavar="FORMULA",
    help='Regress the responses on other columns: "response ~ covariates", as in R. A column '
    "such as cov.age can be written age if that is unambiguous. Needs the extra formula.",
)
@click.option(
    "--design",
    metavar="DESIGN",
    required=True,
    help='How the responses were randomised: a design by name, with its parameters: "warner: '
    '{flip: 0.3}". '
    f"One of {', '.join(designs.BY_NAME)}.",
)
@click.option(
    "--codes",
    metavar="CODE,...",
    help="The values in the column, in the order of the design's reports. By default 0,1 or no,yes "
    "or false,true, or whole numbers in order (0 and 1 for two reports).",
)
@click.option(
    "--by",
    metavar="COLUMN",
    help="Estimate within each group of this column, and compare the groups.",
)
@click.option(
    "--values",
    metavar="NUMBER,...",
    help="What each truth counts for, to estimate their mean.",
)
@click.option(
    "--population",
    metavar="N",
    type=click.IntRange(min=1),
    help="Size of the population, if respondents are a simple random sample from it.",
)
@click.option(
    "--arm",
    metavar="COLUMN",
    help="With --formula: the column that says in which arm of the design each person was. The "
    f"design is one of {', '.join(designs.ARMS_BY_NAME)}.",
)
@click.option(
    "--arms",
    metavar="CODE,...",
    help="The values in that column, in the order of the design's arms.",
)
@click.option(
    "--nuisance",
    metavar="FORMULA",
    help="With --arm: what the design's own unknown (who lies, who cheats) depends on, such as "
    '"~ age"; by default it is the same for everyone.',
)
@click.option(
    "--link",
    type=click.Choice(LINKS),
    default=LINKS[0],
    show_default=True,
    help="With --formula: the link of the regression.",
)
@click.option(
    "--errors",
    type=click.Choice(ERRORS),
    default=ERRORS[0],
    show_default=True,
    help="With --formula: what the standard errors are computed from.",
)
@click.option(
    "--ends",
    type=click.Choice(METHODS),
    default=METHODS[0],
    show_default=True,
    help="With --formula: the kind of interval. profile inverts the likelihood-ratio test, and is "
    "for tables that are published.",
)
@level_option
@method_option
@format_option
@click.option(
    "--figure",
    metavar="FILE",
    help="Also draw the estimates into this file, as SVG, PNG or PDF by its ending.",
)
@output_option
@force_option
def analyse_command(  # noqa: PLR0913  a command has options
    *,
    data: str,
    column: str | None,
    formula: str | None,
    design: str,
    codes: str | None,
    by: str | None,
    values: str | None,
    population: int | None,
    arm: str | None,
    arms: str | None,
    nuisance: str | None,
    link: str,
    errors: str,
    ends: str,
    level: float,
    method: str,
    form: str | None,
    figure: str | None,
    output: str,
    force: bool,
) -> None:
    """Analyse randomised responses from any CSV.

    DATA is a CSV with a header and a row for each respondent (- is standard input). Empty cells, NA
    and the like count as missing. The responses can come from anywhere, as long as the design
    randomised them.
    """
    form = form_of(form, output)
    place = target(output, KINDS[form], force=force, others=[data])
    used = [data, None if output == STDOUT else output]
    drawing = None if figure is None else figure_target(figure, force=force, others=used)
    with _explained(data):
        file = _file(data, design, several=arm is not None)
        listed = _listed(codes)
        if arm is None and (arms, nuisance) != (None, None):
            raise click.UsageError("--arms and --nuisance need --arm.")
        analysed: Analysed
        if column is not None and formula is None:
            if arm is not None:
                raise click.UsageError('--arm needs --formula, such as "answer ~ 1".')
            analysed = analyse_shares.analyse(
                file,
                column,
                listed,
                by=by,
                values=_numbers(values),
                population=population,
                level=level,
                method=method,
            )
        elif formula is not None and column is None:
            if (by, values, population) != (None, None, None):
                raise click.UsageError(
                    "--formula cannot be used with --by, --values or --population."
                )
            analysed = analyse_regression.analyse(
                file,
                formula,
                listed,
                link=link,
                errors=errors,
                ends=ends,
                level=level,
                arm=arm,
                arm_codes=_listed(arms),
                nuisance=nuisance or "~ 1",
            )
        else:
            raise click.UsageError("expected one of --column and --formula.")
        # Drawn before anything is written: it may turn out that it cannot be.
        drawn = None if drawing is None else analysed.draw(drawing.ending)
    if form == "table":
        place.show(*analysed.table)
    else:
        place.write(FORMATS[form].write(analysed.export))
    if drawing is not None and drawn is not None:
        drawing.write(drawn)


@contextmanager
def _explained(data: str) -> Iterator[None]:
    """Say of every mistake in the data or the design where it was found."""
    try:
        yield
    except UnicodeDecodeError:
        raise click.ClickException(f"{data}: expected a CSV in UTF-8") from None
    except (ValueError, ArithmeticError, ImportError) as mistake:
        raise click.ClickException(f"{data}: {mistake}") from None


def _read(path: str) -> str:
    with click.open_file(path, encoding="utf-8-sig") as file:
        # Line ends are kept: a cell between quotes may hold some.
        text: str = io.StringIO(file.read(), newline="").getvalue()
    return text


def _numbers(values: str | None) -> list[float] | None:
    try:
        return None if values is None else [float(value) for value in values.split(",")]
    except ValueError:
        raise click.UsageError(
            f"--values: expected numbers separated by commas, found {values!r}."
        ) from None


def _listed(codes: str | None) -> list[str] | None:
    return None if codes is None else [code.strip() for code in codes.split(",")]


def _file(data: str, design: str, *, several: bool) -> DataFile:
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
        raise click.UsageError(f"--design: {mistake}.") from None
    return DataFile(name=data, text=_read(data), design=design, channel=channel, arms=arms)


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
