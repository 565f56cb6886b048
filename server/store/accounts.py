"""What a store keeps of the people at the desk: accounts, shared surveys, sessions and links.

The adversary has a copy of it all. A password is kept as a hash that is slow to guess, a session,
a sign-in link and a script's token as the hash of a random token: with none of them can anybody
sign in, or have a script do so.

As long as there is no account, whoever signs in has the name `NOBODY` and may do everything: one
person alone needs no account. The first account takes these sessions, links and tokens over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from deniable.server.store.part import Part
from deniable.server.store.sql.database import Database, found_row

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
    """An account."""

    name: str
    role: Role  # the most that they may do with a survey that is shared with them
    password: str  # its hash, empty if there is no password


@dataclass(frozen=True)
class Session:
    """Somebody who is signed in."""

    token_hash: bytes
    user: str  # their name
    device: str  # what they read their session by, such as "Firefox on Linux"
    # Seconds since the epoch
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
    """What a script of somebody shows in place of a session."""

    token_hash: bytes
    user: str  # whose it is
    name: str  # what they call it, such as "nightly figures"
    scope: Scope
    # Seconds since the epoch
    since: int
    ends: int


class LastAdministratorError(ValueError):
    """There are accounts, so one of them has to be an administrator's."""


_FIELDS: Final = 'token_hash, "user", name, scope, since, ends'


