"""``deniable export``: the noisy reports of a survey, in a CSV, a zip, a database or a copy."""

from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from deniable.analysis.counts.reports_csv import csv_of_rows
from deniable.analysis.privacy.columns import grouped
from deniable.cli.columns import columns_to_leave, said_of_columns
from deniable.cli.estimate_options import level_option, small_cells_option
from deniable.cli.failures import blamed
from deniable.cli.help import ending
from deniable.cli.options import (
    Reports,
    force_option,
    output_option,
    revision_option,
    store_option,
    store_type,
)
from deniable.cli.output import CSV, target
from deniable.cli.stores import find_slug, opened, reports_in, tell_of_single_reports
from deniable.cli.survey_files import file_of
from deniable.server.store import Store, files_of
from deniable.study.tallies.parquet import write
from deniable.text.safety import counted


@click.command(epilog=ending("deniable export survey.yaml --zip paper.zip", "archive"))
@click.argument("slug", metavar="[SURVEY]", required=False)
@store_option
@revision_option
@output_option
@small_cells_option
@click.option(
    "--into",
    metavar="STORE",
    type=store_type,
    help="Copy the survey into another store instead, with all its revisions: a file such as "
    "copy.db, made if it does not exist. It may hold other surveys, but not this one.",
)
@click.option(
    "--parquet",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write partitioned Parquet below this folder instead, with all revisions, for engines "
    "such as DuckDB and Spark, which count more reports than one machine holds.",
)
@click.option(
    "--zip",
    "parcel",
    metavar="FILE",
    help="Write a zip with all that a paper needs instead.",
)
@click.option(
    "--datasette",
    metavar="FILE",
    help="Write a database for Datasette instead, such as nurses.db, and beside it what Datasette "
    "says of it, nurses.metadata.yaml.",
)
@click.option(
    "--reports",
    "rows",
    metavar="FILE",
    type=Reports(),
    help="With --zip or --datasette: a CSV of noisy reports, in place of a store. SURVEY is then a "
    "file. Or the address of a desk, with a token in DENIABLE_TOKEN.",
)
@click.option(
    "--direct",
    metavar="ITEMS",
    multiple=True,
    help="Write the columns of these direct items, perhaps in groups: sex,age:18-39+40-80. By "
    "default all of which at least five people gave each combination, and none with --zip or "
    "--datasette. Can be given several times.",
)
@level_option
@force_option
@click.pass_context
def export_command(  # noqa: PLR0913  a command has options
    ctx: click.Context,
    *,
    slug: str | None,
    store: str,
    revision: str | None,
    output: str,
    small_cells: bool,
    into: str | None,
    parquet: Path | None,
    parcel: str | None,
    datasette: str | None,
    rows: str | None,
    direct: tuple[str, ...],
    level: float,
    force: bool,
) -> None:
    """Write a survey's reports as CSV or in a zip, or copy it."""
    for option, file in (("--zip", parcel), ("--datasette", datasette)):
        if file is not None:
            # Here and not above: it loads all that a paper needs.
            from deniable.cli.publish import Choices, publish  # noqa: PLC0415

            others = ("output", "into", "parquet", *(("datasette",) if option == "--zip" else ()))
            _refuse(ctx, option, others)
            choices = Choices(direct, small_cells, level)
            publish(slug, rows, store, revision, (option, file), choices, force=force)
            return
    if parquet is not None:
        _refuse(ctx, "--parquet", ("revision", "output", "into", "direct"))
    for name, option in (("rows", "--reports"), ("level", "--level")):
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option} goes with --zip or --datasette only.")
    if parquet is not None:
        with opened(store) as reports:
            named = find_slug(reports, slug)
            _export_parquet(reports, named, parquet, with_direct=small_cells, force=force)
        return
    if into is not None:
        _refuse(ctx, "--into", ("revision", "output", "small_cells", "force", "direct"))
        with opened(store) as reports:
            named = find_slug(reports, slug)
            with opened(into, create=True) as second, reports.copying(named) as copy:
                count = counted(second.adopt(copy), "report")
                revisions = counted(len(copy.revisions), "revision")
            click.echo(f"Copied {named} into {second.name}: {count} to {revisions}.")
        return
    place = target(output, CSV, force=force, others=[file_of(slug), *files_of(store)])
    with reports_in(store, slug, revision, small_cells=small_cells) as (reports, received):
        with blamed():
            columns = columns_to_leave(store, received.rows, direct)
        for one in received.others:
            click.echo(f"Note: {one}", err=True)
        for line in said_of_columns(received.rows, columns, direct):
            click.echo(line, err=True)
    with place.text() as written:
        written.writelines(csv_of_rows(grouped(received.rows, columns)))


def _refuse(ctx: click.Context, given: str, names: Sequence[str]) -> None:
    """Reject options that do not go together with the option `given`."""
    for name in names:
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{given} and --{name.replace('_', '-')} do not go together.")


def _export_parquet(
    store: Store, slug: str, folder: Path, *, with_direct: bool, force: bool
) -> None:
    """Write all of a survey's reports below a folder, and print their number."""
    place = folder / f"survey={slug}"
    if place.exists() and not force:
        raise click.ClickException(f"{place}: exists already; --force replaces it")
    with blamed(), store.copying(slug) as copy:
        received = ((one.survey, one.held, one.reports) for one in copy.revisions)
        count = write(place, received, with_direct=with_direct)
    tell_of_single_reports(store, slug)
    click.echo(f"Wrote {counted(count, 'report')} into {place}.")
