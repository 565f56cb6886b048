"""Addresses of surveys, as tests ask for them."""

from typing import Any

from deniable.survey.address import address_of


def at(slug: str, page: str = "", **more: Any) -> str:
    """Return the address of a survey, or of one of its pages; what it is, its name tells."""
    kind, dot, _ = slug.partition(".")
    return address_of(slug, **({"kind": kind} if dot else {}), **more) + page
