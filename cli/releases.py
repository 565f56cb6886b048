"""Manifests of releases, and their signatures."""

import base64
import binascii
import json
import re
from contextlib import closing
from datetime import UTC, date, datetime
from http import HTTPStatus
from importlib import resources
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click

from deniable.client.connection import Connection, ServerUnavailable
from deniable.crypto.signing import is_signed, read_key
from deniable.server.respondent.manifest import Manifest

RELEASE_KEY: Final = "release.pem"
"""The file of the public key of releases, beside this module from the first release on."""

SOON: Final = 30
"""The number of days before a release expires from which users get a note."""

_HASH: Final = re.compile(r"sha256-[A-Za-z0-9+/]{43}=")
_MAX_BYTES: Final = 2**20


def read_manifest(place: str, key: str | None) -> Manifest:
    """Return a manifest after a check of its signature by the key of releases, or by `key`."""
    public = _public_key(key)
    content, signature = _bytes_of(place), _bytes_of(f"{place}.sig")
    try:
        signed = is_signed(public, content, base64.b64decode(signature.strip(), validate=True))
    except (binascii.Error, ValueError):
        signed = False
    if not signed:
        whose = "the key of releases" if key is None else key
        raise click.ClickException(f"{place}: {place}.sig is not its signature by {whose}.")
    return _parse(place, content)


def last_day(text: str) -> str:
    """Check the last day of a release; return it in ISO format."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        expected = f"expected a day such as 2027-11-30, found {text}"
        raise click.BadParameter(expected, param_hint="--not-after") from None


def days_until(day: str) -> int:
    """Return the number of days from today (UTC) to a day in ISO format."""
    return (date.fromisoformat(day) - datetime.now(UTC).date()).days


def _public_key(path: str | None) -> bytes:
    try:
        if path is not None:
            return read_key(Path(path).read_text(encoding="ascii"))
        shipped = resources.files("deniable.cli") / RELEASE_KEY
        if not shipped.is_file():
            raise click.UsageError(
                "this copy came without a key of releases: name one by --key FILE."
            )
        return read_key(shipped.read_text(encoding="ascii"))
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise click.ClickException(
            f"{path or RELEASE_KEY}: expected an Ed25519 public key in PEM form"
        ) from None


def _bytes_of(place: str) -> bytes:
    if place.startswith(("https://", "http://")):
        return _fetch(place)
    try:
        return Path(place).read_bytes()
    except OSError as error:
        raise click.ClickException(f"{place}: cannot be read ({error.strerror})") from None


def _fetch(address: str) -> bytes:
    parts = urlsplit(address)
    path = parts.path or "/"
    try:
        with closing(Connection(f"{parts.scheme}://{parts.netloc}")) as connection:
            answer = connection.get(f"{path}?{parts.query}" if parts.query else path)
    except (ServerUnavailable, ValueError) as error:
        raise click.ClickException(f"{address}: {error}") from None
    if answer.status != HTTPStatus.OK:
        raise click.ClickException(f"{address}: expected status 200, found {answer.status}")
    return answer.body


def _parse(place: str, content: bytes) -> Manifest:
    try:
        if len(content) > _MAX_BYTES:
            raise ValueError
        found: Any = json.loads(content)
        scripts, styles = found["hashes"], found["any_hashes"]
        hashes = [*scripts.values(), *styles]
        if not all(isinstance(one, str) and _HASH.fullmatch(one) for one in hashes):
            raise ValueError
        return {
            "release": str(found["release"]),
            "not_after": date.fromisoformat(found["not_after"]).isoformat(),
            "hashes": scripts,
            "any_hashes": styles,
            "headers": found["headers"],
            "shell": found["shell"],
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise click.ClickException(f"{place}: expected the manifest of a release") from None
