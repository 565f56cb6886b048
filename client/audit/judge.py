"""Find what is wrong with visits of a page, one by one and in pairs."""

from collections.abc import Sequence
from typing import Final

from deniable.client.audit.server import WORDS as HIDING
from deniable.client.audit.tape import Tape, expected_body
from deniable.client.audit.visitor import Visit
from deniable.survey import Survey

_LEFT: Final = {
    "local": "what it keeps in localStorage",
    "session": "what it keeps in sessionStorage",
    "name": "the window's name",
    **dict.fromkeys(("history", "state"), "the browser's history"),
    "page": "what the page shows after its report",
    "token": "how it asks for a token",
}


def object_to(survey: Survey, tape: Tape, visit: Visit, first: Visit) -> list[str]:
    """Return what is wrong with a visit; its requests and storage must match the first visit's."""
    problems = list(visit.problems)
    expected = expected_body(survey, tape)
    for sent in visit.reports:
        if len(sent.body) != len(expected):
            problems.append(
                f"a message has {len(sent.body)} bytes, expected {len(expected)} whatever is true"
            )
        elif sent.body != expected:
            problems.append(f"a message is {sent.body}, expected {expected}")
        if first.reports and first.reports[0].head != sent.head:
            own = first.reports[0].head
            differing = ", ".join(one for one in sent.head if one not in own) or "the order"
            problems.append(f"a request differs in more than its message: {differing}")
    drawn = [len(tape.words), *([HIDING] if survey.is_by_invitation else [])]
    if visit.reports and visit.drawn != drawn:
        problems.append(
            f"it drew {_counts_in_words(visit.drawn)} words from crypto.getRandomValues, expected "
            f"{_counts_in_words(drawn)} once, when it opens"
        )
    # With draws or waves the page keeps what it drew by chance, which differs between visits.
    remembers = survey.draws or survey.keeps_noise or visit.is_stuck or first.is_stuck
    stores = [[one.left.get(name) for name in ("local", "session")] for one in (visit, first)]
    if not remembers and stores[0] != stores[1]:
        problems.append("what it keeps tells what it sent")
    return problems


def compare(one: Visit, other: Visit) -> list[str]:
    """Return how two visits differ that had the same words and must send the same report."""
    differing = [_LEFT[name] for name in _LEFT if one.left.get(name) != other.left.get(name)]
    return [f"{what} depends on what is true" for what in differing]


def _counts_in_words(counts: Sequence[int]) -> str:
    return " and ".join(map(str, counts)) or "no"
