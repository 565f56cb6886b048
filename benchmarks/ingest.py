"""Durable reports per second, against an empty Flask route under the same server."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.load import requests_per_second
from benchmarks.measuring import RUNS, Comparison, folder, tell
from benchmarks.servers import serving, serving_nothing
from deniable.client.population import read_population
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.report import Report
from deniable.server.intake.group_commit import QUIET
from deniable.server.store import open_store
from deniable.survey import Survey
from deniable.survey_file import read
from tests.server.store.engines import POSTGRES, SQLITE

REPORTS = 4_000
"""Reports in each turn; none is sent twice to the same server."""

SURVEY = """
version: 1
survey: doping
title: Doping
epsilon: 1
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: substances, text: Which, type: many, answers: [Steroids, EPO, Stimulants]}
"""

ENGINES: Final = {SQLITE: "≥ 2", POSTGRES: "≥ 1.3"}
"""The engines, each with its goal: the ratio to the Flask route's rate."""

CONNECTIONS = 64


@dataclass(frozen=True)
class _Measured:
    """A server, and its reports per second in each turn."""

    port: int
    status: int  # of its answers
    rates: list[float] = field(default_factory=list)

    def turn(self, reports: list[Report]) -> None:
        self.rates.append(requests_per_second(self.port, self.status, reports, CONNECTIONS))


def run() -> list[Comparison]:
    """Measure both engines in turn, each against the same empty server."""
    with folder() as path:
        (path / "doping.yaml").write_text(SURVEY, encoding="utf-8")
        return [*_compared(path, read(SURVEY).survey)]


def _compared(path: Path, survey: Survey) -> Iterator[Comparison]:
    urls = {engine: engine.url(path, "rates") for engine in ENGINES}
    with ExitStack() as stack:
        nothing = _Measured(stack.enter_context(serving_nothing()), 204)
        ours = {
            engine: _Measured(stack.enter_context(serving(f"{path}/doping.yaml", url)), 201)
            for engine, url in urls.items()
        }
        for turn in range(1 + RUNS):
            tell(f"ingest: turn {turn} of {RUNS}")
            (responses,) = simulate(read_population(survey), REPORTS)
            reports = make_reports(survey, draw_ids(REPORTS), responses.answers)
            nothing.turn(reports)
            for one in ours.values():
                one.turn(reports)
                # An idle server tidies its store, which must not slow the next measurement.
                time.sleep(QUIET + 1)
    for url in urls.values():
        store = open_store(url)
        assert store.count(survey.slug) == REPORTS * (1 + RUNS)
        store.close()
    for engine, one in ours.items():
        name, goal = f"durable reports, {engine.name}", ENGINES[engine]
        # The first turn does not count.
        yield Comparison(name, "Flask answering 204", "/s", one.rates[1:], nothing.rates[1:], goal)
