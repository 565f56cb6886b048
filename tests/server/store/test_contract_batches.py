"""What every store promises of the snapshot that the desk sees, whichever engine it has."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest

from deniable.report import NOT_ASKED, Report
from deniable.server.store import Outcome, Snapshot, State, Store, StoreUnavailable, open_store
from deniable.server.store.sql.batches import divide, moving
from deniable.survey import Survey
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
