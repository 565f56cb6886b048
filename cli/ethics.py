"""``deniable ethics``: a page to print for an ethics board or a data-protection officer."""

from typing import Final

import click

from deniable.analysis.planning.advice import people_expected
from deniable.cli.estimate_options import respondents_option
from deniable.cli.help import ending
from deniable.cli.options import force_option, output_option
from deniable.cli.output import FileType, target
from deniable.cli.survey_files import file_of, read_survey_file, survey_path

_PAGE: Final = FileType(
    "a page to print, or Markdown",
    (".html", ".htm", ".md"),
    "for a PDF open the page in a browser and print it into a file",
)


@click.command(epilog=ending("deniable ethics survey.yaml -o ethics.html", "law"))
@click.argument("survey", metavar="SURVEY", type=survey_path)
@respondents_option
@click.option(
    "--preregistration",
    is_flag=True,
    help="Write the plan for a registry instead, with the hypotheses blank.",
)
@click.option(
    "--language",
    metavar="CODE",
    default="",
    help="Of the survey's texts, one of its languages; by default its first.",
)
@output_option
@force_option
def ethics_command(
    survey: str,
    respondents: int | None,
    language: str,
    output: str,
    *,
    preregistration: bool,
    force: bool,
) -> None:
    """Write the ethics packet of a survey, in HTML or Markdown."""
    # Here and not above: it loads what the help does not need.
    from deniable.publication.board.markdown import markdown  # noqa: PLC0415
    from deniable.publication.ethics import Submission  # noqa: PLC0415
    from deniable.server.web.words import words  # noqa: PLC0415

    place = target(output, _PAGE, force=force, others=[file_of(survey)])
    file = read_survey_file(survey)
    asked, people = file.survey, people_expected(file.plan, respondents)
    if language and language not in asked.languages:
        raise click.BadParameter(
            f"expected one of {', '.join(asked.languages)}, found {language!r}",
            param_hint="'--language'",
        )
    sent = Submission(asked, people, file.text, language, words=words)
    page = sent.page("preregistration" if preregistration else "ethics")
    place.write(markdown(page) if place.ending == "md" else page)
