"""The address of a survey on every server: a name without its topic, which no document holds."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Final

from deniable.survey.kind import Kind

LETTERS: Final = "BCDFGHJKMNPRSTVWXYZ"
"""What addresses are made of: no two look alike, and no vowel makes a word of them."""

LENGTH: Final = 7

PATTERN: Final = rf"/(?:s/[^/]+|[{LETTERS}]{{{LENGTH}}})/"
"""What every address of a survey matches."""


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
