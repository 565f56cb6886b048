"""Options of the commands that estimate: which intervals, and in which format.

They are apart from the options of all commands, because they need names from the analysis, which
takes longer to load than most other commands take to run.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click

from deniable.analysis import intervals
from deniable.analysis.planning.advice import PLANNED
from deniable.analysis.privacy.disclosure import LEAST
from deniable.cli.options import percent_type
from deniable.cli.output import FileType, Target, target
from deniable.results.files import FORMATS
from deniable.results.result import FIGURES, Result

KINDS: Final = {
    "table": FileType("a table for people", (".txt",), f"{', '.join(FORMATS)} can be written too"),
    **{name: FileType(f"a {each.title} file", (f".{name}",)) for name, each in FORMATS.items()},
}
"""The kind of a file of estimates, by its format."""

_FIGURE: Final = FileType("a figure", tuple(f".{ending}" for ending in FIGURES))
"""A figure, whose ending decides its format."""


level_option = click.option(
    "--level",
    metavar="PERCENT",
    type=percent_type("a level in percent", 95, below=True),
    default="95",
    show_default=True,
    help="Confidence level of each interval.",
)

method_option = click.option(
    "--method",
    type=click.Choice(intervals.NAMES),
    default=intervals.DEFAULT,
    show_default=True,
    help="Kind of interval of a share: auto is feldman-cousins where one proportion tells it and "
    "tail where not, feldman-cousins and exact never cover too rarely, wald is the textbook's.",
)

respondents_option = click.option(
    "--respondents",
    "-n",
    metavar="N",
    type=click.IntRange(min=1),
    help="How many people you expect to take part, if not as many as the file says under 'plan', "
    f"or {PLANNED:,}.",
)

tally_option = click.option(
    "--tally",
    "file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="A tally, as 'tally' writes it, in place of the reports. It knows its survey, and is "
    "refused if you name another one.",
)

small_cells_option = click.option(
    "--small-cells",
    is_flag=True,
    help=f"Show direct answers that fewer than {LEAST} people gave as well. Readers may "
    "know who these people are.",
)

unweighted_option = click.option(
    "--unweighted",
    is_flag=True,
    help="Count each respondent alike, also where the survey's file plans margins.",
)

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["table", *FORMATS]),
    help="Output for people, spreadsheets or programs.  [default: by the ending of --output: "
    f"{', '.join(ending for name in ('table', *FORMATS) for ending in KINDS[name].endings)}; "
    "otherwise table]",
)


def form_of(form: str | None, output: str) -> str:
    """Return the chosen format, or else the one that the file's ending names.

    >>> form_of(None, "shares.csv"), form_of(None, "-"), form_of("json", "-")
    ('csv', 'table', 'json')
    """
    named = (each for each in FORMATS if output.lower().endswith(KINDS[each].endings))
    return form or next(named, "table")


def write_result(place: Target, form: str, result: Result) -> None:
    """Write a result in a format, or print it for people."""
    if form == "table":
        place.show(*result.parts)
    else:
        place.write(FORMATS[form].write(result.export))


def figure_target(path: str, *, force: bool, others: Iterable[str | None]) -> Target:
    """Check the path of a figure, as `target` does; a name without an ending is an error."""
    endings = _FIGURE.endings
    if Path(path).suffix.lower() not in endings:
        raise click.UsageError(
            f"--figure {path}: expected a name that ends in {' or '.join(endings)}, which says how "
            "it is drawn."
        )
    return target(path, _FIGURE, force=force, others=others, option="--figure")
