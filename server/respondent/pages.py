"""The respondent's pages, and the program that they load.

Nothing here sets a cookie, reads a session or keeps anything about a visitor: these pages only
serve. Reports go to the intake, which never reaches Flask.
"""

import json
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from http import HTTPStatus
from typing import Any, Final, NoReturn, TypeAlias

from flask import Blueprint, Response, abort, redirect, render_template, request
from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.wrappers import Response as BaseResponse

from deniable.paper import places_of_all
from deniable.server.respondent.compression import compressed, pack
from deniable.server.respondent.drawing import people
from deniable.server.respondent.joining_in import add_joining_in
from deniable.server.respondent.label import privacy_label
from deniable.server.respondent.meetings import PARTS, add_meetings, link_of, meeting_of, was_asked
from deniable.server.respondent.onward import add_onward
from deniable.server.respondent.program import BROWSER_FOLDER, LEAVE, Program, load, with_languages
from deniable.server.respondent.sheet import sheet_page
from deniable.server.respondent.shell import page_of, shell_of
from deniable.server.respondent.views import View, shown, views
from deniable.server.store import Store, StoreUnavailable
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.schedule import Schedule, State
from deniable.survey import NEUTRAL_SITE, Survey
from deniable.survey.wordings import MEDIA_TYPE
from deniable.text.sureness import colour_of_all

_KEPT_PAGES: Final = 64
"""Surveys whose pages are cached; each may take half a megabyte."""

_Made: TypeAlias = "BaseResponse | tuple[str | dict[str, object], HTTPStatus]"
"""A page or a JSON object with its status, or a redirection."""


def create_pages(store: Store, catalogue: Catalogue, url: str | None = None) -> Blueprint:
    """Make the respondent's pages."""
    pages = Blueprint("respondent", __name__)
    pages.after_request(compressed)
    program = load(BROWSER_FOLDER)
    shell = shell_of(program)

    @pages.app_context_processor
    def loaded() -> dict[str, Any]:
        return {"program": program.hashes, "styles": program.styles}

    def find(address: str) -> Survey:
        found = find_any(address)
        if found.kind == "meeting" and not was_asked(store, found):
            abort(HTTPStatus.NOT_FOUND)
        return found

    def find_any(address: str) -> Survey:
        try:
            return catalogue.current(catalogue.slug_at(f"/{address}/"))
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)

    def page(
        template: str,
        shown_views: tuple[View, ...],
        parts: tuple[str, ...] = (),
        **more: object,
    ) -> str:
        """Render a page with these parts of the program, and their sentences in its languages.

        Every page has an exit; the program comes last, since it starts at once.
        """
        languages = tuple(view.words.language for view in shown_views)
        scripts = [LEAVE, *with_languages(parts, languages)]
        return render_template(template, **shown(shown_views), scripts=scripts, **more)

    # Flask's redirection to the slash would repeat the query.
    @pages.get("/<survey:address>/", strict_slashes=False)
    @_kept_while_away
    def survey(address: str) -> _Made:
        found = find_any(address)
        state, schedule = store.state(found.slug), store.schedule(found.slug)
        meeting = meeting_of(store, found)
        if meeting is not None and not state.takes_reports:
            # `again` says that the phone has joined already and is not new.
            return redirect(f"{link_of(meeting)}?again", HTTPStatus.SEE_OTHER)
        if not state.takes_reports:
            shut = page("shut.html", views(found), state=state, opens=schedule.opens)
            return shut, HTTPStatus.GONE if state.has_ended else HTTPStatus.SERVICE_UNAVAILABLE
        return page_of(shell, program, _parts_now(found, schedule)), HTTPStatus.OK

    @pages.get("/<survey:address>/state.json")
    @_kept_while_away
    def state(address: str) -> _Made:
        return _state(store, find(address)), HTTPStatus.OK

    _add_device(pages, page)
    _add_documents(pages, find, page)
    _add_program(pages, program)
    add_meetings(pages, store, page)
    add_joining_in(pages, store, find, url)
    add_onward(pages, find_any, page)
    return pages


def pack_stored(store: Store) -> None:
    """Pack what the page of each survey loads that takes reports when the program starts."""

    def bodies() -> Iterator[bytes]:
        program = load(BROWSER_FOLDER)
        shell = shell_of(program)
        for survey in [one.survey for one in store.surveys() if one.state.takes_reports]:
            parts = _parts_now(survey, store.schedule(survey.slug))
            yield page_of(shell, program, parts).encode()
            yield survey.to_json()

    pack(bodies)


def _parts_now(survey: Survey, schedule: Schedule) -> tuple[str, ...]:
    with_words = survey.is_by_invitation or schedule.access_word is not None
    return parts_of(survey, with_words=with_words)


def _state(store: Store, survey: Survey) -> dict[str, object]:
    """Return the changing facts that a survey's page needs and that are in no document."""
    state, schedule, meeting = (
        store.state(survey.slug),
        store.schedule(survey.slug),
        meeting_of(store, survey),
    )
    return {
        "about": f"{survey.slug} {survey.revision}",
        "state": state.value,
        "opens": schedule.opens if state is State.PLANNED else None,
        "closes": schedule.closes if state is State.OPEN else None,
        "wave": store.wave(survey.slug),
        "words": [
            *(["pin"] if schedule.access_word is not None else []),
            *(["code"] if survey.is_by_invitation else []),
        ],
        "round": None if meeting is None or not state.takes_reports else meeting.playing.round,
    }


