"""``deniable plan``: how many people to ask, and how precise the answers will be."""

from __future__ import annotations

from fractions import Fraction

import click

from deniable import exact
from deniable.analysis.planning.advice import people_expected
from deniable.analysis.planning.alternatives import DESIGNS, SPLITS, Spend, redesign
from deniable.cli.estimate_options import (
    KINDS,
    form_of,
    format_option,
    level_option,
    respondents_option,
    write_result,
)
from deniable.cli.failures import blamed
from deniable.cli.help import ending
from deniable.cli.options import force_option, output_option, percent_type
from deniable.cli.output import target
from deniable.cli.survey_files import file_of, read_survey_file, survey_path
from deniable.study import planner
from deniable.text.doors import at_command


def _exact(value: str) -> Fraction:
    with blamed(kind=click.BadParameter):
        return exact.fraction(value)


@click.command(epilog=ending("deniable plan survey.yaml --within 5", "plan"))
@click.argument("survey", type=survey_path)
@respondents_option
@click.option(
    "--within",
    metavar="POINTS",
    type=percent_type("percentage points", 5, " points"),
    help="How many people it takes for intervals of plus or minus so many percentage points.",
)
@click.option(
    "--detect",
    metavar="PERCENT PERCENT",
    type=percent_type(zero=True),
    nargs=2,
    help="How many people it takes, in two groups together, to tell these two shares apart.",
)
@click.option(
    "--power",
    metavar="PERCENT",
    type=percent_type(below=True),
    default="80",
    show_default=True,
    help="With --detect: how often the difference is then found.",
)
@click.option(
    "--first",
    metavar="PERCENT",
    type=percent_type(below=True),
    default="50",
    show_default=True,
    help="With --detect: how many of the people are in the first group.",
)
@click.option(
    "--design-effect",
    metavar="D",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="How many times as large variances are as in a simple random sample, such as 1.5 if "
    "whole classes take part. With weights, 1 plus the squared ratio of their deviation to their "
    "mean.",
)
@click.option(
    "--applies",
    metavar="PERCENT",
    type=percent_type(),
    help="How many give a number that they can decline, and to how many a question applies that "
    "needs another answer; of all such questions alike. By default as the file's plan says, else "
    "100.",
)
@click.option(
    "--prior",
    metavar="PERCENT",
    type=percent_type(below=True),
    help="How likely somebody thought a true answer: then the plan says what it can become.",
)
@click.option(
    "--epsilon",
    metavar="E",
    type=_exact,
    help="With another ε of the whole survey.",
)
@click.option("--split", type=click.Choice(SPLITS), help="With ε split otherwise.")
@click.option(
    "--ask",
    metavar="R",
    type=click.IntRange(min=1),
    help="With so many of the questions asked of each person, drawn at random.",
)
@click.option("--family", type=click.Choice(DESIGNS), help="With another family of designs.")
@click.option(
    "--flip",
    "flips",
    metavar="QUESTION P",
    type=(str, _exact),
    multiple=True,
    help="With another flip probability of a question.",
)
@level_option
@format_option
@output_option
@force_option
def plan_command(  # noqa: PLR0913  a command has options
    *,
    survey: str,
    respondents: int | None,
    within: float | None,
    detect: tuple[float, float] | None,
    power: float,
    first: float,
    design_effect: float,
    applies: float | None,
    prior: float | None,
    epsilon: Fraction | None,
    split: str | None,
    ask: int | None,
    family: str | None,
    flips: tuple[tuple[str, Fraction], ...],
    level: float,
    form: str | None,
    output: str,
    force: bool,
) -> None:
    """Say how many people to ask, and how precise the answers will be."""
    form = form_of(form, output)
    place = target(output, KINDS[form], force=force, others=[file_of(survey)])
    named = read_survey_file(survey)
    given = {"within": within, "detect": detect, "prior": prior, "applies": applies}
    spend = Spend(epsilon, split, ask, family, flips)
    try:
        wanted = planner.wanted_of(
            named.survey,
            named.plan,
            people_expected(named.plan, respondents),
            **{key: value for key, value in given.items() if value is not None},
            **{"power": power, "level": level, "design_effect": design_effect, "first": first},
        )
        if wanted.detect is not None:
            _check_detect(wanted.detect, power, level)
        planned = planner.plan(redesign(named, spend).survey, wanted).result
    except ValueError as mistake:
        raise click.UsageError(f"{at_command(mistake)}.") from None
    write_result(place, form, planned)


def _check_detect(detect: tuple[float, float], power: float, level: float) -> None:
    """Reject differences that no test can find; errors are in percent, as the user typed."""
    if detect[0] == detect[1]:
        raise click.UsageError(f"--detect: expected two shares, found {100 * detect[0]:g} twice.")
    if power <= 1 - level:
        raise click.UsageError(
            f"--power: expected more than the {100 * (1 - level):.4g}% of tests that find a "
            f"difference where none is, found {100 * power:g}."
        )
