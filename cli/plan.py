"""``deniable plan``: how many people to ask, and how precise the answers will be."""

from __future__ import annotations

import click

from deniable.analysis.formats import FORMATS
from deniable.cli.estimate_options import KINDS, form_of, format_option, level_option
from deniable.cli.help import ending
from deniable.cli.options import force_option, output_option
from deniable.cli.output import target
from deniable.cli.survey_files import file_of, read_survey_file, survey_path
from deniable.study import planner


class _Points(click.ParamType[float]):
    """Percentage points, above 0: 5 or 5%."""

    name = "points"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the part of 1."""
        try:
            points = float(str(value).removesuffix("%")) / 100
        except ValueError:
            points = -1.0
        if not 0 <= points <= 1:
            self.fail(f"{value!r} is not a number of percent from 0 to 100, such as 5.", param, ctx)
        return points


@click.command(
    epilog=ending(
        "deniable plan examples/doping.yaml --within 5",
        "deniable plan examples/doping.yaml --detect 10 25 --power 90",
        "deniable plan examples/wellbeing.yaml -n 3000 -o plan.csv",
    )
)
@click.argument("survey", type=survey_path)
@click.option(
    "--respondents",
    "-n",
    metavar="N",
    type=click.IntRange(min=1),
    default=planner.PLANNED,
    show_default=True,
    help="How many people you expect to take part.",
)
@click.option(
    "--within",
    metavar="POINTS",
    type=_Points(),
    help="How many people it takes for intervals of plus or minus so many percentage points.",
)
@click.option(
    "--detect",
    metavar="PERCENT PERCENT",
    type=_Points(),
    nargs=2,
    help="How many people it takes, in two groups together, to tell these two shares apart.",
)
@click.option(
    "--power",
    metavar="PERCENT",
    type=_Points(),
    default="80",
    show_default=True,
    help="With --detect: how often the difference is then found.",
)
@level_option
@format_option
@output_option
@force_option
def plan_command(  # noqa: PLR0913  a command has options
    *,
    survey: str,
    respondents: int,
    within: float | None,
    detect: tuple[float, float] | None,
    power: float,
    level: float,
    form: str | None,
    output: str,
    force: bool,
) -> None:
    """Say how many people to ask, and how precise the answers will be.

    SURVEY is a survey file (- is standard input). Each of its items gets a row. People who are
    asked only some of the questions count as respondents too.
    """
    form = form_of(form, output)
    place = target(output, KINDS[form], force=force, others=[file_of(survey)])
    named = read_survey_file(survey).survey
    try:
        planned = planner.plan(
            named, respondents, within=within, detect=detect, power=power, level=level
        )
    except ValueError as mistake:
        raise click.UsageError(f"{mistake}.") from None
    if form == "table":
        place.show(*planned.table)
    else:
        place.write(FORMATS[form].write(planned.export))
