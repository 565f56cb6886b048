"""The desk's page that tries a survey: as it looks on a phone, and answered by made-up people.

The adversary is a page that stands in another one's frame. The respondents' program lets the desk's
origin frame trials and nothing else (`deniable.server.respondent.headers`). The desk lets this page
alone hold a frame, of the respondents' origin. In it no script reaches the desk.
"""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.context import link_of, store
from deniable.server.desk.editor.trials import MOST_PEOPLE, answer_trial, begin_trial
from deniable.server.desk.permissions import signed_in
from deniable.server.store import Draft
from deniable.survey import Survey
from deniable.survey.kind import trial_slug
from deniable.survey.trial import trial_of

preview = Blueprint("preview", __name__, url_prefix="/desk/surveys/<slug>/trial")


def _found(slug: str) -> Survey | None:
    try:
        return store.survey(slug)
    except KeyError:
        return None


def _both(slug: str) -> tuple[Survey | None, Survey | None]:
    """Find a survey and its trial by the address of either."""
    there = _found(slug)
    if there is not None and isinstance(there.parent, str):
        return _found(there.parent), there
    return there, _found(trial_slug(slug))


def _draft() -> Draft | None:
    """Find the draft that the trial is of, if the address says so and it is theirs."""
    own = store.drafts(signed_in().name)
    return next((one for one in own if one.id == request.args.get("draft")), None)


def _back(slug: str) -> BaseResponse:
    own = _draft()
    there = url_for("preview.page", slug=slug, draft=None if own is None else own.id)
    return redirect(there, HTTPStatus.SEE_OTHER)


@preview.get("")
def page(slug: str) -> str:
    """Show a trial in a phone's frame."""
    # A draft has a trial before it is a survey: then only the trial has an address.
    survey, tried = _both(slug)
    shown = survey or tried
    if shown is None:
        abort(HTTPStatus.NOT_FOUND)
    return render_template(
        "desk/preview.html",
        survey=shown,
        can_begin=survey is not None,
        draft=_draft(),
        trial=tried,
        link=None if tried is None else link_of(tried),
        reports=0 if tried is None else store.snapshot(tried.slug).count(),
        state=None if tried is None else store.state(tried.slug),
        outdated=survey is not None
        and tried is not None
        and trial_of(survey).revision != tried.revision,
        most=MOST_PEOPLE,
    )


@preview.post("")
def begin(slug: str) -> BaseResponse:
    """Begin a trial, or begin it anew."""
    survey, _ = _both(slug)
    if survey is None:
        abort(HTTPStatus.NOT_FOUND)
    begin_trial(store, survey)
    flash("The trial is ready. It has no answers yet.")
    return _back(survey.slug)


@preview.post("/answers")
def answer(slug: str) -> BaseResponse:
    """Have made-up people answer a trial."""
    (_, tried), typed = _both(slug), request.form.get("people", "")
    if tried is None:
        abort(HTTPStatus.NOT_FOUND)
    if not (state := store.state(tried.slug)).takes_reports:
        flash(f"Nothing was answered: the trial is {state}.")
        return _back(slug)
    try:
        answer_trial(store, tried, int(typed))
    except ValueError:
        flash(f"Nothing was answered: give a number from 1 to {MOST_PEOPLE:,}.")
        return _back(slug)
    flash(f"{int(typed):,} simulated respondents answered the trial.")
    return _back(slug)
