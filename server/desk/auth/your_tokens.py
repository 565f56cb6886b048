"""The forms of one's own account that make and end tokens for scripts.

The adversary has somebody's session for a moment. What it makes is listed for its owner, who can
end it, and a new password ends it too.
"""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, abort, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from deniable.server.desk.auth.api_tokens import TokenNameError, make_token
from deniable.server.desk.auth.routes import account_page
from deniable.server.desk.permissions import signed_in
from deniable.server.store import Store
from deniable.server.store.accounts import Scope


def add_tokens(desk: Blueprint, store: Store) -> None:
    """Add the forms to the desk, behind its sign-in."""

    @desk.post("/account/tokens")
    def new_token() -> ResponseReturnValue:
        try:
            scope = Scope(request.form.get("may", ""))
        except ValueError:
            abort(HTTPStatus.BAD_REQUEST)
        try:
            made = make_token(store, signed_in().name, request.form.get("called", ""), scope)
        except TokenNameError as mistake:
            page = account_page(store, token_mistake=str(mistake))
            return page, HTTPStatus.UNPROCESSABLE_ENTITY
        # Shown this once, for the store does not know it.
        return account_page(store, token=made), HTTPStatus.CREATED

    @desk.post("/account/tokens/end")
    def end_token() -> ResponseReturnValue:
        try:
            ended = store.end_token(signed_in().name, bytes.fromhex(request.form.get("ended", "")))
        except ValueError:
            ended = False
        if not ended:
            abort(HTTPStatus.BAD_REQUEST)
        flash("The token has ended.")
        return redirect(url_for("desk.account"), HTTPStatus.SEE_OTHER)
