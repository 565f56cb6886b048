"""The desk's pages for signing in, and for one's own account.

The adversary guesses passwords, or has stolen a session and wants to keep it. Guesses are limited
(`throttle`), also for a signed-in person. A new password ends every other session, and all API
tokens.
"""

import time
from datetime import timedelta
from http import HTTPStatus

from flask import Blueprint, abort, current_app, g, render_template, request, session
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.auth.api_tokens import MOST_CHARACTERS, make_token
from deniable.server.desk.auth.login_links import redeem as redeem_link
from deniable.server.desk.auth.passwords import LEAST_CHARACTERS, hash_password, is_password
from deniable.server.desk.auth.sessions import begin_session, end_session, find_session
from deniable.server.desk.auth.throttle import DEVICE_DAYS, SIGNED_IN, known_device, new_device
from deniable.server.desk.context import context, see_other, store, words_asked_for
from deniable.server.desk.permissions import Person, Right, person_of, signed_in
from deniable.server.store.accounts import NOBODY, Scope

# The key of the session's token in the cookie.
_SESSION = "session"


auth = Blueprint("auth", __name__, url_prefix="/desk")


def person_by_cookie() -> Person | None:
    """Return the person who makes the request; None if they are not signed in."""
    return person_of(store, find_session(store, session.get(_SESSION)))


def signed_out_page(template: str = "desk/sign_in.html", **shown: object) -> str:
    """Return a page that asks for a sign-in, in the browser's language: no account is known."""
    spoken, has_accounts = words_asked_for(), bool(store.users())
    return render_template(
        template, spoken=spoken, _=spoken.html, has_accounts=has_accounts, **shown
    )


def _begin(name: str, meeting: str = "") -> BaseResponse:
    """Begin an account's session in place of an earlier one; show a meeting or the surveys."""
    _end()
    g.begun = name
    session[_SESSION] = begin_session(store, name, request.headers.get("User-Agent", ""))
    session.permanent = True  # so that the browser, too, drops the cookie in time
    return _inside(meeting)


def _inside(meeting: str) -> BaseResponse:
    return see_other("live.page", meeting=meeting) if meeting else see_other("surveys.index")


def _device_cookie() -> str:
    return f"{current_app.config['SESSION_COOKIE_NAME']}-device"


def _known(response: BaseResponse, name: str, stored: str) -> BaseResponse:
    """Make the browser known, after a person has entered or chosen their password in it."""
    response.set_cookie(
        _device_cookie(),
        new_device(name, stored),
        max_age=timedelta(days=DEVICE_DAYS),
        path=current_app.config["SESSION_COOKIE_PATH"],
        secure=current_app.config["SESSION_COOKIE_SECURE"],
        httponly=True,
        samesite="Strict",
    )
    return response


def _end() -> None:
    end_session(store, session.get(_SESSION))
    session.clear()


@auth.get("/sign-in/<token>", needs=Right.EVERYBODY)
def sign_in_page(token: str) -> str:
    """Show the button that uses up a sign-in link."""
    # Programs that preview links open them. So only the button uses a link up, and the page is the
    # same for every token: a stranger learns nothing about a token without using it up.
    del token
    return signed_out_page("desk/login_link.html")


@auth.post("/sign-in/<token>", needs=Right.EVERYBODY)
def redeem(token: str) -> BaseResponse | tuple[str, HTTPStatus]:
    """Sign in by a link."""
    name, meeting = redeem_link(store, token), request.args.get("meeting", "")
    if name is not None:
        return _begin(name, meeting)
    # A signed-in person opened the link again: go where it leads.
    if person_by_cookie():
        return _inside(meeting)
    return signed_out_page(mistake="link"), HTTPStatus.UNAUTHORIZED


@auth.get("/sign-in", needs=Right.EVERYBODY)
def password_page() -> str:
    """Show the page that asks for a sign-in."""
    return signed_out_page()


