"""The people at the desk: accounts, shared surveys, sessions, sign-in links and tokens.

The adversary has a copy of the store. A password is kept as a hash that is slow to guess; a
session, a sign-in link and a script's token as the hash of a random secret: nobody can sign in with
a hash, and no script can use one.

As long as there is no account, a person who signs in has the name `NOBODY` and may do everything:
one person alone needs no account. The first account takes over these sessions, links and tokens.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from deniable.server.store.part import Part
from deniable.server.store.sql.database import Database, found_row

NOBODY: Final = ""
"""Name of the person who signs in while there is no account."""


class Role(StrEnum):
    """What a person may do: at the desk as a whole, or with one survey."""

    ADMINISTRATOR = "administrator"
    """Full access to all surveys and accounts; never the role in one survey."""
    OWNER = "owner"
    """Full access to their own surveys."""
    ANALYST = "analyst"
    """Read and download results, and no more."""


@dataclass(frozen=True)
class User:
    """An account."""

    name: str
    role: Role  # limits their role in a survey that is shared with them
    password: str  # its hash, empty if there is no password


@dataclass(frozen=True)
class Session:
    """A person's session at the desk."""

    token_hash: bytes
    user: str  # account name
    device: str  # shown in the list of sessions, such as "Firefox on Linux"
    # Seconds since the epoch
    since: int
    ends: int


class Scope(StrEnum):
    """What a script may do with a token."""

    READ = "read"
    """Read what its account may read."""
    ALL = "all"
    """All that its account may do."""


@dataclass(frozen=True)
class Token:
    """A script's credential, in place of a session."""

    token_hash: bytes
    user: str  # account name
    name: str  # chosen by the account, such as "nightly figures"
    scope: Scope
    # Seconds since the epoch
    since: int
    ends: int


class LastAdministratorError(ValueError):
    """If there are accounts, one of them must be an administrator."""


_FIELDS: Final = 'token_hash, "user", name, scope, since, ends'


