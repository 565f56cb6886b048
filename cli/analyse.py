"""``deniable analyse``: rates and regressions from randomised responses collected anywhere."""

from __future__ import annotations

import io
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import click
import yaml
from click.core import ParameterSource

from deniable import designs, study
from deniable.cli.estimate_options import (
    KINDS,
    figure_target,
    form_of,
    format_option,
    level_option,
    method_option,
    tally_option,
    write_result,
)
from deniable.cli.help import ending
from deniable.cli.options import (
    Reports,
    force_option,
    output_option,
    revision_option,
    store_option,
)
from deniable.cli.output import STDOUT, target
from deniable.cli.studies import study_of
from deniable.cli.tallies import read_tally
from deniable.results.result import Result
from deniable.server.store import files_of
from deniable.study import data_file
from deniable.study.regression import ENDS, ERRORS, LINKS
from deniable.text.safety import shortened


@click.command(
    epilog=ending(
        "deniable analyse nurses.yaml --reports reports.csv --item error --by ward",
        "deniable analyse nurses --store study.db --cross error signed",
        'deniable analyse nurses.yaml --reports reports.csv --formula "error ~ years + ward"',
        "deniable analyse nurses.yaml --reports reports.csv --item error --weights w",
        "deniable analyse nurses.yaml --reports reports.csv --item error --margins census.csv",
        'deniable analyse nigeria.csv --column rr.q1 --design "forced_response: '
        '{truth: 2/3, yes: 1/2}"',
        'deniable analyse answers.csv --formula "q1 ~ age + female" --design "warner: {flip: 0.3}"',
    )
)
@click.argument("data", metavar="DATA")
@click.option(
    "--reports",
    metavar="FILE",
    type=Reports(),
    help="A CSV of noisy reports, as 'export' and 'simulate' write it. DATA is then the file of "
    "its survey. Or the address of a desk, with a token in DENIABLE_TOKEN.",
)
@tally_option
@store_option
@revision_option
@click.option("--item", metavar="ITEM", help="Of a survey: the item to estimate.")
@click.option(
    "--cross",
    metavar="ITEM ITEM",
    nargs=2,
    help="Of a survey: two items, to estimate the share of each pair of answers.",
)
@click.option(
    "--correlate",
    metavar="ITEM ITEM",
    nargs=2,
    help="Of a survey: two items, to estimate the correlation of numbers or of two answers.",
)
@click.option(
    "--ratio",
    type=click.Choice(["shares", "odds"]),
    help="Of a survey, with --item and --by: how many times as great these are in one group as in "
    "another.",
)
@click.option(
    "--wave",
    metavar="WAVE",
    type=click.IntRange(min=1),
    help="Of a survey that is asked again: the reports of this wave alone. By default the mean "
    "over the waves; --cross and --formula need one.",
)
@click.option(
    "--weights",
    metavar="COLUMN",
    help="Of a survey: how many people each respondent stands for. A column of --reports, or a "
    "direct item of the survey; so are the next two.",
)
@click.option("--strata", metavar="COLUMN", help="The strata that people were drawn in.")
@click.option(
    "--clusters",
    metavar="COLUMN",
    help="What was drawn as a whole, such as schools.",
)
@click.option(
    "--margins",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="A CSV with the columns question, answer and people: how many of the population, or which "
    "part of it, gave each answer. Weights are post-stratified to one question, raked to several.",
)
@click.option(
    "--trim",
    metavar="TIMES",
    type=float,
    help="No weight may be more than this times the mean weight.",
)
@click.option(
    "--replicates",
    metavar="COLUMN,...",
    help="Columns of replicate weights, in place of strata, clusters and margins.",
)
@click.option(
    "--scale",
    metavar="NUMBER",
    type=float,
    help="What their sum of squares is multiplied by; by default 1 over their number.",
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
    help="Estimate within each group of this column, or of this item of the survey, and compare "
    "the groups.",
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
    "--within",
    metavar="COLUMN",
    help="With --formula: what people have in common, such as their school. Each group then has a "
    "random intercept.",
)
@click.option(
    "--link",
    type=click.Choice(LINKS),
    default=LINKS[0],
    show_default=True,
    help="With --formula: the link of the regression. identity is linear regression of the mean of "
    "a survey's number; auto is identity for it, and logit for other answers.",
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
    type=click.Choice(ENDS),
    default=ENDS[0],
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
@click.pass_context
def analyse_command(ctx: click.Context, /, **options: Any) -> None:
    """Analyse a survey's reports, or a CSV from elsewhere.

    DATA is a survey: its file with --reports, or its name in a store. The design, the codes and the
    values are then those of the survey: say --item, --cross or --formula. The items to the right of
    ~ must have been asked directly.

    Or DATA is a CSV from elsewhere, with a header and a row for each respondent (- is standard
    input), and --design says how its responses were randomised. Empty cells, NA and the like count
    as missing.
    """
    asked = SimpleNamespace(**options)
    # The environment names a store for all commands: it says nothing of this one.
    typed = {
        name for name in options if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    form = form_of(asked.form, asked.output)
    read = [asked.data, *(one for one in (asked.reports, asked.file) if one is not None)]
    from_survey = asked.design is None and not typed & _OF_A_FILE
    if from_survey and len(read) == 1:
        read += files_of(asked.store)
    place = target(asked.output, KINDS[form], force=asked.force, others=read)
    used = [*read, None if asked.output == STDOUT else asked.output]
    drawing = None
    if asked.figure is not None:
        drawing = figure_target(asked.figure, force=asked.force, others=used)
    analysed = _of_survey(asked, typed) if from_survey else _of_file(asked, typed)
    # Drawn before anything is written: it may turn out that it cannot be.
    drawn = None
    if drawing is not None:
        if analysed.draw is None:
            raise click.UsageError("--figure: there is no figure of correlations and ratios.")
        try:
            drawn = analysed.draw(drawing.ending)
        except ValueError as mistake:
            raise click.ClickException(f"{asked.data}: {mistake}") from None
    write_result(place, form, analysed)
    if drawing is not None and drawn is not None:
        drawing.write(drawn)


_SAMPLE: Final = ("weights", "strata", "clusters", "margins", "trim", "replicates", "scale")
_OF_A_SURVEY: Final = {
    *("reports", "file", "store", "revision", "item", "cross", "correlate", "ratio", "wave"),
    *_SAMPLE,
}
_OF_A_FILE: Final = {
    *("column", "design", "codes", "values", "population"),
    *("arm", "arms", "nuisance"),
}
"""Options that make no sense of the other: a survey knows its own design, codes and values."""


def _check_of_survey(asked: SimpleNamespace, typed: Collection[str]) -> None:
    """Refuse options that do not belong together."""
    if asked.reports is not None and {"store", "revision"} & set(typed):
        raise click.UsageError("--reports cannot be used with --store or --revision.")
    if asked.file is not None and {"reports", "store", "revision"} & set(typed):
        raise click.UsageError("--tally cannot be used with --reports, --store or --revision.")
    ways = [name for name in ("item", "cross", "correlate", "formula") if name in typed]
    if len(ways) != 1:
        raise click.UsageError(
            "expected one of --item, --cross, --correlate and --formula of a survey, or --design "
            "of a CSV from elsewhere."
        )
    if asked.by is not None and asked.item is None:
        raise click.UsageError("--by needs --item.")
    if asked.ratio is not None and (asked.by is None or {*_SAMPLE} & set(typed)):
        raise click.UsageError("--ratio needs --item and --by, and takes no weights.")
    if asked.within is not None and asked.formula is None:
        raise click.UsageError("--within needs --formula.")


def _of_survey(asked: SimpleNamespace, typed: Collection[str]) -> Result:
    _check_of_survey(asked, typed)
    given = _how_drawn(asked, typed)
    asked_of: study.Study | study.Tallied
    if asked.file is not None:
        asked_of = study.Tallied.of(read_tally(asked.file, asked.data), asked.file)
    else:
        columns = study.weighing.Weighing(**given).columns + [asked.within] * bool(asked.within)
        asked_of = study_of(asked.data, asked.reports, asked.store, asked.revision, columns)
    with _explained(asked_of.source):
        if given:
            asked_of = asked_of.weights(**given)
        if asked.wave is not None:
            asked_of = asked_of.wave(asked.wave)
        if asked.cross is not None:
            return asked_of.cross(*asked.cross, level=asked.level)
        if asked.correlate is not None:
            return asked_of.correlation(*asked.correlate, level=asked.level)
        if asked.ratio is not None:
            return asked_of.ratios(
                asked.by,
                asked.item,
                odds=asked.ratio == "odds",
                level=asked.level,
                method=asked.method,
            )
        if asked.formula is not None:
            return asked_of.regress(
                asked.formula,
                within=asked.within,
                link=asked.link,
                errors=asked.errors,
                ends=asked.ends,
                level=asked.level,
            )
        if asked.by is not None:
            return asked_of.by(asked.by, asked.item, level=asked.level, method=asked.method)
        return asked_of.shares(asked.item, level=asked.level, method=asked.method)


def _how_drawn(asked: SimpleNamespace, typed: Collection[str]) -> dict[str, Any]:
    """Return what `Study.weights` is asked for."""
    given = {name: getattr(asked, name) for name in _SAMPLE if name in typed}
    if asked.replicates is not None:
        given["replicates"] = _listed(asked.replicates)
    if asked.margins is not None:
        try:
            given["margins"] = study.weighing.read_margins(asked.margins)
        except ValueError as mistake:
            raise click.ClickException(f"{mistake}") from None
    return given


def _of_file(asked: SimpleNamespace, typed: Collection[str]) -> Result:
    wrong = ["tally" if name == "file" else name for name in sorted(_OF_A_SURVEY & set(typed))]
    if wrong:
        raise click.UsageError(
            f"--{wrong[0]} is for a survey, which knows its own design. Leave out --design and the "
            "options that belong to it."
        )
    if asked.design is None:
        raise click.UsageError("a CSV from elsewhere needs --design: how it was randomised.")
    if asked.data != STDOUT and not Path(asked.data).is_file():
        raise click.UsageError(f"File {asked.data!r} does not exist.")
    with _explained(asked.data):
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
                _listed(asked.codes),
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
            _listed(asked.codes),
            within=asked.within,
            link=asked.link,
            errors=asked.errors,
            ends=asked.ends,
            level=asked.level,
            arm=asked.arm,
            arm_codes=_listed(asked.arms),
            nuisance=asked.nuisance or "~ 1",
        )


@contextmanager
def _explained(data: str) -> Iterator[None]:
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