class Accounts(Part):
    """The people at the desk: accounts, shares, sessions, sign-in links and tokens."""

    # ------------------------------------------------------------------ accounts

    def users(self) -> list[User]:
        """Return every account, by name."""
        with self._engine.lend() as db:
            rows = db.execute("SELECT name, role, password FROM users ORDER BY name").fetchall()
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
        """Change a role; errors as of `remove_user`."""
        with self._engine.transaction() as db:
            find_user(db, name)
            db.execute("UPDATE users SET role = ? WHERE name = ?", (role, name))
            _check_administrators(db)

    def set_password(self, name: str, password: str, *, keep: bytes = b"") -> None:
        """Change or take away a password, and end all that was begun with the old one."""
        with self._engine.transaction() as db:
            find_user(db, name)
            db.execute("UPDATE users SET password = ? WHERE name = ?", (password, name))
            db.execute('DELETE FROM sessions WHERE "user" = ? AND token_hash <> ?', (name, keep))
            for table in ("sign_ins", "tokens"):
                db.execute(f'DELETE FROM {table} WHERE "user" = ?', (name,))  # noqa: S608

    # ------------------------------------------------------------------ shared surveys

    def shares(self, slug: str) -> Mapping[str, Role]:
        """Return with whom a survey is shared, and as what; by name."""
        with self._engine.snapshot() as db:
            _check_survey(db, slug)
            rows = db.execute(
                'SELECT "user", role FROM shares WHERE survey = ? ORDER BY "user"', (slug,)
            ).fetchall()
        return {name: Role(role) for name, role in rows}

    def shared_with(self, name: str) -> Mapping[str, Role]:
        """Return the slug of each survey that is shared with somebody, and as what."""
        with self._engine.lend() as db:
            rows = db.execute(
                'SELECT survey, role FROM shares WHERE "user" = ? ORDER BY survey', (name,)
            ).fetchall()
        return {slug: Role(role) for slug, role in rows}

    def share(self, slug: str, name: str, role: Role | None) -> None:
        """Share a survey with somebody, or take that back (None)."""
        with self._engine.transaction() as db:
            _check_survey(db, slug)
            find_user(db, name)
            db.execute('DELETE FROM shares WHERE survey = ? AND "user" = ?', (slug, name))
            if role is not None:
                db.execute("INSERT INTO shares VALUES (?, ?, ?)", (slug, name, role))

    # ------------------------------------------------------------------ sessions

    def begin_session(self, session: Session) -> None:
        """Remember a session, and forget those that have ended when it begins."""
        row = (session.token_hash, session.user, session.device, session.since, session.ends)
        with self._engine.transaction() as db:
            db.execute("DELETE FROM sessions WHERE ends <= ?", (session.since,))
            db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", row)

    def session(self, token_hash: bytes, now: int) -> Session | None:
        """Return a session; None if it never began, or has ended."""
        with self._engine.lend() as db:
            row = db.execute(
                'SELECT token_hash, "user", device, since, ends FROM sessions '
                "WHERE token_hash = ? AND ends > ?",
                (token_hash, now),
            ).fetchone()
        return None if row is None else Session(*row)

    def sessions(self, name: str, now: int) -> list[Session]:
        """Return the sessions of somebody that have not ended, the newest first."""
        with self._engine.lend() as db:
            rows = db.execute(
                'SELECT token_hash, "user", device, since, ends FROM sessions '
                'WHERE "user" = ? AND ends > ? ORDER BY since DESC, token_hash',
                (name, now),
            ).fetchall()
        return [Session(*row) for row in rows]

    def end_session(self, name: str, token_hash: bytes) -> None:
        """End a session of somebody, if it is on."""
        with self._engine.transaction() as db:
            db.execute(
                'DELETE FROM sessions WHERE "user" = ? AND token_hash = ?', (name, token_hash)
            )

    def end_sessions(self, name: str) -> None:
        """End all sessions of somebody."""
        with self._engine.transaction() as db:
            db.execute('DELETE FROM sessions WHERE "user" = ?', (name,))

    # ------------------------------------------------------------------ sign-in links

    def add_sign_in(self, token_hash: bytes, expires: int, now: int, *, user: str = NOBODY) -> None:
        """Remember a one-time link by its hash, and forget those that have expired."""
        with self._engine.transaction() as db:
            check_person(db, user)
            db.execute("DELETE FROM sign_ins WHERE expires <= ?", (now,))
            db.execute(
                'INSERT INTO sign_ins (token_hash, expires, "user") VALUES (?, ?, ?)',
                (token_hash, expires, user),
            )

    def take_sign_in(self, token_hash: bytes, now: int) -> str | None:
        """Use up a one-time link."""
        with self._engine.transaction() as db:
            taken = db.execute(
                'DELETE FROM sign_ins WHERE token_hash = ? RETURNING "user", expires', (token_hash,)
            ).fetchone()
        return taken[0] if taken is not None and now < taken[1] else None

    # ------------------------------------------------------------------ tokens of scripts

    def add_token(self, token: Token) -> None:
        """Remember a token, and forget those that have ended when it begins."""
        row = tuple(getattr(token, column.strip('"')) for column in _FIELDS.split(", "))
        with self._engine.transaction() as db:
            check_person(db, token.user)
            db.execute("DELETE FROM tokens WHERE ends <= ?", (token.since,))
            db.execute(f"INSERT INTO tokens ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?)", row)  # noqa: S608

    def token(self, token_hash: bytes, now: int) -> Token | None:
        """Return a token; None if there is none of that hash, or it has ended."""
        found = self._tokens("token_hash = ? AND ends > ?", (token_hash, now))
        return found[0] if found else None

    def tokens(self, name: str, now: int) -> list[Token]:
        """Return the tokens of somebody that have not ended, the newest first."""
        return self._tokens(
            '"user" = ? AND ends > ? ORDER BY since DESC, name, token_hash', (name, now)
        )

    def end_token(self, name: str, token_hash: bytes) -> bool:
        """End a token of somebody, and return whether there was such a one."""
        with self._engine.transaction() as db:
            ended = db.execute(
                'DELETE FROM tokens WHERE "user" = ? AND token_hash = ?', (name, token_hash)
            )
            return bool(ended.rowcount)

    def _tokens(self, condition: str, values: tuple[object, ...]) -> list[Token]:
        with self._engine.lend() as db:
            rows = db.execute(
                f"SELECT {_FIELDS} FROM tokens WHERE {condition}",  # noqa: S608  both from here
                values,
            ).fetchall()
        return [
            Token(token_hash, user, name, Scope(scope), since, ends)
            for token_hash, user, name, scope, since, ends in rows
        ]


def find_user(db: Database, name: str) -> User:
    """Return an account; a KeyError if there is none of that name."""
    row = found_row(db, "SELECT name, role, password FROM users WHERE name = ?", name)
    return User(row[0], Role(row[1]), row[2])


def check_person(db: Database, name: str) -> None:
    """Check that there is such an account, or none at all and it is `NOBODY`.

    For nobody only where there is no account: whoever comes in as nobody may do everything.
    """
    if name != NOBODY or has_users(db):
        find_user(db, name)


def has_users(db: Database) -> bool:
    """Return whether there is any account."""
    return bool(db.execute("SELECT EXISTS (SELECT 1 FROM users)").fetchone()[0])


def _check_administrators(db: Database) -> None:
    """Undo what leaves accounts, but no administrator's: the transaction is rolled back."""
    administrators = "SELECT EXISTS (SELECT 1 FROM users WHERE role = ?)"
    (any_left,) = db.execute(administrators, (Role.ADMINISTRATOR,)).fetchone()
    if has_users(db) and not any_left:
        raise LastAdministratorError("expected an administrator among the accounts")


def _check_survey(db: Database, slug: str) -> None:
    found_row(db, "SELECT 1 FROM surveys WHERE slug = ?", slug)