class Accounts(Part):
    """The people at the desk: accounts, shares, sessions, sign-in links and tokens."""

    def users(self) -> list[User]:
        """Return every account, by name."""
        rows = self._rows("SELECT name, role, password FROM users ORDER BY name")
        return [User(name, Role(role), password) for name, role, password in rows]

    def user(self, name: str) -> User:
        """Return an account."""
        with self._engine.lend() as db:
            return find_user(db, name)

    def add_user(self, name: str, role: Role, password: str = "") -> None:
        """Add an account; the first takes over the sessions, links and drafts of `NOBODY`."""
        with self._engine.transaction() as db:
            if not has_users(db):
                if role is not Role.ADMINISTRATOR:
                    raise LastAdministratorError("the first account is the administrator's")
                for table in ("sessions", "sign_ins", "tokens"):
                    db.execute(f'UPDATE {table} SET "user" = ? WHERE "user" = ?', (name, NOBODY))  # noqa: S608  a name from above
                for table in ("drafts", "meetings"):
                    db.execute(f"UPDATE {table} SET owner = ? WHERE owner = ?", (name, NOBODY))  # noqa: S608
            added = db.execute(
                "INSERT INTO users VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (name, role, password)
            )
            if not added.rowcount:
                raise ValueError(f"there is an account {name!r} already")

    def remove_user(self, name: str) -> None:
        """Remove an account with its shares, drafts, sessions, links and tokens."""
        with self._engine.transaction() as db:
            find_user(db, name)
            db.execute("DELETE FROM users WHERE name = ?", (name,))
            for table in ("shares", "sessions", "sign_ins", "tokens"):
                db.execute(f'DELETE FROM {table} WHERE "user" = ?', (name,))  # noqa: S608
            db.execute("DELETE FROM drafts WHERE owner = ?", (name,))
            # A meeting ends within a day; until then it is an administrator's to delete.
            db.execute("UPDATE meetings SET owner = ? WHERE owner = ?", (NOBODY, name))
            _check_administrators(db)

    def set_role(self, name: str, role: Role) -> None:
        """Change an account's role; errors as in `remove_user`."""
        with self._engine.transaction() as db:
            find_user(db, name)
            db.execute("UPDATE users SET role = ? WHERE name = ?", (role, name))
            _check_administrators(db)

    def set_password(self, name: str, password: str, *, keep: bytes = b"") -> None:
        """Change or remove a password; end all sessions but `keep`, and all links and tokens."""
        with self._engine.transaction() as db:
            find_user(db, name)
            db.execute("UPDATE users SET password = ? WHERE name = ?", (password, name))
            db.execute('DELETE FROM sessions WHERE "user" = ? AND token_hash <> ?', (name, keep))
            for table in ("sign_ins", "tokens"):
                db.execute(f'DELETE FROM {table} WHERE "user" = ?', (name,))  # noqa: S608

    def shares(self, slug: str) -> Mapping[str, Role]:
        """Return the role of each account that a survey is shared with, by name."""
        with self._engine.snapshot() as db:
            _check_survey(db, slug)
            rows = db.execute(
                'SELECT "user", role FROM shares WHERE survey = ? ORDER BY "user"', (slug,)
            ).fetchall()
        return {name: Role(role) for name, role in rows}

    def shared_with(self, name: str) -> Mapping[str, Role]:
        """Return the role of an account in each survey that is shared with it, by slug."""
        sql = 'SELECT survey, role FROM shares WHERE "user" = ? ORDER BY survey'
        return {slug: Role(role) for slug, role in self._rows(sql, name)}

    def share(self, slug: str, name: str, role: Role | None) -> None:
        """Share a survey with an account, or end that (None)."""
        with self._engine.transaction() as db:
            _check_survey(db, slug)
            find_user(db, name)
            db.execute('DELETE FROM shares WHERE survey = ? AND "user" = ?', (slug, name))
            if role is not None:
                db.execute("INSERT INTO shares VALUES (?, ?, ?)", (slug, name, role))

    def begin_session(self, session: Session) -> None:
        """Store a session, and delete the sessions that have ended when it begins."""
        row = (session.token_hash, session.user, session.device, session.since, session.ends)
        with self._engine.transaction() as db:
            db.execute("DELETE FROM sessions WHERE ends <= ?", (session.since,))
            db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", row)

    def session(self, token_hash: bytes, now: int) -> Session | None:
        """Return a session; None if it never began, or has ended."""
        return next(iter(self._sessions("token_hash = ? AND ends > ?", token_hash, now)), None)

    def sessions(self, name: str, now: int) -> list[Session]:
        """Return an account's sessions that have not ended, the newest first."""
        newest_first = '"user" = ? AND ends > ? ORDER BY since DESC, token_hash'
        return self._sessions(newest_first, name, now)

    def end_session(self, name: str, token_hash: bytes) -> None:
        """End a session of an account, if there is such a session."""
        self._end("sessions", name, token_hash)

    def end_sessions(self, name: str) -> None:
        """End all sessions of an account."""
        with self._engine.transaction() as db:
            db.execute('DELETE FROM sessions WHERE "user" = ?', (name,))

    def _sessions(self, condition: str, *values: object) -> list[Session]:
        fields = 'token_hash, "user", device, since, ends'
        rows = self._rows(f"SELECT {fields} FROM sessions WHERE {condition}", *values)  # noqa: S608
        return [Session(*row) for row in rows]

    def add_sign_in(self, token_hash: bytes, expires: int, now: int, *, user: str = NOBODY) -> None:
        """Store a one-time link by its hash, and delete the links that have expired."""
        with self._engine.transaction() as db:
            check_person(db, user)
            db.execute("DELETE FROM sign_ins WHERE expires <= ?", (now,))
            db.execute(
                'INSERT INTO sign_ins (token_hash, expires, "user") VALUES (?, ?, ?)',
                (token_hash, expires, user),
            )

    def take_sign_in(self, token_hash: bytes, now: int) -> str | None:
        """Use up a one-time link; return its account, or None if it is invalid."""
        with self._engine.transaction() as db:
            taken = db.execute(
                'DELETE FROM sign_ins WHERE token_hash = ? RETURNING "user", expires', (token_hash,)
            ).fetchone()
        return taken[0] if taken is not None and now < taken[1] else None

    def add_token(self, token: Token) -> None:
        """Store a token, and delete the tokens that have ended when it begins."""
        row = tuple(getattr(token, column.strip('"')) for column in _FIELDS.split(", "))
        with self._engine.transaction() as db:
            check_person(db, token.user)
            db.execute("DELETE FROM tokens WHERE ends <= ?", (token.since,))
            db.execute(f"INSERT INTO tokens ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?)", row)  # noqa: S608

    def token(self, token_hash: bytes, now: int) -> Token | None:
        """Return a token; None if no token has that hash, or it has ended."""
        return next(iter(self._tokens("token_hash = ? AND ends > ?", token_hash, now)), None)

    def tokens(self, name: str, now: int) -> list[Token]:
        """Return an account's tokens that have not ended, the newest first."""
        newest_first = '"user" = ? AND ends > ? ORDER BY since DESC, name, token_hash'
        return self._tokens(newest_first, name, now)

    def end_token(self, name: str, token_hash: bytes) -> bool:
        """End a token of an account; return whether there was such a token."""
        return self._end("tokens", name, token_hash)

    def _end(self, table: str, name: str, token_hash: bytes) -> bool:
        ended = f'DELETE FROM {table} WHERE "user" = ? AND token_hash = ?'  # noqa: S608
        with self._engine.transaction() as db:
            return bool(db.execute(ended, (name, token_hash)).rowcount)

    def _tokens(self, condition: str, *values: object) -> list[Token]:
        rows = self._rows(f"SELECT {_FIELDS} FROM tokens WHERE {condition}", *values)  # noqa: S608
        return [
            Token(token_hash, user, name, Scope(scope), since, ends)
            for token_hash, user, name, scope, since, ends in rows
        ]


def find_user(db: Database, name: str) -> User:
    """Return an account; raise KeyError if no account has that name."""
    row = found_row(db, "SELECT name, role, password FROM users WHERE name = ?", name)
    return User(row[0], Role(row[1]), row[2])


def check_person(db: Database, name: str) -> None:
    """Check that an account of this name exists; `NOBODY` only while there is no account.

    `NOBODY` may do everything, so it is refused as soon as there is an account.
    """
    if name != NOBODY or has_users(db):
        find_user(db, name)


def has_users(db: Database) -> bool:
    """Return whether there is any account."""
    return bool(db.execute("SELECT EXISTS (SELECT 1 FROM users)").fetchone()[0])


def _check_administrators(db: Database) -> None:
    """Raise an error, which rolls back, if accounts are left without an administrator."""
    administrators = "SELECT EXISTS (SELECT 1 FROM users WHERE role = ?)"
    (any_left,) = db.execute(administrators, (Role.ADMINISTRATOR,)).fetchone()
    if has_users(db) and not any_left:
        raise LastAdministratorError("expected an administrator among the accounts")


def _check_survey(db: Database, slug: str) -> None:
    found_row(db, "SELECT 1 FROM surveys WHERE slug = ?", slug)
