"""The desk's figures and downloads."""

from __future__ import annotations

import io
from http import HTTPStatus

from flask import Blueprint, Response, abort

from deniable.analysis.export import estimates_csv, estimates_json
from deniable.analysis.export_waves import waves_csv, waves_json
from deniable.analysis.figures import question_svg
from deniable.analysis.reports_csv import write_reports
from deniable.server.choice import Chooser
from deniable.server.store import Store
from deniable.survey import Survey


def add_files(desk: Blueprint, store: Store, chooser: Chooser) -> None:
    """Add the figures and downloads to the desk, behind its sign-in.

    Parameters
    ----------
    desk : Blueprint
    store : Store
    chooser : Chooser
    """

    @desk.get("/<slug>/figures/<question>.svg")
    def figure(slug: str, question: str) -> Response:
        results = chooser.results(slug)
        drawn = next((one for one in results.questions if one.question.id == question), None)
        if drawn is None:
            abort(HTTPStatus.NOT_FOUND)
        return Response(question_svg(drawn, results.level), mimetype="image/svg+xml")

    @desk.get("/<slug>/estimates.csv")
    def estimates_as_csv(slug: str) -> Response:
        waves = chooser.waves(chooser.survey(slug))
        if waves is not None:
            return _file(waves.survey, "estimates.csv", waves_csv(waves), "text/csv")
        results = chooser.results(slug)
        return _file(results.survey, "estimates.csv", estimates_csv(results), "text/csv")

    @desk.get("/<slug>/estimates.json")
    def estimates_as_json(slug: str) -> Response:
        waves = chooser.waves(chooser.survey(slug))
        if waves is not None:
            return _file(waves.survey, "estimates.json", waves_json(waves), "application/json")
        results = chooser.results(slug)
        return _file(results.survey, "estimates.json", estimates_json(results), "application/json")

    @desk.get("/<slug>/reports.csv")
    def reports(slug: str) -> Response:
        survey = chooser.survey(slug)
        text = io.StringIO(newline="")
        write_reports(store.answers(slug, survey.revision), survey, text)
        return _file(survey, "reports.csv", text.getvalue(), "text/csv")


def _file(survey: Survey, name: str, text: str, media_type: str) -> Response:
    """Offer a file for keeping; its name says which revision it belongs to."""
    response = Response(text, mimetype=media_type)
    filename = f"{survey.slug}-{survey.revision[:8]}-{name}"
    response.headers.set("Content-Disposition", "attachment", filename=filename)
    return response
