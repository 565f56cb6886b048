"""Who may do what at the desk: one table, which every request is held to.

The adversary is a colleague who asks for more than was shared with them, by an address or a form
of their own making. A page that the table does not name is for nobody at all, so a page that is
added without a rule cannot be seen.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from http import HTTPStatus
from typing import Final, TypeAlias

from flask import abort, g, request
from flask.typing import ResponseReturnValue

from deniable.server.desk.context import catalogue, store
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY, Role, Scope, Session, Token
from deniable.survey import Survey
from deniable.survey.kind import survey_tried

Refusal: TypeAlias = ResponseReturnValue


class Right(Enum):
    """What somebody needs for a page or a form."""

    EVERYBODY = auto()
    """Nothing: they need not have signed in."""
    PUBLIC = auto()
    """Nothing, if the owner of the survey of the address let everybody see its results."""
    SIGNED_IN = auto()
    """To have signed in; the page shows or changes what is their own."""
    WRITE = auto()
    """To be more than an analyst: they write surveys of their own."""
    READ = auto()
    """The survey or trial of the address, as its analyst at least."""
    READ_SURVEY = auto()
    """The same of a survey: it makes no sense of a trial."""
    CHANGE = auto()
    """The survey or trial of the address, as its owner."""
    CHANGE_SURVEY = auto()
    """The same of a survey."""
    REGISTER = auto()
    """The survey of the address, no trial, as its owner; if there is none yet, as for `WRITE`."""
    ADMINISTER = auto()
    """To be an administrator."""


RIGHTS: Final[Mapping[str, Right]] = {
    "home": Right.EVERYBODY,
    "desk.static": Right.EVERYBODY,
    "desk.ethics_style": Right.EVERYBODY,
    "public.page": Right.PUBLIC,
    "public.numbers": Right.PUBLIC,
    # The lab, whose data are made up
    "lab.static": Right.EVERYBODY,
    "lab.contents": Right.EVERYBODY,
    "lab.page": Right.EVERYBODY,
    "lab.numbers": Right.EVERYBODY,
    "manual.contents": Right.EVERYBODY,
    "manual.page": Right.EVERYBODY,
    "manual.picture": Right.EVERYBODY,
    "manual.search": Right.EVERYBODY,
    # What all meetings have in common
    "classroom.static": Right.EVERYBODY,
    # A meeting's projector: its link says enough
    "projector.page": Right.EVERYBODY,
    "projector.scene": Right.EVERYBODY,
    "projector.qr": Right.EVERYBODY,
    # Signing in
    "auth.sign_in_page": Right.EVERYBODY,
    "auth.redeem": Right.EVERYBODY,
    "auth.password_page": Right.EVERYBODY,
    "auth.sign_in_by_password": Right.EVERYBODY,
    "auth.sign_out": Right.SIGNED_IN,
    # One's own
    "surveys.index": Right.SIGNED_IN,
    "account.page": Right.SIGNED_IN,
    "account.change_password": Right.SIGNED_IN,
    "account.end_sessions": Right.SIGNED_IN,
    # Surveys that somebody writes
    "editor.drafts": Right.WRITE,
    "editor.begin": Right.WRITE,
    "editor.page": Right.WRITE,
    "editor.keep": Right.WRITE,
    "editor.copy": Right.WRITE,
    "editor.remove": Right.WRITE,
    "editor.check": Right.WRITE,
    "editor.form": Right.WRITE,
    "editor.texts": Right.WRITE,
    "editor.download": Right.WRITE,
    "editor.keep_texts": Right.WRITE,
    "publishing.page": Right.WRITE,
    "publishing.send": Right.WRITE,
    "editor.plan": Right.WRITE,
    "editor.ethics": Right.WRITE,
    "editor.preregistration": Right.WRITE,
    "editor.packet_file": Right.WRITE,
    "editor.keep_packet": Right.WRITE,
    "editor.try_out": Right.WRITE,
    # Meetings, each of which is somebody's
    "live.meetings": Right.WRITE,
    "live.begin": Right.WRITE,
    "live.page": Right.WRITE,
    "live.notes_now": Right.WRITE,
    "live.lead": Right.WRITE,
    "live.remove": Right.WRITE,
    "account.new_token": Right.SIGNED_IN,
    "account.end_token": Right.SIGNED_IN,
    # A survey's results
    "results.page": Right.READ,
    "results.figure": Right.READ,
    "results.estimates": Right.READ,
    "results.reports": Right.READ,
    "results.trend": Right.READ,
    "analyses.compare": Right.READ,
    "analyses.compare_file": Right.READ,
    "analyses.correlate": Right.READ,
    "analyses.correlate_file": Right.READ,
    "analyses.ratios": Right.READ,
    "analyses.ratios_file": Right.READ,
    "analyses.cross": Right.READ,
    "analyses.cross_file": Right.READ,
    "analyses.regress": Right.READ,
    "analyses.regress_file": Right.READ,
    "status.page": Right.READ,
    "status.numbers": Right.READ,
    "collection.qr": Right.READ,
    "export.page": Right.READ,
    "export.download": Right.READ,
    "planner.page": Right.READ_SURVEY,
    "planner.ethics": Right.READ_SURVEY,
    "planner.preregistration": Right.READ_SURVEY,
    "planner.packet_file": Right.READ_SURVEY,
    "planner.keep_packet": Right.CHANGE_SURVEY,
    "preview.page": Right.READ,
    # A survey
    "surveys.set_state": Right.CHANGE,
    "margins.page": Right.CHANGE_SURVEY,
    "margins.keep": Right.CHANGE_SURVEY,
    "editor.edit": Right.CHANGE_SURVEY,
    "collection.page": Right.CHANGE_SURVEY,
    "collection.set_schedule": Right.CHANGE_SURVEY,
    "collection.survey_file": Right.CHANGE_SURVEY,
    "invitations.page": Right.CHANGE,
    "invitations.invite": Right.CHANGE,
    "invitations.end": Right.CHANGE,
    "surveys.set_public": Right.CHANGE_SURVEY,
    "preview.begin": Right.CHANGE,
    "preview.answer": Right.CHANGE,
    "surveys.delete_page": Right.CHANGE,
    "surveys.delete": Right.CHANGE,
    "surveys.wave_page": Right.CHANGE,
    "surveys.begin_wave": Right.CHANGE,
    "sharing.page": Right.CHANGE_SURVEY,
    "sharing.share": Right.CHANGE_SURVEY,
    # Accounts
    "people.page": Right.ADMINISTER,
    "people.add": Right.ADMINISTER,
    "people.change_role": Right.ADMINISTER,
    "people.renew": Right.ADMINISTER,
    "people.remove": Right.ADMINISTER,
    # What scripts ask, by a token and never by a cookie
    "api.openapi": Right.EVERYBODY,
    "api.surveys": Right.SIGNED_IN,
    "api.survey": Right.READ,
    "api.document": Right.READ,
    "api.tally": Right.READ,
    "api.estimates_json": Right.READ,
    "api.estimates_csv": Right.READ,
    "api.reports": Right.READ,
    "api.state": Right.CHANGE,
    "api.register": Right.REGISTER,
}
"""What each page and form of the desk needs, by its endpoint."""

_OF_SURVEYS: Final = {Right.PUBLIC, Right.READ_SURVEY, Right.CHANGE_SURVEY, Right.REGISTER}
_OF_READERS: Final = {Right.READ, Right.READ_SURVEY}
_OF_OWNERS: Final = {Right.CHANGE, Right.CHANGE_SURVEY}


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


def create_guard(
    find: Callable[[], Person | None],
    signed_out: Callable[[], Refusal],
    not_allowed: Callable[[], Refusal],
) -> Callable[[], Refusal | None]:
    """Make what every request passes before its page: it returns None, or an answer in its place.

    `find` returns who makes the request, `signed_out` answers those who are not signed in, and
    `not_allowed` those who are, and may not do this.
    """

    def guard() -> Refusal | None:
        if request.endpoint is None:
            return None  # there is no such page
        right = RIGHTS.get(request.endpoint)
        g.person = None
        if right is Right.EVERYBODY:
            return None
        slug = (request.view_args or {}).get("slug")
        survey = None if slug is None else catalogue.found(slug)
        g.survey = survey
        is_other = survey is not None and survey.kind != "survey" and right in _OF_SURVEYS
        if right is Right.PUBLIC:
            if survey is not None and not is_other and store.is_public(survey.slug):
                return None
            abort(HTTPStatus.NOT_FOUND)  # nobody learns which surveys there are
        person = find()
        if person is None:
            return signed_out()
        g.person = person
        if is_other:
            abort(HTTPStatus.NOT_FOUND)
        if right is Right.REGISTER and slug is not None:
            allowed = person.writes if survey is None else person.may_change(survey)
        elif right in _OF_READERS | _OF_OWNERS:
            role = None if survey is None else person.role_in(survey)
            if role is None:
                abort(HTTPStatus.NOT_FOUND)  # nobody learns which surveys others have
            allowed = right in _OF_READERS or role is Role.OWNER
        else:
            allowed = (
                right is Right.SIGNED_IN
                or (right is Right.WRITE and person.writes)
                or (right is Right.ADMINISTER and person.administers)
            )
        if allowed:
            return None
        return not_allowed()

    return guard
