"""What every store promises, whichever engine it has.

Engines differ in `tests/server/store/engines.py` alone. What only SQLite promises is in `sqlite/`.
"""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deniable import Channel, Survey
from deniable.server.store import (
    Outcome,
    State,
    Store,
    StoreError,
    StoreNotFound,
    StoreUnavailable,
    files_of,
    open_store,
    store_url,
)
from deniable.server.store.accounts import Role
from deniable.server.store.schedule import Schedule
from deniable.server.store.sql.database import Busy
from deniable.survey.checks import BATCH
from deniable.survey.questions import Answer
from tests.kit import adopt, of_wave, panel, report, reports_in, surveys
from tests.server.store.engines import Engine, sent_both_ways

pytestmark = pytest.mark.promise("stores")


def test_a_store_is_found_again_by_its_name(store: Store, survey: Survey) -> None:
    store.insert_reports([report(survey)])
    with closing(open_store(store_url(store.name), create=False)) as again:
        assert again.name == store.name
        assert reports_in(again) == reports_in(store)


def test_a_missing_store_is_made_if_asked(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(StoreNotFound, match="there is no store here"):
        open_store(engine.url(tmp_path), create=False)
    assert list(tmp_path.iterdir()) == []
    with closing(open_store(engine.url(tmp_path))) as store:
        assert store.surveys() == []


def test_it_names_its_files(store: Store, engine: Engine, survey: Survey, tmp_path: Path) -> None:
    store.insert_reports([report(survey)])
    assert set(map(str, tmp_path.iterdir())) <= set(files_of(engine.url(tmp_path)))


def test_another_programs_data_is_refused_and_left_alone(engine: Engine, tmp_path: Path) -> None:
    engine.occupy(tmp_path)
    before = engine.image(tmp_path)
    for read_only in (False, True):
        with pytest.raises(StoreError, match="another program's"):
            open_store(engine.url(tmp_path), read_only=read_only)
    assert engine.image(tmp_path) == before


def test_opening_at_once_makes_one_store(engine: Engine, tmp_path: Path, survey: Survey) -> None:
    together, url = threading.Barrier(4), engine.url(tmp_path)

    def make(_: int) -> None:
        together.wait()
        with closing(open_store(url)) as store:
            store.register(survey)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(make, range(4)))
    with closing(open_store(url)) as store:
        assert store.revisions("doping") == [survey.revision]


def test_a_document_survives_in_every_script(store: Store) -> None:
    survey = surveys.survey(slug="scripts", title="Допинг “in” 東京🙂 '; DROP TABLE surveys")
    store.register(survey)
    assert store.survey("scripts") == survey
    assert store.survey("scripts").title == survey.title


def test_a_new_revision_keeps_reports_and_state(store: Store, survey: Survey) -> None:
    store.insert_reports([report(survey)])
    store.set_state("doping", State.CLOSED)
    changed = surveys.survey(title="Doping, asked again")
    store.register(changed)
    assert store.survey("doping") == changed
    assert store.revision("doping", survey.revision) == survey
    assert store.state("doping") is State.CLOSED
    assert store.revisions("doping") == [changed.revision, survey.revision]
    assert store.count("doping", changed.revision) == 0
    assert store.count("doping") == store.count("doping", survey.revision) == 1
    (record,) = store.surveys()
    assert (record.survey, record.state) == (changed, State.CLOSED)
    # An older one becomes current again.
    store.register(survey)
    assert store.survey("doping") == survey
    assert {*store.revisions("doping")} == {survey.revision, changed.revision}


def test_what_is_not_there_is_a_key_error(store: Store, survey: Survey) -> None:
    other = surveys.survey(slug="other")
    store.register(other)
    calls: tuple[Callable[[], object], ...] = (
        lambda: store.survey("none"),
        lambda: store.state("none"),
        lambda: store.count("none"),
        lambda: store.revisions("none"),
        lambda: store.set_state("none", State.OPEN),
        lambda: store.copying("none").__enter__(),
        lambda: store.revision("doping", other.revision),
        lambda: store.revision("doping", "\ud800" * 32),
        lambda: next(store.rows("doping", "0" * 32)),
    )
    for call in calls:
        with pytest.raises(KeyError):
            call()


