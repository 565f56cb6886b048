"""The study of a request's survey: what the desk may know of its reports, and no others.

Its tallies are those of the store's snapshot, the same for the whole request. The reports are read
only for a weighting, for an analysis of several questions, or for a file of reports.
"""

import logging
from collections.abc import Sequence
from functools import cache
from http import HTTPStatus
from typing import Final

import numpy as np
from flask import abort, g

from deniable.analysis.counts.pooling import least_of_one, match, pool_rows, pool_tallies
from deniable.analysis.counts.rows import Rows, direct_places
from deniable.analysis.counts.tally import Tally, count_kept
from deniable.analysis.privacy.disclosure import LEAST
from deniable.report import NOT_ASKED
from deniable.server.desk.context import catalogue, store
from deniable.server.desk.results.query import Choice, choice_of
from deniable.server.store import Snapshot, StoreError
from deniable.server.store.records import Counts
from deniable.server.store.store import AT_START
from deniable.study.counted import CountedStudy
from deniable.study.study import Study
from deniable.survey import Survey
from deniable.survey_file import plan_of

DAMAGED: Final = (
    "The store is damaged or cannot be read now, so there is no file. Ask whoever looks after the "
    "server: its log says what is wrong."
)

_log = logging.getLogger(__name__)


def snapshot_of(slug: str) -> Snapshot:
    """Return a survey's reports that may be seen: the same snapshot for the whole request."""
    known = g.setdefault("snapshots", {})
    if slug not in known:
        known[slug] = store.snapshot(slug)
    snapshot: Snapshot = known[slug]
    return snapshot


def with_reports(survey: Survey) -> list[Survey]:
    """Return the revisions of a survey that have reports."""
    tallies = snapshot_of(survey.slug).tallies
    return [catalogue.revision(survey.slug, revision) for revision in tallies]


def study_of(slug: str) -> CountedStudy:
    """Return the survey that a request asks for, with its tallies and a way to its reports.

    The tallies are of the chosen revision, or of all. The reports are always those to all
    revisions: else the difference between all revisions and one could show the answers of few.
    """
    known = g.setdefault("studies", {})
    if slug not in known:
        choice = choice_of(slug)
        known[slug] = study_with(choice.survey, choice.revision)
    study: CountedStudy = known[slug]
    return study


def reports_of(slug: str) -> Study:
    """Read the reports of the chosen wave, for analyses of several questions."""
    return study_of(slug).reports.wave(choice_of(slug).wave)


def rows_of_file(slug: str) -> Rows:
    """Read the chosen reports, for a file; answer 503 if the store is damaged."""
    try:
        store.make_sure(seconds=AT_START)
    except StoreError as error:
        _log.error("nothing is exported: %s", error)
        abort(HTTPStatus.SERVICE_UNAVAILABLE, DAMAGED)
    choice = choice_of(slug)
    return _rows(choice.survey, chosen_revisions(choice), study_of(slug).min_cell_size)


def chosen_revisions(choice: Choice) -> list[Survey]:
    """Return the revisions whose reports are used: the chosen one, or all that have reports."""
    return [choice.survey] if choice.revision else with_reports(choice.survey)


def study_with(survey: Survey, revision: str = "") -> CountedStudy:
    """Return a survey with the tallies of all its revisions, or of itself if one was chosen."""
    snapshot, slug, there = snapshot_of(survey.slug), survey.slug, with_reports(survey)
    revisions = [survey] if revision else there
    # The margins are of all people who answered, not of those who read one revision.
    current = store.source(slug, store.current_revision(slug))
    margins = {} if revision else plan_of(current).population
    others = [match(survey, one) for one in there if one.revision != survey.revision]
    fingerprints = [survey.fingerprint, *(m.other.fingerprint for m in others if m.is_pooled)]
    source = f"revision{'s' * (len(fingerprints) > 1)} {' and '.join(fingerprints)}"
    min_cell_size = least_of_one(survey, there) if revision else LEAST

    @cache
    def rows() -> Rows:
        return _rows(survey, there, LEAST)

    if not _needs_reports(survey, revisions):
        tallies = by_wave(snapshot, survey, revisions)
    elif revision:
        tallies = count_kept(_rows(survey, revisions, min_cell_size))
    else:
        tallies = count_kept(rows())
    told = () if revision else (m.told(snapshot.count(m.other.revision)) for m in others)
    return CountedStudy(
        survey,
        tallies,
        read=lambda: Study.shown(rows(), source, margins),
        source=source,
        min_cell_size=min_cell_size,
        margins=margins,
        others=tuple(told),
    )


def _needs_reports(survey: Survey, revisions: Sequence[Survey]) -> bool:
    """Return whether the store's tallies show a gap or few people, so that reports are counted.

    Direct answers are counted as in every other output (`Rows`).
    """
    if not direct_places(survey) or len(store.revisions(survey.slug)) == 1:
        return False
    tallies = snapshot_of(survey.slug).tallies
    return any(
        NOT_ASKED in count or sum(count.values()) < LEAST
        for one in revisions
        for of_items in tallies.get(one.revision, {}).values()
        for count in of_items
    )


def _rows(survey: Survey, revisions: Sequence[Survey], least: int) -> Rows:
    read = store.snapshot_answers
    received = ((one, read(survey.slug, one.revision)) for one in revisions)
    return pool_rows(survey, received, least)


def by_wave(snapshot: Snapshot, survey: Survey, revisions: Sequence[Survey]) -> dict[int, Tally]:
    """Return the tally of several revisions in each wave that has reports, or in the first.

    They are added up as `analysis.counts.pooling` adds them.
    """
    counted = [one for one in revisions if match(survey, one).is_pooled]
    waves = {wave for one in counted for wave in snapshot.tallies.get(one.revision, {})}
    return {
        wave: pool_tallies(survey, ((one, _tally_of(snapshot, one, wave)) for one in counted))
        for wave in sorted(waves) or [1]
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
