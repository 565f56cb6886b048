"""The desk's page about a survey's collection: how people get to it, and when it takes reports.

The adversary is haste: a time in the wrong zone, a survey that closes unseen, a word that was
printed with a mistake. So the page says every term in full, with its time zone, before and after
it is set. The access word stands there in plain letters: everybody who answers has it from the
owner, who has to be able to hand it out again.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus

import segno
from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.context import find_survey
from deniable.server.store import Store
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.collection import (
    FIELDS,
    give_code,
    read_terms,
    short_address,
    told_terms,
    written_terms,
)
from deniable.survey import Survey
from deniable.text.timestamps import zone_at


def add_collecting(
    desk: Blueprint, store: Store, catalogue: Catalogue, link: Callable[[Survey], str]
) -> None:
    """Add the page, its forms and the QR code to the desk, behind its sign-in.

    Parameters
    ----------
    desk : Blueprint
    store : Store
    catalogue : Catalogue
        Of the same store.
    link : callable
        Returns the respondents' link of a survey.
    """

    def page(slug: str, mistake: str = "", typed: Mapping[str, str] | None = None) -> str:
        survey, terms, state = find_survey(catalogue, slug), store.terms(slug), store.state(slug)
        return render_template(
            "desk/collect.html",
            survey=survey,
            terms=terms,
            invited=store.invited(slug),
            boards=len(store.board_signatures(slug)),
            state=state,
            told=told_terms(terms, state),
            mistake=mistake,
            typed=typed or written_terms(terms),
            zone=zone_at(int(time.time())),
            link=link(survey),
            short=short_address(link(survey).partition("/s/")[0], terms),
        )

    def back(slug: str, told: str) -> BaseResponse:
        flash(told)
        return redirect(url_for("desk.collect", slug=slug), HTTPStatus.SEE_OTHER)

    @desk.get("/surveys/<slug>/collect")
    def collect(slug: str) -> str:
        return page(slug)

    @desk.post("/surveys/<slug>/collect")
    def set_terms(slug: str) -> BaseResponse | tuple[str, HTTPStatus]:
        find_survey(catalogue, slug)
        typed = {name: request.form.get(name, "") for name in FIELDS}
        try:
            store.set_terms(slug, read_terms(typed, store.terms(slug)))
        except ValueError as mistake:
            return page(slug, str(mistake), typed), HTTPStatus.UNPROCESSABLE_ENTITY
        return back(slug, "The terms are saved.")

    @desk.post("/surveys/<slug>/code")
    def set_code(slug: str) -> BaseResponse:
        find_survey(catalogue, slug)
        if request.form.get("code") == "none":
            store.set_terms(slug, replace(store.terms(slug), code=None))
            return back(slug, "The survey has no short code any more.")
        return back(slug, f"The short code of this survey is now {give_code(store, slug)}.")

    @desk.get("/surveys/<slug>/qr.svg")
    def qr(slug: str) -> Response:
        drawn = io.BytesIO()
        square = segno.make(link(find_survey(catalogue, slug)), micro=False)
        square.save(drawn, kind="svg", border=4, light="#fff", xmldecl=False, omitsize=True)
        return Response(drawn.getvalue(), mimetype="image/svg+xml")
