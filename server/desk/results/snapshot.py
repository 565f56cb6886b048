"""Tallies of the reports that the desk may see, as the store keeps them: no report is read."""

from collections.abc import Sequence

import numpy as np

from deniable.analysis.counts.pooling import match, pool_tallies
from deniable.analysis.counts.tally import Tally
from deniable.server.store.records import Counts, Snapshot
from deniable.survey import Survey


def by_wave(snapshot: Snapshot, survey: Survey, revisions: Sequence[Survey]) -> dict[int, Tally]:
    """Return the tally of several revisions in each wave that has reports, ascending.

    They are added up as `analysis.counts.pooling` adds them.
    """
    counted = [one for one in revisions if match(survey, one).is_pooled]
    waves = sorted({wave for one in counted for wave in snapshot.tallies.get(one.revision, {})})
    return {
        wave: pool_tallies(survey, ((one, _tally_of(snapshot, one, wave)) for one in counted))
        for wave in waves
    }


def _tally_of(snapshot: Snapshot, survey: Survey, wave: int) -> Tally:
    nobody: Counts = tuple({} for _ in survey.items)
    counts = snapshot.tallies.get(survey.revision, {}).get(wave, nobody)
    return Tally(
        survey.revision,
        sum(counts[0].values()),
        tuple(
            np.array([those.get(report, 0) for report in range(reports)], dtype=np.int64)
            for those, reports in zip(counts, survey.report_counts, strict=True)
        ),
    )
