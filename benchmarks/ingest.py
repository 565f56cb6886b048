"""Durable reports a second, against a Flask route that does nothing, under the same server."""

import json
import statistics
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks import scale
from benchmarks.load import Load, Senders, seconds_to_answers
from benchmarks.measuring import RUNS, Comparison, Figure, folder, tell
from benchmarks.servers import Started, cpu, running, started, tree
from deniable.client.population import read_population
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.report import Report
from deniable.server.intake.group_commit import QUIET
from deniable.server.store import open_store
from deniable.survey import Survey
from deniable.survey_file import read
from tests.server.store.engines import POSTGRES, SQLITE, Engine

REPORTS = 4_000
"""Of each turn; none is ever sent twice to the same server."""

SURVEY = """
version: 1
survey: doping
title: Doping
epsilon: 3
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: substances, text: Which, type: many, answers: [Steroids, EPO, Stimulants]}
"""

ENGINES: Final = {SQLITE: "≥ 2", POSTGRES: "≥ 1.3"}
"""And how many times as fast as the Flask route each is to be."""

CEILINGS: Final = {
    "read": "an empty 204, the body read",
    "parsed": "the report parsed and checked too",
    "unstored": "all but storing",
    "unsynced": "all but waiting for the disk, sqlite",
}
"""How fast the server is without a part of its work: what the parts cost."""

CONNECTIONS = (32, 64)

STEADY = 1_000
"""Reports a second, of which each is acknowledged in time."""

SECONDS = 5

STEADY_TURNS = 3

SETTLED = 1_000_000
"""Reports in the store that is settled meanwhile."""


def run() -> list[Comparison | Figure]:
    """Measure both engines, each against the same server that does nothing."""
    with folder() as path:
        survey = read(SURVEY).survey
        (path / "survey.json").write_text(json.dumps(survey.document), encoding="utf-8")
        found: list[Comparison | Figure] = [*_rates(path, survey)]
        for engine in ENGINES:
            found += _steady(engine, path, survey)
    return found


@dataclass(frozen=True)
class _Measured:
    """A server, and what it did in each turn."""

    server: Started
    status: int  # that it answers
    # Whether it tidies its store when it is left alone. That is not to be paid for by others.
    rests: bool
    # Reports a second and a second of processor time, by the number of connections.
    rates: dict[int, list[float]] = field(default_factory=dict)
    costs: dict[int, list[float]] = field(default_factory=dict)

    def turn(self, senders: Senders, reports: list[Report], connections: int) -> None:
        """Take reports, and count."""
        load = Load(self.server.port, self.status, reports, connections)
        before = cpu(tree(self.server.process))
        rate = senders.requests_per_second(load)
        spent = cpu(tree(self.server.process)) - before
        self.rates.setdefault(connections, []).append(rate)
        self.costs.setdefault(connections, []).append(len(reports) / spent)
        if self.rests:
            time.sleep(QUIET + 1)


def _rates(path: Path, survey: Survey) -> Iterator[Comparison]:
    """Measure all servers in turn, with the same reports."""
    urls = {engine: engine.url(path, "rates") for engine in ENGINES}
    document = str(path / "survey.json")
    with ExitStack() as stack:

        def start(status: int, *words: str, rests: bool = False) -> _Measured:
            return _Measured(stack.enter_context(started(*words)), status, rests)

        nothing = start(204, "nothing")
        ceilings = {
            name: start(
                201 if name.startswith("un") else 204,
                name,
                SQLITE.url(path, name),
                document,
                rests=name == "unsynced",
            )
            for name in CEILINGS
        }
        ours = {
            engine: start(201, "deniable", url, document, rests=True)
            for engine, url in urls.items()
        }
        senders = stack.enter_context(Senders())
        for turn in range(1 + RUNS):
            for connections in CONNECTIONS:
                tell(f"ingest: {connections} connections, turn {turn} of {RUNS}")
                reports = _reports(survey)
                few = connections < max(CONNECTIONS)
                for one in (nothing, *([] if few else ceilings.values()), *ours.values()):
                    one.turn(senders, reports, connections)
    for url in urls.values():
        store = open_store(url)
        assert store.count(survey.slug) == REPORTS * (1 + RUNS) * len(CONNECTIONS)
        store.close()
    yield from _compared(nothing, ours, ceilings)


def _compared(
    nothing: _Measured, ours: Mapping[Engine, _Measured], ceilings: Mapping[str, _Measured]
) -> Iterator[Comparison]:
    """Compare each server with that which does nothing; the first turn does not count."""
    against = "Flask answering 204"

    def compare(name: str, one: _Measured, connections: int, goal: str = "") -> list[Comparison]:
        return [
            Comparison(
                f"{name}, {connections} connections{more}",
                against,
                unit,
                getattr(one, what)[connections][1:],
                getattr(nothing, what)[connections][1:],
                wanted,
            )
            for what, more, unit, wanted in (
                ("rates", "", "/s", goal),
                ("costs", ", CPU alone", "/CPU s", ""),
            )
        ]

    # The limit by network is switched off, as all reports come from one.
    for engine, measured in ours.items():
        for connections in CONNECTIONS:
            name = f"durable reports, {engine.name}"
            yield from compare(name, measured, connections, ENGINES[engine])
    for name, measured in ceilings.items():
        yield from compare(f"ceiling: {CEILINGS[name]}", measured, max(CONNECTIONS))


def _steady(engine: Engine, path: Path, survey: Survey) -> list[Figure]:
    """Measure how long an acknowledgement takes, and on PostgreSQL also while it is settled."""
    tell(f"ingest: {STEADY:,} reports a second, {engine.name}")
    url, name = engine.url(path, "steady"), f"p99 at {STEADY:,} reports/s, {engine.name}"
    if engine is POSTGRES:
        (path / "doping.yaml").write_text(SURVEY, encoding="utf-8")
        scale.run("simulate", path / "doping.yaml", "-n", SETTLED, "--store", url, "--seed", 1)
    document = str(path / "survey.json")
    with running("deniable", url, document) as port, running("nothing") as other:
        _acknowledged(port, 201, survey)  # warms up
        turns = [
            (_acknowledged(port, 201, survey), _acknowledged(other, 204, survey))
            for _ in range(STEADY_TURNS)
        ]
        ours, theirs = map(list, zip(*turns, strict=True))
        figures = [
            Figure(name, ours, "ms", "≤ 20"),
            Figure(f"{name}: Flask answering 204 meanwhile", theirs, "ms"),
        ]
        if engine is POSTGRES:
            store = open_store(url)
            with ThreadPoolExecutor(1) as worker:
                settling = worker.submit(store.erase_order)
                taken = _acknowledged(port, 201, survey)
                assert settling.result()
            store.close()
            name = f"{name}, while {SETTLED:,} are settled"
            figures.append(Figure(name, [taken], "ms"))
    return figures


def _acknowledged(port: int, status: int, survey: Survey) -> float:
    """Return below how many milliseconds 99 of 100 reports are acknowledged."""
    load = Load(port, status, _reports(survey, STEADY * SECONDS), max(CONNECTIONS))
    return 1000 * statistics.quantiles(seconds_to_answers(load, STEADY), n=100)[-1]


def _reports(survey: Survey, n: int = REPORTS) -> list[Report]:
    (responses,) = simulate(read_population(survey), n)
    return make_reports(survey, draw_ids(n), responses.answers)
