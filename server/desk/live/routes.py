"""The presenter's pages, whose forms begin, lead and end meetings.

The adversary is a colleague who would lead, or only follow, another account's meeting: a meeting is
its owner's and the administrators', and to all others it does not exist.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, abort, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from deniable.classroom.class_state import Class
from deniable.classroom.steps import STEPS, step_of
from deniable.server.desk.context import (
    catalogue,
    or_404,
    respondents_url,
    see_other,
    store,
    words_asked_for,
)
from deniable.server.desk.editor.lint_worker import the_checker
from deniable.server.desk.editor.starters import (
    asked_in,
    examples,
    ready_questions,
    shipped,
    title_in,
)
from deniable.server.desk.live import session
from deniable.server.desk.live.projector import join_address
from deniable.server.desk.live.state import class_of, read_in, spoken_in, texts_of
from deniable.server.desk.permissions import Right, signed_in
from deniable.server.store.meetings import Meeting
from deniable.server.web.words import words
from deniable.survey import Survey
from deniable.survey.kind import Asks
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES
from deniable.text.languages import in_english as say

_SHIPPED: Final = "example:"
"""The prefix of the choice of a text that is shipped; a survey's own name has no colon."""

live = Blueprint("live", __name__, url_prefix="/desk/meetings")

OF_MEETINGS: Final = {
    "lesson_steps": STEPS,
    "spoken_languages": [words(one) for one in LANGUAGES],
    "rehearsing_phones": session.SIMULATED,
}
"""What the page that leads a meeting shows of every one."""


@live.app_template_filter()
def answers_given(meeting: Meeting) -> dict[Asks, int]:
    """Return the number of answers to the current question, by kind."""
    return session.given(store, meeting)


@live.app_template_filter()
def host_of(meeting: Meeting) -> str:
    """Return where phones find the server."""
    return join_address(respondents_url(), meeting)[1]


@live.get("", needs=Right.WRITE)
def meetings(mistake: str = "") -> str:
    """List the meetings."""
    person = signed_in()
    found = store.meetings(None if person.is_admin else person.name)
    return render_template(
        "desk/meetings.html",
        meetings=[(one, title_of_meeting(one)) for one in found],
        choices=choices(words_asked_for().language),
        mistake=mistake,
        spoken=words_asked_for(),
        _=words_asked_for().html,
    )


@live.get("/<meeting>", needs=Right.MEETING)
def page(meeting: str, mistake: str = "") -> str:
    """Show the presenter's page."""
    found = or_404(store.meeting, meeting)
    shown = class_of(store, found)
    spoken = spoken_in(shown.survey, found.language)
    return render_template(
        "desk/meeting.html",
        meeting=found,
        shown=shown,
        spoken=spoken,
        titles=[title_of_meeting(session.go_to(found, n)) for n in range(len(found.questions))],
        step=step_of(found.step),
        notes=_notes(found, shown),
        mistake=mistake,
        _=spoken.html,
    )


def _notes(meeting: Meeting, shown: Class) -> list[str]:
    spoken = spoken_in(shown.survey, meeting.language)
    told: list[str] = spoken.rendered_all(step_of(meeting.step).shown(shown).notes, texts_of(shown))
    return told


@live.post("", needs=Right.WRITE)
def begin() -> ResponseReturnValue:
    """Begin a meeting."""
    survey = chosen_survey(request.form.get("survey", ""))
    try:
        begun = session.begin_meeting(store, signed_in().name, survey)
    except ValueError as mistake:
        return meetings(str(mistake)), HTTPStatus.UNPROCESSABLE_ENTITY
    return see_other("live.page", meeting=begun.id)


@live.get("/<meeting>/notes.json", needs=Right.MEETING)
def notes_now(meeting: str) -> Response:
    """Return the presenter's notes at this moment, with the reports that came since."""
    found = or_404(store.meeting, meeting)
    return jsonify(_notes(found, class_of(store, found)))


@live.post("/<meeting>", needs=Right.MEETING)
def lead(meeting: str) -> ResponseReturnValue:
    """Change a meeting as a button of the presenter's page says."""
    found = or_404(store.meeting, meeting)
    try:
        _lead(found, request.form)
    except ValueError as mistake:
        return page(meeting, str(mistake)), HTTPStatus.UNPROCESSABLE_ENTITY
    # A script that leads follows the events, and needs no page.
    if request.accept_mimetypes.best == "application/json":
        return Response(status=HTTPStatus.NO_CONTENT)
    return see_other("live.page", meeting=meeting)


