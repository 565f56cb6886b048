"""Addresses of surveys, as tests ask for them."""

from typing import Any

from deniable.survey.address import address_of


def at(slug: str, page: str = "", **more: Any) -> str:
    """Return the address of a survey, or of one of its pages."""
    return address_of(slug, **more) + page
