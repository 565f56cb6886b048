"""Ways to a survey: by the letters of its address, and from a poster."""

from collections.abc import Callable
from http import HTTPStatus

from flask import Blueprint, redirect, render_template, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.respondent.headers import CODES
from deniable.server.respondent.views import shown, views
from deniable.server.store import Store
from deniable.server.store.schedule import clean_code
from deniable.server.web.headers import is_onion
from deniable.server.web.words import Words
from deniable.survey import Survey
from deniable.survey.questions import Protection
from deniable.text.sureness import implication


def add_joining_in(
    pages: Blueprint, store: Store, find: Callable[[str], Survey], url: str | None
) -> None:
    """Add the home page, where the letters of an address are typed, and the posters."""

    @pages.get("/")
    def home() -> str:
        # No list of surveys: only people with a link may know of a survey.
        return render_template("home.html", **shown(views(None)))

    @pages.get(CODES)
    @pages.get(f"{CODES}/<code>")
    def join(code: str | None = None) -> BaseResponse | tuple[str, HTTPStatus]:
        # Typed on the home page, or in a link.
        wanted = clean_code(code or request.args.get("code", ""))
        try:
            # Without the check number's digits: a page does not trust them after a redirection.
            return redirect(find(wanted).address, HTTPStatus.SEE_OTHER)
        except NotFound:
            unknown = render_template("home.html", **shown(views(None)), unknown=True)
            return unknown, HTTPStatus.NOT_FOUND

    @pages.get("/<survey:address>/poster")
    def poster(address: str) -> str:
        import segno  # noqa: PLC0415  no respondent needs it

        survey = find(address)
        # A poster from the onion service names the onion address alone.
        root = (None if is_onion(request.host) else url) or request.url_root
        link = root.rstrip("/") + survey.path
        return render_template(
            "poster.html",
            **shown(views(survey, _how_sure)),
            scripts=["language.js"] if len(survey.languages) > 1 else [],
            square=segno.make(link, micro=False).svg_data_uri(border=4, omitsize=True),
            link=link,
            code="" if survey.is_named else address,
            access_word=store.schedule(survey.slug).access_word,
            check_number=survey.shown_number,
            mixed=_mixed(survey),
        )


def _how_sure(survey: Survey, words: Words) -> tuple[str, ...]:
    # As on the survey's page: a poster promises no more.
    return implication(survey, words.say) if survey.randomised else ()


def _mixed(survey: Survey) -> str:
    """Return which questions are randomised: ``"all"``, ``"some"``, or ``""`` for none."""
    how = {question.protection for question in survey.questions}
    if Protection.RANDOMISED not in how:
        return ""
    return "some" if Protection.DIRECT in how else "all"
