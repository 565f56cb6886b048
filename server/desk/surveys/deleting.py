"""The desk's page that deletes a survey for good.

The adversary is haste, and a wrong belief. There is no way back, so the name is typed, and the page
says what goes and what stays elsewhere: backups, files that were downloaded, and what devices know.
"""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from deniable.kind import trial_slug
from deniable.server.desk.context import find_survey
from deniable.server.store import Store
from deniable.server.store.catalogue import Catalogue
from deniable.survey import Survey


def add_deleting(desk: Blueprint, store: Store, catalogue: Catalogue) -> None:
    """Add the page and its form to the desk, behind its sign-in.

    Parameters
    ----------
    desk : Blueprint
    store : Store
    catalogue : Catalogue
        Of the same store.
    """

    def page(survey: Survey, *, unconfirmed: bool = False) -> str:
        slug = survey.slug
        return render_template(
            "desk/delete.html",
            survey=survey,
            # Of the snapshot, as everywhere on the desk.
            reports=store.snapshot(slug).count(),
            revisions=len(store.revisions(slug)),
            has_trial=trial_slug(slug) in catalogue,
            unconfirmed=unconfirmed,
        )

    @desk.get("/surveys/<slug>/delete")
    def deleting(slug: str) -> str:
        return page(find_survey(catalogue, slug))

    @desk.post("/surveys/<slug>/delete")
    def delete(slug: str) -> BaseResponse | tuple[str, HTTPStatus]:
        survey = find_survey(catalogue, slug)
        if request.form.get("typed", "").strip() != slug:
            return page(survey, unconfirmed=True), HTTPStatus.UNPROCESSABLE_ENTITY
        try:
            clean = store.delete(slug)
        except KeyError:  # from another tab, in this very moment
            abort(HTTPStatus.NOT_FOUND)
        flash(f"{survey.title} ({slug}) is deleted, with all its reports.")
        if not clean:
            flash(
                "Another program was reading the store, so its traces on disk are not overwritten "
                "yet. The server does this when no reports come for a while, or when it stops."
            )
        return redirect(url_for("desk.surveys"), HTTPStatus.SEE_OTHER)
