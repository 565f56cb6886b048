"""What every store promises of the snapshot that the desk sees, whichever engine it has."""

import secrets
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import combinations, pairwise, product
from pathlib import Path

import pytest

from deniable.report import NOT_ASKED, Report
from deniable.server.store import Outcome, Snapshot, State, Store, StoreUnavailable, open_store
from deniable.server.store.backups import back_up, restore
from deniable.server.store.sql.batches import divide, moving
from deniable.survey import Survey
from deniable.survey.checks import BATCH
from deniable.survey_file import read
from tests.kit import PANEL_TEXT, adopt, of_wave, report, reports_in, surveys
from tests.server.store.engines import Engine

pytestmark = pytest.mark.promise("stores", "batches")


@pytest.fixture
def survey() -> Survey:
    """Build a survey of one question, of which the desk sees ten reports at once."""
    return surveys.survey(batch=10)


def shown(store: Store, survey: Survey, wave: int | None = None) -> int:
    """Return how many reports the snapshot has, once it is sure that it agrees with itself."""
    snapshot = store.snapshot(survey.slug)
    rows = b"".join(store.snapshot_rows(survey.slug, survey.revision))
    length = survey.row_length
    counted = [Counter(rows[place::length]) for place in range(len(survey.items))]
    waves = snapshot.tallies.get(survey.revision, {}).values()
    for place, counts in enumerate(counted):
        assert sum((Counter(one[place]) for one in waves), Counter()) == counts
    assert snapshot.count(survey.revision) == len(rows) // length
    return snapshot.count(survey.revision, wave)


def send(store: Store, survey: Survey, count: int) -> None:
    for _ in range(count):
        assert store.insert_reports([report(survey)]) == [Outcome.STORED]


