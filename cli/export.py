"""``deniable export``: the noisy reports of a store, as a CSV."""

from __future__ import annotations

import io

import click

from deniable.analysis.reports_csv import write_reports
from deniable.cli.help import ending
from deniable.cli.options import force_option, output_option, revision_option, store_option
from deniable.cli.output import KINDS, target
from deniable.cli.stores import files_of, find_survey, opened
from deniable.cli.survey_files import file_of


@click.command(
    epilog=ending(
        "deniable export doping --output doping.csv",
        "deniable estimate examples/doping.yaml --reports doping.csv",
    )
)
@click.argument("slug", metavar="[SURVEY]", required=False)
@store_option
@revision_option
@output_option
@force_option
def export_command(
    slug: str | None, store: str, revision: str | None, output: str, *, force: bool
) -> None:
    """Write a survey's noisy reports as CSV.

    There is a row for each respondent and a column for each item. The column of a randomised item
    ends in _noisy, because its cells are no answers. Rows are sorted by value, so that nothing
    shows who answered when. SURVEY is its name in the address, or its file; it may be left out
    if the store has one only.
    """
    place = target(output, KINDS["csv"], force=force, others=[file_of(slug), *files_of(store)])
    with opened(store) as reports:
        survey = find_survey(reports, slug, revision)
        text = io.StringIO(newline="")
        write_reports(reports.answers(survey.slug, survey.revision), survey, text)
    place.write(text.getvalue())
