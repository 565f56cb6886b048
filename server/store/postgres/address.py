"""Addresses of stores in PostgreSQL, and their form in messages."""

from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from deniable.server.store.errors import StoreError

SCHEME: Final = "postgresql"

ADDRESS: Final = "postgresql://USER@HOST/DATABASE"
"""The form of addresses, for messages."""

_SECRET: Final = ("password", "sslpassword")
"""Secret settings of an address."""


def check_address(url: str) -> None:
    """Check the form of an address; psycopg checks the rest."""
    try:
        parts = urlsplit(url)
        well_formed = url.startswith(f"{SCHEME}://") and not parts.fragment
    except ValueError:
        well_formed = False
    if not well_formed:
        raise StoreError(f"found an address that is not valid, expected {ADDRESS}")


def name_of(url: str) -> str:
    """Return an address without its passwords, for messages.

    >>> name_of("postgresql://ann:secret@db.example.org:5433/study?sslmode=verify-full")
    'postgresql://ann@db.example.org:5433/study?sslmode=verify-full'
    >>> name_of("postgresql:///study?host=/run/postgresql&password=secret")
    'postgresql:///study?host=/run/postgresql'
    """
    parts = urlsplit(url)
    who, at, where = parts.netloc.rpartition("@")
    settings = parse_qsl(parts.query, keep_blank_values=True)
    query = urlencode(
        [(key, value) for key, value in settings if key not in _SECRET], safe="/", quote_via=quote
    )
    name = f"{SCHEME}://{who.partition(':')[0]}{at}{where}{parts.path}"
    return f"{name}?{query}" if query else name
