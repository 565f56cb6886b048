"""The page that shares a survey, for its owners.

The adversary is a mistake: a survey that is shared with the wrong person. So the page shows all who
have access now, and can revoke it at once.
"""

from http import HTTPStatus

from flask import Blueprint, abort, render_template, request
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.auth.people import read_role
from deniable.server.desk.context import or_404, see_other, store
from deniable.server.desk.permissions import Right, signed_in
from deniable.server.store.accounts import Role

sharing = Blueprint("sharing", __name__, url_prefix="/desk/surveys/<slug>/people")


@sharing.get("", needs=Right.CHANGE_SURVEY)
def page(slug: str) -> str:
    """Show the accounts that a survey is shared with."""
    shares = or_404(store.shares, slug)
    users = [user for user in store.users() if user.role is not Role.ADMINISTRATOR]
    return render_template(
        "desk/sharing.html",
        survey=store.survey(slug),
        shared=[(user, shares[user.name]) for user in users if user.name in shares],
        others=[user for user in users if user.name not in shares],
        administrators=[user for user in store.users() if user.role is Role.ADMINISTRATOR],
    )


@sharing.post("", needs=Right.CHANGE_SURVEY)
def share(slug: str) -> BaseResponse:
    """Share a survey with an account, or stop sharing it."""
    name, text = request.form.get("name", ""), request.form.get("role", "")
    role = None if text == "none" else read_role(text)
    if role is Role.ADMINISTRATOR or (
        role is Role.OWNER and or_404(store.user, name).role is Role.ANALYST
    ):
        abort(HTTPStatus.BAD_REQUEST)
    or_404(store.share, slug, name, role)
    told = f"Shared with {name} as {role}." if role else f"No longer shared with {name}."
    if signed_in().is_admin or name != signed_in().name:
        return see_other("sharing.page", told, slug=slug)
    return see_other("surveys.index", told)
