"""``deniable enter``: sheets that were answered on paper, into a store."""

from typing import Final

import click

from deniable.cli.help import ending
from deniable.cli.options import store_option
from deniable.cli.stores import opened
from deniable.cli.survey_files import STDIN, read_survey_file, survey_path
from deniable.server.desk.paper.importer import (
    EnteredBeforeError,
    EntryError,
    enter_sheets,
    read_sheets,
)
from deniable.server.store import Store
from deniable.survey import Survey
from deniable.survey.document import fingerprint_of
from deniable.text.safety import counted

_SHOWN: Final = 50
"""Mistakes that are named."""


@click.command(
    epilog=ending(
        "deniable new doping -o doping.yaml",
        "deniable sheet doping.yaml -o sheet.html",
        "deniable enter doping.yaml sheets.csv --store doping.db",
        "deniable estimate doping --store doping.db",
    )
)
@click.argument("survey", metavar="SURVEY", type=survey_path)
@click.argument("sheets", metavar="SHEETS", type=survey_path)
@store_option
@click.option(
    "--again",
    is_flag=True,
    help="Enter the sheets even if the very same ones were entered before. Then they count twice.",
)
def enter_command(survey: str, sheets: str, store: str, *, again: bool) -> None:
    """Enter sheets that were answered on paper.

    SURVEY is the file that the sheets were printed from. Its fingerprint is at the foot of each
    sheet. SHEETS is a CSV as 'deniable export' writes it. It has a row for each sheet and a column
    for each item, with the code of the answer that was ticked. Commas, semicolons or tabs separate
    the cells. A sheet with a missing answer cannot be entered. Leave it out, and report how many
    you left out.

    Each sheet becomes a report with a random id. If there is a mistake, no sheet is stored, and
    every wrong cell is named. The very same sheets are not entered twice, unless you say --again.
    """
    if survey == sheets == STDIN:
        raise click.UsageError("only one of the survey and its sheets can be standard input.")
    named = read_survey_file(survey)
    source = "<stdin>" if sheets == STDIN else sheets
    found = named.survey
    try:
        with click.open_file(sheets, encoding="utf-8") as lines:
            answers = read_sheets(lines, found)
    except EntryError as mistake:
        shown = [f"{source}: {one}" for one in mistake.mistakes[:_SHOWN]]
        if len(mistake.mistakes) > _SHOWN:
            shown.append(f"{source}: and {len(mistake.mistakes) - _SHOWN:,} more mistakes")
        raise click.ClickException("\n".join(shown)) from None
    with opened(store, create=True) as reports:
        found = _prepare(reports, found)
        try:
            enter_sheets(reports, found, answers, again=again)
        except EnteredBeforeError:
            raise click.ClickException(
                f"{reports.name}: the very same sheets were entered before. If this is another "
                "pile, on which people happened to answer the same, give --again"
            ) from None
        except EntryError as mistake:
            raise click.ClickException(f"{reports.name}: {mistake}") from None
        count = reports.count(found.slug, found.revision)
    click.echo(
        f"Entered {counted(len(answers), 'sheet')} to {found.slug}, {found.fingerprint}, "
        f"which now has {counted(count, 'report')}."
    )


def _prepare(store: Store, survey: Survey) -> Survey:
    """Return the very revision that the sheets were printed from, which the store has then."""
    if survey.slug not in {record.survey.slug for record in store.surveys()}:
        return store.register(survey)
    known = store.revisions(survey.slug)
    if survey.revision not in known:
        others = ", ".join(map(fingerprint_of, known))
        raise click.ClickException(
            f"{store.name}: has no revision {survey.fingerprint} of {survey.slug!r}, as this file "
            f"is, but {others}. Give the file that the sheets were printed from"
        )
    return survey