def test_outcomes(store: Store, survey: Survey) -> None:
    first = report(survey)
    other = report(survey, b"\1", first.id)
    assert store.insert_reports([first, other, first]) == [
        Outcome.STORED,
        Outcome.CONFLICT,
        Outcome.REPEATED,
    ]
    assert store.insert_reports([first, other]) == [Outcome.REPEATED, Outcome.CONFLICT]
    store.set_state("doping", State.CLOSED)
    assert store.insert_reports([first, other, report(survey)]) == [
        Outcome.REPEATED,
        Outcome.CONFLICT,
        Outcome.CLOSED,
    ]
    stranger = surveys.survey(slug="stranger")
    assert store.insert_reports([report(stranger)]) == [Outcome.UNKNOWN]
    assert list(store.rows("doping", survey.revision)) == [b"\0"]


def test_every_byte_survives_and_every_report_comes_once(store: Store) -> None:
    codes = [Answer(f"a{number}", f"A{number}") for number in range(255)]
    weights = [[2**32 - 254 if x == a else 1 for a in range(255)] for x in range(255)]
    question = surveys.single("q", codes, Channel(weights))
    big = surveys.survey(question, surveys.single("r", codes, Channel(weights)), slug="big")
    store.register(big)
    sent = [bytes([a, 255 - a]) for a in range(256) for _ in range(3)]
    store.insert_reports([report(big, answers) for answers in sent])
    joined = b"".join(store.rows("big", big.revision))
    assert Counter(joined[at : at + 2] for at in range(0, len(joined), 2)) == Counter(sent)


def test_the_least_and_greatest_keys_are_read(store: Store, survey: Survey) -> None:
    """In the order of the keys: the greatest came first here."""
    sent = {bytes([255 - 17 * n]) * 16: bytes([n % 2]) for n in range(16)}
    for id, answers in sent.items():
        store.insert_reports([report(survey, answers, id)])
    assert b"".join(store.rows("doping", survey.revision)) == b"\1\0" * 8
    assert reports_in(store) == sent


@pytest.mark.parametrize("batch", [1, 10])
def test_one_id_in_two_revisions_is_two_reports(store: Store, survey: Survey, batch: int) -> None:
    changed = surveys.survey(title="Doping, asked again", batch=batch)
    store.register(changed)
    first = report(survey, b"\1")
    both = [first, report(changed, b"\0", first.id)]
    assert store.insert_reports(both) == [Outcome.STORED] * 2
    assert store.insert_reports(both) == [Outcome.REPEATED] * 2
    assert store.count("doping", survey.revision) == store.count("doping", changed.revision) == 1


