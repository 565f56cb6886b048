"""Tallying a million reports of five items, against counting what is in memory already."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from benchmarks.measuring import Comparison, compare, folder
from deniable.analysis.counts.reports_csv import read_reports, write_reports
from deniable.analysis.counts.tally import Tally, count_reports
from deniable.client.population import read_population
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.server.store import open_store
from deniable.survey import Survey
from deniable.survey_file import read

N = 1_000_000
ITEMS = 5

SURVEY = "version: 1\nsurvey: five\ntitle: Five\nepsilon: 5\nquestions:\n" + "".join(
    f"  - {{id: q{number}, text: Q, type: single, answers: [A, B, C, D]}}\n"
    for number in range(ITEMS)
)


def run() -> list[Comparison]:
    """Measure the tally of a store and of a CSV."""
    survey = read(SURVEY).survey
    matrix = np.concatenate([chunk.answers for chunk in simulate(read_population(survey), N)])
    with folder() as path:
        store = open_store(f"sqlite:///{path}/reports.db")
        store.register(survey)
        for rows in np.array_split(matrix, 10):
            store.insert_batch(make_reports(survey, draw_ids(len(rows)), rows))
        store.erase_order()
        csv_path = path / "reports.csv"
        with csv_path.open("w", newline="", encoding="utf-8") as file:
            write_reports([matrix.tobytes()], survey, file)

        def tally_store() -> None:
            _check(count_reports(store.answers(survey.slug, survey.revision), survey), matrix)

        def tally_csv() -> None:
            with csv_path.open(newline="", encoding="utf-8") as file:
                _check(count_reports(read_reports(file, survey), survey), matrix)

        try:
            return [
                compare(
                    f"tally 1,000,000 × {ITEMS} from {source}",
                    "numpy.bincount in memory",
                    tally,
                    lambda: _count(matrix, survey),
                )
                for source, tally in {"a store": tally_store, "a CSV": tally_csv}.items()
            ]
        finally:
            store.close()


def _count(matrix: npt.NDArray[np.uint8], survey: Survey) -> list[npt.NDArray[np.intp]]:
    return [
        np.bincount(column, minlength=item.channel.reports)
        for column, item in zip(matrix.T, survey.items, strict=True)
    ]


def _check(tally: Tally, matrix: npt.NDArray[np.uint8]) -> None:
    assert tally.n == len(matrix)
