"""What every store promises of invitations, whichever engine it has."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deniable.report import ID_BYTES, Report
from deniable.server.store import Outcome, State, Store, StoreError, open_store
from deniable.server.store.invitations import GROUP, LENGTH, Invited, hash_of, new_codes
from deniable.server.store.terms import CODE_LETTERS, Terms
from deniable.survey import Survey
from deniable.trial import trial_of
from tests import surveys, surveys_in_waves
from tests.server.calling import report
from tests.server.store.engines import Engine

CODES = new_codes(6)


def test_codes_are_long_and_read_however_they_are_typed() -> None:
    assert len(CODE_LETTERS) ** LENGTH > 2**80
    groups = CODES[0].split("-")
    assert {len(group) for group in groups} == {GROUP}
    assert {*"".join(groups)} <= {*CODE_LETTERS}
    typed = " ".join(groups).lower()
    assert hash_of(typed) == hash_of(CODES[0]) != hash_of(CODES[1])


def test_a_survey_with_codes_takes_one_report_for_each(store: Store, survey: Survey) -> None:
    assert store.invited("doping") is None
    assert store.insert_batch([report(survey)], [CODES[0]]) == [Outcome.STORED]
    store.invite("doping", CODES[:2])
    assert store.insert_batch([report(survey)]) == [Outcome.UNINVITED]
    first, second = report(survey), report(survey)
    assert store.insert_batch([first], [CODES[2]]) == [Outcome.UNINVITED]
    assert store.insert_batch([first], [CODES[0].lower()]) == [Outcome.STORED]
    assert store.insert_batch([second], [CODES[0]]) == [Outcome.SPENT]
    assert store.insert_batch([second], [CODES[1]]) == [Outcome.STORED]
    assert store.count("doping") == 3
    # More codes: those that were spent stay so.
    store.invite("doping", CODES[2:])
    assert store.insert_batch([report(survey)], [CODES[1]]) == [Outcome.SPENT]
    store.end_invitations("doping")
    assert store.invited("doping") is None
    assert store.insert_batch([report(survey)]) == [Outcome.STORED]


def test_a_report_that_is_sent_again_is_known_by_its_id_alone(store: Store, survey: Survey) -> None:
    store.invite("doping", CODES[:2])
    mine = report(survey, b"\0" * len(survey.items))
    assert store.insert_batch([mine], [CODES[0]]) == [Outcome.STORED]
    for code in (CODES[0], CODES[1], CODES[5], None):
        assert store.insert_batch([mine], [code]) == [Outcome.REPEATED]
    other = Report(mine.survey, mine.revision, mine.id, b"\1" * len(survey.items))
    assert store.insert_batch([other], [CODES[1]]) == [Outcome.CONFLICT]
    # Neither spent a second one.
    assert store.insert_batch([report(survey)], [CODES[1]]) == [Outcome.STORED]


def test_of_two_reports_with_one_code_in_a_batch_one_is_stored(
    store: Store, survey: Survey
) -> None:
    store.invite("doping", CODES[:2])
    three = [report(survey) for _ in range(3)]
    outcomes = store.insert_batch(three, [CODES[0], CODES[0], CODES[1]])
    assert outcomes == [Outcome.STORED, Outcome.SPENT, Outcome.STORED]
    assert store.count("doping") == 2


def test_of_two_writers_with_one_code_one_stores(
    store: Store, survey: Survey, engine: Engine, tmp_path: Path
) -> None:
    store.invite("doping", CODES[:1])
    with (
        closing(open_store(engine.url(tmp_path))) as other,
        ThreadPoolExecutor(2) as threads,
    ):
        pending = [
            threads.submit(one.insert_batch, [report(survey)], [CODES[0]]) for one in (store, other)
        ]
        outcomes = [one.result()[0] for one in pending]
    assert {*outcomes} == {Outcome.STORED, Outcome.SPENT}


def test_a_report_that_is_refused_spends_nothing(store: Store, survey: Survey) -> None:
    store.invite("doping", CODES[:2])
    store.set_state("doping", State.CLOSED)
    # Whether a code is spent is not said either.
    assert store.insert_batch([report(survey)], [CODES[0]]) == [Outcome.CLOSED]
    store.set_state("doping", State.OPEN)
    store.set_terms("doping", Terms(cap=1))
    two = [report(survey) for _ in range(2)]
    assert store.insert_batch(two, CODES[:2]) == [Outcome.STORED, Outcome.FULL]
    store.set_terms("doping", Terms())
    store.set_state("doping", State.OPEN)
    assert store.insert_batch([report(survey)], [CODES[1]]) == [Outcome.STORED]


def test_spent_codes_are_counted_with_the_snapshot_only(store: Store) -> None:
    held = surveys.survey(slug="held", batch=10)
    store.register(held)
    # These are held back: they must not show as a difference, which would tell how many they are.
    store.insert_batch([report(held) for _ in range(7)])
    codes = new_codes(30)
    store.invite("held", codes)
    seen = []
    for code in codes[:25]:
        store.insert_batch([report(held)], [code])
        seen.append((store.snapshot("held").count(), store.invited("held")))
    assert {spent for spent, _ in seen} == {0, 10, 20}
    assert seen == [(spent, Invited(30, spent)) for spent, _ in seen]


def test_sheets_need_no_code_and_are_counted_apart(store: Store, survey: Survey) -> None:
    store.invite("doping", CODES[:3])
    sheets = [report(survey) for _ in range(4)]
    assert store.enter(sheets, b"pile") == [Outcome.STORED] * 4
    assert store.invited("doping") == Invited(3, 0)
    store.insert_batch([report(survey)], [CODES[0]])
    assert store.invited("doping") == Invited(3, 1)
    assert store.take_back(sheets, b"pile")
    assert store.invited("doping") == Invited(3, 1)


def test_waves_and_trials_have_no_codes(store: Store, survey: Survey) -> None:
    waves = replace(surveys_in_waves.panel(), slug="waves")
    store.register(waves)
    with pytest.raises(ValueError, match="a survey with waves cannot be by invitation"):
        store.invite("waves", CODES)
    store.register(trial_of(survey))
    with pytest.raises(ValueError, match="a trial needs no codes"):
        store.invite(trial_of(survey).slug, CODES)
    store.invite("doping", CODES)
    with pytest.raises(StoreError, match="is by invitation, expected a survey without waves"):
        store.register(replace(surveys_in_waves.panel(), slug="doping"))
    # A trial of a survey by invitation takes reports of anybody.
    assert store.insert_batch([report(trial_of(survey))]) == [Outcome.STORED]


def test_unknown_surveys_have_no_codes(store: Store) -> None:
    with pytest.raises(KeyError):
        store.invite("none", CODES)
    with pytest.raises(KeyError):
        store.invited("none")
    with pytest.raises(KeyError):
        store.end_invitations("none")


def test_codes_go_with_a_copy_and_with_a_deleted_survey(
    store: Store, survey: Survey, engine: Engine, tmp_path: Path
) -> None:
    store.insert_batch([report(survey)])
    store.invite("doping", CODES[:2])
    store.insert_batch([report(survey)], [CODES[0]])
    with closing(open_store(engine.url(tmp_path, "copy"))) as second:
        with store.copying("doping") as copy:
            second.adopt(copy)
        assert second.invited("doping") == Invited(2, 1)
        again = second.insert_batch([report(survey), report(survey)], CODES[:2])
        assert again == [Outcome.SPENT, Outcome.STORED]
    store.delete("doping")
    store.register(survey)
    assert store.invited("doping") is None
    assert store.insert_batch([report(survey)]) == [Outcome.STORED]


def test_a_stolen_store_links_no_code_to_a_report(engine: Engine, tmp_path: Path) -> None:
    survey = surveys.survey(batch=10)
    reports = sorted(
        (
            Report(survey.slug, survey.revision, os.urandom(ID_BYTES), bytes(len(survey.items)))
            for _ in range(60)
        ),
        key=lambda one: one.id,
    )
    codes = sorted(new_codes(80), key=hash_of)
    copies = []
    # The same codes with other reports, and in another order, one at a time and many at once.
    for name, step, order in (("a", 1, slice(None)), ("b", 7, slice(None, None, -1))):
        with closing(open_store(engine.url(tmp_path, name))) as store:
            store.register(survey)
            store.invite(survey.slug, codes)
            for start in range(0, 60, step):
                batch = slice(start, start + step)
                store.insert_batch(reports[batch], codes[:60][order][batch])
            store.set_state(survey.slug, State.CLOSED)
            assert store.settle()
            with store.copying(survey.slug) as copy:
                (revision,) = copy.revisions
                copies.append((copy.codes, revision.held, [*revision.reports]))
    assert copies[0] == copies[1]
    assert sum(spent for _, spent in copies[0][0]) == 60
    # All that lies on disk.
    assert engine.image(tmp_path, "a") == engine.image(tmp_path, "b")
