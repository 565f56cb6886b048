"""Tally files named on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from deniable.cli.failures import blamed
from deniable.cli.survey_files import STDIN, file_of, read_survey_file
from deniable.study.tallies.file import Tallies

if TYPE_CHECKING:
    from deniable.survey_file import PlanFields


def tell_unweighted(plan: PlanFields) -> None:
    """Say that a tally cannot be weighted, where the survey's plan has margins."""
    if plan.population:
        click.echo(
            f"Note: nothing from a tally is weighted to {' and '.join(plan.population)}, as the "
            "survey's plan says: which people sent what is not in it.",
            err=True,
        )


def read_tally(path: str, survey: str | None = None) -> Tallies:
    """Read a tally file, and check that it is of the survey, if one is named."""
    named = "<stdin>" if path == STDIN else path
    with click.open_file(path, "rb") as file:
        written = file.read()
    with blamed(named):
        found = Tallies.from_json(written)
    if survey is None:
        return found
    own = None if file_of(survey) is None else read_survey_file(survey)
    slug = survey if own is None else own.survey.slug
    if slug != found.survey.slug:
        raise click.ClickException(
            f"{named}: expected a tally of the survey {slug!r}, found one of {found.survey.slug!r}"
        )
    if own is not None:
        tell_unweighted(own.plan)
        if own.survey.revision != found.survey.revision:
            click.echo(f"Note: {survey} differs from the survey of {named}.", err=True)
    return found
