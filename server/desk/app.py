"""The desk's Flask application."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Final

from flask import (
    Blueprint,
    Flask,
    Response,
    abort,
    g,
    redirect,
    render_template,
    request,
    send_from_directory,
    url_for,
)
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFProtect
from markupsafe import Markup
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

import deniable.classroom
from deniable.analysis.control import told
from deniable.analysis.planning.alternatives import coin_questions
from deniable.classroom.steps import beside
from deniable.results.changes import change_notes, changes_in_words, moves
from deniable.results.compared import lead_of
from deniable.results.estimate import EFFECTIVE, NARROW
from deniable.results.files import FORMATS
from deniable.results.headlines import are_many, are_whole, in_a_sentence
from deniable.results.html import table_html
from deniable.results.result import FIGURES
from deniable.results.shares import attached, if_followed, mean_table, question_table
from deniable.results.table import Table
from deniable.server.desk.api.routes import api, is_for_scripts, person_by_token, problem_of
from deniable.server.desk.audit import note
from deniable.server.desk.auth.people import people
from deniable.server.desk.auth.routes import account, auth, person_by_cookie, signed_out_page
from deniable.server.desk.auth.sessions import LIFETIME
from deniable.server.desk.auth.throttle import Attempts
from deniable.server.desk.context import (
    DESK,
    Context,
    catalogue,
    context,
    desk_url,
    link_of,
    moment,
    store,
)
from deniable.server.desk.csrf import is_own
from deniable.server.desk.editor.beginnings import draft_state
from deniable.server.desk.editor.fields import design_named
from deniable.server.desk.editor.packet import planner
from deniable.server.desk.editor.planner import OF_PLANS
from deniable.server.desk.editor.preview import preview
from deniable.server.desk.editor.publish import publishing
from deniable.server.desk.editor.routes import editor
from deniable.server.desk.editor.starters import title_of
from deniable.server.desk.lab import lab
from deniable.server.desk.live.projector import projector
from deniable.server.desk.live.routes import OF_MEETINGS, choices, live
from deniable.server.desk.live.state import standing
from deniable.server.desk.manual.routes import manual
from deniable.server.desk.permissions import OF_SURVEYS, Right, Route, has
from deniable.server.desk.results.compare import ANALYSES, analyses
from deniable.server.desk.results.export_zip import export
from deniable.server.desk.results.margins import margins
from deniable.server.desk.results.public import public
from deniable.server.desk.results.query import (
    LEVELS,
    METHODS,
    WrongChoiceError,
    choice_of,
    with_methods_named,
)
from deniable.server.desk.results.routes import results
from deniable.server.desk.results.study import study_of
from deniable.server.desk.results.warmup import READY
from deniable.server.desk.steps import steps_of, steps_of_draft
from deniable.server.desk.surveys.collection import collection
from deniable.server.desk.surveys.invitations import invitations
from deniable.server.desk.surveys.routes import surveys
from deniable.server.desk.surveys.sharing import sharing
from deniable.server.desk.surveys.status import status
from deniable.server.store import Store, StoreUnavailable
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.keys import NO_KEYS, KeyFile
from deniable.server.store.records import arrived
from deniable.server.store.retention import told_of
from deniable.server.store.schedule import told_state
from deniable.server.web.body import MAX_BODY
from deniable.server.web.headers import is_https
from deniable.server.web.pages import create_app
from deniable.server.web.tls import WITHOUT_TLS, is_alterable
from deniable.server.web.words import words
from deniable.survey import Survey
from deniable.survey.document import as_shown
from deniable.text.sureness import at_most, hundredths, sureness
from deniable.text.wording import brief_loss, needs, noise, percent, percentage_points, quantity

desk = Blueprint("desk", __name__, url_prefix="/desk")
_STATIC: Final = Path(__file__).parent / "static"
_TYPEFACE_LASTS: Final = 30 * 24 * 3600
"""Seconds for which a browser keeps the typeface without asking whether it has changed."""

_CLASSROOM: Final = Path(deniable.classroom.__file__).parent / "static"


@desk.get("/static/<path:filename>", needs=Right.EVERYBODY)
def static(filename: str) -> Response:
    """Return a script, a style, a picture or the typeface of the desk."""
    # A page whose typeface is still asked after keeps the system's.
    lasts = _TYPEFACE_LASTS if filename.endswith(".woff2") else None
    return send_from_directory(_STATIC, filename, max_age=lasts)


@desk.get("/classroom/<path:filename>", needs=Right.EVERYBODY)
def classroom(filename: str) -> Response:
    """Return a script or a style of a meeting's pages."""
    return send_from_directory(_CLASSROOM, filename)


