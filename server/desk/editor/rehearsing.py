"""What a draft is good for before it is published: an ethics packet, a plan, and a trial.

The adversary is a colleague who tries a survey under the name of somebody else's, whose trial that
would replace.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TypeAlias

from flask import Blueprint, flash, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.editor.lint_worker import the_checker
from deniable.server.desk.editor.planner import packet, planner_page
from deniable.server.desk.editor.registration import TakenError, begin_trial_of
from deniable.server.desk.editor.routes import find_draft, mend
from deniable.server.desk.permissions import signed_in
from deniable.server.store import Store

Answer: TypeAlias = BaseResponse | tuple[str, HTTPStatus]


def add_rehearsing(desk: Blueprint, store: Store) -> None:
    """Add the pages and the form to the desk, behind its sign-in."""

    @desk.get("/editor/drafts/<draft>/plan")
    def plan_draft(draft: str) -> Answer:
        survey = the_checker().compile(find_draft(store, draft).text)
        if survey is None:
            return mend(draft, "planned")
        return planner_page(survey, request.args, back=url_for(".editor", draft=draft), kept={})

    @desk.get("/editor/drafts/<draft>/ethics")
    def ethics_of_draft(draft: str) -> BaseResponse | str:
        text = find_draft(store, draft).text
        survey = the_checker().compile(text)
        if survey is None:
            return mend(draft, "written")
        return packet(survey, text, request.args, back=url_for(".editor", draft=draft), kept={})

    @desk.post("/editor/drafts/<draft>/try")
    def try_draft(draft: str) -> BaseResponse:
        survey = the_checker().compile(find_draft(store, draft).text)
        if survey is None:
            return mend(draft, "tried")
        try:
            trial = begin_trial_of(store, signed_in(), survey)
        except TakenError:
            flash(
                f"Nothing was tried: the name {survey.slug!r} is taken. Give the survey another "
                "one, after 'survey:'."
            )
            return redirect(url_for(".editor", draft=draft), HTTPStatus.SEE_OTHER)
        if request.args.get("beside") == "yes":
            there = url_for(".editor", draft=draft, beside="yes", _anchor="beside")
            return redirect(there, HTTPStatus.SEE_OTHER)
        flash("The trial is ready. It has no answers yet.")
        return redirect(url_for(".trial", slug=trial.slug, draft=draft), HTTPStatus.SEE_OTHER)
