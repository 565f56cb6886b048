"""An audit from its first visit to its verdict: visits by the client, tests by the analysis."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from deniable.analysis.audit import SURE, delay
from deniable.cli.links import split_link
from deniable.client.audit.judge import compare, object_to
from deniable.client.audit.pairs import pairs
from deniable.client.audit.visitor import Visit, Visitor, visitor
from deniable.client.connection import Connection, Response
from deniable.client.respondent import Respondent
from deniable.server.respondent.known_headers import Verdict, judge
from deniable.server.respondent.program import integrity
from deniable.survey import Survey

ENOUGH: Final = 10
"""Pairs of visits with failures, after which the audit stops."""

Progress: TypeAlias = Callable[[], None]
"""Called after each pair of visits."""


@dataclass(frozen=True)
class PageVerdict:
    """The findings of visits to the real page."""

    engine: str  # the browser
    visits: int
    files: dict[str, str]  # the hash of each file that the browser got, by its address
    failures: tuple[str, ...]
    not_judged: tuple[str, ...]  # headers of the server that this release does not know

    @property
    def seen(self) -> float:
        """The least share of faulty visits that the audit finds with probability `SURE`."""
        return float(1 - (1 - SURE) ** (1 / self.visits))


def audit_page(
    survey: Survey, link: str, count: int, seed: int, progress: Progress = lambda: None
) -> PageVerdict:
    """Visit a survey's page in pairs, and compare everything that the two visits do."""
    origin, _ = split_link(link)
    rng = np.random.default_rng(seed)
    with closing(Connection(origin)) as server:

        def fetch(path: str, headers: Mapping[str, str]) -> Response:
            # A browser's network adds this header, and the connection unpacks the answer.
            return server.get(path, {**headers, "Accept-Encoding": "gzip, br"})

        wave = survey.on_wire(Respondent(server, survey.address).wave(survey))
        with visitor(survey, link, fetch) as visiting:
            visits, failures = _visit_pairs(visiting, count, rng, wave, progress)
            files = visiting.server.files
    headers = [header for response in files.values() for header in response.headers]
    failures += [
        f"a header came that is not harmless: {name}"
        for name in _names_with_verdict(headers, Verdict.NO)
    ]
    return PageVerdict(
        visiting.name,
        visits,
        {address.removeprefix(origin): integrity(one.body) for address, one in files.items()},
        tuple(failures),
        _names_with_verdict(headers, Verdict.NOT_JUDGED),
    )


def _names_with_verdict(headers: Iterable[tuple[str, str]], verdict: Verdict) -> tuple[str, ...]:
    named = ((name.lower(), value) for name, value in headers)
    return tuple(sorted({name for name, value in named if judge(name, value) is verdict}))


def _visit_pairs(
    visiting: Visitor, count: int, rng: np.random.Generator, wave: int, progress: Progress
) -> tuple[int, list[str]]:
    """Make pairs of visits; return the number of visits and the failures."""
    survey = visiting.survey  # if by invitation, with the audit's own keys
    failures: dict[str, None] = {}
    longer: list[float] = []
    first: Visit | None = None
    visits = wrong = 0
    for pair in pairs(survey, count, rng, wave):
        # The order of the two is random, so that it does not depend on the true answers.
        turned = bool(rng.integers(2))
        problems: list[str] = []
        found: list[Visit] = []
        for tape in (pair.other, pair.one) if turned else (pair.one, pair.other):
            found.append(visiting.visit(tape))
            first = first or found[0]
            problems += object_to(survey, tape, found[-1], first)
        is_whole = not any(visit.is_stuck for visit in found)
        if pair.alike and is_whole:
            problems += compare(*found)
        if pair.is_timed and is_whole:
            difference = found[0].seconds - found[1].seconds
            longer.append(-difference if turned else difference)
        failures |= dict.fromkeys(problems)
        visits += len(found)
        wrong += bool(problems)
        progress()
        if wrong >= ENOUGH or not is_whole:
            break
    if (waits := delay(longer)) is not None:
        failures[f"how soon it sends depends on what is true, by {abs(waits):.3f} seconds"] = None
    return visits, [*failures]
