"""The terms of a survey's collection, as owners type and read them at the desk or in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from deniable.server.store import Store
from deniable.server.store.terms import State, Terms, clean_pin, new_code
from deniable.text.timestamps import read_moment, told_moment, write_moment

FIELDS: Final = ("opens", "closes", "cap", "pin")
"""What is typed of them. A short code is drawn."""

_TRIES: Final = 20
"""To draw a code that no other survey has: of 2.5 million hardly any are taken."""


def read_terms(typed: Mapping[str, str], before: Terms) -> Terms:
    """Read terms that were typed."""
    changed: dict[str, int | str | None] = {}
    for name in FIELDS:
        if name in typed:
            text = typed[name].strip()
            changed[name] = _READ[name](text) if text else None
    return replace(before, **changed)  # type: ignore[arg-type]  # each reader gives its own type


def _read_cap(text: str) -> int:
    digits = text.replace(",", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        raise ValueError("expected a cap that is a whole number of reports")
    return int(digits)


_READ: Final[Mapping[str, Callable[[str], int | str]]] = {
    "opens": read_moment,
    "closes": read_moment,
    "cap": _read_cap,
    "pin": clean_pin,
}


def written_terms(terms: Terms) -> dict[str, str]:
    """Write terms so that `read_terms` reads them."""
    return {
        "opens": "" if terms.opens is None else write_moment(terms.opens),
        "closes": "" if terms.closes is None else write_moment(terms.closes),
        "cap": "" if terms.cap is None else str(terms.cap),
        "pin": terms.pin or "",
    }


def told_state(state: State, terms: Terms) -> str:
    """Say how a survey stands."""
    opens = "" if terms.opens is None else f" on {told_moment(terms.opens)}"
    return {
        State.PLANNED: f"Planned: it opens{opens}.",
        State.OPEN: "Open: it takes reports.",
        State.PAUSED: "Paused: it takes no reports until it is opened again.",
        State.CLOSED: "Closed: it has ended, and takes no more reports.",
        State.FULL: "Full: it has ended, with as many reports as it takes.",
        State.TRIAL: "Trial: it takes the reports of simulated respondents.",
    }[state]


def told_terms(terms: Terms, state: State) -> list[str]:
    """Say how a survey stands, and under which terms it takes reports, in a sentence each."""
    lines = [told_state(state, terms)]
    if terms.closes is not None:
        lines.append(f"It closes on {told_moment(terms.closes)}.")
    if terms.cap is not None:
        lines.append(f"It closes when it has {terms.cap:,} reports.")
    if terms.pin is not None:
        lines.append(f"Respondents have to type the access word: {terms.pin}")
    if terms.code is not None:
        lines.append(f"Its short code is {terms.code}.")
    return lines


def give_code(store: Store, slug: str) -> str:
    """Draw a new short code for a survey, which then leads to it in place of an old one."""
    terms = store.terms(slug)
    for _ in range(_TRIES):
        code = new_code()
        try:
            store.survey_of_code(code)
        except KeyError:
            store.set_terms(slug, replace(terms, code=code))
            return code
    raise ValueError("expected to find a short code that no other survey has")


def short_address(origin: str, terms: Terms) -> str | None:
    """Return the address to type in place of a survey's link; None if it has no code."""
    return None if terms.code is None else f"{origin}/j/{terms.code}"
