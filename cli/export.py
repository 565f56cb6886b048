"""``deniable export``: the noisy reports of a store, as a CSV or into another store."""

from __future__ import annotations

import io

import click
from click.core import ParameterSource

from deniable.analysis.disclosure import LEAST
from deniable.analysis.reports_csv import write_reports
from deniable.cli.estimate_options import small_cells_option
from deniable.cli.help import ending
from deniable.cli.options import (
    StoreUrl,
    force_option,
    output_option,
    revision_option,
    store_option,
)
from deniable.cli.output import CSV, target
from deniable.cli.stores import (
    answers_to,
    find_slug,
    find_survey,
    opened,
    others_told,
    tell_of_single_reports,
)
from deniable.cli.survey_files import file_of
from deniable.server.store import Store, files_of


@click.command(
    epilog=ending(
        "deniable export doping --output doping.csv",
        "deniable estimate examples/doping.yaml --reports doping.csv",
        "deniable export doping --into copy.db",
        "deniable estimate doping --store copy.db",
    )
)
@click.argument("slug", metavar="[SURVEY]", required=False)
@store_option
@revision_option
@output_option
@small_cells_option
@click.option(
    "--into",
    metavar="STORE",
    type=StoreUrl(),
    help="Copy the survey into another store instead, with all its revisions: a file such as "
    "copy.db, made if it does not exist. It may hold other surveys, but not this one.",
)
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
    force: bool,
) -> None:
    """Write a survey's noisy reports as CSV, or copy a survey.

    The CSV has a row for each respondent and a column for each item. The column of a randomised
    item ends in _noisy, because its cells are not answers. The cells of direct answers are empty in
    rows whose combination of them is rare; with --small-cells they are not. Rows are sorted by
    value, so that nothing shows who answered when. Each report is in it as soon as it arrives, also
    those that the desk does not show yet.

    With --into, the survey and its reports are copied into another store. SURVEY is the survey's
    name in its address, or its file. You can leave it out if the store has only one survey.
    """
    if into is not None:
        for name in ("revision", "output", "small_cells", "force"):
            if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                option = name.replace("_", "-")
                raise click.UsageError(f"--into and --{option} do not go together.")
        with opened(store) as reports:
            _copy(reports, find_slug(reports, slug), into)
        return
    place = target(output, CSV, force=force, others=[file_of(slug), *files_of(store)])
    with opened(store) as reports:
        survey = find_survey(reports, slug, revision)
        text = io.StringIO(newline="")
        write_reports(
            answers_to(reports, survey, revision),
            survey,
            text,
            least_cell=1 if small_cells else LEAST,
        )
        tell_of_single_reports(reports, survey.slug)
        for one in others_told(reports, survey, revision):
            click.echo(f"Note: {one}", err=True)
    place.write(text.getvalue())


def _copy(source: Store, slug: str, into: str) -> None:
    with opened(into, create=True) as second, source.copying(slug) as copy:
        count = second.adopt(copy)
        revisions = len(copy.revisions)
    click.echo(
        f"Copied {slug} into {second.name}: {count:,} report{'' if count == 1 else 's'} to "
        f"{revisions} revision{'' if revisions == 1 else 's'}."
    )
