"""Suggestions for an unknown name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def meant(name: str, known: Iterable[str], otherwise: str = "there are") -> str:
    """Suggest the known name nearest to an unknown one, or list all known names.

    >>> meant("agee", ["age", "sex"]), meant("Q5", ["q1", "q5"]), meant("years", ["age", "sex"])
    ("did you mean 'age'?", "did you mean 'q5'?", 'there are age, sex')
    """
    names = [*known]
    near = get_close_matches(name, names, n=1)
    if not near:  # one that differs in case alone
        near = [one for one in names if one.casefold() == name.casefold()]
    return f"did you mean {near[0]!r}?" if near else f"{otherwise} {', '.join(names)}"
