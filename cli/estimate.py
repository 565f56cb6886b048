"""``deniable estimate``: from noisy reports to rates with intervals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import click
from click.core import ParameterSource

from deniable import analysis as da
from deniable import study
from deniable.analysis.counts.pooling import rows_of_reports
from deniable.analysis.counts.reports_csv import reports_of
from deniable.analysis.privacy.columns import margins_for
from deniable.analysis.privacy.disclosure import LEAST
from deniable.cli.estimate_options import (
    KINDS,
    form_of,
    format_option,
    level_option,
    method_option,
    small_cells_option,
    tally_option,
    unweighted_option,
    write_result,
)
from deniable.cli.help import ending
from deniable.cli.options import Reports, force_option, output_option, revision_option, store_option
from deniable.cli.output import target
from deniable.cli.stores import planned_for, reports_in
from deniable.cli.studies import from_csv, read_tally
from deniable.cli.survey_files import file_of
from deniable.results.changes import tables
from deniable.results.result import Result
from deniable.results.rows import lay_out
from deniable.server.store import files_of
from deniable.survey.grouped import ColumnsRead

if TYPE_CHECKING:
    from deniable.study.weighing import Margins

_HIDDEN: Final = "--small-cells shows what – hides of a direct answer."


@click.command(epilog=ending("deniable estimate survey.yaml --reports noise.csv", "results"))
@click.argument("survey", metavar="[SURVEY]", required=False)
@click.option(
    "--reports",
    metavar="FILE",
    multiple=True,
    type=Reports(),
    help="A CSV of noisy reports, as 'export' and 'simulate' write it, or of the ticks on paper "
    "sheets. SURVEY is then the survey's file. Several files are counted together. Or the address "
    "of a desk, with a token in DENIABLE_TOKEN.",
)
@store_option
@revision_option
@tally_option
@level_option
@method_option
@small_cells_option
@unweighted_option
@format_option
@output_option
@force_option
@click.pass_context
def estimate_command(  # noqa: PLR0913  a command has options
    ctx: click.Context,
    *,
    survey: str | None,
    reports: tuple[str, ...],
    store: str,
    revision: str | None,
    file: str | None,
    level: float,
    method: str,
    small_cells: bool,
    unweighted: bool,
    form: str | None,
    output: str,
    force: bool,
) -> None:
    """Estimate the share of every answer and every number's mean."""
    form = form_of(form, output)
    # The environment names a store for all commands; it counts only if no other source is given.
    typed = ctx.get_parameter_source("store") is ParameterSource.COMMANDLINE or revision is not None
    given = [*reports, *([] if file is None else [file])]
    if given and typed:
        option = "--reports" if reports else "--tally"
        raise click.UsageError(f"{option} cannot be used with --store or --revision.")
    if reports and file is not None:
        raise click.UsageError("--reports and --tally do not go together.")
    used = [file_of(survey), *(given or files_of(store))]
    place = target(output, KINDS[form], force=force, others=used)
    least = 1 if small_cells else LEAST
    if file is not None:
        found = study.CountedStudy.of(read_tally(file, survey), file, least)
    elif not reports:
        found = _from_store(store, survey, revision, small_cells=small_cells, unweighted=unweighted)
    elif survey is None:
        raise click.UsageError("--reports needs the file of the survey: SURVEY is missing.")
    else:
        with from_csv(survey, reports) as (_, chunks, planned, columns):
            if not small_cells:
                least = max(least, planned.hide_below or 0)
            margins = {} if unweighted else planned.population
            found = _from_reports(columns, chunks, margins, least)
    if not found.n:
        there_are_none = f"{found.survey.slug!r} has no reports yet."
        raise click.ClickException(" ".join([there_are_none, *found.others]))
    results = found.estimates(level, method)
    items = (item for one in results.results for each in one.questions for item in each.items)
    said = [*found.others, *([_HIDDEN] if any(item.has_hidden for item in items) else [])]
    write_result(place, form, Result(tables(results, said), lay_out(results)))


def _from_reports(
    columns: ColumnsRead, chunks: Iterable[bytes], planned: Margins, least: int
) -> study.CountedStudy:
    """Tally reports of files; keep their rows too for a weighting."""
    survey, kept = reports_of(chunks, columns)
    margins, lacking = margins_for(planned, survey)
    return study.CountedStudy(
        survey,
        da.count_waves([kept], survey),
        read_reports=lambda: study.Study.shown(rows_of_reports(survey, [kept], least), "", margins),
        min_cell_size=least,
        margins=margins,
        others=(f"Nothing is weighted: {lacking}.",) if lacking else (),
    )


def _from_store(
    url: str, slug: str | None, revision: str | None, *, small_cells: bool, unweighted: bool
) -> study.CountedStudy:
    """Tally a survey's reports in a store; read their rows too for a weighting."""
    with reports_in(url, slug, revision, small_cells=small_cells) as (store, received):
        planned = planned_for(store, received.survey, slug, revision)
        margins = {} if unweighted else planned.population
        found = received.study(received.tallies(), margins=margins)
        if margins:
            found.reports  # noqa: B018  read while the store is open
        return found
