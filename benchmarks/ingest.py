"""Durable reports a second, against a Flask route that does nothing, under the same server."""

from __future__ import annotations

import json
import time

from benchmarks.load import CONNECTIONS, PROCESSES, Load, requests_per_second
from benchmarks.measuring import RUNS, Comparison, folder
from benchmarks.servers import running
from deniable.client.population import read_population
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.report import Report
from deniable.server.intake.group_commit import QUIET
from deniable.server.store import open_store
from deniable.survey import Survey
from deniable.survey_file import read

REPORTS = 20_000
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


def run() -> list[Comparison]:
    """Measure both servers in turn, with the same reports."""
    survey = read(SURVEY).survey
    ours, theirs = [], []
    with folder() as path:
        (path / "survey.json").write_text(json.dumps(survey.document), encoding="utf-8")
        url = f"sqlite:///{path}/reports.db"
        with (
            running("deniable", url, str(path / "survey.json")) as real,
            running("nothing") as nothing,
        ):
            for warm in (True, *[False] * RUNS):
                reports = _reports(survey)
                stored = requests_per_second(Load(real, 201, reports))
                # The real server tidies its store when it is left alone; that is not to be paid
                # for by the other one.
                time.sleep(QUIET + 1)
                answered = requests_per_second(Load(nothing, 204, reports))
                if not warm:
                    ours.append(stored)
                    theirs.append(answered)
        store = open_store(url)
        assert store.count(survey.slug) == REPORTS * (1 + RUNS)
        store.close()
    # The limit by network is switched off, as they all come from one.
    name = f"durable reports ({PROCESSES * CONNECTIONS} connections, --reports-per-minute 0)"
    return [Comparison(name, "Flask answering 204", "/s", ours, theirs, goal="≥ 1.2")]


def _reports(survey: Survey) -> list[Report]:
    (responses,) = simulate(read_population(survey), REPORTS)
    return make_reports(survey, draw_ids(REPORTS), responses.answers)
