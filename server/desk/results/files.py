"""The desk's figures and downloads."""

from __future__ import annotations

import io
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, abort, request

from deniable.analysis.counts.reports_csv import write_json_lines, write_reports
from deniable.results.figures.watermark import marked
from deniable.results.files import FORMATS
from deniable.results.rows import lay_out
from deniable.server.desk.results.query import Chooser
from deniable.survey import Survey

FIGURES: Final = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
"""The media type of a figure, by the ending of its name."""

REPORTS: Final = {
    "csv": (write_reports, "text/csv"),
    "jsonl": (write_json_lines, "application/jsonl"),
}
"""What writes reports, and its media type, by the ending of the file's name."""

NARROW: Final = "narrow"
"""The width of a figure for a phone, as the address has it."""


def add_files(desk: Blueprint, chooser: Chooser) -> None:
    """Add the figures and downloads to the desk, behind its sign-in."""

    # matplotlib is loaded at the first figure: it takes as long to load as the rest of the desk.
    @desk.get("/surveys/<slug>/figures/<question>.<form>")
    def figure(slug: str, question: str, form: str) -> Response:
        _check_form(form)
        survey, (level, _) = chooser.survey(slug), chooser.intervals()
        results = chooser.question(slug, question)
        from deniable.results.figures.question import question_figure  # noqa: PLC0415

        try:
            with marked(survey):
                content = question_figure(results, level, form, narrow=is_narrow())
        except ValueError:  # no font has all its letters
            abort(HTTPStatus.UNPROCESSABLE_ENTITY)
        return figure_file(survey, f"{question}.{form}", content, form)

    @desk.get("/surveys/<slug>/trends/<question>.<form>")
    def trend(slug: str, question: str, form: str) -> Response:
        _check_form(form)
        survey, (level, _) = chooser.survey(slug), chooser.intervals()
        waves = chooser.trend(slug, question)
        if not waves:
            abort(HTTPStatus.NOT_FOUND)
        from deniable.results.figures.trend import trend_figure  # noqa: PLC0415

        try:
            with marked(survey):
                content = trend_figure(waves, level, form, narrow=is_narrow())
        except ValueError:
            abort(HTTPStatus.UNPROCESSABLE_ENTITY)
        return figure_file(survey, f"{question}-trend.{form}", content, form)

    @desk.get("/surveys/<slug>/estimates.<form>")
    def estimates(slug: str, form: str) -> Response:
        if form not in FORMATS:
            abort(HTTPStatus.NOT_FOUND)
        return estimates_file(chooser, slug, form)

    @desk.get("/surveys/<slug>/reports.csv")
    def reports(slug: str) -> Response:
        return reports_file(chooser, slug, "csv")


def estimates_file(chooser: Chooser, slug: str, form: str) -> Response:
    """Give the estimates of a survey, or of all its waves, in one of `FORMATS`."""
    results = chooser.waves(chooser.survey(slug)) or chooser.results(slug)
    content = FORMATS[form].write(lay_out(results))
    return offered(results.survey, f"estimates.{form}", content, FORMATS[form].media_type)


def reports_file(chooser: Chooser, slug: str, form: str) -> Response:
    """Give the noisy reports of a survey, in one of `REPORTS`."""
    survey = chooser.survey(slug)
    text = io.StringIO(newline="")
    write, media_type = REPORTS[form]
    rows = chooser.rows(survey)
    write([rows.emptied(rows.direct).tobytes()], survey, text)
    return offered(survey, f"reports.{form}", text.getvalue(), media_type)


def is_narrow() -> bool:
    """Return whether a figure for a phone was asked for."""
    return request.args.get("width") == NARROW


def figure_file(survey: Survey, name: str, content: bytes, form: str) -> Response:
    """Give a figure: an SVG stands in a page, the others are for keeping."""
    if form == "svg":
        return Response(content, mimetype=FIGURES[form])
    return offered(survey, name, content, FIGURES[form])


def offered(survey: Survey, name: str, content: str | bytes, media_type: str) -> Response:
    """Offer a file for keeping; its name says which revision it belongs to."""
    response = Response(content, mimetype=media_type)
    filename = f"{survey.slug}-{survey.revision[:8]}-{name}"
    response.headers.set("Content-Disposition", "attachment", filename=filename)
    return response


def _check_form(form: str) -> None:
    if form not in FIGURES:
        abort(HTTPStatus.NOT_FOUND)