@live.post("/<meeting>/remove", needs=Right.MEETING)
def remove(meeting: str) -> ResponseReturnValue:
    """End a meeting, and delete all of it."""
    found = or_404(store.meeting, meeting)
    try:
        _check_confirmed(request.form)
    except ValueError as mistake:
        return page(meeting, str(mistake)), HTTPStatus.UNPROCESSABLE_ENTITY
    spoken = spoken_in(store.survey(found.slug()), found.language)
    store.remove_meeting(found.id)
    told = spoken.say("The meeting is over. Nothing of it is left here.")
    return see_other("live.meetings", told)


def choices(language: str) -> Mapping[str, Mapping[str, str]]:
    """Return the titles of what can be played, by group and by its value in a form."""
    own = {
        record.survey.slug: read_in(record.survey, language).title
        for record in store.surveys()
        if signed_in().role_in(record.survey) and session.playable(record.survey)
    }
    spoken = words(language)
    return {
        spoken.say("Ready questions"): {
            f"{_SHIPPED}{name}": asked_in(name, language) for name in ready_questions()
        },
        spoken.say("Your surveys"): own,
        spoken.say("Examples"): {
            f"{_SHIPPED}{name}": title_in(text, language)
            for name, text in examples().items()
            if _is_playable(text)
        },
    }


@cache
def _is_playable(text: str) -> bool:
    return bool(session.playable(read(text).survey))


def chosen_survey(choice: str) -> Survey:
    """Return the survey that a form names, or answer 400."""
    found: Survey | None = None
    if choice.startswith(_SHIPPED):
        text = shipped().get(choice.removeprefix(_SHIPPED), "")
        found = the_checker().compile(text) if text else None
    else:
        survey = catalogue.found(choice)
        found = survey if survey and signed_in().role_in(survey) else None
    if found is None:
        abort(HTTPStatus.BAD_REQUEST)
    return found


def title_of_meeting(meeting: Meeting) -> str:
    """Return a meeting's title in a list: the text of its current question."""
    return read_in(store.survey(meeting.slug()), meeting.language).questions[0].text


# ---------------------------------------------------------------- what a form does


def _lead(meeting: Meeting, form: Mapping[str, str]) -> None:
    """Change a meeting as a form says, or raise `ValueError` with what was expected."""
    what = form.get("do", "")
    if what in ("reset", "anew"):
        if any(session.given(store, meeting).values()):
            _check_confirmed(form)
        session.ask_again(store, meeting.id, anew=what == "anew")
    elif what == "rehearse":
        if any(session.given(store, meeting).values()):  # a class is here already
            abort(HTTPStatus.BAD_REQUEST)
        session.change(store, meeting.id, session.rehearse)
    elif what == "add":
        more = chosen_survey(form.get("survey", ""))
        session.change(store, meeting.id, lambda now: session.with_questions(store, now, more))
    elif what in _SIMPLE:
        session.change(store, meeting.id, lambda now: _SIMPLE[what](now, form))
    else:
        abort(HTTPStatus.BAD_REQUEST)


def _check_confirmed(form: Mapping[str, str]) -> None:
    if form.get("confirmed") != "yes":
        raise ValueError(
            say("Answers would be lost for good. Tick the box above the button first.")
        )


def _number(form: Mapping[str, str], name: str, least: int, most: int) -> int:
    text = form.get(name, "").strip()
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
    if not least <= number <= most:
        values = {"least": float(least), "most": float(most)}
        raise ValueError(say("Expected a number from {least} to {most}.", **values))
    return number


def _language(meeting: Meeting, form: Mapping[str, str]) -> Meeting:
    language = form.get("language", "")
    if language not in LANGUAGES:
        raise ValueError(say("Expected a language of {languages}.", languages=", ".join(LANGUAGES)))
    return replace(meeting, language=language)


_SIMPLE: Final[Mapping[str, Callable[[Meeting, Mapping[str, str]], Meeting]]] = {
    "step": lambda meeting, form: session.go(meeting, form.get("step", "")),
    "question": lambda meeting, form: session.go_to(
        meeting, _number(form, "question", 1, len(meeting.questions)) - 1
    ),
    "stop": lambda meeting, _: session.stop(meeting, stopped=True),
    "skip": lambda meeting, _: session.stop(session.go(meeting, "direct"), stopped=True),
    "resume": lambda meeting, _: session.stop(meeting, stopped=False),
    "choose": lambda meeting, form: meeting.changed(
        chosen=_number(form, "dot", 0, 10**8) if form.get("dot") else -1
    ),
    "language": _language,
    "redraw": lambda meeting, _: meeting.changed(drawn=meeting.playing.drawn + 1),
}
"""The acts of a form that change a meeting and nothing else, by name."""
