"""The page of all accounts, for administrators.

The adversary is a mistake: an account that stays after its person has left. So the page shows all
who have access now, and can revoke it at once.
"""

from http import HTTPStatus

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from deniable.server.desk.auth.login_links import new_link
from deniable.server.desk.auth.passwords import NAME_RULE, read_name
from deniable.server.desk.context import desk_url, or_404, see_other, store
from deniable.server.desk.permissions import Right, signed_in
from deniable.server.store.accounts import NOBODY, Role

people = Blueprint("people", __name__, url_prefix="/desk/people")


@people.get("", needs=Right.ADMINISTER)
def page(**shown: object) -> str:
    """Show all accounts."""
    return render_template(
        "desk/people.html", users=store.users(), roles=[*Role], rule=NAME_RULE, **shown
    )


def _refusal(mistake: str) -> tuple[str, HTTPStatus]:
    return page(mistake=mistake), HTTPStatus.UNPROCESSABLE_ENTITY


def _with_link(name: str) -> tuple[str, HTTPStatus]:
    # Shown only now: the store has the hash of the link's token alone.
    return page(made=name, link=new_link(store, desk_url(), name)), HTTPStatus.CREATED


def _account_to_change() -> str:
    """Return the account to change; never one's own (400), so one administrator is left."""
    name = request.form.get("name", "")
    if name == signed_in().name:
        abort(HTTPStatus.BAD_REQUEST)
    return or_404(store.user, name).name


@people.post("", needs=Right.ADMINISTER)
def add() -> ResponseReturnValue:
    """Add an account."""
    role = read_role(request.form.get("role", ""))
    try:
        name = read_name(request.form.get("name", ""))
    except ValueError as mistake:
        return _refusal(str(mistake))
    try:
        store.add_user(name, role)
    except ValueError:
        return _refusal(f"There is an account {name} already.")
    if signed_in().name == NOBODY:
        told = f"This account is yours, and you are signed in as {name} now."
        return see_other("account.page", told)
    return _with_link(name)


@people.post("/role", needs=Right.ADMINISTER)
def change_role() -> ResponseReturnValue:
    """Change an account's role."""
    name, role = _account_to_change(), read_role(request.form.get("role", ""))
    store.set_role(name, role)
    return see_other("people.page", f"{name} is now an {role}.")


@people.post("/link", needs=Right.ADMINISTER)
def renew() -> ResponseReturnValue:
    """Remove an account's password, and show a new sign-in link."""
    name = _account_to_change()
    store.set_password(name, "")
    return _with_link(name)


@people.post("/remove", needs=Right.ADMINISTER)
def remove() -> ResponseReturnValue:
    """Remove an account."""
    name = _account_to_change()
    if request.form.get("confirmed") != "yes":
        return _refusal(f"Tick the box if you want to remove {name}.")
    store.remove_user(name)
    return see_other("people.page", f"{name} has no account any more.")


def read_role(text: str) -> Role:
    """Read a role from a form's text, or answer 400."""
    try:
        return Role(text)
    except ValueError:
        abort(HTTPStatus.BAD_REQUEST)
