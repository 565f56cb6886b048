"""The address of a survey on every server."""

from __future__ import annotations

from deniable.survey.kind import Kind


def address_of(slug: str, kind: Kind = "survey") -> str:  # noqa: ARG001
    """Return the path of a survey's page, below which all that belongs to the survey is.

    Examples
    --------
    >>> address_of("nurses")
    '/s/nurses/'
    """
    return f"/s/{slug}/"
