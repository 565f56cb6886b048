"""How the address of a desk is told from a file and a store."""

from __future__ import annotations


def is_desk(source: object) -> bool:
    """Return whether a source of reports is the address of a desk.

    >>> is_desk("https://desk.example.org"), is_desk("reports.csv")
    (True, False)
    """
    return isinstance(source, str) and source.startswith(("https://", "http://"))