def _kept_while_away(make: Callable[[str], _Made]) -> Callable[[str], _Made]:
    """While the store is away, answer an open survey's address with its last response."""
    pages: dict[str, _Made] = {}

    @wraps(make)
    def made_or_kept(address: str) -> _Made:
        try:
            made = make(address)
        except StoreUnavailable:
            kept = pages.get(address)
            if kept is None:
                raise
            return kept
        except NotFound:
            pages.pop(address, None)
            raise
        if isinstance(made, tuple) and made[1] is HTTPStatus.OK:
            pages[address] = made
        else:
            pages.pop(address, None)
        return made

    return made_or_kept


def _add_device(pages: Blueprint, page: Callable[..., str]) -> None:
    @pages.get("/device")
    def device() -> str:
        # The list is on the device; the page shows it without sending it.
        return page(
            "device.html",
            views(None),
            ("waves.js", "device.js", "main.js"),
            neutral_site=NEUTRAL_SITE,
        )


def _add_documents(
    pages: Blueprint, find: Callable[[str], Survey], page: Callable[..., str]
) -> None:
    """Add the pages beside the questions: survey document, privacy label, sheet and others."""

    @pages.get("/<survey:address>/survey.json")
    def document(address: str) -> Response:
        found = find(address)
        # Exactly these bytes: the hash of their first line is the revision, which no header names.
        return Response(found.to_json(), mimetype=MEDIA_TYPE)

    # For a large survey these take seconds, and anybody may ask for them.
    @lru_cache(maxsize=_KEPT_PAGES)
    def privacy_page(survey: Survey) -> str:
        return page(
            "privacy.html",
            views(survey, privacy_label),
            people=people,
            colour_of_all=colour_of_all,
            on_paper=bool(places_of_all(survey)),
        )

    label = lru_cache(maxsize=_KEPT_PAGES)(_label)
    kept_sheet = lru_cache(maxsize=_KEPT_PAGES)(sheet_page)

    @pages.get("/<survey:address>/privacy")
    def privacy(address: str) -> Response:
        found = find(address)
        accepted = request.accept_mimetypes
        if accepted.best_match(["text/html", "application/json"]) == "application/json":
            response = _json(label(found))
        else:
            response = Response(privacy_page(found))
        response.vary.add("Accept")
        return response

    @pages.get("/<survey:address>/unscripted")
    def unscripted(address: str) -> str:
        # The page of questions leads here without JavaScript, since it knows no survey.
        found = find(address)
        paper = bool(places_of_all(found))
        return page("unscripted.html", views(found), on_paper=paper)

    @pages.get("/<survey:address>/privacy.json")
    def privacy_as_json(address: str) -> Response:
        return _json(label(find(address)))

    @pages.get("/<survey:address>/reports")
    def reports(address: str) -> NoReturn:
        find(address)
        # The intake takes reports; this is for people who opened the address by hand.
        raise MethodNotAllowed(["POST"])

    @pages.get("/<survey:address>/sheet")
    def sheet(address: str) -> str:
        return kept_sheet(find(address))


def _add_program(pages: Blueprint, program: Program) -> None:
    @pages.get("/client/<path:name>")
    def client(name: str) -> Response:
        content = program.files.get(name)
        if content is None:
            abort(HTTPStatus.NOT_FOUND)
        # The machine's own list of media types may give one that no browser runs.
        response = Response(content, mimetype="text/javascript")
        response.add_etag()
        response.make_conditional(request)
        return response


@lru_cache(maxsize=_KEPT_PAGES)
def parts_of(survey: Survey, *, with_words: bool = False) -> tuple[str, ...]:
    """Return the parts of the program that a survey needs."""
    parts = {
        "waves.js": survey.is_repeated,
        "asking.js": survey.ask is not None or any(question.ask for question in survey.questions),
        "branching.js": any(question.ask_if for question in survey.questions),
        "together.js": bool(survey.groups),
        "boxes.js": bool(survey.about.consent)
        or any(question.is_number or question.offers_yes_no for question in survey.questions),
        "statement.js": any(question.statements for question in survey.questions),
        "number.js": any(question.is_number for question in survey.questions),
        "grid.js": any(
            question.has_several_items and not question.offers_yes_no
            for question in survey.questions
        ),
        "pin.js": with_words,
        "invitation.js": survey.is_by_invitation,
        "consent.js": bool(survey.about.consent),
        "comprehension.js": survey.comprehension,
        "advance.js": survey.advance,
        "trial.js": survey.kind == "trial",
        "corrected.js": len(survey.check_numbers) > 1,
        **dict.fromkeys(PARTS, survey.kind == "meeting"),
        "main.js": True,
    }
    chosen = tuple(name for name, wanted in parts.items() if wanted)
    return with_languages(chosen, survey.languages)


def _label(survey: Survey) -> dict[str, Any]:
    """Return the privacy label as JSON values, in the survey's first language."""
    first = views(survey)[0]
    return privacy_label(first.survey or survey, first.words).document()


def _json(value: dict[str, Any]) -> Response:
    return Response(json.dumps(value, ensure_ascii=False), mimetype="application/json")
