"""The page at an altered address of a survey, which leads to the survey's own address.

Mail programs, social networks and people alter links: they add a query or a full stop, lose the
last slash, or type small letters. The adversary is an operator who alters them on purpose: an
addition to a link can identify the person who opens it, and after a redirection nobody can tell
whether the fragment is the link's. So the page tells the person, who goes on by hand: the browser
alone keeps the part after the ``#``, and no addition is read, kept or repeated.
"""

from collections.abc import Callable
from contextlib import suppress

from flask import Blueprint, request
from werkzeug.exceptions import NotFound

from deniable.server.respondent.program import ONWARD
from deniable.server.respondent.views import views
from deniable.survey import Survey
from deniable.survey.address import address_meant


def add_onward(pages: Blueprint, find: Callable[[str], Survey], page: Callable[..., str]) -> None:
    """Add the page at all altered addresses of surveys."""

    @pages.before_app_request
    def onward() -> str | None:
        # Unchanged from the request: the routes see `//x` as `/x`.
        path = request.environ["PATH_INFO"].encode("latin-1").decode(errors="replace")
        meant = address_meant(path)
        is_asked = request.method in ("GET", "HEAD")
        if meant is None or not is_asked or (path == meant and not request.query_string):
            return None
        with suppress(NotFound):
            survey = find(meant.strip("/"))
            several = len(survey.languages) > 1
            return page("onward.html", views(survey), (ONWARD, *["main.js"] * several))
        return None