@desk.get("/ethics.css", needs=Right.EVERYBODY)
def ethics_style() -> Response:
    """Return the style of the ethics packet."""
    return Response(render_template("desk/ethics_style.html"), mimetype="text/css")


_BLUEPRINTS: Final = (
    desk,
    auth,
    account,
    people,
    surveys,
    sharing,
    collection,
    invitations,
    status,
    results,
    analyses,
    margins,
    export,
    public,
    editor,
    publishing,
    planner,
    preview,
    live,
    projector,
    api,
    lab,
    manual,
)

_FILTERS: Final = (
    percent,
    percentage_points,
    quantity,
    brief_loss,
    noise,
    needs,
    at_most,
    hundredths,
    attached,
    are_whole,
    are_many,
    in_a_sentence,
    told_state,
    question_table,
    mean_table,
    sureness,
    told,
    change_notes,
    changes_in_words,
    lead_of,
    moves,
    link_of,
    moment,
    arrived,
    title_of,
    draft_state,
    coin_questions,
    beside,
    standing,
    choices,
    design_named,
    with_methods_named,
)


_OF_RESULTS: Final = {
    "kinds": ANALYSES,
    "levels": LEVELS,
    "methods": {name: title for name, (title, _) in METHODS.items()},
    "method_meanings": dict(METHODS.values()),
    "formats": FORMATS,
    "figures": FIGURES,
    "effective_remark": EFFECTIVE,
    "narrow_remark": NARROW,
    "if_followed": if_followed,
}
"""What pages of results have in common."""


def create_desk_app(
    store: Store, respondents_url: str, keys: KeyFile = NO_KEYS, *, url: str | None = None
) -> Flask:
    """Make the desk's Flask application; its cookie is `Secure` if `url` is https."""
    https = is_https(url)
    app = create_app(__name__, _error_response, StoreUnavailable, store.users)
    app.url_rule_class = Route
    app.config.update(
        SECRET_KEY=keys.cookie_key(),
        # Browsers keep cookies by host, not by port. With TLS the desk has a host of its own, and
        # the __Host- prefix, which requires the path "/", binds the cookie to that host. Without
        # TLS it may share a host with the respondents' pages: the path then keeps the cookie from
        # them.
        SESSION_COOKIE_NAME="__Host-desk" if https else "desk",
        SESSION_COOKIE_PATH="/" if https else "/desk",
        SESSION_COOKIE_SECURE=https,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        # The store ends a session (`auth/sessions.py`). By default every response would renew the
        # cookie, which would then last as long as the desk is in use.
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=LIFETIME),
        SESSION_REFRESH_EACH_REQUEST=False,
        # A form stays valid as long as the session. The origin (`csrf.py`) and the token prove that
        # it is the desk's own, so the referrer is not checked as well.
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=False,
        MAX_CONTENT_LENGTH=MAX_BODY,
    )

    app.extensions[DESK] = Context(
        store,
        Catalogue(store),
        keys,
        respondents_url,
        url,
        passwords=Attempts(),
        tokens=Attempts(),
    )
    app.before_request(_refuse_other_origins)
    csrf = CSRFProtect(app)
    csrf.exempt(api)
    # Runs after the checks of the origin and the form's token, and before any page.
    app.before_request(_guard)
    app.after_request(note)
    app.register_error_handler(WrongChoiceError, _say_which)
    app.context_processor(_shared)
    for wording in _FILTERS:
        app.add_template_filter(wording)
    app.add_template_filter(as_shown, "as_shown")
    app.add_template_filter(_promised, "promised")
    app.add_template_filter(_table, "table_html")
    app.add_template_filter(help_of, "help")
    app.add_template_filter(steps_of, "steps")
    app.add_template_filter(steps_of_draft, "draft_steps")
    app.add_template_filter(_next_wave, "next_wave")
    app.add_template_filter(lambda survey: store.state(survey.slug), "state_now")
    app.jinja_env.globals.update({**_OF_RESULTS, **OF_PLANS, **OF_MEETINGS})
    for blueprint in _BLUEPRINTS:
        app.register_blueprint(blueprint)
    app.add_url_rule("/", "home", _home, needs=Right.EVERYBODY)
    app.add_url_rule("/desk", "home", _home, needs=Right.EVERYBODY, strict_slashes=False)

    def make_ready(slug: str) -> None:
        with suppress(HTTPException), app.test_request_context(f"/desk/surveys/{slug}"):
            study_of(slug).unweighted(choice_of(slug).wave)

    app.extensions[READY] = make_ready
    return app


