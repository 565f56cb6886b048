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
from deniable.server.store.schedule import NO_SCHEDULE, Schedule
from deniable.survey import Survey
from deniable.survey.address import LETTERS
from deniable.survey.trial import trial_of
from tests.kit import MARKS, PUBLIC, adopt, by_invitation, of_wave, report, surveys, tables_in
from tests.server.store.engines import Engine

pytestmark = pytest.mark.promise("token")

CODES = new_codes(6)


def test_codes_are_long_and_read_leniently() -> None:
    assert len(LETTERS) ** LENGTH > 2**80
    groups = CODES[0].split("-")
    assert {len(group) for group in groups} == {GROUP}
    assert {*"".join(groups)} <= {*LETTERS}
    typed = " ".join(groups).lower()
    assert hash_of(typed) == hash_of(CODES[0]) != hash_of(CODES[1])


ASKED = bytes(32)
OTHER = bytes([1] * 32)


def test_a_code_is_spent_once_and_signed_again(store: Store) -> None:
    assert store.invited("doping") is None
    assert store.spend("doping", MARKS[0], CODES[0], ASKED) is Outcome.UNKNOWN
    by_invitation(store, "doping", CODES[:2])
    assert store.survey("doping").token_keys == (PUBLIC[0],)
    assert store.spend("doping", MARKS[0], CODES[2], ASKED) is Outcome.UNINVITED
    assert store.spend("doping", MARKS[1], CODES[0], ASKED) is Outcome.OVER
    assert store.spend("doping", MARKS[0], CODES[0].lower(), ASKED) is Outcome.STORED
    assert store.spend("doping", MARKS[0], CODES[0], ASKED) is Outcome.REPEATED
    assert store.spend("doping", MARKS[0], CODES[0], OTHER) is Outcome.SPENT
    assert store.spend("doping", MARKS[0], CODES[1], OTHER) is Outcome.STORED
    # More codes: the key stays, and what was spent stays spent.
    store.invite("doping", CODES[2:], PUBLIC[1:2])
    assert store.survey("doping").token_keys == (PUBLIC[0],)
    assert store.spend("doping", MARKS[0], CODES[0], OTHER) is Outcome.SPENT
    assert store.spend("doping", MARKS[0], CODES[2], OTHER) is Outcome.STORED
    store.set_state("doping", State.CLOSED)
    assert store.spend("doping", MARKS[0], CODES[3], ASKED) is Outcome.CLOSED
    with pytest.raises(KeyError):
        store.spend("none", MARKS[0], CODES[0], ASKED)


@pytest.mark.parametrize(
    ("state", "schedule", "refused"),
    [
        (State.PAUSED, NO_SCHEDULE, Outcome.PAUSED),
        (State.OPEN, Schedule(opens=4_099_680_000), Outcome.PLANNED),
        (State.OPEN, Schedule(cap=10), Outcome.FULL),
    ],
)
def test_no_code_is_spent_while_no_report_is_taken(
    store: Store, survey: Survey, state: State, schedule: Schedule, refused: Outcome
) -> None:
    store.insert_reports([report(survey) for _ in range(10)])
    by_invitation(store, "doping", CODES[:2])
    assert store.spend("doping", MARKS[0], CODES[0], ASKED) is Outcome.STORED
    store.set_state("doping", state)
    store.set_schedule("doping", schedule)
    assert store.spend("doping", MARKS[0], CODES[1], OTHER) is refused
    # What was spent before is signed again, and no more.
    assert store.spend("doping", MARKS[0], CODES[0], ASKED) is Outcome.REPEATED
    store.set_schedule("doping", NO_SCHEDULE)
    store.set_state("doping", State.OPEN)
    assert store.spend("doping", MARKS[0], CODES[1], ASKED) is Outcome.STORED


def test_one_code_is_spent_once(store: Store, engine: Engine, tmp_path: Path) -> None:
    by_invitation(store, "doping", CODES[:1])
    with (
        closing(open_store(engine.url(tmp_path))) as other,
        ThreadPoolExecutor(2) as threads,
    ):
        pending = [
            threads.submit(one.spend, "doping", MARKS[0], CODES[0], os.urandom(32))
            for one in (store, other)
        ]
        outcomes = {one.result() for one in pending}
    assert outcomes == {Outcome.STORED, Outcome.SPENT}


