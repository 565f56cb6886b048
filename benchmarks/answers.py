"""Randomising a million answers and tallying them, against the least that either could take."""

from dataclasses import replace

import numpy as np

from benchmarks.measuring import Comparison, compare, folder
from benchmarks.scale import USUAL, survey_of
from deniable import designs
from deniable.analysis.counts.reports_csv import csv_of, read_reports
from deniable.analysis.counts.tally import count_reports
from deniable.client.population import read_population
from deniable.client.randomiser import randomise
from deniable.client.randomness import WordSource, os_words, seeded_words
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.server.store import open_store
from deniable.survey_file import read

N = 1_000_000


def randomising() -> list[Comparison]:
    """Measure two numbers of answers, with words of a generator and of the system."""
    sources = {"PCG64": seeded_words(1), "os.urandom": os_words}
    return [_randomising(k, name, words) for k in (2, 16) for name, words in sources.items()]


def _randomising(k: int, name: str, words: WordSource) -> Comparison:
    channel = designs.k_ary(k, 1)
    truths = (seeded_words(2)(N) % k).astype(np.uint8)
    found = compare(
        f"randomise 1,000,000 answers of {k}",
        f"the words alone, {name}",
        lambda: randomise(channel, truths, words(N)),
        lambda: words(N),
    )
    # Only the system's words are fit for a real answer.
    return replace(found, goal="below 3" if words is os_words else "")


def tallying() -> list[Comparison]:
    """Measure the tally of a store and of a CSV, against counting what is in memory already."""
    survey = read(survey_of(USUAL)).survey
    matrix = np.concatenate([chunk.answers for chunk in simulate(read_population(survey), N)])
    with folder() as path:
        store = open_store(f"sqlite:///{path}/reports.db")
        store.register(survey)
        for rows in np.array_split(matrix, 10):
            store.insert_batch(make_reports(survey, draw_ids(len(rows)), rows))
        store.erase_order()
        csv_path = path / "reports.csv"
        with csv_path.open("w", newline="", encoding="utf-8") as file:
            file.writelines(csv_of([matrix.tobytes()], survey))

        def tally_store() -> None:
            assert count_reports(store.answers(survey.slug, survey.revision), survey).n == N

        def tally_csv() -> None:
            with csv_path.open(newline="", encoding="utf-8") as file:
                assert count_reports(read_reports(file, survey), survey).n == N

        def count() -> None:
            for column, item in zip(matrix.T, survey.items, strict=True):
                np.bincount(column, minlength=item.channel.reports)

        try:
            return [
                compare(f"tally 1,000,000 × {USUAL} from {source}", "numpy.bincount in memory", *of)
                for source, of in {
                    "a store": (tally_store, count),
                    "a CSV": (tally_csv, count),
                }.items()
            ]
        finally:
            store.close()
