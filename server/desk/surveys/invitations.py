"""The desk's page about invitations: codes for one report each.

The adversary has the list of codes, as whoever makes them does. So the page shows them once, and
how many are spent only as far as the results know of their reports.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.context import find_survey
from deniable.server.desk.surveys.slips import MOST_SLIPS, codes_csv, slips_page
from deniable.server.store import Store
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.errors import KeyFileError, StoreError, StoreUnavailable
from deniable.server.store.invitations import MOST, new_codes
from deniable.server.store.keys import KeyFile
from deniable.server.store.keys import invite as make_invitations
from deniable.survey import Survey

_LEAST: Final = 1


def add_inviting(
    desk: Blueprint,
    store: Store,
    catalogue: Catalogue,
    keys: KeyFile,
    link: Callable[[Survey], str],
) -> None:
    """Add the page and its forms to the desk, behind its sign-in.

    Parameters
    ----------
    desk : Blueprint
    store : Store
    catalogue : Catalogue
        Of the same store.
    keys : KeyFile
        Where the private keys of tokens are made.
    link : callable
        Returns the respondents' link of a survey.
    """

    def page(slug: str, mistake: str = "") -> str:
        survey = find_survey(catalogue, slug)
        return render_template(
            "desk/invitations.html",
            survey=survey,
            invited=store.invited(slug),
            typed=request.form.get("number", "100"),
            most=MOST,
            most_slips=MOST_SLIPS,
            mistake=mistake,
        )

    @desk.get("/surveys/<slug>/invitations")
    def invitations(slug: str) -> str:
        return page(slug)

    @desk.post("/surveys/<slug>/invitations")
    def invite(slug: str) -> Response | tuple[str, HTTPStatus]:
        find_survey(catalogue, slug)
        slips = request.form.get("form") == "slips"
        try:
            codes = new_codes(
                _number(request.form.get("number", ""), MOST_SLIPS if slips else MOST)
            )
            make_invitations(store, keys, slug, codes)
        except (ValueError, KeyFileError) as mistake:
            return page(slug, str(mistake)), HTTPStatus.UNPROCESSABLE_ENTITY
        # With the first codes the survey has got a key, and so another fingerprint.
        survey = catalogue.current(slug)
        if slips:
            style = url_for("desk.static", filename="slips.css")
            return Response(slips_page(survey, codes, link(survey), style))
        response = Response(codes_csv(codes, link(survey)), mimetype="text/csv")
        response.headers.set("Content-Disposition", "attachment", filename=f"{slug}-codes.csv")
        return response

    @desk.post("/surveys/<slug>/invitations/end")
    def end_invitations(slug: str) -> BaseResponse | tuple[str, HTTPStatus]:
        find_survey(catalogue, slug)
        try:
            store.end_invitations(slug)
        except StoreUnavailable:
            raise
        except StoreError as mistake:
            return page(slug, str(mistake)), HTTPStatus.UNPROCESSABLE_ENTITY
        flash("All codes are removed. Whoever has the link may answer now.")
        return redirect(url_for("desk.invitations", slug=slug), HTTPStatus.SEE_OTHER)


def _number(typed: str, most: int) -> int:
    """Read how many codes are to be made."""
    text = typed.strip()
    if not (text.isascii() and text.isdigit()) or not _LEAST <= int(text[:9]) <= most:
        raise ValueError(f"expected a number of codes from {_LEAST} to {most:,}, found {text!r}")
    return int(text)
