"""``deniable ethics``: a page to print for an ethics board or a data-protection officer."""

from __future__ import annotations

from typing import Final

import click

from deniable.analysis.planning.advice import people_expected
from deniable.cli.estimate_options import respondents_option
from deniable.cli.help import ending
from deniable.cli.options import force_option, output_option
from deniable.cli.output import Kind, target
from deniable.cli.survey_files import file_of, read_survey_file, survey_path

_PAGE: Final = Kind(
    "a page to print",
    (".html", ".htm"),
    "for a PDF open the page in a browser and print it into a file",
)


@click.command(
    epilog=ending(
        "deniable new wellbeing -o wellbeing.yaml",
        "deniable ethics wellbeing.yaml -n 2000 -o ethics.html",
        "deniable ethics - < survey.yaml > ethics.html",
    )
)
@click.argument("survey", metavar="SURVEY", type=survey_path)
@respondents_option
@output_option
@force_option
def ethics_command(survey: str, respondents: int | None, output: str, *, force: bool) -> None:
    """Write what an ethics board asks of a survey, in HTML to print.

    SURVEY is a survey file (- is standard input). The page says what is asked, what leaves a
    device, how sure anybody could get, what is stored, who could break the protection, and how
    precise the answers will be. What no file can know is left blank.
    """
    # Here and not above: it loads what the help does not need.
    from deniable.publication.ethics import ethics_page  # noqa: PLC0415

    place = target(output, _PAGE, force=force, others=[file_of(survey)])
    file = read_survey_file(survey)
    page = ethics_page(file.survey, people_expected(file.plan, respondents), text=file.text)
    place.write(page)
