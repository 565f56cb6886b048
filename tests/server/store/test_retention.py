"""Reports go on the day that people were told: from the store, and from backups beside it."""

from collections.abc import Callable, Iterator
from contextlib import chdir, closing
from dataclasses import replace
from pathlib import Path

import pytest

from deniable import Report, Survey
from deniable.server.store import Outcome, State, Store, StoreError, open_store
from deniable.server.store.backups import back_up, check_backup, erase, reports_in, restore
from deniable.server.store.clock import DAY as DAY_SECONDS
from deniable.server.store.clock import STEADY
from deniable.server.store.registering import register
from deniable.server.store.retention import keep_promises, left_behind, told_of
from deniable.server.store.sql.retention import Retention
from deniable.survey.about import About
from deniable.survey.trial import trial_of
from tests.kit import Clocks, adopt, report, surveys
from tests.server.store.engines import Engine
from tests.server.store.filled import CHANGED, COUNTS

pytestmark = pytest.mark.promise("deleted")

DAY = "2028-01-31"
SURVEY = replace(surveys.survey(slug="kept", batch=10), about=About(delete_reports=DAY))

Clock = Callable[[str], None]


@pytest.fixture
def clock(clocks: Clocks) -> Clock:
    """Let days pass, to the one that a test says."""
    clocks.go_on_to("2028-01-01")
    return clocks.go_on_to


@pytest.fixture
def url(engine: Engine, tmp_path: Path) -> Iterator[str]:
    """Return the address of the store, in whose working folder backups of databases lie."""
    with chdir(tmp_path):
        yield engine.url(tmp_path)


def answered(store: Store, survey: Survey = SURVEY, count: int = 25) -> list[Report]:
    """Register a survey, and have people answer it; some reports are held back."""
    store.register(survey)
    sent = [report(survey) for _ in range(count)]
    assert store.insert_reports(sent) == [Outcome.STORED] * count
    return sent


def test_reports_go_and_the_survey_stays_closed(
    store: Store, engine: Engine, url: str, tmp_path: Path, clock: Clock
) -> None:
    sent = answered(store)
    store.register(trial_of(SURVEY))
    other = report(store.survey("doping"))
    store.insert_reports([other])
    store.set_public("kept", public=True)
    assert keep_promises(store, url) == []
    clock("2028-01-30")
    assert keep_promises(store, url) == []
    assert (store.state("kept"), store.count("kept")) == (State.OPEN, 25)
    clock(DAY)
    (said,) = keep_promises(store, url)
    assert "the reports of 'kept' were deleted, as it promised for 2028-01-31" in said
    assert "Copies elsewhere are out of reach" in said
    assert (store.state("kept"), store.count("kept")) == (State.CLOSED, 0)
    assert store.snapshot("kept").tallies == {}
    assert store.check() == []
    assert "trial.kept" not in {one.survey.slug for one in store.surveys()}
    left = engine.image(tmp_path)
    assert other.id in left
    assert not [one for one in sent if one.id in left]
    # Nothing is sent twice, and nothing begins again.
    outcomes = {*store.insert_reports([sent[0], report(SURVEY)])}
    assert outcomes == {Outcome.CLOSED}
    with pytest.raises(ValueError, match="its reports were deleted on 2028-01-31, as it promised"):
        store.set_state("kept", State.OPEN)
    register(store, SURVEY)
    register(store, replace(SURVEY, title="Another"))
    assert store.state("kept") is State.CLOSED
    clock("2028-06-01")
    assert keep_promises(store, url) == []
    assert told_of(store.retentions(), "kept") == (
        "The reports were deleted on 2028-01-31, as the survey promised."
    )


