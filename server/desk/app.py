"""The desk as an application, by Flask."""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import timedelta
from http import HTTPStatus

from flask import Flask, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFProtect
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.api.routes import (
    as_problem,
    create_api,
    is_for_scripts,
    problem_of,
    wrong_token,
)
from deniable.server.desk.auth.people import add_people, add_sharing
from deniable.server.desk.auth.routes import SigningIn, add_account, add_signing_in
from deniable.server.desk.auth.script_access import Scripts, WrongTokenError
from deniable.server.desk.auth.sessions import LIFETIME
from deniable.server.desk.auth.throttle import Attempts
from deniable.server.desk.auth.your_tokens import add_tokens
from deniable.server.desk.csrf import is_own
from deniable.server.desk.lab import create_lab
from deniable.server.desk.live.handout import create_classroom
from deniable.server.desk.live.projector import create_projector
from deniable.server.desk.permissions import Person, create_guard
from deniable.server.desk.results.public import create_public
from deniable.server.desk.results.query import Chooser, WrongChoiceError
from deniable.server.desk.results.routes import create_pages
from deniable.server.desk.results.warmup import READY
from deniable.server.store import Store, StoreUnavailable
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.keys import NO_KEYS, KeyFile
from deniable.server.web.body import MAX_BODY
from deniable.server.web.headers import is_https
from deniable.server.web.pages import create_app
from deniable.server.web.tls import WITHOUT_TLS, is_alterable


def create_desk_app(
    store: Store, respondents_url: str, keys: KeyFile = NO_KEYS, *, url: str | None = None
) -> Flask:
    """Make the Flask application of the desk.

    Parameters
    ----------
    store : Store
    respondents_url : str
        Address at which respondents reach their program: links to surveys begin with it.
    keys : KeyFile, optional
        Where the private keys of tokens are made.
    url : str, optional
        Address at which the researcher reaches the desk, such as ``https://desk.example.org``. With
        ``https`` the cookie is for TLS only.
    """
    https = is_https(url)
    app = create_app(__name__, _said, StoreUnavailable)
    app.config.update(
        # Made anew at each start and kept in memory: whoever steals the disk can forge no session.
        SECRET_KEY=secrets.token_bytes(32),
        # Browsers keep cookies by host and not by port. On TLS the desk has a host of its own, and
        # the __Host- name, which asks for the path "/", holds the cookie to it. Without TLS it
        # perhaps shares one: the path then keeps it from the respondents' pages.
        SESSION_COOKIE_NAME="__Host-desk" if https else "desk",
        SESSION_COOKIE_PATH="/" if https else "/desk",
        SESSION_COOKIE_SECURE=https,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        # A session ends where it is kept (`sessions.py`). The cookie need not be written anew by
        # every page, as it is by default, which would have it last for as long as somebody looks.
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=LIFETIME),
        SESSION_REFRESH_EACH_REQUEST=False,
        # A form stays good as long as the session. That it is the desk's own is told by the origin
        # (`origin.py`) and the token, and need not be told by the referrer as well.
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=False,
        MAX_CONTENT_LENGTH=MAX_BODY,
    )

    @app.before_request
    def refuse_other_origins() -> None:
        # A script has no origin, and shows a token that no page can have a browser send.
        if not is_for_scripts(request.path) and not is_own(request, url):
            abort(HTTPStatus.FORBIDDEN)

    @app.errorhandler(WrongChoiceError)
    def say_which(error: WrongChoiceError) -> ResponseReturnValue:
        if is_for_scripts(request.path):
            told = f"The address asks for {error.what}."
            return as_problem(HTTPStatus.UNPROCESSABLE_ENTITY, told)
        page = render_template("desk/error.html", code=error.code, what=error.what)
        return page, HTTPStatus.BAD_REQUEST

    def desk_url() -> str:
        return (url or request.url_root).rstrip("/")

    @app.context_processor
    def shared() -> dict[str, object]:
        return {
            "desk_url": desk_url(),
            "without_tls": WITHOUT_TLS if is_alterable(respondents_url) else None,
            "person": g.get("person"),
            "trial_shown": (survey := g.get("survey")) is not None and survey.kind == "trial",
        }

    @app.errorhandler(WrongTokenError)
    def ask_for_a_token(error: WrongTokenError) -> ResponseReturnValue:
        return wrong_token(error)

    csrf = CSRFProtect(app)
    signing_in, attempts = SigningIn(store), Attempts()
    scripts, catalogue = Scripts(store, Attempts()), Catalogue(store)

    def find() -> Person | None:
        """Find whose request it is: a script's by its token alone, a browser's by its cookie."""
        return scripts.find(request) if is_for_scripts(request.path) else signing_in.find()

    def not_allowed() -> ResponseReturnValue:
        if is_for_scripts(request.path):
            return as_problem(HTTPStatus.FORBIDDEN)
        return render_template("desk/not_allowed.html"), HTTPStatus.FORBIDDEN

    def signed_out() -> ResponseReturnValue:
        return signing_in.page(), HTTPStatus.UNAUTHORIZED

    # After the origin and the token were checked, and before any page.
    app.before_request(
        create_guard(find, signed_out, not_allowed, catalogue.found, store.is_public)
    )
    chooser = Chooser(store, catalogue)

    def make_ready(slug: str) -> None:
        with suppress(HTTPException), app.test_request_context(f"/desk/surveys/{slug}"):
            chooser.results(slug)

    app.extensions[READY] = make_ready
    desk = create_pages(store, respondents_url, keys, catalogue, chooser)
    add_signing_in(desk, store, signing_in, attempts)
    add_account(desk, store, attempts)
    add_tokens(desk, store)
    add_people(desk, store, desk_url)
    add_sharing(desk, store)
    app.register_blueprint(desk)
    api = create_api(store, keys, chooser, desk_url)
    csrf.exempt(api)
    app.register_blueprint(api)
    app.register_blueprint(create_public(store, catalogue))
    app.register_blueprint(create_lab())
    app.register_blueprint(create_classroom())
    app.register_blueprint(create_projector(store, respondents_url))

    @app.get("/")
    @app.get("/desk")
    def home() -> BaseResponse:
        return redirect(url_for("desk.surveys"))

    return app


def _said(error: HTTPException) -> ResponseReturnValue:
    """Say what went wrong: to a script as a problem, to people as a page."""
    if is_for_scripts(request.path):
        return problem_of(error)
    return render_template("desk/error.html", code=error.code)
