"""The desk's page that begins the next wave, which ends the one that is on for good.

The adversary is haste. A wave that has ended cannot be begun again, so the page says first what it
ends, and does nothing unless a box is ticked.
"""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.store import Store
from deniable.survey import Survey


def add_waves(desk: Blueprint, store: Store) -> None:
    """Add the page and its form to the desk, behind its sign-in."""

    def find(slug: str) -> tuple[Survey, int]:
        """Return a survey that has another wave, and the wave that is on."""
        try:
            survey, on = store.survey(slug), store.wave(slug)
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)
        if survey.waves is None or on >= survey.waves:
            abort(HTTPStatus.NOT_FOUND)
        return survey, on

    def page(survey: Survey, on: int, *, unconfirmed: bool = False) -> str:
        return render_template(
            "desk/wave.html",
            survey=survey,
            on=on,
            state=store.state(survey.slug),
            reports=store.snapshot(survey.slug).count(wave=on),
            unconfirmed=unconfirmed,
        )

    @desk.get("/surveys/<slug>/wave")
    def next_wave(slug: str) -> str:
        return page(*find(slug))

    @desk.post("/surveys/<slug>/wave")
    def begin_wave(slug: str) -> BaseResponse | tuple[str, HTTPStatus]:
        survey, on = find(slug)
        # The page asked about one wave, which perhaps was begun from another tab since.
        if request.form.get("wave") != str(on + 1):
            abort(HTTPStatus.BAD_REQUEST)
        if request.form.get("confirmed") != "yes":
            return page(survey, on, unconfirmed=True), HTTPStatus.UNPROCESSABLE_ENTITY
        try:
            store.begin_wave(slug, on + 1)
        except ValueError:  # or in this very moment
            abort(HTTPStatus.BAD_REQUEST)
        return redirect(url_for(".surveys"), HTTPStatus.SEE_OTHER)
