"""The desk's figures and downloads."""

from __future__ import annotations

import io
from http import HTTPStatus

from flask import Blueprint, Response, abort

from deniable.analysis.export import lay_out
from deniable.analysis.formats import FORMATS
from deniable.analysis.reports_csv import write_reports
from deniable.server.desk.choice import Chooser
from deniable.survey import Survey


def add_files(desk: Blueprint, chooser: Chooser) -> None:
    """Add the figures and downloads to the desk, behind its sign-in.

    Parameters
    ----------
    desk : Blueprint
    chooser : Chooser
    """

    @desk.get("/<slug>/figures/<question>.svg")
    def figure(slug: str, question: str) -> Response:
        results = chooser.results(slug)
        drawn = next((one for one in results.questions if one.question.id == question), None)
        if drawn is None:
            abort(HTTPStatus.NOT_FOUND)
        # At the first figure: matplotlib takes as long to load as the rest of the desk.
        from deniable.analysis.figures import question_svg  # noqa: PLC0415

        return Response(question_svg(drawn, results.level), mimetype="image/svg+xml")

    @desk.get("/<slug>/estimates.<form>")
    def estimates(slug: str, form: str) -> Response:
        if form not in FORMATS:
            abort(HTTPStatus.NOT_FOUND)
        results = chooser.waves(chooser.survey(slug)) or chooser.results(slug)
        content = FORMATS[form].write(lay_out(results))
        return _file(results.survey, f"estimates.{form}", content, FORMATS[form].media_type)

    @desk.get("/<slug>/reports.csv")
    def reports(slug: str) -> Response:
        survey = chooser.survey(slug)
        text = io.StringIO(newline="")
        write_reports(chooser.answers(survey), survey, text, least_cell=chooser.least(survey))
        return _file(survey, "reports.csv", text.getvalue(), "text/csv")


def _file(survey: Survey, name: str, content: str | bytes, media_type: str) -> Response:
    """Offer a file for keeping; its name says which revision it belongs to."""
    response = Response(content, mimetype=media_type)
    filename = f"{survey.slug}-{survey.revision[:8]}-{name}"
    response.headers.set("Content-Disposition", "attachment", filename=filename)
    return response
