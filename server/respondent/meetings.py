"""How a phone joins a class: by a code, or by a link with the code.

The waiting page is the same for all phones. It knows the code and no question: a question has an
address of its own, where it is answered like any survey.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from flask import Blueprint, abort, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.respondent.headers import JOIN
from deniable.server.respondent.views import views
from deniable.server.store import Store
from deniable.server.store.meetings import Meeting
from deniable.server.store.schedule import clean_code
from deniable.survey import Survey
from deniable.survey.kind import MeetingQuestion

PARTS: Final = ("coins.js", "meeting.js")
"""Parts of the program that a class needs."""


def add_meetings(pages: Blueprint, store: Store, page: Callable[..., str]) -> None:
    """Add the page that asks for a code, and the page on which a phone waits."""

    @pages.get(JOIN)
    def join_a_class() -> BaseResponse | str | tuple[str, HTTPStatus]:
        typed = request.args.get("code")
        if typed is None:
            return page("join.html", views(None), ("main.js",))
        try:
            return redirect(link_of(store.meeting_of_code(clean_code(typed))), HTTPStatus.SEE_OTHER)
        except KeyError:
            unknown = page("join.html", views(None), ("main.js",), unknown=True)
            return unknown, HTTPStatus.NOT_FOUND

    @pages.get(f"{JOIN}/<code>")
    def wait_for_it(code: str) -> BaseResponse | str:
        try:
            meeting = store.meeting_of_code(clean_code(code))
            survey = store.survey(meeting.slug())
        except KeyError:
            return redirect(f"{JOIN}?code=-", HTTPStatus.SEE_OTHER)
        if code != meeting.code:
            return redirect(link_of(meeting), HTTPStatus.SEE_OTHER)
        scripts = (*PARTS, "main.js")
        return page("wait.html", views(survey), scripts, code=code)


def link_of(meeting: Meeting) -> str:
    """Return the address at which a phone waits."""
    return f"{JOIN}/{meeting.code}"


def meeting_of(store: Store, survey: Survey) -> Meeting | None:
    """Return the meeting whose question a survey is; None for any other survey."""
    if not isinstance(survey.parent, MeetingQuestion):
        return None
    try:
        return store.meeting_of_code(survey.parent.code)
    except KeyError:  # it has ended
        abort(HTTPStatus.NOT_FOUND)


def was_asked(store: Store, survey: Survey) -> bool:
    """Return whether a question is open or has reports: nobody may read it before."""
    try:
        return store.state(survey.slug).takes_reports or store.count(survey.slug) > 0
    except KeyError:  # just removed
        return False
