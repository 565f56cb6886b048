"""Tallies of the reports that the desk may see, as the store keeps them: no report is read."""

from __future__ import annotations

import numpy as np

from deniable.analysis.tally import Tally
from deniable.server.store.records import Counts, Snapshot
from deniable.survey import Survey


def tally_of(snapshot: Snapshot, survey: Survey, wave: int = 0) -> Tally:
    """Return the tally of a revision, or of one of its waves.

    Parameters
    ----------
    snapshot : Snapshot
    survey : Survey
        The revision.
    wave : int
        0 if it has none.

    Returns
    -------
    Tally
        Empty if there are no reports.
    """
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


def tallies_by_wave(snapshot: Snapshot, survey: Survey) -> dict[int, Tally]:
    """Return the tally of each wave of a revision that has reports, ascending."""
    waves = sorted(snapshot.tallies.get(survey.revision, {}))
    return {wave: tally_of(snapshot, survey, wave) for wave in waves}
