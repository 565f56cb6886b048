"""The desk's pages to sign in, and about one's own account.

The adversary guesses passwords, or has somebody's session and would like to keep it. Guesses are
counted (`attempts`), also of whoever is signed in. A new password ends every other session.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from http import HTTPStatus

from flask import Blueprint, abort, flash, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.auth import login_links as sign_in
from deniable.server.desk.auth.api_tokens import MOST_CHARACTERS
from deniable.server.desk.auth.passwords import (
    LEAST_CHARACTERS,
    CredentialError,
    hash_password,
    is_password,
)
from deniable.server.desk.auth.sessions import Sessions
from deniable.server.desk.auth.throttle import Attempts
from deniable.server.desk.permissions import Person, person_of, signed_in
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY

# The name of the session's token, in the cookie.
_SESSION = "session"


class SigningIn:
    """Who makes a request, by the session in its cookie."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sessions = Sessions(store)

    def find(self) -> Person | None:
        """Return who makes the request, None if they are not signed in."""
        return person_of(self._store, self._sessions.find(session.get(_SESSION)))

    def begin(self, name: str) -> BaseResponse:
        """Sign somebody in, in place of whoever was signed in before, and show the surveys."""
        self.end()
        session[_SESSION] = self._sessions.begin(name, request.headers.get("User-Agent", ""))
        session.permanent = True  # so that the browser, too, forgets the cookie some time
        return redirect(url_for("desk.surveys"), HTTPStatus.SEE_OTHER)

    def end(self) -> None:
        """End the session of the request."""
        self._sessions.end(session.get(_SESSION))
        session.clear()

    def page(self, **shown: object) -> str:
        """Write the page that asks for a sign-in."""
        return render_template(
            "desk/signed_out.html", has_accounts=bool(self._store.users()), **shown
        )


def add_signing_in(
    desk: Blueprint, store: Store, signing_in: SigningIn, attempts: Attempts
) -> None:
    """Add the pages that sign in and out."""

    @desk.get("/sign-in/<token>")
    def sign_in_page(token: str) -> str:
        # Programs that preview links open them. A link is used up by the button alone, and the page
        # is the same for each token: a stranger learns nothing about one without using it up.
        del token
        return render_template("desk/sign_in.html")

    @desk.post("/sign-in/<token>")
    def redeem(token: str) -> BaseResponse | tuple[str, HTTPStatus]:
        name = sign_in.redeem(store, token)
        if name is None:
            return signing_in.page(), HTTPStatus.UNAUTHORIZED
        return signing_in.begin(name)

    @desk.get("/sign-in")
    def password_page() -> str:
        return signing_in.page()

    @desk.post("/sign-in")
    def sign_in_by_password() -> BaseResponse | tuple[str, HTTPStatus, dict[str, str]]:
        name = request.form.get("name", "").strip().lower()
        pause = attempts.take(name)
        if pause:
            told = signing_in.page(mistake="pause", pause=pause)
            return told, HTTPStatus.TOO_MANY_REQUESTS, {"Retry-After": str(pause)}
        try:
            stored = store.user(name).password
        except KeyError:
            stored = ""
        # Compared in any case, so that it takes as long for names that have no account.
        if not is_password(request.form.get("password", ""), stored):
            return signing_in.page(mistake="wrong"), HTTPStatus.UNAUTHORIZED, {}
        attempts.forgive(name)
        return signing_in.begin(name)

    @desk.post("/sign-out")
    def sign_out() -> str:
        signing_in.end()
        return signing_in.page(just_now=True)


def account_page(store: Store, **shown: object) -> str:
    """Write the page about one's own account.

    Parameters
    ----------
    store : Store
    **shown
        What has just come of a form: ``mistake`` in a new password, ``token`` that was made, or
        ``token_mistake``.
    """
    person, now = signed_in(), int(time.time())
    return render_template(
        "desk/account.html",
        least=LEAST_CHARACTERS,
        sessions=store.sessions(person.name, now),
        tokens=store.tokens(person.name, now),
        most=MOST_CHARACTERS,
        at=lambda seconds: datetime.fromtimestamp(seconds, UTC),
        **shown,
    )


def add_account(desk: Blueprint, store: Store, attempts: Attempts) -> None:
    """Add the page about one's own account, behind the desk's sign-in."""

    def mistake_in(person: Person, new: str) -> str | None:
        """Say what keeps a password from being changed."""
        if request.form.get("again") != new:
            return "The two new passwords differ."
        if not person.has_password:
            return None
        pause = attempts.take(person.name)
        if pause:
            return f"Too many attempts. Try again in {pause} seconds."
        if not is_password(request.form.get("old", ""), store.user(person.name).password):
            return "The present password is wrong."
        attempts.forgive(person.name)
        return None

    @desk.get("/account")
    def account() -> str:
        return account_page(store)

    @desk.post("/account/password")
    def change_password() -> BaseResponse | tuple[str, HTTPStatus]:
        person, new = signed_in(), request.form.get("new", "")
        if person.name == NOBODY:
            abort(HTTPStatus.BAD_REQUEST)
        mistake = mistake_in(person, new)
        if mistake is None:
            try:
                hashed = hash_password(new)
            except CredentialError as error:
                mistake = str(error)
            else:
                store.set_password(person.name, hashed, keep=person.session.token_hash)
                flash("Your password was changed. Your other sessions and your tokens have ended.")
                return redirect(url_for("desk.account"), HTTPStatus.SEE_OTHER)
        return account_page(store, mistake=mistake), HTTPStatus.UNPROCESSABLE_ENTITY

    @desk.post("/account/sessions")
    def end_sessions() -> BaseResponse:
        person, ended = signed_in(), request.form.get("session", "")
        if ended == "all":
            store.end_sessions(person.name)
            return redirect(url_for("desk.password_page"), HTTPStatus.SEE_OTHER)
        try:
            store.end_session(person.name, bytes.fromhex(ended))
        except ValueError:
            abort(HTTPStatus.BAD_REQUEST)
        flash("The session has ended.")
        return redirect(url_for("desk.account"), HTTPStatus.SEE_OTHER)
