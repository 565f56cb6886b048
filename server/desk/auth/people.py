"""The desk's pages about others: the accounts, and with whom a survey is shared.

The adversary is a mistake: an account that stays after its person has left, or a survey that is
shared with the wrong one. So each page shows all who have access now, and takes it back at once.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import TypeAlias

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.auth.login_links import new_link
from deniable.server.desk.auth.passwords import NAME_RULE, CredentialError, read_name
from deniable.server.desk.permissions import signed_in
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY, Role

Answer: TypeAlias = BaseResponse | tuple[str, HTTPStatus]


def add_people(desk: Blueprint, store: Store, desk_url: Callable[[], str]) -> None:
    """Add the page of all accounts, for administrators.

    Parameters
    ----------
    desk : Blueprint
    store : Store
    desk_url : callable
        Returns the address at which people reach the desk.
    """

    def page(**shown: object) -> str:
        return render_template(
            "desk/people.html", users=store.users(), roles=[*Role], rule=NAME_RULE, **shown
        )

    def back(told: str) -> BaseResponse:
        flash(told)
        return redirect(url_for("desk.people"), HTTPStatus.SEE_OTHER)

    def refused(mistake: str) -> tuple[str, HTTPStatus]:
        return page(mistake=mistake), HTTPStatus.UNPROCESSABLE_ENTITY

    def with_link(name: str) -> tuple[str, HTTPStatus]:
        """Show a new link: this once, for the store does not know it."""
        return page(made=name, link=new_link(store, desk_url(), name)), HTTPStatus.CREATED

    def other() -> str:
        """Return whose account is to be changed: never one's own, so one administrator is left."""
        name = request.form.get("name", "")
        if name == signed_in().name:
            abort(HTTPStatus.BAD_REQUEST)
        try:
            return store.user(name).name
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)

    @desk.get("/people")
    def people() -> str:
        return page()

    @desk.post("/people")
    def add_person() -> Answer:
        role = _role(request.form.get("role", ""))
        try:
            name = read_name(request.form.get("name", ""))
        except CredentialError as mistake:
            return refused(str(mistake))
        try:
            store.add_user(name, role)
        except ValueError:
            return refused(f"There is an account {name} already.")
        if signed_in().name == NOBODY:
            flash(f"This account is yours, and you are signed in as {name} now.")
            return redirect(url_for("desk.account"), HTTPStatus.SEE_OTHER)
        return with_link(name)

    @desk.post("/people/role")
    def change_role() -> Answer:
        name, role = other(), _role(request.form.get("role", ""))
        store.set_role(name, role)
        return back(f"{name} is now: {role}.")

    @desk.post("/people/link")
    def renew_person() -> Answer:
        name = other()
        store.set_password(name, "")
        return with_link(name)

    @desk.post("/people/remove")
    def remove_person() -> Answer:
        name = other()
        if request.form.get("confirmed") != "yes":
            return refused(f"Tick the box if you want to remove {name}.")
        store.remove_user(name)
        return back(f"{name} has no account any more.")


def add_sharing(desk: Blueprint, store: Store) -> None:
    """Add the page that shares a survey, for its owners."""

    @desk.get("/surveys/<slug>/people")
    def sharing(slug: str) -> str:
        try:
            shares = store.shares(slug)
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)
        users = store.users()
        return render_template(
            "desk/share.html",
            survey=store.survey(slug),
            shared=[
                (user, shares[user.name])
                for user in users
                if user.name in shares and user.role is not Role.ADMINISTRATOR
            ],
            others=[
                user
                for user in users
                if user.name not in shares and user.role is not Role.ADMINISTRATOR
            ],
            administrators=[user for user in users if user.role is Role.ADMINISTRATOR],
        )

    @desk.post("/surveys/<slug>/people")
    def share(slug: str) -> BaseResponse:
        name, text = request.form.get("name", ""), request.form.get("role", "")
        role = None if text == "none" else _role(text)
        try:
            if role is Role.ADMINISTRATOR or (
                role is Role.OWNER and store.user(name).role is Role.ANALYST
            ):
                abort(HTTPStatus.BAD_REQUEST)
            store.share(slug, name, role)
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)
        flash(f"Shared with {name} as {role}." if role else f"No longer shared with {name}.")
        if signed_in().administers or name != signed_in().name:
            return redirect(url_for("desk.sharing", slug=slug), HTTPStatus.SEE_OTHER)
        return redirect(url_for("desk.surveys"), HTTPStatus.SEE_OTHER)


def _role(text: str) -> Role:
    try:
        return Role(text)
    except ValueError:
        abort(HTTPStatus.BAD_REQUEST)
