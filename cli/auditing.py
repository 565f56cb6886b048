"""An audit from its first visit to its verdict: the client runs a program, the analysis judges."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from operator import eq
from typing import Final, TypeAlias

import click
import numpy as np

from deniable.analysis.audit import (
    REACH,
    SURE,
    TOGETHER,
    ItemVerdict,
    JointVerdict,
    Plan,
    Samples,
    delay,
    plan,
    samples_needed,
)
from deniable.cli.links import split_link
from deniable.client.audit.engine import Engine
from deniable.client.audit.manners import Manner, manners
from deniable.client.audit.pairs import Pair, compare, object_to, pairs, tells_what_was_sent
from deniable.client.audit.runs import draw_truths, run
from deniable.client.audit.tapes import ExactVerdict, check_tapes, tapes
from deniable.client.audit.visit import Visit
from deniable.client.audit.visitor import Visitor, visitor
from deniable.client.connection import Connection, Response
from deniable.client.respondent import state_in
from deniable.server.respondent.known_headers import Verdict, judge
from deniable.server.respondent.program import integrity
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection

MOST: Final = 200_000_000
"""Reports of the modules at most: about an hour of them."""

ENOUGH: Final = 10
"""Pairs of visits with something wrong, after which no more are made."""

Manners: TypeAlias = Callable[[np.random.Generator], Iterator[Manner]]
"""Draws how each pair of visits is made."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, how much of it was just done, and how much there is."""


@dataclass(frozen=True)
class PageVerdict:
    """What visits of the real page found."""

    engine: str  # the browser
    visits: int
    files: dict[str, str]  # the hash of each file that the browser got, by its address
    failures: tuple[str, ...]
    not_judged: tuple[str, ...]  # the headers that came and that this release does not know

    @property
    def seen(self) -> float:
        """The least share of visits in which what is wrong is found with a chance of `SURE`."""
        return float(1 - (1 - SURE) ** (1 / self.visits))


@dataclass(frozen=True)
class ModulesVerdict:
    """What calls of the modules found."""

    exact: ExactVerdict
    runs: int  # reports that were drawn at random
    items: tuple[ItemVerdict | None, ...]  # none for what is sent as it is given, and was
    joint: tuple[JointVerdict, ...]  # of two items, of all, and of one report and the next
    others: tuple[str, ...]  # what is wrong besides

    @property
    def failures(self) -> tuple[str, ...]:
        """Everything that is wrong; empty if nothing."""
        items = [f"{one.id}: {failure}" for one in self.items if one for failure in one.failures]
        joint = [failure for one in self.joint for failure in one.failures]
        return (*self.exact.failures, *items, *joint, *self.others)


def audit_page(
    survey: Survey,
    link: str,
    submissions: int,
    seed: int,
    progress: Progress,
    drawing: Manners = manners,
) -> PageVerdict:
    """Visit a survey's page as people do, and compare all that comes of it."""
    origin, _ = split_link(link)
    rng = np.random.default_rng(seed)
    telling = [_two_truths(_plan(item, REACH)) for item in survey.items]
    with closing(Connection(origin)) as server:

        def fetch(path: str, headers: Mapping[str, str]) -> Response:
            # What a browser's network adds, and what is unpacked here.
            return server.get(path, {**headers, "Accept-Encoding": "gzip"})

        wave = 0
        if survey.waves is not None:
            wave = int(state_in(server.get(f"{survey.address}state.json")).get("wave") or 1)
        with visitor(survey, link, fetch) as visiting:
            survey = visiting.survey  # by invitation, with keys of the audit's own
            two = pairs(survey, telling, submissions, rng, wave)
            drawn = zip(two, drawing(rng), strict=False)
            visits, failures = _visit_pairs(survey, visiting, drawn, rng, submissions, progress)
            files = {
                address.removeprefix(origin): integrity(response.body)
                for address, response in visiting.server.files.items()
            }
            headers = [
                one for response in visiting.server.files.values() for one in response.headers
            ]
            failures += tuple(
                f"a header came that is not harmless: {name}"
                for name in _judged(headers, Verdict.NO)
            )
            unknown = _judged(headers, Verdict.NOT_JUDGED)
    # Known once the browser has ended, which writes some of it only then.
    return PageVerdict(visiting.name, visits, files, (*failures, *visiting.left), unknown)


def _judged(headers: Iterable[tuple[str, str]], verdict: Verdict) -> tuple[str, ...]:
    """Return the names of the headers of which this is said, each once."""
    named = ((name.lower(), value) for name, value in headers)
    return tuple(sorted({name for name, value in named if judge(name, value) is verdict}))


