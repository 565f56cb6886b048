"""The address of a survey's page, the same on every server: it hides the topic."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Final

from deniable.survey.kind import Kind

LETTERS: Final = "BCDFGHJKMNPRSTVWXYZ"
"""The letters of addresses: no two look alike, and without vowels they form no words."""

LENGTH: Final = 7

PATTERN: Final = rf"/(?:s/[^/]+|[{LETTERS}]{{{LENGTH}}})/"
"""The pattern of all addresses of surveys."""

_MEANT: Final = re.compile(
    rf"/+(?:([{LETTERS}]{{{LENGTH}}})|s/(\w[\w-]*+))(?:[^\w#?&]|_)*+(?:[#?&].*)?",
    re.IGNORECASE | re.DOTALL,
)
"""An address as people type it and as programs pass it on: in other case, with fewer or more
slashes, before a full stop or a bracket, or with a part after ``#`` or ``?``.

Its repeats never give back what they took, since two of them match ``-``: otherwise a stranger's
path of hyphens would be divided between them in each possible way."""


@lru_cache(maxsize=4096)
def address_of(slug: str, kind: Kind = "survey", *, named: bool = False) -> str:
    """Return the path of a survey's page, under which are all paths of the survey.

    It hides the topic from a glance, but not from an adversary who guesses slugs.
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
    """Return the survey address that a path is, or nearly is.

    Parameters
    ----------
    path
        The path of a request, decoded.

    Returns
    -------
    str | None
        An address that may be a survey's; None for other paths, such as a survey's other pages.

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