def test_the_snapshot_grows_by_whole_batches(store: Store, survey: Survey) -> None:
    seen = []
    for count in range(1, 65):
        send(store, survey, 1)
        seen.append(shown(store, survey))
        assert store.count("doping") == count
    assert seen == [max(0, count // 10 - 1) * 10 for count in range(1, 65)]


def test_what_moves_is_what_chance_chose(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what reports say, nor their keys, nor their places in a transaction decide."""
    monkeypatch.setattr("secrets.randbelow", lambda most: most // 3)
    sent = [report(survey, bytes([place % 2])) for place in range(20)]
    store.insert_reports(sent)
    with store.copying("doping") as copy:
        shown = {id for id, _ in copy.revisions[0].reports}
    assert shown == {*divide(sorted(one.id for one in sent), 10)[0]}


def test_a_retry_is_known_wherever_its_report_is(store: Store, survey: Survey) -> None:
    sent = [report(survey) for _ in range(25)]
    for one in sent:
        store.insert_reports([one])
    assert (store.count("doping"), shown(store, survey)) == (25, 10)
    again = [*sent, *[Report("doping", survey.revision, one.id, b"\1") for one in sent]]
    expected = [Outcome.REPEATED] * 25 + [Outcome.CONFLICT] * 25
    for _ in range(2):
        assert store.insert_reports(again) == expected
        for one in sent:
            assert store.insert_reports([one]) == [Outcome.REPEATED]
        # Whoever sends again and again moves nothing.
        assert (store.count("doping"), shown(store, survey)) == (25, 10)
    assert store.insert_reports([sent[0], report(survey)]) == [Outcome.REPEATED, Outcome.STORED]
    store.set_state("doping", State.CLOSED)
    assert store.insert_reports(again) == expected
    assert reports_in(store).keys() >= {one.id for one in sent}
    assert (store.count("doping"), shown(store, survey)) == (26, 26)


def test_each_revision_has_batches_of_its_own(store: Store, survey: Survey) -> None:
    changed = surveys.survey(title="Doping, asked again", batch=3)
    store.register(changed)
    send(store, survey, 19)
    send(store, changed, 5)
    assert (shown(store, survey), shown(store, changed)) == (0, 0)
    send(store, changed, 1)
    assert (shown(store, survey), shown(store, changed)) == (0, 3)
    assert store.snapshot("doping").count() == 3
    store.set_state("doping", State.CLOSED)
    assert (shown(store, survey), shown(store, changed)) == (19, 6)


def test_each_wave_has_batches_of_its_own(store: Store) -> None:
    panel = read(PANEL_TEXT.replace("batch: 1\n", "")).survey
    assert panel.batch == 10
    store.register(panel)
    for count, after in ((27, 27), (9, 0), (12, 12)):
        wave = store.wave("panel")
        for _ in range(count):
            store.insert_reports([of_wave(panel, wave)])
        assert shown(store, panel, wave) == max(0, count // 10 - 1) * 10
        assert store.count_of_wave("panel", wave) == count
        if wave < 3:
            store.begin_wave("panel", wave + 1)
        else:
            store.set_state("panel", State.CLOSED)
        assert shown(store, panel, wave) == after
        assert store.count_of_wave("panel", wave) == count
    assert (store.count("panel"), shown(store, panel)) == (48, 39)
    assert store.snapshot("panel").tallies[panel.revision].keys() == {1, 3}


def test_what_was_not_asked_is_counted_as_that(store: Store, survey: Survey) -> None:
    two = surveys.survey(surveys.single("a"), surveys.single("b"), slug="two", batch=1)
    store.register(two)
    store.insert_reports([report(two, bytes([NOT_ASKED, 1])), report(two, bytes([0, 1]))])
    (counts,) = store.snapshot("two").tallies[two.revision].values()
    assert counts == ({0: 1, NOT_ASKED: 1}, {1: 2})


def test_without_reports_the_snapshot_is_empty(store: Store, survey: Survey) -> None:
    assert store.snapshot("doping") == Snapshot({})
    assert store.snapshot("doping").count() == 0
    assert list(store.snapshot_rows("doping", survey.revision)) == []
    with pytest.raises(KeyError):
        store.snapshot("none")
    with pytest.raises(KeyError):
        next(store.snapshot_rows("doping", "0" * 32))


@pytest.mark.promise("many-servers")
def test_all_readers_see_whole_batches_of_one_snapshot(
    store: Store, engine: Engine, survey: Survey, tmp_path: Path
) -> None:
    with closing(open_store(engine.url(tmp_path))) as other, ThreadPoolExecutor(4) as threads:
        writing = [threads.submit(send, one, survey, 60) for one in (store, other, store)]
        while not all(one.done() for one in writing):
            for one in (store, other):
                assert one.snapshot("doping").count() % 10 == 0
                assert sum(map(len, one.snapshot_rows("doping", survey.revision))) % 10 == 0
        for thread in writing:
            thread.result()
    assert shown(store, survey) == 170


def test_a_store_that_is_full_moves_nothing(store: Store, engine: Engine, survey: Survey) -> None:
    send(store, survey, 19)
    with engine.full(store), pytest.raises(StoreUnavailable, match="full"):
        store.insert_reports([report(survey) for _ in range(1000)])
    assert (store.count("doping"), shown(store, survey)) == (19, 0)
    send(store, survey, 1)
    assert shown(store, survey) == 10


def test_a_copy_holds_back_what_its_model_did(store: Store, second: Store, survey: Survey) -> None:
    panel = read(PANEL_TEXT.replace("batch: 1\n", "")).survey
    for one in (survey, panel):
        store.register(one)
    send(store, survey, 35)
    store.insert_reports([of_wave(panel, 1) for _ in range(25)])
    for slug, count in (("doping", 35), ("panel", 25)):
        assert adopt(second, store, slug) == count
        assert second.snapshot(slug) == store.snapshot(slug)
        assert reports_in(second, slug) == reports_in(store, slug)
    assert (shown(second, survey), shown(second, panel, 1)) == (20, 10)
    second.set_state("doping", State.CLOSED)
    assert shown(second, survey) == 35


def rows_of(store: Store, survey: Survey) -> Counter[bytes]:
    """Return the rows of the desk's file, and how often each is there."""
    rows, length = b"".join(store.snapshot_rows(survey.slug, survey.revision)), survey.row_length
    return Counter(rows[start : start + length] for start in range(0, len(rows), length))


@pytest.mark.promise("backup")
@pytest.mark.parametrize("batch", [3, BATCH])
def test_a_restored_survey_shows_all_or_nothing(
    store: Store, second: Store, tmp_path: Path, batch: int
) -> None:
    """Its rows differ from those before the backup by none, or by a batch at least."""
    totals = range(10) if batch < BATCH else (9, 10, 19, 20, 33)
    cases = [*product(totals, [False]), (batch - 1, True), (batch, True), (batch + 1, True)]
    made = []
    for number, (total, is_over) in enumerate(cases):
        one = surveys.survey(*map(surveys.single, "abcde"), slug=f"s{number}", batch=batch)
        store.register(one)
        store.insert_reports([report(one, secrets.token_bytes(5)) for _ in range(total)])
        if is_over:
            store.set_state(one.slug, State.CLOSED)
        made.append((one, total, is_over))
    file = tmp_path / "all.backup"
    assert back_up(store, file) == restore(file, second) == sum(total for total, _ in cases)
    for one, total, is_over in made:
        assert shown(second, one) == (total if total >= (1 if is_over else 2) * batch else 0)
        assert reports_in(second, one.slug) == reports_in(store, one.slug)
        before, after = rows_of(store, one), rows_of(second, one)
        assert before <= after
        assert (after - before).total() in (0, *range(batch, 2 * batch))
    # From there it grows by whole batches.
    for one, total, _ in made[len(totals) - 5 : len(totals)]:
        seen = [shown(second, one)]
        for _ in range(2 * batch):
            second.insert_reports([report(one)])
            seen.append(shown(second, one))
        assert {new - old for old, new in pairwise(seen)} == {0, batch}
        assert second.count(one.slug) == total + 2 * batch
    assert second.check() == []


@pytest.mark.promise("backup")
def test_each_revision_and_wave_is_restored_by_itself(
    store: Store, second: Store, survey: Survey, tmp_path: Path
) -> None:
    panel = read(PANEL_TEXT.replace("batch: 1\n", "")).survey
    again = replace(survey, title="Doping, asked again")
    for one in (again, panel):
        store.register(one)
    send(store, survey, 33)
    send(store, again, 19)
    for wave, count in ((1, 9), (2, 12), (3, 27)):
        if wave > 1:
            store.begin_wave("panel", wave)
        store.insert_reports([of_wave(panel, wave) for _ in range(count)])
    assert (shown(store, survey), shown(store, again)) == (20, 0)
    assert [shown(store, panel, wave) for wave in (1, 2, 3)] == [0, 12, 10]
    file = tmp_path / "all.backup"
    back_up(store, file)
    restore(file, second)
    assert (shown(second, survey), shown(second, again)) == (33, 0)
    assert [shown(second, panel, wave) for wave in (1, 2, 3)] == [0, 12, 27]
    assert second.check() == []
    second.set_state("doping", State.CLOSED)
    assert (shown(second, survey), shown(second, again)) == (33, 19)


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("batch", [1, 2, 3, 10])
def test_a_batch_moves_or_nothing(batch: int, over: bool) -> None:
    for held in range(5 * batch):
        moves = moving(held, batch, over=over)
        assert moves == 0 or batch <= moves <= held
        if over:
            assert moves in (0, held)
            assert held - moves < batch
        else:
            assert moves % batch == 0
            assert batch == 1 or held < 2 * batch or batch <= held - moves < 2 * batch


def test_dividing_loses_nothing_and_keeps_the_order() -> None:
    moved, stayed = divide(range(100), 63)
    assert (len(moved), len(stayed)) == (63, 37)
    assert sorted(moved + stayed) == [*range(100)]
    assert (moved, stayed) == (sorted(moved), sorted(stayed))


def test_each_choice_of_stayers_is_as_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = iter(range(60))  # 5 · 4 · 3: each is drawn once

    def next_below(most: int) -> int:
        assert most == 60
        return next(draws)

    monkeypatch.setattr("secrets.randbelow", next_below)
    stayed = Counter(tuple(divide(range(5), 2)[1]) for _ in range(60))
    assert stayed == dict.fromkeys(combinations(range(5), 3), 6)