def test_reports_count_with_the_current_key_s_token(store: Store, survey: Survey) -> None:
    assert store.insert_reports([report(survey)]) == [Outcome.STORED]
    by_invitation(store, "doping", CODES[:2])
    mine = report(store.survey("doping"))
    # Also to the revision that people were asked before it was by invitation.
    for refused in (mine, report(survey)):
        for key in (None, "", MARKS[1]):
            assert store.insert_reports([refused], [key]) == [Outcome.UNINVITED]
    assert store.insert_reports([mine], [MARKS[0]]) == [Outcome.STORED]
    assert store.insert_reports([report(survey)], [MARKS[0]]) == [Outcome.STORED]
    # What is sent again is known by its id alone.
    for key in (MARKS[0], MARKS[1], None):
        assert store.insert_reports([mine], [key]) == [Outcome.REPEATED]
    assert store.count("doping") == 3
    store.end_invitations("doping")
    assert store.invited("doping") is None
    assert store.survey("doping") == survey
    assert store.insert_reports([report(survey)]) == [Outcome.STORED]


def test_one_token_sends_no_report_under_each_revision(store: Store, survey: Survey) -> None:
    by_invitation(store, "doping", CODES[:1])
    asked = store.survey("doping")
    mine = report(asked, b"\0" * len(survey.items))
    twin, third = (mine._replace(revision=survey.revision), report(asked))
    # In one batch, and after it.
    assert store.insert_reports([mine, twin, third], [MARKS[0]] * 3) == [
        Outcome.STORED,
        Outcome.CONFLICT,
        Outcome.STORED,
    ]
    assert store.insert_reports([twin], [MARKS[0]]) == [Outcome.CONFLICT]
    other = mine._replace(answers=b"\1" * len(survey.items))
    assert store.insert_reports([other], [MARKS[0]]) == [Outcome.CONFLICT]
    assert store.count("doping") == 2


def test_registering_again_keeps_invitations(store: Store, survey: Survey) -> None:
    by_invitation(store, "doping", CODES[:1])
    invited = store.survey("doping")
    assert store.register(survey) == invited
    changed = store.register(replace(survey, title="Doping, asked again"))
    assert changed == store.survey("doping")
    assert (changed.title, changed.token_keys) == ("Doping, asked again", invited.token_keys)
    assert store.spend("doping", MARKS[0], CODES[0], ASKED) is Outcome.STORED


def test_in_waves_codes_give_tokens_each(store: Store) -> None:
    asked = replace(surveys.panel(), slug="waves")
    store.register(asked)
    store.invite("waves", CODES[:2], PUBLIC[: asked.waves])
    asked = store.survey("waves")
    assert store.spend("waves", MARKS[1], CODES[0], ASKED) is Outcome.OVER
    assert store.spend("waves", MARKS[0], CODES[0], ASKED) is Outcome.STORED
    first = of_wave(asked, 1)
    assert store.insert_reports([first], [MARKS[1]]) == [Outcome.UNINVITED]
    assert store.insert_reports([first], [MARKS[0]]) == [Outcome.STORED]
    store.begin_wave("waves", 2)
    # Whoever kept a token of the first wave cannot answer twice in the second.
    assert store.insert_reports([of_wave(asked, 2)], [MARKS[0]]) == [Outcome.UNINVITED]
    assert store.spend("waves", MARKS[0], CODES[1], ASKED) is Outcome.OVER
    # Told to who has the token alone; a code that no earlier wave used is as any.
    assert store.spend("waves", MARKS[1], CODES[0], OTHER) is Outcome.AGAIN
    assert store.spend("waves", MARKS[1], CODES[0], OTHER) is Outcome.AGAIN
    assert store.spend("waves", MARKS[1], CODES[0], ASKED) is Outcome.SPENT
    assert store.spend("waves", MARKS[1], CODES[1], ASKED) is Outcome.STORED
    assert store.spend("waves", MARKS[1], CODES[1], ASKED) is Outcome.REPEATED
    assert store.insert_reports([of_wave(asked, 2)], [MARKS[1]]) == [Outcome.STORED]
    assert store.invited("waves") == Invited(2, {1: 1, 2: 1})
    with pytest.raises(StoreError, match="expected as many waves as before"):
        store.register(surveys.survey(slug="waves"))


