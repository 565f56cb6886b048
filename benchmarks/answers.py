"""Randomising a million answers and tallying them, against the least time that each could take."""

import numpy as np

from benchmarks.measuring import Comparison, compare, folder
from benchmarks.scale import ITEMS, survey_of
from deniable import designs
from deniable.analysis.counts.tally import count_reports
from deniable.client.population import read_population
from deniable.client.randomiser import randomise
from deniable.client.randomness import os_words, seeded_words
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.server.store import open_store
from deniable.survey_file import read

N = 1_000_000


def randomising() -> list[Comparison]:
    """Measure questions of 2 and 16 answers, with the system's random words as for real answers."""
    return [_randomising(k) for k in (2, 16)]


def _randomising(k: int) -> Comparison:
    channel = designs.k_ary(k, 1)
    truths = (seeded_words(2)(N) % k).astype(np.uint8)
    return compare(
        f"randomise 1,000,000 answers of {k}",
        "the words alone, os.urandom",
        lambda: randomise(channel, truths, os_words(N)),
        lambda: os_words(N),
        goal="below 3",
    )


def tallying() -> list[Comparison]:
    """Measure the tally of a store, against counting the same answers in memory."""
    survey = read(survey_of(ITEMS)).survey
    matrix = np.concatenate([chunk.answers for chunk in simulate(read_population(survey), N)])
    with folder() as path:
        store = open_store(f"sqlite:///{path}/reports.db")
        store.register(survey)
        for rows in np.array_split(matrix, 10):
            store.insert_reports(make_reports(survey, draw_ids(len(rows)), rows))
        store.erase_order()

        def tally() -> None:
            assert count_reports(store.rows(survey.slug, survey.revision), survey).n == N

        def count() -> None:
            for column, item in zip(matrix.T, survey.items, strict=True):
                np.bincount(column, minlength=item.channel.reports)

        name = f"tally 1,000,000 × {ITEMS} from a store"
        try:
            return [compare(name, "numpy.bincount in memory", tally, count)]
        finally:
            store.close()
