"""The ethics packet and the preregistration of a draft or a survey: shown, filled in, downloaded.

Neither uses a report. The blanks that are filled in are written into the survey file, under a key
that no respondent gets: they go wherever the file goes, and the command line reads them as well.
The adversary is a colleague who may only read a survey: filling in its blanks needs the right to
change it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Final

from flask import (
    Response,
    abort,
    get_template_attribute,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_wtf.csrf import generate_csrf
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from deniable.analysis.planning.advice import people_expected
from deniable.server.desk.context import or_404, store
from deniable.server.desk.editor.beginnings import MAX_TEXT, draft_state
from deniable.server.desk.editor.kept import kept_file
from deniable.server.desk.editor.planner import MOST, planner
from deniable.server.desk.editor.preview import one_at_a_time
from deniable.server.desk.editor.routes import compiled, editor
from deniable.server.desk.permissions import Right, signed_in
from deniable.server.desk.results.files import offered
from deniable.server.desk.results.query import WrongChoiceError, choice_of
from deniable.server.desk.steps import Step, steps_of, steps_of_draft
from deniable.server.store.registering import register
from deniable.server.web.words import words
from deniable.survey import Survey
from deniable.survey_file import SurveyFileError, packet_of, plan_of
from deniable.survey_file.patch import Editable
from deniable.text.safety import printable

__all__ = ["planner"]

_FORMS: Final = {"html": "text/html", "md": "text/markdown"}

_TITLES: Final = {"ethics": "Ethics packet", "preregistration": "Preregistration"}

_MOST_TYPED: Final = 2000
"""Maximum number of characters of a blank."""

_KEPT: Final = "What you filled in is kept."


@dataclass(frozen=True)
class _Study:
    """A survey or draft with its file's text; `name`: its part of its addresses."""

    survey: Survey
    text: str
    steps: list[Step]
    blueprint: str
    name: Mapping[str, str]
    may_fill: bool

    @property
    def state(self) -> str:
        """The state of the survey; that of a draft is its own."""
        draft = self.name.get("draft")
        return draft_state(store.draft(draft)) if draft else store.state(self.survey.slug)

    def url(self, endpoint: str, **more: str) -> str:
        """Return an address of the study, with the chosen number of people and language."""
        chosen = {key: request.args[key] for key in ("n", "language") if key in request.args}
        values: dict[str, Any] = {**self.name, **chosen, **more}
        return url_for(f"{self.blueprint}.{endpoint}", **values)

    def write(self, document: str, *, on_desk: bool) -> str:
        """Return a document of the study as HTML."""
        # Imported at the first packet: it loads a second Jinja.
        from deniable.publication import ethics as pages  # noqa: PLC0415

        frame, study_head = None, get_template_attribute("desk/steps.html", "study_head")
        if on_desk:
            (other,) = _TITLES.keys() - {document}
            names = ("theme.css", "typeface.css", "desk.css")
            own = (url_for("desk.static", filename=name) for name in names)
            frame = pages.Frame(
                styles=[url_for("desk.ethics_style"), *own],
                icon=url_for("desk.static", filename="icon.svg"),
                header=Markup(render_template("desk/packet_head.html")),  # noqa: S704  escaped there
                study=study_head(self.survey.title, self.state, self.steps),
                kept={key: one for key, one in self.name.items() if key == "revision"},
                most=MOST,
                other=self.url(other),
                files=[
                    (f"As {what}", self.url("packet_file", document=document, form=form))
                    for form, what in (("html", "HTML"), ("md", "Markdown"))
                ],
                keep=self.url("keep_packet", document=document),
                token=generate_csrf() if self.may_fill else "",
                saved=_KEPT if "kept" in request.args else "",
            )
        people = _people(self.text)
        language = request.args.get("language", "")
        if language and language not in self.survey.languages:
            raise WrongChoiceError(f"The language must be {', '.join(self.survey.languages)}")
        sent = pages.Submission(self.survey, people, self.text, language, words=words, frame=frame)
        return sent.page(document)

    def file(self, document: str, form: str) -> Response:
        """Return a document of the study as a download."""
        from deniable.publication.board.markdown import markdown  # noqa: PLC0415

        if form not in _FORMS:
            abort(HTTPStatus.NOT_FOUND)
        page = self.write(document, on_desk=False)
        content = page if form == "html" else markdown(page)
        return offered(self.survey, f"{document}.{form}", content, _FORMS[form])

    def filled(self) -> str:
        """Return the file's text with the blanks as the form sent them."""
        typed = {
            key: request.form.get(key, "")[:_MOST_TYPED] for key in type(_NOTHING).model_fields
        }
        lines = {key: printable("\n".join(one.split("\r\n"))).strip() for key, one in typed.items()}
        some = {key: one for key, one in lines.items() if one}
        place, text = ("packet",), self.text
        try:
            if some:
                text = Editable(text).put(place, some).text
            elif packet_of(text) != _NOTHING:
                text = Editable(text).remove(place).text
        except (SurveyFileError, ValueError) as mistake:
            abort(HTTPStatus.UNPROCESSABLE_ENTITY, f"Nothing was kept: {mistake}")
        if len(text.encode()) > MAX_TEXT:
            abort(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return text


_NOTHING: Final = packet_of("")


def _study_of_survey(slug: str) -> _Study:
    choice = choice_of(slug)
    survey = choice.survey
    text = kept_file(slug, survey.revision)
    current = survey.revision == store.current_revision(slug)
    name: dict[str, Any] = {"slug": slug, **choice.of_revision}
    may = bool(text) and current and signed_in().may_change(survey)
    return _Study(survey, text, steps_of(survey, name.get("revision")), "planner", name, may)


def _study_of_draft(draft: str) -> _Study:
    found = or_404(store.draft, draft)
    survey = compiled(found, "written")
    steps = steps_of_draft(found, survey.slug)
    return _Study(survey, found.text, steps, "editor", {"draft": draft}, may_fill=True)


_OF_DRAFT: Final = "/editor/drafts/<draft>"
_DOCUMENT: Final = f"<any({', '.join(_TITLES)}):document>"


@planner.get("/ethics", endpoint="ethics", needs=Right.READ_SURVEY)
@planner.get("/preregistration", endpoint="preregistration", needs=Right.READ_SURVEY)
def show_packet(slug: str) -> str:
    """Show the ethics packet of a survey, or its preregistration, by the endpoint's name."""
    return _study_of_survey(slug).write(_asked_for(), on_desk=True)


@editor.get(f"{_OF_DRAFT}/ethics", endpoint="ethics", needs=Right.DRAFT)
@editor.get(f"{_OF_DRAFT}/preregistration", endpoint="preregistration", needs=Right.DRAFT)
def show_packet_of_draft(draft: str) -> str:
    """Show the ethics packet of a draft, or its preregistration."""
    return _study_of_draft(draft).write(_asked_for(), on_desk=True)


def _asked_for() -> str:
    return str(request.endpoint).partition(".")[2]


@planner.get(f"/{_DOCUMENT}.<form>", needs=Right.READ_SURVEY)
def packet_file(slug: str, document: str, form: str) -> Response:
    """Return a document of a survey as a download."""
    return _study_of_survey(slug).file(document, form)


@planner.post(f"/{_DOCUMENT}", needs=Right.CHANGE_SURVEY)
def keep_packet(slug: str, document: str) -> BaseResponse:
    """Keep the filled-in blanks in a survey's file: no wording or channel changes."""
    with one_at_a_time:
        study = _study_of_survey(slug)
        if not study.may_fill:
            abort(HTTPStatus.CONFLICT, "This is no longer the survey's current revision.")
        register(store, study.survey, study.filled())
    return redirect(study.url(document, kept="yes"), HTTPStatus.SEE_OTHER)


@editor.get(f"{_OF_DRAFT}/{_DOCUMENT}.<form>", endpoint="packet_file", needs=Right.DRAFT)
def file_of_draft(draft: str, document: str, form: str) -> Response:
    """Return a document of a draft as a download."""
    return _study_of_draft(draft).file(document, form)


@editor.post(f"{_OF_DRAFT}/{_DOCUMENT}", endpoint="keep_packet", needs=Right.DRAFT)
def keep_packet_of_draft(draft: str, document: str) -> BaseResponse:
    """Keep the filled-in blanks in a draft."""
    study = _study_of_draft(draft)
    store.keep_draft(replace(or_404(store.draft, draft), text=study.filled()))
    return redirect(study.url(document, kept="yes"), HTTPStatus.SEE_OTHER)


def _people(text: str) -> int:
    """Return the number of people in the address, by default the file's or the usual one."""
    typed = request.args.get("n", "").strip() or str(people_expected(plan_of(text)))
    if not (typed.isascii() and typed.isdigit() and len(typed) < 8 and 1 <= int(typed) <= MOST):
        raise WrongChoiceError(f"The number of people must be from 1 to {MOST:,}")
    return int(typed)