@pytest.mark.promise("many-servers")
def test_batches_do_not_clash(store: Store, engine: Engine, survey: Survey, tmp_path: Path) -> None:
    sent = [report(survey) for _ in range(200)]
    rivals = [report(survey, b"\1", one.id) for one in sent]
    with closing(open_store(engine.url(tmp_path))) as other:

        def insert(number: int) -> list[Outcome]:
            batch = (sent, rivals)[number % 2]
            while True:
                # On a slow machine one waits too long for the others, stores nothing, and is told.
                with suppress(Busy):
                    return (store, other)[number // 2 % 2].insert_reports(batch)

        with ThreadPoolExecutor(8) as threads:
            outcomes = list(threads.map(insert, range(8)))
    for place in range(len(sent)):
        counts = Counter(batch[place] for batch in outcomes)
        assert counts == {Outcome.STORED: 1, Outcome.REPEATED: 3, Outcome.CONFLICT: 4}
    assert store.count("doping") == len(sent)


def test_a_copy_holds_exactly_a_survey(store: Store, second: Store, survey: Survey) -> None:
    changed = surveys.survey(title="Doping, asked again")
    other = surveys.survey(slug="other")
    for revision in (other, changed, survey):
        store.register(revision, f"# {revision.title}")
    sent = [report(revision) for revision in (survey, changed) for _ in range(700)]
    store.insert_reports([*sent, report(other)])
    store.add_user("ada", Role.ADMINISTRATOR)
    store.share("doping", "ada", Role.OWNER)
    store.add_sign_in(b"h", expires=100, now=0, user="ada")
    store.set_public("doping", public=True)
    store.set_schedule("doping", Schedule(1, 4_000_000_000, 5000, "sea-lion"))
    store.set_state("doping", State.CLOSED)
    assert adopt(second, store) == 1400
    (record,) = second.surveys()
    assert (record.survey, record.state) == (survey, State.CLOSED)
    assert second.schedule("doping") == store.schedule("doping")
    assert second.count("doping") == 1400
    assert second.revisions("doping") == store.revisions("doping")
    for one in (survey, changed):
        assert second.source("doping", one.revision) == f"# {one.title}"
    assert reports_in(second) == {one.id: one.answers for one in sent}
    assert (second.users(), second.shares("doping")) == ([], {})
    assert second.take_sign_in(b"h", now=0) is None
    assert not second.is_public("doping")
    second.set_state("doping", State.OPEN)
    again = [sent[0], report(survey), report(changed, b"\1", sent[-1].id)]
    expected = [Outcome.REPEATED, Outcome.STORED, Outcome.CONFLICT]
    assert second.insert_reports(again) == expected


def test_a_copy_is_of_one_moment(store: Store, second: Store, survey: Survey) -> None:
    early = report(survey)
    store.insert_reports([early])
    store.keep_left("doping", "sex", 10, "")
    with store.copying("doping") as copy:
        store.insert_reports([report(survey)])
        store.register(surveys.survey(title="Doping, asked again"))
        second.adopt(copy)
    assert reports_in(second).keys() == {early.id}
    assert second.revisions("doping") == [survey.revision]
    # What left is known wherever the survey goes.
    assert second.left("doping") == ("sex", 10)
    assert store.count("doping") == 2


def test_reports_of_two_stores_are_never_mixed(store: Store, second: Store, survey: Survey) -> None:
    store.insert_reports([report(survey)])
    second.register(survey)
    for target in (second, store):
        with pytest.raises(StoreError, match="holds the survey 'doping' already"):
            adopt(target, store)
    assert reports_in(second) == {}
    assert store.count("doping") == 1


def test_a_copy_that_fails_leaves_nothing(store: Store, second: Store, survey: Survey) -> None:
    store.insert_reports([report(survey) for _ in range(900)])
    with store.copying("doping") as copy:
        (revision,) = copy.revisions

        def failing() -> Iterator[tuple[bytes, bytes]]:
            yield from itertools.islice(revision.reports, 700)
            raise ZeroDivisionError

        half = replace(copy, revisions=(replace(revision, reports=failing()),))
        with pytest.raises(ZeroDivisionError):
            second.adopt(half)
    assert second.surveys() == []
    assert adopt(second, store) == 900


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold back the reports of the least ids: which ones are held is what a running survey tells.

    Then it does not depend on the order either, and all that does is something else.
    """

    def by_id(rows: list[Any], moving: int) -> tuple[list[Any], list[Any]]:
        staying = len(rows) - moving
        return rows[staying:], rows[:staying]

    monkeypatch.setattr("deniable.server.store.sql.insertion.divide", by_id)


BOTH = pytest.mark.parametrize("survey", [surveys.survey(), surveys.survey(batch=1)])
"""The default batch, and reports that are shown one by one."""


@BOTH
@pytest.mark.promise("order")
@pytest.mark.usefixtures("chosen")
def test_settled_stores_know_no_order(engine: Engine, survey: Survey, tmp_path: Path) -> None:
    sent = [report(survey) for _ in range(200)]
    images = []
    for name, store in sent_both_ways(engine, tmp_path, survey, sent):
        images.append(engine.image(tmp_path, name))
        assert store.erase_order()
        images.append(engine.image(tmp_path, name))
    assert images[0] != images[2], "the image does not see an order that is there"
    assert images[1] == images[3]


def end(store: Store) -> None:
    store.set_state(store.surveys()[0].survey.slug, State.CLOSED)


@pytest.mark.parametrize(
    ("survey", "settle"),
    [
        pytest.param(surveys.survey(batch=1), end, id="closed"),
        pytest.param(surveys.survey(), end, id="held back"),
        pytest.param(
            replace(panel(), batch=BATCH), lambda store: store.begin_wave("panel", 2), id="wave"
        ),
        pytest.param(surveys.survey(batch=1), None, id="adopted"),
    ],
)
@pytest.mark.promise("order")
def test_a_stage_end_settles(
    engine: Engine, tmp_path: Path, survey: Survey, settle: Callable[[Store], object] | None
) -> None:
    answers, images = bytes(len(survey.items)), []
    sent = [of_wave(survey, survey.on_wire(1), answers=answers) for _ in range(200)]
    for name, store in sent_both_ways(engine, tmp_path, survey, sent):
        if settle is not None:
            settle(store)
            images.append(engine.image(tmp_path, name))
        else:
            with closing(open_store(engine.url(tmp_path, f"{name}2"))) as second:
                adopt(second, store)
                images.append(engine.image(tmp_path, f"{name}2"))
    assert images[0] == images[1]


@BOTH
@pytest.mark.promise("order")
@pytest.mark.usefixtures("chosen")
def test_no_batch_leaves_an_order(engine: Engine, survey: Survey, tmp_path: Path) -> None:
    sent = [report(survey) for _ in range(200)]
    images = []
    for name, order in (("a", sent), ("b", sent[::-1])):
        with closing(open_store(engine.url(tmp_path, name))) as store:
            store.register(survey)
            store.insert_reports(order)
            assert store.empty_log()
            images.append(engine.image(tmp_path, name))
    assert images[0] == images[1]


def test_settling_loses_nothing_and_disturbs_nobody(store: Store, survey: Survey) -> None:
    sent = [report(survey) for _ in range(100)]
    with ThreadPoolExecutor(2) as threads:
        settling = threads.submit(lambda: [store.erase_order() for _ in range(10)])
        for one in sent:
            assert store.insert_reports([one]) == [Outcome.STORED]
        settling.result()
    assert reports_in(store) == {one.id: one.answers for one in sent}


@pytest.mark.promise("order")
@pytest.mark.parametrize("who", ["read", "locked"])
def test_housekeeping_never_waits(
    store: Store, engine: Engine, survey: Survey, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    store.insert_reports([report(survey)])
    engine.wait_for(60_000, monkeypatch)  # to wait takes far longer than a busy machine does
    with closing(open_store(store_url(store.name))) as patient, getattr(engine, who)(store):
        if who == "read":
            store.insert_reports([report(survey)])  # a reader of what was before is in the way
        start = time.monotonic()
        assert not patient.erase_order(wait=False)
        assert not patient.empty_log()
        assert time.monotonic() < start + 30
    assert store.empty_log()
    assert store.erase_order(wait=False)
    assert store.count("doping") == (2 if who == "read" else 1)


@pytest.fixture
def hasty(engine: Engine, store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Open the store once more, so that it waits for no lock."""
    engine.wait_for(100, monkeypatch)
    with closing(open_store(store_url(store.name))) as opened:
        yield opened


def test_a_locked_store_says_so(store: Store, hasty: Store, engine: Engine, survey: Survey) -> None:
    mine = report(survey)
    with engine.locked(store):
        for write in (
            lambda: hasty.insert_reports([mine]),
            lambda: hasty.set_state("doping", State.CLOSED),
            lambda: hasty.register(surveys.survey(title="Doping, asked again")),
            lambda: hasty.add_sign_in(b"h", expires=1, now=0),
        ):
            with pytest.raises(StoreUnavailable, match="another process is using it") as refused:
                write()
            assert mine.id.hex() not in str(refused.value)
        assert hasty.count("doping") == 0  # reading goes on
        assert not hasty.erase_order()
    assert hasty.insert_reports([mine]) == [Outcome.STORED]
    assert hasty.current_revision("doping") == survey.revision
    assert hasty.erase_order()


@pytest.mark.promise("in-its-place")
@pytest.mark.parametrize("how", ["moved", "replaced"])
def test_a_moved_store_takes_none(store: Store, engine: Engine, survey: Survey, how: str) -> None:
    first, second = report(survey), report(survey)
    store.check_place()
    store.insert_reports([first])
    with getattr(engine, how)(store):
        for use in (
            store.check_place,
            lambda: store.insert_reports([second]),
            lambda: store.set_state("doping", State.CLOSED),
        ):
            with pytest.raises(StoreUnavailable, match="deleted, moved or replaced") as refused:
                use()
            assert second.id.hex() not in str(refused.value)
    store.check_place()
    assert store.state("doping") is State.OPEN
    assert store.insert_reports([second, first]) == [Outcome.STORED, Outcome.REPEATED]
    assert reports_in(store).keys() == {first.id, second.id}


def test_a_broken_one_says_so(store: Store, engine: Engine, survey: Survey, tmp_path: Path) -> None:
    store.insert_reports([report(survey) for _ in range(1000)])
    store.close()
    engine.destroy(tmp_path)
    mine = report(survey)
    for use in (lambda: store.count("doping"), lambda: store.insert_reports([mine])):
        with pytest.raises(StoreUnavailable) as refused:
            use()
        assert store.name in str(refused.value)
        assert mine.id.hex() not in str(refused.value)
