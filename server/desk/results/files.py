"""Files of results, shown by a browser or downloaded."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

from flask import Response, abort, request

from deniable.analysis.counts.reports_csv import csv_of_rows
from deniable.analysis.privacy.columns import grouped
from deniable.results.figures.watermark import marked
from deniable.results.files import FORMATS
from deniable.results.result import FIGURES, Draw
from deniable.results.rows import lay_out
from deniable.server.desk.context import attachment
from deniable.server.desk.results.query import WrongChoiceError, choice_of
from deniable.server.desk.results.study import columns_of_file, rows_of_file, study_of
from deniable.survey import Survey
from deniable.text.doors import at_desk

NARROW: Final = "narrow"
"""The address's width of a figure for a phone, or for one column of a journal."""


def estimates_file(slug: str, form: str) -> Response:
    """Return the estimates of a survey, or of all its waves, in one of `FORMATS`."""
    choice = choice_of(slug)
    export = lay_out(study_of(slug).estimates(choice.confidence, choice.method))
    content = FORMATS[form].write(export)
    return offered(choice.survey, f"estimates.{form}", content, FORMATS[form].media_type)


def reports_file(slug: str) -> Response:
    """Return the noisy reports of a survey as CSV, with the direct columns that can leave."""
    try:
        columns = columns_of_file(slug, request.args.get("direct"))
    except ValueError as wrong:
        raise WrongChoiceError(sentence(wrong).removesuffix(".")) from None
    rows = grouped(rows_of_file(slug), columns)
    return offered(choice_of(slug).survey, "reports.csv", csv_of_rows(rows), "text/csv")


def figure_file(survey: Survey, name: str, draw: Draw, form: str) -> Response:
    """Return a figure in one of `FIGURES`: an SVG for a page, the others as downloads."""
    if form not in FIGURES:
        abort(HTTPStatus.NOT_FOUND)
    narrow = request.args.get("width") == NARROW
    try:
        with marked(survey):
            content = draw(form, narrow=narrow)
    except ValueError as wrong:
        abort(HTTPStatus.UNPROCESSABLE_ENTITY, sentence(wrong))
    if form == "svg":
        return Response(content, mimetype=FIGURES[form])
    return offered(survey, f"{name}{'-narrow' * narrow}.{form}", content, FIGURES[form])


def offered(
    survey: Survey, name: str, content: str | bytes | Iterator[str], media_type: str
) -> Response:
    """Return a file as a download; its name says which revision it belongs to."""
    return attachment(content, media_type, f"{survey.slug}-{survey.revision[:8]}-{name}")


def sentence(mistake: Exception) -> str:
    """Return an error's first line as a sentence; further lines mark the place in a terminal."""
    line = at_desk(mistake).partition("\n")[0]
    ending = "" if line.endswith("?") else "."
    return f"{line[:1].upper()}{line[1:].rstrip('.')}{ending}"