def test_earlier_revisions_need_the_current_wave_s_key(store: Store) -> None:
    asked = replace(surveys.others(), slug="waves")
    once = store.register(replace(asked, waves=1, same_people=True))
    store.register(asked)
    store.invite("waves", CODES[:2], PUBLIC[: asked.waves])
    store.begin_wave("waves", 2)
    assert store.insert_reports([report(once)], [MARKS[0]]) == [Outcome.UNINVITED]
    assert store.insert_reports([report(once)], [MARKS[1]]) == [Outcome.STORED]


def test_of_other_people_a_code_is_good_for_one_wave(store: Store) -> None:
    asked = replace(surveys.others(), slug="waves")
    store.register(asked)
    store.invite("waves", CODES[:2], PUBLIC[: asked.waves])
    assert store.spend("waves", MARKS[0], CODES[0], ASKED) is Outcome.STORED
    store.begin_wave("waves", 2)
    assert store.spend("waves", MARKS[1], CODES[0], OTHER) is Outcome.SPENT
    assert store.spend("waves", MARKS[1], CODES[1], OTHER) is Outcome.STORED
    assert store.spend("waves", MARKS[1], CODES[1], OTHER) is Outcome.REPEATED


@pytest.mark.promise("unlinkable")
def test_token_reports_count_with_the_snapshot(store: Store) -> None:
    held = surveys.survey(slug="held", batch=10)
    store.register(held)
    # These are held back: they must not show as a difference, which would tell how many they are.
    store.insert_reports([report(held) for _ in range(7)])
    codes = new_codes(30)
    by_invitation(store, "held", codes)
    held = store.survey("held")
    seen = []
    for code in codes:
        store.spend("held", MARKS[0], code, os.urandom(32))
        store.insert_reports([report(held)], [MARKS[0]])
        seen.append((store.snapshot("held").count(), store.invited("held")))
    assert seen == [(spent, Invited(30, {1: spent} if spent else {})) for spent, _ in seen]
    assert {spent for spent, _ in seen} == {0, 10, 20}


def test_the_response_rate_counts_the_people_of_a_wave(store: Store) -> None:
    for asked, rates in (
        (
            replace(surveys.panel(), slug="same"),
            ("wave 1: 3 of 4 invited, 75 %", "this wave: 2 of 4 invited, 50 %"),
        ),
        # Each code is good for one wave, and nobody knows for which it was given out.
        (replace(surveys.others(), slug="others"), ("all waves: 4 of 4 invited, 100 %",) * 2),
    ):
        store.register(asked)
        store.insert_reports([of_wave(asked, 1)])  # before there are codes
        store.invite(asked.slug, CODES[:4], PUBLIC[: asked.waves])
        known = store.survey(asked.slug)
        came = (3, 2) if known.same_people else (3, 1)
        for wave, people in enumerate(came, 1):
            if wave > 1:
                store.begin_wave(known.slug, wave)
            sent = [of_wave(known, wave) for _ in range(people)]
            marks = [MARKS[wave - 1]] * people
            assert store.insert_reports(sent, marks) == [Outcome.STORED] * people
        invited = store.invited(known.slug)
        assert invited == Invited(4, dict(enumerate(came, 1)))
        assert tuple(invited.told(known, wave, on=2) for wave in (1, 2)) == rates


def test_who_answered_before_there_were_codes_was_not_invited(store: Store) -> None:
    asked = replace(surveys.panel(), slug="late")
    store.register(asked)
    store.insert_reports([of_wave(asked, 1) for _ in range(2)])
    store.begin_wave("late", 2)
    store.insert_reports([of_wave(asked, 2)])
    store.invite("late", CODES[:4], PUBLIC[: asked.waves])
    assert store.invited("late") == Invited(4, {})
    sent = [of_wave(store.survey("late"), 2) for _ in range(3)]
    assert store.insert_reports(sent, [MARKS[1]] * 3) == [Outcome.STORED] * 3
    assert store.invited("late") == Invited(4, {2: 3})


