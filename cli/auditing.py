"""An audit from its first tape to its verdict: an engine draws, the analysis judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias

from deniable.analysis.audit import (
    TOGETHER,
    ItemVerdict,
    JointVerdict,
    Plan,
    Samples,
    plan,
    samples_needed,
)
from deniable.client.audit.chromium import chromium
from deniable.client.audit.engine import Engine, EngineMissing
from deniable.client.audit.node import node
from deniable.client.audit.runs import draw_truths, run
from deniable.client.audit.tapes import ExactVerdict, check_tapes, tapes
from deniable.client.audit.watch import check_watched
from deniable.items import Item
from deniable.questions import Protection
from deniable.server.loopback import loopback
from deniable.survey import Survey

MOST: Final = 200_000_000
"""Reports of one audit at most: about an hour of them."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, how much of it was just done, and how much there is."""


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    Parameters
    ----------
    survey : Survey
    engine : str
        What ran the modules.
    page : bool
        Whether the page itself was opened too.
    exact : ExactVerdict
    runs : int
        Reports that were drawn at random.
    items : tuple of ItemVerdict or None
        None for what is sent as it is given, and was.
    joint : tuple of JointVerdict
        Of two items, and of all.
    others : tuple of str
        What is wrong besides.
    """

    survey: Survey
    engine: str
    page: bool
    exact: ExactVerdict
    runs: int
    items: tuple[ItemVerdict | None, ...]
    joint: tuple[JointVerdict, ...]
    others: tuple[str, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        """Everything that is wrong; empty if nothing."""
        items = [f"{one.id}: {failure}" for one in self.items if one for failure in one.failures]
        joint = [failure for one in self.joint for failure in one.failures]
        return (*self.exact.failures, *items, *joint, *self.others)


class TooMany(Exception):
    """More reports would be needed than can be waited for; says of which item."""


@contextmanager
def open_engine(survey: Survey, link: str | None, name: str | None) -> Iterator[Engine]:
    """Open what runs a survey's modules.

    Parameters
    ----------
    survey : Survey
    link : str or None
        Where the survey's page is served; None for the modules of this installation.
    name : str or None
        ``"chromium"``, ``"node"``, or the first of these that there is.

    Yields
    ------
    Engine

    Raises
    ------
    EngineMissing
        If there is none.
    EngineError
        If the modules do not load.
    """
    with ExitStack() as stack:
        if name == "node":
            yield stack.enter_context(node(survey.document))
            return
        try:
            address = link or stack.enter_context(loopback(survey))
            engine = stack.enter_context(chromium(survey.document, address))
        except EngineMissing:
            # A server's program is run in a browser's sandbox or not at all: in Node it could do
            # whatever this program can.
            if name is not None or link is not None:
                raise
            engine = stack.enter_context(node(survey.document))
        yield engine


def audit(engine: Engine, survey: Survey, reach: float, progress: Progress) -> Audit:
    """Audit the modules that an engine runs.

    Parameters
    ----------
    engine : Engine
    survey : Survey
    reach : float
        The share of each item's ε that is to be shown.
    progress : callable

    Returns
    -------
    Audit

    Raises
    ------
    TooMany
        If an ε is so small that showing it takes more than `MOST` reports.
    EngineError
        If the modules stop running.
    """
    plans = [_plan(item, reach) for item in survey.items]
    needed = samples_needed(survey, plans)
    wanted = int(max(one.sum() for one in needed)) + 2 * TOGETHER
    if wanted > MOST:
        largest = max(range(len(needed)), key=lambda place: needed[place].sum())
        raise TooMany(
            f"{survey.items[largest].id}: its ε of {survey.items[largest].epsilon} would take "
            f"{wanted:,} reports to show; expected {MOST:,} at most, which a smaller --reach needs"
        )
    total = sum(1 for _ in tapes(survey))
    exact = check_tapes(engine, survey, lambda done: progress("Known words", done, total))
    together = [[_truths(one)[which] for one in plans] for which in (0, 1)]
    samples = Samples(survey, plans)
    oddities, odd = 0, ""
    for truths in draw_truths(needed, together, TOGETHER):
        found = run(engine, survey, truths)
        samples.add(found.truths, found.answers)
        oddities += found.oddities
        odd = odd or next(iter(found.odd), "")
        progress("Random words", len(truths), wanted)
    others = check_watched(engine, survey)
    if oddities:
        others += (f"{oddities:,} messages are of another form than a report, such as {odd}",)
    joint = (samples.pairs(), samples.all_together())
    return Audit(
        survey=survey,
        engine=engine.name,
        page=engine.opens_page,
        exact=exact,
        runs=samples.runs,
        items=tuple(samples.items(reach)),
        joint=tuple(one for one in joint if one is not None),
        others=others,
    )


def _plan(item: Item, reach: float) -> Plan | None:
    return None if item.protection is Protection.DIRECT else plan(item.channel, reach)


def _truths(one: Plan | None) -> tuple[int, int]:
    return (0, 0) if one is None else (one.truth, one.other)
