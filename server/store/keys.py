"""The private keys of tokens, in a file beside the store and never in it.

The adversary has a copy of the store. With the keys they could sign tokens of their own, and so
answer for people who were never invited; but even both do not show whose report is whose. So only
the owner can read the file, and a backup of the store does not hold it. Servers that share a store
share this file.

Each line is a key. Whole lines are added and none is ever changed, so that servers can read the
file while another process adds to it.
"""

import json
import os
import secrets
import stat
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from deniable.crypto.blind import PrivateKey, is_key, mark_of, new_key
from deniable.server.store.durable import sync
from deniable.server.store.errors import KeyFileError, StoreUnavailable
from deniable.server.store.opening import files_of
from deniable.server.store.store import Store

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_AT_ONCE: Final = 10_000
"""Codes that are stored in one transaction, for which reports wait."""

_COOKIE_KEY: Final = 32
"""Bytes of the key that signs the desk's cookies."""

_NO_PLACE: Final = (
    "a database is no place for private keys: name a file of this machine for them in "
    "DENIABLE_KEYS, or by 'deniable serve --keys FILE'"
)


class KeyFile:
    """The file of a store's private token keys; without a path if none was configured."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._known: dict[str, PrivateKey] = {}
        self._lock = threading.Lock()

    def make(self, number: int) -> tuple[str, ...]:
        """Make keys, store them durably, and return the public ones."""
        path = self._place()
        made = [new_key() for _ in range(number)]
        lines = "".join(f"{json.dumps({'p': f'{k.p:x}', 'q': f'{k.q:x}'})}\n" for k in made)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                _check_mode(path, os.fstat(file.fileno()))
                file.write(lines.encode())
                file.flush()
                sync(file.fileno())
        except OSError as error:
            raise KeyFileError(f"{path}: cannot be written ({error.strerror})") from None
        return tuple(key.public for key in made)

    def find(self, mark: str) -> PrivateKey:
        """Return the private key of a mark (`deniable.crypto.blind.mark_of`)."""
        with self._lock:
            if mark not in self._known:
                self._known |= _read_keys(self._place())
            try:
                return self._known[mark]
            except KeyError:
                raise KeyFileError(
                    f"{self.path}: does not hold the private key {mark}, which signs a survey's "
                    "tokens"
                ) from None

    def check(self, marks: Sequence[str]) -> None:
        """Check that only its owner can read the file, and that it has the keys of these marks."""
        if marks:
            path = self._place()
            try:
                _check_mode(path, path.stat())
            except OSError as error:
                raise _cannot_be_read(path, error) from None
        for mark in marks:
            self.find(mark)

    def cookie_key(self) -> bytes:
        """Return the key that signs the desk's cookies, from a file of its own beside this one.

        Without it sessions end at the next start. A thief of this key alone cannot sign in: a
        session also needs its secret token, whose hash is in the store. So the server starts even
        if the file cannot be used.
        """
        fresh = secrets.token_bytes(_COOKIE_KEY)
        path = self.cookies
        if path is None:
            return fresh
        with suppress(OSError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(fresh)
        try:
            _check_mode(path, path.stat())
            kept = path.read_bytes()
        except (OSError, KeyFileError):
            return fresh
        return kept if len(kept) == _COOKIE_KEY else fresh

    @property
    def cookies(self) -> Path | None:
        """Return the path of the key that signs the desk's cookies; None without a key file."""
        return self.path and self.path.with_suffix(".cookies")

    def _place(self) -> Path:
        if self.path is None:
            raise KeyFileError(_NO_PLACE)
        return self.path


NO_KEYS: Final = KeyFile(None)
"""The key file of a server whose surveys need no keys."""


def invite(store: Store, keys: KeyFile, slug: str, codes: Sequence[str]) -> None:
    """Add codes to a survey; the first ones also make its keys."""
    survey = store.survey(slug)
    for key in survey.token_keys:
        keys.find(mark_of(key))
    needs_keys = not (survey.is_by_invitation or survey.kind == "trial")
    made = keys.make(survey.waves) if needs_keys else survey.token_keys
    for start in range(0, len(codes), _AT_ONCE):
        store.invite(slug, codes[start : start + _AT_ONCE], made)


def trouble_of(store: Store, keys: KeyFile = NO_KEYS) -> str | None:
    """Return why the store or a private key cannot be used; None if all can."""
    try:
        store.check_place()
        store.users()
        if keys is not NO_KEYS:
            keys.check(store.marks())
    except (StoreUnavailable, KeyFileError) as error:
        return str(error)
    return None


def key_file(store_url: str, given: str | None = None) -> KeyFile:
    """Return the key file of a store."""
    beside = [f"{file}.keys" for file in files_of(store_url)[:1]]
    places = [given] if given else beside
    return KeyFile(Path(places[0]) if places else None)


def _read_keys(path: Path) -> dict[str, PrivateKey]:
    try:
        _check_mode(path, path.stat())
        text = path.read_text(encoding="ascii")
    except OSError as error:
        raise _cannot_be_read(path, error) from None
    except UnicodeDecodeError:
        raise KeyFileError(f"{path}: expected the private keys of tokens") from None
    keys = {}
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            entry = json.loads(line)
            key = PrivateKey(int(entry["p"], 16), int(entry["q"], 16))
            if not is_key(key.public):
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise KeyFileError(f"{path}, line {number}: expected two primes of a key") from None
        keys[mark_of(key.public)] = key
    return keys


def _cannot_be_read(path: Path, error: OSError) -> KeyFileError:
    return KeyFileError(f"{path}: cannot be read ({error.strerror})")


def _check_mode(path: Path, found: os.stat_result) -> None:
    if found.st_mode & _OTHERS:
        raise KeyFileError(
            f"{path}: others on this machine can read the private keys; "
            f"'chmod 600 {path}', and make new codes if somebody may have read them"
        )
