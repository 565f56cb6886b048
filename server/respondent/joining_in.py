"""How people get to a survey: by the letters of its address, and from a poster."""

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
        # Which surveys there are is for those who were given a link to know.
        return render_template("home.html", **shown(views(None)))

    @pages.get(CODES)
    @pages.get(f"{CODES}/<code>")
    def join(code: str | None = None) -> BaseResponse | tuple[str, HTTPStatus]:
        # Typed on the home page, or part of a link that somebody typed.
        wanted = clean_code(code or request.args.get("code", ""))
        try:
            # Without digits: a page that a redirection leads to trusts none.
            return redirect(find(wanted).address, HTTPStatus.SEE_OTHER)
        except NotFound:
            unknown = render_template("home.html", **shown(views(None)), unknown=True)
            return unknown, HTTPStatus.NOT_FOUND

    @pages.get("/<survey:address>/poster")
    def poster(address: str) -> str:
        import segno  # noqa: PLC0415  for nobody who answers

        survey = find(address)
        # Over an onion service nobody is told of another address.
        root = (None if is_onion(request.host) else url) or request.url_root
        link = root.rstrip("/") + survey.path
        _, _, typed = link.partition("://")
        site, _, _ = typed.partition("/")
        return render_template(
            "poster.html",
            **shown(views(survey, _how_sure)),
            scripts=["language.js"] if len(survey.languages) > 1 else [],
            square=segno.make(link, micro=False).svg_data_uri(border=4, omitsize=True),
            typed=typed,
            site=site,
            code="" if survey.is_named else address,
            access_word=store.schedule(survey.slug).access_word,
            survey_fingerprint=survey.fingerprint,
            mixed=_mixed(survey),
        )


def _how_sure(survey: Survey, words: Words) -> tuple[str, ...]:
    """Say how sure anybody can get, as the survey's page does: a poster promises no more."""
    return implication(survey, words.say) if survey.randomised else ()


def _mixed(survey: Survey) -> str:
    """Return which answers are mixed with chance: ``"all"``, ``"some"``, or none of them."""
    how = {question.protection for question in survey.questions}
    if Protection.RANDOMISED not in how:
        return ""
    return "some" if Protection.DIRECT in how else "all"
