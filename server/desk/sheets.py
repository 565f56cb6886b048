"""The desk's page for paper: print the sheet, and upload what was answered on it."""

from __future__ import annotations

import csv
import io
import secrets
import threading
from collections.abc import Callable
from http import HTTPStatus

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.entering import (
    EntryError,
    enter_sheets,
    read_sheets,
    sheet_columns,
    sheet_items,
)
from deniable.server.store import Store
from deniable.server.store.catalogue import Catalogue
from deniable.server.web.body import MAX_BODY
from deniable.survey import Survey


def add_sheets(
    desk: Blueprint, store: Store, catalogue: Catalogue, link: Callable[[Survey], str]
) -> None:
    """Add the page and its form to the desk, behind its sign-in.

    Parameters
    ----------
    desk : Blueprint
    store : Store
    catalogue : Catalogue
        Of the same store.
    link : callable
        Returns the respondents' link of a survey.
    """
    used = _Used()

    def find(slug: str, revision: str | None) -> Survey:
        try:
            if revision is None:
                return catalogue.current(slug)
            return catalogue.revision(slug, revision)
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)

    def page(survey: Survey, mistake: str | None = None) -> str:
        return render_template(
            "desk/sheets.html",
            survey=survey,
            mistake=mistake,
            rows=[*zip(sheet_columns(survey), sheet_items(survey), strict=True)],
            revisions=store.revisions(survey.slug),
            current=store.current_revision(survey.slug),
            state=store.state(survey.slug),
            sheet=f"{link(survey).partition('#')[0]}/sheet",
            form=secrets.token_hex(16),
            kilobytes=MAX_BODY // 1024,
        )

    @desk.get("/<slug>/sheets")
    def sheets(slug: str) -> str:
        return page(find(slug, request.args.get("revision")))

    @desk.get("/<slug>/sheets.csv")
    def empty_sheets(slug: str) -> Response:
        survey = find(slug, request.args.get("revision"))
        text = io.StringIO(newline="")
        csv.writer(text).writerow(sheet_columns(survey))
        response = Response(text.getvalue(), mimetype="text/csv")
        filename = f"{survey.slug}-{survey.revision[:8]}-sheets.csv"
        response.headers.set("Content-Disposition", "attachment", filename=filename)
        return response

    @desk.post("/<slug>/sheets")
    def upload(slug: str) -> BaseResponse | tuple[str, HTTPStatus]:
        survey = find(slug, request.form.get("revision", ""))
        uploaded, form = request.files.get("sheets"), request.form.get("form")
        if uploaded is None or not form:
            abort(HTTPStatus.BAD_REQUEST)
        lines = io.TextIOWrapper(uploaded.stream, encoding="utf-8", newline="")
        try:
            found = read_sheets(lines, survey)
            # A second click, or reloading, must not count the sheets again: no report bears an
            # id from which that could be told later.
            if used.take(form):
                enter_sheets(store, survey, found)
        except EntryError as mistake:
            return page(survey, str(mistake)), HTTPStatus.UNPROCESSABLE_ENTITY
        return redirect(url_for(".results", slug=slug), HTTPStatus.SEE_OTHER)


class _Used:
    """The forms that were sent, each good for once."""

    def __init__(self) -> None:
        self._forms: set[str] = set()
        self._lock = threading.Lock()

    def take(self, form: str) -> bool:
        """Use a form up; False if it was used before."""
        with self._lock:
            if form in self._forms:
                return False
            self._forms.add(form)
            return True
