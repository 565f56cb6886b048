"""``deniable plan``: how many people to ask, and how precise the answers will be."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import click

from deniable import exact, survey_file
from deniable.analysis.planning.advice import people_expected
from deniable.analysis.planning.alternatives import DESIGNS, SPLITS, Spend, redesign
from deniable.analysis.planning.budgets import Measure
from deniable.analysis.planning.ways import Goal, Way, nearest, ways
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
from deniable.cli.output import Target, target
from deniable.cli.survey_files import STDIN, file_of, read_survey_file, survey_path
from deniable.results.plan import missed, ways_result
from deniable.results.result import Result
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
@click.option(
    "--best",
    "is_best",
    is_flag=True,
    help="The best ways to reach two of -n, --within, and --one-at-most or --all-at-most.",
)
@click.option(
    "--one-at-most",
    "one",
    metavar="S",
    type=click.FloatRange(50, 99),
    help="With --best: how sure somebody may get, in 100, of one answer.",
)
@click.option(
    "--all-at-most",
    "together",
    metavar="S",
    type=click.FloatRange(50, 99),
    help="With --best: the same of all protected answers together; in waves, while they stay.",
)
@click.option(
    "--use",
    metavar="WAY",
    type=click.IntRange(min=1),
    help="With --best: write the keys of this way into SURVEY. Its other lines stay as they are.",
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
    is_best: bool,
    one: float | None,
    together: float | None,
    use: int | None,
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
    _check_best(spend, is_best=is_best, of_best=bool(one or together or use))
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
        if is_best:
            goal = _goal(named, within, respondents, one, together)
            planned, unreached = _best(survey, named, goal, wanted.measure, use)
        else:
            spent = redesign(named, spend).survey
            planned, unreached = planner.plan(spent, wanted).result, ""
    except ValueError as mistake:
        raise click.UsageError(f"{at_command(mistake)}.") from None
    write_result(place, form, planned)
    if unreached:
        raise click.ClickException(unreached)


def _best(
    path: str, named: survey_file.SurveyFile, goal: Goal, measure: Measure, use: int | None
) -> tuple[Result, str]:
    """Return the best ways to spend ε, and a message if none reaches the goal; empty otherwise."""
    found = ways(named, goal, measure)
    near = None if found[1:] else nearest(named, goal, measure)
    if near is None:
        _use(path, found, use)
        if not found[1:]:
            click.echo("No way that was tried is better than the file as it is.", err=True)
    unreached = "" if near is None else f"{missed(goal, near, measure)}."
    return ways_result(named.survey, found, measure), unreached


def _goal(
    named: survey_file.SurveyFile,
    within: float | None,
    people: int | None,
    one: float | None,
    together: float | None,
) -> Goal:
    """Return the goal of the best ways; beside protection, one of width and people is enough."""
    plan, is_enough = named.plan, bool(one or together)
    if people is None and not (is_enough and within):
        people = plan.people
    if within is None and plan.within and not (is_enough and people):
        within = float(plan.within / 100)
    return Goal(within, people, one, together)


def _check_best(spend: Spend, *, is_best: bool, of_best: bool) -> None:
    """Reject options that do not go with --best, or not without it."""
    if is_best and spend != Spend():
        raise click.UsageError("--best tries ways to spend ε: leave out those of your own.")
    if of_best and not is_best:
        raise click.UsageError("--one-at-most, --all-at-most and --use need --best.")


def _check_detect(detect: tuple[float, float], power: float, level: float) -> None:
    """Reject differences that no test can find; errors are in percent, as the user typed."""
    if detect[0] == detect[1]:
        raise click.UsageError(f"--detect: expected two shares, found {100 * detect[0]:g} twice.")
    if power <= 1 - level:
        raise click.UsageError(
            f"--power: expected more than the {100 * (1 - level):.4g}% of tests that find a "
            f"difference where none is, found {100 * power:g}."
        )


def _use(path: str, found: Sequence[Way], number: int | None) -> None:
    """Write the way with this number, if any, into its file; keep a byte-order mark."""
    if number is None:
        return
    if path == STDIN:
        raise ValueError("--use writes into a file: name it instead of -")
    if number >= len(found):
        raise ValueError(f"expected a way from 1 to {len(found) - 1}, found {number}")
    mark = codecs.BOM_UTF8 if Path(path).read_bytes().startswith(codecs.BOM_UTF8) else b""
    Target(path, force=True).write(mark + found[number].text.encode())
    click.echo(f"Written into {path}: {found[number].keys}", err=True)
