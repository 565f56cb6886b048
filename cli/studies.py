"""A survey with its reports, or with their tally, named on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from deniable import study
from deniable.analysis.counts.pooling import rows_of_reports
from deniable.analysis.counts.reports_csv import read_reports, reports_of
from deniable.analysis.counts.rows import Rows
from deniable.analysis.privacy.disclosure import LEAST
from deniable.cli.failures import blamed
from deniable.cli.stores import planned_for, reports_in
from deniable.cli.survey_files import STDIN, file_of, read_survey_file
from deniable.study.addresses import is_desk
from deniable.study.remote import read_from_desk
from deniable.study.tallies.file import Tallies
from deniable.survey import Survey
from deniable.survey.grouped import ColumnsRead

if TYPE_CHECKING:
    from deniable.survey_file import PlanFields, SurveyFile


class Named(NamedTuple):
    """A survey with its reports, in a CSV, at a desk, or else in a store."""

    survey: str
    reports: str | None
    store: str
    revision: str | None


def study_of(named: Named, beside: Sequence[str] = ()) -> study.Study:
    """Read a survey and its reports as a study, weighted to the margins of the survey's plan."""
    survey, reports, store, revision = named
    if reports is None:
        with reports_in(store, survey, revision) as (found, received):
            told = "; ".join([found.name, *received.others])
            made = study.Study.counted(received.survey, received.answers(), told)
            return made.expecting(planned_for(found, received.survey, survey, revision))
    source = "<stdin>" if reports == STDIN else reports
    if not beside:
        with from_csv(survey, (reports,)) as (asked, chunks, planned, columns):
            read = study.Study.counted(asked, chunks, source)
            return read.of_columns(columns).expecting(planned)
    file = _file_of(survey, (reports,))
    known = {item.id for item in file.survey.items}
    own = [column for column in beside if column not in known]
    with blamed(reports), click.open_file(reports, encoding="utf-8") as lines:
        return study.opening.from_csv(file.survey, lines, source, own).expecting(file.plan)


def rows_of(named: Named, *, small_cells: bool) -> Rows:
    """Read the same reports as rows, with the threshold that suppresses direct answers."""
    survey, reports, store, revision = named
    if reports is None:
        with reports_in(store, survey, revision, small_cells=small_cells) as (_, received):
            return received.rows
    with from_csv(survey, (reports,)) as (_, chunks, planned, columns):
        asked, read = reports_of(chunks, columns)
        least = max(LEAST, planned.hide_below or 0)
        return rows_of_reports(asked, [read], 1 if small_cells else least)


@contextmanager
def from_csv(
    survey: str, reports: Sequence[str]
) -> Iterator[tuple[Survey, Iterable[bytes], PlanFields, ColumnsRead]]:
    """Read a survey, its reports and its plan from files or a desk, which mistakes then name.

    What is known of the direct columns comes with the last report.
    """
    if any(map(is_desk, reports)):
        if len(reports) > 1:
            raise click.UsageError("the address of a desk cannot be joined with other --reports.")
        with blamed():
            yield read_from_desk(survey, reports[0])
        return
    file = _file_of(survey, reports)
    with blamed(", ".join(reports)):
        columns = ColumnsRead(file.survey)
        yield file.survey, _chunks(file.survey, reports, columns), file.plan, columns


def _chunks(survey: Survey, reports: Sequence[str], columns: ColumnsRead) -> Iterator[bytes]:
    for one in reports:
        with blamed(one), click.open_file(one, encoding="utf-8") as lines:
            yield from read_reports(lines, survey, found=columns)


def _file_of(survey: str, reports: Sequence[str]) -> SurveyFile:
    """Read a survey's file; reject standard input twice, and a name of no file."""
    if [survey, *reports].count(STDIN) > 1:
        raise click.UsageError("only one of the survey and its reports can be standard input.")
    if file_of(survey) is None:
        raise click.UsageError(f"{survey!r} is not a file; --reports needs the file of the survey.")
    return read_survey_file(survey)


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
