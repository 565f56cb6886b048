"""The address of a survey on every server: a name without its topic, which no document holds."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Final

from deniable.survey.kind import Kind

LETTERS: Final = "BCDFGHJKMNPRSTVWXYZ"
"""What addresses are made of: no two look alike, and no vowel makes a word of them."""

LENGTH: Final = 7

PATTERN: Final = rf"/(?:s/[^/]+|[{LETTERS}]{{{LENGTH}}})/"
"""What every address of a survey matches."""

_MEANT: Final = re.compile(
    rf"/+(?:([{LETTERS}]{{{LENGTH}}})|s/(\w[\w-]*))[\W_]*(?:[#?&].*)?",
    re.IGNORECASE | re.DOTALL,
)
"""The same as people type it and as programs pass it on: in other letters, without its last slash
or with another, before a full stop or a bracket, or with what belongs behind a ``#`` or a ``?``."""


@lru_cache(maxsize=4096)
def address_of(slug: str, kind: Kind = "survey", *, named: bool = False) -> str:
    """Return the path of a survey's page, below which all that belongs to the survey is.

    It hides the topic from a glance, and not from somebody who guesses slugs.
    """
    if named:
        return f"/s/{slug}/"
    digest = hashlib.sha256(f"deniable address\n{kind}\n{slug}".encode()).digest()
    number, letters = int.from_bytes(digest), ""
    for _ in range(LENGTH):
        number, place = divmod(number, len(LETTERS))
        letters += LETTERS[place]
    return f"/{letters}/"


def address_meant(path: str) -> str | None:
    """Return the address of a survey that a path is, or nearly is.

    Parameters
    ----------
    path
        The path of an address that was asked for, decoded.

    Returns
    -------
    str | None
        An address that may be a survey's; None if the path is nearly none, as are those of a
        survey's other pages.

    Examples
    --------
    >>> address_meant("/kvythnr."), address_meant("//KVYTHNR/#a7b2"), address_meant("/s/doping)")
    ('/KVYTHNR/', '/KVYTHNR/', '/s/doping/')
    >>> address_meant("/KVYTHNR/privacy"), address_meant("/device")
    (None, None)
    """
    found = _MEANT.fullmatch(path)
    if found is None:
        return None
    letters, slug = found.groups()
    return f"/{letters.upper()}/" if letters else f"/s/{slug}/"