def test_a_response_rate_tells_no_more_than_the_snapshot() -> None:
    batched = surveys.survey(batch=10)
    for answered, said in (
        ({}, "fewer than 20 of 900 invited"),
        ({1: 590}, "590 of 900 invited, 66 %"),
        ({1: 907}, "900 of 900 invited, 100 %"),  # some were held back before there were codes
    ):
        assert Invited(900, answered).told(batched, 1) == said
    assert Invited(0, {}).told(surveys.survey(batch=1), 1) == "0 of 0 invited"


def test_trials_have_no_codes_and_waves_a_key(store: Store, survey: Survey) -> None:
    store.register(trial_of(survey))
    with pytest.raises(ValueError, match="a trial needs no codes"):
        store.invite(trial_of(survey).slug, CODES, PUBLIC[:1])
    with pytest.raises(ValueError, match="as many keys of tokens as there are waves"):
        store.invite("doping", CODES, PUBLIC[:2])
    assert store.invited("doping") is None
    by_invitation(store, "doping", CODES)
    # A trial of a survey by invitation takes reports of anybody.
    trial = trial_of(store.survey("doping"))
    assert trial == trial_of(survey)
    assert store.insert_reports([report(trial)]) == [Outcome.STORED]


@surveys.AT_ONCE
def test_codes_go_with_their_survey(store: Store, second: Store, survey: Survey) -> None:
    store.insert_reports([report(survey)])
    by_invitation(store, "doping", CODES[:2])
    store.spend("doping", MARKS[0], CODES[0], ASKED)
    store.insert_reports([report(survey)], [MARKS[0]])
    adopt(second, store)
    assert second.invited("doping") == Invited(2, {1: 1})
    assert second.spend("doping", MARKS[0], CODES[0], ASKED) is Outcome.REPEATED
    assert second.spend("doping", MARKS[0], CODES[0], OTHER) is Outcome.SPENT
    assert second.spend("doping", MARKS[0], CODES[1], OTHER) is Outcome.STORED
    assert second.insert_reports([report(survey)]) == [Outcome.UNINVITED]
    store.delete("doping")
    assert {*tables_in(store)} == {"surveys"}


@pytest.mark.promise("unlinkable")
def test_a_stolen_store_links_no_code(engine: Engine, tmp_path: Path) -> None:
    plain = surveys.survey(batch=10)
    survey = replace(plain, token_keys=(PUBLIC[0],))
    reports = sorted(
        (
            Report(survey.slug, survey.revision, os.urandom(ID_BYTES), bytes(len(survey.items)))
            for _ in range(60)
        ),
        key=lambda one: one.id,
    )
    codes = sorted(new_codes(80), key=hash_of)
    asked = {code: os.urandom(32) for code in codes}
    copies = []
    # The same codes with other reports, and in another order, one at a time and many at once.
    for name, step, order in (("a", 1, slice(None)), ("b", 7, slice(None, None, -1))):
        with closing(open_store(engine.url(tmp_path, name))) as store:
            store.register(plain)
            store.invite(survey.slug, codes, PUBLIC[:1])
            for start in range(0, 60, step):
                batch = slice(start, start + step)
                for code in codes[:60][order][batch]:
                    store.spend(survey.slug, MARKS[0], code, asked[code])
                store.insert_reports(reports[batch], [MARKS[0]] * len(reports[batch]))
            store.set_state(survey.slug, State.CLOSED)
            assert store.erase_order()
            with store.copying(survey.slug) as copy:
                *_, revision = copy.revisions
                copies.append((copy.codes, copy.spent, revision.held, [*revision.reports]))
    assert copies[0] == copies[1]
    assert len(copies[0][1]) == 60
    # All that lies on disk.
    assert engine.image(tmp_path, "a") == engine.image(tmp_path, "b")