def _home() -> BaseResponse:
    return redirect(url_for("surveys.index"))


def _refuse_other_origins() -> None:
    # A script has no origin; it sends a token, which no page can make a browser send.
    if not is_for_scripts(request.path) and not is_own(request, context().url):
        abort(HTTPStatus.FORBIDDEN)


def _guard() -> ResponseReturnValue | None:
    """Return the response that refuses a request without the page's right, else None."""
    if request.url_rule is None:
        return None  # there is no such page
    right = request.url_rule.needs if isinstance(request.url_rule, Route) else None
    g.person = None
    if right is Right.EVERYBODY:
        return None
    slug = (request.view_args or {}).get("slug")
    survey = g.survey = None if slug is None else catalogue.found(slug)
    is_other = survey is not None and survey.kind != "survey" and right in OF_SURVEYS
    if right is Right.PUBLIC:
        if survey is not None and not is_other and store.is_public(survey.slug):
            return None
        abort(HTTPStatus.NOT_FOUND)  # nobody learns which surveys there are
    # A script is known by its token alone, a browser by its cookie.
    person = person_by_token() if is_for_scripts(request.path) else person_by_cookie()
    g.person = person
    if person is None:
        return signed_out_page(), HTTPStatus.UNAUTHORIZED
    if is_other:
        abort(HTTPStatus.NOT_FOUND)
    return None if has(person, right, survey) else _not_allowed()


def _not_allowed() -> ResponseReturnValue:
    if is_for_scripts(request.path):
        abort(HTTPStatus.FORBIDDEN)
    return render_template("desk/not_allowed.html"), HTTPStatus.FORBIDDEN


def _say_which(error: WrongChoiceError) -> ResponseReturnValue:
    if is_for_scripts(request.path):
        return problem_of(error)
    return render_template("desk/error.html", code=error.code, what=error.what), error.code


def _error_response(error: HTTPException) -> ResponseReturnValue:
    """Return an error's response: problem JSON for a script, a page for a browser."""
    if is_for_scripts(request.path):
        return problem_of(error)
    return render_template("desk/error.html", code=error.code)


def _shared() -> dict[str, object]:
    return {
        "desk_url": desk_url(),
        "without_tls": WITHOUT_TLS if is_alterable(context().respondents_url) else None,
        "person": g.get("person"),
        "spoken": words("en"),
        "_": words("en").html,
        "trial_shown": (survey := g.get("survey")) is not None and survey.kind == "trial",
    }


def _table(table: Table, id: str, caption: str, of: str = "") -> Markup:
    drawn = Markup(table_html(table, id, caption, of))  # noqa: S704  it escapes every text
    meanings = help_of({one.on_page: one.meaning for one in table.columns}, caption)
    return Markup('<div class="helped">{}{}</div>').format(drawn, meanings)


def help_of(meanings: Mapping[str, str], what: str) -> Markup:
    """Return the help button that explains the columns of a table or the choices of a field."""
    said = [pair for pair in meanings.items() if pair[1]]
    return Markup(render_template("desk/help.html", meanings=said, what=what))  # noqa: S704


def _next_wave(survey: Survey) -> int | None:
    wave = store.wave(survey.slug) + 1
    return wave if wave <= survey.waves else None


def _promised(slug: str) -> str:
    """Say when a survey's reports are deleted; read the store once for a whole page."""
    if "retentions" not in g:
        g.retentions = store.retentions()
    return told_of(g.retentions, slug)
