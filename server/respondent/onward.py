"""The way on from an address that is nearly a survey's to the one that everybody has.

Mail programs, social networks and people alter links: they add a query or a full stop, lose the
last slash, or type small letters. The adversary is an operator who alters them on purpose: what is
added to a link can name the person who opens it, and where a redirection leads, nobody can tell
whether its fragment is the link's. So a person is told, and goes on by hand: the browser alone
takes along what stands behind the ``#``, and nothing that was added is read, kept or repeated.
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
    """Add the page that stands at all addresses that are nearly a survey's."""

    @pages.before_app_request
    def onward() -> str | None:
        # As it came: the routes see `//x` as `/x`.
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