def test_what_was_said_earliest_holds(store: Store, url: str, clock: Clock) -> None:
    later = replace(SURVEY, about=About(delete_reports="2029-01-31"))
    never = replace(SURVEY, about=About())
    earlier = replace(SURVEY, about=About(delete_reports="2028-01-15"))
    # As long as nobody has answered nobody was told.
    for one in (SURVEY, later, never, SURVEY):
        store.register(one)
    assert store.insert_reports([report(SURVEY) for _ in range(20)]) == [Outcome.STORED] * 20
    for one in (later, never):
        with pytest.raises(StoreError, match=r"expected 2028-01-31 as 'delete_reports', or an ear"):
            store.register(one)
    store.register(earlier)
    assert store.retentions()["kept"].day == "2028-01-15"
    clock("2028-01-15")
    assert len(keep_promises(store, url)) == 1
    assert store.count("kept") == 0


def test_an_earlier_revision_s_page_keeps_its_day(store: Store, clock: Clock) -> None:
    later = replace(SURVEY, about=About(delete_reports="2029-01-31"))
    store.register(SURVEY)
    store.register(later)
    assert store.retentions(held=True)["kept"].day == "2029-01-31"
    store.insert_reports([report(SURVEY)])
    assert store.retentions(held=True)["kept"].day == DAY
    # To the desk, that would tell when it came.
    assert store.retentions()["kept"].day == "2029-01-31"
    store.register(replace(later, title="Asked again"))
    store.insert_reports([report(SURVEY) for _ in range(20)])
    assert store.retentions()["kept"].day == DAY


def test_no_survey_begins_whose_day_has_come(store: Store, clock: Clock) -> None:
    clock(DAY)
    with pytest.raises(StoreError, match=r"expected a day after today \(2028-01-31 UTC\)"):
        register(store, SURVEY)
    clock("2028-01-30")
    register(store, SURVEY)
    clock("2028-02-10")
    register(store, SURVEY)  # as a server that starts late; it deletes first


def test_a_jumped_clock_deletes_none(
    store: Store, url: str, clock: Clock, clocks: Clocks, tmp_path: Path
) -> None:
    answered(store)
    back_up(store, tmp_path / "study.backup")
    assert keep_promises(store, url) == []
    clocks.jump_to(DAY)
    for _ in range(2):
        jumped, waiting = keep_promises(store, url)
        assert "the clock of this machine jumped: it shows 2028-01-31" in jumped
        assert "only a jump of the clock made a date of kept come" in waiting
        assert "'deniable close --due'" in waiting
    # Also after ten steady minutes, and for another process, until a person says so.
    clocks.go_on(STEADY)
    waiting = keep_promises(store, url)[-1]
    for _ in range(2):
        assert keep_promises(store, url)[-1] == waiting
        with closing(open_store(url)) as other:
            assert keep_promises(other, url) == [waiting]
    assert (store.state("kept"), store.count("kept")) == (State.WAITING, 25)
    assert reports_in(tmp_path / "study.backup", ["kept"]) == {"kept": 25}
    (said,) = keep_promises(store, url, believed=True)
    assert "the reports of 'kept' were deleted" in said
    assert (store.state("kept"), store.count("kept")) == (State.CLOSED, 0)


def test_a_clock_that_was_set_right_deletes_on_the_day(
    store: Store, url: str, clock: Clock, clocks: Clocks
) -> None:
    answered(store)
    keep_promises(store, url)
    clocks.jump(31 * DAY_SECONDS)
    clocks.go_on(STEADY)
    keep_promises(store, url)
    assert store.state("kept") is State.WAITING
    clocks.jump(-31 * DAY_SECONDS)
    clocks.go_on(STEADY)
    keep_promises(store, url)
    assert (keep_promises(store, url), store.state("kept")) == ([], State.OPEN)
    clock(DAY)
    assert len(keep_promises(store, url)) == 1
    assert store.count("kept") == 0


def test_before_the_day_a_jump_is_noticed_too(
    store: Store, url: str, clock: Clock, clocks: Clocks
) -> None:
    answered(store, replace(SURVEY, about=About(delete_reports="2029-01-01")))
    keep_promises(store, url)
    clocks.jump_to("2028-12-31")
    assert "jumped" in keep_promises(store, url)[0]
    clocks.jump_to("2029-01-01")  # else a day later it would be believed
    assert "jumped" in keep_promises(store, url)[0]
    assert store.count("kept") == 25


