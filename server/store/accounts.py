"""What a store keeps of the people at the desk: accounts, shared surveys, sessions and links.

The adversary has a copy of it all. A password is kept as a hash that is slow to guess, a session,
a sign-in link and a script's token as the hash of a random token: with none of them can anybody
sign in, or have a script do so.

As long as there is no account, whoever signs in has the name `NOBODY` and may do everything: one
person alone needs no account. The first account takes these sessions, links and tokens over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

NOBODY: Final = ""
"""Name of the person who signs in where there is no account."""


class Role(StrEnum):
    """What somebody may do: at the desk as a whole, or with a survey."""

    ADMINISTRATOR = "administrator"
    """All with every survey and every account; never the role in one survey."""
    OWNER = "owner"
    """All with the surveys that are theirs."""
    ANALYST = "analyst"
    """Read results and download, and no more."""


@dataclass(frozen=True)
class User:
    """An account.

    Parameters
    ----------
    name : str
    role : Role
        The most that they may do with a survey that is shared with them.
    password : str
        Its hash, empty if there is no password.
    """

    name: str
    role: Role
    password: str


@dataclass(frozen=True)
class Session:
    """Somebody who is signed in.

    Parameters
    ----------
    token_hash : bytes
    user : str
        Their name.
    device : str
        What they read their session by, such as "Firefox on Linux".
    since, ends : int
        Seconds since the epoch.
    """

    token_hash: bytes
    user: str
    device: str
    since: int
    ends: int


class Scope(StrEnum):
    """What a script may do with a token."""

    READ = "read"
    """Read what its person may read."""
    ALL = "all"
    """All that its person may do."""


@dataclass(frozen=True)
class Token:
    """What a script of somebody shows in place of a session.

    Parameters
    ----------
    token_hash : bytes
    user : str
        Whose it is.
    name : str
        What they call it, such as "nightly figures".
    scope : Scope
    since, ends : int
        Seconds since the epoch.
    """

    token_hash: bytes
    user: str
    name: str
    scope: Scope
    since: int
    ends: int


class LastAdministratorError(ValueError):
    """There are accounts, so one of them has to be an administrator's."""


class Accounts(ABC):
    """The part of a store that is about the people at the desk; errors as of the store."""

    # ------------------------------------------------------------------ accounts

    @abstractmethod
    def users(self) -> list[User]:
        """Return every account, by name."""

    @abstractmethod
    def user(self, name: str) -> User:
        """Return an account.

        Raises
        ------
        KeyError
            If there is none of that name.
        """

    @abstractmethod
    def add_user(self, name: str, role: Role, password: str = "") -> None:
        """Add an account; the first takes over what is `NOBODY`'s: sessions, links, tokens, drafts.

        Raises
        ------
        ValueError
            If there is one of that name.
        LastAdministratorError
            If it is the first, and not an administrator's.
        """

    @abstractmethod
    def remove_user(self, name: str) -> None:
        """Remove an account with its shares, drafts, sessions, links and tokens.

        Raises
        ------
        KeyError
            If there is none of that name.
        LastAdministratorError
            If it is the last administrator's, and there are others.
        """

    @abstractmethod
    def set_role(self, name: str, role: Role) -> None:
        """Change a role; errors as of `remove_user`."""

    @abstractmethod
    def set_password(self, name: str, password: str, *, keep: bytes = b"") -> None:
        """Change or take away a password, and end all that was begun with the old one.

        Parameters
        ----------
        name, password : str
            As of `User`.
        keep : bytes
            Hash of the one session that goes on; sessions and links otherwise end, and all tokens:
            whoever had the old password perhaps made one.

        Raises
        ------
        KeyError
            If there is no such account.
        """

    # ------------------------------------------------------------------ shared surveys

    @abstractmethod
    def shares(self, slug: str) -> Mapping[str, Role]:
        """Return with whom a survey is shared, and as what; by name.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def shared_with(self, name: str) -> Mapping[str, Role]:
        """Return the slug of each survey that is shared with somebody, and as what."""

    @abstractmethod
    def share(self, slug: str, name: str, role: Role | None) -> None:
        """Share a survey with somebody, or take that back (None).

        Raises
        ------
        KeyError
            If there is no such survey, or no such account.
        """

    # ------------------------------------------------------------------ sessions

    @abstractmethod
    def begin_session(self, session: Session) -> None:
        """Remember a session, and forget those that have ended when it begins."""

    @abstractmethod
    def session(self, token_hash: bytes, now: int) -> Session | None:
        """Return a session; None if it never began, or has ended."""

    @abstractmethod
    def sessions(self, name: str, now: int) -> list[Session]:
        """Return the sessions of somebody that have not ended, the newest first."""

    @abstractmethod
    def end_session(self, name: str, token_hash: bytes) -> None:
        """End a session of somebody, if it is on."""

    @abstractmethod
    def end_sessions(self, name: str | None = None) -> None:
        """End all sessions, or all of somebody."""

    # ------------------------------------------------------------------ sign-in links

    @abstractmethod
    def add_sign_in(self, token_hash: bytes, expires: int, now: int, *, user: str = NOBODY) -> None:
        """Remember a one-time link by its hash, and forget those that have expired.

        Parameters
        ----------
        token_hash : bytes
        expires, now : int
            Seconds since the epoch.
        user : str
            Whom it signs in: an account's name, or `NOBODY` where there is no account.

        Raises
        ------
        KeyError
            If it is not for one of these.
        """

    @abstractmethod
    def take_sign_in(self, token_hash: bytes, now: int) -> str | None:
        """Use up a one-time link.

        Returns
        -------
        str or None
            Whom it signs in; None if there is none of that hash, or it has expired.
        """

    # ------------------------------------------------------------------ tokens of scripts

    @abstractmethod
    def add_token(self, token: Token) -> None:
        """Remember a token, and forget those that have ended when it begins.

        Raises
        ------
        KeyError
            If it is for neither an account nor, where there is none, `NOBODY`.
        """

    @abstractmethod
    def token(self, token_hash: bytes, now: int) -> Token | None:
        """Return a token; None if there is none of that hash, or it has ended."""

    @abstractmethod
    def tokens(self, name: str, now: int) -> list[Token]:
        """Return the tokens of somebody that have not ended, the newest first."""

    @abstractmethod
    def end_token(self, name: str, token_hash: bytes) -> bool:
        """End a token of somebody, and return whether there was such a one."""
