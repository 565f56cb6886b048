"""What every store promises of what is deleted, and of trials and addresses."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deniable import Survey
from deniable.server.store import (
    Outcome,
    State,
    Store,
    StoreError,
    open_store,
)
from deniable.server.store.accounts import Role
from deniable.server.store.sql import addresses
from deniable.survey.trial import trial_of
from tests.kit import adopt, report, reports_in, surveys, tables_in
from tests.server.store.engines import Engine

pytestmark = pytest.mark.promise("stores")


def test_deleted_is_not_left_on_disk(store: Store, engine: Engine, tmp_path: Path) -> None:
    store.add_sign_in(b"the hash of a link that was used", expires=100, now=0)
    store.take_sign_in(b"the hash of a link that was used", now=0)
    assert store.erase_order()
    assert b"the hash of a link" not in engine.image(tmp_path)


def test_what_is_deleted_is_gone_alone(store: Store, survey: Survey) -> None:
    elsewhere = surveys.survey(slug="elsewhere")
    store.register(elsewhere)
    store.add_user("ada", Role.ADMINISTRATOR)
    for slug in ("doping", "elsewhere"):
        store.share(slug, "ada", Role.OWNER)
    kept = [report(elsewhere) for _ in range(25)]
    store.insert_batch(kept)
    before = reports_in(store, "elsewhere")
    changed = replace(survey, title="Doping, asked again")
    store.insert_batch([report(survey) for _ in range(25)])
    store.register(changed)
    gone = [report(changed) for _ in range(25)]
    store.insert_batch(gone)
    assert store.delete("doping")
    assert [record.survey for record in store.surveys()] == [elsewhere]
    assert store.shared_with("ada") == {"elsewhere": Role.OWNER}
    assert reports_in(store, "elsewhere") == before
    assert store.snapshot("elsewhere").count() == 25
    asks: list[Callable[[], object]] = [
        lambda: store.survey("doping"),
        lambda: store.current_revision("doping"),
        lambda: store.revision("doping", survey.revision),
        lambda: store.revisions("doping"),
        lambda: store.state("doping"),
        lambda: store.wave("doping"),
        lambda: store.snapshot("doping"),
        lambda: [*store.answers("doping", survey.revision)],
        lambda: store.count("doping"),
        lambda: store.shares("doping"),
        lambda: store.copying("doping").__enter__(),
        lambda: store.set_state("doping", State.OPEN),
        lambda: store.delete("doping"),
    ]
    for ask in asks:
        with pytest.raises(KeyError):
            ask()
    # A page that is still open may send: its survey is not there.
    assert store.insert_batch(gone[:2]) == [Outcome.UNKNOWN] * 2
    assert store.insert_batch([*gone[:1], report(elsewhere)]) == [Outcome.UNKNOWN, Outcome.STORED]


def test_a_trial_of_the_same_name_begins_anew(store: Store, survey: Survey) -> None:
    trial = store.register(trial_of(survey))
    store.insert_batch([report(trial) for _ in range(25)])
    store.set_state(trial.slug, State.CLOSED)
    store.delete(trial.slug)
    store.register(trial)
    assert (store.state(trial.slug), store.count(trial.slug)) == (State.TRIAL, 0)
    assert store.snapshot(trial.slug).count() == 0
    sent = report(trial)
    assert store.insert_batch([sent]) == [Outcome.STORED]
    assert reports_in(store, trial.slug) == {sent.id: sent.answers}


def test_a_trial_goes_with_its_survey_only(store: Store, survey: Survey) -> None:
    trial = trial_of(survey)
    store.register(trial)
    store.insert_batch([report(trial)])
    store.delete(trial.slug)
    assert [record.survey for record in store.surveys()] == [survey]
    store.register(trial)
    store.delete(survey.slug)
    assert store.surveys() == []
    store.register(trial)  # of a draft
    store.delete(survey.slug)
    assert store.surveys() == []


@pytest.mark.promise("deleted")
def test_no_thief_finds_what_was_deleted(store: Store, engine: Engine, tmp_path: Path) -> None:
    """Neither the words of its questions, nor an id, nor who shared it: as if it had never been."""
    store.add_user("ada", Role.ADMINISTRATOR)
    assert store.erase_order()
    marked = surveys.survey(slug="m4rk3d", title="M4rk3r of a title")
    store.register(marked)
    store.share("m4rk3d", "ada", Role.OWNER)
    sent = [report(marked) for _ in range(200)]
    store.insert_batch(sent)
    there = engine.image(tmp_path)
    marks = [b"m4rk3d", b"M4rk3r", *(one.id for one in sent)]
    assert all(mark in there for mark in marks)
    assert store.delete("m4rk3d")
    left = engine.image(tmp_path)
    assert not [mark for mark in marks if mark in left]


def test_a_reader_delays_only_the_overwriting(
    store: Store, survey: Survey, engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    engine.hasten(monkeypatch)
    with closing(open_store(engine.url(tmp_path))) as hasty:
        sent = report(survey)
        hasty.insert_batch([sent])
        with engine.read(hasty):
            assert not hasty.delete("doping")
            assert hasty.surveys() == []
        assert hasty.erase_order()
        assert sent.id not in engine.image(tmp_path)


def test_a_trial_holds_nothing_back(store: Store) -> None:
    survey = surveys.survey(slug="held", batch=10)
    trial = trial_of(survey)
    for one in (survey, trial):
        store.register(one)
    for count in range(1, 4):
        store.insert_batch([report(trial), report(survey)])
        assert store.snapshot(trial.slug).count() == count
    assert store.snapshot(survey.slug).count() == 0


@pytest.mark.promise("deleted")
def test_a_deleted_survey_s_address_stays_its_own(
    store: Store, second: Store, survey: Survey, engine: Engine, tmp_path: Path
) -> None:
    store.register(trial_of(survey))
    adopt(second, store)
    store.delete("doping")
    assert store.surveys() == []
    with pytest.raises(KeyError):
        store.slug_at(survey.address)
    ((name, rows),) = tables_in(store).items()
    assert (name, [row[:3] for row in rows]) == ("surveys", [("/KVYTHNR/", "", "closed")])
    with pytest.raises(StoreError, match="an address is"):
        adopt(store, second)
    # Also in a store that takes this one's place, and whatever its address would be called.
    with closing(open_store(engine.url(tmp_path, "third"))) as third:
        with store.moving_out() as tables:
            third.move_in(tables)
        for one in (survey, replace(survey, is_named=True)):
            with pytest.raises(StoreError, match="'doping' is that of a survey that was deleted"):
                third.register(one)


def test_no_address_is_twice(store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "address_of", lambda *_: "/BCDFGHJ/")
    with pytest.raises(StoreError, match="'other' is that of 'doping', and an address is used"):
        store.register(surveys.survey(slug="other"))
    assert store.register(replace(survey, title="Doping, asked again")).slug == "doping"


def test_an_address_stays_where_it_is(store: Store, survey: Survey) -> None:
    with pytest.raises(StoreError, match="has links already, expected 'address' as it was"):
        store.register(replace(survey, is_named=True))
