"""``deniable sheet``: a survey on paper, which people randomise with coins, a die or a disc."""

from typing import Final

import click

from deniable import coins, paper
from deniable.cli.help import ending
from deniable.cli.options import force_option, output_option
from deniable.cli.output import FileType, target
from deniable.cli.survey_files import read_survey_file, survey_path
from deniable.survey import Survey

MAX_SHEETS: Final = 5000

_PAGE: Final = FileType(
    "a page to print",
    (".html", ".htm"),
    "for a PDF open the page in a browser and print it into a file",
)


@click.command(epilog=ending("deniable sheet survey.yaml -o sheet.html", "paper"))
@click.argument("survey", metavar="SURVEY", type=survey_path)
@click.option(
    "--language",
    metavar="LANGUAGE",
    help="One of the survey's languages. By default the first one.",
)
@click.option(
    "-n",
    "--sheets",
    "count",
    type=click.IntRange(1, MAX_SHEETS),
    help="How many to print, where chance draws what each sheet asks.",
)
@output_option
@force_option
def sheet_command(
    survey: str, language: str | None, count: int | None, output: str, *, force: bool
) -> None:
    """Write a survey as a sheet to print, in HTML."""
    # Here and not above: it loads what the help does not need.
    from deniable.server.respondent.sheet import sheet_page  # noqa: PLC0415

    place = target(output, _PAGE, force=force, others=[survey])
    named = read_survey_file(survey)
    if not paper.places_on_sheet(named.survey):
        raise click.ClickException(
            f"{named.source}: no question can be answered on paper. {_why_not(named.survey)}"
        )
    drawn: list[frozenset[int] | None] = [None]
    if paper.draws_on_sheet(named.survey):
        if count is None:
            raise click.UsageError("chance draws what each sheet asks: give their number with -n")
        drawn = [*paper.draw_sheets(named.survey, count)]
    elif count is not None:
        raise click.UsageError("all sheets are the same: leave -n out, and print it as often")
    languages = named.survey.languages
    if language is not None and language not in languages:
        raise click.ClickException(
            f"{named.source}: expected a language of {', '.join(languages)}, found {language!r}"
        )
    for warning in (*paper.rare_by_hand(named.survey), *paper.left_off_sheets(named.survey)):
        click.echo(f"{named.source}: warning: {warning}", err=True)
    language = language or languages[0]
    place.write(sheet_page(named.survey, standalone=True, language=language, drawn=drawn))


def _why_not(survey: Survey) -> str:
    """Say why no question of a survey works on paper, and which command names another way."""
    told = [*paper.left_off_sheets(survey)]
    if ids := [
        question.id
        for question in survey.questions
        if paper.asking(survey, question) is paper.Asking.NOT_MAKEABLE
    ]:
        told.append(f"No coin, die or disc has the chances of {', '.join(ids)}.")
    if any(map(coins.can_be_forced, survey.items)):
        told.append("'deniable check' names the nearest flip or design that can be made by hand.")
    return " ".join(told)