def _visit_pairs(
    survey: Survey,
    visiting: Visitor,
    drawn: Iterable[tuple[Pair, Manner]],
    rng: np.random.Generator,
    submissions: int,
    progress: Progress,
) -> tuple[int, tuple[str, ...]]:
    """Make pairs of visits; return how many visits there were, and what is wrong."""
    failures: dict[str, None] = {}
    differences: list[float] = []
    heads: dict[tuple[bool, ...], Visit] = {}
    visits = wrong = 0
    for pair, manner in drawn:
        # Which of the two comes first says chance, and not what is true.
        turned = bool(rng.integers(2))
        order = (pair.other, pair.one) if turned else (pair.one, pair.other)
        found = [visiting.visit(order[0], manner)]
        if not found[0].is_stuck:
            found.append(visiting.visit(order[1], manner))
        # What a browser says of itself and of its person.
        of = (manner.is_phone, manner.is_foreign)
        problems = []
        for tape, visit in zip(order, found, strict=False):
            first = heads.setdefault(of, visit)
            problems += object_to(survey, tape, visit, first.rest)
            problems += tells_what_was_sent(survey, visit, first)
        is_whole = not any(visit.is_stuck for visit in found)
        if pair.alike and is_whole:
            problems += compare(*found)
        if pair.telling and is_whole and not manner.is_slow:
            longer = found[0].seconds - found[1].seconds
            differences.append(-longer if turned else longer)
        failures |= dict.fromkeys(problems)
        visits += len(found)
        wrong += bool(problems)
        progress("Visits of the page", int(pair.telling), submissions)
        if wrong >= ENOUGH or not is_whole:
            break
    waits = delay(differences)
    if waits is not None:
        failures[f"how soon it sends depends on what is true, by {abs(waits):.3f} seconds"] = None
    return visits, tuple(failures)


def audit_modules(
    engine: Engine, survey: Survey, reach: float, seed: int, progress: Progress
) -> ModulesVerdict:
    """Call the modules with every word that matters, and with many random ones."""
    plans = [_plan(item, reach) for item in survey.items]
    needed = samples_needed(survey, plans)
    wanted = int(max(one.sum() for one in needed)) + 2 * TOGETHER
    if wanted > MOST:
        largest = max(range(len(needed)), key=lambda place: needed[place].sum())
        raise click.ClickException(
            f"{survey.items[largest].id}: its ε of {survey.items[largest].epsilon} would take "
            f"{wanted:,} reports to show; expected {MOST:,} at most, which a smaller --reach needs"
        )
    total = sum(1 for _ in tapes(survey, seed))
    exact = check_tapes(engine, survey, lambda done: progress("Known words", done, total), seed)
    pairs_of_truths = [_two_truths(one) or (0, 0) for one in plans]
    together = [_possible(survey, [two[which] for two in pairs_of_truths]) for which in (0, 1)]
    samples = Samples(survey, plans)
    oddities, odd = 0, ""
    for truths in draw_truths(survey, needed, together, TOGETHER, seed):
        found = run(engine, survey, truths)
        samples.add(found.truths, found.answers)
        oddities += found.oddities
        odd = odd or next(iter(found.odd), "")
        progress("Random words", len(truths), wanted)
    others = []
    if times := engine("watched", {})["mathRandom"]:
        others.append(
            f"Math.random was called {times} times: its next value can be computed from earlier "
            "ones"
        )
    if oddities:
        others.append(f"{oddities:,} messages are of another form than a report, such as {odd}")
    joint = (samples.pairs(), samples.all_together(), samples.in_turn())
    return ModulesVerdict(
        exact=exact,
        runs=samples.runs,
        items=tuple(samples.items(reach)),
        joint=tuple(one for one in joint if one is not None),
        others=tuple(others),
    )


def _plan(item: Item, reach: float) -> Plan | None:
    return None if item.protection is Protection.DIRECT else plan(item.channel, reach)


def _possible(survey: Survey, truths: list[int]) -> list[int]:
    """Give the first question of a group its truth, and the others theirs if they can be."""
    for group, places in zip(survey.groups, survey.places_together, strict=True):
        own = [truths[place] for place in places]
        cells = [cell for cell in group.cells if cell[0] == own[0]]
        best = max(cells, key=lambda cell: sum(map(eq, cell, own)))
        for place, truth in zip(places, best, strict=True):
            truths[place] = truth
    return truths


def _two_truths(one: Plan | None) -> tuple[int, int] | None:
    return None if one is None else (one.truth, one.other)
