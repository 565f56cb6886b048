"""``deniable sheet``: a survey on paper, to be randomised with coins, a die or cards."""

from __future__ import annotations

import click

from deniable import paper
from deniable.cli.help import ending
from deniable.cli.options import force_option, output_option
from deniable.cli.output import KINDS, target
from deniable.cli.survey_files import read_survey_file, survey_path
from deniable.server.advice import rare_by_hand
from deniable.server.sheet import sheet_page


@click.command(
    epilog=ending(
        "deniable sheet examples/doping.yaml -o sheet.html",
        "deniable sheet examples/journeys.yaml --language de -o bogen.html",
        "deniable sheet - < survey.yaml > sheet.html",
    )
)
@click.argument("survey", metavar="SURVEY", type=survey_path)
@click.option(
    "--language",
    metavar="LANGUAGE",
    help="One of the survey's languages; by default the first.",
)
@output_option
@force_option
def sheet_command(survey: str, language: str | None, output: str, *, force: bool) -> None:
    """Write a survey as a sheet to print, in HTML.

    People randomise their answers themselves, as the sheet tells them: with a coin, a die or cards.
    What cannot be randomised by hand is left out, and the sheet says so; 'deniable check' says what
    could be asked instead.
    """
    place = target(output, KINDS["sheet"], force=force, others=[survey])
    named = read_survey_file(survey)
    if not paper.places_on_sheet(named.survey):
        raise click.ClickException(
            f"{named.source}: no question can be answered on paper; 'deniable check' says which "
            "flip or design is the nearest that hands can make"
        )
    languages = named.survey.languages
    if language is not None and language not in languages:
        raise click.ClickException(
            f"{named.source}: expected a language of {', '.join(languages)}, found {language!r}"
        )
    for warning in rare_by_hand(named.survey):
        click.echo(f"{named.source}: warning: {warning}", err=True)
    place.write(sheet_page(named.survey, standalone=True, language=language or languages[0]))
