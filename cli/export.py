"""``deniable export``: the noisy reports of a store, as a CSV."""

from __future__ import annotations

import io

import click

from deniable.analysis.reports_csv import write_reports
from deniable.cli.help import ending
from deniable.cli.options import output_option, revision_option, store_option
from deniable.cli.output import write
from deniable.cli.stores import find_survey, opened


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
def export_command(slug: str | None, store: str, revision: str | None, output: str) -> None:
    """Write a survey's noisy reports as CSV.

    There is a row for each respondent and a column for each item. The column of a randomised item
    ends in _noisy, because its cells are no answers. Rows are sorted by value, so that nothing
    shows who answered when. SURVEY is its name in the address; it may be left out if the store has
    one only.
    """
    with opened(store) as reports:
        survey = find_survey(reports, slug, revision)
        text = io.StringIO(newline="")
        write_reports(reports.answers(survey.slug, survey.revision), survey, text)
    write(output, text.getvalue())