@auth.post("/sign-in", needs=Right.EVERYBODY)
def sign_in_by_password() -> BaseResponse | tuple[str, HTTPStatus, dict[str, str]]:
    """Sign in by a name and a password."""
    name = request.form.get("name", "").strip().lower()
    try:
        stored = store.user(name).password
        g.begun = name  # in the audit log, also if the password is wrong
    except KeyError:
        stored = ""
    device = known_device(request.cookies.get(_device_cookie(), ""), name, stored)
    pause = context().passwords.take(name, device)
    if pause:
        told = signed_out_page(mistake="pause", pause=pause)
        return told, HTTPStatus.TOO_MANY_REQUESTS, {"Retry-After": str(pause)}
    # Compared in any case, so that names without an account take as long.
    if not is_password(request.form.get("password", ""), stored):
        return signed_out_page(mistake="wrong"), HTTPStatus.UNAUTHORIZED, {}
    context().passwords.forgive(name, device)
    return _known(_begin(name), name, stored)


@auth.post("/sign-out", needs=Right.SIGNED_IN)
def sign_out() -> str:
    """Sign out."""
    _end()
    return signed_out_page(just_now=True)


account = Blueprint("account", __name__, url_prefix="/desk/account")


@account.get("", needs=Right.SIGNED_IN)
def page(**shown: object) -> str:
    """Show one's own account; `shown`: the outcome of a form."""
    person, now = signed_in(), int(time.time())
    return render_template(
        "desk/account.html",
        least=LEAST_CHARACTERS,
        sessions=store.sessions(person.name, now),
        tokens=store.tokens(person.name, now),
        most=MOST_CHARACTERS,
        **shown,
    )


def _mistake_in(person: Person, new: str) -> str | None:
    """Say why a password cannot be changed; None if it can."""
    if request.form.get("again") != new:
        return "The two new passwords differ."
    if not person.has_password:
        return None
    pause = context().passwords.take(person.name, SIGNED_IN)
    if pause:
        return f"Too many attempts. Try again in {pause} seconds."
    if not is_password(request.form.get("old", ""), store.user(person.name).password):
        return "The present password is wrong."
    context().passwords.forgive(person.name, SIGNED_IN)
    return None


@account.post("/password", needs=Right.SIGNED_IN)
def change_password() -> BaseResponse | tuple[str, HTTPStatus]:
    """Change one's own password."""
    person, new = signed_in(), request.form.get("new", "")
    if person.name == NOBODY:
        abort(HTTPStatus.BAD_REQUEST)
    mistake = _mistake_in(person, new)
    if mistake is None:
        try:
            hashed = hash_password(new)
        except ValueError as error:
            mistake = str(error)
        else:
            store.set_password(person.name, hashed, keep=person.session.token_hash)
            told = "Your password was changed. Your other sessions and your tokens have ended."
            return _known(see_other("account.page", told), person.name, hashed)
    return page(mistake=mistake), HTTPStatus.UNPROCESSABLE_ENTITY


@account.post("/sessions", needs=Right.SIGNED_IN)
def end_sessions() -> BaseResponse:
    """End one of one's own sessions, or all."""
    person, ended = signed_in(), request.form.get("session", "")
    if ended == "all":
        store.end_sessions(person.name)
        return see_other("auth.password_page")
    try:
        store.end_session(person.name, bytes.fromhex(ended))
    except ValueError:
        abort(HTTPStatus.BAD_REQUEST)
    return see_other("account.page", "The session has ended.")


@account.post("/tokens", needs=Right.SIGNED_IN)
def new_token() -> BaseResponse | tuple[str, HTTPStatus]:
    """Create an API token, and show it this once."""
    try:
        scope = Scope(request.form.get("may", ""))
    except ValueError:
        abort(HTTPStatus.BAD_REQUEST)
    try:
        made = make_token(store, signed_in().name, request.form.get("called", ""), scope)
    except ValueError as mistake:
        return page(token_mistake=str(mistake)), HTTPStatus.UNPROCESSABLE_ENTITY
    # Shown only now: the store has its hash alone.
    return page(token=made), HTTPStatus.CREATED


@account.post("/tokens/end", needs=Right.SIGNED_IN)
def end_token() -> BaseResponse | tuple[str, HTTPStatus]:
    """Revoke one of one's own API tokens."""
    try:
        ended = store.end_token(signed_in().name, bytes.fromhex(request.form.get("ended", "")))
    except ValueError:
        ended = False
    if not ended:
        abort(HTTPStatus.BAD_REQUEST)
    return see_other("account.page", "The token has ended.")
