"""The desk's page of invitations: codes for one report each.

The adversary has the list of codes, as the owner who makes them does. So the page shows them once,
and counts codes as spent only as far as the results show their reports.
"""

import logging
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.context import (
    attachment,
    catalogue,
    find_survey,
    keys,
    link_of,
    see_other,
    store,
)
from deniable.server.desk.permissions import Right
from deniable.server.desk.surveys.letters import letters
from deniable.server.desk.surveys.slips import MOST_SLIPS, codes_csv, slips_page
from deniable.server.store.errors import KeyFileError, StoreError, StoreUnavailable
from deniable.server.store.invitations import MOST, new_codes
from deniable.server.store.keys import invite as make_invitations

_LEAST: Final = 1

_log = logging.getLogger(__name__)

_NO_KEYS: Final = (
    "the server’s file of keys cannot be used. Ask who runs this server: its log says what is wrong"
)

_UNCONFIRMED: Final = (
    "the first code closes the open link: from then on nobody answers without a code. Tick the box "
    "if you want that"
)

invitations = Blueprint("invitations", __name__, url_prefix="/desk/surveys/<slug>/invitations")


@invitations.get("", needs=Right.CHANGE)
def page(slug: str, mistake: str = "") -> str:
    """Show how many codes there are."""
    survey, invited = find_survey(slug), store.invited(slug)
    on = store.wave(slug)
    return render_template(
        "desk/invitations.html",
        survey=survey,
        invited=invited,
        rate=invited.told(survey, on, on=on) if invited else "",
        letters=letters(survey),
        typed=request.form.get("number", "100"),
        most=MOST,
        most_slips=MOST_SLIPS,
        mistake=mistake,
    )


@invitations.post("", needs=Right.CHANGE)
def invite(slug: str) -> Response | tuple[str, HTTPStatus]:
    """Make codes, and return them this only time."""
    slips = request.form.get("form") == "slips"
    try:
        if store.invited(slug) is None and request.form.get("confirmed") != "yes":
            raise ValueError(_UNCONFIRMED)
        codes = new_codes(_number(request.form.get("number", ""), MOST_SLIPS if slips else MOST))
        make_invitations(store, keys, slug, codes)
    except (ValueError, KeyFileError) as mistake:
        said = str(mistake)
        if isinstance(mistake, KeyFileError):
            # It names files of the server, of which who runs it reads in the log.
            _log.error("no code is made for %s: %s", slug, mistake)
            said = _NO_KEYS
        if request.accept_mimetypes.best == "text/csv":  # a script, which shows a sentence
            said = f"No code was made: {said}."
            return Response(said, HTTPStatus.UNPROCESSABLE_ENTITY, mimetype="text/plain")
        return page(slug, said), HTTPStatus.UNPROCESSABLE_ENTITY
    # The first codes give the survey a key, and so another check number.
    survey = catalogue.current(slug)
    if slips:
        style = url_for("desk.static", filename="slips.css")
        return Response(slips_page(survey, codes, link_of(survey), style))
    return attachment(codes_csv(codes, link_of(survey)), "text/csv", f"{slug}-codes.csv")


@invitations.post("/end", needs=Right.CHANGE)
def end(slug: str) -> BaseResponse | tuple[str, HTTPStatus]:
    """Remove all codes."""
    try:
        store.end_invitations(slug)
    except StoreUnavailable:
        raise
    except StoreError as mistake:
        return page(slug, str(mistake)), HTTPStatus.UNPROCESSABLE_ENTITY
    told = "All codes are removed. Whoever has the link may answer now."
    return see_other("invitations.page", told, slug=slug)


def _number(typed: str, most: int) -> int:
    """Read the number of codes to make."""
    text = typed.strip()
    if not (text.isascii() and text.isdigit()) or not _LEAST <= int(text[:9]) <= most:
        raise ValueError(f"expected a number of codes from {_LEAST} to {most:,}, found {text!r}")
    return int(text)
