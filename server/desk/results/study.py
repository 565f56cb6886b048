"""The study of a request's survey: what the desk may know of its reports, and no others.

Its tallies are those of the store's snapshot, the same for the whole request. The reports are read
only for a weighting, for an analysis of several questions, or for a file of reports.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final, TypeVar

import numpy as np
from flask import abort, g

from deniable.analysis.counts.pooling import pool_tallies
from deniable.analysis.counts.rows import Rows
from deniable.analysis.counts.tally import Tally
from deniable.analysis.privacy.columns import chosen, holding
from deniable.report import NOT_ASKED
from deniable.server.desk.context import catalogue, store
from deniable.server.desk.permissions import draft_tried, signed_in
from deniable.server.desk.results.query import WrongChoiceError, choice_of
from deniable.server.store import Snapshot, StoreError, StoreUnavailable
from deniable.server.store.leaving import leave, rule_of
from deniable.server.store.records import Counts
from deniable.study.counted import CountedStudy
from deniable.study.received import Received
from deniable.study.study import Study
from deniable.study.weighing import Margins
from deniable.survey import Survey
from deniable.survey.grouped import Columns
from deniable.survey.kind import survey_tried
from deniable.survey_file import PlanFields, plan_of

DAMAGED: Final = (
    "The store is damaged, so nothing is made of it. Ask the person who looks after the server: "
    "its log says what is wrong."
)

NOT_YOURS: Final = (
    "The survey's owners choose which direct answers leave in files, and in which groups. Leave "
    "the choice out, or ask an owner to download the file"
)

_log = logging.getLogger(__name__)

_Made = TypeVar("_Made")


def _once(key: tuple[str, ...], make: Callable[[], _Made]) -> _Made:
    """Return the object of a key; make it once a request."""
    known: dict[tuple[str, ...], _Made] = g.setdefault("made", {})
    if key not in known:
        known[key] = make()
    return known[key]


@contextmanager
def _of_undamaged() -> Iterator[None]:
    """Answer 503 if damage is found inside the block; the log says which."""
    try:
        with store.told():
            yield
    except StoreUnavailable:
        raise  # it may be free again in a moment
    except StoreError as error:
        _log.error("nothing is made of a damaged store: %s", error)
        abort(HTTPStatus.SERVICE_UNAVAILABLE, DAMAGED)


def snapshot_of(slug: str) -> Snapshot:
    """Return a survey's reports that may be seen: the same snapshot for the whole request."""
    with _of_undamaged():
        return _once(("snapshot", slug), lambda: store.snapshot(slug))


def study_of(slug: str) -> CountedStudy:
    """Return the survey that a request asks for, with its tallies and a way to its reports."""
    choice = choice_of(slug)
    return _once(("study", slug), lambda: study_with(choice.survey, choice.revision))


def reports_of(slug: str) -> Study:
    """Read the reports of the chosen wave, for analyses of several questions."""
    return study_of(slug).reports.wave(choice_of(slug).wave)


def rows_of_file(slug: str) -> Rows:
    """Read the chosen reports, for a file; answer 503 if the store is damaged."""
    choice = choice_of(slug)
    with _of_undamaged():
        return received_by(choice.survey, choice.revision).rows


def received_by(survey: Survey, revision: str = "") -> Received:
    """Return the reports of the request's snapshot, to all revisions or to a chosen one."""
    return _once(
        ("received", survey.slug, survey.check_number, revision),
        lambda: _received(survey, revision),
    )


def _received(survey: Survey, revision: str) -> Received:
    snapshot, slug = snapshot_of(survey.slug), survey.slug
    least, wanted = rule_of(_plan(survey), store.left(slug))
    return Received(
        survey,
        tuple((one, snapshot.count(one.revision)) for one in catalogue.revisions(slug)),
        lambda one: _read_rows(slug, one),
        is_chosen=bool(revision),
        least=least,
        wanted=wanted,
    )


def _read_rows(slug: str, revision: Survey) -> Iterator[bytes]:
    g.reports_read = True  # so that a page can say what it did not read
    with _of_undamaged():
        yield from store.snapshot_rows(slug, revision.revision)


def columns_of_file(slug: str, text: str | None = None) -> Columns:
    """Return the direct columns of a file of the chosen reports, and keep that they left.

    `text`: those that are asked for, as `deniable.survey.grouped.write_columns` writes them; by
    default all that can leave together.
    """
    rows = rows_of_file(slug)

    def check() -> None:
        if text is not None and not signed_in().may_change(rows.survey):
            raise WrongChoiceError(NOT_YOURS, HTTPStatus.FORBIDDEN)

    return leave(store, rows, lambda left: chosen(rows, text, left), check)


def study_with(survey: Survey, revision: str = "") -> CountedStudy:
    """Return a survey with the tallies of all its revisions, or of itself if one was chosen."""
    snapshot, received = snapshot_of(survey.slug), received_by(survey, revision)
    # The margins are of all people who answered, not of those who read one revision.
    margins = {} if revision else _margins(survey)
    numbers = dict.fromkeys(one.shown_number for one in (survey, *received.pooled))
    source = f"revision{'s' * (len(numbers) > 1)} {' and '.join(numbers)}"
    if margins and len(received.rows.direct) > 1:
        # What is weighted tells how many people gave which direct answers together.
        rows = received.rows
        leave(store, rows, lambda _: holding(rows, rows.wanted))
    if received.may_hide_people and _has_few(snapshot, received):
        tallies = received.tallies()
    else:
        tallies = tallies_of(snapshot, survey, received.counted)
    return received.study(tallies, source, margins)


def _plan(survey: Survey) -> PlanFields:
    """Return the plan of a survey's current file; of a trial, of what is tried, as it is now."""
    is_trial = survey.kind == "trial"
    slug = survey_tried(survey.slug, survey.parent) if is_trial else survey.slug
    if catalogue.found(slug):
        return plan_of(store.source(slug, store.current_revision(slug)))
    draft = draft_tried(survey) if is_trial else None
    return plan_of(draft.text if draft else "")


def _margins(survey: Survey) -> Margins:
    """Return the margins of a survey's plan."""
    # A draft can have changed since its trial.
    answers = {item.id: {one.code for one in item.truths} for item in survey.items}
    wanted = _plan(survey).population
    return {name: parts for name, parts in wanted.items() if answers.get(name) == {*parts}}


def _has_few(snapshot: Snapshot, received: Received) -> bool:
    """Return whether tallies show a gap or few people."""
    return any(
        NOT_ASKED in count or sum(count.values()) < received.least
        for one in received.counted
        for of_items in snapshot.tallies.get(one.revision, {}).values()
        for count in of_items
    )


def tallies_of(snapshot: Snapshot, survey: Survey, revisions: Sequence[Survey]) -> dict[int, Tally]:
    """Return the tally of several revisions in each wave that has reports, or in the first.

    They are added up as `analysis.counts.pooling` adds them.
    """
    waves = {wave for one in revisions for wave in snapshot.tallies.get(one.revision, {})}
    return {
        wave: pool_tallies(survey, ((one, _tally_of(snapshot, one, wave)) for one in revisions))
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
