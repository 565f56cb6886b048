"""Who may do what at the desk: one table, which every request is held to.

The adversary is a colleague who asks for more than was shared with them, by an address or a form
of their own making. A page that the table does not name is for nobody at all, so a page that is
added without a rule cannot be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from http import HTTPStatus
from typing import Final, TypeAlias

from flask import abort, g, render_template, request

from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY, Role, Session

Refusal: TypeAlias = tuple[str, HTTPStatus]


class Right(Enum):
    """What somebody needs for a page or a form."""

    EVERYBODY = auto()
    """Nothing: they need not have signed in."""
    SIGNED_IN = auto()
    """To have signed in; the page shows or changes what is their own."""
    READ = auto()
    """The survey of the address, as its analyst at least."""
    CHANGE = auto()
    """The survey of the address, as its owner."""
    ADMINISTER = auto()
    """To be an administrator."""


RIGHTS: Final[Mapping[str, Right]] = {
    "home": Right.EVERYBODY,
    "desk.static": Right.EVERYBODY,
    # The lab, whose data are made up
    "lab.static": Right.EVERYBODY,
    "lab.core": Right.EVERYBODY,
    "lab.contents": Right.EVERYBODY,
    "lab.page": Right.EVERYBODY,
    "lab.numbers": Right.EVERYBODY,
    # Signing in
    "desk.sign_in_page": Right.EVERYBODY,
    "desk.redeem": Right.EVERYBODY,
    "desk.password_page": Right.EVERYBODY,
    "desk.sign_in_by_password": Right.EVERYBODY,
    "desk.sign_out": Right.SIGNED_IN,
    # One's own
    "desk.surveys": Right.SIGNED_IN,
    "desk.account": Right.SIGNED_IN,
    "desk.change_password": Right.SIGNED_IN,
    "desk.end_sessions": Right.SIGNED_IN,
    # A survey's results
    "desk.results": Right.READ,
    "desk.figure": Right.READ,
    "desk.estimates": Right.READ,
    "desk.reports": Right.READ,
    "desk.trend": Right.READ,
    "desk.compare": Right.READ,
    "desk.compare_file": Right.READ,
    "desk.cross": Right.READ,
    "desk.cross_file": Right.READ,
    "desk.regress": Right.READ,
    "desk.regress_file": Right.READ,
    "desk.paper": Right.READ,
    "desk.parcel": Right.READ,
    # A survey
    "desk.set_state": Right.CHANGE,
    "desk.next_wave": Right.CHANGE,
    "desk.begin_wave": Right.CHANGE,
    "desk.sheets": Right.CHANGE,
    "desk.empty_sheets": Right.CHANGE,
    "desk.upload": Right.CHANGE,
    "desk.sharing": Right.CHANGE,
    "desk.share": Right.CHANGE,
    # Accounts
    "desk.people": Right.ADMINISTER,
    "desk.add_person": Right.ADMINISTER,
    "desk.change_role": Right.ADMINISTER,
    "desk.renew_person": Right.ADMINISTER,
    "desk.remove_person": Right.ADMINISTER,
}
"""What each page and form of the desk needs, by its endpoint."""


@dataclass(frozen=True)
class Person:
    """Somebody who is signed in.

    Parameters
    ----------
    name : str
        `NOBODY` where there is no account.
    role : Role
    has_password : bool
    session : Session
    shares : dict of (str: Role)
        By slug, the surveys that are shared with them.
    """

    name: str
    role: Role
    has_password: bool
    session: Session
    shares: Mapping[str, Role]

    def role_in(self, slug: str | None) -> Role | None:
        """Return what they are in a survey; None if they may not know of it."""
        if self.role is Role.ADMINISTRATOR:
            return Role.OWNER
        shared = None if slug is None else self.shares.get(slug)
        # An analyst's account never owns anything, whatever was shared with it.
        return Role.ANALYST if shared and self.role is Role.ANALYST else shared

    def may_change(self, slug: str) -> bool:
        """Return whether they own a survey."""
        return self.role_in(slug) is Role.OWNER

    @property
    def administers(self) -> bool:
        """Whether they manage the accounts."""
        return self.role is Role.ADMINISTRATOR


def person_of(store: Store, session: Session | None) -> Person | None:
    """Find whose session it is; None if that account is gone."""
    if session is None:
        return None
    if session.user == NOBODY:
        if store.users():
            return None
        return Person(NOBODY, Role.ADMINISTRATOR, False, session, {})
    try:
        user = store.user(session.user)
    except KeyError:
        return None
    shares = store.shared_with(user.name)
    return Person(user.name, user.role, bool(user.password), session, shares)


def signed_in() -> Person:
    """Return who made the request, on a page that needs a sign-in."""
    person: Person = g.person
    return person


def create_guard(
    find: Callable[[], Person | None], signed_out: Callable[[], str]
) -> Callable[[], Refusal | None]:
    """Make what every request passes before its page.

    Parameters
    ----------
    find : callable
        Returns who makes the request, None if they are not signed in.
    signed_out : callable
        Writes the page that asks for a sign-in.

    Returns
    -------
    callable
        Returns an answer in the page's place, or None.
    """

    def guard() -> Refusal | None:
        if request.endpoint is None:
            return None  # there is no such page
        right = RIGHTS.get(request.endpoint)
        g.person = None
        if right is Right.EVERYBODY:
            return None
        person = find()
        if person is None:
            return signed_out(), HTTPStatus.UNAUTHORIZED
        g.person = person
        if right in (Right.READ, Right.CHANGE):
            role = person.role_in((request.view_args or {}).get("slug"))
            if role is None:
                abort(HTTPStatus.NOT_FOUND)  # nobody learns which surveys others have
            allowed = right is Right.READ or role is Role.OWNER
        else:
            allowed = right is Right.SIGNED_IN or (right is Right.ADMINISTER and person.administers)
        if allowed:
            return None
        return render_template("desk/not_allowed.html"), HTTPStatus.FORBIDDEN

    return guard
