"""Who may do what at the desk: each route names a right, which every request needs.

The adversary is a colleague who crafts an address or a form, to see or change more than was shared
with them. A route without a right is denied to everybody, so a page that is added without one
cannot be opened. ``python -m tools.rights`` prints all routes with their rights.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Any, Final

from flask import abort, g, request
from werkzeug.routing import Rule

from deniable.server.desk.context import or_404, store
from deniable.server.store import Draft, Store
from deniable.server.store.accounts import NOBODY, Role, Scope, Session, Token
from deniable.survey import Survey
from deniable.survey.kind import survey_tried, trial_slug


class Right(Enum):
    """The right that a page or a form requires."""

    EVERYBODY = "everybody"
    """No sign-in."""
    PUBLIC = "everybody, where the owner shows the results"
    """No sign-in, if the owner of the address's survey has made its results public."""
    SIGNED_IN = "every account"
    """A sign-in; the page shows or changes the account's own data."""
    WRITE = "every account that writes surveys"
    """An account that may write surveys: no analyst, and no read-only token."""
    DRAFT = "the owner of the draft"
    """`WRITE`, and to own the address's draft or be an administrator."""
    MEETING = "the owner of the meeting"
    """`WRITE`, and to own the address's meeting or be an administrator."""
    READ = "who reads the survey or trial"
    """To be an analyst or an owner of the address's survey or trial."""
    READ_SURVEY = "who reads the survey"
    """`READ` of a survey, not of a trial."""
    CHANGE = "the owners of the survey or trial"
    """To be an owner of the address's survey or trial."""
    CHANGE_SURVEY = "the owners of the survey"
    """`CHANGE` of a survey, not of a trial."""
    REGISTER = "the owners of the survey; of a new one, who writes surveys"
    """`CHANGE_SURVEY` of the address's survey, or `WRITE` if there is none yet."""
    ADMINISTER = "administrators"
    """To be an administrator."""


class Route(Rule):
    """The URL rule of a route of the desk; without `needs` it is denied to everybody."""

    def __init__(self, *given: Any, needs: Right | None = None, **options: Any) -> None:
        super().__init__(*given, **options)
        self.needs = needs


OF_SURVEYS: Final = {Right.PUBLIC, Right.READ_SURVEY, Right.CHANGE_SURVEY, Right.REGISTER}
"""Rights that exist for surveys alone, not for trials or meetings."""


@dataclass(frozen=True)
class Person:
    """An account that is signed in, or whose script shows a token."""

    name: str
    role: Role
    has_password: bool
    session: Session | Token
    shares: Mapping[str, Role]

    def role_in(self, survey: Survey) -> Role | None:
        """Return the account's role in a survey; None if it must not learn of the survey.

        A trial is shared as its survey is. The trial of a draft has shares of its own.
        """
        if survey.kind == "meeting":
            return None  # its meeting shows what the class may see of it
        tried = survey_tried(survey.slug, survey.parent)
        shared = self.shares.get(tried or survey.slug)
        if self.role is Role.ADMINISTRATOR:
            shared = Role.OWNER
        # An analyst's account never owns anything, whatever was shared with it.
        return (
            Role.ANALYST if shared and (self.is_read_only or self.role is Role.ANALYST) else shared
        )

    @property
    def is_read_only(self) -> bool:
        """Whether a read-only token made the request, whatever the account's role."""
        return isinstance(self.session, Token) and self.session.scope is Scope.READ

    def may_change(self, survey: Survey) -> bool:
        """Return whether the account owns a survey."""
        return self.role_in(survey) is Role.OWNER

    @property
    def can_write(self) -> bool:
        """Whether the account may write surveys, which it owns once they are published."""
        return not self.is_read_only and self.role is not Role.ANALYST

    @property
    def is_admin(self) -> bool:
        """Whether the account may manage all accounts."""
        return self.role is Role.ADMINISTRATOR and not self.is_read_only


def person_of(store: Store, session: Session | Token | None) -> Person | None:
    """Return the person of a session or token; None if the account is gone."""
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
    """Return the person who made the request, on a page that needs a sign-in."""
    person: Person = g.person
    return person


def draft_tried(trial: Survey) -> Draft | None:
    """Return the signed-in person's draft that a trial is of; None for the trial of a survey."""
    slug, drafts = str(trial.parent), store.drafts(signed_in().name)
    return next((one for one in drafts if trial_slug(slug, one.id) == trial.slug), None)


def has(person: Person, right: Right | None, survey: Survey | None) -> bool:
    """Return whether a person has a right; answer 404 if they must not learn of its object."""
    given = request.view_args or {}
    match right:
        case Right.SIGNED_IN:
            may = True
        case Right.WRITE:
            may = person.can_write
        case Right.ADMINISTER:
            may = person.is_admin
        case Right.REGISTER:
            may = person.can_write if survey is None else person.may_change(survey)
        case Right.DRAFT:
            may = person.can_write and _owns(person, or_404(store.draft, given["draft"]).owner)
        case Right.MEETING:
            may = person.can_write and _owns(person, or_404(store.meeting, given["meeting"]).owner)
        case Right.READ | Right.READ_SURVEY | Right.CHANGE | Right.CHANGE_SURVEY:
            role = None if survey is None else person.role_in(survey)
            if role is None:
                abort(HTTPStatus.NOT_FOUND)
            may = role is Role.OWNER or right in (Right.READ, Right.READ_SURVEY)
        case _:
            may = False
    return may


def _owns(person: Person, owner: str) -> bool:
    if not person.is_admin and owner != person.name:
        abort(HTTPStatus.NOT_FOUND)
    return True
