"""Durable reports a second, against a Flask route that does nothing, under the same server."""

from __future__ import annotations

import json
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks import scale
from benchmarks.load import Load, requests_per_second, seconds_to_answers
from benchmarks.measuring import RUNS, Comparison, Figure, folder
from benchmarks.servers import running
from deniable.client.population import read_population
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.report import Report
from deniable.server.intake.group_commit import QUIET
from deniable.server.store import open_store
from deniable.survey import Survey
from deniable.survey_file import read
from tests.server.store.engines import POSTGRES, SQLITE, Engine

REPORTS = 10_000
"""Of each run; none is ever sent twice to the same server."""

SURVEY = """
version: 1
survey: doping
title: Doping
epsilon: 3
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: substances, text: Which, type: many, answers: [Steroids, EPO, Stimulants]}
"""


CONNECTIONS = (32, 64)

STEADY = 1_000
"""Reports a second, of which each is acknowledged in time."""

SECONDS = 10

SETTLED = 1_000_000
"""Reports in the store that is settled meanwhile."""


def run() -> list[Comparison | Figure]:
    """Measure both engines, each against the same server that does nothing."""
    found: list[Comparison | Figure] = []
    with folder() as path:
        survey = read(SURVEY).survey
        (path / "survey.json").write_text(json.dumps(survey.document), encoding="utf-8")
        for engine, goal in ((SQLITE, "≥ 2"), (POSTGRES, "≥ 1.3")):
            for connections in CONNECTIONS:
                url = engine.url(path, f"at-{connections}")
                found.append(_compare(engine.name, url, path, survey, connections, goal))
            found += _steady(engine, path, survey)
    return found


def _compare(
    engine: str, url: str, path: Path, survey: Survey, connections: int, goal: str
) -> Comparison:
    """Measure a server and one that does nothing in turn, with the same reports."""
    ours, theirs = [], []
    with (
        running("deniable", url, str(path / "survey.json")) as real,
        running("nothing") as nothing,
    ):
        for warm in (True, *[False] * RUNS):
            reports = _reports(survey)
            stored = requests_per_second(Load(real, 201, reports, connections))
            # The real server tidies its store when it is left alone; that is not to be paid
            # for by the other one.
            time.sleep(QUIET + 1)
            answered = requests_per_second(Load(nothing, 204, reports, connections))
            if not warm:
                ours.append(stored)
                theirs.append(answered)
    store = open_store(url)
    assert store.count(survey.slug) == REPORTS * (1 + RUNS)
    store.close()
    # The limit by network is switched off, as they all come from one.
    name = f"durable reports, {engine}, {connections} connections"
    return Comparison(name, "Flask answering 204", "/s", ours, theirs, goal)


def _steady(engine: Engine, path: Path, survey: Survey) -> list[Figure]:
    """Measure how long an acknowledgement takes, and on PostgreSQL also while it is settled."""
    url, name = engine.url(path, "steady"), f"p99 at {STEADY:,} reports/s, {engine.name}"
    if engine is POSTGRES:
        scale.run("simulate", path / "survey.json", "-n", SETTLED, "--store", url, "--seed", 1)
    with running("deniable", url, str(path / "survey.json")) as port:
        _acknowledged(port, survey, 2)  # warms up
        figures = [Figure(name, [_acknowledged(port, survey, SECONDS)], "ms", "≤ 20")]
        if engine is POSTGRES:
            store = open_store(url)
            with ThreadPoolExecutor(1) as other:
                settling = other.submit(store.settle)
                taken = _acknowledged(port, survey, SECONDS)
                assert settling.result()
            store.close()
            name = f"{name}, while {SETTLED:,} are settled"
            figures.append(Figure(name, [taken], "ms", "≤ 20"))
    return figures


def _acknowledged(port: int, survey: Survey, seconds: int) -> float:
    """Return below how many milliseconds 99 of 100 reports are acknowledged."""
    load = Load(port, 201, _reports(survey, STEADY * seconds), max(CONNECTIONS))
    return 1000 * statistics.quantiles(seconds_to_answers(load, STEADY), n=100)[-1]


def _reports(survey: Survey, n: int = REPORTS) -> list[Report]:
    (responses,) = simulate(read_population(survey), n)
    return make_reports(survey, draw_ids(n), responses.answers)
