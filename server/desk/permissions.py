"""Who may do what at the desk: each route says what it needs, and every request is held to it.

The adversary is a colleague who asks for more than was shared with them, by an address or a form
of their own making. A route that says nothing is for nobody at all, so a page that is added without
a rule cannot be seen. ``python -m tools.rights`` prints all routes with what they need.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Any, Final

from flask import abort, g, request
from werkzeug.routing import Rule

from deniable.server.desk.context import or_404, store
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY, Role, Scope, Session, Token
from deniable.survey import Survey
from deniable.survey.kind import survey_tried


class Right(Enum):
    """What somebody needs for a page or a form."""

    EVERYBODY = "everybody"
    """They need not have signed in."""
    PUBLIC = "everybody, where the owner shows the results"
    """Nothing, if the owner of the survey of the address let everybody see its results."""
    SIGNED_IN = "every account"
    """To have signed in; the page shows or changes what is their own."""
    WRITE = "every account that writes surveys"
    """To be more than an analyst: they write surveys of their own."""
    DRAFT = "the owner of the draft"
    """The same, and the draft of the address: it is theirs, or they are an administrator."""
    MEETING = "the owner of the meeting"
    """The same of the meeting of the address."""
    READ = "who reads the survey or trial"
    """The survey or trial of the address, as its analyst at least."""
    READ_SURVEY = "who reads the survey"
    """The same of a survey: it makes no sense of a trial."""
    CHANGE = "the owners of the survey or trial"
    """The survey or trial of the address, as its owner."""
    CHANGE_SURVEY = "the owners of the survey"
    """The same of a survey."""
    REGISTER = "the owners of the survey; of a new one, who writes surveys"
    """The survey of the address, no trial, as its owner; if there is none yet, as for `WRITE`."""
    ADMINISTER = "administrators"
    """To be an administrator."""


class Route(Rule):
    """The rule of an address of the desk; without `needs` it is for nobody."""

    def __init__(self, *given: Any, needs: Right | None = None, **options: Any) -> None:
        super().__init__(*given, **options)
        self.needs = needs


OF_SURVEYS: Final = {Right.PUBLIC, Right.READ_SURVEY, Right.CHANGE_SURVEY, Right.REGISTER}
"""What makes no sense of a trial or a meeting."""


@dataclass(frozen=True)
class Person:
    """Somebody who is signed in, or whose script shows a token."""

    name: str
    role: Role
    has_password: bool
    session: Session | Token
    shares: Mapping[str, Role]

    def role_in(self, survey: Survey) -> Role | None:
        """Return what they are in a survey; None if they may not know of it.

        A trial is shared as its survey is. That of a draft has shares of its own.
        """
        if survey.kind == "meeting":
            return None  # its meeting shows of it what the class may see
        tried = survey_tried(survey.slug, survey.parent)
        shared = self.shares.get(tried or survey.slug)
        if self.role is Role.ADMINISTRATOR:
            shared = Role.OWNER
        # An analyst's account never owns anything, whatever was shared with it.
        return Role.ANALYST if shared and (self.reads or self.role is Role.ANALYST) else shared

    @property
    def reads(self) -> bool:
        """Whether they may change nothing at all here, whatever they may elsewhere."""
        return isinstance(self.session, Token) and self.session.scope is Scope.READ

    def may_change(self, survey: Survey) -> bool:
        """Return whether they own a survey."""
        return self.role_in(survey) is Role.OWNER

    @property
    def writes(self) -> bool:
        """Whether they write surveys, and own one as soon as they publish it."""
        return not self.reads and self.role is not Role.ANALYST

    @property
    def administers(self) -> bool:
        """Whether they manage the accounts."""
        return self.role is Role.ADMINISTRATOR and not self.reads


def person_of(store: Store, session: Session | Token | None) -> Person | None:
    """Find whose session or token it is; None if that account is gone."""
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


def has(person: Person, right: Right | None, survey: Survey | None) -> bool:
    """Return whether somebody has a right; answer 404 where they may not know what it is of."""
    given = request.view_args or {}
    match right:
        case Right.SIGNED_IN:
            may = True
        case Right.WRITE:
            may = person.writes
        case Right.ADMINISTER:
            may = person.administers
        case Right.REGISTER:
            may = person.writes if survey is None else person.may_change(survey)
        case Right.DRAFT:
            may = person.writes and _owns(person, or_404(store.draft, given["draft"]).owner)
        case Right.MEETING:
            may = person.writes and _owns(person, or_404(store.meeting, given["meeting"]).owner)
        case Right.READ | Right.READ_SURVEY | Right.CHANGE | Right.CHANGE_SURVEY:
            role = None if survey is None else person.role_in(survey)
            if role is None:
                abort(HTTPStatus.NOT_FOUND)
            may = role is Role.OWNER or right in (Right.READ, Right.READ_SURVEY)
        case _:
            may = False
    return may


def _owns(person: Person, owner: str) -> bool:
    if not person.administers and owner != person.name:
        abort(HTTPStatus.NOT_FOUND)
    return True