def test_the_last_look_is_the_same_whatever_came(store: Store, url: str, clock: Clock) -> None:
    for slug in ("busy", "quiet"):
        store.register(replace(SURVEY, slug=slug))
    for day in ("2028-01-02", "2028-01-03"):
        clock(day)
        store.insert_reports([report(replace(SURVEY, slug="busy"))])
        keep_promises(store, url)
        with store.copying_all() as tables:
            found = {
                t.name: [dict(zip(t.columns, row, strict=True)) for row in t.rows] for t in tables
            }
        assert {one["seen"] for one in found["surveys"]} == {day}


def test_own_backups_go_and_others_stay(
    store: Store, url: str, clock: Clock, tmp_path: Path, engine: Engine
) -> None:
    sent = answered(store)
    other = report(store.survey("doping"))
    store.insert_reports([other])
    file = tmp_path / "study.backup"
    back_up(store, file)
    (tmp_path / "another.backup").write_text("of another program")
    clock(DAY)
    said = keep_promises(store, url)
    assert [one for one in said if "another.backup: may hold reports" in one]
    check_backup(file)
    content = file.read_bytes()
    assert other.id in content
    assert not [one for one in sent if one.id in content]
    assert left_behind(store, url) == []
    with closing(open_store(engine.url(tmp_path, "again"))) as again:
        assert restore(file, again) == 1
        assert again.check() == []


def test_a_restored_store_deletes_before_anybody_is_served(
    store: Store, url: str, clock: Clock, tmp_path: Path, engine: Engine
) -> None:
    answered(store)
    keep_promises(store, url)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    back_up(store, elsewhere / "study.backup")
    clock("2028-12-31")
    with closing(open_store(engine.url(tmp_path, "again"))) as again:
        assert restore(elsewhere / "study.backup", again) == 25
        assert len(left_behind(again, engine.url(tmp_path, "again"))) == 1
        keep_promises(again, engine.url(tmp_path, "again"), believed=True)
        assert again.count("kept") == 0
        assert again.state("kept") is State.CLOSED


def test_a_backup_of_an_older_version_stays_one(
    engine: Engine, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deniable.server.store.upgrading import upgrade  # noqa: PLC0415

    with monkeypatch.context() as patch:
        engine.write_before(tmp_path, patch)
        kept = upgrade(url)
        assert kept is not None
        assert reports_in(kept, COUNTS) == COUNTS
        erase(kept, ["doping"])
        assert reports_in(kept, COUNTS) == {**COUNTS, "doping": 0}
    with closing(open_store(engine.url(tmp_path, "again"))) as again:
        assert restore(kept, again) == COUNTS["panel"]
        assert again.survey("doping").title == CHANGED.title


def test_what_is_left_is_named(store: Store, url: str, clock: Clock, tmp_path: Path) -> None:
    answered(store)
    back_up(store, tmp_path / "study.backup")
    assert left_behind(store, url) == []
    clock(DAY)
    assert [one.partition(" reports of 'kept'")[0] for one in left_behind(store, url)] == [
        f"{store.name}: holds the",
        f"{tmp_path}/study.backup: holds 25" if "sqlite" in url else "study.backup: holds 25",
    ]


def test_a_copy_keeps_the_promise(
    store: Store, url: str, clock: Clock, tmp_path: Path, engine: Engine
) -> None:
    answered(store)
    keep_promises(store, url)
    for name, day in (("before", "2028-01-02"), ("after", DAY)):
        clock(day)
        keep_promises(store, url)
        with closing(open_store(engine.url(tmp_path, name))) as copy:
            adopt(copy, store, "kept")
            assert copy.retentions() == store.retentions()


@pytest.mark.parametrize(
    ("today", "told"),
    [
        ("2027-12-31", ""),
        ("2028-01-01", "All reports and results are deleted on 2028-01-31, as the survey promises"),
        ("2028-01-31", "All reports and results are deleted now, as the survey promises"),
    ],
)
def test_it_is_said_thirty_days_ahead(today: str, told: str) -> None:
    assert Retention(DAY, "", "").told(today).partition(". ")[0] == told
