"""``deniable analyse``: rates and regressions from randomised responses collected anywhere."""

from __future__ import annotations

from collections.abc import Collection
from types import SimpleNamespace
from typing import Any, Final

import click
from click.core import ParameterSource

from deniable import designs, study
from deniable.cli.elsewhere import collected, columns_named, explained, of_file, refuse_data
from deniable.cli.estimate_options import (
    KINDS,
    figure_target,
    form_of,
    format_option,
    level_option,
    method_option,
    tally_option,
    unweighted_option,
    write_result,
)
from deniable.cli.failures import blamed
from deniable.cli.help import ending
from deniable.cli.options import Reports, force_option, output_option, revision_option, store_option
from deniable.cli.output import STDOUT, target
from deniable.cli.studies import Named, read_tally, study_of
from deniable.reanalysis.methods import METHODS
from deniable.results.result import Result
from deniable.server.store import files_of
from deniable.study.regression import ENDS, ERRORS, LINKS

_ELSEWHERE: Final = tuple(dict.fromkeys(name for one in METHODS for name in one.designs))


@click.command(epilog=ending("deniable analyse survey.yaml --item error --by ward", "analysis"))
@click.argument("data", metavar="DATA")
@click.option(
    "--reports",
    metavar="FILE",
    type=Reports(),
    help="A CSV of noisy reports, as 'export' and 'simulate' write it. DATA is then the file of "
    "its survey. Or the address of a desk, with a token in DENIABLE_TOKEN.",
)
@click.option(
    "--dictionary",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="Which column of DATA is which design, as YAML or CSV. DATA is then asked as a survey is, "
    "by --item, --cross, --formula and the like.",
)
@tally_option
@store_option
@revision_option
@click.option("--item", metavar="ITEM", help="Of a survey: the item to estimate.")
@click.option(
    "--cross",
    metavar="ITEM ITEM",
    nargs=2,
    help="Of a survey: two items, to estimate the share of each pair of answers.",
)
@click.option(
    "--correlate",
    metavar="ITEM ITEM",
    nargs=2,
    help="Of a survey: two items, to estimate the correlation of numbers or of two answers.",
)
@click.option(
    "--ratio",
    type=click.Choice(["shares", "odds"]),
    help="Of a survey, with --item and --by: how many times as great these are in one group as in "
    "another.",
)
@click.option(
    "--wave",
    metavar="WAVE",
    type=click.IntRange(min=1),
    help="Of a survey that is asked again: the reports of this wave alone. By default the mean "
    "over the waves; --cross and --formula need one.",
)
@click.option(
    "--weights",
    metavar="COLUMN",
    help="How many people each respondent stands for: a column of the data or of --reports, or a "
    "direct item of the survey; so are the next two.",
)
@click.option("--strata", metavar="COLUMN", help="The strata that people were drawn in.")
@click.option(
    "--clusters",
    metavar="COLUMN",
    help="What was drawn as a whole, such as schools.",
)
@click.option(
    "--margins",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="A CSV with the columns question, answer and people: how many of the population, or which "
    "part of it, gave each answer. Weights are post-stratified to one question, raked to several.",
)
@click.option(
    "--trim",
    metavar="TIMES",
    type=float,
    help="No weight may be more than this times the mean weight.",
)
@unweighted_option
@click.option("--column", metavar="NAME", help="The column of the randomised responses.")
@click.option(
    "--formula",
    metavar="FORMULA",
    help='Regress the responses on other columns: "response ~ covariates", as in R. A column '
    "such as cov.age can be written age if that is unambiguous.",
)
@click.option(
    "--design",
    metavar="DESIGN",
    help='How the responses were randomised: a design by name, with its parameters: "warner: '
    '{flip: 0.3}". '
    f"One of {', '.join(designs.BY_NAME)}; or one that only data from elsewhere have: "
    f"{', '.join(_ELSEWHERE)}.",
)
@click.option(
    "--codes",
    metavar="CODE,...",
    help="The values in the column, in the order of the design's reports; two that say no and yes "
    "in either order. By default 0,1 or no,yes or false,true, or whole numbers in order (0 and 1 "
    "for two reports).",
)
@click.option(
    "--yes",
    metavar="CODE",
    help="Of two --codes, the one that is the design's yes, where their words do not say it.",
)
@click.option(
    "--by",
    metavar="COLUMN",
    help="Estimate within each group of this column, or of this item of the survey, and compare "
    "the groups.",
)
@click.option(
    "--values",
    metavar="NUMBER,...",
    help="What each truth counts for, to estimate their mean.",
)
@click.option(
    "--arm",
    metavar="COLUMN",
    help="The column that says in which of several arms of the design each person was. With "
    "--list: who had the long list.",
)
@click.option(
    "--arms",
    metavar="CODE,...",
    help="The values in that column, in the order of the design's arms; of lists short, long.",
)
@click.option(
    "--list",
    "lists",
    metavar="COLUMN",
    help="A list experiment (item count): how many statements each person counted.",
)
@click.option(
    "--second-list",
    metavar="COLUMN",
    help="With --list: the counts of a second list, long for those whose first list was short.",
)
@click.option(
    "--direct",
    metavar="COLUMN",
    help="With --list: what each person answered when asked directly. Both are then combined.",
)
@click.option(
    "--nuisance",
    metavar="FORMULA",
    help="With --arm: what the design's own unknown (who lies, who cheats) depends on, such as "
    '"~ age"; by default it is the same for everyone.',
)
@click.option(
    "--within",
    metavar="COLUMN",
    help="With --formula: what people have in common, such as their school. Each group then has a "
    "random intercept.",
)
@click.option(
    "--link",
    type=click.Choice(LINKS),
    default=LINKS[0],
    show_default=True,
    help="With --formula: the link of the regression. identity is linear regression of the mean of "
    "a survey's number; auto is identity for it, and logit for other answers.",
)
@click.option(
    "--errors",
    type=click.Choice(ERRORS),
    default=ERRORS[0],
    show_default=True,
    help="With --formula: what the standard errors are computed from.",
)
@click.option(
    "--ends",
    type=click.Choice(ENDS),
    default=ENDS[0],
    show_default=True,
    help="With --formula: the kind of interval. profile inverts the likelihood-ratio test, and is "
    "for tables that are published.",
)
@level_option
@method_option
@format_option
@click.option(
    "--figure",
    metavar="FILE",
    help="Also draw the estimates into this file, as SVG, PNG or PDF by its ending, or write the "
    "figure's caption, as TXT.",
)
@click.option(
    "--narrow",
    is_flag=True,
    help="With --figure: as wide as one column of a journal (84 mm), and not as two (183 mm).",
)
@output_option
@force_option
@click.pass_context
def analyse_command(ctx: click.Context, /, **options: Any) -> None:
    """Analyse a survey's reports, or data from elsewhere.

    DATA is a survey: its file with --reports, or its name in a store. Or it is a file of data
    from elsewhere, with --design, --dictionary or --list.
    """
    asked = SimpleNamespace(**options)
    # The environment names a store for all commands, so it does not count as typed.
    typed = {
        name for name in options if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    form = form_of(asked.form, asked.output)
    read = [asked.data, *(one for one in (asked.reports, asked.file) if one is not None)]
    from_survey = asked.design is None and not typed & _OF_A_FILE
    if from_survey and len(read) == 1:
        read += files_of(asked.store)
    place = target(asked.output, KINDS[form], force=asked.force, others=read)
    used = [*read, None if asked.output == STDOUT else asked.output]
    drawing = None
    if asked.figure is not None:
        drawing = figure_target(asked.figure, force=asked.force, others=used)
    analysed = _analyse_survey(asked, typed) if from_survey else _analyse_file(asked, typed)
    # Drawn before anything is written, because drawing may fail.
    drawn = None
    if drawing is not None:
        if analysed.draw is None:
            raise click.UsageError("--figure: there is no figure of this result.")
        with blamed(asked.data):
            drawn = analysed.draw(drawing.ending, narrow=asked.narrow)
    write_result(place, form, analysed)
    if drawing is not None and drawn is not None:
        drawing.write(drawn)


_SAMPLE: Final = ("weights", "strata", "clusters", "margins", "trim")
_OF_A_SURVEY: Final = {
    *("reports", "dictionary", "file", "store", "revision"),
    *("item", "cross", "correlate", "ratio", "wave", "unweighted"),
}
_OF_A_FILE: Final = {
    *("column", "design", "codes", "yes", "values"),
    *("arm", "arms", "nuisance", "lists", "second_list", "direct"),
}
"""Options for data from elsewhere alone: a survey has its own design, codes and values."""


def _check_of_survey(asked: SimpleNamespace, typed: Collection[str]) -> None:
    """Reject options that do not go together for a survey."""
    if asked.reports is not None and {"store", "revision"} & set(typed):
        raise click.UsageError("--reports cannot be used with --store or --revision.")
    if asked.file is not None and {"reports", "store", "revision"} & set(typed):
        raise click.UsageError("--tally cannot be used with --reports, --store or --revision.")
    if asked.dictionary is not None and {"reports", "file", "store", "revision"} & set(typed):
        raise click.UsageError(
            "--dictionary cannot be used with --reports, --tally, --store or --revision."
        )
    ways = [name for name in ("item", "cross", "correlate", "formula") if name in typed]
    if len(ways) != 1:
        raise click.UsageError(
            "expected one of --item, --cross, --correlate and --formula of a survey, or --design "
            "or --list of data from elsewhere."
        )
    if asked.by is not None and asked.item is None:
        raise click.UsageError("--by needs --item.")
    if asked.ratio is not None and asked.by is None:
        raise click.UsageError("--ratio needs --item and --by.")
    if asked.unweighted and {*_SAMPLE} & {*typed}:
        raise click.UsageError(f"--unweighted does not go with --{min({*_SAMPLE} & {*typed})}.")
    if asked.within is not None and asked.formula is None:
        raise click.UsageError("--within needs --formula.")


def _analyse_survey(asked: SimpleNamespace, typed: Collection[str]) -> Result:
    _check_of_survey(asked, typed)
    given = _how_drawn(asked, typed)
    asked_of: study.Study | study.CountedStudy
    if asked.file is not None:
        asked_of = study.CountedStudy.of(read_tally(asked.file, asked.data), asked.file)
    elif asked.dictionary is not None:
        asked_of = collected(asked.data, asked.dictionary, columns_named(asked, given))
    else:
        refuse_data(asked.data)
        columns = study.weighing.Weighing(**given).columns + [asked.within] * bool(asked.within)
        named = Named(asked.data, asked.reports, asked.store, asked.revision)
        asked_of = study_of(named, columns)
    with explained(asked_of.source, asked.margins):
        if given:
            asked_of = asked_of.weights(**given)
        elif asked.unweighted and asked_of.margins:
            asked_of = asked_of.weights()
        if asked.wave is not None:
            asked_of = asked_of.wave(asked.wave)
        if asked.cross is not None:
            return asked_of.cross(*asked.cross, level=asked.level)
        if asked.correlate is not None:
            return asked_of.correlation(*asked.correlate, level=asked.level)
        if asked.formula is not None:
            options = ("within", "link", "errors", "ends", "level")
            return asked_of.regress(asked.formula, **{one: getattr(asked, one) for one in options})
        how = {"level": asked.level, "method": asked.method}
        if asked.ratio is not None:
            return asked_of.ratios(asked.by, asked.item, odds=asked.ratio == "odds", **how)
        if asked.by is not None:
            return asked_of.by(asked.by, asked.item, **how)
        return asked_of.shares(asked.item, **how)


def _how_drawn(asked: SimpleNamespace, typed: Collection[str]) -> dict[str, Any]:
    """Return the arguments of `Study.weights`; empty without weighting options."""
    given = {name: getattr(asked, name) for name in _SAMPLE if name in typed}
    if asked.margins is not None:
        with blamed():
            given["margins"] = study.weighing.read_margins(asked.margins)
    return given


def _analyse_file(asked: SimpleNamespace, typed: Collection[str]) -> Result:
    wrong = ["tally" if name == "file" else name for name in sorted(_OF_A_SURVEY & set(typed))]
    if wrong:
        raise click.UsageError(
            f"--{wrong[0]} is for a survey, which knows its own design. Leave out --design and the "
            "options that belong to it."
        )
    return of_file(asked, typed, _how_drawn(asked, typed))
